/* SPDX-License-Identifier: GPL-2.0 */
#ifndef COMMAND_DOCTOR_DISK_H
#define COMMAND_DOCTOR_DISK_H

#include "result/diagnosis.h"

/* Adds what a measurement depends on of one layer under a target: a whole disk, or a partition. */
void doctor_disk(struct section *section, const struct layer *layer);

#endif
