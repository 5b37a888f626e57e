/* SPDX-License-Identifier: GPL-2.0 */
/* A result as the terminal report walks through it. */
#ifndef REPORT_VIEW_H
#define REPORT_VIEW_H

#include "result/result.h"
#include "screen.h"

#define ANY_TARGET SIZE_MAX

struct view {
	const struct result *result;
	struct screen screen;
	const struct run **runs; /* where view_pick() puts what it finds; room for all of them */
};

/* The runs of `test` on `target` go to view->runs. Returns how many. */
size_t view_pick(const struct view *view, size_t target, size_t test);

/* Whether there is a verdict on any run of the result. */
bool view_judged(const struct view *view);

/* Whether I/Os of a run on `target` that is done are known from call to return. */
bool view_followed(const struct view *view, size_t target);

/* The first run on `target` that is done, or done and traced; NULL when there is none. */
const struct run *view_first(const struct view *view, size_t target, bool traced);

#endif
