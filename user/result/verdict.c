// SPDX-License-Identifier: GPL-2.0
#include "verdict.h"

#include <string.h>

#include "base/text.h"

/* What a check lets the verdict be where it is a warning, and where it failed. */
static const struct rule {
	const char *check;
	enum verdict warning, failed;
} rules[] = {
	/* no disk did the work */
	{"medium", VERDICT_SUSPECT, VERDICT_NOT_REAL},
	{"cache", VERDICT_SUSPECT, VERDICT_NOT_REAL},
	{"direct", VERDICT_SUSPECT, VERDICT_SUSPECT},
	{"layout", VERDICT_SUSPECT, VERDICT_NOT_REAL},
	/* the figures contradict themselves, or are not complete */
	{"balance", VERDICT_SUSPECT, VERDICT_SUSPECT},
	{"identity", VERDICT_SUSPECT, VERDICT_SUSPECT},
	{"ios", VERDICT_SUSPECT, VERDICT_SUSPECT},
	{"outer sum", VERDICT_SUSPECT, VERDICT_SUSPECT},
	{"coverage", VERDICT_SUSPECT, VERDICT_SUSPECT},
	{"diskstats", VERDICT_SUSPECT, VERDICT_SUSPECT},
	{"await", VERDICT_SUSPECT, VERDICT_SUSPECT},
	{"percentiles", VERDICT_SUSPECT, VERDICT_SUSPECT},
	{"little", VERDICT_SUSPECT, VERDICT_SUSPECT},
	/* it was something else than this workload on this disk, or not the same all the time */
	{"nearness", VERDICT_SUSPECT, VERDICT_SUSPECT},
	{"link", VERDICT_SUSPECT, VERDICT_SUSPECT},
	{"foreign", VERDICT_SUSPECT, VERDICT_SUSPECT},
	{"cap", VERDICT_SUSPECT, VERDICT_SUSPECT},
	{"steady", VERDICT_SUSPECT, VERDICT_SUSPECT},
	{"iterations", VERDICT_SUSPECT, VERDICT_SUSPECT},
	{"array", VERDICT_SUSPECT, VERDICT_SUSPECT},
	{"clock", VERDICT_SUSPECT, VERDICT_SUSPECT},
	{"power", VERDICT_SUSPECT, VERDICT_SUSPECT},
	{"durability", VERDICT_SUSPECT, VERDICT_SUSPECT},
	/* the number is what it is: these explain it, or judge it */
	{"depth", VERDICT_REAL, VERDICT_REAL},
	{"cpu", VERDICT_REAL, VERDICT_REAL},
	{"splits", VERDICT_REAL, VERDICT_REAL},
	{"observer", VERDICT_REAL, VERDICT_REAL},
	{"limit", VERDICT_REAL, VERDICT_REAL},
	{"expectation", VERDICT_REAL, VERDICT_REAL},
};

/* One that has no row yet counts: a check that was forgotten here must not pass in silence. */
static const struct rule unknown = {NULL, VERDICT_SUSPECT, VERDICT_SUSPECT};

static const struct rule *rule_of(const char *check)
{
	for (size_t i = 0; i < ARRAY_SIZE(rules); i++)
		if (!strcmp(rules[i].check, check))
			return &rules[i];
	return &unknown;
}

enum verdict verdict_of_check(const struct check *check)
{
	if (check->state == CHECK_WARNING)
		return rule_of(check->name)->warning;
	return check->state == CHECK_FAILED ? rule_of(check->name)->failed : VERDICT_REAL;
}

static bool is_named(const struct check *check, const char *name)
{
	return !strcmp(check->name, name);
}

/* What must be known before a number is called real. */
static bool enough_is_known(const struct run *run)
{
	bool coverage = false, medium = false, cache = false;

	for (size_t i = 0; i < run->checks; i++) {
		const struct check *check = &run->check[i];

		coverage |= is_named(check, "coverage") && check->state == CHECK_PASSED;
		medium |= is_named(check, "medium") && check->state == CHECK_PASSED;
		if (is_named(check, "cache") && check->state == CHECK_UNKNOWN)
			return false; /* it has one for each direction */
		cache |= is_named(check, "cache") && check->state == CHECK_PASSED;
	}
	return run->trace && coverage && medium && cache;
}

_Static_assert(VERDICT_REAL < VERDICT_SUSPECT && VERDICT_SUSPECT < VERDICT_NOT_REAL, "they grow worse");

enum verdict verdict_of(const struct run *run)
{
	enum verdict worst = VERDICT_REAL;

	if (run->state != RUN_DONE)
		return VERDICT_NONE;
	for (size_t i = 0; i < run->checks; i++)
		if (verdict_of_check(&run->check[i]) > worst)
			worst = verdict_of_check(&run->check[i]);
	return worst > VERDICT_REAL || enough_is_known(run) ? worst : VERDICT_NONE;
}

enum verdict verdict_of_runs(const struct run *const *runs, size_t count)
{
	enum verdict worst = VERDICT_NONE;
	bool unknown = false;

	for (size_t i = 0; i < count; i++) {
		if (runs[i]->state != RUN_DONE)
			continue;
		unknown |= runs[i]->verdict == VERDICT_NONE;
		if (runs[i]->verdict > worst)
			worst = runs[i]->verdict;
	}
	return unknown && worst == VERDICT_REAL ? VERDICT_NONE : worst;
}
