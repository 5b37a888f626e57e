/* SPDX-License-Identifier: GPL-2.0 */
/* The sentences below the tables of one target. */
#ifndef REPORT_NOTES_H
#define REPORT_NOTES_H

#include "view.h"

/*
 * Where the time goes, or why that is not known; other I/O on the disk; losses by name; what limited; checks that did
 * not pass.
 * `explain`: say what the column "rest" is.
 */
void print_notes(const struct view *view, size_t target, bool explain);

/* Requests without a time, by name. */
void print_losses(const struct view *view, size_t target);

/* That I/Os cannot be joined, and why: what struct trace_view says of it. */
void print_hidden(const struct screen *screen, const char *why);

#endif
