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

/*
 * Loads and attaches the probes for the leaves among `layers` that have requests; bios are counted by owner on the
 * whole disk of the first layer. `in_flight` is the largest number of requests expected at once: the table is made so
 * large that it practically never overflows. Returns 0; -ENODEV when no leaf has requests; or -errno of the load, with
 * libbpf's reasons shown by -v.
 */
int tracer_open(struct tracer **tracer, const struct layer *layers, size_t count, uint64_t in_flight);
void tracer_close(struct tracer *tracer);

/* Makes process `pid` and what it forks from now on the workload. 0 or -errno. */
int tracer_mark(struct tracer *tracer, pid_t pid);

/*
 * Empties the counters and begins to record. Waits up to 100 ms for a moment when no I/O is in flight on a leaf, so
 * that the kernel's own counts can be compared exactly.
 */
void tracer_start(struct tracer *tracer);

/*
 * Ends the recording, waits up to 2 s for the requests still on their way, and returns what was seen; the caller frees
 * it with trace_view_free().
 */
struct trace_view *tracer_stop(struct tracer *tracer);

/* Start-up time and map memory; `resident` is not touched. */
void tracer_observe(const struct tracer *tracer, struct observer *observer);

#endif
