/* SPDX-License-Identifier: GPL-2.0 */
/* The answer on one screen. */
#ifndef REPORT_TERMINAL_H
#define REPORT_TERMINAL_H

#include <stdbool.h>

#include "base/text.h"
#include "result/result.h"

/* Appends the report, of a trace that of report_trace(); with `colour`, headings and verdicts are marked for a
 * terminal. */
void report_terminal(const struct result *result, bool colour, struct text *out);

#endif
