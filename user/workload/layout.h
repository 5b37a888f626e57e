/* SPDX-License-Identifier: GPL-2.0 */
/* Writing a target before it is measured: no hole, no unwritten extent, nothing that compresses. */
#ifndef WORKLOAD_LAYOUT_H
#define WORKLOAD_LAYOUT_H

#include "place.h"

/* Called a few times a second: bytes written so far. */
typedef void (*layout_progress)(void *context, uint64_t done, uint64_t total);

/*
 * Writes the first `size` bytes with random data and syncs them. Returns 0; -EINTR when a signal asked to stop; or
 * -errno, of which -ENOSPC is the one to expect.
 */
int layout_write(const struct place *place, uint64_t size, layout_progress progress, void *context);

/*
 * Waits until the device `name` (NULL: none to watch) has completed nothing for 2 s, at most 30 s. Returns 0; -EINTR
 * when a signal asked to stop; -ETIMEDOUT when it is still busy with something.
 */
int layout_settle(const char *name);

#endif
