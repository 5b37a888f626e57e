/* SPDX-License-Identifier: GPL-2.0 */
#ifndef REPORT_SPLIT_H
#define REPORT_SPLIT_H

#include <stdbool.h>

#include "base/text.h"
#include "result/split.h"

/* What a guest's device time is made of: a row for each run and operation, and where a single I/O spends it. */
void report_split(const struct split *split, bool colour, struct text *out);

#endif
