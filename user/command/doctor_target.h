/* SPDX-License-Identifier: GPL-2.0 */
#ifndef COMMAND_DOCTOR_TARGET_H
#define COMMAND_DOCTOR_TARGET_H

#include "result/diagnosis.h"

/*
 * Adds a section about the target, as place.h describes it: the kind of path to its medium, its file system, and of
 * each layer what a measurement there depends on. Reads /proc and /sys; opens and writes nothing.
 */
void doctor_target(struct diagnosis *diagnosis, const struct target *target);

#endif
