// SPDX-License-Identifier: GPL-2.0
#include "report/csv.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "made_up_result.h"

#define HEADER                                                                                                         \
	"Timestamp,Config,Drive,Test,Iteration,MBps,IOPS,AvgLat_ms,CPU_Avg_pct,CPU_Max_pct,Mem_Avg_pct,Mem_Max_pct,"   \
	"Disk_Avg_pct,Disk_Max_pct,IsAdmin,SizeGB,Duration_sec\n"
#define START "\"2026-11-30 17:00:21\",\"NonRAID\","

static void check(struct result *result, const char *expected)
{
	struct text out = {0};

	report_csv(result, &out);
	assert_string_equal(out.data, expected);
	text_free(&out);
	result_free(result);
}

static void the_whole_matrix(void **state)
{
	(void)state;
	check(made_up_matrix(1, 1),
	      HEADER START "\"/mnt/fast\",\"SEQ1M-Q8T1-Read\",\"1\",\"2811.23\",\"2681\",\"2.973\",\"3.1\",\"3.6\","
			   "\"6.3\",\"6.3\",\"97.0\",\"100.0\",\"false\",\"8\",\"30\"\n" START
			   "\"/mnt/fast\",\"SEQ1M-Q8T1-Write\",\"1\",\"1934.01\",\"1844\",\"4.335\",\"4.3\",\"4.8\","
			   "\"6.3\",\"6.3\",\"97.0\",\"100.0\",\"false\",\"8\",\"30\"\n" START
			   "\"/mnt/fast\",\"RND4K-Q32T16-Read\",\"1\",\"1271.40\",\"310400\",\"1.649\",\"61.7\","
			   "\"62.2\",\"6.3\",\"6.3\",\"97.0\",\"100.0\",\"false\",\"8\",\"30\"\n" START
			   "\"/mnt/fast\",\"RND4K-Q32T16-Write\",\"1\",\"942.08\",\"230000\",\"2.225\",\"58.0\","
			   "\"58.5\",\"6.3\",\"6.3\",\"97.0\",\"100.0\",\"false\",\"8\",\"30\"\n" START
			   "\"/mnt/fast\",\"RND4K-Q1T1-Read\",\"1\",\"51.20\",\"12500\",\"0.079\",\"4.9\",\"5.4\","
			   "\"6.3\",\"6.3\",\"97.0\",\"100.0\",\"false\",\"8\",\"30\"\n" START
			   "\"/mnt/fast\",\"RND4K-Q1T1-Write\",\"1\",\"226.13\",\"55206\",\"0.017\",\"9.2\",\"9.7\","
			   "\"6.3\",\"6.3\",\"97.0\",\"100.0\",\"false\",\"8\",\"30\"\n");
}

/* Rows go target, test, iteration, in whatever order the runs were made. */
static void rows_are_in_order(void **state)
{
	static const char *const expected[] = {
		"/mnt/fast0\",\"SEQ1M-Q8T1-Read\",\"1",
		"/mnt/fast0\",\"SEQ1M-Q8T1-Read\",\"2",
		"/mnt/fast0\",\"RND4K-Q1T1-Write\",\"1",
		"/mnt/fast1\",\"SEQ1M-Q8T1-Read\",\"1",
	};
	struct result *result = made_up_result(2);
	struct text out = {0};
	const char *at;

	(void)state;
	made_up_run(result, 1, 0, 1, 1);
	made_up_run(result, 0, 5, 1, 1);
	made_up_run(result, 0, 0, 2, 1);
	made_up_run(result, 0, 0, 1, 1);
	report_csv(result, &out);
	at = out.data;
	for (size_t i = 0; i < ARRAY_SIZE(expected); i++) {
		at = strstr(at, expected[i]);
		assert_non_null(at);
	}
	text_free(&out);
	result_free(result);
}

static void quotes_are_doubled(void **state)
{
	struct result *result = made_up_result(1);

	(void)state;
	free(result->config);
	result->config = xstrdup("RAID \"0\", new");
	free(result->target[0].given);
	result->target[0].given = xstrdup("a:b\\c,d \"e");
	result->machine.admin = true;
	made_up_run(result, 0, 3, 1, 1);
	check(result,
	      HEADER "\"2026-11-30 17:00:21\",\"RAID \"\"0\"\", new\",\"a:b\\c,d \"\"e\",\"RND4K-Q32T16-Write\",\"1\","
		     "\"942.08\",\"230000\",\"2.225\",\"58.0\",\"58.5\",\"6.3\",\"6.3\",\"97.0\",\"100.0\",\"true\","
		     "\"8\",\"30\"\n");
}

/* The series' script gives clat. */
static void latency_is_of_the_kind_asked_for(void **state)
{
	struct result *result = made_up_result(1);

	(void)state;
	result->options.latency = LATENCY_CLAT;
	made_up_run(result, 0, 4, 1, 1);
	check(result, HEADER START
	      "\"/mnt/fast\",\"RND4K-Q1T1-Read\",\"1\",\"51.20\",\"12500\",\"0.076\",\"4.9\",\"5.4\",\"6.3\",\"6.3\","
	      "\"97.0\",\"100.0\",\"false\",\"8\",\"30\"\n");
}

/* printf would give 0.12, 2 and 0.002 (half to even, and 0.0025 is stored below itself). */
static void halves_are_rounded_up(void **state)
{
	struct result *result = made_up_result(1);
	struct run *run = made_up_run(result, 0, 4, 1, 1);
	struct direction *read = &run->engine->direction[OP_READ];

	(void)state;
	read->bytes_per_second = 125000;
	read->ios_per_second = 2.5;
	read->latency[LATENCY_LAT].mean = 2500;
	run->sample[0].cpu_percent = run->sample[1].cpu_percent = 0.25;
	run->sample[0].mem_percent = run->sample[1].mem_percent = 0.05;
	run->sample[0].disk_percent = run->sample[1].disk_percent = 99.95;
	check(result, HEADER START
	      "\"/mnt/fast\",\"RND4K-Q1T1-Read\",\"1\",\"0.13\",\"3\",\"0.003\",\"0.3\",\"0.3\",\"0.1\",\"0.1\","
	      "\"100.0\",\"100.0\",\"false\",\"8\",\"30\"\n");
}

static void a_mix_is_both_directions(void **state)
{
	struct result *result = made_up_result(1);
	struct run *run = made_up_run(result, 0, 4, 1, 1);
	struct direction *read = &run->engine->direction[OP_READ], *write = &run->engine->direction[OP_WRITE];

	(void)state;
	result->test[4].access = ACCESS_MIX;
	result->test[4].read_percent = 75;
	strcpy(result->test[4].name, "RND4K-Q1T1-Mix75");
	read->bytes_per_second = 3000000;
	read->ios_per_second = 732.4;
	read->latency[LATENCY_LAT].count = 3;
	read->latency[LATENCY_LAT].mean = 100000;
	write->ios = 1;
	write->bytes_per_second = 1000000;
	write->ios_per_second = 244.1;
	write->latency[LATENCY_LAT].count = 1;
	write->latency[LATENCY_LAT].mean = 200000;
	check(result, HEADER START
	      "\"/mnt/fast\",\"RND4K-Q1T1-Mix75\",\"1\",\"4.00\",\"977\",\"0.125\",\"4.9\",\"5.4\",\"6.3\",\"6.3\","
	      "\"97.0\",\"100.0\",\"false\",\"8\",\"30\"\n");
}

static void the_unknown_is_empty(void **state)
{
	struct result *result = made_up_result(1);
	struct run *run = made_up_run(result, 0, 4, 1, 1);

	(void)state;
	run->engine->direction[OP_READ].latency[LATENCY_LAT].count = 0;
	for (size_t i = 0; i < run->samples; i++)
		run->sample[i].has_disk = false;
	run = made_up_run(result, 0, 5, 1, 1);
	run->samples = 0;
	check(result,
	      HEADER START "\"/mnt/fast\",\"RND4K-Q1T1-Read\",\"1\",\"51.20\",\"12500\",\"\",\"4.9\",\"5.4\","
			   "\"6.3\",\"6.3\",\"\",\"\",\"false\",\"8\",\"30\"\n" START
			   "\"/mnt/fast\",\"RND4K-Q1T1-Write\",\"1\",\"226.13\",\"55206\",\"0.017\",\"\",\"\",\"\","
			   "\"\",\"\",\"\",\"false\",\"8\",\"30\"\n");
}

static void runs_that_are_not_done(void **state)
{
	struct result *result = made_up_result(1);

	(void)state;
	made_up_not_done(made_up_run(result, 0, 0, 1, 1), RUN_FAILED, "fio died");
	made_up_not_done(made_up_run(result, 0, 1, 1, 1), RUN_SKIPPED, "--read-only");
	made_up_not_done(made_up_run(result, 0, 2, 1, 1), RUN_INTERRUPTED, "SIGINT");
	check(result,
	      HEADER START "\"/mnt/fast\",\"SEQ1M-Q8T1-Read\",\"1\",\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\","
			   "\"false\",\"8\",\"30\"\n");
}

/* What a failed run had measured so far is not a result. */
static void a_failed_run_has_no_figures(void **state)
{
	struct result *result = made_up_result(1);

	(void)state;
	made_up_run(result, 0, 0, 1, 1)->state = RUN_FAILED;
	check(result,
	      HEADER START "\"/mnt/fast\",\"SEQ1M-Q8T1-Read\",\"1\",\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\","
			   "\"false\",\"8\",\"30\"\n");
}

static void fractions_of_size_and_time(void **state)
{
	static const struct {
		uint64_t size, duration;
		const char *end;
	} rows[] = {
		{512 << 20, 1500000000, "\"false\",\"0.5\",\"1.5\"\n"},
		{10ull << 30, 100000000000, "\"false\",\"10\",\"100\"\n"},
		{107374182, 60000000001, "\"false\",\"0.1\",\"60.000000001\"\n"}, /* --size-gb 0.1 */
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct result *result = made_up_result(1);
		struct text out = {0};

		result->options.size = rows[i].size;
		result->options.duration = rows[i].duration;
		made_up_run(result, 0, 0, 1, 1);
		report_csv(result, &out);
		assert_string_equal(out.data + out.length - strlen(rows[i].end), rows[i].end);
		text_free(&out);
		result_free(result);
	}
}

static void only_the_header_without_runs(void **state)
{
	(void)state;
	check(made_up_result(1), HEADER);
}

static void names_the_file(void **state)
{
	struct result *result = made_up_result(1);
	char *name = report_csv_name(result);

	(void)state;
	assert_string_equal(name, "DiskBenchmark_NonRAID_20261130_170021.csv");
	free(name);
	free(result->config);
	result->config = xstrdup("RAID 0/\"new\"");
	name = report_csv_name(result);
	assert_string_equal(name, "DiskBenchmark_RAID_0__new__20261130_170021.csv");
	free(name);
	result_free(result);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_whole_matrix),
		cmocka_unit_test(rows_are_in_order),
		cmocka_unit_test(quotes_are_doubled),
		cmocka_unit_test(latency_is_of_the_kind_asked_for),
		cmocka_unit_test(halves_are_rounded_up),
		cmocka_unit_test(a_mix_is_both_directions),
		cmocka_unit_test(the_unknown_is_empty),
		cmocka_unit_test(runs_that_are_not_done),
		cmocka_unit_test(a_failed_run_has_no_figures),
		cmocka_unit_test(fractions_of_size_and_time),
		cmocka_unit_test(only_the_header_without_runs),
		cmocka_unit_test(names_the_file),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
