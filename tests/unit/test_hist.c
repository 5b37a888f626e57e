// SPDX-License-Identifier: GPL-2.0
#include "result/hist.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <jansson.h>

#define FIXTURE "tests/data/fio-3.33-randread.json"

static void known_buckets(void **state)
{
	(void)state;
	/* Worked out from fio's stat.h: groups of 64, values up to 127 as they are. */
	static const struct {
		uint64_t value;
		uint32_t bucket;
	} known[] = {
		{0, 0},
		{1, 1},
		{127, 127},
		{128, 128},
		{129, 128},
		{130, 129},
		{255, 191},
		{256, 192},
		{259, 192},
		{260, 193},
		{1000, 64 * 4 + 61}, /* 512..1023 is group 4, 8 ns wide: (1000 - 512) / 8 */
		{1000000000, 64 * 24 + 55},
		{17179869183, 1855}, /* 2^34 - 1, the end of the last bucket */
		{17179869184, 1855},
		{UINT64_MAX, 1855},
	};

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		assert_int_equal(hist_bucket(known[i].value), known[i].bucket);
	assert_int_equal(HIST_BUCKETS, 1856);
}

static void known_values(void **state)
{
	(void)state;
	assert_int_equal(hist_value(127), 127);
	assert_int_equal(hist_value(128), 129);
	assert_int_equal(hist_value(191), 255);
	assert_int_equal(hist_value(192), 258);
	assert_int_equal(hist_lower(1855), 17045651456); /* 127 << 27 */
	assert_int_equal(hist_width(1855), 134217728);
}

static void highest_bits(void **state)
{
	(void)state;
	assert_int_equal(hist_highest_bit(0), 0);
	for (uint32_t bit = 0; bit < 64; bit++) {
		assert_int_equal(hist_highest_bit(1ull << bit), bit);
		assert_int_equal(hist_highest_bit((1ull << bit) | (bit ? 1ull << (bit - 1) : 0)), bit);
	}
}

static void buckets_touch(void **state)
{
	(void)state;
	for (uint32_t bucket = 0; bucket < HIST_BUCKETS; bucket++) {
		uint64_t lower = hist_lower(bucket), last = lower + hist_width(bucket) - 1;

		assert_int_equal(hist_bucket(lower), bucket);
		assert_int_equal(hist_bucket(last), bucket);
		assert_int_equal(hist_bucket(hist_value(bucket)), bucket);
		if (bucket + 1 < HIST_BUCKETS)
			assert_int_equal(last + 1, hist_lower(bucket + 1));
		if (bucket >= 128)
			assert_true(hist_width(bucket) * 64 <= lower);
	}
}

static void adds(void **state)
{
	(void)state;
	struct hist *hist = hist_new();

	assert_true(hist_mean(hist) == 0);
	assert_int_equal(hist_percentile(hist, 50), 0);
	hist_add(hist, 500, 0);
	assert_int_equal(hist->count, 0);
	assert_int_equal(hist->max, 0);

	hist_add(hist, 100, 3);
	hist_add(hist, 1001, 1);
	assert_int_equal(hist->count, 4);
	assert_int_equal(hist->sum, 1301);
	assert_int_equal(hist->max, 1001);
	assert_int_equal(hist->bucket[100], 3);
	assert_int_equal(hist->bucket[64 * 4 + 61], 1);
	assert_true(hist_mean(hist) == 325.25);
	free(hist);
}

static void merges(void **state)
{
	(void)state;
	struct hist *into = hist_new(), *from = hist_new(), *empty = hist_new();

	hist_add(into, 100, 2);
	hist_add(from, 100, 1);
	hist_add(from, 5000, 1);
	hist_merge(into, from);
	hist_merge(into, empty);
	assert_int_equal(into->count, 4);
	assert_int_equal(into->sum, 5300);
	assert_int_equal(into->max, 5000);
	assert_int_equal(into->bucket[100], 3);
	assert_int_equal(into->bucket[hist_bucket(5000)], 1);
	free(into);
	free(from);
	free(empty);
}

static void percentiles_of_ten(void **state)
{
	(void)state;
	struct hist *hist = hist_new();

	for (uint64_t value = 1; value <= 10; value++)
		hist_add(hist, value * 10, 1);
	assert_int_equal(hist_percentile(hist, 0), 10);
	assert_int_equal(hist_percentile(hist, 10), 10);
	assert_int_equal(hist_percentile(hist, 10.001), 20);
	assert_int_equal(hist_percentile(hist, 50), 50);
	assert_int_equal(hist_percentile(hist, 90), 90);
	assert_int_equal(hist_percentile(hist, 99), 100);
	assert_int_equal(hist_percentile(hist, 100), 100);
	free(hist);
}

/* 950 of 1000 are 95 %. But the double 99.9 is a little above 99.9, so 999 are not enough: to fio, and so to us. */
static void percentile_on_the_edge(void **state)
{
	(void)state;
	struct hist *hist = hist_new();

	hist_add(hist, 20, 950);
	hist_add(hist, 30, 49);
	hist_add(hist, 90, 1);
	assert_int_equal(hist_percentile(hist, 95), 20);
	assert_int_equal(hist_percentile(hist, 99), 30);
	assert_int_equal(hist_percentile(hist, 99.9), 90);
	free(hist);
}

/* 1000 lies in 1000..1007, whose middle is 1004. */
static void never_above_the_maximum(void **state)
{
	(void)state;
	struct hist *hist = hist_new();

	hist_add(hist, 1000, 1);
	assert_int_equal(hist_percentile(hist, 99), 1000);
	hist->max = 0;
	assert_int_equal(hist_percentile(hist, 99), 1004);
	hist->max = 1006;
	assert_int_equal(hist_percentile(hist, 99), 1004);
	free(hist);
}

static void compare_with_fio(const json_t *latency, size_t *bins)
{
	struct hist *hist = hist_new();
	const char *key;
	json_t *json;

	json_object_foreach (json_object_get(latency, "bins"), key, json) {
		uint64_t middle = strtoull(key, NULL, 10);

		assert_int_equal(hist_value(hist_bucket(middle)), middle);
		hist_add(hist, middle, (uint64_t)json_integer_value(json));
		(*bins)++;
	}
	assert_int_equal(hist->count, json_integer_value(json_object_get(latency, "N")));
	hist->max = 0; /* fio's percentiles are middles, even above its maximum */
	json_object_foreach (json_object_get(latency, "percentile"), key, json) {
		double percent = round(strtod(key, NULL) * 1e6) / 1e6;

		assert_int_equal(hist_percentile(hist, percent), json_integer_value(json));
	}
	assert_int_equal(json_object_size(json_object_get(latency, "percentile")), 6);
	free(hist);
}

static void bins_line_up_with_fio(void **state)
{
	(void)state;
	static const char *const kind[] = {"slat_ns", "clat_ns", "lat_ns"};
	json_t *root = json_load_file(FIXTURE, 0, NULL);
	size_t bins = 0;

	assert_non_null(root);
	for (int i = 0; i < 3; i++) {
		json_t *job = json_array_get(json_object_get(root, "jobs"), 0);

		compare_with_fio(json_object_get(json_object_get(job, "read"), kind[i]), &bins);
	}
	assert_true(bins > 300);
	json_decref(root);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(known_buckets),
		cmocka_unit_test(known_values),
		cmocka_unit_test(highest_bits),
		cmocka_unit_test(buckets_touch),
		cmocka_unit_test(adds),
		cmocka_unit_test(merges),
		cmocka_unit_test(percentiles_of_ten),
		cmocka_unit_test(percentile_on_the_edge),
		cmocka_unit_test(never_above_the_maximum),
		cmocka_unit_test(bins_line_up_with_fio),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
