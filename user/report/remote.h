/* SPDX-License-Identifier: GPL-2.0 */
/* Round trips to the servers of file systems without a block device. */
#ifndef REPORT_REMOTE_H
#define REPORT_REMOTE_H

#include "view.h"

/*
 * A table of them by kind, of all runs together, below an empty line; nothing where there were none. Returns whether
 * there were any.
 */
bool print_round_trips(const struct screen *screen, const struct run *const *runs, size_t count);

/* For a target without a block device: what cannot be seen of it; nothing for any other. */
void print_unseen(const struct view *view, size_t target);

#endif
