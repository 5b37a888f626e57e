/* SPDX-License-Identifier: GPL-2.0 */
/* The devices that are traced, and how they stand on each other. Private to trace/. */
#ifndef TRACE_DISKS_H
#define TRACE_DISKS_H

#include "tracer.h"

/*
 * Fills the layers of `config`, what stands on what, and the devices that files count on; `chosen` is each layer's own
 * of the wish. Returns 0; -ENODEV when there is no layer, or one that sysfs does not know; -E2BIG for too many.
 */
int disks_choose(struct trace_config *config, const struct trace_wish *wish, const struct layer *chosen[MAX_LAYERS]);

/* What the disks together are called on which bios are counted by owner; the caller frees it. */
char *disks_top(const struct trace_config *config);

#endif
