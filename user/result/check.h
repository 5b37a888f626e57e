/* SPDX-License-Identifier: GPL-2.0 */
/* What must hold between the figures of one run. Each check is a pure function over the model. */
#ifndef RESULT_CHECK_H
#define RESULT_CHECK_H

#include "result.h"

/* What a sentence says last where the figures contradict themselves: "device times; repeat it, ..." follows. */
#define CHECK_ADVICE " Do not rely on this run's "

/* Whether the stages of a read or write that ended so should be known and are not: it took the way that is followed. */
bool io_end_is_loss(enum io_end end);

/*
 * Adds every check that applies to `run`, of a trace (where there is no engine, and `test` may be NULL) those that need
 * no engine:
 *   balance      bytes that the engine reports = bytes that its tasks queued, per direction
 *   identity     issues - requeues = completions + in flight at the end + losses, per layer and op; of the program's
 *		  I/Os, called = ends + in flight at the end + those without room in the table, per op
 *   ios          I/Os that the engine reports = I/Os that were seen to end, per direction; of the reads and writes whose
 *		  stages should be known, 99.5 % or more joined
 *   outer sum    mean from call to return <= mean lat, per direction
 *   coverage     requests with a time, of all that were started: 99.5 % or more
 *   diskstats    issues - requeues and sectors = the kernel's own count, per leaf and group, where the edges were quiet
 *   await        mean device time <= diskstats' mean time <= mean lat
 *   percentiles  lat's percentiles are not below clat's
 */
void check_run(struct run *run, const struct test *test);

#endif
