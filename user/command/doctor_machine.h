/* SPDX-License-Identifier: GPL-2.0 */
#ifndef COMMAND_DOCTOR_MACHINE_H
#define COMMAND_DOCTOR_MACHINE_H

#include "result/diagnosis.h"

/*
 * Adds a section "machine": what it is, what its clock, timers and wake-ups cost, how its CPUs run, what else goes on.
 * From `diagnosis->machine` and `diagnosis->probes`, which the caller has filled in, and from /proc and /sys as host/
 * reads them; nothing is measured here.
 */
void doctor_machine(struct diagnosis *diagnosis);

#endif
