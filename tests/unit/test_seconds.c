// SPDX-License-Identifier: GPL-2.0
/* Sums of the program's I/Os by second: what is kept, how it gets coarser, what lies in a span. */
#include "result/seconds.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/clock.h"

/* In second `i` come i + 1 I/Os with 100 ns at the device each, and 10 ns to be submitted. */
static void grow(struct io_second *now, uint64_t i)
{
	now->to = (i + 1) * NS_PER_SECOND;
	now->bytes += (i + 1) * 4096;
	now->count[IO_STAGE_SUBMIT] += i + 1;
	now->sum[IO_STAGE_SUBMIT] += (i + 1) * 10;
	now->count[IO_STAGE_DEVICE] += i + 1;
	now->sum[IO_STAGE_DEVICE] += (i + 1) * 100;
}

static void fill(struct io_view *view, uint64_t seconds)
{
	struct io_second now = {0}, told = {0};

	for (uint64_t i = 0; i < seconds; i++) {
		grow(&now, i);
		io_seconds_add(view, &now, &told);
	}
}

static void clear(struct io_view *view)
{
	free(view->second);
	free(view);
}

static struct io_view *empty(void)
{
	struct io_view *view = calloc(1, sizeof(*view));

	assert_non_null(view);
	return view;
}

static void test_each_is_what_grew(void **state)
{
	struct io_view *view = empty();

	(void)state;
	fill(view, 5);
	assert_int_equal(view->seconds, 5);
	for (size_t i = 0; i < 5; i++) {
		assert_int_equal(view->second[i].from, i * NS_PER_SECOND);
		assert_int_equal(view->second[i].to, (i + 1) * NS_PER_SECOND);
		assert_int_equal(view->second[i].bytes, (i + 1) * 4096);
		assert_int_equal(view->second[i].count[IO_STAGE_DEVICE], i + 1);
		assert_int_equal(view->second[i].sum[IO_STAGE_DEVICE], (i + 1) * 100);
		assert_int_equal(view->second[i].count[IO_STAGE_QUEUE], 0);
	}
	clear(view);
}

/* What follows an idle time began when that ended, not before it. */
static void test_idle_seconds_are_left_out(void **state)
{
	struct io_second now = {0}, told = {0};
	struct io_view *view = empty();

	(void)state;
	grow(&now, 0);
	io_seconds_add(view, &now, &told);
	for (uint64_t i = 1; i < 4; i++) {
		now.to = (i + 1) * NS_PER_SECOND;
		io_seconds_add(view, &now, &told);
	}
	grow(&now, 4);
	io_seconds_add(view, &now, &told);
	assert_int_equal(view->seconds, 2);
	assert_int_equal(view->second[1].from, 4 * NS_PER_SECOND);
	assert_int_equal(view->second[1].to, 5 * NS_PER_SECOND);
	clear(view);
}

/* A count that seems to shrink is one that was taken in the midst of something: nothing is lost, nothing counts twice.
 */
static void test_what_shrinks_is_told_later(void **state)
{
	struct io_second now = {0}, told = {0}, odd;
	struct io_view *view = empty();

	(void)state;
	grow(&now, 0);
	io_seconds_add(view, &now, &told);
	odd = now;
	odd.to = 2 * NS_PER_SECOND;
	odd.count[IO_STAGE_DEVICE]--;
	io_seconds_add(view, &odd, &told);
	assert_int_equal(view->seconds, 1);
	grow(&now, 2);
	io_seconds_add(view, &now, &told);
	assert_int_equal(view->seconds, 2);
	assert_int_equal(view->second[1].from, NS_PER_SECOND);
	assert_int_equal(view->second[1].to, 3 * NS_PER_SECOND);
	assert_int_equal(view->second[1].count[IO_STAGE_DEVICE], 3);
	clear(view);
}

static void test_long_ones_get_coarser_and_lose_nothing(void **state)
{
	const uint64_t seconds = 3 * MAX_IO_SECONDS + 1;
	struct io_view *view = empty();
	struct io_second sum;

	(void)state;
	fill(view, seconds);
	assert_true(view->seconds <= MAX_IO_SECONDS && view->seconds > MAX_IO_SECONDS / 2);
	sum = io_seconds_sum(view, 0, UINT64_MAX, true);
	assert_int_equal(sum.from, 0);
	assert_int_equal(sum.to, seconds * NS_PER_SECOND);
	assert_int_equal(sum.count[IO_STAGE_DEVICE], seconds * (seconds + 1) / 2);
	assert_int_equal(sum.sum[IO_STAGE_SUBMIT], 10 * sum.count[IO_STAGE_DEVICE]);
	assert_int_equal(sum.bytes, 4096 * sum.count[IO_STAGE_DEVICE]);
	for (size_t i = 1; i < view->seconds; i++)
		assert_int_equal(view->second[i].from, view->second[i - 1].to);
	clear(view);
}

/* From 1.5 to 4 s: the third and fourth second lie in it, the second touches it. */
static void test_spans(void **state)
{
	const uint64_t from = 3 * NS_PER_SECOND / 2, to = 4 * NS_PER_SECOND;
	struct io_view *view = empty();
	struct io_second sum;

	(void)state;
	fill(view, 6);
	sum = io_seconds_sum(view, from, to, true);
	assert_int_equal(io_second_completed(&sum), 3 + 4);
	assert_int_equal(sum.from, 2 * NS_PER_SECOND);
	assert_int_equal(sum.to, to);
	sum = io_seconds_sum(view, from, to, false);
	assert_int_equal(io_second_completed(&sum), 2 + 3 + 4);
	assert_int_equal(sum.from, NS_PER_SECOND);
	sum = io_seconds_sum(view, 10 * NS_PER_SECOND, 20 * NS_PER_SECOND, false);
	assert_int_equal(io_second_completed(&sum), 0);
	assert_int_equal(sum.to, 0);
	clear(view);
}

static void test_through_is_completed_too(void **state)
{
	struct io_second second = {0};

	(void)state;
	second.count[IO_STAGE_DEVICE] = 3;
	second.count[IO_STAGE_THROUGH] = 4;
	second.count[IO_STAGE_SUBMIT] = 9;
	assert_int_equal(io_second_completed(&second), 7);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_each_is_what_grew),
		cmocka_unit_test(test_idle_seconds_are_left_out),
		cmocka_unit_test(test_what_shrinks_is_told_later),
		cmocka_unit_test(test_long_ones_get_coarser_and_lose_nothing),
		cmocka_unit_test(test_spans),
		cmocka_unit_test(test_through_is_completed_too),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
