/* SPDX-License-Identifier: GPL-2.0 */
/* Threads that stay on one CPU, for what must be measured there. */
#ifndef HOST_PINNED_H
#define HOST_PINNED_H

#include <pthread.h>
#include <stddef.h>

/* CPUs that we may run on, at most `most` of them and far apart; their number, 0 where the kernel does not tell. */
size_t pinned_cpus(size_t *cpu, size_t most);

/*
 * Starts a thread on `cpu`, with a small stack; whatever it sets for itself (affinity, timer slack, priority) ends with
 * it. No signal is its own: each is for who waits for it. 0 or -errno.
 */
int pinned_start(pthread_t *thread, size_t cpu, void *(*run)(void *), void *argument);

#endif
