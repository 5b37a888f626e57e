// SPDX-License-Identifier: GPL-2.0
#include "checks.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "account.h"
#include "base/clock.h"
#include "base/format.h"
#include "base/text.h"
#include "check.h"
#include "remote.h"
#include "summary.h"
#include "traffic.h"

#define BESIDE	      (1u << 20)
#define SECTOR	      512
#define CLOCKS_APART  2000 /* ns */
#define ARRIVED_LEAST 0.95

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
		  format_count(difference, account_distance(reported, queued)), op_name[op],
		  queued > reported ? "more" : "fewer", format_count(whole, reported));
}

/*
 * Whether so much did not come to the disk at all that the check of the bytes (check_cache.c, by the same measure)
 * fails for it: what is missing here is no second reason then.
 */
static bool went_elsewhere(const struct run *run, const struct test *test)
{
	const struct trace_view *trace = run->trace;

	for (int op = 0; op < DIRECTIONS && trace->leaves; op++)
		if ((!test || test_has_op(test, op)) &&
		    (double)traffic_of_workload(trace, op) < ARRIVED_LEAST * (double)run->engine->direction[op].bytes)
			return true;
	return false;
}

static void compare_balance(struct run *run, const struct test *test, bool remote)
{
	const struct bio_counts *queued = run->trace->queued[OWNER_WORKLOAD];
	const struct direction *reported = run->engine->direction;
	const char *advice = "Its program files and file-system metadata add to it: for an exact count keep them on "
			     "another disk.";
	struct text differences = {0};
	bool balanced = true;
	char *sentence;

	if (remote) {
		run_add_check(run, "balance", CHECK_NOT_APPLICABLE, NULL, NULL,
			      "There is no block device on this machine whose bytes could be compared: the check "
			      "\"cache\" compares those that the server answered.");
		return;
	}
	if (!run->trace->top) {
		run_add_check(run, "balance", CHECK_UNKNOWN, NULL, NULL,
			      "What the engine's tasks queued was not counted: --stages left it out.");
		return;
	}
	if (went_elsewhere(run, test)) {
		run_add_check(run, "balance", CHECK_NOT_APPLICABLE, NULL, NULL,
			      "Not all that the engine reports came to %s: see the check \"cache\".", run->trace->top);
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

void check_balance(const struct checking *checking)
{
	const struct target *target = checking->target;

	if (!checking->run->trace || !checking->run->engine)
		return;
	if (target && target->members)
		run_add_check(
			checking->run, "balance", CHECK_NOT_APPLICABLE, NULL, NULL,
			"The file system lies on several devices and may write the same to more than one: what was "
			"queued there need not be what the engine reports.");
	else if (target_is_served(target))
		run_add_check(checking->run, "balance", CHECK_NOT_APPLICABLE, NULL, NULL,
			      "A program serves the file system, and reads and writes in pieces of its own: what is "
			      "queued need not be what the engine reports.");
	else
		compare_balance(checking->run, checking->test, target && target_is_remote(target));
}

/* --- identity --- */

/* For each layer, the target's own first. */
static void each_layer(struct run *run, void (*check)(struct run *run, const struct layer_view *layer))
{
	for (size_t i = 0; i < run->trace->aboves; i++)
		check(run, &run->trace->above[i]);
	for (size_t i = 0; i < run->trace->leaves; i++)
		check(run, &run->trace->leaf[i]);
}

/* What was lost, by name. */
static void add_losses(struct text *text, const uint64_t loss[LOSSES])
{
	const char *separator = " Without a time: ";
	char count[FORMAT_LENGTH];

	for (int i = 0; i < LOSSES; i++) {
		if (!loss[i])
			continue;
		text_addf(text, "%s%s (%s)", separator, format_count(count, loss[i]), loss_name[i]);
		separator = ", ";
	}
	if (*separator == ',')
		text_addf(text, ".");
}

/* What a build that loses on purpose did. */
static void add_faults(struct text *text, const struct op_view *view)
{
	char count[FORMAT_LENGTH], found[FORMAT_LENGTH];

	if (view->faults)
		text_addf(text, " This build drops completions on purpose: %s, of which %s were found as not seen.",
			  format_count(count, view->faults), format_count(found, view->faults_found));
}
static void check_requests(struct run *run, const struct layer_view *layer, enum op op)
{
	const struct op_view *view = layer->op[op];
	struct balance balance = layer_balance(layer, op);
	uint64_t ends = balance.timed + balance.in_flight + balance.lost;
	bool closed = balance.started == ends;
	struct text text = {0};

	text_addf(&text, "%s, %s: ", layer->device, op_name[op]);
	account_add_closure(&text, "request", balance.started, ends);
	add_losses(&text, view->loss);
	add_faults(&text, view);
	account_add_advice(&text, closed, "device times");
	account_add_identity(run, closed,
			     xasprintf("issues %" PRIu64 " - requeues %" PRIu64 " %s %" PRIu64 " timed + %" PRIu64
				       " in flight + %" PRIu64 " lost",
				       view->issues, view->requeues, closed ? "=" : "!=", balance.timed,
				       balance.in_flight, balance.lost),
			     &text);
}

static void check_bios(struct run *run, const struct layer_view *layer, enum op op)
{
	struct balance balance = layer->has_requests ? layer_bio_balance(layer, op) : layer_balance(layer, op);
	uint64_t ends = balance.timed + balance.untimed + balance.in_flight + balance.lost;
	bool closed = balance.started == ends;
	struct text text = {0};

	if (!balance.started && !ends)
		return;
	text_addf(&text, "%s, %s: ", layer->device, op_name[op]);
	account_add_closure(&text, "bio", balance.started, ends);
	add_losses(&text, layer->op[op]->bio_loss);
	account_add_advice(&text, closed, "device times");
	account_add_identity(run, closed,
			     xasprintf("bios %" PRIu64 " %s %" PRIu64 " timed + %" PRIu64
				       " without data or ended early + %" PRIu64 " in flight + %" PRIu64 " lost",
				       balance.started, closed ? "=" : "!=", balance.timed, balance.untimed,
				       balance.in_flight, balance.lost),
			     &text);
}

static void check_layer(struct run *run, const struct layer_view *layer)
{
	for (int op = 0; op < OPS; op++) {
		if (!layer->op[op])
			continue;
		if (layer->has_requests)
			check_requests(run, layer, op);
		check_bios(run, layer, op);
	}
}

void check_identity(const struct checking *checking)
{
	if (checking->run->trace)
		each_layer(checking->run, check_layer);
}

/* --- coverage --- */

/* The ops that are judged: the test's; of a traced program reads and writes. */
static bool is_judged(const struct test *test, enum op op)
{
	return test ? test_has_op(test, op) : op < DIRECTIONS;
}

/* Adds completions with a time, and requests that were started and not still in flight at the end. */
static void count_layer(const struct layer_view *layer, const struct test *test, uint64_t *timed, uint64_t *ended)
{
	for (int op = 0; op < OPS; op++) {
		struct balance balance = layer_balance(layer, op);

		if (!is_judged(test, op))
			continue;
		*timed += balance.timed;
		*ended += balance.started - balance.in_flight;
	}
}

static void count_timed(const struct trace_view *trace, const struct test *test, uint64_t *timed, uint64_t *ended)
{
	*timed = *ended = 0;
	for (size_t i = 0; i < trace->leaves; i++)
		count_layer(&trace->leaf[i], test, timed, ended);
}

static uint64_t layer_without_room(const struct layer_view *layer, const struct test *test)
{
	uint64_t sum = 0;

	for (int op = 0; op < OPS; op++)
		if (layer->op[op] && is_judged(test, op))
			sum += layer->op[op]->loss[LOSS_TABLE_FULL] + layer->op[op]->bio_loss[LOSS_TABLE_FULL];
	return sum;
}

/* Requests and bios that found the tables full, on any layer. */
static uint64_t without_room(const struct trace_view *trace, const struct test *test)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < trace->aboves; i++)
		sum += layer_without_room(&trace->above[i], test);
	for (size_t i = 0; i < trace->leaves; i++)
		sum += layer_without_room(&trace->leaf[i], test);
	return sum;
}

/* The caller frees it; NULL where there was room for all. */
static char *room_in_words(uint64_t without)
{
	char count[FORMAT_LENGTH];

	if (!without)
		return NULL;
	return xasprintf(
		" Of the requests and bios %s found no room in the probes' tables (table full), and so no time: "
		"watch fewer devices, or ask for less depth.",
		format_count(count, without));
}

/* However few found no room: that more of them were there than was provided for says that it is no chance. */
static void judge_coverage(struct run *run, uint64_t timed, uint64_t ended, uint64_t without)
{
	char timed_text[FORMAT_LENGTH], ended_text[FORMAT_LENGTH], percent_text[FORMAT_LENGTH];
	double percent = 100.0 * (double)timed / (double)ended;
	bool enough = percent >= ACCOUNT_MIN_COVERAGE;
	char *room = room_in_words(without);

	run_add_check(
		run, "coverage", enough && !room ? CHECK_PASSED : CHECK_WARNING,
		xasprintf("%s %%", format_fixed(percent_text, percent, 2)), xstrdup("99.5 % or more"),
		"The device time of %s of %s request%s is known.%s%s", format_count(timed_text, timed),
		format_count(ended_text, ended), ended == 1 ? "" : "s", room ? room : "",
		enough ? ""
		       : " The device's figures may be off, in the tail most of all; the identity check says what was "
			 "lost.");
	free(room);
}

/* Where nothing came to a device there are no times that could be missing; the check of the bytes says why. */
void check_coverage(const struct checking *checking)
{
	struct run *run = checking->run;
	uint64_t timed, ended, without;
	char *room;

	if (!run->trace)
		return;
	if (checking->target && target_is_remote(checking->target)) {
		check_remote_coverage(checking);
		return;
	}
	count_timed(run->trace, checking->test, &timed, &ended);
	without = without_room(run->trace, checking->test);
	room = ended ? NULL : room_in_words(without);
	if (ended)
		judge_coverage(run, timed, ended, without);
	else if (room)
		run_add_check(run, "coverage", CHECK_WARNING, xstrdup("no requests"), NULL,
			      "Not one request of this %s was seen on a device.%s", checking->test ? "test" : "program",
			      room);
	else
		run_add_check(run, "coverage", CHECK_NOT_APPLICABLE, xstrdup("no requests"), NULL,
			      "Not one request of this %s was seen on a device, so there are no device times: see the "
			      "check \"cache\".",
			      checking->test ? "test" : "program");
	free(room);
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

/* md and zram count neither discards nor what they turn into one. */
static bool group_counts_op(const struct layer_view *layer, enum stat_group group, enum op op)
{
	return group_has_op(group, op) && (layer->has_requests || op == OP_READ || op == OP_WRITE);
}

static struct group_count count_group(const struct layer_view *layer, enum stat_group group)
{
	struct group_count count = {0};

	for (int op = 0; op < OPS; op++) {
		const struct op_view *view = layer->op[op];

		if (!view || !group_counts_op(layer, group, op))
			continue;
		count.ios += layer->has_requests ? view->issues - view->requeues : view->bios;
		count.sectors +=
			(layer->has_requests ? view->issued_bytes - view->requeued_bytes : view->bio_bytes) / SECTOR;
	}
	return count;
}

static uint64_t flush_ends(const struct layer_view *layer)
{
	uint64_t ends = 0;

	for (int op = 0; op < OPS; op++)
		ends += layer->op[op] ? layer->op[op]->flush_ends : 0;
	return ends;
}

/*
 * What the kernel counts beyond that: a flush bio without data is a write to it, though never issued; and a bio-based
 * layer may count each piece of a split.
 */
static uint64_t count_beside(const struct layer_view *layer, enum stat_group group, bool bios_known)
{
	uint64_t children = 0;

	/* Without Q those flushes were not seen; each is the end of a flush sequence. */
	if (layer->has_requests && !bios_known)
		return group == STAT_WRITE ? flush_ends(layer) : 0;
	if (layer->has_requests)
		return group == STAT_WRITE && layer->op[OP_FLUSH] ? layer->op[OP_FLUSH]->empty : 0;
	for (int op = 0; op < OPS; op++)
		children += layer->op[op] && group_counts_op(layer, group, op) ? layer->op[op]->children : 0;
	if (group == STAT_WRITE && layer->op[OP_FLUSH])
		children += layer->op[OP_FLUSH]->empty;
	return children;
}

static char *requests_text(uint64_t least, uint64_t most, uint64_t sectors)
{
	if (least == most)
		return xasprintf("%" PRIu64 " requests, %" PRIu64 " sectors", least, sectors);
	return xasprintf("%" PRIu64 " to %" PRIu64 " requests, %" PRIu64 " sectors", least, most, sectors);
}

/* Flushes have no sectors in the kernel's file. */
static void check_group(struct run *run, const struct layer_view *leaf, enum stat_group group)
{
	const struct stat_delta *kernel = &leaf->stat[group];
	struct group_count ours = count_group(leaf, group);
	bool bios_known = run->trace->top;
	uint64_t most = ours.ios + count_beside(leaf, group, bios_known);
	uint64_t least = leaf->has_requests && bios_known ? most : ours.ios;
	uint64_t sectors = group == STAT_FLUSH ? 0 : ours.sectors;
	bool equal;

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
static bool kernel_counts(const struct layer_view *leaf)
{
	uint64_t ours = 0, kernel = 0;

	for (int group = 0; group < STAT_GROUPS; group++) {
		ours += count_group(leaf, group).ios;
		kernel += leaf->stat[group].ios;
	}
	return kernel || !ours;
}

/*
 * Each bio-based driver keeps the kernel's statistics itself: dm counts discards and zeroes (as writes), md and zram do
 * not. With requests it is the block layer, which counts flushes for whole disks only; and how many a partition's empty
 * flush bios add to its writes is known only where bios were counted.
 */
static bool group_is_comparable(const struct run *run, const struct layer_view *layer, enum stat_group group)
{
	if (!layer->has_requests)
		return group == STAT_READ ||
		       (group == STAT_WRITE && !layer->op[OP_DISCARD] && !layer->op[OP_WRITE_ZEROES]);
	if (group == STAT_FLUSH)
		return !layer->partition;
	return group != STAT_WRITE || !layer->partition || run->trace->top;
}

static void compare_with_kernel(struct run *run, const struct layer_view *layer)
{
	if (!layer->has_stat) {
		run_add_check(
			run, "diskstats", CHECK_NOT_APPLICABLE, NULL, NULL,
			"%s: other I/O was in flight as the recording began or ended, so the kernel's count cannot "
			"be compared.",
			layer->device);
		return;
	}
	if (!kernel_counts(layer)) {
		run_add_check(run, "diskstats", CHECK_NOT_APPLICABLE, NULL, NULL,
			      "%s: the kernel counted no I/O at all. Its accounting is switched off: write 1 to "
			      "/sys/block/%s/queue/iostats to have it compared.",
			      layer->device, layer->device);
		return;
	}
	for (int group = 0; group < STAT_GROUPS; group++)
		if (group_is_comparable(run, layer, group))
			check_group(run, layer, group);
}

void check_diskstats(const struct checking *checking)
{
	if (checking->run->trace)
		each_layer(checking->run, compare_with_kernel);
}

/* --- await --- */

/* The kernel's count and time of the test's own groups. */
static struct stat_delta own_stat(const struct layer_view *leaf, const struct test *test)
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
	if (!run->trace->leaf[0].has_requests)
		return "of bios it counts whole clock ticks, from a later moment";
	if (!run->trace->leaf[0].has_stat)
		return "other I/O was in flight as the recording began or ended";
	if (!summary->has_device || !own_stat(&run->trace->leaf[0], test).ios)
		return "no request was timed or counted by the kernel";
	if (summary->mean <= 0)
		return "the engine gave no mean latency";
	if (summary->requests_per_io < 0.99 || summary->requests_per_io > 1.01)
		return "requests are not I/Os, as some were split or merged";
	if (!run->trace->top)
		return "--stages left out whose I/O it was";
	if (test_has_op(test, OP_WRITE) && run->trace->leaf[0].op[OP_FLUSH] && run->trace->leaf[0].op[OP_FLUSH]->empty)
		return "flushes without data are among the kernel's writes";
	if (summary->other_bytes * 100 >= summary->own_bytes)
		return "1 % or more of the disk's I/O was not the workload's";
	return NULL;
}

/*
 * NULL where it fits. The kernel's time is in whole milliseconds, so its mean is uncertain by one of them, spread over
 * the I/Os. And where a driver completes requests in batches (NVMe since 6.9), the kernel stamps all of a batch with
 * the moment of the first: its mean is then lower than what was seen at each one's own end. 5 % and 2 us are what that
 * may come to; it says nothing against either clock.
 */
static const char *await_misfit(double device, double await, double lat, double resolution)
{
	double below = device - await, above = await - lat;

	if (below > resolution && below > await * 0.05 && below > CLOCKS_APART)
		return "below the mean device time";
	if (above > lat * 0.01 + 2 * resolution && above > lat * 0.05 && above > CLOCKS_APART)
		return "above the mean latency";
	return NULL;
}

static const char *await_advice(uint64_t others)
{
	if (others)
		return " Requests of others are among the device's and the kernel's, but not among the engine's: a few "
		       "slow ones can do that. Repeat the run with the disk at rest.";
	return " One of the three clocks or counts is wrong: repeat the run with the disk at rest, and report it as a "
	       "bug if it happens again.";
}

static uint64_t bios_of_others(const struct run *run, const struct test *test)
{
	uint64_t bios = 0;

	for (int op = 0; op < OPS; op++)
		bios += test_has_op(test, op) ? run->trace->queued[OWNER_OTHERS][op].bios : 0;
	return bios;
}

static void compare_await(struct run *run, const struct test *test, const struct summary *summary)
{
	uint64_t others = bios_of_others(run, test);
	struct stat_delta stat = own_stat(&run->trace->leaf[0], test);
	double device = hist_mean(summary->device), await = (double)stat.time / (double)stat.ios, lat = summary->mean;
	const char *misfit = await_misfit(device, await, lat, NS_PER_MS / (double)stat.ios);
	char device_text[FORMAT_LENGTH], await_text[FORMAT_LENGTH], lat_text[FORMAT_LENGTH];

	format_latency(device_text, device);
	format_latency(await_text, await);
	format_latency(lat_text, lat);
	run_add_check(run, "await",
		      !misfit  ? CHECK_PASSED
		      : others ? CHECK_UNKNOWN
			       : CHECK_WARNING,
		      xasprintf("device %s, diskstats %s, lat %s", device_text, await_text, lat_text),
		      xstrdup("device <= diskstats <= lat"),
		      "The mean that the kernel's own counters give, %s, lies %s.%s", await_text,
		      misfit ? misfit
			     : "between the mean device time and the mean latency, as well as the clocks can tell",
		      misfit ? await_advice(others) : "");
}

void check_await(const struct checking *checking)
{
	struct run *run = checking->run;
	const struct run *only = run;
	struct summary summary;
	const char *obstacle;

	if (!run->trace || !run->engine)
		return;
	summary_of_runs(&summary, &only, 1, checking->test, LATENCY_LAT);
	obstacle = await_obstacle(run, checking->test, &summary);
	if (obstacle)
		run_add_check(run, "await", CHECK_NOT_APPLICABLE, NULL, NULL,
			      "The kernel's mean time per I/O is not compared: %s.", obstacle);
	else
		compare_await(run, checking->test, &summary);
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

static void compare_percentiles(struct run *run)
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

void check_percentiles(const struct checking *checking)
{
	if (checking->run->engine)
		compare_percentiles(checking->run);
}
