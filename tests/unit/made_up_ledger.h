/* SPDX-License-Identifier: GPL-2.0 */
/* A traced program on a stack of one's own, for the tests of the durability ledger: begin(), add layers, then calls. */
#ifndef TEST_MADE_UP_LEDGER_H
#define TEST_MADE_UP_LEDGER_H

#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "result/result.h"

static struct result *result;
static struct run *run;
static struct target *target;
static struct trace_view *trace;

/* A run of `kind`, and nothing in it. */
static void begin(enum target_kind kind)
{
	result = result_new();
	result->target = target = xcalloc(1, sizeof(*target));
	result->targets = 1;
	target->kind = kind;
	target->filesystem = kind == TARGET_DISKS ? NULL : xstrdup("ext4");
	run = result_add_run(result);
	run->test = NO_TEST;
	run->trace = trace = xcalloc(1, sizeof(*trace));
	trace->ios = true;
	trace->leaf = xcalloc(4, sizeof(*trace->leaf));
	trace->above = xcalloc(4, sizeof(*trace->above));
	target->layer = xcalloc(8, sizeof(*target->layer));
}

static void end(void)
{
	result_free(result);
}

static struct op_view *op_of(struct layer_view *view, enum op op)
{
	if (!view->op[op])
		view->op[op] = xcalloc(1, sizeof(*view->op[op]));
	return view->op[op];
}

static __attribute__((unused)) struct layer *facts_of(const char *name)
{
	for (size_t i = 0; i < target->layers; i++)
		if (!strcmp(target->layer[i].name, name))
			return &target->layer[i];
	return NULL;
}

/* The first one is the target's own. Pointers to views stay valid. */
static struct layer_view *add_layer(const char *name, bool leaf, const char *write_cache)
{
	struct layer_view *view = leaf ? &trace->leaf[trace->leaves++] : &trace->above[trace->aboves++];

	target->layer[target->layers++] = (struct layer){
		.name = xstrdup(name),
		.leaf = leaf,
		.has_requests = true,
		.write_cache = write_cache ? xstrdup(write_cache) : NULL,
	};
	view->device = xstrdup(name);
	view->has_requests = true;
	if (!trace->top)
		trace->top = xstrdup(name);
	return view;
}

/* Requests that a layer got; writes of 4 KiB. */
static void got(struct layer_view *view, uint64_t writes, uint64_t flushes, uint64_t fua)
{
	struct op_view *op = op_of(view, OP_WRITE);

	op->issues = writes;
	op->issued_bytes = writes * 4096;
	op->fua = fua;
	if (flushes)
		op_of(view, OP_FLUSH)->issues = flushes;
}

/* Of writes 4 KiB each. */
static struct call_counts *call(enum call kind, uint64_t calls, uint64_t flushed)
{
	struct call_view *view = trace->call[kind] = xcalloc(1, sizeof(*view));

	view->counts.calls = calls;
	view->counts.flushed = flushed;
	if (kind == CALL_WRITE)
		view->counts.bytes = calls * 4096;
	return &view->counts;
}

static struct call_counts *synchronous_writes(uint64_t calls, uint64_t flushed)
{
	struct call_counts *counts = call(CALL_WRITE, calls, flushed);

	counts->synchronous = calls;
	counts->synchronous_bytes = counts->bytes;
	return counts;
}

/* Writes that are I/Os, of 4 KiB each; `synchronous` of them. */
static __attribute__((unused)) struct io_view *io_writes(enum io_way way, uint64_t count, uint64_t synchronous)
{
	struct io_view *view = trace->io[IO_OP_WRITE];

	if (!view)
		view = trace->io[IO_OP_WRITE] = xcalloc(1, sizeof(*view));
	view->counts.called += count;
	view->counts.way[way] += count;
	view->counts.end[IO_END_JOINED] += count;
	view->counts.bytes += count * 4096;
	view->counts.note[IO_NOTE_SYNCHRONOUS] += synchronous;
	return view;
}

static void reached(struct layer_view *view, uint64_t bytes)
{
	trace->has_reached = true;
	op_of(view, OP_WRITE)->reached_bytes = bytes;
}

#endif
