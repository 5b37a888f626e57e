/* SPDX-License-Identifier: GPL-2.0 */
/* What this machine is: all that tells, and what follows from it. */
#ifndef HOST_PLATFORM_H
#define HOST_PLATFORM_H

#include <stdbool.h>

#include "result/result.h"

/*
 * Gathers every clue and weighs them. "certain" is what several witnesses agree on, or one that needs no other;
 * "likely" what one says; "a guess" what another contradicts. Without any clue, or with none that says something, the
 * key stays NULL. machine_clear() frees what it holds.
 *
 * Runs the instruction CPUID on x86, some hundred times in a virtual machine, each of which costs an exit to the
 * hypervisor; never below host_set_root().
 */
void platform_detect(struct platform *platform);

/* Whether somebody stands between this kernel and the devices; false where it is not known. */
bool platform_is_virtual(const struct platform *platform);

/* "1" or "2", NULL where it is no WSL. */
const char *platform_wsl(const struct platform *platform);

#endif
