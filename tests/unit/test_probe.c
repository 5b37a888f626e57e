// SPDX-License-Identifier: GPL-2.0
#include "host/probe.h"

#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>

#include <cmocka.h>

#include "base/clock.h"
#include "base/text.h"
#include "host/files.h"
#include "host/pinned.h"

static void assert_sane(const struct spread *spread)
{
	assert_true(spread->samples > 0);
	assert_true(spread->p5 > 0);
	assert_true(spread->p5 <= spread->p50 && spread->p50 <= spread->p99);
}

/* What the kernel made of the same CPU's answer. */
static bool kernel_knows_hypervisor(void)
{
	char *cpuinfo = host_read("/proc/cpuinfo"), *flags = host_field(cpuinfo ? cpuinfo : "", "flags");
	bool known = flags && strstr(flags, "hypervisor");

	free(flags);
	free(cpuinfo);
	return known;
}

/* Of this machine only what must hold for each: no time is what another machine takes. */
static void each_time_is_above_nothing(void **state)
{
	struct probes probes;

	(void)state;
	probes_measure(&probes);
#if defined(__x86_64__)
	assert_sane(&probes.exit);
	assert_int_equal(probes.hypervisor, kernel_knows_hypervisor());
#else
	assert_int_equal(probes.exit.samples, 0);
#endif
	assert_sane(&probes.clock);
	assert_sane(&probes.timer);
	assert_sane(&probes.same);
	if (probes.across.samples) {
		assert_sane(&probes.across);
		assert_int_not_equal(probes.cpu, probes.other);
	}
	/* no step is smaller than what was seen between two different readings, a nanosecond at the least */
	if (probes.clock_step)
		assert_true((double)probes.clock_step >= 1);
}

static void nothing_of_the_caller_is_changed(void **state)
{
	int slack = prctl(PR_GET_TIMERSLACK, 0, 0, 0, 0);
	cpu_set_t before, after;
	struct probes probes;

	(void)state;
	if (sched_getaffinity(0, sizeof(before), &before))
		skip();
	probes_measure(&probes);
	assert_int_equal(sched_getaffinity(0, sizeof(after), &after), 0);
	assert_true(CPU_EQUAL(&before, &after));
	assert_int_equal(prctl(PR_GET_TIMERSLACK, 0, 0, 0, 0), slack);
}

static void of_one_cpu_there_is_no_other(void **state)
{
	cpu_set_t before, one;
	struct probes probes;
	size_t cpu;

	(void)state;
	if (sched_getaffinity(0, sizeof(before), &before))
		skip();
	assert_int_equal(pinned_cpus(&cpu, 1), 1);
	CPU_ZERO(&one);
	CPU_SET(cpu, &one);
	assert_int_equal(sched_setaffinity(0, sizeof(one), &one), 0);
	probes_measure(&probes);
	assert_int_equal(sched_setaffinity(0, sizeof(before), &before), 0);
	assert_sane(&probes.same);
	assert_int_equal(probes.cpu, cpu);
	assert_int_equal(probes.across.samples, 0);
}

static void there_are_no_more_samples_than_room_and_time(void **state)
{
	static void (*const probe[])(struct sampling *) = {probe_clock, probe_timer};
	double sample[5];

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(probe); i++) {
		struct sampling sampling = {.sample = sample, .room = 5, .until = clock_now() + NS_PER_SECOND};

		probe[i](&sampling);
		assert_int_equal(sampling.count, 5);
		sampling = (struct sampling){.sample = sample, .room = 5, .until = clock_now()};
		probe[i](&sampling);
		assert_int_equal(sampling.count, 1);
	}
}

static void waking_ends_with_its_time_and_its_room(void **state)
{
	struct sampling sampling = {.until = clock_now()};
	double sample[5];
	size_t cpu;

	(void)state;
	assert_int_equal(pinned_cpus(&cpu, 1), 1);
	probe_wake(&sampling, cpu, cpu);
	assert_int_equal(sampling.count, 0);
	sampling = (struct sampling){.sample = sample, .room = 5, .until = clock_now() + NS_PER_SECOND};
	probe_wake(&sampling, cpu, cpu);
	assert_int_equal(sampling.count, 5);
	/* no such CPU: no samples, and no thread that waits for ever */
	sampling = (struct sampling){.sample = sample, .room = 5, .until = clock_now() + NS_PER_SECOND};
	probe_wake(&sampling, cpu, 8191);
	probe_wake(&sampling, 8191, cpu);
	assert_int_equal(sampling.count, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_time_is_above_nothing),
		cmocka_unit_test(nothing_of_the_caller_is_changed),
		cmocka_unit_test(of_one_cpu_there_is_no_other),
		cmocka_unit_test(there_are_no_more_samples_than_room_and_time),
		cmocka_unit_test(waking_ends_with_its_time_and_its_room),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
