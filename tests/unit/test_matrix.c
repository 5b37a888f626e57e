// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/text.h"
#include "workload/matrix.h"

static void names_are_taken_apart(void **state)
{
	struct test test;

	(void)state;
	assert_int_equal(test_parse("RND4K-Q32T16-Mix70", &test), 0);
	assert_true(test.random);
	assert_int_equal(test.access, ACCESS_MIX);
	assert_int_equal(test.read_percent, 70);
	assert_int_equal(test.block_size, 4096);
	assert_int_equal(test.depth, 32);
	assert_int_equal(test.jobs, 16);
	assert_true(test_writes(&test));

	assert_int_equal(test_parse("SEQ1M-Q8T1-Read", &test), 0);
	assert_false(test.random);
	assert_int_equal(test.access, ACCESS_READ);
	assert_int_equal(test.read_percent, 100);
	assert_int_equal(test.block_size, 1 << 20);
	assert_int_equal(test.depth, 8);
	assert_int_equal(test.jobs, 1);
	assert_false(test_writes(&test));
}

static void names_are_spelt_one_way(void **state)
{
	const struct {
		const char *given, *spelt;
	} names[] = {
		{"seq1m-q8t1-read", "SEQ1M-Q8T1-Read"},	   {"RND1024K-Q1T1-WRITE", "RND1M-Q1T1-Write"},
		{"rnd512-q1t1-mix1", "RND512-Q1T1-Mix1"},  {"SEQ4096-Q1T1-Write", "SEQ4K-Q1T1-Write"},
		{"RND64M-Q2T2-Mix99", "RND64M-Q2T2-Mix99"},
	};
	struct test test;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		assert_int_equal(test_parse(names[i].given, &test), 0);
		assert_string_equal(test.name, names[i].spelt);
	}
}

static void other_names_are_refused(void **state)
{
	const char *const names[] = {
		"",		     "SEQ1M",		  "SEQ1M-Q8T1",		 "SEQ1M-Q8T1-",		"SEQ1M-Q8T1-Trim",
		"ABC1M-Q8T1-Read",   "SEQ-Q8T1-Read",	  "SEQ0-Q8T1-Read",	 "SEQ513-Q8T1-Read",	"SEQ65M-Q8T1-Read",
		"SEQ1M-Q0T1-Read",   "SEQ1M-Q8T0-Read",	  "SEQ1M-Q8-Read",	 "SEQ1M-8T1-Read",	"SEQ1M-Q8T1-Mix0",
		"SEQ1M-Q8T1-Mix100", "SEQ1M-Q8T1-Read-x", "SEQ1M-Q99999T1-Read", "SEQ1M-Q8T1025-Read", "RND4K-Q65536T2-Read",	"SEQ1M-Q8T1-Mix",
		"SEQ1M-Q-8T1-Read",  " SEQ1M-Q8T1-Read",
	};
	struct test test = {.depth = 77};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (test_parse(names[i], &test) != -EINVAL)
			fail_msg("'%s' was taken for a test", names[i]);
	assert_int_equal(test.depth, 77);
}

static void the_standard_list_is_the_matrix(void **state)
{
	struct test *tests;
	size_t count;
	char *bad;

	(void)state;
	assert_int_equal(test_parse_list(MATRIX_STANDARD, &tests, &count, &bad), 0);
	assert_int_equal(count, 6);
	assert_string_equal(tests[0].name, "SEQ1M-Q8T1-Read");
	assert_string_equal(tests[3].name, "RND4K-Q32T16-Write");
	assert_string_equal(tests[5].name, "RND4K-Q1T1-Write");
	free(tests);
}

static void a_list_names_what_is_wrong_in_it(void **state)
{
	struct test *tests;
	size_t count;
	char *bad;

	(void)state;
	assert_int_equal(test_parse_list("SEQ1M-Q8T1-Read,nonsense", &tests, &count, &bad), -EINVAL);
	assert_string_equal(bad, "nonsense");
	free(bad);
	assert_int_equal(test_parse_list("SEQ1M-Q8T1-Read,seq1024k-q8t1-read", &tests, &count, &bad), -EEXIST);
	assert_string_equal(bad, "seq1024k-q8t1-read");
	free(bad);
	assert_int_equal(test_parse_list("SEQ1M-Q8T1-Read,", &tests, &count, &bad), -EINVAL);
	assert_string_equal(bad, "");
	free(bad);
}

static struct test pattern(const char *name)
{
	struct test test;

	assert_int_equal(test_parse(name, &test), 0);
	return test;
}

static void a_sweep_is_one_pattern_over_depths(void **state)
{
	const struct test mixed = pattern("RND8K-Q3T2-Mix70");
	struct test *tests;
	size_t count;
	char *bad;

	(void)state;
	assert_int_equal(test_sweep(&mixed, "16,1,256,4", &tests, &count, &bad), 0);
	assert_int_equal(count, 4);
	assert_string_equal(tests[0].name, "RND8K-Q1T2-Mix70");
	assert_string_equal(tests[1].name, "RND8K-Q4T2-Mix70");
	assert_string_equal(tests[2].name, "RND8K-Q16T2-Mix70");
	assert_string_equal(tests[3].name, "RND8K-Q256T2-Mix70");
	for (size_t i = 0; i < count; i++) {
		assert_true(tests[i].random && tests[i].access == ACCESS_MIX);
		assert_int_equal(tests[i].read_percent, 70);
		assert_int_equal(tests[i].block_size, 8192);
		assert_int_equal(tests[i].jobs, 2);
	}
	assert_int_equal(tests[3].depth, 256);
	free(tests);
	assert_int_equal(test_sweep(&mixed, "1,32768", &tests, &count, &bad), 0); /* the most over two jobs */
	free(tests);
}

static void other_depths_are_refused(void **state)
{
	const struct test read = pattern("RND4K-Q1T1-Read"), jobs = pattern("RND4K-Q1T16-Read");
	const struct {
		const struct test *pattern;
		const char *depths;
		int err;
		const char *bad;
	} rows[] = {
		{&read, "", -EINVAL, ""},	      {&read, "1,", -EINVAL, ""},
		{&read, ",1", -EINVAL, ""},	      {&read, "1,2x,4", -EINVAL, "2x"},
		{&read, "1,-2", -EINVAL, "-2"},	      {&read, "1, 2", -EINVAL, " 2"},
		{&read, "1,2.5", -EINVAL, "2.5"},     {&read, "1,0", -ERANGE, "0"},
		{&read, "1,65537", -ERANGE, "65537"}, {&read, "1,2,1", -EEXIST, "1"},
		{&read, "2,02", -EEXIST, "02"},	      {&read, "8", -ENODATA, "8"},
		{&jobs, "1,4097", -ERANGE, "4097"},   {&read, "1,99999999999999999999", -ERANGE, "99999999999999999999"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct test *tests = NULL;
		size_t count = 77;
		char *bad;

		assert_int_equal(test_sweep(rows[i].pattern, rows[i].depths, &tests, &count, &bad), rows[i].err);
		assert_string_equal(bad, rows[i].bad);
		free(bad);
		assert_null(tests);
		assert_int_equal(count, 77);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_are_taken_apart),
		cmocka_unit_test(names_are_spelt_one_way),
		cmocka_unit_test(other_names_are_refused),
		cmocka_unit_test(the_standard_list_is_the_matrix),
		cmocka_unit_test(a_list_names_what_is_wrong_in_it),
		cmocka_unit_test(a_sweep_is_one_pattern_over_depths),
		cmocka_unit_test(other_depths_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
