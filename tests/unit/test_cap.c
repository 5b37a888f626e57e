// SPDX-License-Identifier: GPL-2.0
#include "result/cap.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "limited.h"

static const double flat[] = {3001, 2999, 3000, 3000, 3002, 2998};
static const double fallen[] = {5100, 4800, 5200, 3410, 3409, 3411, 3410};

static struct limits limits;
static struct cap cap;

static int make(void **state)
{
	(void)state;
	limited_make(SATURATED);
	return 0;
}

static void look(void)
{
	limits_of_run(&limits, &checking);
	cap_of_run(&cap, &checking, &limits);
}

static void test_none(void **state)
{
	static const double noisy[] = {3000, 3300, 2700, 3100, 2900, 3000}, odd[] = {3450, 3451, 3449, 3450, 3450};

	(void)state;
	look();
	assert_int_equal(cap.kind, CAP_NONE);
	limited_seconds(noisy, ARRAY_SIZE(noisy), 4096);
	look();
	assert_int_equal(cap.kind, CAP_NONE);
	limited_seconds(odd, ARRAY_SIZE(odd), 4096);
	look();
	assert_int_equal(cap.kind, CAP_NONE);
	assert_false(cap_is_told(&cap));
}

static void test_flat_at_a_round_figure(void **state)
{
	char *level;

	(void)state;
	limited_seconds(flat, ARRAY_SIZE(flat), 4096);
	look();
	assert_int_equal(cap.kind, CAP_ROUND);
	assert_false(cap_is_told(&cap));
	level = cap_level(&cap);
	assert_string_equal(level, "3,000 IOPS");
	free(level);
	limited_seconds(flat, 4, 4096);
	look();
	assert_int_equal(cap.kind, CAP_NONE); /* too few */
}

static void test_round_bytes(void **state)
{
	static const double ios[] = {1907, 1908, 1907, 1907, 1908};
	char *level;

	(void)state;
	limited_seconds(ios, ARRAY_SIZE(ios), 65536);
	look();
	assert_int_equal(cap.kind, CAP_ROUND);
	level = cap_level(&cap);
	assert_string_equal(level, "125 MB/s");
	free(level);
}

static void test_round_figure_that_is_explained(void **state)
{
	(void)state;
	limited_seconds(flat, ARRAY_SIZE(flat), 4096);
	limited_cpus(10, 95);
	look();
	assert_int_equal(cap.kind, CAP_NONE);
	limited_cpus(10, 20);
	limited_device(100000); /* 31 of 512 */
	look();
	assert_int_equal(cap.kind, CAP_NONE);
}

static void test_two_tests_at_one_figure(void **state)
{
	struct run *other;

	(void)state;
	limited_seconds(flat, ARRAY_SIZE(flat), 4096);
	other = made_up_run(limited, 0, SATURATED + 1, 1, 1);
	run = checking.run = &limited->run[0];
	look();
	assert_null(cap.alike);
	other->engine->direction[OP_WRITE].ios_per_second = 3003;
	look();
	assert_ptr_equal(cap.alike, &limited->test[SATURATED + 1]);
	assert_true(cap_is_told(&cap));
	/* the same block size and direction: a deeper queue of a full disk gives no more */
	limited->test[SATURATED + 1].access = ACCESS_READ;
	look();
	assert_null(cap.alike);
}

static void test_fall_to_a_flat_rate(void **state)
{
	(void)state;
	limited_seconds(fallen, ARRAY_SIZE(fallen), 4096);
	look();
	assert_int_equal(cap.kind, CAP_CLIFF);
	assert_float_equal(cap.level, 3410, 0.01);
	assert_int_equal(cap.since, 4 * NS_PER_SECOND);
}

/* It begins in the middle of a second, which is of both levels. */
static void test_fall_within_a_second(void **state)
{
	static const double within[] = {5100, 4800, 5200, 3000, 2410, 2409, 2411};

	(void)state;
	limited_seconds(within, ARRAY_SIZE(within), 4096);
	look();
	assert_int_equal(cap.kind, CAP_CLIFF);
	assert_float_equal(cap.level, 2410, 0.01);
	assert_int_equal(cap.since, 4 * NS_PER_SECOND);
}

static void test_fall_to_an_uneven_rate_or_rise(void **state)
{
	static const double uneven[] = {5100, 4900, 5000, 3410, 3200, 3600, 3410},
			    rise[] = {3000, 3000, 3000, 5000, 5001, 5000};

	(void)state;
	limited_seconds(uneven, ARRAY_SIZE(uneven), 4096);
	look();
	assert_true(cap.has_cliff);
	assert_int_equal(cap.kind, CAP_NONE);
	limited_seconds(rise, ARRAY_SIZE(rise), 4096);
	look();
	assert_true(cap.has_cliff);
	assert_int_equal(cap.kind, CAP_NONE);
}

static void test_cgroup_comes_first(void **state)
{
	struct io_view *view = run->trace->io[OP_READ];
	uint64_t ios = view->stage[IO_STAGE_TOTAL].count;

	(void)state;
	limited_inner(IO_STAGE_THROTTLED, 1000000, ios);
	view->counts.note[IO_NOTE_THROTTLED] = ios;
	limited_seconds(fallen, ARRAY_SIZE(fallen), 4096);
	look();
	assert_int_equal(cap.kind, CAP_CGROUP);
	assert_true(cap_is_told(&cap));
	assert_true(cap.has_cliff);
	/* a program has phases of its own, and its cgroup's limit is seen all the same */
	checking.test = NULL;
	look();
	assert_int_equal(cap.kind, CAP_CGROUP);
	assert_false(cap.has_cliff);
}

#define WITH(test) cmocka_unit_test_setup_teardown(test, make, limited_free)

int main(void)
{
	const struct CMUnitTest tests[] = {
		WITH(test_none),
		WITH(test_flat_at_a_round_figure),
		WITH(test_round_bytes),
		WITH(test_round_figure_that_is_explained),
		WITH(test_two_tests_at_one_figure),
		WITH(test_fall_to_a_flat_rate),
		WITH(test_fall_within_a_second),
		WITH(test_fall_to_an_uneven_rate_or_rise),
		WITH(test_cgroup_comes_first),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
