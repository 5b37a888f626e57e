// SPDX-License-Identifier: GPL-2.0
#include "tail.h"

#include <float.h>

static uint64_t count_rows(const struct latency_row row[LATENCY_ROWS])
{
	uint64_t count = 0;

	for (uint32_t i = 0; i < LATENCY_ROWS; i++)
		count += row[i].count;
	return count;
}

/* Sums become means. */
static void set_means(struct tail *tail)
{
	for (int part = 0; part < IO_PARTS; part++) {
		tail->part[part] /= (double)tail->count;
		tail->total += tail->part[part];
	}
}

bool tail_of_rows(struct tail *tail, const struct latency_row row[LATENCY_ROWS], double share)
{
	uint64_t all = count_rows(row);
	double wanted = share * (double)all;

	*tail = (struct tail){0};
	if (!all)
		return false;
	wanted -= wanted * 4 * DBL_EPSILON; /* 0.07 of 100 is 7, which has no room for rounding up */
	for (uint32_t i = LATENCY_ROWS; i-- > 0 && (!tail->count || (double)tail->count < wanted);) {
		if (!row[i].count)
			continue;
		tail->count += row[i].count;
		tail->from = latency_row_lower(i);
		for (int part = 0; part < IO_PARTS; part++)
			tail->part[part] += (double)row[i].sum[part];
	}
	tail->share = (double)tail->count / (double)all;
	set_means(tail);
	return true;
}
