/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The probes of one target: load, attach, mark the workload, record, collect. The only folder that knows the skeleton.
 * Loading and attaching take long; recording begins and ends with one store.
 */
#ifndef TRACE_TRACER_H
#define TRACE_TRACER_H

#include <sys/types.h>

#include "result/result.h"

struct tracer;

/* What is asked of it. What isn't is not loaded. */
struct trace_wish {
	const struct layer *layer; /* the stack under the target, its own device first */
	size_t layers;
	uint64_t in_flight; /* the most I/Os expected at once: the tables are made so large that they practically never
			       overflow */
	bool queue;	    /* follow bios from Q to D, too, and through bio-based layers */
};

/*
 * Loads and attaches the probes; bios are counted by owner on the whole disk of the first layer. Returns 0; -ENODEV
 * when there is no layer to be seen; -E2BIG for more than MAX_LAYERS; or -errno of the load, with libbpf's reasons
 * shown by -v.
 */
int tracer_open(struct tracer **tracer, const struct trace_wish *wish);
void tracer_close(struct tracer *tracer);

/* Makes process `pid` and what it forks from now on the workload. 0 or -errno. */
int tracer_mark(struct tracer *tracer, pid_t pid);

/*
 * Empties the counters and begins to record. Waits up to 100 ms for a moment when no I/O is in flight on a layer, so
 * that the kernel's own counts can be compared exactly.
 */
void tracer_start(struct tracer *tracer);

/*
 * Reads the histograms while they go on growing, and keeps what came since the last time as one second of the course.
 * Nothing is reset, so nothing is lost between two readings. To be called at least once in a few minutes: a bucket
 * counts to 2^32.
 */
void tracer_read(struct tracer *tracer);

/*
 * Ends the recording, waits up to 2 s for what is still on its way, and returns what was seen; the caller frees it with
 * trace_view_free().
 */
struct trace_view *tracer_stop(struct tracer *tracer);

/* Start-up time and map memory; `resident` is not touched. */
void tracer_observe(const struct tracer *tracer, struct observer *observer);

#endif
