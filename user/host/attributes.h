/* SPDX-License-Identifier: GPL-2.0 */
/* What sysfs says of one whole disk: what it is called, and how the kernel queues for it. */
#ifndef HOST_ATTRIBUTES_H
#define HOST_ATTRIBUTES_H

#include "result/result.h"

/*
 * Fills the model, serial number, backing file, scheduler, cache and limits of `layer` from the disk's attributes
 * (Documentation/ABI/stable/sysfs-block). What the kernel does not show stays as it is.
 */
void attributes_describe(const char *disk, struct layer *layer);

#endif
