/* SPDX-License-Identifier: GPL-2.0 */
/* What is found out of a target's blocks before the first test. */
#ifndef WORKLOAD_SURVEY_H
#define WORKLOAD_SURVEY_H

#include "place.h"

/*
 * Fills target->layout: of a file by its extents; of a device that is only read by a sample of it. In a guest, fills
 * target->nearness, too. Where something can't be found out it stays absent. Takes a few seconds at the most; with -v
 * the findings are said.
 */
void survey_target(const struct place *place, bool guest, struct target *target);

#endif
