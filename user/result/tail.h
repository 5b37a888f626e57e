/* SPDX-License-Identifier: GPL-2.0 */
/* The slowest I/Os of the table by latency. Percentiles of the parts don't add up; their sums in a row of it do. */
#ifndef RESULT_TAIL_H
#define RESULT_TAIL_H

#include "result.h"

struct tail {
	uint64_t count;	       /* I/Os in it */
	double share;	       /* of all, 0 to 1 */
	uint64_t from;	       /* ns: all of this long or longer are in it */
	double total;	       /* their mean, ns */
	double part[IO_PARTS]; /* that add up to it */
};

/*
 * Whole rows from the top, until at least `share` (0 to 1) of the I/Os is reached: the true share is in the result.
 * False when there are no I/Os.
 */
bool tail_of_rows(struct tail *tail, const struct latency_row row[LATENCY_ROWS], double share);

#endif
