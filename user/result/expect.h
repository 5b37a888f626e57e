/* SPDX-License-Identifier: GPL-2.0 */
/* What --expect says of tests. */
#ifndef RESULT_EXPECT_H
#define RESULT_EXPECT_H

#include "result.h"

/* The name of the checks. */
#define EXPECTATION_CHECK "expectation"

/* Whether it says something of this test: the name fits, large or small letters. */
bool expectation_applies(const struct expectation *expectation, const struct test *test);

/* Whether the limit is a time, in ns, and what is found may not be above it; else a rate, and not below. */
bool measure_is_time(enum measure measure);

/* Whether one of the result's runs did not do what was expected of it, or it can't be told whether it did. */
bool result_fails_expectation(const struct result *result);
bool result_leaves_expectation_open(const struct result *result);

#endif
