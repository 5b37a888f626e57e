// SPDX-License-Identifier: GPL-2.0
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "result/floor.h"

static struct read_times times(uint64_t reads, double mean, double deviation)
{
	return (struct read_times){.reads = reads, .mean = mean, .deviation = deviation};
}

/* A floor of 30 us, beside random reads of this mean and deviation. */
static struct target beside(double random, double deviation)
{
	return (struct target){
		.floor = {.same = times(1000, 30000, 3000), .random = times(1000, random, deviation), .asked = 2100}};
}

static void not_measured(void **state)
{
	struct target target = {0};

	(void)state;
	assert_int_equal(floor_judge(&target), FLOOR_UNKNOWN);
}

static void random_ones_are_slower(void **state)
{
	struct target target = beside(85000, 20000);

	(void)state;
	assert_int_equal(floor_judge(&target), FLOOR_LOWER);
	target = beside(29000, 3000);
	assert_int_equal(floor_judge(&target), FLOOR_LEVEL);
	/* By less than a tenth, however exactly it is known; and by just more. */
	target = beside(33000, 1);
	assert_int_equal(floor_judge(&target), FLOOR_LEVEL);
	target = beside(33500, 1);
	assert_int_equal(floor_judge(&target), FLOOR_LOWER);
}

/* One of a thousand that took 20 ms makes the mean 20 us more, and the deviation 632 us. */
static void an_outlier_is_no_medium(void **state)
{
	struct target target = beside(50000, 632000);

	(void)state;
	assert_int_equal(floor_judge(&target), FLOOR_LEVEL);
	target = beside(30000, 3000);
	target.floor.same.deviation = 632000;
	target.floor.random.mean = 50000;
	assert_int_equal(floor_judge(&target), FLOOR_LEVEL);
}

static void too_few(void **state)
{
	struct target target = beside(85000, 20000);

	(void)state;
	target.floor.random.reads = 49;
	assert_int_equal(floor_judge(&target), FLOOR_ALONE);
	target.floor.random.reads = 50;
	assert_int_equal(floor_judge(&target), FLOOR_LOWER);
	target.floor.same.reads = 49;
	assert_int_equal(floor_judge(&target), FLOOR_ALONE);
}

/* All that were asked for but those that were just ending. */
static void the_machine_itself_answered(void **state)
{
	struct target target = beside(85000, 20000);

	(void)state;
	target.floor.has_reached = true;
	target.floor.reached = 1050;
	assert_int_equal(floor_judge(&target), FLOOR_LOCAL);
	target.floor.reached = 0;
	assert_int_equal(floor_judge(&target), FLOOR_LOCAL);
	target.floor.reached = 2099;
	assert_int_equal(floor_judge(&target), FLOOR_LOWER);
	/* Split ones, or others' */
	target.floor.reached = 4200;
	assert_int_equal(floor_judge(&target), FLOOR_LOWER);
	target.floor.has_reached = false;
	target.floor.reached = 0;
	assert_int_equal(floor_judge(&target), FLOOR_LOWER);
}

/* The check by pairs and the floor never say opposite things. */
static void nearness_is_not_contradicted(void **state)
{
	struct target slower = beside(85000, 20000), level = beside(31000, 3000);

	(void)state;
	slower.nearness = level.nearness = (struct nearness){.reads = 200, .random = 65000, .same = 63000};
	assert_int_equal(floor_judge(&slower), FLOOR_ALONE);
	assert_int_equal(floor_judge(&level), FLOOR_LEVEL);
	slower.nearness.same = level.nearness.same = 40000;
	assert_int_equal(floor_judge(&slower), FLOOR_LOWER);
	assert_int_equal(floor_judge(&level), FLOOR_ALONE);
	/* What says nothing contradicts nothing. */
	slower.nearness.same = 63000;
	slower.nearness.reads = 49;
	assert_int_equal(floor_judge(&slower), FLOOR_LOWER);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(not_measured),
		cmocka_unit_test(random_ones_are_slower),
		cmocka_unit_test(an_outlier_is_no_medium),
		cmocka_unit_test(too_few),
		cmocka_unit_test(the_machine_itself_answered),
		cmocka_unit_test(nearness_is_not_contradicted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
