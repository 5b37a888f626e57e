/* SPDX-License-Identifier: GPL-2.0 */
/* From maps to the view: what the tracer's state is, and how it is read. Private to trace/. */
#ifndef TRACE_COLLECT_H
#define TRACE_COLLECT_H

#include "host/block.h"
#include "result/result.h"

#include "iostrata.skel.h"

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
	char *top;
	struct traced_layer *layer;
	size_t layers;
	bool queue;
	int cpus; /* possible ones: per-CPU maps are sized by them */
	uint64_t startup;
	uint64_t started; /* of the recording */
	uint64_t misses_before;
	struct op_view *view;	   /* of each layer and op: [layer * OPS + op] */
	struct stage_counts *last; /* of each layer, op, stage and CPU, as they were read last */
	char *values;		   /* room for one reading of all of them */
};

/* Bytes between two CPUs' values as the kernel hands them out. */
size_t collect_stride(size_t value_size);

/* Makes room for readings; after the maps have their sizes. collect_clear() forgets what was read. */
void collect_open(struct tracer *tracer);
void collect_close(struct tracer *tracer);
void collect_clear(struct tracer *tracer);

/* Reads the stages and adds what grew since the last time to the histograms and, as one second, to the course. */
void collect_stages(struct tracer *tracer);

/* Reads counters, owners and what is left in the tables into `view`, and hands it the histograms. */
void collect_view(struct tracer *tracer, struct trace_view *view);

#endif
