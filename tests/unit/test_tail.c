// SPDX-License-Identifier: GPL-2.0
#include "result/tail.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static struct latency_row row[LATENCY_ROWS];

static int empty(void **state)
{
	(void)state;
	memset(row, 0, sizeof(row));
	return 0;
}

/* `count` I/Os of so much in the queue and at the device. */
static void add(uint64_t queue, uint64_t device, uint64_t count)
{
	struct latency_row *at = &row[latency_row_of(queue + device)];

	at->count += count;
	at->sum[IO_STAGE_QUEUE] += queue * count;
	at->sum[IO_STAGE_DEVICE] += device * count;
}

static void nothing_has_no_tail(void **state)
{
	struct tail tail;

	(void)state;
	assert_false(tail_of_rows(&tail, row, 0.01));
	assert_int_equal(tail.count, 0);
}

/* 100,000 ns lie in the row from 98,304 on, 1,000,000 in that from 983,040, 1,048,575 ns in its last place. */
static void whole_rows_from_the_top(void **state)
{
	struct tail tail;

	(void)state;
	add(10000, 90000, 980);
	add(400000, 600000, 12);
	add(500000, 548575, 5);
	add(100000, 3900000, 3);
	assert_true(tail_of_rows(&tail, row, 0.001));
	assert_int_equal(tail.count, 3);
	assert_int_equal(tail.from, 3932160);
	assert_float_equal(tail.share, 0.003, 1e-12);
	assert_float_equal(tail.total, 4000000, 1e-6);
	assert_float_equal(tail.part[IO_STAGE_QUEUE], 100000, 1e-6);
	assert_float_equal(tail.part[IO_STAGE_DEVICE], 3900000, 1e-6);

	assert_true(tail_of_rows(&tail, row, 0.01));
	assert_int_equal(tail.count, 20); /* those of both totals in one row */
	assert_int_equal(tail.from, 983040);
	assert_float_equal(tail.share, 0.02, 1e-12);
	assert_float_equal(tail.part[IO_STAGE_QUEUE], (12 * 400000 + 5 * 500000 + 3 * 100000) / 20.0, 1e-6);
	assert_float_equal(tail.total, tail.part[IO_STAGE_QUEUE] + tail.part[IO_STAGE_DEVICE], 1e-6);
	assert_float_equal(tail.part[IO_STAGE_SYNC], 0, 0);
}

static void all_of_them(void **state)
{
	struct tail tail;

	(void)state;
	add(10, 20, 7);
	add(0, 5, 3);
	assert_true(tail_of_rows(&tail, row, 1));
	assert_int_equal(tail.count, 10);
	assert_int_equal(tail.from, 5);
	assert_float_equal(tail.share, 1, 0);
	assert_float_equal(tail.total, 22.5, 1e-9);
}

/* What lies in one row cannot be told apart. */
static void one_row_is_taken_whole(void **state)
{
	struct tail tail;

	(void)state;
	add(10000, 90000, 5000);
	assert_true(tail_of_rows(&tail, row, 0.001));
	assert_int_equal(tail.count, 5000);
	assert_float_equal(tail.share, 1, 0);
}

/* 0.07 × 100 is 7.000000000000001 in binary: seven are enough. */
static void no_row_more_for_rounding(void **state)
{
	volatile double share = 0.07;
	struct tail tail;

	(void)state;
	add(0, 1000, 93);
	add(0, 9000, 7);
	assert_true(share * 100 > 7);
	assert_true(tail_of_rows(&tail, row, share));
	assert_int_equal(tail.count, 7);
}

static void the_last_row_is_open(void **state)
{
	struct tail tail;

	(void)state;
	add(0, 1000, 9);
	add(0, 60000000000, 1);
	assert_true(tail_of_rows(&tail, row, 0.1));
	assert_int_equal(tail.count, 1);
	assert_int_equal(tail.from, latency_row_lower(LATENCY_ROWS - 1));
	assert_float_equal(tail.total, 6e10, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(nothing_has_no_tail, empty),
		cmocka_unit_test_setup(whole_rows_from_the_top, empty),
		cmocka_unit_test_setup(all_of_them, empty),
		cmocka_unit_test_setup(one_row_is_taken_whole, empty),
		cmocka_unit_test_setup(no_row_more_for_rounding, empty),
		cmocka_unit_test_setup(the_last_row_is_open, empty),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
