/* SPDX-License-Identifier: GPL-2.0 */
#ifndef HOST_MACHINE_H
#define HOST_MACHINE_H

#include <stdbool.h>

#include "result/result.h"

/* Fills all of `machine`; what can't be read stays NULL or 0. */
void machine_describe(struct machine *machine);

/* "1" or "2" within the Windows Subsystem for Linux, NULL elsewhere. */
const char *machine_wsl(void);

/* Whether the CPU says that a hypervisor runs below; x86 only, false on all others. */
bool machine_is_virtual(void);

#endif
