// SPDX-License-Identifier: GPL-2.0
#include "report/sweep.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "made_up_result.h"
#include "report/terminal.h"
#include "shown.h"

#define SINGLE 4 /* of made_up[] */

/* The report on `result`, which is freed. */
static char *render(struct result *result)
{
	struct text out = {0};

	report_terminal(result, false, &out);
	result_free(result);
	assert_fits(out.data);
	return text_take(&out);
}

/* RND4K-Q1T1-Read, -Q2T1-, -Q4T1- and so on, with so many IOPS each. */
static struct result *made_up_sweep(const double *ios_per_second, size_t depths, unsigned jobs)
{
	struct result *result = made_up_result(1);

	result->options.sweep = true;
	result->tests = 0;
	for (size_t i = 0; i < depths; i++) {
		struct test *test = &result->test[result->tests++];
		struct run *run = made_up_run(result, 0, SINGLE, 1, 1);
		struct direction *direction = &run->engine->direction[OP_READ];

		*test = (struct test){.random = true, .read_percent = 100, .block_size = 4096, .depth = 1u << i};
		test->jobs = jobs;
		snprintf(test->name, sizeof(test->name), "RND4K-Q%uT%u-Read", test->depth, jobs);
		run->test = i;
		direction->ios_per_second = ios_per_second[i];
		direction->bytes_per_second = (uint64_t)(ios_per_second[i] * 4096);
		direction->latency[LATENCY_LAT].mean = 1e9 * test->depth * jobs / ios_per_second[i];
	}
	return result;
}

static const double with_knee[] = {12500, 24000, 36000, 40000};

/* IOPS times 68.1 µs: 0.85 and so on at the device. */
static void the_whole_table(void **state)
{
	struct result *result = made_up_sweep(with_knee, 4, 1);
	char *report;

	(void)state;
	for (size_t i = 0; i < 4; i++)
		result->run[i].verdict = i == 3 ? VERDICT_SUSPECT : VERDICT_REAL;
	run_add_finding(&result->run[1], "limit", NULL, NULL, "Not this one.");
	run_add_finding(&result->run[3], "limit", NULL, NULL, "All 8 were at nvme0n1.");
	report = render(result);
	assert_has(report, "\n\nRND4K-Q*T1-Read by depth\n"
			   "depth (lat)      IOPS   MB/s     mean     p50      p99 at device verdict\n"
			   "1              12,500  51.20  80.0 µs 76.4 µs 106.8 µs      0.85    REAL\n"
			   "2              24,000  98.30  83.3 µs 76.4 µs 106.8 µs      1.63    REAL\n"
			   "4              36,000 147.46 111.1 µs 76.4 µs 106.8 µs      2.45    REAL <- knee\n"
			   "8              40,000 163.84 200.0 µs 76.4 µs 106.8 µs      2.72 SUSPECT\n"
			   "\n");
	assert_has(report, "\nThe knee is at depth 4: 90 % of the most IOPS; deeper adds mostly latency. By\n"
			   "Little's law 3.2 in flight would be enough.\n"
			   "Limit at depth 8: All 8 were at nvme0n1.\n");
	assert_lacks(report, "program (lat)");
	assert_lacks(report, "Not this one");
	free(report);
}

static void without_verdicts(void **state)
{
	char *report = render(made_up_sweep(with_knee, 4, 1));

	(void)state;
	assert_says(report, " p50 p99 at device 1 12,500 ");
	assert_says(report, " 2.45 <- knee 8 40,000");
	free(report);
}

/* The knee itself gives all there is. */
static void nothing_but_latency(void **state)
{
	static const double flat[] = {40000, 40000, 39000};
	char *report = render(made_up_sweep(flat, 3, 1));

	(void)state;
	assert_has(report, "\nThe knee is at depth 1: 100 % of the most IOPS; deeper adds latency only.\n");
	free(report);
}

static void rates_that_do_not_rise_evenly(void **state)
{
	static const double uneven[] = {12500, 11200, 36000, 40000};
	static const double nearly[] = {12500, 11250, 36000, 40000};
	static const double falling[] = {12500, 40000, 20000, 30000};
	static const double deepest[] = {30000, 20000, 40000};
	struct result *result = made_up_sweep(uneven, 4, 1);
	char *report;

	(void)state;
	for (size_t i = 1; i < 3; i++)
		run_add_check(&result->run[i], "foreign", CHECK_WARNING, NULL, NULL, "dd did more.");
	report = render(result);
	assert_says(report,
		    "The knee is at depth 4: 90 % of the most IOPS; deeper adds mostly latency. The rates do not "
		    "rise evenly, and some are in doubt (foreign): the knee is uncertain. ");
	free(report);

	report = render(made_up_sweep(uneven, 4, 1));
	assert_says(report, "mostly latency. The rates do not rise evenly: the knee is uncertain. ");
	assert_lacks(report, "Little");
	free(report);

	report = render(made_up_sweep(nearly, 4, 1));
	assert_lacks(report, "uncertain");
	free(report);

	/* beyond the knee */
	report = render(made_up_sweep(falling, 4, 1));
	assert_says(report, "The knee is at depth 2: ");
	assert_lacks(report, "uncertain");
	free(report);

	report = render(made_up_sweep(deepest, 3, 1));
	assert_says(report, "may give more. The rates do not rise evenly: whether there is a knee is uncertain. ");
	free(report);
}

static void rates_in_doubt(void **state)
{
	struct result *result = made_up_sweep(with_knee, 4, 1);
	char *report;

	(void)state;
	run_add_check(&result->run[0], "steady", CHECK_WARNING, NULL, NULL, "It fell.");
	run_add_check(&result->run[3], "clock", CHECK_FAILED, NULL, NULL, "It stood still.");
	run_add_check(&result->run[1], "foreign", CHECK_PASSED, NULL, NULL, "Nobody.");
	run_add_check(&result->run[1], "cap", CHECK_WARNING, NULL, NULL, "It is the same at each depth.");
	report = render(result);
	assert_says(report, "mostly latency. Some of the rates are in doubt (clock, steady): the knee is uncertain. ");
	assert_lacks(report, "Little");
	free(report);
}

/* 80 µs at depth 1 and 200,000 IOPS make 16, twice the deepest. */
static void more_than_the_deepest_is_no_advice(void **state)
{
	static const double high[] = {12500, 100000, 195000, 200000};
	char *report = render(made_up_sweep(high, 4, 1));

	(void)state;
	assert_says(report, "The knee is at depth 4: 97 % ");
	assert_lacks(report, "Little");
	free(report);
}

static void no_knee_yet(void **state)
{
	static const double straight[] = {10000, 20000, 40000};
	struct result *result = made_up_sweep(straight, 3, 4);
	char *report;

	(void)state;
	report = render(result);
	assert_has(report, "\nRND4K-Q*T4-Read by the depth of all 4 jobs together\n");
	assert_has(report, "\n16            40,000 ");
	assert_says(report, "There is no knee up to depth 16: the deepest gave the most IOPS, and more depth may give "
			    "more.");
	assert_lacks(report, "<-");
	free(report);
}

/* Of one depth alone nothing follows. */
static void depths_that_failed(void **state)
{
	struct result *result = made_up_sweep(with_knee, 4, 1);
	char *report;

	(void)state;
	made_up_not_done(&result->run[3], RUN_FAILED, "fio died");
	report = render(result);
	assert_has(report, "\n8            failed: fio died\n");
	assert_has(report, "There is no knee up to depth 4: ");
	free(report);

	result = made_up_sweep(with_knee, 4, 1);
	for (size_t i = 1; i < 4; i++)
		made_up_not_done(&result->run[i], RUN_INTERRUPTED, "stopped by SIGINT");
	report = render(result);
	assert_lacks(report, "knee");
	free(report);
}

static void the_largest_figures_fit(void **state)
{
	static const double fast[] = {100, 1552000, 15520000};
	struct result *result = made_up_sweep(fast, 3, 1024);
	char *report;

	(void)state;
	result->run[1].verdict = VERDICT_NOT_REAL;
	result->options.quick = true;
	report = render(result);
	assert_has(report, " NOT REAL");
	assert_has(report, "\nQUICK (lat) ");
	free(report);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_whole_table),
		cmocka_unit_test(without_verdicts),
		cmocka_unit_test(nothing_but_latency),
		cmocka_unit_test(rates_that_do_not_rise_evenly),
		cmocka_unit_test(rates_in_doubt),
		cmocka_unit_test(more_than_the_deepest_is_no_advice),
		cmocka_unit_test(no_knee_yet),
		cmocka_unit_test(depths_that_failed),
		cmocka_unit_test(the_largest_figures_fit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
