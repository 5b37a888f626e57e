// SPDX-License-Identifier: GPL-2.0
#include "checks.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/format.h"
#include "base/text.h"
#include "cap.h"
#include "check.h"
#include "pauses.h"
#include "summary.h"

#define TOO_MANY    1.05 /* of what can be in flight */
#define TOO_FEW	    0.9
#define MOST_SPREAD 10	 /* percent of the mean */
#define MOST_PAUSED 0.01 /* of the run */
#define MOST_DRIFT  1000 /* parts per million */
#define MOST_STEAL  5	 /* percent */
/* The kernel counts whole ticks of 1 to 10 ms: what is less, or of less time, may be one of them. */
#define LEAST_STOLEN (100.0 * NS_PER_MS)
#define LEAST_RUN    NS_PER_SECOND

/* --- Little's law --- */

/* Mean in flight as the engine has it: I/Os per second times the mean latency, of both directions. */
static double engine_depth(const struct checking *checking)
{
	double sum = 0;

	for (int op = 0; op < DIRECTIONS; op++) {
		const struct direction *direction = &checking->run->engine->direction[op];

		if (test_has_op(checking->test, op))
			sum += direction->ios_per_second * direction->latency[LATENCY_LAT].mean / 1e9;
	}
	return sum;
}

/* I/Os that were still in flight at the end may count although they took longer than what is left of the run. */
static double end_effect(const struct checking *checking)
{
	double most = 0;

	for (int op = 0; op < DIRECTIONS; op++) {
		const struct direction *direction = &checking->run->engine->direction[op];

		if (direction->runtime)
			most = fmax(most, direction->latency[LATENCY_LAT].mean / (double)direction->runtime);
	}
	return most;
}

static void judge_little(const struct checking *checking, double depth, double asked)
{
	char depth_text[FORMAT_LENGTH], asked_text[FORMAT_LENGTH];
	struct run *run = checking->run;
	char *found;

	format_fixed(depth_text, depth, depth < 10 ? 2 : 1);
	format_count(asked_text, (uint64_t)asked);
	found = xasprintf("%s in flight", depth_text);
	if (depth > asked * (TOO_MANY + end_effect(checking)))
		run_add_check(
			run, "little", CHECK_WARNING, found, xasprintf("%s or less", asked_text),
			"I/Os per second times their latency give %s in flight, and there can't be more than %s: the "
			"engine's clock or its counts are wrong." CHECK_ADVICE "figures; try another clock source.",
			depth_text, asked_text);
	else if (depth < asked * TOO_FEW && asked > 1)
		run_add_finding(run, "little", found, NULL,
				"The engine kept %s of %s I/Os in flight: for the rest of the time it was busy itself.",
				depth_text, asked_text);
	else
		run_add_check(run, "little", CHECK_PASSED, found, xasprintf("%s or less", asked_text),
			      "I/Os per second times their latency give the depth (Little's law).");
}

void check_little(const struct checking *checking)
{
	const struct test *test = checking->test;
	double depth;

	if (!test || !checking->run->engine)
		return;
	depth = engine_depth(checking);
	if (depth <= 0) {
		run_add_check(checking->run, "little", CHECK_UNKNOWN, NULL, NULL,
			      "The engine gave no rate or no mean latency.");
		return;
	}
	judge_little(checking, depth,
		     (double)test->jobs *
			     (ioengine_is_synchronous(checking->result->options.ioengine) ? 1 : test->depth));
}

/* --- trends and cliffs --- */

static unsigned long long in_seconds(uint64_t ns)
{
	return (ns + NS_PER_SECOND / 2) / NS_PER_SECOND;
}

static void warn_of_cliff(struct run *run, const struct cap *cap)
{
	double change = cap->cliff.after / cap->cliff.before - 1;
	char percent[FORMAT_LENGTH], before[FORMAT_LENGTH], after[FORMAT_LENGTH];

	format_fixed(percent, 100 * fabs(change), 0);
	run_add_check(run, "steady", CHECK_WARNING,
		      xasprintf("%s MB/s, then %s MB/s", format_fixed(before, cap->cliff.before / 1e6, 2),
				format_fixed(after, cap->cliff.after / 1e6, 2)),
		      xstrdup("one level"),
		      "From second %llu on throughput was %s %% %s: the figures are a mean of two states. Measure for "
		      "longer, "
		      "and look for what began then.",
		      in_seconds(cap->since), percent, change < 0 ? "lower" : "higher");
}

static void judge_trend(struct run *run)
{
	char percent[FORMAT_LENGTH];
	struct rates rates;
	double change;

	rates_of_run(&rates, run);
	if (rates.count < 6)
		run_add_check(run, "steady", CHECK_NOT_APPLICABLE, xasprintf("%zu whole seconds", rates.count),
			      xstrdup("6 or more"), "The run is too short to tell a change from noise.");
	else if (series_trend(&change, rates.bytes, rates.count))
		run_add_check(
			run, "steady", CHECK_WARNING,
			xasprintf("%s%s %%", change < 0 ? "-" : "+", format_fixed(percent, 100 * fabs(change), 0)),
			xstrdup("less than 20 %"),
			"Throughput %s by %s %% over the run: it was not steady yet. Measure for longer, or warm up "
			"for "
			"longer.",
			change < 0 ? "fell" : "rose", percent);
	else
		run_add_check(run, "steady", CHECK_PASSED,
			      xasprintf("+-%s %%",
					format_fixed(percent, 100 * series_variation(rates.bytes, rates.count), 1)),
			      NULL,
			      rates.count < SERIES_LEAST_TREND
				      ? "Throughput had no cliff; the run is too short to tell a trend."
				      : "Throughput had no trend and no cliff.");
	rates_clear(&rates);
}

void check_trend(const struct checking *checking)
{
	struct run *run = checking->run;
	struct limits limits;
	struct cap cap;

	if (!checking->test)
		return;
	if (!run->samples || !run->sample[0].has_disk) {
		run_add_check(run, "steady", CHECK_UNKNOWN, NULL, NULL,
			      "The rate of each second is not known, as the target has no device with counters.");
		return;
	}
	limits_of_run(&limits, checking);
	cap_of_run(&cap, checking, &limits);
	if (cap.has_cliff && cap_is_told(&cap))
		run_add_check(run, "steady", CHECK_NOT_APPLICABLE, NULL, NULL,
			      "Throughput changed at second %llu, which the check of caps tells.",
			      in_seconds(cap.since));
	else if (cap.has_cliff)
		warn_of_cliff(run, &cap);
	else
		judge_trend(run);
}

/* --- iterations --- */

/* Those of the run's own test on its own target, up to it. */
static size_t same_runs(const struct checking *checking, const struct run **runs)
{
	const struct result *result = checking->result;
	size_t count = 0;

	for (size_t i = 0; i < result->runs; i++)
		if (result->run[i].target == checking->run->target && result->run[i].test == checking->run->test)
			runs[count++] = &result->run[i];
	return count;
}

static void judge_iterations(struct run *run, const struct summary *summary)
{
	char lowest[FORMAT_LENGTH], highest[FORMAT_LENGTH], percent[FORMAT_LENGTH];
	double spread = summary->highest_ios_per_second - summary->lowest_ios_per_second;
	bool wide;

	spread *= 100 / summary->ios_per_second;
	wide = spread > MOST_SPREAD;
	format_fixed(percent, spread, 1);
	format_count(lowest, (uint64_t)(summary->lowest_ios_per_second + 0.5));
	format_count(highest, (uint64_t)(summary->highest_ios_per_second + 0.5));
	run_add_check(run, "iterations", wide ? CHECK_WARNING : CHECK_PASSED,
		      xasprintf("%s to %s IOPS, %s %%", lowest, highest, percent), xstrdup("10 % or less"),
		      "The %zu iterations gave %s to %s IOPS, %s %% apart.%s", summary->runs, lowest, highest, percent,
		      wide ? " Look for what else used the disk or the CPUs, and measure for longer." : "");
}

void check_iterations(const struct checking *checking)
{
	unsigned iterations = checking->result->options.iterations;
	struct run *run = checking->run;
	const struct run **runs;
	struct summary summary;

	if (!checking->test || !run->engine || iterations <= 1)
		return;
	if (run->iteration != iterations) {
		run_add_check(run, "iterations", CHECK_NOT_APPLICABLE, NULL, NULL,
			      "Iterations are compared at the last one.");
		return;
	}
	runs = xcalloc(checking->result->runs, sizeof(const struct run *));
	summary_of_runs(&summary, runs, same_runs(checking, runs), checking->test, LATENCY_LAT);
	if (summary.runs > 1 && summary.ios_per_second > 0)
		judge_iterations(run, &summary);
	else
		run_add_check(run, "iterations", CHECK_NOT_APPLICABLE, NULL, NULL,
			      "Only one iteration is done, so there is nothing to compare.");
	summary_clear(&summary);
	free(runs);
}

/* --- arrays --- */

static bool array_is_idle(const struct array_state *array)
{
	return !array->action || !strcmp(array->action, "idle") || !strcmp(array->action, "frozen");
}

static void judge_array(struct text *text, const struct array_state *array)
{
	const char *level = array->level ? array->level : "array";

	if (array->degraded)
		text_addf(text, "%s%s (%s) lacks %" PRIu64 " of its members.", text->length ? " " : "", array->device,
			  level, array->degraded);
	if (!array_is_idle(array))
		text_addf(text, "%s%s (%s) was busy with itself (%s).", text->length ? " " : "", array->device, level,
			  array->action);
}

void check_array(const struct checking *checking)
{
	const struct conditions *conditions = checking->run->conditions;
	struct run *run = checking->run;
	struct text text = {0};

	if (!conditions || !conditions->arrays)
		return;
	for (size_t i = 0; i < conditions->arrays; i++)
		judge_array(&text, &conditions->array[i]);
	if (text.length)
		run_add_check(run, "array", CHECK_WARNING, xstrdup(text.data), xstrdup("whole and idle"),
			      "%s It is slower then: repeat the run when /proc/mdstat shows it whole and idle.",
			      text.data);
	else
		run_add_check(run, "array", CHECK_PASSED, NULL, xstrdup("whole and idle"),
			      "The array under the target was whole and idle.");
	text_free(&text);
}

/* --- clock --- */

struct pauses {
	uint64_t sum;
	const struct pause *longest; /* NULL: there were none */
};

static struct pauses sum_pauses(const struct conditions *conditions)
{
	struct pauses pauses = {0};

	for (size_t i = 0; i < conditions->pauses; i++) {
		pauses.sum += conditions->pause[i].length;
		if (!pauses.longest || conditions->pause[i].length > pauses.longest->length)
			pauses.longest = &conditions->pause[i];
	}
	return pauses;
}

/* What was found, known or not. */
static char *clock_found(const struct conditions *conditions, const struct pauses *pauses)
{
	char number[FORMAT_LENGTH];
	struct text text = {0};

	if (conditions->has_heartbeat)
		text_addf(&text, "%zu pauses, %s", conditions->pauses, format_latency(number, (double)pauses->sum));
	if (conditions->has_drift)
		text_addf(&text, "%sdrift %s ppm", text.length ? "; " : "", format_fixed(number, conditions->drift, 1));
	if (conditions->has_steal)
		text_addf(&text, "%ssteal %s %%", text.length ? "; " : "",
			  format_fixed(number, conditions->steal_percent, 1));
	else
		text_addf(&text, "%ssteal not known", text.length ? "; " : "");
	return text_take(&text);
}

static void add_paused_ios(struct text *text, const struct run *run)
{
	size_t paused = pauses_in_slowest(run);

	if (paused)
		text_addf(text, " %zu of the %zu slowest I/Os %s on %s way then: that time is not the disk's.", paused,
			  run->trace->slowest_count, paused == 1 ? "was" : "were", paused == 1 ? "its" : "their");
}

static void add_pauses(struct text *text, const struct run *run, const struct pauses *pauses)
{
	const struct conditions *conditions = run->conditions;
	char length[FORMAT_LENGTH], sum[FORMAT_LENGTH], at[FORMAT_LENGTH];

	format_latency(length, (double)pauses->longest->length);
	format_fixed(at, (double)pauses->longest->at / NS_PER_SECOND, 1);
	if (conditions->pauses == 1)
		text_addf(text, "The whole machine stood still for %s, %s s after the start.", length, at);
	else
		text_addf(
			text,
			"The whole machine stood still %zu times, for %s together; the longest time was %s, %s s after "
			"the start.",
			conditions->pauses, format_latency(sum, (double)pauses->sum), length, at);
	add_paused_ios(text, run);
}

static bool is_stolen(const struct run *run)
{
	const struct conditions *conditions = run->conditions;
	double cpus = conditions->cpus ? (double)conditions->cpus : 1;

	return conditions->has_steal && conditions->steal_percent > MOST_STEAL && run->elapsed >= LEAST_RUN &&
	       (double)run->elapsed * cpus * conditions->steal_percent / 100 >= LEAST_STOLEN;
}

static void add_wrong_clock(struct text *text, const struct run *run)
{
	const struct conditions *conditions = run->conditions;
	char number[FORMAT_LENGTH];

	if (conditions->has_drift && fabs(conditions->drift) > MOST_DRIFT)
		text_addf(text,
			  "%sThe clock ran %s ppm too %s against the hardware's: times and rates are off by as much. "
			  "Look at "
			  "the clock source and at what sets the time.",
			  text->length ? " " : "", format_fixed(number, fabs(conditions->drift), 0),
			  conditions->drift > 0 ? "fast" : "slow");
	if (is_stolen(run))
		text_addf(
			text,
			"%sThe hypervisor gave %s %% of the CPUs' time to others. Repeat the run when the host is less "
			"busy.",
			text->length ? " " : "", format_fixed(number, conditions->steal_percent, 1));
}

void check_clock(const struct checking *checking)
{
	const struct conditions *conditions = checking->run->conditions;
	struct run *run = checking->run;
	struct text text = {0};
	struct pauses pauses;
	bool paused;

	if (!conditions || !(conditions->has_heartbeat || conditions->has_drift || conditions->has_steal)) {
		run_add_check(run, "clock", CHECK_UNKNOWN, NULL, NULL,
			      "Whether the machine stood still or its clock drifted is not known.");
		return;
	}
	pauses = sum_pauses(conditions);
	paused = (double)pauses.sum > MOST_PAUSED * (double)run->elapsed;
	if (paused)
		add_pauses(&text, run, &pauses);
	add_wrong_clock(&text, run);
	if (text.length) {
		run_add_check(run, "clock", CHECK_WARNING, clock_found(conditions, &pauses), NULL, "%s", text.data);
	} else if (pauses.longest) {
		add_pauses(&text, run, &pauses);
		run_add_finding(run, "clock", clock_found(conditions, &pauses), NULL, "%s", text.data);
	} else {
		run_add_check(run, "clock", CHECK_PASSED, clock_found(conditions, &pauses), NULL,
			      "As far as is known, the machine did not stand still and its clock was right.");
	}
	text_free(&text);
}

/* --- power --- */

static char *power_found(const struct conditions *conditions)
{
	char coldest[FORMAT_LENGTH], hottest[FORMAT_LENGTH];
	struct text text = {0};

	if (conditions->has_power)
		text_addf(&text, "%s", conditions->on_battery ? "on battery" : "on mains");
	if (conditions->has_throttling)
		text_addf(&text, "%s%" PRIu64 " slowed down by heat", text.length ? "; " : "", conditions->throttlings);
	if (conditions->has_temperature)
		text_addf(&text, "%sdisk %s to %s degrees C", text.length ? "; " : "",
			  format_fixed(coldest, conditions->coldest, 0), format_fixed(hottest, conditions->hottest, 0));
	return text_take(&text);
}

void check_power(const struct checking *checking)
{
	const struct conditions *conditions = checking->run->conditions;
	struct run *run = checking->run;
	bool hot = conditions && conditions->has_throttling && conditions->throttlings;
	char count[FORMAT_LENGTH];

	if (!conditions || !(conditions->has_power || conditions->has_throttling || conditions->has_temperature))
		run_add_check(run, "power", CHECK_UNKNOWN, NULL, NULL,
			      "The machine tells neither what powers it nor how hot it is.");
	else if (hot)
		run_add_check(
			run, "power", CHECK_WARNING, power_found(conditions), NULL,
			"CPUs were slowed down by their heat %s time%s. Let the machine cool down, and repeat the run.",
			format_count(count, conditions->throttlings), conditions->throttlings == 1 ? "" : "s");
	else if (conditions->has_power && conditions->on_battery)
		run_add_check(
			run, "power", CHECK_WARNING, power_found(conditions), NULL,
			"The machine ran on its battery, which makes many slower: plug it in, and repeat the run.");
	else
		run_add_check(run, "power", CHECK_PASSED, power_found(conditions), NULL,
			      "Nothing is known of power or heat that slows the machine down.");
}
