// SPDX-License-Identifier: GPL-2.0
#include "result/expect.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/text.h"
#include "capture.h"
#include "command/bench_expect.h"
#include "command/command.h"
#include "command/common.h"
#include "made_up_result.h"
#include "result/checks.h"

#define DEEP_READ 2 /* RND4K-Q32T16-Read */

static struct result *result;

static int make(void **state)
{
	(void)state;
	result = made_up_result(2);
	return 0;
}

static int forget(void **state)
{
	(void)state;
	result_free(result);
	return 0;
}

static void expect(const char *tests, enum measure measure, double limit)
{
	struct options *options = &result->options;

	options->expectation =
		xreallocarray(options->expectation, options->expectations + 1, sizeof(*options->expectation));
	options->expectation[options->expectations++] =
		(struct expectation){.tests = tests ? xstrdup(tests) : NULL, .measure = measure, .limit = limit};
}

/* The run of that index, as check_run() has it. */
static struct run *judge(size_t index)
{
	struct run *run = &result->run[index];

	check_expectations(&(struct checking){
		.result = result,
		.run = run,
		.target = &result->target[run->target],
		.test = run->test == NO_TEST ? NULL : &result->test[run->test],
	});
	return run;
}

static struct direction *reads(struct run *run)
{
	return &run->engine->direction[OP_READ];
}

static void assert_check(const struct check *check, enum check_state state, const char *found, const char *expected,
			 const char *sentence)
{
	assert_string_equal(check->name, EXPECTATION_CHECK);
	assert_int_equal(check->state, state);
	assert_false(check->finding);
	if (found)
		assert_string_equal(check->found, found);
	else
		assert_null(check->found);
	assert_string_equal(check->expected, expected);
	assert_string_equal(check->sentence, sentence);
}

static void assert_states(const struct run *run, size_t count, const enum check_state *states)
{
	assert_int_equal(run->checks, count);
	for (size_t i = 0; i < count; i++)
		assert_int_equal(run->check[i].state, states[i]);
}

/* --- which tests --- */

static void patterns_fit_names(void **state)
{
	static const struct {
		const char *tests, *name;
		bool fits;
	} rows[] = {
		{NULL, "SEQ1M-Q8T1-Read", true},
		{"SEQ1M-Q8T1-Read", "SEQ1M-Q8T1-Read", true},
		{"SEQ1M-Q8T1-Read", "SEQ1M-Q8T1-Write", false},
		{"SEQ1M-Q8T1", "SEQ1M-Q8T1-Read", false},
		{"SEQ1M*", "SEQ1M-Q8T1-Read", true},
		{"*-Read", "SEQ1M-Q8T1-Read", true},
		{"*-Read", "SEQ1M-Q8T1-Write", false},
		{"rnd4k-q?t1-*", "RND4K-Q1T1-Write", true},
		{"RND4K-Q?T1-*", "RND4K-Q32T1-Write", false},
		{"*", "RND4K-Q1T1-Mix70", true},
		{"", "RND4K-Q1T1-Mix70", false},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct expectation expectation = {.tests = (char *)rows[i].tests};
		struct test test = {0};

		snprintf(test.name, sizeof(test.name), "%s", rows[i].name);
		if (expectation_applies(&expectation, &test) != rows[i].fits)
			fail_msg("%s, %s", rows[i].tests ? rows[i].tests : "all", rows[i].name);
	}
}

static void just_the_tests_that_it_names(void **state)
{
	(void)state;
	expect("RND4K-Q1T1-*", MEASURE_IOPS, 1);
	made_up_run(result, 0, 0, 1, 1);
	made_up_run(result, 0, 4, 1, 1);
	assert_int_equal(judge(0)->checks, 0);
	assert_int_equal(judge(1)->checks, 1);
}

/* --- rates and times --- */

static void rates_are_at_least(void **state)
{
	(void)state;
	expect(NULL, MEASURE_IOPS, 310400);
	expect(NULL, MEASURE_IOPS, 310401);
	expect(NULL, MEASURE_MBPS, 1271.4);
	expect(NULL, MEASURE_MBPS, 1271.41);
	made_up_run(result, 0, DEEP_READ, 1, 1);
	judge(0);
	assert_int_equal(result->run[0].checks, 4);
	assert_check(&result->run[0].check[0], CHECK_PASSED, "310,400 IOPS", "310,400 IOPS or more",
		     "RND4K-Q32T16-Read reached 310,400 IOPS; 310,400 were expected.");
	assert_check(&result->run[0].check[1], CHECK_FAILED, "310,400 IOPS", "310,401 IOPS or more",
		     "RND4K-Q32T16-Read reached 310,400 of the 310,401 IOPS expected.");
	assert_check(&result->run[0].check[2], CHECK_PASSED, "1271.40 MB/s", "1271.4 MB/s or more",
		     "RND4K-Q32T16-Read reached 1271.40 MB/s; 1271.4 were expected.");
	assert_check(&result->run[0].check[3], CHECK_FAILED, "1271.40 MB/s", "1271.41 MB/s or more",
		     "RND4K-Q32T16-Read reached 1271.40 of the 1271.41 MB/s expected.");
}

/* 2999.5 IOPS are 3,000 in the CSV. */
static void rates_are_those_of_the_csv(void **state)
{
	static const enum check_state states[] = {CHECK_PASSED, CHECK_PASSED};

	(void)state;
	expect(NULL, MEASURE_IOPS, 3000);
	expect(NULL, MEASURE_MBPS, 125);
	reads(made_up_run(result, 0, DEEP_READ, 1, 1))->ios_per_second = 2999.5;
	reads(&result->run[0])->bytes_per_second = 124995000;
	assert_states(judge(0), 2, states);
	reads(made_up_run(result, 0, DEEP_READ, 1, 1))->ios_per_second = 2999.49;
	reads(&result->run[0])->ios_per_second = 2999.49;
	reads(&result->run[0])->bytes_per_second = 124994000;
	reads(&result->run[1])->bytes_per_second = 124994000;
	assert_int_equal(judge(1)->check[0].state, CHECK_FAILED);
	assert_string_equal(result->run[1].check[0].found, "2,999 IOPS");
	assert_int_equal(result->run[1].check[1].state, CHECK_FAILED);
}

static void times_are_at_most(void **state)
{
	(void)state;
	expect(NULL, MEASURE_LAT, 1648870);
	expect(NULL, MEASURE_LAT, 1000000);
	expect(NULL, MEASURE_P99, 2179000);
	expect(NULL, MEASURE_P99, 2000000);
	expect(NULL, MEASURE_P99_9, 3063999);
	made_up_run(result, 0, DEEP_READ, 1, 1);
	judge(0);
	assert_int_equal(result->run[0].checks, 5);
	assert_check(&result->run[0].check[0], CHECK_PASSED, "mean lat 1.649 ms", "mean lat of 1.649 ms or less",
		     "RND4K-Q32T16-Read has a mean lat of 1.649 ms; at most 1.649 ms was expected.");
	assert_check(&result->run[0].check[1], CHECK_FAILED, "mean lat 1.649 ms", "mean lat of 1.000 ms or less",
		     "RND4K-Q32T16-Read has a mean lat of 1.649 ms; at most 1.000 ms was expected.");
	assert_check(&result->run[0].check[2], CHECK_PASSED, "p99 of lat 2.179 ms", "p99 of lat of 2.179 ms or less",
		     "RND4K-Q32T16-Read has a p99 of lat of 2.179 ms; at most 2.179 ms was expected.");
	assert_check(&result->run[0].check[3], CHECK_FAILED, "p99 of lat 2.179 ms", "p99 of lat of 2.000 ms or less",
		     "RND4K-Q32T16-Read has a p99 of lat of 2.179 ms; at most 2.000 ms was expected.");
	/* Both would read 3.064 ms. */
	assert_check(&result->run[0].check[4], CHECK_FAILED, "p99.9 of lat 3,064,000 ns",
		     "p99.9 of lat of 3,063,999 ns or less",
		     "RND4K-Q32T16-Read has a p99.9 of lat of 3,064,000 ns; at most 3,063,999 ns was expected.");
}

static void times_are_of_the_latency_that_is_shown(void **state)
{
	(void)state;
	result->options.latency = LATENCY_CLAT;
	expect(NULL, MEASURE_LAT, 1648000); /* clat is 1,647,000 ns, lat 1,648,870 */
	expect(NULL, MEASURE_P99, 2146000);
	made_up_run(result, 0, DEEP_READ, 1, 1);
	judge(0);
	assert_int_equal(result->run[0].check[0].state, CHECK_PASSED);
	assert_string_equal(result->run[0].check[0].found, "mean clat 1.647 ms");
	assert_int_equal(result->run[0].check[1].state, CHECK_PASSED);
}

/* --- several runs --- */

static void the_last_iteration_tells_for_all(void **state)
{
	(void)state;
	result->options.iterations = 3;
	expect(NULL, MEASURE_IOPS, 279361);
	made_up_run(result, 0, DEEP_READ, 1, 1);
	made_up_run(result, 0, DEEP_READ, 2, 0.9);
	made_up_run(result, 0, DEEP_READ, 3, 0.8);
	made_up_run(result, 1, DEEP_READ, 1, 2); /* another target */
	made_up_run(result, 0, 4, 1, 2);	 /* another test */
	assert_int_equal(judge(0)->checks, 0);
	assert_int_equal(judge(1)->checks, 0);
	assert_int_equal(judge(2)->checks, 1);
	assert_check(&result->run[2].check[0], CHECK_FAILED, "279,360 IOPS", "279,361 IOPS or more",
		     "RND4K-Q32T16-Read reached 279,360 of the 279,361 IOPS expected in 3 runs.");
}

static void a_failed_run_leaves_it_open(void **state)
{
	(void)state;
	result->options.iterations = 2;
	expect("*Read", MEASURE_IOPS, 3000);
	expect(NULL, MEASURE_P99, 500000);
	made_up_not_done(made_up_run(result, 0, DEEP_READ, 1, 1), RUN_FAILED, "fio: no");
	made_up_run(result, 0, DEEP_READ, 2, 1);
	judge(1);
	assert_int_equal(result->run[1].checks, 2);
	assert_check(&result->run[1].check[0], CHECK_UNKNOWN, NULL, "3,000 IOPS or more",
		     "RND4K-Q32T16-Read, 3,000 IOPS or more: not all of its runs were done.");
	assert_check(&result->run[1].check[1], CHECK_UNKNOWN, NULL, "p99 of lat of 500.0 \u00b5s or less",
		     "RND4K-Q32T16-Read, p99 of lat of 500.0 \u00b5s or less: not all of its runs were done.");
	assert_true(result_leaves_expectation_open(result));
	assert_false(result_fails_expectation(result));
}

/* No latency is no short one. */
static void without_an_io_no_time_is_kept(void **state)
{
	static const enum check_state states[] = {CHECK_UNKNOWN, CHECK_FAILED};

	(void)state;
	expect(NULL, MEASURE_LAT, 1000000);
	expect(NULL, MEASURE_IOPS, 1);
	memset(reads(made_up_run(result, 0, DEEP_READ, 1, 1))->latency[LATENCY_LAT].has_percentile, 0,
	       sizeof(reads(&result->run[0])->latency[LATENCY_LAT].has_percentile));
	reads(&result->run[0])->latency[LATENCY_LAT].count = 0;
	reads(&result->run[0])->latency[LATENCY_LAT].mean = 0;
	reads(&result->run[0])->ios_per_second = 0;
	assert_states(judge(0), 2, states);
}

static void a_percentile_that_is_not_there(void **state)
{
	struct latency *latency;

	(void)state;
	expect(NULL, MEASURE_P99_9, 5000000);
	latency = &reads(made_up_run(result, 0, DEEP_READ, 1, 1))->latency[LATENCY_LAT];
	latency->has_percentile[P99_9] = false;
	free(latency->hist);
	latency->hist = NULL;
	judge(0);
	assert_check(&result->run[0].check[0], CHECK_UNKNOWN, NULL, "p99.9 of lat of 5.000 ms or less",
		     "RND4K-Q32T16-Read, p99.9 of lat of 5.000 ms or less: the engine does not report it.");
}

static void nothing_is_expected_of_a_program(void **state)
{
	struct run *run;

	(void)state;
	expect(NULL, MEASURE_IOPS, 1);
	run = made_up_run(result, 0, DEEP_READ, 1, 1);
	run->test = NO_TEST;
	assert_int_equal(judge(0)->checks, 0);
}

/* --- what comes of it --- */

static void the_exit_status(void **state)
{
	struct run *one, *other;

	(void)state;
	made_up_run(result, 0, 0, 1, 1);
	made_up_run(result, 0, 1, 1, 1);
	one = &result->run[0];
	other = &result->run[1];
	assert_int_equal(status_of_result(result), EXIT_DONE);
	one->verdict = VERDICT_SUSPECT;
	other->verdict = VERDICT_REAL;
	run_add_check(one, EXPECTATION_CHECK, CHECK_PASSED, NULL, NULL, "Made up.");
	run_add_check(one, "balance", CHECK_FAILED, NULL, NULL, "Made up.");
	run_add_check(one, "coverage", CHECK_UNKNOWN, NULL, NULL, "Made up.");
	assert_int_equal(status_of_result(result), EXIT_DONE);
	run_add_check(one, EXPECTATION_CHECK, CHECK_FAILED, NULL, NULL, "Made up.");
	assert_int_equal(status_of_result(result), EXIT_UNMET);
	other->verdict = VERDICT_NOT_REAL;
	assert_int_equal(status_of_result(result), EXIT_NOT_REAL);
	run_add_check(other, EXPECTATION_CHECK, CHECK_UNKNOWN, NULL, NULL, "Made up.");
	assert_int_equal(status_of_result(result), EXIT_INCOMPLETE);
	assert_int_equal(EXIT_NOT_REAL, 3);
	assert_int_equal(EXIT_UNMET, 4);
	assert_int_equal(EXIT_INCOMPLETE, 5);
}

static void assert_refused(const struct bench_options *options, const struct place *places, size_t count)
{
	char *message;
	int err;

	capture(STDERR_FILENO);
	err = bench_expect_check_places(options, places, count);
	message = captured_text();
	assert_int_equal(err, -EINVAL);
	assert_non_null(strstr(message, "--expect: '*-Write:iops' is about tests that write, and none of the targets"));
	free(message);
}

/* A test that writes is run where it may write. */
static void what_is_never_run_is_refused(void **state)
{
	struct bench_options options = {.test = result->test, .tests = result->tests};
	struct place places[2] = {{.writable = false}, {.writable = false}};

	(void)state;
	assert_int_equal(bench_expect_check_places(&options, places, 2), 0);
	expect(NULL, MEASURE_IOPS, 1);
	expect("*-Write", MEASURE_IOPS, 1);
	options.options = result->options;
	assert_int_equal(bench_expect_check(&options), 0);
	assert_refused(&options, places, 2);
	places[1].writable = true;
	assert_refused(&options, places, 1);
	assert_int_equal(bench_expect_check_places(&options, places, 2), 0);
	options.permission.read_only = true;
	assert_refused(&options, places, 2);
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, make, forget)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(patterns_fit_names),
		TEST(just_the_tests_that_it_names),
		TEST(rates_are_at_least),
		TEST(rates_are_those_of_the_csv),
		TEST(times_are_at_most),
		TEST(times_are_of_the_latency_that_is_shown),
		TEST(the_last_iteration_tells_for_all),
		TEST(a_failed_run_leaves_it_open),
		TEST(without_an_io_no_time_is_kept),
		TEST(a_percentile_that_is_not_there),
		TEST(nothing_is_expected_of_a_program),
		TEST(the_exit_status),
		TEST(what_is_never_run_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
