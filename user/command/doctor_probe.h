/* SPDX-License-Identifier: GPL-2.0 */
#ifndef COMMAND_DOCTOR_PROBE_H
#define COMMAND_DOCTOR_PROBE_H

#include "result/diagnosis.h"

/*
 * Measures the floor of the target, of a directory that of the device under it, and adds what it was to the section.
 * Takes about 2 s; reads, and writes nothing.
 */
void doctor_probe(struct section *section, struct target *target);

#endif
