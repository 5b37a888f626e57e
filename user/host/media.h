/* SPDX-License-Identifier: GPL-2.0 */
/* Whether there is a disk at all behind a block device: memory, and files that stand in for disks. */
#ifndef HOST_MEDIA_H
#define HOST_MEDIA_H

#include "result/result.h"

/*
 * Fills `memory`, `backing_filesystem` and `cached` of `layer` for a whole disk, whose model and backing file are
 * filled in already. Memory is told of the device itself: one that stands on memory further down is none.
 */
void media_describe(const char *disk, struct layer *layer);

#endif
