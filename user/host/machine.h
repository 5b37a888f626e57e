/* SPDX-License-Identifier: GPL-2.0 */
#ifndef HOST_MACHINE_H
#define HOST_MACHINE_H

#include <stdbool.h>

#include "result/result.h"

/* Fills all of `machine`; what can't be read stays NULL or 0. */
void machine_describe(struct machine *machine);

/* "1" or "2" within the Windows Subsystem for Linux, NULL elsewhere: as machine.wsl. */
const char *machine_wsl(void);

/* Whether somebody stands between this kernel and its devices, as machine.hypervisor; false where it is not known. */
bool machine_is_virtual(void);

#endif
