// SPDX-License-Identifier: GPL-2.0
#include "report/floor.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "made_up_result.h"
#include "report/terminal.h"
#include "shown.h"

/* 28.1 us, and 85.3 us of random ones. */
static void fill_floor(struct target *target)
{
	target->floor = (struct floor){
		.same = {.reads = 1000,
			 .least = 27000,
			 .median = 28000,
			 .p99 = 40200,
			 .mean = 28100,
			 .deviation = 2000},
		.random = {.reads = 1000,
			   .least = 60000,
			   .median = 85000,
			   .p99 = 99000,
			   .mean = 85300,
			   .deviation = 9000},
		.asked = 2100,
	};
}

/* The words on `target`, whose numbers are kept with their units. */
static void assert_words(const struct target *target, const char *expected)
{
	char *words = floor_in_words(target);
	struct text out = {0};
	const struct screen screen = {.out = &out};

	if (*expected)
		screen_paragraph(&screen, STYLE_PLAIN, 0, words);
	else
		assert_string_equal(words, "");
	if (*expected)
		assert_says(out.data, expected);
	free(words);
	text_free(&out);
}

static void nothing_was_asked(void **state)
{
	struct target target = {0};

	(void)state;
	assert_words(&target, "");
}

static void two_bounds(void **state)
{
	struct target target = {0};

	(void)state;
	fill_floor(&target);
	assert_words(&target,
		     "Floor: one block again and again takes 28.1 µs (p99 40.2 µs), a random one 85.3 µs: at most "
		     "28.1 µs are the way there and, if a cache answers, at most 57.2 µs the medium.");
}

static void random_ones_are_as_fast(void **state)
{
	struct target target = {0};

	(void)state;
	fill_floor(&target);
	target.floor.random.mean = 28400;
	assert_words(&target,
		     "Floor: one block again and again takes 28.1 µs (p99 40.2 µs), a random one 28.4 µs: nothing "
		     "of the medium shows.");
}

/* No bound where it isn't clear what it would be one of. */
static void no_conclusion(void **state)
{
	struct target target = {0};

	(void)state;
	fill_floor(&target);
	target.nearness = (struct nearness){.reads = 200, .random = 65000, .same = 63000};
	assert_words(&target, "Floor: one block again and again takes 28.1 µs (p99 40.2 µs), a random one 85.3 µs.");
	target.floor.random.reads = 0;
	assert_words(&target, "Floor: one block again and again takes 28.1 µs (p99 40.2 µs).");
}

static void answered_by_this_machine(void **state)
{
	struct target target = {0};

	(void)state;
	fill_floor(&target);
	target.floor.has_reached = true;
	target.floor.reached = 31;
	assert_words(&target, "Floor: one block again and again takes 28.1 µs (p99 40.2 µs), but only 31 of 2,100 such "
			      "reads came to a disk: this machine's own memory answered, and the way remains unknown.");
}

static void not_measured(void **state)
{
	struct target target = {.no_floor = (char *)"no block with anything in it was found"};

	(void)state;
	assert_words(&target, "Floor: not measured: no block with anything in it was found.");
}

/* With a trace and without one, in a line of its own below what a single I/O takes. */
static void where_it_stands(void **state)
{
	(void)state;
	for (int traced = 0; traced < 2; traced++) {
		struct result *result = made_up_matrix(1, 1);
		struct text out = {0};

		fill_floor(&result->target[0]);
		for (size_t i = 0; i < result->runs && !traced; i++) {
			trace_view_free(result->run[i].trace);
			result->run[i].trace = NULL;
		}
		result->options.trace = traced;
		report_terminal(result, false, &out);
		assert_has(out.data, "\nFloor: one block again and again takes 28.1 µs (p99 40.2 µs)");
		assert_fits(out.data);
		if (traced)
			assert_true(strstr(out.data, "At depth 1") < strstr(out.data, "\nFloor: "));
		text_free(&out);
		result_free(result);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nothing_was_asked),	    cmocka_unit_test(two_bounds),
		cmocka_unit_test(random_ones_are_as_fast),  cmocka_unit_test(no_conclusion),
		cmocka_unit_test(answered_by_this_machine), cmocka_unit_test(not_measured),
		cmocka_unit_test(where_it_stands),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
