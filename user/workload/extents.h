/* SPDX-License-Identifier: GPL-2.0 */
/* What of a file is on its device: reading a hole, or what was only reserved, reads no disk. */
#ifndef WORKLOAD_EXTENTS_H
#define WORKLOAD_EXTENTS_H

#include "result/result.h"

/*
 * Sorts the first `size` bytes of the file into written, unwritten, holes and elsewhere (bytes), by FS_IOC_FIEMAP
 * (Documentation/filesystems/fiemap.rst); what is dirty in the page cache is written first. `extents` is the file
 * system's own count. Where there is no such map, SEEK_DATA and SEEK_HOLE tell the holes, and what is only reserved
 * counts as one of them or as written, as the file system has it. Returns 0; or -errno with `layout` untouched:
 * -EOPNOTSUPP where the file system has neither.
 */
int extents_read(int fd, uint64_t size, struct layout *layout);

#endif
