/* SPDX-License-Identifier: GPL-2.0 */
/* What came in one interval of a trace, in a line per op: for watching it live. */
#ifndef REPORT_INTERVAL_H
#define REPORT_INTERVAL_H

#include <stdbool.h>

#include "base/text.h"
#include "result/result.h"

struct interval_line {
	uint64_t from, to; /* ns since the recording began */
	uint64_t bytes[IO_OPS];
	const struct hist *stage[IO_OPS]; /* arrays of IO_STAGES histograms; NULL: none */
	const struct hist *call;	  /* an array of CALLS histograms; NULL: none */
	const struct io_record *slowest;  /* gets a line of its own; NULL: none */
};

/* Whether it has lines of I/Os, which stand under the heading. */
bool interval_has_ios(const struct interval_line *line);

/* The names of the columns, which are the same for every interval: to be printed above I/Os now and then. */
void interval_heading(bool colour, struct text *out);

/*
 * A line for each op that had I/Os, with the mean of each part of its total, in short: "3.20µ" are 3.2 µs, "1.23m"
 * 1.23 ms; and a line of the calls by kind, each figure with its name, where some of them were no I/Os, or there was
 * nothing at all.
 */
void interval_print(const struct interval_line *line, bool colour, struct text *out);

#endif
