// SPDX-License-Identifier: GPL-2.0
#include "report/places.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/text.h"

static void every_part_has_a_place(void **state)
{
	(void)state;
	for (int part = 0; part < IO_PARTS; part++)
		assert_true(place_of(part) < PLACES);
	for (int stage = IO_PARTS; stage < IO_STAGES; stage++)
		assert_int_equal(place_of(stage), PLACES);
	for (int place = 0; place < PLACES; place++) {
		assert_non_null(place_name[place]);
		assert_non_null(place_in_words[place]);
	}
}

/* The places are all of the latency. */
static void places_add_up(void **state)
{
	struct io_summary summary = {.lat = 1000, .total = 900};
	double sum = 0;

	(void)state;
	for (int part = 0; part < IO_PARTS; part++) {
		summary.part[part] = 10 + part * 20;
		sum += summary.part[part];
	}
	summary.unsplit = 900 - sum;
	sum = summary.unsplit;
	for (int place = 0; place < PLACES; place++)
		sum += place_mean(&summary, place);
	assert_float_equal(sum, 1000, 1e-9);
	assert_float_equal(place_mean(&summary, PLACE_PROGRAM), 100 + summary.part[IO_STAGE_UNREAPED], 1e-9);
	assert_float_equal(place_mean(&summary, PLACE_DOWN), 10 + 30, 1e-9);
	assert_float_equal(place_mean(&summary, PLACE_DEVICE), 50 + 70 + 90, 1e-9);
}

/* Two clocks differ a little; and without an engine the program's own time is not known. */
static void no_time_below_nothing(void **state)
{
	struct io_summary summary = {.lat = 1000, .total = 1003};

	(void)state;
	summary.part[IO_STAGE_UNREAPED] = 20;
	assert_float_equal(place_mean(&summary, PLACE_PROGRAM), 20, 0);
	summary.lat = 0;
	assert_float_equal(place_mean(&summary, PLACE_PROGRAM), 20, 0);
}

static void what_stands_for_the_device(void **state)
{
	struct io_summary summary = {.sum = xcalloc(1, sizeof(*summary.sum))};

	(void)state;
	hist_add(&summary.sum->stage[IO_STAGE_THROUGH], 100, 1);
	assert_int_equal(device_stage(&summary), IO_STAGE_THROUGH);
	hist_add(&summary.sum->stage[IO_STAGE_REMOTE], 100, 1);
	assert_int_equal(device_stage(&summary), IO_STAGE_REMOTE);
	hist_add(&summary.sum->stage[IO_STAGE_DEVICE], 100, 1);
	assert_int_equal(device_stage(&summary), IO_STAGE_DEVICE);
	free(summary.sum);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_part_has_a_place),
		cmocka_unit_test(places_add_up),
		cmocka_unit_test(no_time_below_nothing),
		cmocka_unit_test(what_stands_for_the_device),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
