// SPDX-License-Identifier: GPL-2.0
#include "result/limits.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "limited.h"

static struct limits limits;

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

static void test_depth_is_that_of_the_own_device(void **state)
{
	(void)state;
	limits_of_run(&limits, &checking);
	assert_float_equal(limits.asked, 512, 0);
	assert_string_equal(limits.device, "nvme0n1p2");
	assert_string_equal(limits.disk, "nvme0n1");
	assert_ptr_equal(limits.facts, limited_disk());
	assert_float_equal(limits.reached, 310400 * 1537e-6, 0.1);
	assert_float_equal(limits.in_flight, 310400 * 1537e-6, 0.1);
	assert_true(limits_depth_reached(&limits));
	limited_device(400000);
	limits_of_run(&limits, &checking);
	assert_float_equal(limits.reached, 124.2, 0.1);
	assert_false(limits_depth_reached(&limits));
}

/* Without the I/Os it is by requests, where those are the test's own. */
static void test_depth_by_requests(void **state)
{
	struct bio_counts *others = &run->trace->queued[OWNER_OTHERS][OP_READ];
	struct bio_counts *own = &run->trace->queued[OWNER_WORKLOAD][OP_READ];

	(void)state;
	run->trace->ios = false;
	limits_of_run(&limits, &checking);
	assert_float_equal(limits.reached, 310400 * 1537e-6, 0.1);
	others->bios = own->bios / 10;
	limits_of_run(&limits, &checking);
	assert_true(limits.reached < 0);
	assert_false(limits_depth_known(&limits));
	others->bios = own->bios / 30;
	limits_of_run(&limits, &checking);
	assert_true(limits_depth_known(&limits));
	/* a cache answered the rest */
	own->bios = own->bios / 10 * 9;
	limits_of_run(&limits, &checking);
	assert_false(limits_depth_known(&limits));
	assert_false(limits.none_came);
	own->bios = 0;
	limits_of_run(&limits, &checking);
	assert_true(limits.none_came);
	/* whose they are is not known, but that there are too many */
	free(run->trace->top);
	run->trace->top = NULL;
	limits_of_run(&limits, &checking);
	assert_true(limits_depth_known(&limits));
	limited_device(1800000);
	limits_of_run(&limits, &checking);
	assert_false(limits_depth_known(&limits));
	assert_false(limits.none_came);
}

/* Whatever others did there meanwhile. */
static void test_depth_is_of_the_own_ios(void **state)
{
	struct io_view *view = run->trace->io[OP_READ];
	uint64_t ended = view->counts.end[IO_END_JOINED];

	(void)state;
	run->trace->queued[OWNER_OTHERS][OP_READ].bios = 10 * run->trace->queued[OWNER_WORKLOAD][OP_READ].bios;
	limits_of_run(&limits, &checking);
	assert_float_equal(limits.reached, 310400 * 1537e-6, 0.1);
	limited_inner(IO_STAGE_DEVICE, 1537000, ended / 4);
	view->counts.end[IO_END_NOT_QUEUED] = ended / 4 * 3;
	view->counts.end[IO_END_JOINED] = ended / 4;
	limits_of_run(&limits, &checking);
	assert_float_equal(limits.reached, 310400 * 1537e-6 / 4, 0.1);
	limited_inner(IO_STAGE_DEVICE, 0, 0);
	view->counts.end[IO_END_NOT_QUEUED] = ended;
	view->counts.end[IO_END_JOINED] = 0;
	limits_of_run(&limits, &checking);
	assert_true(limits.none_came);
	assert_false(limits_depth_known(&limits));
	assert_string_equal(limits.device, "nvme0n1p2");
	/* their way through the file system was hidden */
	view->counts.end[IO_END_NOT_QUEUED] = 0;
	view->counts.end[IO_END_UNJOINED] = ended;
	limits_of_run(&limits, &checking);
	assert_false(limits_depth_known(&limits));
	assert_false(limits.none_came);
}

static void test_full_is_by_hardware_queue_or_by_all(void **state)
{
	(void)state;
	limited_device(400000);
	limited_disk()->tags = 128;
	limits_of_run(&limits, &checking);
	assert_int_equal(limits.full, 128);
	assert_false(limits.full_by_queue);
	/* as many as are in flight, or no limit */
	limited_disk()->tags = 120;
	limits_of_run(&limits, &checking);
	assert_int_equal(limits.full, 0);
	limited_disk()->tags = 140;
	limits_of_run(&limits, &checking);
	assert_int_equal(limits.full, 0);
	limited_disk()->tags = 0;
	limited_disk()->queue_requests = 64;
	limited_disk()->hardware_queues = 2;
	limits_of_run(&limits, &checking);
	assert_int_equal(limits.full, 128);
	assert_true(limits.full_by_queue);
	/* one job uses one of the four queues */
	limited_disk()->queue_requests = 128;
	limited_disk()->hardware_queues = 4;
	limits_of_run(&limits, &checking);
	assert_int_equal(limits.full, 0);
	limited->test[SATURATED].jobs = 1;
	limited->test[SATURATED].depth = 512;
	limits_of_run(&limits, &checking);
	assert_int_equal(limits.full, 128);
	/* no more than that was asked for */
	limited->test[SATURATED].depth = 128;
	limits_of_run(&limits, &checking);
	assert_int_equal(limits.full, 0);
}

static void test_places_where_they_waited(void **state)
{
	(void)state;
	limited_part(IO_STAGE_QUEUE, 500000);
	limited_part(IO_STAGE_SYNC, 0);
	limited_part(IO_STAGE_SUBMIT, 100000);
	limited_part(IO_STAGE_UNREAPED, 200000);
	limited_part(IO_STAGE_DELIVER, 0);
	limits_of_run(&limits, &checking);
	assert_true(limits.places);
	assert_float_equal(limits.queued, 155.2, 0.5);
	assert_float_equal(limits.syncing, 0, 0);
	assert_true(limits.with_program > 93);
	run->trace->ios = false;
	limits_of_run(&limits, &checking);
	assert_false(limits.places);
	assert_false(limits.throttling.known);
	assert_true(limits.device);
}

static void test_requests_per_io(void **state)
{
	(void)state;
	limits_of_run(&limits, &checking);
	assert_float_equal(limits.splitting.requests_per_io, 2, 0.001);
	assert_string_equal(limits.splitting.device, "nvme0n1");
	assert_string_equal(limits.splitting.limited_by, "nvme0n1");
	assert_int_equal(limits.splitting.limit, 524288);
	limited_disk()->max_request_bytes = 262144;
	limits_of_run(&limits, &checking);
	assert_int_equal(limits.splitting.limit, 262144);
	limited_disk()->max_request_bytes = 1 << 20;
	limits_of_run(&limits, &checking);
	assert_null(limits.splitting.limited_by);
	/* of bios where I/Os are not followed */
	run->trace->ios = false;
	run->trace->leaf[0].op[OP_READ]->pieces = 3 * run->trace->leaf[0].op[OP_READ]->finished;
	limits_of_run(&limits, &checking);
	assert_float_equal(limits.splitting.requests_per_io, 3, 0.001);
}

static void test_pieces_of_a_bio_based_device(void **state)
{
	struct layer_view *own = &run->trace->above[0];
	struct op_view *view = own->op[OP_READ];

	(void)state;
	own->has_requests = own->partition = false;
	view->stage[STAGE_THROUGH] = view->stage[STAGE_DEVICE];
	limited_inner(IO_STAGE_DEVICE, 0, 0);
	limited_inner(IO_STAGE_SPREAD, 0, 0);
	limited_inner(IO_STAGE_THROUGH, 1400000, run->engine->direction[OP_READ].ios);
	view->bios = 3;
	view->children = 45;
	limits_of_run(&limits, &checking);
	assert_float_equal(limits.splitting.requests_per_io, 16, 0);
	assert_true(limits.splitting.pieces);
	assert_null(limits.splitting.limited_by);
	assert_float_equal(limits.reached, 2681 * 1400e-6, 0.1);
}

static void test_cpus(void **state)
{
	(void)state;
	limits_of_run(&limits, &checking);
	assert_int_equal(limits.cpu.number, 1);
	assert_float_equal(limits.cpu.busiest, 55, 0);
	assert_float_equal(limits.cpu.mean, 47.5, 0);
	assert_float_equal(limits.cpu.engine, 30, 0);
	assert_false(limits_cpu_busy(&limits));
	limited_cpus(-1, 90.5);
	limits_of_run(&limits, &checking);
	assert_int_equal(limits.cpu.online, 1);
	assert_float_equal(limits.cpu.mean, 90.5, 0);
	assert_true(limits_cpu_busy(&limits));
	conditions_free(run->conditions);
	run->conditions = NULL;
	limits_of_run(&limits, &checking);
	assert_false(limits.cpu.known);
	assert_false(limits_cpu_busy(&limits));
}

/* An idle CPU that is slow to wake up is none that was waited for. */
static void test_waiting_for_a_cpu(void **state)
{
	uint64_t ios = run->trace->io[OP_READ]->stage[IO_STAGE_TOTAL].count;

	(void)state;
	limited_inner(IO_STAGE_RUNQ, 400000, ios);
	limits_of_run(&limits, &checking);
	assert_true(limits_cpu_waited(&limits));
	assert_float_equal(limits.cpu.wait, 400000, 1);
	limited_cpus(20, 30);
	limits_of_run(&limits, &checking);
	assert_false(limits_cpu_waited(&limits));
	limited_cpus(20, 60);
	limited_inner(IO_STAGE_RUNQ, 400000, ios / 10);
	limits_of_run(&limits, &checking);
	assert_false(limits_cpu_waited(&limits));
}

static void test_throttling(void **state)
{
	struct io_view *view = run->trace->io[OP_READ];
	uint64_t ios = view->stage[IO_STAGE_TOTAL].count;

	(void)state;
	limits_of_run(&limits, &checking);
	assert_true(limits.throttling.known);
	assert_false(limits_throttled(&limits));
	limited_inner(IO_STAGE_THROTTLED, 2000000, ios / 20);
	view->counts.note[IO_NOTE_THROTTLED] = ios / 20;
	limits_of_run(&limits, &checking);
	assert_false(limits_throttled(&limits)); /* 5 % of the I/Os, 6 % of the time */
	limited_inner(IO_STAGE_THROTTLED, 5000000, ios / 20);
	limits_of_run(&limits, &checking);
	assert_true(limits_throttled(&limits));
	assert_float_equal(limits.throttling.mean, 5000000, 100000);
	limited_inner(IO_STAGE_THROTTLED, 100000, ios / 4);
	view->counts.note[IO_NOTE_THROTTLED] = ios / 4;
	limits_of_run(&limits, &checking);
	assert_true(limits_throttled(&limits));
	limited_inner(IO_STAGE_THROTTLED, 10000, ios / 4);
	limits_of_run(&limits, &checking);
	assert_false(limits_throttled(&limits)); /* many, and nothing lost */
}

static void test_link(void **state)
{
	(void)state;
	limits_of_run(&limits, &checking);
	assert_float_equal(limits.link.share, 0, 0);
	limited_disk()->link_bytes_per_second = 3000000000;
	limits_of_run(&limits, &checking);
	assert_float_equal(limits.link.share, 2681.0 * 1048576 / 3e9, 0.001);
	assert_ptr_equal(limits.link.leaf, limited_disk());
}

static void test_nothing_is_known_without_a_trace(void **state)
{
	(void)state;
	trace_view_free(run->trace);
	run->trace = NULL;
	limits_of_run(&limits, &checking);
	assert_null(limits.device);
	assert_float_equal(limits.asked, 512, 0);
	assert_false(limits_depth_reached(&limits));
	assert_false(limits_throttled(&limits));
	assert_true(limits.cpu.known);
}

static void test_synchronous_engines(void **state)
{
	(void)state;
	assert_true(ioengine_is_synchronous("psync"));
	assert_true(ioengine_is_synchronous("mmap"));
	assert_false(ioengine_is_synchronous("libaio"));
	assert_false(ioengine_is_synchronous("posixaio"));
	assert_false(ioengine_is_synchronous(NULL));
}

#define WITH(make, test) cmocka_unit_test_setup_teardown(test, make, limited_free)

int main(void)
{
	const struct CMUnitTest tests[] = {
		WITH(make_saturated, test_depth_is_that_of_the_own_device),
		WITH(make_saturated, test_depth_by_requests),
		WITH(make_saturated, test_depth_is_of_the_own_ios),
		WITH(make_saturated, test_full_is_by_hardware_queue_or_by_all),
		WITH(make_saturated, test_places_where_they_waited),
		WITH(make_sequential, test_requests_per_io),
		WITH(make_sequential, test_pieces_of_a_bio_based_device),
		WITH(make_saturated, test_cpus),
		WITH(make_saturated, test_waiting_for_a_cpu),
		WITH(make_saturated, test_throttling),
		WITH(make_sequential, test_link),
		WITH(make_saturated, test_nothing_is_known_without_a_trace),
		cmocka_unit_test(test_synchronous_engines),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
