/* SPDX-License-Identifier: GPL-2.0 */
/* Where the time of an I/O goes, in words. */
#ifndef REPORT_WHERE_H
#define REPORT_WHERE_H

#include "view.h"

/*
 * What a single I/O takes and where, for the tests of depth 1 on `target`. `explain`: say how the shares of the others
 * are to be read.
 */
void print_where(const struct view *view, size_t target, bool explain);

/* "read", "write", or "I/O" of a mix. */
const char *test_noun(const struct test *test);

/* Its name behind that of `last` in a list: after "SEQ1M-Q8T1-Read" only the "-Write" of "SEQ1M-Q8T1-Write" is said. */
const char *test_name_after(const struct test *test, const struct test *last);

/* One I/O at a time: what it takes is what it costs. */
bool is_single(const struct test *test);

#endif
