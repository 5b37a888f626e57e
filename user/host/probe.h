/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Measures what the machine itself costs, on the spot: struct probes says what. All of it is the real machine's,
 * whatever root host_set_root() has set. It takes 0.6 s at the most, in threads of its own, so nothing of the caller is
 * changed.
 */
#ifndef HOST_PROBE_H
#define HOST_PROBE_H

#include "result/probes.h"

/* All of them. What can't be measured has no samples. */
void probes_measure(struct probes *probes);

/* --- each alone --- */

/* Samples that are being taken: no more than there is room for, and none after `until` (clock_now()). */
struct sampling {
	double *sample; /* ns */
	size_t count, room;
	uint64_t until;
};

/* Takes one more; false: that was enough. */
static inline bool sampling_add(struct sampling *sampling, double ns)
{
	sampling->sample[sampling->count++] = ns;
	return sampling->count < sampling->room;
}

/* Whether the CPU says that a hypervisor runs below (CPUID leaf 1, ECX bit 31); false on all but x86. */
bool probe_hypervisor(void);

/*
 * How long the CPUID instruction takes: leaf 0x40000000 of a hypervisor, which always is an exit, or leaf 0 without
 * one. To be called by a thread that stays on its CPU. Nothing on other processors, or where a process may not read the
 * TSC.
 */
void probe_exit(struct sampling *sampling);

/* How long one reading of CLOCK_MONOTONIC takes, each sample the mean of several. */
void probe_clock(struct sampling *sampling);

/* The smallest step between two of its readings, ns; 0: it is finer than a reading takes, or none came. Up to 30 ms. */
uint64_t probe_clock_step(void);

/* How late sleeps of 50 us end. Changes the calling thread's timer slack. */
void probe_timer(struct sampling *sampling);

/*
 * How long a thread takes from being woken, by a write to an eventfd, until it runs; two threads wake each other in
 * turn, on these CPUs, which may be the same.
 */
void probe_wake(struct sampling *sampling, size_t first_cpu, size_t second_cpu);

#endif
