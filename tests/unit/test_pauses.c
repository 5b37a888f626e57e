// SPDX-License-Identifier: GPL-2.0
#include "result/pauses.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/text.h"

#define MS 1000000ull

/* A read from 1000 ms to 1300 ms. */
static const struct io_record record = {
	.boundary = {[BOUNDARY_CALL] = 1000 * MS, [BOUNDARY_RETURN] = 1300 * MS},
	.op = IO_OP_READ,
};

static struct io_view view;
static struct trace_view trace;
static struct conditions conditions;
static struct pause pause_of[3];
static struct run run;

/* A run with `usual` reads of `time` each. */
static int make_run(uint64_t usual, uint64_t time)
{
	memset(&view, 0, sizeof(view));
	memset(&trace, 0, sizeof(trace));
	if (usual)
		hist_add(&view.stage[IO_STAGE_TOTAL], time, usual);
	trace.io[IO_OP_READ] = &view;
	conditions = (struct conditions){.pause = pause_of};
	run = (struct run){.trace = &trace, .conditions = &conditions};
	return 0;
}

static int make(void **state)
{
	(void)state;
	return make_run(1000, MS);
}

static void add(uint64_t at, uint64_t length)
{
	pause_of[conditions.pauses++] = (struct pause){at * MS, length * MS};
}

static void assert_still(uint64_t at, uint64_t length)
{
	struct standstill still = pauses_of_record(&run, &record);

	assert_int_equal(still.length, length * MS);
	if (length)
		assert_int_equal(still.at, at * MS);
}

static void what_overlaps_counts(void **state)
{
	static const struct {
		uint64_t at, length, still;
	} pauses[] = {
		{1050, 200, 200}, {900, 600, 300}, {900, 150, 50}, {1250, 100, 50},
		{900, 100, 0},	  {1300, 100, 0},  {1310, 9, 0},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(pauses); i++) {
		conditions.pauses = 0;
		add(pauses[i].at, pauses[i].length);
		assert_still(pauses[i].at, pauses[i].still);
	}
}

static void several_are_added_and_the_first_is_named(void **state)
{
	(void)state;
	add(100, 100);
	add(1010, 60);
	add(1280, 60);
	assert_still(1010, 80);
}

static void where_all_take_that_long_none_is_slow(void **state)
{
	(void)state;
	add(1050, 200);
	make_run(1000, 400 * MS);
	add(1050, 200);
	assert_still(0, 0);
	/* of so few, nobody knows what is usual */
	make_run(15, 400 * MS);
	add(1050, 200);
	assert_still(1050, 200);
	trace.io[IO_OP_READ] = NULL;
	assert_still(1050, 200);
}

static void what_is_not_known_is_no_pause(void **state)
{
	struct io_record other = record;

	(void)state;
	add(1050, 200);
	other.boundary[BOUNDARY_CALL] = 0;
	assert_int_equal(pauses_of_record(&run, &other).length, 0);
	other = record;
	other.boundary[BOUNDARY_RETURN] = 0;
	assert_int_equal(pauses_of_record(&run, &other).length, 0);
	run.conditions = NULL;
	assert_still(0, 0);
	run.trace = NULL;
	assert_int_equal(pauses_in_slowest(&run), 0);
}

static void those_of_the_slowest_are_counted(void **state)
{
	struct io_record slowest[] = {record, record, record};

	(void)state;
	slowest[1].boundary[BOUNDARY_CALL] = 1260 * MS;
	trace.slowest = slowest;
	trace.slowest_count = ARRAY_SIZE(slowest);
	assert_int_equal(pauses_in_slowest(&run), 0);
	add(1050, 200);
	assert_int_equal(pauses_in_slowest(&run), 2);
}

#define WITH_RUN(test) cmocka_unit_test_setup(test, make)

int main(void)
{
	const struct CMUnitTest tests[] = {
		WITH_RUN(what_overlaps_counts),
		WITH_RUN(several_are_added_and_the_first_is_named),
		WITH_RUN(where_all_take_that_long_none_is_slow),
		WITH_RUN(what_is_not_known_is_no_pause),
		WITH_RUN(those_of_the_slowest_are_counted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
