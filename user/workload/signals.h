/* SPDX-License-Identifier: GPL-2.0 */
/*
 * SIGINT, SIGTERM and SIGHUP as something that is asked for, never as an interruption: they are blocked and read from a
 * descriptor, so that every way out cleans up.
 */
#ifndef WORKLOAD_SIGNALS_H
#define WORKLOAD_SIGNALS_H

#include <stdint.h>

/* Blocks the three and SIGCHLD. 0 or -errno. Once, before anything else. */
int signals_init(void);

/* Waits up to `ns` for a signal (SIGCHLD too); returns it, or 0 when none came. The three are also remembered. */
int signals_wait(uint64_t ns);

/* The first of the three that came so far, or 0. Does not wait. */
int signals_stopped(void);

/* How many of the three came so far: a second Ctrl-C means at once. */
unsigned signals_count(void);

/* The signal mask and dispositions for a program that is about to be started. */
void signals_restore(void);

#endif
