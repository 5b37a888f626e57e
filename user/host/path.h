/* SPDX-License-Identifier: GPL-2.0 */
/* Of what kind the path to a medium is, told by the drivers on the way to a disk and by what the disk calls itself. */
#ifndef HOST_PATH_H
#define HOST_PATH_H

#include "mounts.h"
#include "result/result.h"

/*
 * Fills `driver` and `path` of `layer` for a whole disk, of which the rest but `leaf` is filled in already. Both stay
 * NULL where they can't be told.
 */
void path_describe(const char *disk, struct layer *layer);

/*
 * The key of the kind of path (result/path.h) to a file system that stands on no block device; of an overlay that to
 * its upper directory. NULL where it can't be told; the caller frees it.
 */
char *path_of_mount(const struct mount *mount);

#endif
