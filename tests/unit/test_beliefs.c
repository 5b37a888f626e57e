// SPDX-License-Identifier: GPL-2.0
#include "report/beliefs.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "made_up_result.h"
#include "shown.h"

/* The blocks of all runs of `result`, which is freed. */
static char *render(struct result *result, bool colour, bool numbered)
{
	const struct run **runs = xcalloc(result->runs, sizeof(const struct run *));
	struct text out = {0};
	const struct screen screen = {.out = &out, .colour = colour};

	for (size_t i = 0; i < result->runs; i++)
		runs[i] = &result->run[i];
	print_beliefs(&screen, runs, result->runs, numbered);
	free(runs);
	result_free(result);
	return text_take(&out);
}

static void every_check(void **state)
{
	struct result *result = made_up_result(1);
	struct run *run = made_up_run(result, 0, 4, 1, 1);
	char *report;

	(void)state;
	run->verdict = VERDICT_SUSPECT;
	run_add_check(run, "balance", CHECK_PASSED, xstrdup("12 bytes"), xstrdup("12 bytes"), "The same.");
	run_add_finding(run, "limit", xstrdup("31.9"), NULL, "All were at sda.");
	run_add_check(run, "await", CHECK_WARNING, NULL, xstrdup("1 < 2"), "It is not.");
	run_add_check(run, "cache", CHECK_FAILED, NULL, NULL, "None arrived.");
	run_add_check(run, "clock", CHECK_NOT_APPLICABLE, NULL, NULL, "There is none.");
	run_add_check(run, "link", CHECK_UNKNOWN, NULL, NULL, "It does not tell.");
	report = render(result, false, false);
	assert_string_equal(report, "\nchecks: SUSPECT\n"
				    "balance, passed: The same.\n"
				    "  found 12 bytes; expected 12 bytes\n"
				    "limit, passed: All were at sda.\n"
				    "  found 31.9\n"
				    "await, warning: It is not.\n"
				    "  expected 1 < 2\n"
				    "cache, failed: None arrived.\n"
				    "clock, not applicable: There is none.\n"
				    "link, unknown: It does not tell.\n");
	free(report);
}

/* One without checks has no block. */
static void each_run_by_itself(void **state)
{
	struct result *result = made_up_result(1);
	char *report;

	(void)state;
	for (unsigned i = 1; i <= 3; i++)
		made_up_run(result, 0, 4, i, 1);
	run_add_check(&result->run[0], "link", CHECK_PASSED, NULL, NULL, "Below.");
	run_add_check(&result->run[2], "link", CHECK_FAILED, NULL, NULL, "Above.");
	report = render(result, true, true);
	assert_string_equal(report, "\n\033[1mchecks #1\033[0m\nlink, passed: Below.\n"
				    "\n\033[1mchecks #3\033[0m\n\033[31mlink, failed: Above.\033[0m\n");
	free(report);
}

static void hostile_and_long(void **state)
{
	struct result *result = made_up_result(1);
	struct run *run = made_up_run(result, 0, 4, 1, 1);
	char *report;

	(void)state;
	run_add_check(run, "foreign", CHECK_WARNING, xstrdup("\033[2J"), NULL,
		      "A sentence so long that it takes more than a line of the screen, \033[2J, and goes on.");
	report = render(result, false, false);
	assert_harmless(report);
	assert_fits(report);
	free(report);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_check),
		cmocka_unit_test(each_run_by_itself),
		cmocka_unit_test(hostile_and_long),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
