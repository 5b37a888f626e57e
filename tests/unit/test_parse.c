// SPDX-License-Identifier: GPL-2.0
#include "base/parse.h"

#include "base/text.h"

#include <errno.h>
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#define UNTOUCHED 0xdeadbeefcafeULL

struct sample {
	const char *string;
	int error;
	uint64_t value;
};

/* No unit may make a number of these. */
static const char *const never[] = {
	"",	    " ",
	"-5",	    "+5",
	"-0",	    "1e3",
	"1e9999",   "5x",
	"5 ",	    " 5",
	"0x10",	    "0x1p3",
	"nan",	    "NaN",
	"inf",	    "INF",
	"-inf",	    "1,5",
	"1.",	    ".",
	"..5",	    "1.2.",
	"1.2.3",    "5\n",
	"5\t",	    "1_000",
	"1 G",	    "1GG",
	"Gi",	    "B",
	"\xc2\xb5", "9z9",
	"1.5x",	    "1..5",
	"s",	    "--1",
	"1.5e3",    "99999999999999999999x",
};

static void check_samples(int (*parse)(const char *, uint64_t *), const struct sample *samples, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		uint64_t value = UNTOUCHED;
		int error = parse(samples[i].string, &value);

		if (error != samples[i].error || value != (error ? UNTOUCHED : samples[i].value))
			fail_msg("'%s': %d, %llu", samples[i].string, error, (unsigned long long)value);
	}
	for (size_t i = 0; i < ARRAY_SIZE(never); i++) {
		uint64_t value = UNTOUCHED;
		int error = parse(never[i], &value);

		if (error != -EINVAL || value != UNTOUCHED)
			fail_msg("'%s': %d, %llu", never[i], error, (unsigned long long)value);
	}
}

static void sizes(void **state)
{
	static const struct sample samples[] = {
		{"4096", 0, 4096},
		{"0", 0, 0},
		{"007", 0, 7},
		{"512B", 0, 512},
		{"4k", 0, 4096},
		{"4K", 0, 4096},
		{"4KiB", 0, 4096},
		{"4kb", 0, 4096},
		{"512M", 0, 536870912},
		{"1.5GiB", 0, 1610612736},
		{".5G", 0, 536870912},
		{"8G", 0, 8589934592},
		{"2T", 0, 2199023255552},
		{"1P", 0, 1125899906842624},
		{"0.1G", 0, 107374182},	 /* 107374182.4 */
		{"1.1G", 0, 1181116006}, /* 1181116006.4 */
		{"0.9k", 0, 922},	 /* 921.6 */
		{"1.99999999999999999999999k", 0, 2048},
		{"18446744073709551615", 0, UINT64_MAX},
		{"18446744073709551616", -ERANGE, 0},
		{"99999999999999999999999", -ERANGE, 0},
		{"15.999E", 0, 18445591152204944769u}, /* 15999 x 2^60 / 1000 = ...769.02 */
		{"16E", -ERANGE, 0},
		{"18446744073709551615k", -ERANGE, 0},
		{"1.5", -EINVAL, 0}, /* half a byte */
		{"1.5B", -EINVAL, 0},
		{"12Q", -EINVAL, 0},
		{"4iB", -EINVAL, 0},
		{"4Ki", -EINVAL, 0},
		{"4KBs", -EINVAL, 0},
	};

	(void)state;
	check_samples(parse_size, samples, ARRAY_SIZE(samples));
}

static void gibs(void **state)
{
	static const struct sample samples[] = {
		{"8", 0, 8589934592},
		{"0.5", 0, 536870912},
		{".25", 0, 268435456},
		{"0.001", 0, 1073742}, /* 1073741.824 */
		{"17179869183", 0, 18446744072635809792u},
		{"17179869184", -ERANGE, 0},
		{"8G", -EINVAL, 0},
	};

	(void)state;
	check_samples(parse_gib, samples, ARRAY_SIZE(samples));
}

static void durations(void **state)
{
	static const struct sample samples[] = {
		{"30", 0, 30000000000},
		{"1.5", 0, 1500000000},
		{"0.000000001", 0, 1},
		{"30s", 0, 30000000000},
		{"250ms", 0, 250000000},
		{"2m", 0, 120000000000},
		{"2min", 0, 120000000000},
		{"1h", 0, 3600000000000},
		{"0", 0, 0},
		{"18446744073", 0, 18446744073000000000u},
		{"18446744074", -ERANGE, 0},
		{"9999999h", -ERANGE, 0},
		{"2M", -EINVAL, 0},
		{"1d", -EINVAL, 0},
		{"1m30", -EINVAL, 0},
		{"1:30", -EINVAL, 0},
	};

	(void)state;
	check_samples(parse_duration, samples, ARRAY_SIZE(samples));
}

static void counts(void **state)
{
	unsigned count = 77;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(never); i++)
		assert_int_equal(parse_count(never[i], 0, UINT_MAX, &count), -EINVAL);
	assert_int_equal(parse_count("1.5", 0, 9, &count), -EINVAL);
	assert_int_equal(parse_count("3k", 0, 9, &count), -EINVAL);
	assert_int_equal(parse_count("0", 1, 9, &count), -ERANGE);
	assert_int_equal(parse_count("10", 1, 9, &count), -ERANGE);
	assert_int_equal(parse_count("4294967296", 0, UINT_MAX, &count), -ERANGE);
	assert_int_equal(parse_count("18446744073709551617", 0, 9, &count), -ERANGE); /* 1 modulo 2^64 */
	assert_int_equal(count, 77);
	assert_int_equal(parse_count("1", 1, 9, &count), 0);
	assert_int_equal(count, 1);
	assert_int_equal(parse_count("9", 1, 9, &count), 0);
	assert_int_equal(count, 9);
	assert_int_equal(parse_count("4294967295", 0, UINT_MAX, &count), 0);
	assert_int_equal(count, 4294967295u);
}

static void latencies(void **state)
{
	static const struct sample samples[] = {
		{"800ns", 0, 800},
		{"250us", 0, 250000},
		{"250\u00b5s", 0, 250000},
		{"250\u03bcs", 0, 250000},
		{"10ms", 0, 10000000},
		{"1.5s", 0, 1500000000},
		{"0.25us", 0, 250},
		{"0ms", 0, 0},
		{"18446744073s", 0, 18446744073000000000u},
		{"18446744074s", -ERANGE, 0},
		{"10", -EINVAL, 0},
		{"1.5ns", -EINVAL, 0},
		{"10m", -EINVAL, 0},
		{"10MS", -EINVAL, 0},
		{"10ms,", -EINVAL, 0},
	};

	(void)state;
	check_samples(parse_latency, samples, ARRAY_SIZE(samples));
}

static void numbers(void **state)
{
	static const struct {
		const char *string;
		double value;
	} good[] = {
		{"0", 0},	{"3000", 3000}, {"0.5", 0.5}, {".25", 0.25}, {"007.10", 7.1},
		{"125.0", 125}, {"18446744073709551615", 18446744073709551615.0},
	};
	double value = 77;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(good); i++) {
		assert_int_equal(parse_number(good[i].string, &value), 0);
		assert_float_equal(value, good[i].value, good[i].value * 1e-15);
	}
	value = 77;
	for (size_t i = 0; i < ARRAY_SIZE(never); i++)
		assert_int_equal(parse_number(never[i], &value), -EINVAL);
	assert_int_equal(parse_number("5k", &value), -EINVAL);
	assert_int_equal(parse_number("18446744073709551616", &value), -ERANGE);
	assert_float_equal(value, 77, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sizes),     cmocka_unit_test(gibs),   cmocka_unit_test(durations),
		cmocka_unit_test(latencies), cmocka_unit_test(counts), cmocka_unit_test(numbers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
