/* SPDX-License-Identifier: GPL-2.0 */
#ifndef COMMAND_DOCTOR_PLACE_H
#define COMMAND_DOCTOR_PLACE_H

#include "result/diagnosis.h"

/* Adds to the target's section whether bench could use it as it is now, asking as bench would; opens nothing to write.
 */
void doctor_place(struct section *section, const struct target *target);

#endif
