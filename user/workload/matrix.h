/* SPDX-License-Identifier: GPL-2.0 */
/* The tests and their names: (SEQ|RND)<size>-Q<depth>T<jobs>-(Read|Write|Mix<read %>). */
#ifndef WORKLOAD_MATRIX_H
#define WORKLOAD_MATRIX_H

#include "result/result.h"

/* CrystalDiskMark's six, in the series' order. */
#define MATRIX_STANDARD                                                                                                \
	"SEQ1M-Q8T1-Read,SEQ1M-Q8T1-Write,RND4K-Q32T16-Read,RND4K-Q32T16-Write,RND4K-Q1T1-Read,RND4K-Q1T1-Write"

/* What a sweep goes over where nothing else is asked for. */
#define SWEEP_STANDARD "RND4K-Q1T1-Read"

/* 0, or -EINVAL for a name that the grammar does not know. The test's own name is spelt as in the matrix. */
int test_parse(const char *name, struct test *test);

/*
 * A comma-separated list. Returns 0 and an array that the caller frees; or -EINVAL for a name that the grammar does not
 * know or -EEXIST for one that is there twice, with *bad set to it, which the caller frees.
 */
int test_parse_list(const char *list, struct test **tests, size_t *count, char **bad);

/*
 * The same pattern at each depth of a comma-separated list of at least two, the least first. Returns 0 and an array
 * that the caller frees; or, with *bad set to the depth that is wrong, which the caller frees, -EINVAL for one that is
 * no whole number, -ERANGE for 0 and for one that is too much over all jobs, -EEXIST for one that is there twice, and
 * -ENODATA for one that is alone.
 */
int test_sweep(const struct test *pattern, const char *depths, struct test **tests, size_t *count, char **bad);

/* Whether the test writes to its target. */
bool test_writes(const struct test *test);

#endif
