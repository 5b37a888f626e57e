/* SPDX-License-Identifier: GPL-2.0 */
/* Where the time of an I/O is spent, coarser than by stage: what fits on one screen. */
#ifndef REPORT_PLACES_H
#define REPORT_PLACES_H

#include "result/summary.h"

/* In the order in which an I/O comes to them; the program is before and after them all. */
enum place { PLACE_PROGRAM, PLACE_DOWN, PLACE_DEVICE, PLACE_SYNC, PLACE_BACK, PLACES };

/* Of a column; and in a sentence. */
extern const char *const place_name[PLACES];
extern const char *const place_in_words[PLACES];

/* Where a part of the total is spent; PLACES for none, which no part is. */
enum place place_of(enum io_stage part);

/* ns of the mean latency. What the clocks' resolution made less than nothing is nothing. */
double place_mean(const struct io_summary *summary, enum place place);

/* The stage that stands for the device: `through` where I/Os went through a bio-based one only, `remote` to a server. */
enum io_stage device_stage(const struct io_summary *summary);

#endif
