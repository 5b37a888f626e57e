/* SPDX-License-Identifier: GPL-2.0 */
/* Whether a run's number can be believed: the one place that turns checks into a verdict. */
#ifndef RESULT_VERDICT_H
#define RESULT_VERDICT_H

#include "result.h"

/* What the checks of a run come to: the worst that matters. */
enum verdict verdict_of(const struct run *run);

/* How far this check, as it is, lets the verdict be: REAL where it says nothing against it. */
enum verdict verdict_of_check(const struct check *check);

#endif
