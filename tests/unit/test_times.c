// SPDX-License-Identifier: GPL-2.0
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "workload/times.h"

static void none(void **state)
{
	struct read_times times = times_sum_up(NULL, 0);

	(void)state;
	assert_true(!times.reads && !times.least && !times.median && !times.p99);
	assert_true(times.mean == 0 && times.deviation == 0);
}

static void one(void **state)
{
	uint64_t time[] = {70};
	struct read_times times = times_sum_up(time, 1);

	(void)state;
	assert_int_equal(times.reads, 1);
	assert_true(times.least == 70 && times.median == 70 && times.p99 == 70);
	assert_true(times.mean == 70 && times.deviation == 0);
}

/* The squares of 3, 1, 1 and 3 are 20, over 3. */
static void an_even_number(void **state)
{
	uint64_t time[] = {16, 10, 14, 12};
	struct read_times times = times_sum_up(time, 4);

	(void)state;
	assert_int_equal(times.reads, 4);
	assert_int_equal(times.least, 10);
	assert_int_equal(times.median, 13);
	assert_int_equal(times.p99, 16);
	assert_float_equal(times.mean, 13, 1e-9);
	assert_float_equal(times.deviation * times.deviation, 20 / 3.0, 1e-9);
}

/* From the slowest down: of 200, two lie above. */
static void the_99th_percentile(void **state)
{
	uint64_t time[200];
	struct read_times times;

	(void)state;
	for (size_t i = 0; i < 200; i++)
		time[i] = 200 - i;
	times = times_sum_up(time, 200);
	assert_int_equal(times.p99, 198);
	times = times_sum_up(time, 101);
	assert_int_equal(times.p99, 100);
	assert_int_equal(times.median, 51);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(none),
		cmocka_unit_test(one),
		cmocka_unit_test(an_even_number),
		cmocka_unit_test(the_99th_percentile),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
