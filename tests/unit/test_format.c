// SPDX-License-Identifier: GPL-2.0
#include "base/format.h"

#include "base/text.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static void latencies(void **state)
{
	static const struct {
		double ns;
		const char *text;
	} samples[] = {
		{0, "0 ns"},
		{0.4, "0 ns"},
		{7, "7 ns"},
		{850, "850 ns"},
		{999.4, "999 ns"},
		{999.5, "1.00 \xc2\xb5s"},
		{1000, "1.00 \xc2\xb5s"},
		{1255, "1.26 \xc2\xb5s"}, /* a half that a double cannot hold */
		{9994, "9.99 \xc2\xb5s"},
		{9996, "10.0 \xc2\xb5s"},
		{13770, "13.8 \xc2\xb5s"},
		{99960, "100.0 \xc2\xb5s"},
		{999940, "999.9 \xc2\xb5s"},
		{999960, "1.000 ms"},
		{9999400, "9.999 ms"},
		{9999600, "10.00 ms"},
		{13770000, "13.77 ms"},
		{99996000, "100.0 ms"},
		{137700000, "137.7 ms"},
		{999960000, "1.00 s"},
		{1200000000, "1.20 s"},
		{12345000000.0, "12.35 s"},
		{123450000000.0, "123.5 s"},
		{-13770, "-13.8 \xc2\xb5s"},
	};
	char out[FORMAT_LENGTH];

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(samples); i++)
		assert_string_equal(format_latency(out, samples[i].ns), samples[i].text);
}

static void sizes(void **state)
{
	static const struct {
		uint64_t bytes;
		const char *text;
	} samples[] = {
		{0, "0 B"},
		{512, "512 B"},
		{1023, "1023 B"},
		{1024, "1 KiB"},
		{4096, "4 KiB"},
		{536870912, "512 MiB"},
		{1073741823, "1 GiB"}, /* not "1024 MiB" */
		{1610612736, "1.5 GiB"},
		{1342177280, "1.25 GiB"},
		{8589934592, "8 GiB"},
		{10737418240, "10 GiB"},
		{107374182400, "100 GiB"},
		{1000204886016, "931.5 GiB"}, /* a disk sold as 1 TB */
		{UINT64_MAX, "16 EiB"},
	};
	char out[FORMAT_LENGTH];

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(samples); i++)
		assert_string_equal(format_size(out, samples[i].bytes), samples[i].text);
}

static void spans(void **state)
{
	static const struct {
		uint64_t ns;
		const char *text;
	} samples[] = {
		{0, "0 s"},
		{499999999, "0 s"},
		{500000000, "1 s"},
		{35000000000, "35 s"},
		{59499999999, "59 s"},
		{59500000000, "1:00 min"},
		{222000000000, "3:42 min"},
		{3599500000000, "1:00:00 h"},
		{3723000000000, "1:02:03 h"},
		{363723000000000, "101:02:03 h"},
		{UINT64_MAX, "5124095:34:34 h"},
	};
	char out[FORMAT_LENGTH];

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(samples); i++)
		assert_string_equal(format_span(out, samples[i].ns), samples[i].text);
}

static void an_exact_span_keeps_its_fraction(void **state)
{
	char out[FORMAT_LENGTH];

	(void)state;
	assert_string_equal(format_exact_span(out, 500000000), "0.5 s");
	assert_string_equal(format_exact_span(out, 1250000000), "1.25 s");
	assert_string_equal(format_exact_span(out, 30000000000), "30 s");
	assert_string_equal(format_exact_span(out, 90000000000), "1:30 min");
	assert_string_equal(format_exact_span(out, 90500000000), "90.5 s");
	assert_string_equal(format_exact_span(out, 999999999), "1 s");
}

static void counts(void **state)
{
	char out[FORMAT_LENGTH];

	(void)state;
	assert_string_equal(format_count(out, 0), "0");
	assert_string_equal(format_count(out, 999), "999");
	assert_string_equal(format_count(out, 1000), "1,000");
	assert_string_equal(format_count(out, 51888), "51,888");
	assert_string_equal(format_count(out, 123456), "123,456");
	assert_string_equal(format_count(out, UINT64_MAX), "18,446,744,073,709,551,615");
}

static void rounds_half_up(void **state)
{
	static const struct {
		double value;
		int places;
		const char *text;
	} samples[] = {
		{0.125, 2, "0.13"}, /* printf: 0.12 */
		{0.375, 2, "0.38"},
		{2.5, 0, "3"}, /* printf: 2 */
		{0.5, 0, "1"},
		{0.499999999999, 0, "0"},
		{1.005, 2, "1.01"}, /* stored as 1.00499999999999989... */
		{2.675, 2, "2.68"},
		{1.0049999, 2, "1.00"},
		{0.05, 1, "0.1"},
		{9.995, 2, "10.00"},
		{99.95, 1, "100.0"},
		{0, 3, "0.000"},
		{1e-12, 3, "0.000"},
		{-0.125, 2, "-0.13"},
		{-0.001, 2, "0.00"}, /* and not "-0.00" */
		{3.05, 3, "3.050"},
		{51888, 0, "51888"},
		{550.3456, 2, "550.35"},
		{12345678.905, 2, "12345678.91"},
		{4503599627370497.0, 0, "4503599627370497"}, /* 2^52 + 1: nothing to round, nothing lost */
		{1125899906842624.0, 0, "1125899906842624"}, /* 2^50 */
		{123456789012345680.0, 2, "123456789012345680.00"},
		{-1e300, 2, "-1e+300"}, /* not the first 31 of 301 digits */
	};
	char out[FORMAT_LENGTH];

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(samples); i++)
		assert_string_equal(format_fixed(out, samples[i].value, samples[i].places), samples[i].text);
}

/* Whatever comes in, it ends within the buffer. */
static void stays_in_its_buffer(void **state)
{
	static const double values[] = {1e18, -1e18, 1e300, -1e300, INFINITY, -INFINITY, NAN, 999999999999999999.0};
	char out[FORMAT_LENGTH];

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(values); i++) {
		for (int places = -1; places < 40; places++)
			assert_true(strlen(format_fixed(out, values[i], places)) < FORMAT_LENGTH);
		assert_true(strlen(format_latency(out, values[i])) < FORMAT_LENGTH);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(latencies), cmocka_unit_test(sizes),	       cmocka_unit_test(spans), cmocka_unit_test(an_exact_span_keeps_its_fraction),
		cmocka_unit_test(counts),    cmocka_unit_test(rounds_half_up), cmocka_unit_test(stays_in_its_buffer),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
