/* SPDX-License-Identifier: GPL-2.0 */
/* The tables of the terminal report. A line never mixes latencies of different kinds. */
#ifndef REPORT_TABLES_H
#define REPORT_TABLES_H

#include "view.h"

/*
 * Per test what the engine measured, all latencies of the kind of options.latency, and the verdict where there is any.
 * The runs that failed are in it.
 */
void program_table(const struct view *view, size_t target, struct table *table);

/*
 * Those of the `count` picked runs that are not done, each with its reason; one line for all iterations that ended in
 * the same way. `named`: a line above has the test's name.
 */
void add_not_done(struct table *table, const struct view *view, size_t count, const char *name, bool named);

/* Per test what BPF measured on the leaves. Stays empty where nothing was traced. Shares a grid with the one above. */
void device_table(const struct view *view, size_t target, struct table *table);

/*
 * In its place where I/Os were followed from call to return: per test where the time of the mean I/O was spent, in
 * per cent of lat, and with `doorbell` how long ringing it took.
 */
void place_table(const struct view *view, size_t target, bool doorbell, struct table *table);

/* Per test how far the iterations lie apart. */
void spread_table(const struct view *view, size_t target, struct table *table);

/* Per test the average over all targets. Percentiles don't average, so there are none. */
void average_table(const struct view *view, struct table *table);

#endif
