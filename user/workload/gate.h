/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Where a forked process waits until the probes are live and it is marked, before it becomes the program that is
 * measured. Should we die, it ends without having been one.
 */
#ifndef WORKLOAD_GATE_H
#define WORKLOAD_GATE_H

#include <stddef.h>
#include <sys/types.h>

struct gate {
	int open[2];  /* a byte through it opens the gate; [0] is read, [1] written */
	int fault[2]; /* brings a number when the process stands at the gate, and the errno of a failed exec */
};

/* One that isn't made. */
extern const struct gate gate_none;

/* To be made before the fork. 0 or -errno; gate_close() closes it on either side. */
int gate_make(struct gate *gate);
void gate_close(struct gate *gate);

/*
 * In the forked process: waits at the gate and becomes the program, with the signals that we were started with. `err`
 * tells that it can't, and why (-errno).
 */
void gate_pass(struct gate *gate, int err, char *const argv[]) __attribute__((noreturn));

/* For us, after the fork: waits until the process stands at the gate. 0, its `err`, or -ECHILD when it has died. */
int gate_guard(struct gate *gate);

/* Opens it. 0, or the -errno of exec. */
int gate_release(struct gate *gate);

/* Reads from a pipe until something comes or its other end is closed; as read(). */
ssize_t pipe_read(int fd, void *data, size_t length);

/* Closes a descriptor, if it is one, and makes it -1. */
void close_once(int *fd);

#endif
