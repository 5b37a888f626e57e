/* SPDX-License-Identifier: GPL-2.0 */
/* What the kernel calls a cgroup. Private to trace/. */
#ifndef TRACE_CGROUP_H
#define TRACE_CGROUP_H

#include <stdint.h>

/*
 * The id of the cgroup at directory `path` of the cgroup v2 hierarchy, and how far below the root it lies. Returns 0;
 * -ENOENT when it is not there; -ENOTSUP when it is none of v2's, or the hierarchy's root is not to be seen from here
 * (a cgroup namespace).
 */
int cgroup_find(const char *path, uint64_t *id, uint32_t *level);

#endif
