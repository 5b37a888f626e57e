/* SPDX-License-Identifier: GPL-2.0 */
/* The report on a traced program, process, cgroup or disk: a result with one run that has no test and no engine. */
#ifndef REPORT_TRACE_H
#define REPORT_TRACE_H

#include <stdbool.h>

#include "base/text.h"
#include "interval.h"
#include "result/result.h"

/* Whether `result` is what trace gives. */
bool result_is_trace(const struct result *result);

/*
 * Appends the report: the calls and what they waited for, I/Os by op with all stages, I/O by owner and by name, the
 * slowest I/Os, losses, the end. With `verbose` more of the slowest, and what the stages mean.
 */
void report_trace(const struct result *result, bool colour, bool verbose, struct text *out);

#endif
