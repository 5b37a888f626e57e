// SPDX-License-Identifier: GPL-2.0
#include "checks.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/format.h"
#include "base/text.h"
#include "remote.h"
#include "summary.h"
#include "traffic.h"

/* How many of the bytes must arrive: what is in flight at the edges is not to be told from what is missing. */
#define ARRIVED(arrived, sent) ((double)(arrived) >= 0.95 * (double)(sent))

static const char *const moved_words[DIRECTIONS] = {"read", "written"};

/* What became of one direction's bytes. */
struct flow {
	enum op op;
	uint64_t moved;	 /* by the program */
	uint64_t top;	 /* of them, what came to the target's own disk; where that is not known, the same */
	uint64_t leaves; /* and what came to the leaves, at the most */
	uint64_t remote; /* what was asked of file systems' servers; it is in both */
};

static const struct layer *loop_facts(const struct checking *checking, const struct layer_view *layer)
{
	const struct layer *facts = traffic_facts(checking->target, layer->device);

	return facts && facts->backing_file && !facts->parent_disk ? facts : NULL;
}

/* --- what the program moved --- */

/*
 * Direct I/Os are counted by themselves, and those of them that are calls are among the calls, too. How many bytes that
 * were is known where all of them are calls, or none; else the larger of the two counts is the least that can be meant.
 */
static uint64_t program_bytes(const struct trace_view *trace, enum op op)
{
	const struct io_view *io = trace->io[op];
	const struct call_view *call = trace->call[op == OP_READ ? CALL_READ : CALL_WRITE];
	uint64_t by_ios = io ? io->counts.bytes : 0, by_calls = call ? call->counts.bytes : 0;

	if (!call || !call->counts.direct)
		return by_ios + by_calls;
	return by_ios > by_calls ? by_ios : by_calls;
}

static uint64_t moved_bytes(const struct run *run, enum op op)
{
	return run->engine ? run->engine->direction[op].bytes : program_bytes(run->trace, op);
}

/* A program reads its own files and a configuration from the page cache; that is not what it is measured for. */
static bool is_judged(const struct checking *checking, enum op op)
{
	const struct run *run = checking->run;
	uint64_t moved = moved_bytes(run, op), both = moved_bytes(run, OP_READ) + moved_bytes(run, OP_WRITE);

	if (run->engine)
		return moved && (!checking->test || test_has_op(checking->test, op));
	return moved >= TRAFFIC_LEAST && moved * 10 >= both;
}

static struct flow flow_of(const struct checking *checking, enum op op)
{
	const struct trace_view *trace = checking->run->trace;
	uint64_t others = traffic_of_others(trace, checking->target, op), leaves = traffic_of_leaves(trace, op);
	struct flow flow = {.op = op, .moved = moved_bytes(checking->run, op)};

	flow.remote = remote_bytes(trace, op);
	flow.top = trace->top ? traffic_of_workload(trace, op) + flow.remote : flow.moved;
	flow.leaves = (leaves > others ? leaves - others : 0) + flow.remote;
	return flow;
}

/* What the layers below the top must have seen: it may be more than the program moved (read ahead), or less. */
static uint64_t expected_below(const struct flow *flow)
{
	return flow->top < flow->moved ? flow->top : flow->moved;
}

/* --- words --- */

static char *leaves_in_words(const struct trace_view *trace)
{
	struct text text = {0};

	if (traffic_has_several_tops(trace) || !trace->leaves)
		return xstrdup("the disks");
	for (size_t i = 0; i < trace->leaves; i++)
		text_addf(&text, "%s%s", i ? ", " : "", trace->leaf[i].device);
	return text_take(&text);
}

static const char *top_in_words(const struct trace_view *trace)
{
	if (trace->remotes)
		return "the disks and servers";
	return traffic_has_several_tops(trace) ? "the disks" : trace->top;
}

/* Frees the sentence. */
static void object(struct run *run, enum check_state state, const struct flow *flow, uint64_t arrived, char *sentence)
{
	char arrived_text[FORMAT_LENGTH], moved[FORMAT_LENGTH];

	run_add_check(run, "cache", state,
		      xasprintf("%s: %s of %s", op_name[flow->op], format_size(arrived_text, arrived),
				format_size(moved, flow->moved)),
		      xstrdup("95 % or more at every layer"), "%s", sentence);
	free(sentence);
}

/* --- what did not come to the top --- */

/*
 * Whether most of what is missing are direct reads that the file system answered itself. Of one that a program serves
 * none comes to the block layer by itself.
 */
static bool are_holes(const struct checking *checking, const struct flow *flow)
{
	const struct io_view *io = checking->run->trace->io[flow->op];
	double each;

	if (flow->op != OP_READ || !io || !io_ended(io) || target_is_served(checking->target))
		return false;
	each = (double)io->counts.bytes / (double)io_ended(io);
	return each * (double)io->counts.end[IO_END_NOT_QUEUED] * 2 >= (double)(flow->moved - flow->top);
}

/* A program that was answered by the disk for the most part, and by the page cache for the rest. */
static bool is_mostly_there(const struct flow *flow)
{
	return flow->top * 2 >= flow->moved;
}

static uint64_t calls_of(const struct trace_view *trace, enum call call)
{
	return trace->call[call] ? trace->call[call]->counts.calls : 0;
}

/* Whether most writes were synchronous. */
static bool wrote_synchronously(const struct trace_view *trace)
{
	const struct call_view *write = trace->call[CALL_WRITE];

	return write && write->counts.synchronous && write->counts.synchronous * 2 >= write->counts.calls;
}

static bool synced(const struct trace_view *trace)
{
	return calls_of(trace, CALL_FSYNC) || calls_of(trace, CALL_FDATASYNC) || calls_of(trace, CALL_SYNC_RANGE) ||
	       calls_of(trace, CALL_MSYNC) || calls_of(trace, CALL_SYNC);
}

static char *writes_in_words(const struct run *run, const struct flow *flow)
{
	bool synchronously = wrote_synchronously(run->trace);
	char arrived[FORMAT_LENGTH], moved[FORMAT_LENGTH];

	format_size(moved, flow->moved);
	if (!flow->top && (synchronously || synced(run->trace)))
		return xasprintf(
			"None of the %s that were written %s came to a disk: the file is in memory (tmpfs), or on a "
			"device that is not watched.",
			moved, synchronously ? "synchronously" : "and synced");
	if (!flow->top)
		snprintf(arrived, sizeof(arrived), "none");
	else
		format_size(arrived, flow->top);
	return xasprintf("Written to the page cache: %s of %s%s had reached %s when it ended. To measure the disk, "
			 "sync at the end (such as dd's conv=fsync), or use direct I/O.",
			 arrived, flow->top ? "" : "the ", moved, top_in_words(run->trace));
}

/* "50 % of", "none of" */
static char *share_in_words(const struct flow *flow)
{
	double percent = 100 * (double)flow->top / (double)flow->moved;
	char number[FORMAT_LENGTH];

	if (!flow->top)
		return xstrdup("none of");
	if (percent < 0.1)
		return xstrdup("less than 0.1 % of");
	return xasprintf("%s %% of", format_fixed(number, percent, percent < 10 ? 1 : 0));
}

static char *reads_in_words(const struct run *run, const struct flow *flow)
{
	char *share = share_in_words(flow), *words;
	char moved[FORMAT_LENGTH];

	words = xasprintf("The page cache answered%s: %s the %s that the program read came from %s. To measure the "
			  "disk, use direct I/O, or drop the cache first (echo 3 > /proc/sys/vm/drop_caches).",
			  is_mostly_there(flow) ? " in part" : "", share, format_size(moved, flow->moved),
			  top_in_words(run->trace));
	free(share);
	return words;
}

static char *program_in_words(const struct run *run, const struct flow *flow)
{
	return flow->op == OP_WRITE ? writes_in_words(run, flow) : reads_in_words(run, flow);
}

static const char *top_loser_in_words(const struct checking *checking, const struct flow *flow)
{
	if (are_holes(checking, flow))
		return "the file system answered the rest itself, from holes or blocks that were never written";
	if (target_is_served(checking->target))
		return flow->op == OP_READ ? "the program that serves the file system had the rest in the page cache"
					   : "the program that serves the file system left the rest in the page cache";
	return flow->op == OP_READ
		       ? "the page cache answered the rest. Direct I/O may have no effect on this file system"
		       : "the page cache took the rest. Direct I/O may have no effect on this file system";
}

/* "Of 64 MiB read only 1 MiB", "Of 64 MiB read none"; the caller frees it. */
static char *much_in_words(const struct flow *flow, uint64_t arrived)
{
	char some[FORMAT_LENGTH], moved[FORMAT_LENGTH];

	return xasprintf("Of %s %s %s%s", format_size(moved, flow->moved), moved_words[flow->op],
			 arrived ? "only " : "none", arrived ? format_size(some, arrived) : "");
}

static void fail_at_top(const struct checking *checking, const struct flow *flow)
{
	struct run *run = checking->run;
	char *much;

	if (!run->engine && !are_holes(checking, flow)) {
		object(run, is_mostly_there(flow) ? CHECK_WARNING : CHECK_FAILED, flow, flow->top,
		       program_in_words(run, flow));
		return;
	}
	much = much_in_words(flow, flow->top);
	object(run, CHECK_FAILED, flow, flow->top,
	       xasprintf("%s came to %s: %s.", much, top_in_words(run->trace), top_loser_in_words(checking, flow)));
	free(much);
}

/*
 * File systems that copy what they write (compressed, say) hide whose it is, and so do programs that serve one and
 * can't be seen: then all others may have been it.
 */
static bool may_be_hidden(const struct checking *checking, const struct flow *flow)
{
	uint64_t others = traffic_of_others(checking->run->trace, checking->target, flow->op);
	bool hides = (flow->op == OP_WRITE && !checking->run->engine) || target_is_served(checking->target);

	return hides && ARRIVED(flow->top + others, flow->moved);
}

/* --- what did not come to the leaves --- */

/* The lowest layer that all of it came to, or a loop device that it came to and that has a cache; NULL: none is known.
 */
static const struct layer_view *lowest_reached(const struct checking *checking, const struct flow *flow)
{
	const struct trace_view *trace = checking->run->trace;

	for (size_t i = trace->aboves; i-- > 0;) {
		const struct layer *loop = loop_facts(checking, &trace->above[i]);
		uint64_t bytes = traffic_of_layer(&trace->above[i], flow->op);

		if ((loop && loop->cached && bytes) || ARRIVED(bytes, expected_below(flow)))
			return &trace->above[i];
	}
	return NULL;
}

/* The caller frees it. */
static char *loser_in_words(const struct checking *checking, const struct layer_view *reached)
{
	const struct layer *loop = reached ? loop_facts(checking, reached) : NULL;

	if (!reached)
		return xstrdup("a cache above them answered");
	if (loop && !loop->cached)
		return xasprintf(
			"under %s something nearer answered, such as holes in its file or blocks of it that were "
			"never written",
			reached->device);
	if (loop || !strncmp(reached->device, "loop", strlen("loop")))
		return xasprintf("the page cache under %s answered (it has no direct I/O: losetup --direct-io=on)",
				 reached->device);
	return xasprintf("under %s a cache answered, or blocks that were never written", reached->device);
}

static void fail_below(const struct checking *checking, const struct flow *flow)
{
	char *leaves = leaves_in_words(checking->run->trace);
	char *loser = loser_in_words(checking, lowest_reached(checking, flow));
	char *much = much_in_words(flow, flow->leaves);

	object(checking->run, CHECK_FAILED, flow, flow->leaves,
	       xasprintf("%s arrived at %s: %s.", much, leaves, loser));
	free(much);
	free(loser);
	free(leaves);
}

/* --- what came through a cache all the same --- */

/* A loop device with a cache, on the way of at least half of the bytes; of several disks others may have used it. */
static const struct layer_view *cached_loop(const struct checking *checking, const struct flow *flow)
{
	const struct trace_view *trace = checking->run->trace;

	for (size_t i = 0; i < trace->aboves; i++) {
		const struct layer *loop = loop_facts(checking, &trace->above[i]);

		if (loop && loop->cached && traffic_of_layer(&trace->above[i], flow->op) * 2 >= expected_below(flow))
			return &trace->above[i];
	}
	return NULL;
}

static void judge_arrived(const struct checking *checking, const struct flow *flow)
{
	const struct layer_view *loop = cached_loop(checking, flow);
	char leaves[FORMAT_LENGTH], moved[FORMAT_LENGTH];
	char *found = xasprintf("%s: %s of %s", op_name[flow->op], format_size(leaves, flow->leaves),
				format_size(moved, flow->moved));

	if (loop)
		run_add_check(checking->run, "cache", CHECK_WARNING, found, xstrdup("no cache on the way"),
			      "What is %s goes through the page cache of %s's file, which takes part in every figure: "
			      "losetup --direct-io=on keeps it out.",
			      moved_words[flow->op], loop->device);
	else
		run_add_check(checking->run, "cache", CHECK_PASSED, found, xstrdup("95 % or more at every layer"),
			      "What was %s arrived at every layer down to the last%s.", moved_words[flow->op],
			      flow->remote ? ", or was asked of a file system's server" : "");
}

static void judge_flow(const struct checking *checking, enum op op)
{
	struct flow flow = flow_of(checking, op);

	if (checking->target && target_is_remote(checking->target)) {
		check_remote_cache(checking, op, flow.moved);
		return;
	}
	if (may_be_hidden(checking, &flow) && !ARRIVED(flow.top, flow.moved))
		run_add_check(
			checking->run, "cache", CHECK_UNKNOWN, NULL, NULL,
			"Whose I/O came to the disk can't be told for this file system, so it is not known how much "
			"of what the program %s arrived.",
			flow.op == OP_WRITE ? "wrote" : "read");
	else if (!ARRIVED(flow.top, flow.moved))
		fail_at_top(checking, &flow);
	else if (!ARRIVED(flow.leaves, expected_below(&flow)))
		fail_below(checking, &flow);
	else
		judge_arrived(checking, &flow);
}

/* NULL, or why nothing is known of the bytes. */
static const char *obstacle(const struct run *run, const struct target *target)
{
	if (traffic_hidden_file(target))
		return "the file under a loop device can't be found by its path";
	if (!run->engine && !run->trace->ios)
		return "what the program moved was not followed: --stages left it out";
	if (!run->trace->leaves && !(target && target_is_remote(target)))
		return "no device was watched";
	if (traffic_is_of_everyone(run))
		return "everyone's I/O was watched, and of that no whole is known";
	return NULL;
}

void check_cache(const struct checking *checking)
{
	struct run *run = checking->run;
	const char *why = run->trace ? obstacle(run, checking->target) : NULL;
	bool judged = false;

	if (!run->trace)
		return;
	for (int op = 0; op < DIRECTIONS && !why; op++) {
		if (!is_judged(checking, op))
			continue;
		judge_flow(checking, op);
		judged = true;
	}
	if (why)
		run_add_check(run, "cache", CHECK_UNKNOWN, NULL, NULL, "Whether a cache answered can't be told: %s.",
			      why);
	else if (!judged)
		run_add_check(run, "cache", CHECK_NOT_APPLICABLE, NULL, NULL,
			      "Too little was read and written (less than 1 MiB) to be judged.");
}
