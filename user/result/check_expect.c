// SPDX-License-Identifier: GPL-2.0
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/format.h"
#include "base/text.h"
#include "checks.h"
#include "expect.h"
#include "summary.h"

/* --- the runs of the test --- */

struct test_runs {
	const struct run **run;
	size_t count;
	bool failed; /* one of them */
};

static void find_runs(struct test_runs *runs, const struct checking *checking)
{
	const struct result *result = checking->result;

	*runs = (struct test_runs){.run = xcalloc(result->runs, sizeof(const struct run *))};
	for (size_t i = 0; i < result->runs; i++) {
		const struct run *run = &result->run[i];

		if (run->target != checking->run->target || run->test != checking->run->test)
			continue;
		runs->run[runs->count++] = run;
		runs->failed |= run->state == RUN_FAILED;
	}
}

/* --- figures --- */

static bool has_latency(const struct test_runs *runs, const struct checking *checking, enum latency_kind kind)
{
	for (size_t i = 0; i < runs->count; i++)
		for (int op = 0; op < DIRECTIONS; op++)
			if (runs->run[i]->engine && test_has_op(checking->test, op) &&
			    runs->run[i]->engine->direction[op].latency[kind].count)
				return true;
	return false;
}

/* As the CSV has them, so that nobody sees 3,000 IOPS fall short of 3,000. False: the runs don't have it. */
static bool figure_of(enum measure measure, const struct summary *summary, double *figure)
{
	enum percentile percentile = measure == MEASURE_P99 ? P99 : P99_9;

	switch (measure) {
	case MEASURE_IOPS:
		*figure = floor(summary->ios_per_second + 0.5);
		return true;
	case MEASURE_MBPS:
		*figure = floor(summary->bytes_per_second / 1e4 + 0.5) / 100;
		return true;
	case MEASURE_LAT:
		*figure = summary->mean;
		return true;
	default:
		*figure = (double)summary->percentile[percentile];
		return summary->has_percentile[percentile];
	}
}

static const char *unit_of(enum measure measure)
{
	return measure == MEASURE_IOPS ? "IOPS" : "MB/s";
}

/* "3,000", "0.5"; a found rate has the places of the CSV. */
static char *format_rate(char out[FORMAT_LENGTH], double rate, int places)
{
	if (rate == floor(rate) && rate < 1e18 && !places)
		return format_count(out, (uint64_t)rate);
	if (places)
		return format_fixed(out, rate, places);
	snprintf(out, FORMAT_LENGTH, "%.10g", rate);
	return out;
}

/* "mean lat", "p99 of lat" */
static char *name_of_time(enum measure measure, enum latency_kind kind)
{
	if (measure == MEASURE_LAT)
		return xasprintf("mean %s", latency_name[kind]);
	return xasprintf("%s of %s", measure_name[measure], latency_name[kind]);
}

/* --- the check --- */

/* " in 3 runs" */
static const char *over_runs(char out[FORMAT_LENGTH], size_t runs)
{
	if (runs > 1)
		snprintf(out, FORMAT_LENGTH, " in %zu runs", runs);
	else
		out[0] = '\0';
	return out;
}

static void judge_rate(const struct checking *checking, const struct expectation *expectation, double figure,
		       size_t runs)
{
	const char *unit = unit_of(expectation->measure), *name = checking->test->name;
	char number[FORMAT_LENGTH], limit[FORMAT_LENGTH], over[FORMAT_LENGTH];
	char *found, *expected;

	format_rate(number, figure, expectation->measure == MEASURE_MBPS ? 2 : 0);
	format_rate(limit, expectation->limit, 0);
	over_runs(over, runs);
	found = xasprintf("%s %s", number, unit);
	expected = xasprintf("%s %s or more", limit, unit);
	if (figure >= expectation->limit)
		run_add_check(checking->run, EXPECTATION_CHECK, CHECK_PASSED, found, expected,
			      "%s reached %s %s%s; %s were expected.", name, number, unit, over, limit);
	else
		run_add_check(checking->run, EXPECTATION_CHECK, CHECK_FAILED, found, expected,
			      "%s reached %s of the %s %s expected%s.", name, number, limit, unit, over);
}

/* One that is a trifle too long looks like what was expected: then both are told to the ns. */
static void format_times(char found[FORMAT_LENGTH], char limit[FORMAT_LENGTH], double figure, double most)
{
	char count[FORMAT_LENGTH];

	format_latency(found, figure);
	format_latency(limit, most);
	if (figure <= most || strcmp(found, limit))
		return;
	snprintf(found, FORMAT_LENGTH, "%s ns", format_count(count, (uint64_t)ceil(figure)));
	snprintf(limit, FORMAT_LENGTH, "%s ns", format_count(count, (uint64_t)most));
}

static void judge_time(const struct checking *checking, const struct expectation *expectation, double figure,
		       size_t runs)
{
	char *name = name_of_time(expectation->measure, checking->result->options.latency);
	char time[FORMAT_LENGTH], limit[FORMAT_LENGTH], over[FORMAT_LENGTH];

	format_times(time, limit, figure, expectation->limit);
	run_add_check(checking->run, EXPECTATION_CHECK, figure <= expectation->limit ? CHECK_PASSED : CHECK_FAILED,
		      xasprintf("%s %s", name, time), xasprintf("%s of %s or less", name, limit),
		      "%s has a %s of %s%s; at most %s was expected.", checking->test->name, name, time,
		      over_runs(over, runs), limit);
	free(name);
}

static char *whats_expected(const struct expectation *expectation, enum latency_kind kind)
{
	char limit[FORMAT_LENGTH], *name, *expected;

	if (!measure_is_time(expectation->measure))
		return xasprintf("%s %s or more", format_rate(limit, expectation->limit, 0),
				 unit_of(expectation->measure));
	name = name_of_time(expectation->measure, kind);
	expected = xasprintf("%s of %s or less", name, format_latency(limit, expectation->limit));
	free(name);
	return expected;
}

static void leave_open(const struct checking *checking, const struct expectation *expectation, const char *why)
{
	char *expected = whats_expected(expectation, checking->result->options.latency);

	run_add_check(checking->run, EXPECTATION_CHECK, CHECK_UNKNOWN, NULL, expected, "%s, %s: %s.",
		      checking->test->name, expected, why);
}

static void check_expectation(const struct checking *checking, const struct expectation *expectation,
			      const struct test_runs *runs, const struct summary *summary)
{
	double figure;

	if (runs->failed)
		leave_open(checking, expectation, "not all of its runs were done");
	else if (measure_is_time(expectation->measure) && !has_latency(runs, checking, summary->kind))
		leave_open(checking, expectation, "no I/O of it has ended");
	else if (!figure_of(expectation->measure, summary, &figure))
		leave_open(checking, expectation, "the engine does not report it");
	else if (measure_is_time(expectation->measure))
		judge_time(checking, expectation, figure, summary->runs);
	else
		judge_rate(checking, expectation, figure, summary->runs);
}

void check_expectations(const struct checking *checking)
{
	const struct options *options = &checking->result->options;
	struct test_runs runs;
	struct summary summary;

	if (!checking->test || !options->expectations || checking->run->iteration != options->iterations)
		return;
	find_runs(&runs, checking);
	summary_of_runs(&summary, runs.run, runs.count, checking->test, options->latency);
	for (size_t i = 0; i < options->expectations && summary.runs; i++)
		if (expectation_applies(&options->expectation[i], checking->test))
			check_expectation(checking, &options->expectation[i], &runs, &summary);
	summary_clear(&summary);
	free(runs.run);
}
