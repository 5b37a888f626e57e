/* SPDX-License-Identifier: GPL-2.0 */
/* From maps to the view: what the tracer's state is, and how it is read. Private to trace/. */
#ifndef TRACE_COLLECT_H
#define TRACE_COLLECT_H

#include "host/block.h"
#include "result/result.h"

#include <iostrata/remote.h>

#include "histograms.h"
#include "iostrata.skel.h"
#include "tracer.h"

/* One device of the stack, and its kernel counters at the edges of the recording. */
struct traced_layer {
	char *name;
	bool leaf;
	uint32_t flags; /* enum layer_flags */
	bool counted;	/* the kernel keeps statistics for it (queue/iostats) */
	bool quiet;	/* nothing was in flight at either edge */
	bool drained;	/* nothing was in flight at some moment after the recording */
	struct block_stat before, after;
};

struct tracer {
	struct iostrata_bpf *skel;
	struct request_set *request_set; /* the tables, mapped */
	struct bio_set *bio_set;
	size_t sets;
	struct io_set *io_set;
	size_t io_sets;
	struct remote_set *remote_set;
	size_t remote_sets; /* 1 where no round trips are followed */
	char *top;
	struct traced_layer *layer;
	size_t layers;
	bool queue, ios, hops, rings;
	unsigned slowest;
	size_t slow_records;
	char *hidden; /* see struct trace_view */
	int cpus;     /* possible ones: per-CPU maps are sized by them */
	uint64_t startup;
	int timing;	      /* descriptor, while the kernel times its BPF programs */
	uint64_t time_before; /* ns that ours had run when that began */
	uint64_t epoch;
	uint64_t started; /* of the recording */
	uint64_t started_at; /* the same moment by the time of day */
	uint64_t misses_before;
	struct op_view *view;	/* of each layer and op: [layer * OPS + op] */
	struct hist *hop;	/* [(layer * OPS + op) * HOPS + hop]; NULL where none are followed */
	struct io_view *io;	/* of each enum io_op */
	struct io_second *io_told; /* of each enum io_op: all that its seconds have told of */
	struct call_view *call; /* of each enum call */
	struct remote_row *remote; /* of each row of the probes' counters; NULL where no round trips are followed */
	struct histograms stages, hop_times, io_stages, call_times, remote_times;
	struct trace_interval *told; /* all that intervals have told of; NULL: none was asked for */
};

/* Makes room for readings; after the maps are loaded. collect_clear() forgets what was read. */
void collect_open(struct tracer *tracer);
void collect_close(struct tracer *tracer);
void collect_clear(struct tracer *tracer);

/* Reads all histograms and adds what grew since the last time to ours and, as one second, to the courses. */
void collect_histograms(struct tracer *tracer);

/* Adds what bios were counted by owner and op. */
void collect_owners(struct tracer *tracer, struct bio_counts queued[OWNERS][OPS]);

/* Reads counters, owners and what is left in the tables into `view`, and hands it the histograms. */
void collect_view(struct tracer *tracer, struct trace_view *view);

/* --- collect_io.c: the part of I/Os and calls; nothing where they are not followed --- */

void collect_io_open(struct tracer *tracer);
void collect_io_close(struct tracer *tracer);
void collect_io_clear(struct tracer *tracer);
void collect_io_view(struct tracer *tracer, struct trace_view *view);

/* After the histograms were read: what grew since the last time is one more second of each op, which ends at `at`. */
void collect_io_seconds(struct tracer *tracer, uint64_t at);

/* Makes the times of a record that BPF kept ns since the recording began. False: there is none in it. */
bool collect_rebase(const struct tracer *tracer, struct io_record *record);

/* From the call to the result, ns. */
uint64_t collect_total(const struct io_record *record);

/* --- collect_remote.c: round trips to servers; nothing where they are not followed --- */

struct remote_row {
	struct remote_counts counts;
	uint64_t in_flight_at_end;
	struct hist time;
};

void collect_remote_open(struct tracer *tracer);
void collect_remote_close(struct tracer *tracer);
void collect_remote_clear(struct tracer *tracer);
void collect_remote_view(struct tracer *tracer, struct trace_view *view);

/* --- collect_others.c: who else was on the disk --- */

void collect_foreigners(struct tracer *tracer, struct trace_view *view);
void collect_clear_foreigners(struct tracer *tracer);

#endif
