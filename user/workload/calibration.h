/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the probes take on this machine for an I/O of this test: found in its warm-up, which is the same work, so that
 * nothing of it lies in the measured part.
 */
#ifndef WORKLOAD_CALIBRATION_H
#define WORKLOAD_CALIBRATION_H

#include "trace/tracer.h"

/* Records `pid`, which has not begun yet, while the kernel times the probes. False: it cannot. */
bool calibration_begin(struct tracer *tracer, pid_t pid);

/* Ends it, and tells the run what came of it, where there were enough I/Os to say. */
void calibration_end(struct tracer *tracer, struct run *run);

/* The I/Os that a recording saw; where they are not followed, the requests of the leaves. */
uint64_t calibration_ios(const struct trace_view *view);

#endif
