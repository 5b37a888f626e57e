// SPDX-License-Identifier: GPL-2.0
#include "ledger.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "ledger_conclusion.h"

const char *const durability_name[DURABILITIES] = {
	[DURABILITY_NOT_ASKED] = "not asked",	      [DURABILITY_FLUSHED] = "flushed",
	[DURABILITY_WRITE_THROUGH] = "write through", [DURABILITY_MEMORY] = "memory",
	[DURABILITY_UNFLUSHED] = "unflushed",	      [DURABILITY_UNWRITTEN] = "unwritten",
	[DURABILITY_UNSEEN] = "unseen",
};

static const enum call sync_calls[] = {CALL_FSYNC, CALL_FDATASYNC, CALL_SYNC_RANGE, CALL_MSYNC, CALL_SYNC};

static const struct call_counts *counts_of(const struct trace_view *trace, enum call call)
{
	static const struct call_counts none;

	return trace->call[call] ? &trace->call[call]->counts : &none;
}

static const struct io_counts *writes_of(const struct trace_view *trace)
{
	static const struct io_counts none;

	return trace->io[IO_OP_WRITE] ? &trace->io[IO_OP_WRITE]->counts : &none;
}

static uint64_t smaller(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* --- what the program asked for --- */

/*
 * Synchronous writes that are no calls: by libaio and io_uring, and where calls by kind are not counted, the direct
 * calls too. Elsewhere a direct synchronous call is noted as an I/O as well, and which of the notes are theirs is not
 * kept: as many as can be are taken for them, so that nothing is counted twice.
 */
static uint64_t notes_beside_calls(const struct trace_view *trace)
{
	const struct call_counts *calls = counts_of(trace, CALL_WRITE);
	const struct io_counts *ios = writes_of(trace);
	uint64_t notes = ios->note[IO_NOTE_SYNCHRONOUS];

	if (!calls->direct)
		return notes;
	return notes - smaller(notes, smaller(calls->synchronous, ios->way[IO_WAY_CALL]));
}

/* The bytes of I/Os are those of all writes together. */
static void count_writes(struct ledger *ledger, const struct trace_view *trace)
{
	const struct call_counts *calls = counts_of(trace, CALL_WRITE);
	const struct io_view *ios = trace->io[IO_OP_WRITE];
	uint64_t beside = notes_beside_calls(trace);

	ledger->writes = calls->synchronous + beside;
	ledger->write_bytes = calls->synchronous_bytes;
	if (!beside)
		return;
	if (beside < io_ended(ios))
		ledger->write_bytes = 0;
	else
		ledger->write_bytes += ios->counts.bytes;
}

static void count_syncs(struct ledger *ledger, const struct trace_view *trace)
{
	for (size_t i = 0; i < ARRAY_SIZE(sync_calls); i++)
		ledger->syncs += counts_of(trace, sync_calls[i])->calls;
	if (trace->io[IO_OP_SYNC])
		ledger->syncs += io_ended(trace->io[IO_OP_SYNC]);
}

/* What direct calls moved is among the bytes of the calls and of the I/Os; theirs alone where nothing else is an I/O.
 */
static void count_buffered(struct ledger *ledger, const struct trace_view *trace)
{
	const struct call_counts *calls = counts_of(trace, CALL_WRITE);
	const struct io_view *ios = trace->io[IO_OP_WRITE];
	uint64_t direct = calls->direct && ios ? ios->counts.bytes : 0;

	if (calls->direct < calls->calls)
		ledger->buffered_bytes = calls->bytes - smaller(calls->bytes, direct);
	if (ios && ios->counts.end[IO_END_BUFFERED] && ios->counts.end[IO_END_BUFFERED] == io_ended(ios))
		ledger->buffered_bytes += ios->counts.bytes;
}

/* Without the running clocks, which only a traced program has, no call is seen to contain a flush. */
static void count_flushed(struct ledger *ledger, const struct trace_view *trace, bool clocks)
{
	uint64_t calls = counts_of(trace, CALL_WRITE)->synchronous;

	ledger->flushed = counts_of(trace, CALL_WRITE)->flushed;
	for (size_t i = 0; i < ARRAY_SIZE(sync_calls); i++) {
		calls += counts_of(trace, sync_calls[i])->calls;
		ledger->flushed += counts_of(trace, sync_calls[i])->flushed;
	}
	if (clocks || ledger->flushed)
		ledger->calls = calls;
}

/* --- how long it waited --- */

static void add_time(struct ledger *ledger, const struct call_view *call)
{
	uint64_t busy = 0;

	if (!call)
		return;
	for (int class = 0; class < CLASSES; class ++)
		busy += call->counts.clock[class];
	ledger->call_time += call->time.sum;
	ledger->idle_time += call->time.sum - smaller(busy, call->time.sum);
}

/* Times are by kind of call: where some of the writes are not synchronous, nothing is known of those that are. */
static void add_times(struct ledger *ledger, const struct trace_view *trace, bool clocks)
{
	const struct call_counts *writes = counts_of(trace, CALL_WRITE);

	if (!clocks || (writes->synchronous && writes->synchronous < writes->calls))
		return;
	if (writes->synchronous)
		add_time(ledger, trace->call[CALL_WRITE]);
	for (size_t i = 0; i < ARRAY_SIZE(sync_calls); i++)
		add_time(ledger, trace->call[sync_calls[i]]);
}

/* --- what the layers got --- */

static const struct layer_view *find_view(const struct layer_view *views, size_t count, const char *device)
{
	for (size_t i = 0; i < count; i++)
		if (!strcmp(views[i].device, device))
			return &views[i];
	return NULL;
}

static void fill_op(struct ledger_layer *layer, enum op op, const struct op_view *view)
{
	uint64_t requests = view->issues - view->requeues;

	layer->asked_flush += view->asked_flush;
	layer->asked_fua += view->asked_fua;
	if (op == OP_FLUSH)
		layer->flushes = layer->has_requests ? requests : view->bios;
	if (op != OP_WRITE)
		return;
	layer->writes = layer->has_requests ? requests : view->bios;
	layer->write_bytes = layer->has_requests ? view->issued_bytes - view->requeued_bytes : view->bio_bytes;
	layer->fua = view->fua;
	layer->reached = view->reached_bytes;
}

static void add_layer(struct ledger *ledger, const struct layer *facts, const struct layer_view *view, bool leaf,
		      bool has_reached)
{
	struct ledger_layer *layer;

	ledger->layer = xreallocarray(ledger->layer, ledger->layers + 1, sizeof(*ledger->layer));
	layer = &ledger->layer[ledger->layers++];
	*layer = (struct ledger_layer){
		.device = view->device,
		.facts = facts,
		.leaf = leaf,
		.has_requests = view->has_requests,
		.has_reached = has_reached,
	};
	for (int op = 0; op < OPS; op++)
		if (view->op[op])
			fill_op(layer, (enum op)op, view->op[op]);
}

/* The kernel counts flushes for whole disks, and a partition's disk is a layer of its own. */
static void add_layers(struct ledger *ledger, const struct target *target, const struct trace_view *trace)
{
	for (size_t i = 0; i < target->layers; i++) {
		const struct layer *facts = &target->layer[i];
		const struct layer_view *leaf = find_view(trace->leaf, trace->leaves, facts->name);
		const struct layer_view *view = leaf ? leaf : find_view(trace->above, trace->aboves, facts->name);

		if (view && !view->partition)
			add_layer(ledger, facts, view, leaf != NULL, trace->has_reached);
	}
}

/* --- all of it --- */

static bool wrote_or_synced(const struct ledger *ledger, const struct trace_view *trace)
{
	return ledger->writes || ledger->syncs || counts_of(trace, CALL_WRITE)->calls || trace->io[IO_OP_WRITE];
}

uint64_t ledger_weak_syncs(const struct trace_view *trace)
{
	return counts_of(trace, CALL_SYNC_RANGE)->calls + counts_of(trace, CALL_MSYNC)->calls;
}

bool ledger_of_run(struct ledger *ledger, const struct result *result, const struct run *run)
{
	const struct trace_view *trace = run->trace;
	bool clocks = run->test == NO_TEST;

	*ledger = (struct ledger){0};
	if (!trace || !trace->ios || trace->unledgered || run->target >= result->targets)
		return false;
	count_writes(ledger, trace);
	count_syncs(ledger, trace);
	if (!wrote_or_synced(ledger, trace))
		return false;
	count_buffered(ledger, trace);
	count_flushed(ledger, trace, clocks);
	add_times(ledger, trace, clocks);
	add_layers(ledger, &result->target[run->target], trace);
	ledger_conclude(ledger, result, run);
	return true;
}

void ledger_clear(struct ledger *ledger)
{
	free(ledger->layer);
	free(ledger->conclusion);
	*ledger = (struct ledger){0};
}
