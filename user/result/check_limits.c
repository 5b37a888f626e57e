// SPDX-License-Identifier: GPL-2.0
#include "checks.h"

#include <ctype.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/format.h"
#include "base/text.h"
#include "limiter.h"
#include "remote.h"
#include "summary.h"

#define SPLIT_FROM  1.05
#define COSTLY_FROM 0.1 /* of the mean */

static const char untraced[] = "Nothing was traced, so this is not known.";

/* A number with one decimal, or none where it has none. */
static char *number_of_ios(char out[FORMAT_LENGTH], double count)
{
	return format_fixed(out, count, count < 1000 ? 1 : 0);
}

/* --- depth --- */

/* Why how many were there at once is not known; the caller frees it. */
static char *depth_obstacle(const struct run *run, const struct limits *limits)
{
	if (!run->trace)
		return xstrdup(untraced);
	if (!limits->device)
		return xstrdup("No I/O of this test was timed on a device, so the depth there is not known.");
	if (limits->none_came)
		return xasprintf("None of this test's I/Os came to %s, so nothing limited it there.", limits->device);
	return xasprintf("How many of this test's I/Os were at %s at once can't be told: others' were among them, or "
			 "not all of it came there.",
			 limits->device);
}

/* Adds a check that can't look. */
static void no_depth(struct run *run, const char *name, const struct limits *limits)
{
	char *why = depth_obstacle(run, limits);

	run_add_check(run, name, limits->device && limits->none_came ? CHECK_NOT_APPLICABLE : CHECK_UNKNOWN, NULL, NULL,
		      "%s", why);
	free(why);
}

/* What it is that limits is the check of the limit's to say. */
static void tell_depth(struct run *run, const struct limits *limits)
{
	char reached[FORMAT_LENGTH], asked[FORMAT_LENGTH];
	char *found;

	number_of_ios(reached, limits->reached);
	format_count(asked, (uint64_t)limits->asked);
	found = xasprintf("%s at %s", reached, limits->device);
	if (limits->asked <= 1)
		run_add_check(run, "depth", CHECK_PASSED, found, NULL,
			      "One at a time: %s at %s on average, the rest of the time above it.", reached,
			      limits->device);
	else if (limits_depth_reached(limits))
		run_add_check(run, "depth", CHECK_PASSED, found, xstrdup(asked),
			      "The I/Os that were asked for at once were at %s.", limits->device);
	else
		run_add_finding(run, "depth", found, NULL, "Of %s I/Os asked for at once %s were at %s on average.",
				asked, reached, limits->device);
}

void check_depth(const struct checking *checking)
{
	struct run *run = checking->run;
	struct limits limits;

	if (!checking->test || !run->engine)
		return;
	limits_of_run(&limits, checking);
	if (limits_depth_known(&limits))
		tell_depth(run, &limits);
	else
		no_depth(run, "depth", &limits);
}

/* --- CPU --- */

/* Whether it is what the check of the limit names, or what it would. */
static bool cpu_was_limit(const struct limits *limits, const struct checking *checking)
{
	enum limiter limiter;
	struct cap cap;

	cap_of_run(&cap, checking, limits);
	limiter = limiter_of(limits, &cap);
	return limiter == LIMITER_CPU || limiter == LIMITER_ALL_CPUS;
}

static void warn_of_others(const struct checking *checking, const struct limits *limits, const char *use)
{
	char *taken = limiter_taken(limits, checking);

	run_add_check(checking->run, "cpu", CHECK_WARNING, xstrdup(use), xstrdup("90 % or less"), "%c%s.",
		      toupper(taken[0]), taken + 1);
	free(taken);
}

static void tell_of_waiting(const struct checking *checking, const struct limits *limits)
{
	char wait[FORMAT_LENGTH], share[FORMAT_LENGTH];

	format_fixed(share, 100 * limits->cpu.wait_share, 1);
	run_add_finding(checking->run, "cpu", xasprintf("%s %% of the mean", share), NULL,
			"A woken thread waited %s for a CPU, %s %% of an I/O's time%s.",
			format_latency(wait, limits->cpu.wait), share,
			cpu_was_limit(limits, checking) ? ": the CPU was a limit" : "");
}

void check_cpu(const struct checking *checking)
{
	struct run *run = checking->run;
	struct limits limits;
	char *use;

	limits_of_run(&limits, checking);
	if (!limits.cpu.known) {
		run_add_check(run, "cpu", CHECK_UNKNOWN, NULL, NULL, "How busy each CPU was is not known.");
		return;
	}
	use = limiter_cpu(&limits);
	if (limiter_cpus_are_taken(&limits))
		warn_of_others(checking, &limits, use);
	else if (limits_cpu_busy(&limits))
		run_add_finding(run, "cpu", xstrdup(use), NULL, "%s%s.", use,
				cpu_was_limit(&limits, checking) ? ": the CPU was a limit" : "");
	else if (limits_cpu_waited(&limits))
		tell_of_waiting(checking, &limits);
	else
		run_add_check(run, "cpu", CHECK_PASSED, xstrdup(use), xstrdup("90 % or less"),
			      "No CPU was busy all the time.");
	free(use);
}

/* --- splits --- */

/* What cuts them; the caller frees it. */
static char *split_cause(const struct splitting *splitting)
{
	char size[FORMAT_LENGTH];

	if (splitting->pieces)
		return xasprintf("%s cuts them, by its chunks or by the limits of what is under it", splitting->device);
	if (splitting->limited_by)
		return xasprintf("%s takes %s at once (queue/max_sectors_kb)", splitting->limited_by,
				 format_size(size, splitting->limit));
	return xasprintf("no limit of size explains it, so it is the number of memory segments that %s takes at once "
			 "(queue/max_segments)",
			 splitting->device);
}

static void tell_splits(struct run *run, const struct splitting *splitting)
{
	char number[FORMAT_LENGTH];
	char *cause = split_cause(splitting);

	format_fixed(number, splitting->requests_per_io, 2);
	run_add_finding(run, "splits", xstrdup(number), NULL, "%s %s per I/O: %s.", number,
			splitting->pieces ? "pieces" : "requests", cause);
	free(cause);
}

void check_splits(const struct checking *checking)
{
	struct run *run = checking->run;
	char number[FORMAT_LENGTH];
	struct limits limits;

	if (checking->target && target_is_remote(checking->target) && run->trace) {
		check_trips_per_io(run);
		return;
	}
	limits_of_run(&limits, checking);
	format_fixed(number, limits.splitting.requests_per_io, 2);
	if (limits.splitting.requests_per_io <= 0)
		run_add_check(run, "splits", CHECK_UNKNOWN, NULL, NULL, "%s",
			      run->trace ? "No request of this run was seen, so how I/Os were split is not known."
					 : untraced);
	else if (limits.splitting.requests_per_io > SPLIT_FROM)
		tell_splits(run, &limits.splitting);
	else if (limits.splitting.ios_per_request > SPLIT_FROM)
		run_add_finding(
			run, "splits",
			xasprintf("%s I/Os per request", format_fixed(number, limits.splitting.ios_per_request, 2)),
			NULL, "Merged: %s I/Os per request at %s.", number, limits.splitting.device);
	else
		run_add_check(run, "splits", CHECK_PASSED, xstrdup(number), xstrdup("1"), "One I/O is one request%s.",
			      limits.splitting.pieces ? ", as far as this layer can tell" : "");
}

/* --- caps --- */

/* "from second 12 on throughput was 40 % lower" */
static void add_cliff(struct text *text, const struct cap *cap)
{
	char percent[FORMAT_LENGTH];
	double change = cap->cliff.after / cap->cliff.before - 1;

	text_addf(text, "From second %llu on throughput was %s %% %s.",
		  (unsigned long long)((cap->since + NS_PER_SECOND / 2) / NS_PER_SECOND),
		  format_fixed(percent, 100 * (change < 0 ? -change : change), 0), change < 0 ? "lower" : "higher");
}

static void warn_of_cgroup(struct run *run, const struct limits *limits, const struct cap *cap)
{
	char ios[FORMAT_LENGTH], time[FORMAT_LENGTH], mean[FORMAT_LENGTH];
	bool by_time = limits_throttled_by_time(limits);
	struct text cliff = {0};

	if (cap->has_cliff)
		add_cliff(&cliff, cap);
	format_fixed(ios, 100 * limits->throttling.of_ios, 1);
	format_fixed(time, 100 * limits->throttling.of_time, 1);
	run_add_check(
		run, "cap", CHECK_WARNING, xasprintf("%s %% of the I/Os, %s %% of their time", ios, time),
		xstrdup("10 % or less"),
		"A cgroup's limit (io.max, or blkio.throttle) held %s %% of the I/Os back, by %s on average%s%s%s.%s%s "
		"This is its figure and not the disk's: raise the limit, or run outside of that cgroup.",
		ios, format_latency(mean, limits->throttling.mean), by_time ? ", which took " : "", by_time ? time : "",
		by_time ? " % of all I/Os' time" : "", cliff.length ? " " : "", cliff.length ? cliff.data : "");
	text_free(&cliff);
}

static void warn_of_fall(struct run *run, const struct cap *cap)
{
	char percent[FORMAT_LENGTH];
	struct text cliff = {0};
	char *level = cap_level(cap);

	add_cliff(&cliff, cap);
	run_add_check(
		run, "cap", CHECK_WARNING, xasprintf("%s after a fall", level), xstrdup("no fall to a flat rate"),
		"%s It stayed flat then, within %s %% of %s: a cap after a burst, or a cache that was full. Only the "
		"later rate lasts: measure for longer, or after a burst has been used up.",
		cliff.data, format_fixed(percent, 100 * cap->variation, 1), level);
	text_free(&cliff);
	free(level);
}

/* One steady test at a round figure may be chance; two that should differ are not. */
static void tell_of_round(struct run *run, const struct cap *cap)
{
	char percent[FORMAT_LENGTH];
	char *level = cap_level(cap), *found;

	found = xasprintf("%s, +-%s %%", level, format_fixed(percent, 100 * cap->variation, 2));
	if (cap->alike)
		run_add_check(
			run, "cap", CHECK_WARNING, found, xstrdup("not flat at a round figure"),
			"The rate was flat at %s, and that of %s is the same: a cap sets it and not the disk. Look "
			"for a limit of the volume, the virtual machine or the hypervisor.",
			level, cap->alike->name);
	else
		run_add_finding(
			run, "cap", found, NULL,
			"The rate was flat at %s, a round figure, which may be chance or a cap: see whether other "
			"block sizes have the same.",
			level);
	free(level);
}

/* NULL where it is not known. */
static char *held_back(const struct limits *limits)
{
	char ios[FORMAT_LENGTH];

	return limits->throttling.known
		       ? xasprintf("%s %% of the I/Os held back", format_fixed(ios, 100 * limits->throttling.of_ios, 1))
		       : NULL;
}

void check_cap(const struct checking *checking)
{
	struct run *run = checking->run;
	struct limits limits;
	struct cap cap;

	limits_of_run(&limits, checking);
	cap_of_run(&cap, checking, &limits);
	if (cap.kind == CAP_CGROUP)
		warn_of_cgroup(run, &limits, &cap);
	else if (cap.kind == CAP_CLIFF)
		warn_of_fall(run, &cap);
	else if (cap.kind == CAP_ROUND)
		tell_of_round(run, &cap);
	else if (!limits.throttling.known && !run->samples)
		run_add_check(run, "cap", CHECK_UNKNOWN, NULL, NULL,
			      "Neither I/Os nor rates were followed, so whether there was a cap is not known.");
	else
		run_add_check(run, "cap", CHECK_PASSED, held_back(&limits), xstrdup("10 % or less"),
			      "No cap on the rate was seen.");
}

/* --- the observer --- */

/* ns per I/O: the engine's, or from call to return; 0: not known. */
static double mean_time(const struct checking *checking)
{
	const struct run *run = checking->run;
	struct io_summary ios;
	struct summary summary;
	double mean = 0;

	if (run->engine && checking->test) {
		summary_of_runs(&summary, &run, 1, checking->test, LATENCY_LAT);
		mean = summary.mean;
		summary_clear(&summary);
	} else if (run->trace) {
		io_summary_of_runs(&ios, &run, 1, IO_OP_BIT(IO_OP_READ) | IO_OP_BIT(IO_OP_WRITE));
		mean = ios.total;
		io_summary_clear(&ios);
	}
	return mean;
}

void check_observer(const struct checking *checking)
{
	char cost[FORMAT_LENGTH], share[FORMAT_LENGTH];
	struct run *run = checking->run;
	double mean = mean_time(checking);
	char *found;

	if (!run->trace)
		return;
	if (!run->has_probe_cost || mean <= 0) {
		run_add_check(run, "observer", CHECK_UNKNOWN, NULL, NULL, "What the probes cost per I/O is not known.");
		return;
	}
	format_latency(cost, (double)run->probe_cost);
	format_fixed(share, 100 * (double)run->probe_cost / mean, 1);
	found = xasprintf("%s per I/O, %s %% of the mean", cost, share);
	if ((double)run->probe_cost > COSTLY_FROM * mean)
		run_add_check(
			run, "observer", CHECK_WARNING, found, xstrdup("10 % or less"),
			"The probes take at most %s per I/O, %s %% of the mean latency: --no-trace or --stages device "
			"shows what is left without them.",
			cost, share);
	else
		run_add_check(run, "observer", CHECK_PASSED, found, xstrdup("10 % or less"),
			      "The probes take at most %s per I/O, %s %% of the mean latency.", cost, share);
}

/* --- the limit --- */

static uint64_t own_ios(const struct checking *checking)
{
	uint64_t ios = 0;

	for (int op = 0; op < DIRECTIONS; op++)
		ios += test_has_op(checking->test, op) ? checking->run->engine->direction[op].ios : 0;
	return ios;
}

/* Calls that rang the doorbell, signals to the hypervisor and interrupts, where they are known. */
static void add_per_io(struct text *text, const struct checking *checking)
{
	const struct run *run = checking->run;
	double ios = (double)own_ios(checking);
	uint64_t doorbells = 0;
	char number[FORMAT_LENGTH];

	for (int op = 0; op < DIRECTIONS; op++)
		if (test_has_op(checking->test, op) && run->trace->io[op])
			doorbells += run->trace->io[op]->stage[IO_STAGE_DOORBELL].count;
	if (ios > 0 && doorbells)
		text_addf(text, "; %s doorbells per I/O", format_fixed(number, (double)doorbells / ios, 2));
	if (ios > 0 && run->conditions && run->conditions->has_kicks)
		text_addf(text, "; %s kicks per I/O", format_fixed(number, (double)run->conditions->kicks / ios, 2));
	if (ios > 0 && run->conditions && run->conditions->has_interrupts)
		text_addf(text, "; %s interrupts per I/O",
			  format_fixed(number, (double)run->conditions->interrupts / ios, 2));
}

static void tell_limit(const struct checking *checking, const struct limits *limits)
{
	char reached[FORMAT_LENGTH], asked[FORMAT_LENGTH];
	struct text found = {0};
	struct cap cap;
	char *clause;

	cap_of_run(&cap, checking, limits);
	clause = limiter_clause(limiter_of(limits, &cap), limits, &cap, checking);
	text_addf(&found, "%s of %s at %s", number_of_ios(reached, limits->reached),
		  format_count(asked, (uint64_t)limits->asked), limits->device);
	add_per_io(&found, checking);
	run_add_finding(checking->run, "limit", text_take(&found), NULL, "%c%s.", toupper(clause[0]), clause + 1);
	free(clause);
}

void check_limit(const struct checking *checking)
{
	struct run *run = checking->run;
	struct limits limits;

	if (!checking->test || !run->engine)
		return;
	limits_of_run(&limits, checking);
	if (limits.asked <= 1)
		run_add_check(run, "limit", CHECK_NOT_APPLICABLE, NULL, NULL,
			      "One I/O at a time: the latency is the figure, and its stages say where it went.");
	else if (!limits_depth_known(&limits))
		no_depth(run, "limit", &limits);
	else
		tell_limit(checking, &limits);
}
