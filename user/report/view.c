// SPDX-License-Identifier: GPL-2.0
#include "view.h"

size_t view_pick(const struct view *view, size_t target, size_t test)
{
	const struct result *result = view->result;
	size_t count = 0;

	for (size_t i = 0; i < result->runs; i++)
		if (result->run[i].test == test && (target == ANY_TARGET || result->run[i].target == target))
			view->runs[count++] = &result->run[i];
	return count;
}

const struct run *view_first(const struct view *view, size_t target, bool traced)
{
	for (size_t i = 0; i < view->result->runs; i++) {
		const struct run *run = &view->result->run[i];

		if (run->target == target && run->state == RUN_DONE && (!traced || run->trace))
			return run;
	}
	return NULL;
}

bool view_judged(const struct view *view)
{
	for (size_t i = 0; i < view->result->runs; i++)
		if (view->result->run[i].verdict != VERDICT_NONE)
			return true;
	return false;
}

bool view_followed(const struct view *view, size_t target)
{
	for (size_t i = 0; i < view->result->runs; i++) {
		const struct run *run = &view->result->run[i];

		if (run->target != target || run->state != RUN_DONE || !run->trace || !run->trace->ios)
			continue;
		for (int op = 0; op < IO_OPS; op++)
			if (run->trace->io[op] && run->trace->io[op]->counts.end[IO_END_JOINED])
				return true;
	}
	return false;
}
