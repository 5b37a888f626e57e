/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Whether a run's number can be believed: the one place that turns checks into a verdict. The rule, by the worst that is
 * found:
 *
 *   NOT REAL  no disk did the work: medium, cache or layout failed.
 *   SUSPECT   something that changes what the number means: any other check that is a warning or failed, but for those
 *	       below.
 *   REAL      nothing of that, and enough is known to say so: the run is done and was traced, coverage passed, and
 *	       neither medium nor cache is missing or unknown.
 *   (none)    all else.
 *
 * Depth, cpu, splits, observer, limit and expectation explain a number or judge it; they never lower the verdict. A check
 * that does not apply, or of which too little is known, lowers it to "none" at the most. A loss of the probes for lack of
 * room makes coverage or ios a warning, so the verdict is SUSPECT then. In a virtual machine REAL says only what this
 * machine sees.
 */
#ifndef RESULT_VERDICT_H
#define RESULT_VERDICT_H

#include "result.h"

/* What the checks of a run come to: the worst that matters. */
enum verdict verdict_of(const struct run *run);

/* How far this check, as it is, lets the verdict be: REAL where it says nothing against it. */
enum verdict verdict_of_check(const struct check *check);

/* The worst of the verdicts on those of the `count` runs that are done: NONE where one has none, and none is bad. */
enum verdict verdict_of_runs(const struct run *const *runs, size_t count);

#endif
