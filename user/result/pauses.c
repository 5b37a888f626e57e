// SPDX-License-Identifier: GPL-2.0
#include "pauses.h"

/* Of fewer I/Os than this, the median says nothing of what is usual. */
#define FEW_IOS 16

static bool is_slow(const struct run *run, const struct io_record *record)
{
	const struct io_view *view = record->op < IO_OPS ? run->trace->io[record->op] : NULL;
	const struct hist *totals = view ? &view->stage[IO_STAGE_TOTAL] : NULL;
	uint64_t total = record->boundary[BOUNDARY_RETURN] - record->boundary[BOUNDARY_CALL];

	return !totals || totals->count < FEW_IOS || total > hist_percentile(totals, 50);
}

static uint64_t overlap(const struct pause *pause, uint64_t from, uint64_t to)
{
	uint64_t end = pause->at + pause->length;

	from = pause->at > from ? pause->at : from;
	to = end < to ? end : to;
	return to > from ? to - from : 0;
}

struct standstill pauses_of_record(const struct run *run, const struct io_record *record)
{
	uint64_t called = record->boundary[BOUNDARY_CALL], returned = record->boundary[BOUNDARY_RETURN];
	const struct conditions *conditions = run->conditions;
	struct standstill still = {0};

	if (!conditions || !run->trace || !called || returned <= called || !is_slow(run, record))
		return still;
	for (size_t i = 0; i < conditions->pauses; i++) {
		uint64_t length = overlap(&conditions->pause[i], called, returned);

		if (length && !still.length)
			still.at = conditions->pause[i].at;
		still.length += length;
	}
	return still;
}

size_t pauses_in_slowest(const struct run *run)
{
	size_t count = 0;

	for (size_t i = 0; run->trace && i < run->trace->slowest_count; i++)
		count += pauses_of_record(run, &run->trace->slowest[i]).length > 0;
	return count;
}
