/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the machine was like while something was measured: `struct conditions`. Four moments, since some of what is read
 * takes time or even asks a disk: before everything, the edges of the measured part, and after everything.
 */
#ifndef HOST_CONDITIONS_H
#define HOST_CONDITIONS_H

#include "result/result.h"

struct watch;

/*
 * Looks at power, heat and arrays, before anything is recorded: a disk that is asked for its temperature gets a command
 * for it. `layers` are those under the target and must stay; there may be none. Never NULL.
 */
struct watch *conditions_open(const struct layer *layers, size_t count);

/*
 * The measured part begins, and ends: CPUs, interrupts, and the heartbeat (pulse.h), whose threads live between the
 * two; no process may be forked there. The end takes up to 20 ms. Pauses are told since the moment `since` of
 * CLOCK_MONOTONIC, in ns: that at which the recording began, so that they can be found in the times of I/Os.
 */
void conditions_begin(struct watch *watch, uint64_t since);
void conditions_end(struct watch *watch);

/*
 * Looks once more at what conditions_open() looked at, when nothing is recorded any more, and frees the watch. What it
 * was like, for conditions_free(); NULL where nothing was measured, or `watch` is NULL.
 */
struct conditions *conditions_close(struct watch *watch);

#endif
