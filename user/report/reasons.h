/* SPDX-License-Identifier: GPL-2.0 */
/* Why numbers can not, or not quite, be believed, and what limited them: the checks of all runs on one target. */
#ifndef REPORT_REASONS_H
#define REPORT_REASONS_H

#include "view.h"

/*
 * A paragraph for each check that did not pass, the worst first, with the verdict in front where it lowers it. Of what
 * several runs say with other figures, just the first, and whose they are: the rest is in the blocks of -v and in the
 * result's file. Last what was expected: what is not so or not known, or that all of it is.
 */
void print_reasons(const struct view *view, size_t target);

/* What was at its limit, with the tests in which it was. */
void print_limits(const struct view *view, size_t target);

/* Whether two sentences differ in nothing but figures. */
bool sentences_alike(const char *a, const char *b);

#endif
