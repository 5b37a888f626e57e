// SPDX-License-Identifier: GPL-2.0
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "limited.h"

static int make_saturated(void **state)
{
	(void)state;
	limited_make(SATURATED);
	return 0;
}

static int make_sequential(void **state)
{
	(void)state;
	limited_make(SEQUENTIAL);
	return 0;
}

static int make_one(void **state)
{
	(void)state;
	limited_make(ONE);
	return 0;
}

static void no_trace(void)
{
	trace_view_free(run->trace);
	run->trace = NULL;
}

/* --- depth and limit --- */

static void test_depth_is_reached(void **state)
{
	(void)state;
	check_depth(&checking);
	assert_check("depth", CHECK_PASSED, false, "The I/Os that were asked for at once were at nvme0n1p2.");
	assert_string_equal(limited_check("depth")->found, "477.1 at nvme0n1p2");
	assert_string_equal(limited_check("depth")->expected, "512");
}

static void test_depth_that_is_missing(void **state)
{
	(void)state;
	limited_device(100000);
	limited_cpus(91, 98);
	check_depth(&checking);
	assert_check("depth", CHECK_PASSED, true, "Of 512 I/Os asked for at once 31.0 were at nvme0n1p2 on average.");
	assert_null(limited_check("depth")->expected);
	check_limit(&checking);
	assert_check("limit", CHECK_PASSED, true, "The CPU: CPU 1 was 98 % busy (all 2: 95 %).");
}

static void test_depth_of_one(void **state)
{
	(void)state;
	limited_device(100);
	check_depth(&checking);
	check_limit(&checking);
	assert_check("depth", CHECK_PASSED, false,
		     "One at a time: 0.0 at nvme0n1p2 on average, the rest of the time above it.");
	assert_null(limited_check("depth")->expected);
	assert_check("limit", CHECK_NOT_APPLICABLE, false,
		     "One I/O at a time: the latency is the figure, and its stages say where it went.");
}

static void test_limit(void **state)
{
	(void)state;
	run->conditions->has_interrupts = true;
	run->conditions->interrupts = run->engine->direction[OP_READ].ios / 4;
	check_limit(&checking);
	assert_check("limit", CHECK_PASSED, true, "The device: 477.1 of 512 I/Os were at nvme0n1p2 on average.");
	assert_string_equal(limited_check("limit")->found,
			    "477.1 of 512 at nvme0n1p2; 1.00 doorbells per I/O; 0.25 interrupts per I/O");
	run->conditions->has_kicks = true;
	run->conditions->kicks = run->engine->direction[OP_READ].ios / 10;
	check_limit(&checking);
	assert_string_equal(run->check[run->checks - 1].found,
			    "477.1 of 512 at nvme0n1p2; 1.00 doorbells per I/O; 0.10 kicks per I/O; "
			    "0.25 interrupts per I/O");
}

static void test_unknown_without_a_trace(void **state)
{
	(void)state;
	no_trace();
	check_depth(&checking);
	check_limit(&checking);
	check_splits(&checking);
	check_observer(&checking);
	assert_int_equal(run->checks, 3);
	for (size_t i = 0; i < run->checks; i++) {
		assert_int_equal(run->check[i].state, CHECK_UNKNOWN);
		assert_string_equal(run->check[i].sentence, "Nothing was traced, so this is not known.");
	}
}

static void test_unknown_without_device_times(void **state)
{
	(void)state;
	run->trace->leaves = run->trace->aboves = 0;
	check_depth(&checking);
	check_limit(&checking);
	check_splits(&checking);
	for (size_t i = 0; i < run->checks; i++)
		assert_int_equal(run->check[i].state, CHECK_UNKNOWN);
	assert_int_equal(run->checks, 3);
	run->trace->leaves = run->trace->aboves = 1;
}

static void test_none_came_to_the_device(void **state)
{
	(void)state;
	limited_inner(IO_STAGE_DEVICE, 0, 0);
	run->trace->io[OP_READ]->counts.end[IO_END_NOT_QUEUED] = run->trace->io[OP_READ]->counts.end[IO_END_JOINED];
	run->trace->io[OP_READ]->counts.end[IO_END_JOINED] = 0;
	check_depth(&checking);
	check_limit(&checking);
	for (size_t i = 0; i < run->checks; i++) {
		assert_int_equal(run->check[i].state, CHECK_NOT_APPLICABLE);
		assert_string_equal(run->check[i].sentence,
				    "None of this test's I/Os came to nvme0n1p2, so nothing limited it there.");
	}
	assert_int_equal(run->checks, 2);
}

static void test_depth_among_others(void **state)
{
	(void)state;
	run->trace->ios = false;
	run->trace->queued[OWNER_OTHERS][OP_READ] = run->trace->queued[OWNER_WORKLOAD][OP_READ];
	check_depth(&checking);
	check_limit(&checking);
	for (size_t i = 0; i < run->checks; i++) {
		assert_int_equal(run->check[i].state, CHECK_UNKNOWN);
		assert_string_equal(run->check[i].sentence,
				    "How many of this test's I/Os were at nvme0n1p2 at once can't be told: others' "
				    "were among them, or not all of it came there.");
	}
	assert_int_equal(run->checks, 2);
}

static void test_program_has_no_depth(void **state)
{
	(void)state;
	checking.test = NULL;
	check_depth(&checking);
	check_limit(&checking);
	assert_int_equal(run->checks, 0);
}

/* --- CPU --- */

static void test_cpu_is_quiet(void **state)
{
	(void)state;
	limited_cpus(90, 55);
	check_cpu(&checking);
	assert_check("cpu", CHECK_PASSED, false, "No CPU was busy all the time.");
	assert_string_equal(limited_check("cpu")->found, "CPU 0 was 90 % busy (all 2: 73 %)");
}

static void test_cpu_is_busy(void **state)
{
	(void)state;
	limited_device(400000);
	limited_cpus(96, 98);
	check_cpu(&checking);
	assert_check("cpu", CHECK_PASSED, true, "CPU 1 was 98 % busy (all 2: 97 %): the CPU was a limit.");
	assert_null(limited_check("cpu")->expected);
}

static void test_cpu_is_busy_and_no_limit(void **state)
{
	(void)state;
	limited_cpus(96, 98);
	check_cpu(&checking);
	assert_check("cpu", CHECK_PASSED, true, "CPU 1 was 98 % busy (all 2: 97 %).");
}

static void test_cpu_is_taken(void **state)
{
	(void)state;
	run->engine->user_percent = 0.1;
	run->engine->system_percent = 1;
	limited_cpus(100, 100);
	free(limited->engine);
	limited->engine = xstrdup("fio");
	check_cpu(&checking);
	assert_check("cpu", CHECK_WARNING, false,
		     "The CPU: both were 100 % busy, fio's jobs with 18 % of one: other programs take them. Repeat it "
		     "with the machine at rest.");
}

static void test_cpu_is_waited_for(void **state)
{
	(void)state;
	limited_device(400000);
	limited_inner(IO_STAGE_RUNQ, 400000, run->trace->io[OP_READ]->stage[IO_STAGE_TOTAL].count);
	check_cpu(&checking);
	assert_check("cpu", CHECK_PASSED, true,
		     "A woken thread waited 400.0 \u00b5s for a CPU, 24.9 % of an I/O's time: the CPU was a limit.");
}

static void test_cpu_is_unknown(void **state)
{
	(void)state;
	conditions_free(run->conditions);
	run->conditions = NULL;
	check_cpu(&checking);
	assert_check("cpu", CHECK_UNKNOWN, false, "How busy each CPU was is not known.");
}

/* --- splits --- */

static void test_one_request_per_io(void **state)
{
	(void)state;
	check_splits(&checking);
	assert_check("splits", CHECK_PASSED, false, "One I/O is one request.");
	assert_string_equal(limited_check("splits")->found, "1.00");
}

static void test_split_by_size(void **state)
{
	(void)state;
	limited_disk()->max_request_bytes = 262144;
	run->trace->io[OP_READ]->counts.requests *= 2;
	check_splits(&checking);
	assert_check("splits", CHECK_PASSED, true,
		     "4.00 requests per I/O: nvme0n1 takes 256 KiB at once (queue/max_sectors_kb).");
}

static void test_split_by_segments(void **state)
{
	(void)state;
	limited_disk()->max_request_bytes = 1 << 20;
	check_splits(&checking);
	assert_check("splits", CHECK_PASSED, true,
		     "2.00 requests per I/O: no limit of size explains it, so it is the number of memory segments that "
		     "nvme0n1 takes at once (queue/max_segments).");
}

static void test_split_by_an_array(void **state)
{
	struct layer_view *own = &run->trace->above[0];

	(void)state;
	own->has_requests = own->partition = false;
	own->op[OP_READ]->stage[STAGE_THROUGH] = own->op[OP_READ]->stage[STAGE_DEVICE];
	own->op[OP_READ]->bios = 3;
	own->op[OP_READ]->children = 45;
	check_splits(&checking);
	assert_check("splits", CHECK_PASSED, true,
		     "16.00 pieces per I/O: nvme0n1p2 cuts them, by its chunks or by the limits of what is under it.");
}

static void test_merged(void **state)
{
	struct op_view *view = run->trace->leaf[0].op[OP_READ];

	(void)state;
	view->walked = 8 * view->issues;
	check_splits(&checking);
	assert_check("splits", CHECK_PASSED, true, "Merged: 8.00 I/Os per request at nvme0n1.");
}

/* --- caps --- */

static void test_no_cap(void **state)
{
	(void)state;
	check_cap(&checking);
	assert_check("cap", CHECK_PASSED, false, "No cap on the rate was seen.");
	assert_string_equal(limited_check("cap")->found, "0.0 % of the I/Os held back");
}

static void test_cap_of_a_cgroup(void **state)
{
	static const double fallen[] = {5000, 5100, 4900, 2500, 2500, 2500};
	struct io_view *view = run->trace->io[OP_READ];
	uint64_t ios = view->stage[IO_STAGE_TOTAL].count;

	(void)state;
	limited_inner(IO_STAGE_THROTTLED, 1000000, ios / 2);
	view->counts.note[IO_NOTE_THROTTLED] = ios / 2;
	limited_seconds(fallen, ARRAY_SIZE(fallen), 4096);
	check_cap(&checking);
	assert_check(
		"cap", CHECK_WARNING, false,
		"A cgroup's limit (io.max, or blkio.throttle) held 50.0 % of the I/Os back, by 1.000 ms on average. "
		"From second 4 on throughput was 50 % lower. This is its figure and not the disk's: raise the "
		"limit, or run outside of that cgroup.");
	check_trend(&checking);
	assert_int_equal(limited_check("steady")->state, CHECK_NOT_APPLICABLE);
}

/* Few were held back, and for long. */
static void test_cap_of_a_cgroup_by_time(void **state)
{
	struct io_view *view = run->trace->io[OP_READ];
	uint64_t ios = view->stage[IO_STAGE_TOTAL].count;

	(void)state;
	limited_inner(IO_STAGE_THROTTLED, 20000000, ios / 40);
	view->counts.note[IO_NOTE_THROTTLED] = ios / 40;
	view->stage[IO_STAGE_TOTAL].sum = ios * 1000000;
	check_cap(&checking);
	assert_check("cap", CHECK_WARNING, false,
		     "A cgroup's limit (io.max, or blkio.throttle) held 2.5 % of the I/Os back, by 20.00 ms on average, "
		     "which took 50.0 % of all I/Os' time. This is its figure and not the disk's: raise the limit, or "
		     "run outside of that cgroup.");
}

static void test_cap_after_a_burst(void **state)
{
	static const double fallen[] = {5000, 5100, 4900, 3000, 3000, 3000};

	(void)state;
	limited_seconds(fallen, ARRAY_SIZE(fallen), 4096);
	check_cap(&checking);
	assert_check(
		"cap", CHECK_WARNING, false,
		"From second 4 on throughput was 40 % lower. It stayed flat then, within 0.0 % of 3,000 IOPS: a cap "
		"after a burst, or a cache that was full. Only the later rate lasts: measure for longer, or after a "
		"burst has been used up.");
}

static void test_round_figure(void **state)
{
	static const double flat[] = {3001, 2999, 3000, 3000, 3000};

	(void)state;
	limited_seconds(flat, ARRAY_SIZE(flat), 4096);
	check_cap(&checking);
	assert_check("cap", CHECK_PASSED, true,
		     "The rate was flat at 3,000 IOPS, a round figure, which may be chance or a cap: see whether other "
		     "block sizes have the same.");
}

static void test_round_figure_of_two_tests(void **state)
{
	static const double flat[] = {3001, 2999, 3000, 3000, 3000};
	struct run *other;

	(void)state;
	limited_seconds(flat, ARRAY_SIZE(flat), 4096);
	other = made_up_run(limited, 0, SATURATED + 1, 1, 1);
	other->engine->direction[OP_WRITE].ios_per_second = 3003;
	run = checking.run = &limited->run[0];
	check_cap(&checking);
	assert_check(
		"cap", CHECK_WARNING, false,
		"The rate was flat at 3,000 IOPS, and that of RND4K-Q32T16-Write is the same: a cap sets it and not "
		"the disk. Look for a limit of the volume, the virtual machine or the hypervisor.");
}

static void test_cap_is_unknown(void **state)
{
	(void)state;
	no_trace();
	run->samples = 0;
	check_cap(&checking);
	assert_int_equal(limited_check("cap")->state, CHECK_UNKNOWN);
}

/* --- the observer --- */

static void test_observer(void **state)
{
	(void)state;
	check_observer(&checking);
	assert_int_equal(limited_check("observer")->state, CHECK_UNKNOWN);
}

static void test_observer_is_cheap(void **state)
{
	(void)state;
	run->has_probe_cost = true;
	run->probe_cost = 1900;
	check_observer(&checking);
	assert_check("observer", CHECK_PASSED, false,
		     "The probes take at most 1.90 \u00b5s per I/O, 0.1 % of the mean latency.");
	assert_string_equal(limited_check("observer")->found, "1.90 \u00b5s per I/O, 0.1 % of the mean");
}

static void test_observer_is_dear(void **state)
{
	(void)state;
	run->has_probe_cost = true;
	run->probe_cost = 7900;
	check_observer(&checking);
	assert_check("observer", CHECK_WARNING, false,
		     "The probes take at most 7.90 \u00b5s per I/O, 10.0 % of the mean latency: --no-trace or --stages "
		     "device shows what is left without them.");
}

/* Of a program it is the time from call to return. */
static void test_observer_of_a_program(void **state)
{
	(void)state;
	run->has_probe_cost = true;
	run->probe_cost = 1900;
	checking.test = NULL;
	engine_figures_free(run->engine);
	run->engine = NULL;
	check_observer(&checking);
	assert_int_equal(limited_check("observer")->state, CHECK_PASSED);
}

#define WITH(make, test) cmocka_unit_test_setup_teardown(test, make, limited_free)

int main(void)
{
	const struct CMUnitTest tests[] = {
		WITH(make_saturated, test_depth_is_reached),
		WITH(make_saturated, test_depth_that_is_missing),
		WITH(make_one, test_depth_of_one),
		WITH(make_saturated, test_limit),
		WITH(make_saturated, test_unknown_without_a_trace),
		WITH(make_saturated, test_unknown_without_device_times),
		WITH(make_saturated, test_none_came_to_the_device),
		WITH(make_saturated, test_depth_among_others),
		WITH(make_saturated, test_program_has_no_depth),
		WITH(make_saturated, test_cpu_is_quiet),
		WITH(make_saturated, test_cpu_is_busy),
		WITH(make_saturated, test_cpu_is_busy_and_no_limit),
		WITH(make_saturated, test_cpu_is_taken),
		WITH(make_saturated, test_cpu_is_waited_for),
		WITH(make_saturated, test_cpu_is_unknown),
		WITH(make_saturated, test_one_request_per_io),
		WITH(make_sequential, test_split_by_size),
		WITH(make_sequential, test_split_by_segments),
		WITH(make_sequential, test_split_by_an_array),
		WITH(make_saturated, test_merged),
		WITH(make_saturated, test_no_cap),
		WITH(make_saturated, test_cap_of_a_cgroup),
		WITH(make_saturated, test_cap_of_a_cgroup_by_time),
		WITH(make_saturated, test_cap_after_a_burst),
		WITH(make_saturated, test_round_figure),
		WITH(make_saturated, test_round_figure_of_two_tests),
		WITH(make_saturated, test_cap_is_unknown),
		WITH(make_saturated, test_observer),
		WITH(make_saturated, test_observer_is_cheap),
		WITH(make_one, test_observer_is_dear),
		WITH(make_one, test_observer_of_a_program),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
