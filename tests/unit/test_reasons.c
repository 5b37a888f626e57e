// SPDX-License-Identifier: GPL-2.0
#include "report/reasons.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "made_up_result.h"
#include "shown.h"

/* What is said of the first target of `result`, which is freed. */
static char *render(struct result *result, bool colour)
{
	struct text out = {0};
	struct view view = {.result = result, .screen = {.out = &out, .colour = colour}};

	print_limits(&view, 0);
	print_reasons(&view, 0);
	result_free(result);
	if (out.data && !colour)
		assert_fits(out.data);
	return text_take(&out);
}

static void assert_rendered(struct result *result, const char *expected)
{
	char *report = render(result, false);

	assert_string_equal(report ? report : "", expected);
	free(report);
}

/* The verdict that a run's checks come to is not this file's matter. */
static void judge(struct result *result, enum verdict verdict)
{
	for (size_t i = 0; i < result->runs; i++)
		result->run[i].verdict = verdict;
}

static void what_is_alike(void **state)
{
	(void)state;
	assert_true(sentences_alike("", ""));
	assert_true(sentences_alike("Of 1.2 GiB read 0 B arrived at vda.", "Of 800 MiB read 12 KiB arrived at vda."));
	assert_true(sentences_alike("read 1 byte more", "read 3,000 bytes more"));
	assert_true(sentences_alike("a read took 12.3 µs.", "a read took 1.20 s."));
	assert_false(sentences_alike("Of 1.2 GiB read 0 B arrived.", "Of 1.2 GiB written 0 B arrived."));
	assert_false(sentences_alike("a read took 12.3 µs.", "a write took 12.3 µs."));
	assert_true(sentences_alike("1 request (3 ms)", "2 requests (4 µs)"));
	assert_true(sentences_alike("It took 3", "It took -4"));
	assert_false(sentences_alike("arrived at vda", "arrived at vdb"));
	assert_false(sentences_alike("more", "more than that"));
	assert_false(sentences_alike("more than that", "more"));
	assert_false(sentences_alike("3 more", ""));
	assert_false(sentences_alike("of read", "of ready"));
}

static void the_worst_comes_first(void **state)
{
	struct result *result = made_up_matrix(1, 1);

	(void)state;
	judge(result, VERDICT_NOT_REAL);
	run_add_check(&result->run[0], "observer", CHECK_WARNING, NULL, NULL, "The probes take long.");
	run_add_check(&result->run[0], "await", CHECK_WARNING, NULL, NULL, "Means differ.");
	run_add_check(&result->run[1], "await", CHECK_PASSED, NULL, NULL, "Means agree.");
	run_add_check(&result->run[1], "identity", CHECK_FAILED, NULL, NULL, "3 requests are gone.");
	run_add_check(&result->run[2], "medium", CHECK_FAILED, NULL, NULL, "zram0 is memory.");
	run_add_check(&result->run[2], "link", CHECK_UNKNOWN, NULL, NULL, "The link is not known.");
	assert_rendered(result, "NOT REAL: RND4K-Q32T16-Read, medium: zram0 is memory.\n"
				"SUSPECT: SEQ1M-Q8T1-Write, identity: 3 requests are gone.\n"
				"SUSPECT: SEQ1M-Q8T1-Read, await: Means differ.\n"
				"Warning: SEQ1M-Q8T1-Read, observer: The probes take long.\n");
}

/* A result from before there were verdicts claims none. */
static void without_a_verdict(void **state)
{
	struct result *result = made_up_matrix(1, 1);

	(void)state;
	run_add_check(&result->run[0], "await", CHECK_WARNING, NULL, NULL, "Means differ.");
	run_add_check(&result->run[2], "medium", CHECK_FAILED, NULL, NULL, "zram0 is memory.");
	assert_rendered(result, "Failed: RND4K-Q32T16-Read, medium: zram0 is memory.\n"
				"Warning: SEQ1M-Q8T1-Read, await: Means differ.\n");
}

static void the_same_of_many_tests_is_one_line(void **state)
{
	struct result *result = made_up_matrix(1, 1);

	(void)state;
	judge(result, VERDICT_NOT_REAL);
	for (size_t i = 0; i < 6; i++) {
		run_add_check(&result->run[i], "medium", CHECK_FAILED, NULL, NULL, "zram0 is memory.");
		run_add_check(&result->run[i], "cache", CHECK_FAILED, NULL, NULL, "Of %zu GiB %s %zu B arrived.",
			      i + 1, i % 2 ? "written" : "read", i);
		if (i > 1)
			run_add_check(&result->run[i], "foreign", CHECK_WARNING, NULL, NULL, "%s did %zu %%.",
				      i == 4 ? "dd" : "fio", i);
	}
	assert_rendered(result, "NOT REAL: all 6 tests, medium: zram0 is memory.\n"
				"NOT REAL: SEQ1M-Q8T1-Read and 2 more, cache (figures of the first): Of 1 GiB\n"
				"  read 0 B arrived.\n"
				"NOT REAL: SEQ1M-Q8T1-Write and 2 more, cache (figures of the first): Of 2 GiB\n"
				"  written 1 B arrived.\n"
				"SUSPECT: RND4K-Q32T16-Read and 2 more, foreign (figures of the first): fio did 2\n"
				"  %.\n"
				"SUSPECT: RND4K-Q1T1-Read, foreign: dd did 4 %.\n");
}

/* The first one's figures are not everyone's, unless they are the same. */
static void whose_figures_they_are(void **state)
{
	struct result *result = made_up_matrix(1, 2);

	(void)state;
	for (size_t i = 0; i < 12; i++) {
		run_add_check(&result->run[i], "clock", CHECK_WARNING, NULL, NULL, "It gave %zu %%.", 9 + i);
		run_add_check(&result->run[i], "power", CHECK_WARNING, NULL, NULL, "It has 20 %% left.");
	}
	assert_rendered(result, "Warning: all 6 tests, clock (figures of SEQ1M-Q8T1-Read #1): It gave 9 %.\n"
				"Warning: all 6 tests, power: It has 20 % left.\n");
}

/* "All" are those that are done on the target; one alone is named. */
static void all_that_are_done(void **state)
{
	struct result *result = made_up_matrix(2, 1);

	(void)state;
	for (size_t i = 0; i < 2; i++)
		run_add_check(&result->run[i + 6], "cap", CHECK_WARNING, NULL, NULL, "On the other target.");
	for (size_t i = 0; i < 2; i++)
		run_add_check(&result->run[i], "cap", CHECK_WARNING, NULL, NULL, "It is flat.");
	for (size_t i = 2; i < 6; i++)
		made_up_not_done(&result->run[i], RUN_SKIPPED, "--read-only");
	assert_rendered(result, "Warning: both tests, cap: It is flat.\n");

	result = made_up_matrix(1, 1);
	for (size_t i = 1; i < 6; i++)
		made_up_not_done(&result->run[i], RUN_SKIPPED, "--read-only");
	run_add_check(&result->run[0], "cap", CHECK_WARNING, NULL, NULL, "It is flat.");
	assert_rendered(result, "Warning: SEQ1M-Q8T1-Read, cap: It is flat.\n");
}

/* What a run says twice is said twice: each is about something else, be it by its figures alone. */
static void twice_in_one_run(void **state)
{
	struct result *result = made_up_matrix(1, 1);

	(void)state;
	for (size_t i = 0; i < 4; i++)
		run_add_check(&result->run[i / 2], "diskstats", CHECK_WARNING, NULL, NULL, "%zu too many.", i);
	assert_rendered(result, "Warning: SEQ1M-Q8T1-Read and 1 more, diskstats (figures of the first): 0 too\n"
				"  many.\n"
				"Warning: SEQ1M-Q8T1-Read, diskstats: 1 too many.\n");
}

static void iterations_have_numbers(void **state)
{
	struct result *result = made_up_matrix(1, 3);

	(void)state;
	run_add_check(&result->run[1], "clock", CHECK_WARNING, NULL, NULL, "It stood still.");
	run_add_check(&result->run[2], "clock", CHECK_WARNING, NULL, NULL, "It stood still.");
	run_add_check(&result->run[4], "power", CHECK_WARNING, NULL, NULL, "On battery.");
	assert_rendered(result, "Warning: SEQ1M-Q8T1-Read #2 and 1 more, clock: It stood still.\n"
				"Warning: SEQ1M-Q8T1-Write #2, power: On battery.\n");
}

/* Each by itself, with what was asked and what came. */
static void expectations(void **state)
{
	struct result *result = made_up_matrix(1, 1);

	(void)state;
	judge(result, VERDICT_REAL);
	result->options.iterations = 3; /* it is of all of them */
	run_add_check(&result->run[0], "expectation", CHECK_PASSED, xstrdup("2,681 IOPS"), xstrdup("2,000 IOPS or more"),
		      "It did.");
	run_add_check(&result->run[2], "expectation", CHECK_FAILED, xstrdup("2,812 IOPS"), xstrdup("3,000 IOPS or more"),
		      "It reached 2,812 of 3,000.");
	run_add_check(&result->run[3], "expectation", CHECK_FAILED, xstrdup("2,813 IOPS"), xstrdup("3,000 IOPS or more"),
		      "It reached 2,813 of 3,000.");
	run_add_check(&result->run[3], "expectation", CHECK_UNKNOWN, NULL, NULL, "X, 1 ms or less: no I/O has ended.");
	assert_rendered(result, "Not as expected: It reached 2,812 of 3,000.\n"
				"Not as expected: It reached 2,813 of 3,000.\n"
				"Expected, and not known: X, 1 ms or less: no I/O has ended.\n");
}

static struct result *two_expectations(enum check_state state)
{
	struct result *result = made_up_matrix(2, 1);

	run_add_check(&result->run[0], "expectation", CHECK_PASSED, NULL, NULL, "It did.");
	run_add_check(&result->run[5], "expectation", state, NULL, NULL, "It may have.");
	run_add_check(&result->run[6], "expectation", CHECK_FAILED, NULL, NULL, "That is another target.");
	return result;
}

static void all_is_as_expected(void **state)
{
	struct result *result;

	(void)state;
	assert_rendered(two_expectations(CHECK_PASSED), "Expected: 2 of 2 met.\n");
	assert_rendered(two_expectations(CHECK_UNKNOWN), "Expected, and not known: It may have.\n");
	assert_rendered(two_expectations(CHECK_FAILED), "Not as expected: It may have.\n");
	result = two_expectations(CHECK_PASSED);
	made_up_not_done(&result->run[1], RUN_SKIPPED, "--read-only");
	assert_rendered(result, "Expected: 2 of 2 met.\n");
	result = two_expectations(CHECK_PASSED);
	made_up_not_done(&result->run[1], RUN_FAILED, "fio died");
	assert_rendered(result, "");
}

/* Other findings are for -v. */
static void limits_have_their_tests(void **state)
{
	struct result *result = made_up_matrix(1, 1);

	(void)state;
	for (size_t i = 0; i < 4; i++)
		run_add_finding(&result->run[i], "limit", NULL, NULL, "all %zu were at %s.", i + 1,
				i < 3 ? "sda" : "sdb");
	run_add_finding(&result->run[0], "depth", NULL, NULL, "Of 32 3 were at sda.");
	run_add_check(&result->run[4], "limit", CHECK_PASSED, NULL, NULL, "Nothing was.");
	run_add_check(&result->run[5], "limit", CHECK_WARNING, NULL, NULL, "Something was.");
	assert_rendered(result, "Limit of SEQ1M-Q8T1-Read, -Write, RND4K-Q32T16-Read (figures of\n"
				"  SEQ1M-Q8T1-Read): all 1 were at sda.\n"
				"Limit of RND4K-Q32T16-Write: all 4 were at sdb.\n"
				"Warning: RND4K-Q1T1-Write, limit: Something was.\n");
}

/* Once by each test, whatever the number of its runs. */
static void limits_of_iterations(void **state)
{
	struct result *result = made_up_matrix(1, 2);

	(void)state;
	for (size_t i = 0; i < 12; i++)
		run_add_finding(&result->run[i], "limit", NULL, NULL, "CPU 1 was %zu %% busy.", 90 + i % 2);
	assert_rendered(result, "Limit of all 6 tests (figures of SEQ1M-Q8T1-Read #1): CPU 1 was 90 % busy.\n");
}

/* Iterations have numbers where they differ. */
static void limits_that_differ_between_iterations(void **state)
{
	struct result *result = made_up_matrix(1, 3);

	(void)state;
	for (size_t i = 0; i < 6; i++)
		run_add_finding(&result->run[i], "limit", NULL, NULL, "%s.", i == 1 ? "The CPU" : "The disk");
	assert_rendered(result, "Limit of SEQ1M-Q8T1-Read #1, #3, -Write: The disk.\n"
				"Limit of SEQ1M-Q8T1-Read #2: The CPU.\n");
}

static void a_traced_program(void **state)
{
	struct result *result = made_up_program();

	(void)state;
	judge(result, VERDICT_NOT_REAL);
	run_add_finding(&result->run[0], "limit", NULL, NULL, "The disk.");
	run_add_check(&result->run[0], "cache", CHECK_FAILED, NULL, NULL, "The page cache answered.");
	assert_rendered(result, "Limit: The disk.\n"
				"NOT REAL: cache: The page cache answered.\n");
}

static void verdicts_have_colours(void **state)
{
	struct result *result = made_up_matrix(1, 1);
	char *report;

	(void)state;
	result->run[0].verdict = VERDICT_NOT_REAL;
	result->run[1].verdict = VERDICT_SUSPECT;
	run_add_check(&result->run[0], "cache", CHECK_FAILED, NULL, NULL, "a");
	run_add_check(&result->run[1], "identity", CHECK_FAILED, NULL, NULL, "b");
	run_add_check(&result->run[2], "cpu", CHECK_WARNING, NULL, NULL, "c");
	report = render(result, true);
	assert_string_equal(report, "\033[31mNOT REAL: SEQ1M-Q8T1-Read, cache: a\033[0m\n"
				    "\033[33mSUSPECT: SEQ1M-Q8T1-Write, identity: b\033[0m\n"
				    "\033[33mWarning: RND4K-Q32T16-Read, cpu: c\033[0m\n");
	free(report);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_alike),
		cmocka_unit_test(the_worst_comes_first),
		cmocka_unit_test(without_a_verdict),
		cmocka_unit_test(the_same_of_many_tests_is_one_line),
		cmocka_unit_test(whose_figures_they_are),
		cmocka_unit_test(all_that_are_done),
		cmocka_unit_test(twice_in_one_run),
		cmocka_unit_test(iterations_have_numbers),
		cmocka_unit_test(expectations),
		cmocka_unit_test(all_is_as_expected),
		cmocka_unit_test(limits_have_their_tests),
		cmocka_unit_test(limits_of_iterations),
		cmocka_unit_test(limits_that_differ_between_iterations),
		cmocka_unit_test(a_traced_program),
		cmocka_unit_test(verdicts_have_colours),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
