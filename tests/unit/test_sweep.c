// SPDX-License-Identifier: GPL-2.0
#include "result/sweep.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/text.h"

#define SECOND 1000000000ull

static struct result *result;
static struct sweep sweep;

static int make(void **state)
{
	(void)state;
	result = result_new();
	result->options.latency = LATENCY_LAT;
	result->options.sweep = true;
	return 0;
}

static int forget(void **state)
{
	(void)state;
	sweep_clear(&sweep);
	result_free(result);
	return 0;
}

static size_t add_test(unsigned depth, unsigned jobs)
{
	struct test *test;

	result->test = xreallocarray(result->test, result->tests + 1, sizeof(*result->test));
	test = &result->test[result->tests];
	*test = (struct test){
		.random = true,
		.access = ACCESS_READ,
		.read_percent = 100,
		.block_size = 4096,
		.depth = depth,
		.jobs = jobs,
	};
	snprintf(test->name, sizeof(test->name), "RND4K-Q%uT%u-Read", depth, jobs);
	return result->tests++;
}

static struct run *add_run(size_t test, double ios_per_second, double lat)
{
	struct run *run = result_add_run(result);
	struct direction *direction;

	run->test = test;
	run->iteration = 1;
	run->state = RUN_DONE;
	run->engine = xcalloc(1, sizeof(*run->engine));
	direction = &run->engine->direction[OP_READ];
	direction->ios = (uint64_t)ios_per_second;
	direction->ios_per_second = ios_per_second;
	for (int kind = 0; kind < LATENCY_KINDS; kind++)
		direction->latency[kind] =
			(struct latency){.count = direction->ios, .mean = kind == LATENCY_LAT ? lat : lat / 2};
	return run;
}

/* A second of requests on one device in which `in_flight` of them were there on average. */
static struct layer_view *trace(struct run *run, double in_flight)
{
	struct op_view *op = xcalloc(1, sizeof(*op));
	uint64_t requests = (uint64_t)run->engine->direction[OP_READ].ios_per_second;

	run->trace = xcalloc(1, sizeof(*run->trace));
	run->trace->recorded = SECOND;
	run->trace->leaf = xcalloc(1, sizeof(*run->trace->leaf));
	run->trace->leaves = 1;
	run->trace->leaf[0] = (struct layer_view){.device = xstrdup("sda"), .has_requests = true};
	run->trace->leaf[0].op[OP_READ] = op;
	op->issues = op->completions = requests;
	hist_add(&op->stage[STAGE_DEVICE], (uint64_t)(in_flight * (double)SECOND / (double)requests), requests);
	return &run->trace->leaf[0];
}

/* A device that takes 100 us for an I/O and `limit` of them at a time, at depths of powers of two up to `deepest`. */
static void made_up_device(unsigned limit, unsigned deepest, unsigned jobs)
{
	for (unsigned depth = 1; depth <= deepest; depth *= 2) {
		unsigned whole = depth * jobs, busy = whole < limit ? whole : limit;

		trace(add_run(add_test(depth, jobs), busy * 10000.0, 100000.0 * whole / busy), busy);
	}
}

static void look(void)
{
	sweep_of_target(&sweep, result, 0);
}

static void the_knee_is_the_devices_limit(void **state)
{
	(void)state;
	made_up_device(8, 64, 1);
	look();
	assert_int_equal(sweep.points, 7);
	for (size_t i = 0; i < sweep.points; i++) {
		assert_int_equal(sweep.point[i].depth, 1u << i);
		assert_int_equal(sweep.point[i].test, i);
		assert_int_equal(sweep.point[i].summary.runs, 1);
		assert_float_equal(sweep.point[i].reached, i < 3 ? 1u << i : 8, 0.001);
	}
	assert_float_equal(sweep.point[6].summary.ios_per_second, 80000, 0.001);
	assert_float_equal(sweep.point[6].summary.mean, 800000, 0.001);
	assert_int_equal(sweep.knee, 3);
	assert_float_equal(sweep.saturation, 8, 0.001);
}

/* The least depth of a sweep may be above 1. */
static void depth_is_that_of_all_jobs(void **state)
{
	(void)state;
	made_up_device(8, 16, 4);
	look();
	assert_int_equal(sweep.points, 5);
	assert_int_equal(sweep.point[0].depth, 4);
	assert_int_equal(sweep.point[4].depth, 64);
	assert_int_equal(sweep.knee, 1);
	assert_float_equal(sweep.saturation, 8, 0.001);
}

/* 89 % is not enough, 90 % is. */
static void the_knee_is_where_most_is_reached(void **state)
{
	(void)state;
	add_run(add_test(1, 1), 10000, 100000);
	add_run(add_test(2, 1), 17800, 112000);
	add_run(add_test(4, 1), 18000, 222000);
	add_run(add_test(8, 1), 20000, 400000);
	add_run(add_test(16, 1), 19000, 840000);
	look();
	assert_int_equal(sweep.knee, 2);
	assert_float_equal(sweep.saturation, 2, 0.001);
}

/* It takes no more than one I/O at a time: the least depth is the knee. */
static void a_serial_device(void **state)
{
	(void)state;
	made_up_device(1, 16, 1);
	look();
	assert_int_equal(sweep.knee, 0);
	assert_float_equal(sweep.saturation, 1, 0.001);
}

static void a_straight_line_has_no_knee(void **state)
{
	(void)state;
	made_up_device(1000, 64, 1);
	look();
	assert_int_equal(sweep.points, 7);
	assert_int_equal(sweep.knee, NO_KNEE);
	assert_float_equal(sweep.saturation, 0, 0);
}

static void depths_come_in_order(void **state)
{
	size_t deep, shallow, middle;

	(void)state;
	deep = add_test(32, 1);
	shallow = add_test(1, 1);
	middle = add_test(4, 1);
	add_run(deep, 40000, 800000);
	add_run(shallow, 10000, 100000);
	add_run(middle, 40000, 100000);
	look();
	assert_int_equal(sweep.point[0].test, shallow);
	assert_int_equal(sweep.point[1].test, middle);
	assert_int_equal(sweep.point[2].test, deep);
	assert_int_equal(sweep.knee, 1);
}

static void fail_run(struct run *run)
{
	run->state = RUN_FAILED;
	run->reason = xstrdup("made up");
	engine_figures_free(run->engine);
	run->engine = NULL;
}

/* Neither a knee nor the last depth that is known. */
static void failed_runs_are_passed_over(void **state)
{
	(void)state;
	add_run(add_test(1, 1), 10000, 100000);
	fail_run(add_run(add_test(2, 1), 99999, 1));
	add_run(add_test(4, 1), 40000, 100000);
	add_run(add_test(8, 1), 41000, 200000);
	add_test(16, 1); /* never run */
	look();
	assert_int_equal(sweep.points, 5);
	assert_int_equal(sweep.point[1].summary.runs, 0);
	assert_int_equal(sweep.point[4].summary.runs, 0);
	assert_true(sweep.point[1].reached < 0);
	assert_int_equal(sweep.knee, 2);
	assert_float_equal(sweep.saturation, 4.1, 0.001);
}

static void the_deepest_that_is_known_is_no_knee(void **state)
{
	(void)state;
	add_run(add_test(1, 1), 10000, 100000);
	add_run(add_test(2, 1), 20000, 100000);
	fail_run(add_run(add_test(4, 1), 1, 1));
	look();
	assert_int_equal(sweep.knee, NO_KNEE);
}

static void latency_begins_at_the_least_depth_that_is_known(void **state)
{
	(void)state;
	fail_run(add_run(add_test(1, 1), 1, 1));
	add_run(add_test(2, 1), 20000, 100000);
	add_run(add_test(4, 1), 40000, 100000);
	add_run(add_test(8, 1), 40000, 200000);
	look();
	assert_int_equal(sweep.knee, 2);
	assert_float_equal(sweep.saturation, 4, 0.001);
}

/* What the tables show is clat; the law is about all of the time. */
static void the_law_takes_the_whole_latency(void **state)
{
	(void)state;
	result->options.latency = LATENCY_CLAT;
	made_up_device(8, 32, 1);
	look();
	assert_float_equal(sweep.point[0].summary.mean, 50000, 0.001);
	assert_float_equal(sweep.saturation, 8, 0.001);
}

static void iterations_and_duplicates_are_one_point(void **state)
{
	size_t one, four;

	(void)state;
	one = add_test(1, 1);
	four = add_test(4, 1);
	trace(add_run(one, 10000, 100000), 1);
	trace(add_run(one, 12000, 100000), 1);
	trace(add_run(four, 40000, 100000), 4);
	trace(add_run(add_test(4, 1), 20000, 200000), 2); /* again */
	trace(add_run(add_test(2, 2), 30000, 150000), 3); /* as deep over all jobs */
	look();
	assert_int_equal(sweep.points, 2);
	assert_int_equal(sweep.point[0].summary.runs, 2);
	assert_float_equal(sweep.point[0].summary.ios_per_second, 11000, 0.001);
	assert_int_equal(sweep.point[1].test, four);
	assert_int_equal(sweep.point[1].summary.runs, 3);
	assert_float_equal(sweep.point[1].summary.ios_per_second, 30000, 0.001);
	assert_float_equal(sweep.point[1].reached, 3, 0.001);
}

static void targets_are_kept_apart(void **state)
{
	size_t shallow, deep;

	(void)state;
	shallow = add_test(1, 1);
	deep = add_test(8, 1);
	add_run(shallow, 10000, 100000);
	add_run(deep, 80000, 100000);
	add_run(shallow, 5000, 200000)->target = 1;
	add_run(deep, 5000, 1600000)->target = 1;
	look();
	assert_float_equal(sweep.point[1].summary.ios_per_second, 80000, 0.001);
	assert_int_equal(sweep.knee, NO_KNEE);
	sweep_clear(&sweep);
	sweep_of_target(&sweep, result, 1);
	assert_float_equal(sweep.point[1].summary.ios_per_second, 5000, 0.001);
	assert_int_equal(sweep.knee, 0);
}

static void depth_is_known_where_it_was_timed(void **state)
{
	struct layer_view *untimed;

	(void)state;
	add_run(add_test(1, 1), 10000, 100000);
	untimed = trace(add_run(add_test(2, 1), 20000, 100000), 2);
	untimed->op[OP_READ]->stage[STAGE_DEVICE] = (struct hist){0};
	free(trace(add_run(add_test(4, 1), 20000, 100000), 2)->op[OP_READ]); /* a cache answered */
	result->run[2].trace->leaf[0].op[OP_READ] = NULL;
	look();
	assert_true(sweep.point[0].reached < 0);
	assert_true(sweep.point[1].reached < 0);
	assert_true(sweep.point[2].reached < 0);
}

/* The target's own device comes before the disk under it. */
static void depth_is_that_of_the_targets_own_device(void **state)
{
	struct op_view *op = xcalloc(1, sizeof(*op));
	struct run *run;

	(void)state;
	run = add_run(add_test(32, 1), 10000, 100000);
	trace(run, 12);
	run->trace->above = xcalloc(1, sizeof(*run->trace->above));
	run->trace->aboves = 1;
	run->trace->above[0] = (struct layer_view){.device = xstrdup("md0"), .queue = true};
	run->trace->above[0].op[OP_READ] = op;
	op->bios = op->finished = 10000;
	hist_add(&op->stage[STAGE_THROUGH], 3100000, 10000);
	look();
	assert_float_equal(sweep.point[0].reached, 31, 0.001);
}

static void nothing_gives_nothing(void **state)
{
	(void)state;
	look();
	assert_int_equal(sweep.points, 0);
	assert_int_equal(sweep.knee, NO_KNEE);
	sweep_clear(&sweep);
	add_run(add_test(4, 1), 10000, 100000)->test = NO_TEST; /* a traced program */
	look();
	assert_int_equal(sweep.points, 1);
	assert_int_equal(sweep.point[0].summary.runs, 0);
	assert_int_equal(sweep.knee, NO_KNEE);
	sweep_clear(&sweep);
	add_run(0, 0, 0); /* done, and no I/O ended in it */
	look();
	assert_int_equal(sweep.point[0].summary.runs, 1);
	assert_int_equal(sweep.knee, NO_KNEE);
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, make, forget)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(the_knee_is_the_devices_limit),
		TEST(depth_is_that_of_all_jobs),
		TEST(the_knee_is_where_most_is_reached),
		TEST(a_serial_device),
		TEST(a_straight_line_has_no_knee),
		TEST(depths_come_in_order),
		TEST(failed_runs_are_passed_over),
		TEST(the_deepest_that_is_known_is_no_knee),
		TEST(latency_begins_at_the_least_depth_that_is_known),
		TEST(the_law_takes_the_whole_latency),
		TEST(iterations_and_duplicates_are_one_point),
		TEST(targets_are_kept_apart),
		TEST(depth_is_known_where_it_was_timed),
		TEST(depth_is_that_of_the_targets_own_device),
		TEST(nothing_gives_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
