/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A program that we start: held at a gate until the probes are live, and never left behind, nor anything that it
 * started. It is the child of a keeper process, to which all of its descendants fall when their own parents end (fio's
 * jobs are sessions of their own, so that no process group holds them). The keeper ends them all when the program has
 * ended, and also when we die in a way that nothing can catch.
 */
#ifndef WORKLOAD_CHILD_H
#define WORKLOAD_CHILD_H

#include <sys/types.h>

#include "gate.h"

struct child {
	pid_t pid; /* of the program */
	pid_t keeper;
	struct gate gate;
	int life;   /* closing it ends the program and all that it started */
	int report; /* brings the program's pid, and its status when it has ended */
};

/*
 * Forks; the program waits at the gate. Its output (stdout and stderr) goes to `output`, its input is empty, and of our
 * descriptors it keeps just the `keep` (-1: none). 0 or -errno.
 */
int child_start(struct child *child, char *const argv[], int output, const int *keep, int keeps);

/* Opens the gate. 0, or the -errno of exec. */
int child_release(struct child *child);

/* Asks the program to end, by SIGTERM. */
void child_ask_to_end(const struct child *child);

/* Kills it and all that it started. */
void child_kill(struct child *child);

/* 1 and *status (as of waitpid) when it and all that it started have ended, else 0. */
int child_ended(struct child *child, int *status);

/*
 * Kills what is left and closes everything. 0; or -EBUSY when processes are still there after 10 s, as when they hang in
 * a device: the keeper stays with them.
 */
int child_finish(struct child *child);

#endif
