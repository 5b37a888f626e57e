/* SPDX-License-Identifier: GPL-2.0 */
/* One pattern over depths. */
#ifndef REPORT_SWEEP_H
#define REPORT_SWEEP_H

#include "view.h"

/* Per depth what the program measured and how many I/Os were at the device. The knee is marked. */
void sweep_table(const struct view *view, size_t target, struct table *table);

/* Which pattern it is: a heading for the table. */
void print_pattern(const struct view *view);

/* Where the knee is, whether that can be relied on, which depth would be enough, and what limits at the deepest. */
void print_knee(const struct view *view, size_t target);

#endif
