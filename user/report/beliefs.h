/* SPDX-License-Identifier: GPL-2.0 */
/* Every check of every run, as it came out: what -v adds to the reasons. */
#ifndef REPORT_BELIEFS_H
#define REPORT_BELIEFS_H

#include "result/result.h"
#include "screen.h"

/*
 * A block for each of `runs` that has any: what each check says, what was found, and what was expected. With `numbered`
 * the blocks have the runs' iterations in their headings.
 */
void print_beliefs(const struct screen *screen, const struct run *const *runs, size_t count, bool numbered);

#endif
