/* SPDX-License-Identifier: GPL-2.0 */
/* Single I/Os on a line of time, and what was in their way. */
#ifndef REPORT_TIMELINE_H
#define REPORT_TIMELINE_H

#include "result/result.h"
#include "screen.h"

/* ns from call to return; 0 where one of them is not known. */
uint64_t record_total(const struct io_record *record);

/* ns of one of the parts that add up to it; 0 where it has none. */
uint64_t record_part(const struct io_record *record, enum io_stage part);

/*
 * Of a record of `run`, four lines or a few more: who and how long; the letters of the boundaries at their moments, or
 * beside one another where these are the same; a bar with another filling for each part; what was in the way, a pause
 * of the whole machine first. C' where there was no flush and P of a system call are left out: they are C and S.
 * Nothing is drawn of an I/O of which no part is known.
 */
void print_record(const struct screen *screen, const struct run *run, const struct io_record *record);

/* In one line: how long it took, where the most of it went, and what was in the way. */
void print_record_line(const struct screen *screen, const struct io_record *record);

/*
 * Those of the done ones of `runs` under a heading with their fillings, the slowest first, but no more than `most`;
 * of several in a row that take the same time for the same reason only the first few, and how many more there are.
 * Nothing, not even the heading, where there are none.
 */
void print_slowest(const struct screen *screen, const char *heading, const struct run *const *runs, size_t count,
		   size_t most);

#endif
