// SPDX-License-Identifier: GPL-2.0
#include "import/fio.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/text.h"

#define DATA "tests/data/"

/* NULL where there is no such file. */
static char *load(const char *path, size_t *length)
{
	struct text text = {0};
	char buffer[4096];
	FILE *file = fopen(path, "r");
	size_t got;

	if (!file)
		return NULL;
	while ((got = fread(buffer, 1, sizeof(buffer), file)) > 0)
		text_add(&text, buffer, got);
	fclose(file);
	*length = text.length;
	return text_take(&text);
}

static struct engine_figures *read_text(const char *text, size_t length)
{
	struct engine_figures *figures = NULL;
	char *error = NULL;
	int code = fio_read(text, length, &figures, &error);

	if (code)
		fail_msg("%s", error);
	assert_null(error);
	assert_non_null(figures);
	return figures;
}

static struct engine_figures *read_string(const char *string)
{
	return read_text(string, strlen(string));
}

static struct engine_figures *read_fixture(const char *path)
{
	struct engine_figures *figures;
	size_t length;
	char *text = load(path, &length);

	assert_non_null(text);
	figures = read_text(text, length);
	free(text);
	return figures;
}

static struct engine_figures *read_shared(const char *name)
{
	const char *folder = getenv("IOSTRATA_SHARED_DATA");
	char *path = xasprintf("%s/fio/%s", folder ? folder : "../shared/data", name);
	struct engine_figures *figures = NULL;
	size_t length;
	char *text = load(path, &length);

	if (text)
		figures = read_text(text, length);
	else
		print_message("%s is not there (IOSTRATA_SHARED_DATA)\n", path);
	free(text);
	free(path);
	return figures;
}

static void assert_error(const char *text, const char *expected)
{
	struct engine_figures *figures = NULL;
	char *error = NULL;

	assert_int_equal(fio_read(text, strlen(text), &figures, &error), -EINVAL);
	assert_null(figures);
	assert_string_equal(error, expected);
	free(error);
}

static void assert_near(double value, double expected)
{
	if (value < expected - 1e-3 || value > expected + 1e-3)
		fail_msg("%f is not %f", value, expected);
}

static void assert_percentiles(const struct latency *latency, const uint64_t expected[PERCENTILES])
{
	for (int i = 0; i < PERCENTILES; i++) {
		assert_true(latency->has_percentile[i]);
		assert_int_equal(latency->percentile[i], expected[i]);
	}
}

static void assert_no_percentiles(const struct latency *latency)
{
	for (int i = 0; i < PERCENTILES; i++)
		assert_false(latency->has_percentile[i]);
}

/* --- files of fio 3.33 --- */

static void reads_json_plus(void **state)
{
	(void)state;
	struct engine_figures *figures = read_fixture(DATA "fio-3.33-randread.json");
	const struct direction *read = &figures->direction[OP_READ];
	const struct latency *lat = &read->latency[LATENCY_LAT];

	assert_string_equal(figures->version, "fio-3.33");
	assert_int_equal(figures->error, 0);
	assert_null(figures->message);
	assert_near(figures->user_percent, 13.684211);
	assert_near(figures->system_percent, 51.578947);
	assert_int_equal(read->ios, 3000);
	assert_int_equal(read->bytes, 12288000);
	assert_int_equal(read->bytes_per_second, 128000000);
	assert_near(read->ios_per_second, 31250);
	assert_int_equal(read->runtime, 96000000);

	assert_int_equal(lat->count, 3000);
	assert_int_equal(lat->min, 31659);
	assert_int_equal(lat->max, 7557852);
	assert_near(lat->mean, 117072.647);
	assert_near(lat->stddev, 182942.378542);
	assert_percentiles(lat, (uint64_t[]){69120, 284672, 296960, 374784, 2146304, 7569408});
	assert_percentiles(&read->latency[LATENCY_CLAT], (uint64_t[]){58112, 216064, 230400, 305152, 2146304, 2146304});
	assert_percentiles(&read->latency[LATENCY_SLAT], (uint64_t[]){11328, 66048, 69120, 84480, 272384, 7372800});

	assert_int_equal(figures->direction[OP_WRITE].ios, 0);
	assert_int_equal(figures->direction[OP_WRITE].latency[LATENCY_LAT].count, 0);
	assert_null(figures->direction[OP_WRITE].latency[LATENCY_LAT].hist);
	assert_no_percentiles(&figures->direction[OP_WRITE].latency[LATENCY_LAT]);
	engine_figures_free(figures);
}

static void keeps_the_bins(void **state)
{
	(void)state;
	struct engine_figures *figures = read_fixture(DATA "fio-3.33-randread.json");

	for (int kind = 0; kind < LATENCY_KINDS; kind++) {
		const struct latency *latency = &figures->direction[OP_READ].latency[kind];
		const struct hist *hist = latency->hist;

		assert_non_null(hist);
		assert_int_equal(hist->count, 3000);
		assert_int_equal(hist->max, latency->max);
		assert_near(hist_mean(hist), latency->mean);
		for (int i = 0; i < PERCENTILES; i++) {
			uint64_t ours = hist_percentile(hist, percentile_percent[i]), fios = latency->percentile[i];

			assert_int_equal(ours, fios < latency->max ? fios : latency->max);
		}
	}
	assert_int_equal(figures->direction[OP_READ].latency[LATENCY_LAT].hist->sum, 351217941); /* 117072.647 x 3000 */
	engine_figures_free(figures);
}

static void separates_directions(void **state)
{
	(void)state;
	struct engine_figures *figures = read_fixture(DATA "fio-3.33-randrw.json");
	const struct direction *read = &figures->direction[OP_READ], *write = &figures->direction[OP_WRITE];

	assert_int_equal(read->ios, 2083);
	assert_int_equal(read->bytes, 8531968);
	assert_int_equal(write->ios, 917);
	assert_int_equal(write->bytes, 3756032);
	assert_int_equal(write->latency[LATENCY_LAT].max, 4280606);
	assert_int_equal(write->latency[LATENCY_LAT].hist->count, 917);
	assert_int_equal(read->latency[LATENCY_SLAT].hist->count, 2083);
	engine_figures_free(figures);
}

/* Means, deviations and percentiles of the two jobs together, worked out apart from this code. */
static void adds_up_jobs(void **state)
{
	(void)state;
	struct engine_figures *figures = read_fixture(DATA "fio-3.33-randrw-per-job.json");
	const struct direction *read = &figures->direction[OP_READ], *write = &figures->direction[OP_WRITE];
	const struct latency *lat = &read->latency[LATENCY_LAT];

	assert_near(figures->user_percent, 2.631579);
	assert_near(figures->system_percent, 27.777778 + 26.315789);
	assert_int_equal(read->ios, 274 + 282);
	assert_int_equal(read->bytes, 1122304 + 1155072);
	assert_int_equal(read->bytes_per_second, 30332540 + 29617230);
	assert_near(read->ios_per_second, 7405.405405 + 7230.769231);
	assert_int_equal(read->runtime, 39000000);
	assert_int_equal(write->ios, 126 + 118);

	assert_int_equal(lat->count, 556);
	assert_int_equal(lat->min, 33843);
	assert_int_equal(lat->max, 3093310);
	assert_near(lat->mean, 173372.562950);
	assert_near(lat->stddev, 288873.063340);
	assert_int_equal(lat->hist->count, 556);
	assert_percentiles(lat, (uint64_t[]){97792, 333824, 692224, 1548288, 3093310, 3093310});
	assert_near(write->latency[LATENCY_LAT].mean, 205368.573770);
	assert_near(write->latency[LATENCY_LAT].stddev, 392321.702391);
	engine_figures_free(figures);
}

static void keeps_what_fio_says_first(void **state)
{
	(void)state;
	struct engine_figures *figures = read_fixture(DATA "fio-3.33-error.txt");

	assert_int_equal(figures->error, 28);
	assert_string_equal(figures->message, "fio: pid=15464, err=28/file:io_u.c:1876, func=io_u error, "
					      "error=No space left on device");
	assert_int_equal(figures->direction[OP_WRITE].bytes, 0);
	assert_int_equal(figures->direction[OP_WRITE].ios, 1);
	assert_int_equal(figures->direction[OP_WRITE].latency[LATENCY_CLAT].count, 0);
	engine_figures_free(figures);
}

/* --- small documents --- */

#define RATES	  "\"bw\": 4000, \"bw_bytes\": 4096000, \"iops\": 1000.0, \"runtime\": 1000, \"total_ios\": 1000"
#define JOB(read) "{\n\"fio version\": \"fio-3.33\",\n\"jobs\": [{\"error\": 0, \"read\": {" read "}}]}\n"

static void ignores_what_follows(void **state)
{
	(void)state;
	static const char text[] = "  note: first\r\n\nnote: second\n" JOB(
		"\"io_bytes\": 4096000, " RATES) "\nlate \xff note\x1b[1m\n" JOB("\"io_bytes\": 1, " RATES) "later";
	struct engine_figures *figures = read_string(text);

	assert_int_equal(figures->direction[OP_READ].bytes, 4096000);
	assert_string_equal(figures->message, "note: first\r\n\nnote: second\nlate \xff note\x1b[1m");
	engine_figures_free(figures);
}

static void takes_a_single_line(void **state)
{
	(void)state;
	struct engine_figures *figures = read_string(
		"{\"jobs\": [{\"error\": 5, \"write\": {\"io_bytes\": 4096000, " RATES "}}, {\"error\": 28}]}");

	assert_null(figures->version);
	assert_null(figures->message);
	assert_int_equal(figures->error, 5);
	assert_int_equal(figures->direction[OP_WRITE].bytes_per_second, 4096000);
	assert_int_equal(figures->direction[OP_WRITE].ios, 1000);
	engine_figures_free(figures);
}

/* One job without bins: nothing can be said of the percentiles of both. */
static void does_not_average_percentiles(void **state)
{
	(void)state;
	struct engine_figures *figures = read_string(
		"{\n\"jobs\": ["
		"{\"read\": {\"io_bytes\": 4096000, " RATES ", \"clat_ns\": {\"min\": 90, \"max\": 110, \"mean\": 100, "
		"\"stddev\": 0, \"N\": 3, \"percentile\": {\"99.900000\": 110}, \"bins\": {\"90\": 1, \"100\": 1, "
		"\"110\": 1}}}},"
		"{\"read\": {\"io_bytes\": 4096000, " RATES
		", \"clat_ns\": {\"min\": 300, \"max\": 300, \"mean\": 300, "
		"\"stddev\": 0, \"N\": 1, \"percentile\": {\"99.900000\": 300}}}},"
		"{\"read\": {\"io_bytes\": 0, \"bw\": 0, \"iops\": 0, \"runtime\": 0, \"clat_ns\": {\"min\": 0, "
		"\"max\": 0, \"mean\": 0, \"stddev\": 0, \"N\": 0}}}]}");
	const struct latency *clat = &figures->direction[OP_READ].latency[LATENCY_CLAT];

	assert_int_equal(clat->count, 4);
	assert_int_equal(clat->min, 90);
	assert_int_equal(clat->max, 300);
	assert_near(clat->mean, 150);
	assert_near(clat->stddev, 100); /* of 100, 100, 100, 300: sqrt(30000 / 3) */
	assert_no_percentiles(clat);
	assert_null(clat->hist);
	engine_figures_free(figures);
}

/* A job without I/O of a kind does not cost the others their percentiles. */
static void keeps_percentiles_of_the_only_job(void **state)
{
	(void)state;
	struct engine_figures *figures = read_string(
		"{\n\"jobs\": ["
		"{\"read\": {\"io_bytes\": 0, \"bw\": 0, \"iops\": 0, \"runtime\": 0, \"clat_ns\": {\"min\": 0, "
		"\"max\": 0, \"mean\": 0, \"stddev\": 0, \"N\": 0}}},"
		"{\"read\": {\"io_bytes\": 4096000, " RATES
		", \"clat_ns\": {\"min\": 300, \"max\": 300, \"mean\": 300, "
		"\"stddev\": 0, \"N\": 1, \"percentile\": {\"99.900000\": 300, \"97.000000\": 299}}}}]}");
	const struct latency *clat = &figures->direction[OP_READ].latency[LATENCY_CLAT];

	for (int i = 0; i < PERCENTILES; i++)
		assert_int_equal(clat->has_percentile[i], i == P99_9);
	assert_int_equal(clat->percentile[P99_9], 300);
	engine_figures_free(figures);
}

/* --- fio 2.x: microseconds; KiB until 2.20 --- */

#define OLD_LATENCIES                                                                                                  \
	"\"slat\": {\"min\": 3, \"max\": 9, \"mean\": 5.50, \"stddev\": 1.25},"                                        \
	"\"clat\": {\"min\": 60, \"max\": 2000, \"mean\": 100.50, \"stddev\": 7.25, "                                  \
	"\"percentile\": {\"50.000000\": 99, \"99.000000\": 1004, \"99.900000\": 1996, \"0.00\": 0, \"0.00\": 0}%s},"  \
	"\"lat\": {\"min\": 64, \"max\": 2004, \"mean\": 106.00, \"stddev\": 7.50}"

static struct engine_figures *read_old(const char *version, const char *amounts, const char *bins)
{
	char *latency = xasprintf(OLD_LATENCIES, bins);
	char *text = xasprintf("{\n%s\"jobs\": [{\"read\": {%s, %s}}]\n}\n", version, amounts, latency);
	struct engine_figures *figures = read_string(text);

	free(latency);
	free(text);
	return figures;
}

static void reads_microseconds(void **state)
{
	(void)state;
	struct engine_figures *figures = read_old(
		"\"fio version\": \"fio-2.17\",",
		"\"io_bytes\": 40000, \"bw\": 4000, \"iops\": 1000.00, \"runtime\": 10000, \"total_ios\": 10000",
		", \"bins\": {\"60\": 5000, \"99\": 4000, \"1996\": 1000}");
	const struct direction *read = &figures->direction[OP_READ];
	const struct latency *clat = &read->latency[LATENCY_CLAT], *lat = &read->latency[LATENCY_LAT];

	assert_string_equal(figures->version, "fio-2.17");
	assert_int_equal(read->bytes, 40960000);
	assert_int_equal(read->bytes_per_second, 4096000);
	assert_int_equal(read->runtime, 10000000000);
	assert_int_equal(read->ios, 10000);
	assert_int_equal(clat->count, 10000);
	assert_int_equal(clat->min, 60000);
	assert_int_equal(clat->max, 2000000);
	assert_near(clat->mean, 100500);
	assert_near(clat->stddev, 7250);
	assert_true(clat->has_percentile[P50] && clat->has_percentile[P99] && clat->has_percentile[P99_9]);
	assert_false(clat->has_percentile[P90] || clat->has_percentile[P95] || clat->has_percentile[P99_99]);
	assert_int_equal(clat->percentile[P50], 99000);
	assert_int_equal(clat->percentile[P99_9], 1996000);
	assert_int_equal(clat->hist->count, 10000);
	assert_int_equal(clat->hist->bucket[hist_bucket(60000)], 5000);
	assert_int_equal(clat->hist->bucket[hist_bucket(1996000)], 1000);
	assert_int_equal(clat->hist->sum, 1005000000);
	assert_near(read->latency[LATENCY_SLAT].mean, 5500);
	assert_near(lat->mean, 106000);
	assert_no_percentiles(lat);
	assert_null(lat->hist);
	engine_figures_free(figures);
}

static void tells_kib_from_bytes(void **state)
{
	(void)state;
	static const struct {
		const char *version, *amounts;
		uint64_t bytes;
	} known[] = {
		/* the rate decides, whatever the version */
		{"\"fio version\": \"fio-2.2.10\",", "\"io_bytes\": 40000, \"bw\": 4000, \"runtime\": 10000", 40960000},
		{"", "\"io_bytes\": 40960000, \"bw\": 4000, \"runtime\": 10000", 40960000},
		{"", "\"io_bytes\": 40000, \"bw\": 4000, \"runtime\": 10000", 40960000},
		/* io_kbytes stands beside bytes only */
		{"\"fio version\": \"fio-2.21\",",
		 "\"io_bytes\": 40960000, \"io_kbytes\": 40000, \"bw\": 4000, \"runtime\": 10000", 40960000},
		{"", "\"io_bytes\": 8192, \"io_kbytes\": 8, \"bw\": 0, \"runtime\": 10000", 8192},
		/* 1.9 KiB/s are shown as 1 */
		{"", "\"io_bytes\": 19, \"bw\": 1, \"runtime\": 10000", 19456},
		/* no rate to go by: the version */
		{"\"fio version\": \"fio-2.1.4\",", "\"io_bytes\": 8, \"bw\": 0, \"runtime\": 10000", 8192},
		{"\"fio version\": \"fio-2.20\",", "\"io_bytes\": 8, \"bw\": 0, \"runtime\": 10000", 8192},
		{"\"fio version\": \"fio-2.99\",", "\"io_bytes\": 8192, \"bw\": 0, \"runtime\": 10000", 8192},
	};

	for (size_t i = 0; i < ARRAY_SIZE(known); i++) {
		char *amounts = xasprintf("%s, \"iops\": 1, \"total_ios\": 10", known[i].amounts);
		struct engine_figures *figures = read_old(known[i].version, amounts, "");

		assert_int_equal(figures->direction[OP_READ].bytes, known[i].bytes);
		engine_figures_free(figures);
		free(amounts);
	}
}

/* 2.1 has no total_ios: of 133 to 134 a second for 5.314 s, 707 are 512 KiB each. */
static void counts_ios_of_2_1(void **state)
{
	(void)state;
	static const struct {
		const char *amounts;
		uint64_t ios;
	} known[] = {
		{"\"io_bytes\": 361984, \"bw\": 68118, \"iops\": 133, \"runtime\": 5314", 707},
		{"\"io_bytes\": 36244, \"bw\": 6443, \"iops\": 1610, \"runtime\": 5625", 9061},
		{"\"io_bytes\": 30000, \"bw\": 3000, \"iops\": 100, \"runtime\": 10000", 1000}, /* 30 KiB each */
		{"\"io_bytes\": 0, \"bw\": 0, \"iops\": 0, \"runtime\": 0", 0},
		{"\"io_bytes\": 18014398509481983, \"bw\": 0, \"iops\": 1, \"runtime\": 1000", 1},
	};

	for (size_t i = 0; i < ARRAY_SIZE(known); i++) {
		struct engine_figures *figures = read_old("\"fio version\": \"fio-2.1.4\",", known[i].amounts, "");

		assert_int_equal(figures->direction[OP_READ].ios, known[i].ios);
		engine_figures_free(figures);
	}
}

/* 3.0 and 3.1: nanoseconds, but no bw_bytes and no N yet. */
static void reads_early_nanoseconds(void **state)
{
	(void)state;
	struct engine_figures *figures = read_string(
		"{\n\"fio version\": \"fio-3.1\", \"jobs\": [{\"write\": {\"io_bytes\": 4096000, \"bw\": 4000, "
		"\"iops\": 1000.0, \"runtime\": 1000, \"total_ios\": 1000, "
		"\"slat_ns\": {\"min\": 0, \"max\": 0, \"mean\": 0.0, \"stddev\": 0.0},"
		"\"lat_ns\": {\"min\": 5, \"max\": 70, \"mean\": 20.5, \"stddev\": 2.0}}}]}");
	const struct direction *write = &figures->direction[OP_WRITE];

	assert_int_equal(write->bytes_per_second, 4096000);
	assert_int_equal(write->latency[LATENCY_LAT].count, 1000);
	assert_int_equal(write->latency[LATENCY_LAT].max, 70);
	assert_near(write->latency[LATENCY_LAT].mean, 20.5);
	assert_int_equal(write->latency[LATENCY_SLAT].count, 0);
	assert_int_equal(write->latency[LATENCY_CLAT].count, 0);
	engine_figures_free(figures);
}

/* --- what is wrong --- */

static void names_unreadable_text(void **state)
{
	(void)state;
	assert_error("", "fio wrote nothing");
	assert_error(" \r\n\t\n", "fio wrote nothing");
	assert_error("\nBad option <rw=foo>\nfio: job dropped\n",
		     "not JSON: fio's output begins with \"Bad option <rw=foo>\"");
	assert_error("\x1b[31m\xfftext", "not JSON: fio's output begins with \"\uFFFD[31m\uFFFDtext\"");
	assert_error("{\n", "line 2: fio's JSON ends in the middle");
	assert_error("note\nnote\n{\n\"jobs\": [\n", "line 5: fio's JSON ends in the middle");
	assert_error("{\n\"jobs\": [x]\n}\n", "line 2: fio's JSON is broken: invalid token near 'x'");
	assert_error("note\n{\n\"jobs\": [nan]\n}\n", "line 3: fio's JSON is broken: invalid token near 'nan'");
	assert_error("{\n}\n", "fio's JSON has no \"jobs\"");
	assert_error("{\n\"fio version\": \"fio-3.33\"\n}\n", "fio's JSON has no \"jobs\"");
}

static void names_the_place(void **state)
{
	(void)state;
	static const struct {
		const char *text, *error;
	} known[] = {
		{"{\"fio version\": 3, \"jobs\": []}", "fio version: expected a string, found a number"},
		{"{\"jobs\": 3}", "jobs: expected an array, found a number"},
		{"{\"jobs\": []}", "jobs: is empty: fio ran no job"},
		{"{\"jobs\": [null]}", "jobs[0]: expected an object, found null"},
		{"{\"jobs\": [{}, [1]]}", "jobs[1]: expected an object, found an array"},
		{"{\"jobs\": [{\"error\": \"28\"}]}", "jobs[0].error: expected a whole number, found a string"},
		{"{\"jobs\": [{\"usr_cpu\": true}]}", "jobs[0].usr_cpu: expected a number, found true or false"},
		{"{\"jobs\": [{\"read\": 1}]}", "jobs[0].read: expected an object, found a number"},
		{"{\"jobs\": [{\"read\": {}}]}", "jobs[0].read.io_bytes: is missing"},
		{"{\"jobs\": [{\"write\": {\"io_bytes\": 1, " RATES "}}, {\"write\": {\"io_bytes\": -1}}]}",
		 "jobs[1].write.io_bytes: -1 cannot be: expected 0 or more"},
		{"{\"jobs\": [{\"write\": {\"io_bytes\": \"1\", " RATES "}}]}",
		 "jobs[0].write.io_bytes: expected a number, found a string"},
		{"{\"jobs\": [{\"write\": {\"io_bytes\": 1e300, " RATES "}}]}",
		 "jobs[0].write.io_bytes: 1e+300 is too large"},
		{"{\"jobs\": [{\"write\": {\"io_bytes\": 1, \"runtime\": 9223372036854775807}}]}",
		 "jobs[0].write.runtime: 9223372036854775807 is too large"},
		{"{\"jobs\": [{\"write\": {\"io_bytes\": 1, \"runtime\": 1, \"bw\": 1}}]}",
		 "jobs[0].write.iops: is missing"},
		{"{\"jobs\": [{\"read\": {\"io_bytes\": 1, " RATES ", \"lat_ns\": [1]}}]}",
		 "jobs[0].read.lat_ns: expected an object, found an array"},
		{"{\"jobs\": [{\"read\": {\"io_bytes\": 1, " RATES ", \"lat_ns\": {\"min\": 1, \"max\": 1}}}]}",
		 "jobs[0].read.lat_ns.mean: is missing"},
		{"{\"jobs\": [{\"read\": {\"io_bytes\": 1, " RATES ", \"clat\": {\"min\": 1, \"max\": 1, \"mean\": "
		 "\"1\"}}}]}",
		 "jobs[0].read.clat.mean: expected a number, found a string"},
		{"{\"jobs\": [{\"read\": {\"io_bytes\": 1, " RATES
		 ", \"lat_ns\": {\"min\": 1, \"max\": 1, \"mean\": 1, "
		 "\"N\": 1, \"percentile\": {\"50.000000\": \"1\"}}}}]}",
		 "jobs[0].read.lat_ns.percentile.50.000000: expected a number, found a string"},
		{"{\"jobs\": [{\"read\": {\"io_bytes\": 1, " RATES
		 ", \"lat_ns\": {\"min\": 1, \"max\": 1, \"mean\": 1, "
		 "\"N\": 1, \"bins\": {\"12x\": 1}}}}]}",
		 "jobs[0].read.lat_ns.bins.12x: the key is not a latency"},
		{"{\"jobs\": [{\"read\": {\"io_bytes\": 1, " RATES
		 ", \"lat_ns\": {\"min\": 1, \"max\": 1, \"mean\": 1, "
		 "\"N\": 1, \"bins\": {\"-1\": 1}}}}]}",
		 "jobs[0].read.lat_ns.bins.-1: the key is not a latency"},
		{"{\"jobs\": [{\"read\": {\"io_bytes\": 1, " RATES
		 ", \"lat_ns\": {\"min\": 1, \"max\": 1, \"mean\": 1, "
		 "\"N\": 1, \"bins\": {\"12\": []}}}}]}",
		 "jobs[0].read.lat_ns.bins.12: expected a number, found an array"},
		{"{\"jobs\": [{\"mixed\": {\"io_bytes\": 1}}]}",
		 "jobs[0]: reads and writes are reported as one (unified_rw_reporting) and cannot be separated"},
	};

	for (size_t i = 0; i < ARRAY_SIZE(known); i++)
		assert_error(known[i].text, known[i].error);
}

static void survives_depth(void **state)
{
	(void)state;
	struct text text = {0};

	text_addf(&text, "{\n\"jobs\": ");
	for (int i = 0; i < 100000; i++)
		text_add(&text, "[", 1);
	assert_error(text.data, "line 2: fio's JSON is broken: maximum parsing depth reached near '['");
	text_free(&text);
}

/* Whatever is cut off or turned over: figures or one line, never both, never neither. */
static void try_text(const char *text, size_t length)
{
	struct engine_figures *figures = NULL;
	char *error = NULL;

	if (fio_read(text, length, &figures, &error)) {
		assert_null(figures);
		assert_non_null(error);
		assert_null(strchr(error, '\n'));
		free(error);
		return;
	}
	assert_null(error);
	engine_figures_free(figures);
}

static void survives_damage(void **state)
{
	(void)state;
	static const char damage[] = "\"{}[],:x9-\n";
	char *text, *damaged;
	size_t length;

	text = load(DATA "fio-3.33-error.txt", &length);
	assert_non_null(text);
	for (size_t cut = 0; cut < length; cut += 13) {
		damaged = xcalloc(cut + 1, 1); /* its own block, so that reading beyond it is found */
		memcpy(damaged, text, cut);
		try_text(damaged, cut);
		free(damaged);
	}
	for (size_t at = 0; at < length; at += 7) {
		char kept = text[at];

		text[at] = damage[at % (sizeof(damage) - 1)];
		try_text(text, length);
		text[at] = kept;
	}
	free(text);
}

/* --- files that others wrote --- */

static void reads_a_foreign_2_1(void **state)
{
	(void)state;
	struct engine_figures *figures = read_shared("2.1.4.json");
	const struct direction *read, *write;

	if (!figures)
		skip();
	read = &figures->direction[OP_READ];
	write = &figures->direction[OP_WRITE];
	assert_string_equal(figures->version, "fio-2.1.4");
	/* 353.5 MiB in 512 KiB and three times 36244 KiB in 4 KiB, of which one and two are read */
	assert_int_equal(write->bytes, (361984 + 36244) * 1024);
	assert_int_equal(write->ios, 707 + 9061);
	assert_int_equal(read->bytes, (361984 + 2 * 36244) * 1024);
	assert_int_equal(read->ios, 707 + 2 * 9061);
	assert_int_equal(read->bytes_per_second, (129836 + 1269 + 1292) * 1024);
	assert_int_equal(read->runtime, 28540000000);
	assert_int_equal(write->latency[LATENCY_CLAT].max, 869891000);
	assert_no_percentiles(&write->latency[LATENCY_CLAT]);
	engine_figures_free(figures);
}

static void reads_a_foreign_3_33(void **state)
{
	(void)state;
	struct engine_figures *figures = read_shared("3.33-jsonplus.json");
	const struct direction *read, *write;

	if (!figures)
		skip();
	read = &figures->direction[OP_READ];
	write = &figures->direction[OP_WRITE];
	assert_int_equal(read->ios, 56934 + 7368);
	assert_int_equal(read->bytes, 233201664 + 30179328);
	assert_int_equal(read->latency[LATENCY_CLAT].hist->count, 56934 + 7368);
	assert_null(read->latency[LATENCY_LAT].hist);
	assert_percentiles(&write->latency[LATENCY_CLAT], (uint64_t[]){37632, 73216, 108032, 195584, 3031040, 8585216});
	engine_figures_free(figures);
}

static void reads_a_foreign_error(void **state)
{
	(void)state;
	struct engine_figures *figures = read_shared("3.33-error-before-json.txt");

	if (!figures)
		skip();
	assert_int_equal(figures->error, 28);
	assert_string_equal(figures->message, "fio: pid=18982, err=28/file:io_u.c:1876, func=io_u error, "
					      "error=No space left on device");
	engine_figures_free(figures);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads_json_plus),
		cmocka_unit_test(keeps_the_bins),
		cmocka_unit_test(separates_directions),
		cmocka_unit_test(adds_up_jobs),
		cmocka_unit_test(keeps_what_fio_says_first),
		cmocka_unit_test(ignores_what_follows),
		cmocka_unit_test(takes_a_single_line),
		cmocka_unit_test(does_not_average_percentiles),
		cmocka_unit_test(keeps_percentiles_of_the_only_job),
		cmocka_unit_test(reads_microseconds),
		cmocka_unit_test(tells_kib_from_bytes),
		cmocka_unit_test(counts_ios_of_2_1),
		cmocka_unit_test(reads_early_nanoseconds),
		cmocka_unit_test(names_unreadable_text),
		cmocka_unit_test(names_the_place),
		cmocka_unit_test(survives_depth),
		cmocka_unit_test(survives_damage),
		cmocka_unit_test(reads_a_foreign_2_1),
		cmocka_unit_test(reads_a_foreign_3_33),
		cmocka_unit_test(reads_a_foreign_error),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
