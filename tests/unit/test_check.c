// SPDX-License-Identifier: GPL-2.0
#include "result/check.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "checked.h"

/* Whatever else is checked, beside what must pass: it may not apply, or too little may be known for it. */
static void assert_nothing_against(void)
{
	for (size_t i = 0; i < run->checks; i++)
		if (run->check[i].state == CHECK_WARNING || run->check[i].state == CHECK_FAILED)
			fail_msg("%s: %s", run->check[i].name, run->check[i].sentence);
}

static void assert_passed(const char *name, size_t count)
{
	assert_int_equal(count_checks(name), count);
	for (size_t i = 0; i < count; i++)
		assert_state(nth_check(name, i), CHECK_PASSED);
}

static void all_passes(void **state)
{
	static const char *const names[] = {"balance",	"coverage", "await", "identity",  "diskstats",
					    "identity", "ios",	    "ios",   "outer sum", "percentiles"};

	(void)state;
	fill_ios(OP_READ);
	judge(&read_test);
	assert_true(run->checks >= ARRAY_SIZE(names));
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		assert_string_equal(run->check[i].name, names[i]);
		assert_state(&run->check[i], CHECK_PASSED);
	}
	assert_nothing_against();
}

static void writes_pass_too(void **state)
{
	static const char *const names[] = {"balance", "coverage", "await", "diskstats", "outer sum", "percentiles"};

	(void)state;
	fill_ios(OP_WRITE);
	judge(&write_test);
	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		assert_passed(names[i], 1);
	assert_passed("identity", 2);
	assert_passed("ios", 2);
	assert_nothing_against();
}

static void unfinished_runs_are_not_checked(void **state)
{
	(void)state;
	run->state = RUN_FAILED;
	judge(&read_test);
	assert_int_equal(run->checks, 0);
}

static void a_run_without_a_trace(void **state)
{
	static const char *const traced[] = {"balance",	  "coverage", "await",	  "identity",
					     "diskstats", "ios",      "outer sum"};

	(void)state;
	trace_view_free(run->trace);
	run->trace = NULL;
	judge(&read_test);
	assert_passed("percentiles", 1);
	for (size_t i = 0; i < ARRAY_SIZE(traced); i++)
		assert_int_equal(count_checks(traced[i]), 0);
	assert_nothing_against();
}

/* A traced program has no engine to be compared with. */
static void a_trace_is_checked(void **state)
{
	static const char *const of_engines[] = {"balance", "await", "outer sum", "percentiles"};

	(void)state;
	fill_ios(OP_READ);
	engine_figures_free(run->engine);
	run->engine = NULL;
	judge(NULL);
	assert_passed("identity", 2);
	assert_passed("diskstats", 1);
	assert_passed("ios", 1);
	for (size_t i = 0; i < ARRAY_SIZE(of_engines); i++)
		assert_int_equal(count_checks(of_engines[i]), 0);
	assert_nothing_against();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		READS(all_passes),
		WRITES(writes_pass_too),
		READS(unfinished_runs_are_not_checked),
		READS(a_run_without_a_trace),
		READS(a_trace_is_checked),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
