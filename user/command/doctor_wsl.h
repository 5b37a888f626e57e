/* SPDX-License-Identifier: GPL-2.0 */
/* What doctor says in the Windows Subsystem for Linux: how to measure a disk there, and what is none. */
#ifndef COMMAND_DOCTOR_WSL_H
#define COMMAND_DOCTOR_WSL_H

#include "result/diagnosis.h"

/*
 * Adds how to give WSL 2 a whole disk, with the names of this machine's devices, and what can't be measured; of WSL 1
 * that it has nothing to trace. Goes by the machine in `diagnosis`, and adds nothing on any other.
 */
void doctor_advise_wsl(struct diagnosis *diagnosis);

#endif
