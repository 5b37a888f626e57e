/* SPDX-License-Identifier: GPL-2.0 */
/* The floor of a target: what reading one block again and again takes (result/floor.h says what that means). */
#ifndef WORKLOAD_FLOOR_H
#define WORKLOAD_FLOOR_H

#include "place.h"

/*
 * Fills target->floor, or target->no_floor with the reason; its file_size and its layers must be known. Reads up to
 * 1,000 times each, after a short warm-up, for about 2 s at the most or until a signal asks to stop. Nothing is
 * written.
 */
void floor_measure(const struct place *place, struct target *target);

/*
 * The same of all of a file or block device that is there, by its path, whether it is in use or not; of the target the
 * layers alone are looked at. Of a directory there is nothing to be read: that is the reason then.
 */
void floor_probe(const char *path, struct target *target);

#endif
