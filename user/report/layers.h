/* SPDX-License-Identifier: GPL-2.0 */
/* What the I/Os and each device of the stack did in each test: the blocks that -v adds. */
#ifndef REPORT_LAYERS_H
#define REPORT_LAYERS_H

#include <stdbool.h>

#include "base/text.h"
#include "result/result.h"

/*
 * Appends a block per target and test, in it the program's I/Os with all of their stages, where they were followed; the
 * layers from the target's own down to the leaves: the time in the queue and in the device (or through a layer that has
 * no requests), what was in flight, how I/Os were cut and joined, and what was lost; the slowest I/Os, each on a line
 * of time; and every check with what it found. Tests without a run that is traced or checked are left out.
 */
void report_layers(const struct result *result, bool colour, struct text *out);

#endif
