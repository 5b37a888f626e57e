// SPDX-License-Identifier: GPL-2.0
#include "check.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/format.h"
#include "base/text.h"
#include "summary.h"

#define MIN_COVERAGE_PERCENT 99.5
#define BESIDE		     (1u << 20)
#define SECTOR		     512

static uint64_t distance(uint64_t a, uint64_t b)
{
	return a > b ? a - b : b - a;
}

/* --- balance --- */

/*
 * The engine's tasks may queue a little beyond its own I/O: pages of its program, an inode's metadata. Less than it
 * reports is never all right.
 */
static bool is_beside(uint64_t reported, uint64_t queued)
{
	return queued >= reported && queued - reported <= BESIDE + reported / 1000;
}

static char *both_directions(uint64_t read, uint64_t write)
{
	return xasprintf("read %" PRIu64 ", write %" PRIu64 " bytes", read, write);
}

/* A clause for a direction whose bytes differ. */
static void add_imbalance(struct text *text, enum op op, uint64_t reported, uint64_t queued)
{
	char difference[FORMAT_LENGTH], whole[FORMAT_LENGTH];

	if (reported == queued)
		return;
	text_addf(text, "%s%s %s bytes %s than the %s it reports", text->length ? " and " : "",
		  format_count(difference, distance(reported, queued)), op_name[op],
		  queued > reported ? "more" : "fewer", format_count(whole, reported));
}

static void check_balance(struct run *run)
{
	const struct bio_counts *queued = run->trace->queued[OWNER_WORKLOAD];
	const struct direction *reported = run->engine->direction;
	const char *advice = "Its program files and file-system metadata add to it: for an exact count keep them on "
			     "another disk.";
	struct text differences = {0};
	bool balanced = true;
	char *sentence;

	if (!run->trace->top) {
		run_add_check(run, "balance", CHECK_UNKNOWN, NULL, NULL,
			      "What the engine's tasks queued was not counted, as the target's own disk is not known.");
		return;
	}
	for (int op = 0; op < DIRECTIONS; op++) {
		add_imbalance(&differences, op, reported[op].bytes, queued[op].bytes);
		balanced &= is_beside(reported[op].bytes, queued[op].bytes);
		if (queued[op].bytes < reported[op].bytes)
			advice = "Part of the I/O went elsewhere: see whether a cache answered it.";
	}
	if (differences.length)
		sentence =
			xasprintf("The engine's tasks queued %s on %s. %s", differences.data, run->trace->top, advice);
	else
		sentence = xasprintf("The engine's tasks queued on %s the bytes that it reports.", run->trace->top);
	run_add_check(run, "balance", balanced ? CHECK_PASSED : CHECK_WARNING,
		      both_directions(queued[OP_READ].bytes, queued[OP_WRITE].bytes),
		      both_directions(reported[OP_READ].bytes, reported[OP_WRITE].bytes), "%s", sentence);
	free(sentence);
	text_free(&differences);
}

/* --- identity --- */

static uint64_t sum_losses(const struct op_view *view)
{
	uint64_t sum = 0;

	for (int loss = 0; loss < LOSSES; loss++)
		sum += view->loss[loss];
	return sum;
}

/* What was lost, by name, and what a build that loses on purpose did. */
static void add_losses(struct text *text, const struct op_view *view)
{
	char count[FORMAT_LENGTH], found[FORMAT_LENGTH];
	const char *separator = " Without a time: ";

	for (int loss = 0; loss < LOSSES; loss++) {
		if (!view->loss[loss])
			continue;
		text_addf(text, "%s%s (%s)", separator, format_count(count, view->loss[loss]), loss_name[loss]);
		separator = ", ";
	}
	if (sum_losses(view))
		text_addf(text, ".");
	if (view->faults)
		text_addf(text, " This build drops completions on purpose: %s, of which %s were found as not seen.",
			  format_count(count, view->faults), format_count(found, view->faults_found));
}

static void check_identity(struct run *run, const char *device, enum op op, const struct op_view *view)
{
	uint64_t lost = sum_losses(view), ends = view->requeues + view->completions + view->in_flight_at_end + lost;
	bool closed = view->issues == ends;
	char difference[FORMAT_LENGTH];
	struct text text = {0};
	char *found = xasprintf("issues %" PRIu64 " - requeues %" PRIu64 " %s %" PRIu64 " timed + %" PRIu64
				" in flight + %" PRIu64 " lost",
				view->issues, view->requeues, closed ? "=" : "!=", view->completions,
				view->in_flight_at_end, lost);

	text_addf(&text, "%s, %s: ", device, op_name[op]);
	if (closed)
		text_addf(&text, "every request that was issued is accounted for.");
	else
		text_addf(&text,
			  "%s requests %s. Do not rely on this run's device times; repeat it, and report it as a bug "
			  "if it happens again.",
			  format_count(difference, distance(view->issues, ends)),
			  view->issues > ends ? "were issued and are not accounted for"
					      : "are accounted for that were not issued");
	add_losses(&text, view);
	run_add_check(run, "identity", closed ? CHECK_PASSED : CHECK_FAILED, found, xstrdup("both sides equal"), "%s",
		      text.data);
	text_free(&text);
}

static void check_identities(struct run *run)
{
	for (size_t i = 0; i < run->trace->leaves; i++) {
		const struct leaf_view *leaf = &run->trace->leaf[i];

		for (int op = 0; op < OPS; op++)
			if (leaf->op[op])
				check_identity(run, leaf->device, op, leaf->op[op]);
	}
}

/* --- coverage --- */

/* Completions with a time, and requests that were started and not still in flight at the end. */
static void count_timed(const struct trace_view *trace, const struct test *test, uint64_t *timed, uint64_t *ended)
{
	*timed = *ended = 0;
	for (size_t i = 0; i < trace->leaves; i++) {
		for (int op = 0; op < OPS; op++) {
			const struct op_view *view = trace->leaf[i].op[op];

			if (!view || !test_has_op(test, op))
				continue;
			*timed += view->completions;
			*ended += view->issues - view->requeues - view->in_flight_at_end;
		}
	}
}

static void check_coverage(struct run *run, const struct test *test)
{
	char timed_text[FORMAT_LENGTH], ended_text[FORMAT_LENGTH], percent_text[FORMAT_LENGTH];
	uint64_t timed, ended;
	double percent;
	bool enough;

	count_timed(run->trace, test, &timed, &ended);
	if (!ended) {
		run_add_check(
			run, "coverage", CHECK_WARNING, xstrdup("no requests"), NULL,
			"Not one request of this test was seen on a device: a cache answered, or the I/O took a way "
			"that is not watched. There are no device times.");
		return;
	}
	percent = 100.0 * (double)timed / (double)ended;
	enough = percent >= MIN_COVERAGE_PERCENT;
	run_add_check(
		run, "coverage", enough ? CHECK_PASSED : CHECK_WARNING,
		xasprintf("%s %%", format_fixed(percent_text, percent, 2)), xstrdup("99.5 % or more"),
		"The device time of %s of %s requests is known.%s", format_count(timed_text, timed),
		format_count(ended_text, ended),
		enough ? ""
		       : " The device's figures may be off, in the tail most of all; the identity check says what was "
			 "lost.");
}

/* --- diskstats --- */

/* Requests and sectors of the ops that the kernel counts in one group. */
struct group_count {
	uint64_t ios, sectors;
};

static bool group_has_op(enum stat_group group, enum op op)
{
	switch (op) {
	case OP_READ:
		return group == STAT_READ;
	case OP_WRITE:
	case OP_WRITE_ZEROES:
		return group == STAT_WRITE;
	case OP_DISCARD:
		return group == STAT_DISCARD;
	case OP_FLUSH:
		return group == STAT_FLUSH;
	default:
		return false; /* passthrough: in no group */
	}
}

static struct group_count count_group(const struct leaf_view *leaf, enum stat_group group)
{
	struct group_count count = {0};

	for (int op = 0; op < OPS; op++) {
		const struct op_view *view = leaf->op[op];

		if (!view || !group_has_op(group, op))
			continue;
		count.ios += view->issues - view->requeues;
		count.sectors += (view->issued_bytes - view->requeued_bytes) / SECTOR;
	}
	return count;
}

static bool is_top(const struct trace_view *trace, const struct leaf_view *leaf)
{
	return trace->top && !strcmp(trace->top, leaf->device);
}

/*
 * An empty flush bio is counted by the kernel as a write of no sectors, though it is never issued. On the target's own
 * disk these bios were counted; below it (md and dm send their own) there are at most as many as flush sequences ended
 * or flushes were issued.
 */
static void count_empty_flushes(const struct trace_view *trace, const struct leaf_view *leaf, uint64_t *least,
				uint64_t *most)
{
	uint64_t ends = 0, flushes = count_group(leaf, STAT_FLUSH).ios;

	if (is_top(trace, leaf)) {
		*least = *most =
			trace->queued[OWNER_WORKLOAD][OP_FLUSH].bios + trace->queued[OWNER_OTHERS][OP_FLUSH].bios;
		return;
	}
	for (int op = 0; op < OPS; op++)
		if (leaf->op[op])
			ends += leaf->op[op]->flush_ends;
	*least = 0;
	*most = ends > flushes ? ends : flushes;
}

static char *requests_text(uint64_t least, uint64_t most, uint64_t sectors)
{
	if (least == most)
		return xasprintf("%" PRIu64 " requests, %" PRIu64 " sectors", least, sectors);
	return xasprintf("%" PRIu64 " to %" PRIu64 " requests, %" PRIu64 " sectors", least, most, sectors);
}

/* Flushes have no sectors in the kernel's file. */
static void check_group(struct run *run, const struct leaf_view *leaf, enum stat_group group)
{
	const struct stat_delta *kernel = &leaf->stat[group];
	struct group_count ours = count_group(leaf, group);
	uint64_t least = 0, most = 0, sectors = group == STAT_FLUSH ? 0 : ours.sectors;
	bool equal;

	if (group == STAT_WRITE)
		count_empty_flushes(run->trace, leaf, &least, &most);
	least += ours.ios;
	most += ours.ios;
	if (!most && !kernel->ios)
		return;
	equal = kernel->ios >= least && kernel->ios <= most && kernel->sectors == sectors;
	run_add_check(
		run, "diskstats", equal ? CHECK_PASSED : CHECK_FAILED, requests_text(least, most, sectors),
		requests_text(kernel->ios, kernel->ios, kernel->sectors), "%s, %s: %s", leaf->device,
		stat_group_name[group],
		equal ? "the requests that the probes saw are those that the kernel counted."
		      : "the probes and the kernel's own count disagree. Look whether something else used the disk "
			"as the run began or ended, and repeat it with the disk at rest.");
}

/* With queue/iostats at 0 the kernel counts nothing. */
static bool kernel_counts(const struct leaf_view *leaf)
{
	uint64_t ours = 0, kernel = 0;

	for (int group = 0; group < STAT_GROUPS; group++) {
		ours += count_group(leaf, group).ios;
		kernel += leaf->stat[group].ios;
	}
	return kernel || !ours;
}

static void check_diskstats(struct run *run)
{
	for (size_t i = 0; i < run->trace->leaves; i++) {
		const struct leaf_view *leaf = &run->trace->leaf[i];

		if (!leaf->has_stat) {
			run_add_check(
				run, "diskstats", CHECK_NOT_APPLICABLE, NULL, NULL,
				"%s: other I/O was in flight as the recording began or ended, so the kernel's count "
				"cannot be compared.",
				leaf->device);
		} else if (!kernel_counts(leaf)) {
			run_add_check(
				run, "diskstats", CHECK_NOT_APPLICABLE, NULL, NULL,
				"%s: the kernel counted no I/O at all. Its accounting is switched off: write 1 to "
				"/sys/block/%s/queue/iostats to have it compared.",
				leaf->device, leaf->device);
		} else {
			for (int group = 0; group < STAT_GROUPS; group++)
				check_group(run, leaf, group);
		}
	}
}

/* --- await --- */

/* The kernel's count and time of the test's own groups. */
static struct stat_delta own_stat(const struct leaf_view *leaf, const struct test *test)
{
	struct stat_delta sum = {0};

	for (int op = 0; op < DIRECTIONS; op++) {
		const struct stat_delta *group = &leaf->stat[op == OP_READ ? STAT_READ : STAT_WRITE];

		if (!test_has_op(test, op))
			continue;
		sum.ios += group->ios;
		sum.time += group->time;
	}
	return sum;
}

/* NULL, or why the three means cannot be compared. */
static const char *await_obstacle(const struct run *run, const struct test *test, const struct summary *summary)
{
	if (run->trace->leaves != 1)
		return "the target does not lie on exactly one device";
	if (!run->trace->leaf[0].has_stat)
		return "other I/O was in flight as the recording began or ended";
	if (!summary->has_device || !own_stat(&run->trace->leaf[0], test).ios)
		return "no request was timed or counted by the kernel";
	if (summary->mean <= 0)
		return "the engine gave no mean latency";
	if (summary->requests_per_io < 0.99 || summary->requests_per_io > 1.01)
		return "requests are not I/Os, as some were split or merged";
	if (summary->other_bytes * 100 >= summary->own_bytes)
		return "1 % or more of the disk's I/O was not the workload's";
	return NULL;
}

/* The kernel's time is in whole milliseconds, so its mean is uncertain by one of them, spread over the I/Os. */
static void compare_await(struct run *run, const struct test *test, const struct summary *summary)
{
	struct stat_delta stat = own_stat(&run->trace->leaf[0], test);
	double device = hist_mean(summary->device), await = (double)stat.time / (double)stat.ios, lat = summary->mean;
	double resolution = NS_PER_MS / (double)stat.ios;
	bool above = device <= await + resolution, below = await <= lat * 1.01 + 2 * resolution;
	char device_text[FORMAT_LENGTH], await_text[FORMAT_LENGTH], lat_text[FORMAT_LENGTH];

	format_latency(device_text, device);
	format_latency(await_text, await);
	format_latency(lat_text, lat);
	run_add_check(run, "await", above && below ? CHECK_PASSED : CHECK_WARNING,
		      xasprintf("device %s, diskstats %s, lat %s", device_text, await_text, lat_text),
		      xstrdup("device <= diskstats <= lat"),
		      "The mean that the kernel's own counters give, %s, lies %s.%s", await_text,
		      above && below ? "between the mean device time and the mean latency"
		      : above	     ? "above the mean latency"
				     : "below the mean device time",
		      above && below
			      ? ""
			      : " One of the three clocks or counts is wrong: repeat the run with the disk at rest, "
				"and report it as a bug if it happens again.");
}

static void check_await(struct run *run, const struct test *test)
{
	const struct run *only = run;
	struct summary summary;
	const char *obstacle;

	summary_of_runs(&summary, &only, 1, test, LATENCY_LAT);
	obstacle = await_obstacle(run, test, &summary);
	if (obstacle)
		run_add_check(run, "await", CHECK_NOT_APPLICABLE, NULL, NULL,
			      "The kernel's mean time per I/O is not compared: %s.", obstacle);
	else
		compare_await(run, test, &summary);
	summary_clear(&summary);
}

/* --- percentiles --- */

/* An I/O's lat contains its clat, and fio's buckets keep their order. */
static bool percentile_fits(const struct direction *direction, int i, size_t *compared)
{
	const struct latency *lat = &direction->latency[LATENCY_LAT], *clat = &direction->latency[LATENCY_CLAT];

	if (!lat->has_percentile[i] || !clat->has_percentile[i])
		return true;
	(*compared)++;
	return lat->percentile[i] >= clat->percentile[i];
}

static void fail_percentile(struct run *run, enum op op, int i)
{
	const struct latency *latency = run->engine->direction[op].latency;

	run_add_check(
		run, "percentiles", CHECK_FAILED,
		xasprintf("%s p%g: lat %" PRIu64 " ns, clat %" PRIu64 " ns", op_name[op], percentile_percent[i],
			  latency[LATENCY_LAT].percentile[i], latency[LATENCY_CLAT].percentile[i]),
		xstrdup("lat >= clat"),
		"The engine's p%g of lat lies below that of clat, which is a part of it. Its latencies are not to be "
		"relied on: try another version of it.",
		percentile_percent[i]);
}

static void check_percentiles(struct run *run)
{
	size_t compared = 0;

	for (int op = 0; op < DIRECTIONS; op++) {
		for (int i = 0; i < PERCENTILES; i++) {
			if (percentile_fits(&run->engine->direction[op], i, &compared))
				continue;
			fail_percentile(run, op, i);
			return;
		}
	}
	if (compared)
		run_add_check(run, "percentiles", CHECK_PASSED, xasprintf("%zu compared", compared),
			      xstrdup("lat >= clat"), "The percentiles of lat do not lie below those of clat.");
	else
		run_add_check(run, "percentiles", CHECK_NOT_APPLICABLE, NULL, NULL,
			      "The engine did not give percentiles of both lat and clat.");
}

void check_run(struct run *run, const struct test *test)
{
	if (run->state != RUN_DONE || !run->engine)
		return;
	if (run->trace) {
		check_balance(run);
		check_identities(run);
		check_coverage(run, test);
		check_diskstats(run);
		check_await(run, test);
	}
	check_percentiles(run);
}
