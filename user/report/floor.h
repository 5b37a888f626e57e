/* SPDX-License-Identifier: GPL-2.0 */
/* The floor of a target, in words. */
#ifndef REPORT_FLOOR_H
#define REPORT_FLOOR_H

#include "view.h"

/* The sentence on it, or why there is none; empty where it was not asked for. The caller frees it. */
char *floor_in_words(const struct target *target);

/* Prints it. */
void print_floor(const struct view *view, size_t target);

#endif
