/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A program that we start: held at a gate until the probes are live, in a process group of its own, and never left
 * behind. A keeper process waits beside it and kills the whole group when we die in a way that nothing can catch.
 */
#ifndef WORKLOAD_CHILD_H
#define WORKLOAD_CHILD_H

#include <sys/types.h>

struct child {
	pid_t pid; /* also its process group */
	pid_t keeper;
	int gate;  /* a byte opens it */
	int life;  /* closes when we die */
	int fault; /* brings the errno of a failed exec */
};

/*
 * Forks; the child waits at the gate. Its output (stdout and stderr) goes to `output`, its input is empty, and of our
 * descriptors it keeps just the `keep` (-1: none). 0 or -errno.
 */
int child_start(struct child *child, char *const argv[], int output, const int *keep, int keeps);

/* Opens the gate. 0, or the -errno of exec. */
int child_release(struct child *child);

/* Sends `signal` to the whole group. */
void child_kill(const struct child *child, int signal);

/* 1 and *status (as of waitpid) when it has ended, else 0. */
int child_ended(const struct child *child, int *status);

/* Kills what is left of the group and the keeper, and closes everything. */
void child_finish(struct child *child);

#endif
