/* SPDX-License-Identifier: GPL-2.0 */
/* The series' CSV: DiskBenchmark_<config>_<stamp>.csv. */
#ifndef REPORT_CSV_H
#define REPORT_CSV_H

#include "base/text.h"
#include "result/result.h"

/*
 * Rows go target, test, iteration. A run that failed has a row with its figures empty; one that was skipped or
 * interrupted has none.
 */
void report_csv(const struct result *result, struct text *out);

/* The caller frees it. */
char *report_csv_name(const struct result *result);

#endif
