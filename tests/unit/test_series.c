// SPDX-License-Identifier: GPL-2.0
#include "result/series.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/clock.h"
#include "base/text.h"

#define SERIES 1000
#define PI     3.14159265358979323846

/* --- random series, the same each time --- */

static uint64_t seed;

/* xorshift64*; above 0, below 1 */
static double uniform(void)
{
	seed ^= seed >> 12;
	seed ^= seed << 25;
	seed ^= seed >> 27;
	return ((double)(seed * 0x2545F4914F6CDD1Dull >> 11) + 0.5) * 0x1p-53;
}

static double normal(void)
{
	return sqrt(-2 * log(uniform())) * cos(2 * PI * uniform());
}

static void make_noise(double *value, size_t count, double variation)
{
	for (size_t i = 0; i < count; i++)
		value[i] = fmax(0, 5000 * (1 + variation * normal()));
}

static void make_walk(double *value, size_t count, double step)
{
	double level = 5000;

	for (size_t i = 0; i < count; i++)
		value[i] = level *= 1 + step * normal();
}

/* Of SERIES series of each length, those in which there is a cliff or a trend. */
static unsigned alarms(void (*make)(double *, size_t, double), double amount, size_t count)
{
	double value[64], change;
	struct cliff cliff;
	unsigned sum = 0;

	seed = 20261130;
	for (unsigned i = 0; i < SERIES; i++) {
		make(value, count, amount);
		sum += series_cliff(&cliff, value, count) || series_trend(&change, value, count);
	}
	return sum;
}

static void test_noise_is_no_alarm(void **state)
{
	static const size_t count[] = {6, 7, 8, 9, 10, 13, 18, 28, 58};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(count); i++) {
		assert_int_equal(alarms(make_noise, 0.05, count[i]), 0);
		assert_in_range(alarms(make_noise, 0.15, count[i]), 0, SERIES / 100 - 1);
	}
}

static void test_wandering_is_hardly_an_alarm(void **state)
{
	(void)state;
	assert_in_range(alarms(make_walk, 0.01, 28), 0, SERIES / 100);
	assert_in_range(alarms(make_walk, 0.02, 10), 0, SERIES / 100);
}

/* --- cliffs and trends --- */

static void test_cliff_is_found_where_it_is(void **state)
{
	double value[] = {5010, 4990, 5200, 4900, 3010, 2990, 3000};
	struct cliff cliff;

	(void)state;
	assert_true(series_cliff(&cliff, value, ARRAY_SIZE(value)));
	assert_int_equal(cliff.at, 4);
	assert_float_equal(cliff.before, 5025, 0.001);
	assert_float_equal(cliff.after, 3000, 0.001);
}

/* As a limit that is set in the middle of a second, on a disk that was busy with others before. */
static void test_fall_from_an_uneven_level(void **state)
{
	static const double fallen[] = {3187, 15373, 15238, 2164, 500, 500, 501, 500, 499};
	static const double touched[] = {700, 15373, 15238, 2164, 500, 500, 501, 500, 499};
	static const double rough[] = {3187, 15373, 15238, 2164, 500, 550, 501, 450, 499};
	struct cliff cliff;

	(void)state;
	assert_true(series_cliff(&cliff, fallen, ARRAY_SIZE(fallen)));
	assert_int_equal(cliff.at, 3);
	assert_int_equal(series_settled(&cliff, ARRAY_SIZE(fallen)), 4);
	assert_int_equal(series_settled(&cliff, 6), 3);
	assert_false(series_cliff(&cliff, touched, ARRAY_SIZE(touched)));
	assert_false(series_cliff(&cliff, rough, ARRAY_SIZE(rough)));
}

static void test_rise_is_a_cliff_too(void **state)
{
	double value[] = {1000, 1000, 1000, 1300, 1300, 1300};
	struct cliff cliff;

	(void)state;
	assert_true(series_cliff(&cliff, value, ARRAY_SIZE(value)));
	assert_int_equal(cliff.at, 3);
}

static void test_no_cliff(void **state)
{
	double small[] = {1000, 1000, 1000, 710, 710, 710}, rough[] = {1400, 600, 1000, 500, 900, 200};
	double dip[] = {1000, 1000, 1000, 1000, 100, 1000, 1000, 1000}, brief[] = {1000, 1000, 1000, 100, 100};
	double nothing[8] = {0};
	struct cliff cliff;

	(void)state;
	assert_false(series_cliff(&cliff, small, ARRAY_SIZE(small)));
	assert_false(series_cliff(&cliff, rough, ARRAY_SIZE(rough)));
	assert_false(series_cliff(&cliff, dip, ARRAY_SIZE(dip)));
	assert_false(series_cliff(&cliff, brief, ARRAY_SIZE(brief)));
	assert_false(series_cliff(&cliff, nothing, ARRAY_SIZE(nothing)));
	assert_false(series_cliff(&cliff, nothing, 0));
}

static void test_trend(void **state)
{
	double value[10], change;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(value); i++)
		value[i] = 1000 - 30 * (double)i + (i % 2 ? 20 : -20);
	assert_true(series_trend(&change, value, ARRAY_SIZE(value)));
	assert_float_equal(change, -0.29, 0.02);
	assert_false(series_trend(&change, value, 7));
}

static void test_no_trend(void **state)
{
	double slight[10], level[10], change;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(slight); i++) {
		slight[i] = 1000 - 19 * (double)i;
		level[i] = 1000;
	}
	assert_false(series_trend(&change, slight, 10));
	assert_false(series_trend(&change, level, 10));
	assert_false(series_trend(&change, level, 0));
}

/* --- figures --- */

static void test_round_figures(void **state)
{
	(void)state;
	assert_float_equal(series_round(3000), 3000, 1e-6);
	assert_float_equal(series_round(3014), 3000, 1e-6);
	assert_float_equal(series_round(124.6e6), 125e6, 1e-3);
	assert_float_equal(series_round(9960), 10000, 1e-6);
	assert_float_equal(series_round(10040), 10000, 1e-6);
	assert_float_equal(series_round(3016), 0, 0);
	assert_float_equal(series_round(3500), 0, 0);
	assert_float_equal(series_round(9900), 0, 0);
	assert_float_equal(series_round(0), 0, 0);
}

static void test_variation(void **state)
{
	double value[] = {90, 100, 110};

	(void)state;
	assert_float_equal(series_mean(value, 3), 100, 1e-9);
	assert_float_equal(series_variation(value, 3), 0.1, 1e-9);
	assert_float_equal(series_variation(value, 1), 0, 0);
	assert_float_equal(series_mean(value, 0), 0, 0);
}

/* --- from samples --- */

static struct sample sample_at(uint64_t ms, uint64_t ios)
{
	return (struct sample){.at = ms * NS_PER_MS, .has_disk = true, .disk_ios = ios, .disk_bytes = ios * 4096};
}

static void test_seconds_of_start_and_end_are_left_out(void **state)
{
	struct sample sample[] = {sample_at(1000, 600), sample_at(2200, 1200), sample_at(2300, 7), sample_at(3300, 900),
				  sample_at(4000, 100)};
	struct run run = {.sample = sample, .samples = ARRAY_SIZE(sample)};
	struct rates rates;

	(void)state;
	rates_of_run(&rates, &run);
	assert_int_equal(rates.count, 2);
	assert_float_equal(rates.ios[0], 1000, 1e-9);
	assert_float_equal(rates.ios[1], 900, 1e-9);
	assert_float_equal(rates.bytes[1], 900 * 4096, 1e-6);
	assert_int_equal(rates.since[1], 2300 * NS_PER_MS);
	rates_clear(&rates);
	sample[0].disk_ios = 0;
	rates_of_run(&rates, &run);
	assert_int_equal(rates.count, 1);
	rates_clear(&rates);
}

static void test_without_samples_there_is_nothing(void **state)
{
	struct sample sample[] = {{.at = NS_PER_SECOND}, {.at = 2 * NS_PER_SECOND}, {.at = 3 * NS_PER_SECOND}};
	struct run none = {0}, run = {.sample = sample, .samples = ARRAY_SIZE(sample)};
	struct rates rates;

	(void)state;
	rates_of_run(&rates, &none);
	assert_int_equal(rates.count, 0);
	rates_clear(&rates);
	rates_of_run(&rates, &run);
	assert_int_equal(rates.count, 0);
	rates_clear(&rates);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_noise_is_no_alarm),
		cmocka_unit_test(test_wandering_is_hardly_an_alarm),
		cmocka_unit_test(test_cliff_is_found_where_it_is),
		cmocka_unit_test(test_fall_from_an_uneven_level),
		cmocka_unit_test(test_rise_is_a_cliff_too),
		cmocka_unit_test(test_no_cliff),
		cmocka_unit_test(test_trend),
		cmocka_unit_test(test_no_trend),
		cmocka_unit_test(test_round_figures),
		cmocka_unit_test(test_variation),
		cmocka_unit_test(test_seconds_of_start_and_end_are_left_out),
		cmocka_unit_test(test_without_samples_there_is_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
