/* SPDX-License-Identifier: GPL-2.0 */
/* Whether a place takes direct I/O, asked of the place itself. */
#ifndef WORKLOAD_DIRECT_H
#define WORKLOAD_DIRECT_H

#include "place.h"

/*
 * Why tests on this target's file cannot use O_DIRECT, a phrase that the caller frees; NULL where they can. Only asked
 * where there is no block device: any other file system, and every device, is to be measured with it or not at all. A
 * file of ours is written at its beginning, with what it has there.
 */
char *direct_refusal(const struct place *place, const struct target *target);

#endif
