/* SPDX-License-Identifier: GPL-2.0 */
#ifndef REPORT_DIAGNOSIS_H
#define REPORT_DIAGNOSIS_H

#include <stdbool.h>

#include "base/text.h"
#include "result/diagnosis.h"

/*
 * Appends what doctor found: what the machine is and what tells so, the sections, the advice, then what to fix, and the
 * verdict in the last line, where anything was judged. `verbose`: with the details, where each value is from, and every
 * clue.
 */
void report_diagnosis(const struct diagnosis *diagnosis, bool colour, bool verbose, struct text *out);

#endif
