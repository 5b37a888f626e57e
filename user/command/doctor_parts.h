/* SPDX-License-Identifier: GPL-2.0 */
/* The parts of doctor's section on the machine, for doctor_machine.c, and what sections have in common. */
#ifndef COMMAND_DOCTOR_PARTS_H
#define COMMAND_DOCTOR_PARTS_H

#include "result/diagnosis.h"

/* doctor_clock.c: the clock that all times are taken by, and what entering and leaving the CPUs costs */
void doctor_clock(struct section *section, const struct probes *probes);
void doctor_costs(struct section *section, const struct probes *probes);

/* doctor_cpus.c: how fast the CPUs run, how deep they sleep, and what the hypervisor takes of them */
void doctor_cpus(struct section *section, const struct machine *machine);

/* doctor_load.c: what else goes on */
void doctor_load(struct section *section, const struct machine *machine);

/* Whether the kernel's command line has this word; false where it can't be read. */
bool booted_with(const char *word);

/* Adds `value`, which it frees; "unknown" where it is NULL. */
struct finding *add_value(struct section *section, const char *name, const char *source, char *value);

#endif
