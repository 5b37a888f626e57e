// SPDX-License-Identifier: GPL-2.0
#include "probe.h"

#if defined(__x86_64__) || defined(__i386__)

#include <cpuid.h>
#include <sys/prctl.h>
#include <x86intrin.h>

#include "base/clock.h"

#define HYPERVISOR_BIT	(1u << 31)
#define HYPERVISOR_LEAF 0x40000000
#define READINGS	64

bool probe_hypervisor(void)
{
	unsigned eax, ebx, ecx, edx;

	return __get_cpuid(1, &eax, &ebx, &ecx, &edx) && ecx & HYPERVISOR_BIT;
}

/* The fences keep what is measured between two readings. */
static uint64_t read_tsc(void)
{
	uint64_t tsc;

	_mm_lfence();
	tsc = __rdtsc();
	_mm_lfence();
	return tsc;
}

static uint64_t ticks_of_cpuid(unsigned leaf)
{
	unsigned eax, ebx, ecx, edx;
	uint64_t begin = read_tsc();

	__cpuid(leaf, eax, ebx, ecx, edx);
	return read_tsc() - begin;
}

/* What two readings with nothing between them are apart. */
static uint64_t ticks_of_nothing(void)
{
	uint64_t least = UINT64_MAX;

	for (int i = 0; i < READINGS; i++) {
		uint64_t begin = read_tsc(), ticks = read_tsc() - begin;

		least = ticks < least ? ticks : least;
	}
	return least;
}

/* The samples are ticks until it is known how long one is, which the clock tells over all of them. */
void probe_exit(struct sampling *sampling)
{
	unsigned leaf = probe_hypervisor() ? HYPERVISOR_LEAF : 0;
	uint64_t nothing, begin_ns, begin, ticks, ns;
	int readable = 0;

	if (prctl(PR_GET_TSC, &readable) || readable != PR_TSC_ENABLE)
		return;
	nothing = ticks_of_nothing();
	begin_ns = clock_now();
	begin = read_tsc();
	do {
		ticks = ticks_of_cpuid(leaf);
		ticks -= ticks > nothing ? nothing : ticks;
	} while (sampling_add(sampling, (double)ticks) && clock_now() < sampling->until);
	ns = clock_now() - begin_ns;
	ticks = read_tsc() - begin;
	for (size_t i = 0; i < sampling->count; i++)
		sampling->sample[i] *= (double)ns / (double)ticks;
}

#else

bool probe_hypervisor(void)
{
	return false;
}

void probe_exit(struct sampling *sampling)
{
	(void)sampling;
}

#endif
