// SPDX-License-Identifier: GPL-2.0
#include "result/probes.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

static void a_percentile_is_one_of_the_samples(void **state)
{
	double samples[200];
	struct spread spread;

	(void)state;
	/* 200 down to 1, out of order */
	for (size_t i = 0; i < 200; i++)
		samples[i] = (double)((i * 73) % 200 + 1);
	spread = spread_of(samples, 200);
	assert_int_equal(spread.samples, 200);
	assert_true(spread.p5 == 10 && spread.p50 == 100 && spread.p99 == 198);
}

static void few_samples_are_told_as_they_are(void **state)
{
	double one[] = {7.5}, three[] = {30, 10, 20};
	struct spread spread = spread_of(one, 1);

	(void)state;
	assert_true(spread.samples == 1 && spread.p5 == 7.5 && spread.p50 == 7.5 && spread.p99 == 7.5);
	spread = spread_of(three, 3);
	assert_true(spread.p5 == 10 && spread.p50 == 20 && spread.p99 == 30);
	spread = spread_of(NULL, 0);
	assert_int_equal(spread.samples, 0);
}

static void in_words(void **state)
{
	struct spread spread = {.samples = 100, .p5 = 31, .p50 = 6520, .p99 = 2800000};
	char *words = spread_in_words(&spread);

	(void)state;
	assert_string_equal(words, "p5 31 ns, median 6.52 µs, p99 2.800 ms");
	free(words);
	spread.samples = 0;
	words = spread_in_words(&spread);
	assert_string_equal(words, "not measured");
	free(words);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_percentile_is_one_of_the_samples),
		cmocka_unit_test(few_samples_are_told_as_they_are),
		cmocka_unit_test(in_words),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
