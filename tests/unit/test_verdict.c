// SPDX-License-Identifier: GPL-2.0
#include "result/verdict.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/text.h"

static struct result *result;
static struct run *run;

static void add(const char *name, enum check_state state)
{
	run_add_check(run, name, state, NULL, NULL, "It is what it is.");
}

/* What a run needs to be called real. */
static int make_real(void **state)
{
	(void)state;
	result = result_new();
	run = result_add_run(result);
	run->trace = xcalloc(1, sizeof(*run->trace));
	add("coverage", CHECK_PASSED);
	add("medium", CHECK_PASSED);
	add("cache", CHECK_PASSED);
	return 0;
}

static int free_run(void **state)
{
	(void)state;
	result_free(result);
	return 0;
}

static void assert_verdict(enum verdict verdict)
{
	if (verdict_of(run) != verdict)
		fail_msg("it is '%s', not '%s'", verdict_name[verdict_of(run)], verdict_name[verdict]);
}

static void real(void **state)
{
	(void)state;
	assert_verdict(VERDICT_REAL);
	add("steady", CHECK_UNKNOWN);
	add("array", CHECK_NOT_APPLICABLE);
	run_add_finding(run, "depth", NULL, NULL, "It is told all the same.");
	assert_verdict(VERDICT_REAL);
}

/* A run that did not end well has no number. */
static void not_done(void **state)
{
	static const enum run_state states[] = {RUN_FAILED, RUN_SKIPPED, RUN_INTERRUPTED};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(states); i++) {
		run->state = states[i];
		assert_verdict(VERDICT_NONE);
	}
}

/* With each of these gone, or unknown, nothing can be said; and the worst still can. */
static void too_little_is_known(void **state)
{
	static const enum check_state states[] = {CHECK_UNKNOWN, CHECK_NOT_APPLICABLE};
	static const enum verdict known[][3] = {/* coverage, medium, cache */
						{VERDICT_NONE, VERDICT_NONE, VERDICT_NONE},
						{VERDICT_NONE, VERDICT_NONE, VERDICT_NONE}};

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		for (size_t s = 0; s < ARRAY_SIZE(states); s++) {
			run->check[i].state = states[s];
			assert_verdict(known[s][i]);
		}
		run->check[i].state = CHECK_PASSED;
	}
	for (size_t i = 0; i < 3; i++) {
		char *name = run->check[i].name;

		run->check[i].name = xstrdup("await");
		assert_verdict(VERDICT_NONE);
		free(run->check[i].name);
		run->check[i].name = name;
	}
	assert_verdict(VERDICT_REAL);
	run->check[0].state = CHECK_NOT_APPLICABLE;
	run->check[2].state = CHECK_FAILED;
	assert_verdict(VERDICT_NOT_REAL);
}

/* Each direction has a check of its own. */
static void one_direction_is_unknown(void **state)
{
	(void)state;
	add("cache", CHECK_UNKNOWN);
	assert_verdict(VERDICT_NONE);
}

static void without_a_trace(void **state)
{
	(void)state;
	trace_view_free(run->trace);
	run->trace = NULL;
	assert_verdict(VERDICT_NONE);
	add("medium", CHECK_FAILED);
	assert_verdict(VERDICT_NOT_REAL);
}

static void assert_lowers(const char *name, enum verdict warning, enum verdict failed)
{
	struct check check = {.name = (char *)name, .state = CHECK_WARNING};

	if (verdict_of_check(&check) != warning)
		fail_msg("a warning of %s: %s", name, verdict_name[verdict_of_check(&check)]);
	check.state = CHECK_FAILED;
	if (verdict_of_check(&check) != failed)
		fail_msg("%s failed: %s", name, verdict_name[verdict_of_check(&check)]);
	for (int state = 0; state < CHECK_STATES; state++) {
		check.state = state;
		if (state != CHECK_WARNING && state != CHECK_FAILED)
			assert_int_equal(verdict_of_check(&check), VERDICT_REAL);
	}
}

static void each_check(void **state)
{
	static const char *const not_real[] = {"medium", "cache", "layout"};
	static const char *const suspect[] = {"balance",   "identity", "ios",	      "outer sum",  "coverage",
					      "diskstats", "await",    "percentiles", "nearness",   "link",
					      "foreign",   "cap",      "little",      "steady",	    "iterations",
					      "array",	   "clock",    "power",	      "durability", "not known here"};
	static const char *const never[] = {"depth", "cpu", "splits", "observer", "limit", "expectation"};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(not_real); i++)
		assert_lowers(not_real[i], VERDICT_SUSPECT, VERDICT_NOT_REAL);
	for (size_t i = 0; i < ARRAY_SIZE(suspect); i++)
		assert_lowers(suspect[i], VERDICT_SUSPECT, VERDICT_SUSPECT);
	for (size_t i = 0; i < ARRAY_SIZE(never); i++)
		assert_lowers(never[i], VERDICT_REAL, VERDICT_REAL);
}

/* Whatever their order. */
static void the_worst_matters(void **state)
{
	(void)state;
	add("cpu", CHECK_WARNING);
	assert_verdict(VERDICT_REAL);
	add("foreign", CHECK_WARNING);
	assert_verdict(VERDICT_SUSPECT);
	add("layout", CHECK_FAILED);
	assert_verdict(VERDICT_NOT_REAL);
	add("identity", CHECK_FAILED);
	assert_verdict(VERDICT_NOT_REAL);
}

/* --- several runs --- */

static void assert_together(enum verdict first, enum verdict second, enum run_state second_state, enum verdict all)
{
	const struct run one = {.verdict = first}, other = {.verdict = second, .state = second_state};
	const struct run *const runs[] = {&one, &other};

	assert_int_equal(verdict_of_runs(runs, 2), all);
}

static void the_worst_of_several(void **state)
{
	(void)state;
	assert_int_equal(verdict_of_runs(NULL, 0), VERDICT_NONE);
	assert_together(VERDICT_REAL, VERDICT_REAL, RUN_DONE, VERDICT_REAL);
	assert_together(VERDICT_REAL, VERDICT_NONE, RUN_DONE, VERDICT_NONE);
	assert_together(VERDICT_REAL, VERDICT_NONE, RUN_FAILED, VERDICT_REAL);
	assert_together(VERDICT_SUSPECT, VERDICT_NONE, RUN_DONE, VERDICT_SUSPECT);
	assert_together(VERDICT_SUSPECT, VERDICT_NOT_REAL, RUN_DONE, VERDICT_NOT_REAL);
}

int main(void)
{
#define OF_REAL(test) cmocka_unit_test_setup_teardown(test, make_real, free_run)
	const struct CMUnitTest tests[] = {
		OF_REAL(real),
		OF_REAL(not_done),
		OF_REAL(too_little_is_known),
		OF_REAL(one_direction_is_unknown),
		OF_REAL(without_a_trace),
		OF_REAL(each_check),
		OF_REAL(the_worst_matters),
		cmocka_unit_test(the_worst_of_several),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
