// SPDX-License-Identifier: GPL-2.0
#include "expect.h"

#include <fnmatch.h>
#include <string.h>

bool expectation_applies(const struct expectation *expectation, const struct test *test)
{
	return !expectation->tests || !fnmatch(expectation->tests, test->name, FNM_CASEFOLD);
}

bool measure_is_time(enum measure measure)
{
	return measure != MEASURE_IOPS && measure != MEASURE_MBPS;
}

static bool has_expectation_in(const struct result *result, enum check_state state)
{
	for (size_t i = 0; i < result->runs; i++)
		for (size_t c = 0; c < result->run[i].checks; c++)
			if (result->run[i].check[c].state == state &&
			    !strcmp(result->run[i].check[c].name, EXPECTATION_CHECK))
				return true;
	return false;
}

bool result_fails_expectation(const struct result *result)
{
	return has_expectation_in(result, CHECK_FAILED);
}

bool result_leaves_expectation_open(const struct result *result)
{
	return has_expectation_in(result, CHECK_UNKNOWN);
}
