/* SPDX-License-Identifier: GPL-2.0 */
/*
 * SIGINT, SIGTERM and SIGHUP as something that is asked for, never as an interruption: they are blocked and waited for,
 * so that every way out cleans up.
 */
#ifndef WORKLOAD_SIGNALS_H
#define WORKLOAD_SIGNALS_H

#include <stdbool.h>
#include <stdint.h>

/* Blocks the three and SIGCHLD. 0 or -errno. Once, before anything else. */
int signals_init(void);

/* From now on SIGQUIT is one of them, too: it is typed at a program that shares our terminal. 0 or -errno. */
int signals_add_quit(void);

/* Waits up to `ns` for a signal (SIGCHLD too); returns it, or 0 when none came. The three are also remembered. */
int signals_wait(uint64_t ns);

/* The first of the three that came so far, or 0. Does not wait. */
int signals_stopped(void);

/* How many of the three came so far: a second Ctrl-C means at once. */
unsigned signals_count(void);

/* A descriptor to poll for the three and for SIGCHLD, or -errno; the caller closes it. */
int signals_open(void);

/*
 * The next of the three that came, or 0; it is remembered as well. `typed` tells that a terminal sent it, to all of its
 * foreground processes.
 */
int signals_take(int fd, bool *typed);

/* The signal mask and dispositions that we were started with, for a program that is about to be. */
void signals_restore(void);

#endif
