/* SPDX-License-Identifier: GPL-2.0 */
/* Whom trace follows: a program that it starts, processes, a cgroup, or nobody in particular. */
#ifndef COMMAND_TRACE_SUBJECT_H
#define COMMAND_TRACE_SUBJECT_H

#include "trace/tracer.h"
#include "trace_options.h"
#include "workload/program.h"

/* A process that -p names. */
struct watched {
	pid_t pid;
	int ended; /* a pidfd: readable once it has ended; -1: that was seen */
};

struct subject {
	const struct trace_options *options;
	struct identity identity; /* that the program runs as */
	struct program program;
	struct watched *watched;
	size_t watches, living;
	char *cgroup; /* its directory */
};

/* Finds what the options name, which must stay. 0, or -EINVAL after logging one line; subject_clear() in any case. */
int subject_find(struct subject *subject, const struct trace_options *options);
void subject_clear(struct subject *subject);

/* "process 1234 (dd)"; the caller frees it. */
char *subject_in_words(const struct subject *subject);

/*
 * In this order: starts the program, which waits at its gate; marks what is to be traced; lets the program go. Each
 * returns an exit status: 0, or that of a failure, which was logged.
 */
int subject_start(struct subject *subject);
int subject_mark(const struct subject *subject, struct tracer *tracer);
int subject_release(struct subject *subject);

/* Whether there is nothing left to trace: the program, all of the processes or the cgroup are gone. */
bool subject_is_gone(struct subject *subject);

#endif
