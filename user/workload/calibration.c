// SPDX-License-Identifier: GPL-2.0
#include "calibration.h"

/* Fewer I/Os than this say little of one: the first ones find cold caches. */
#define ENOUGH 100

bool calibration_begin(struct tracer *tracer, pid_t pid)
{
	if (tracer_mark(tracer, pid) || tracer_cost_begin(tracer))
		return false;
	tracer_start(tracer);
	return true;
}

static uint64_t requests_of(const struct layer_view *layer)
{
	uint64_t requests = 0;

	for (int op = 0; op < OPS; op++)
		requests += layer->op[op] ? layer->op[op]->completions : 0;
	return requests;
}

uint64_t calibration_ios(const struct trace_view *view)
{
	uint64_t ios = 0;

	for (int op = 0; op < IO_OPS && view->ios; op++)
		ios += view->io[op] ? io_ended(view->io[op]) : 0;
	for (size_t i = 0; i < view->leaves && !view->ios; i++)
		ios += requests_of(&view->leaf[i]);
	return ios;
}

void calibration_end(struct tracer *tracer, struct run *run)
{
	uint64_t time = tracer_cost_end(tracer), ios;
	struct trace_view *view = tracer_stop(tracer);

	ios = calibration_ios(view);
	run->has_probe_cost = ios >= ENOUGH;
	if (run->has_probe_cost)
		run->probe_cost = time / ios;
	trace_view_free(view);
}
