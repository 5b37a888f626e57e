/* SPDX-License-Identifier: GPL-2.0 */
/* The program's I/Os second by second, as sums: what is needed for the means of a part of a recording. */
#ifndef RESULT_SECONDS_H
#define RESULT_SECONDS_H

#include "result.h"

/* Entries of one op; beyond them two and two become one, so that a long recording takes no more room than this. */
#define MAX_IO_SECONDS 1024

/*
 * `now` is all that came from the start of the recording until now->to, `told` the same of the last time, which becomes
 * `now`. Their difference is one more entry of the view, unless nothing came. Where anything is less than before, it is
 * left to the next time.
 */
void io_seconds_add(struct io_view *view, const struct io_second *now, struct io_second *told);

/*
 * Adds up the entries that touch the span from `from` to `to` (ns since the recording began); with `inside` only those
 * that lie in it whole. The sum's own `from` and `to` are those of its first and last entry; 0 where there is none.
 */
struct io_second io_seconds_sum(const struct io_view *view, uint64_t from, uint64_t to, bool inside);

/* I/Os whose completion is known: each of them was at the device or went through it. */
uint64_t io_second_completed(const struct io_second *second);

#endif
