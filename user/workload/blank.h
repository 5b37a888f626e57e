/* SPDX-License-Identifier: GPL-2.0 */
/*
 * How much of a device was never written, as far as a sample tells: thin disks, images and SSDs answer for what they
 * don't have with zeros, and without a medium.
 */
#ifndef WORKLOAD_BLANK_H
#define WORKLOAD_BLANK_H

#include "reader.h"

/*
 * Reads 256 blocks at random, for at most 2 s or until a signal asks to stop, into layout.sampled and layout.zeros.
 * Returns 0; or -errno of the read that failed, with the ones before it in `layout`.
 */
int blank_sample(struct reader *reader, struct layout *layout);

#endif
