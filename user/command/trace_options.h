/* SPDX-License-Identifier: GPL-2.0 */
#ifndef COMMAND_TRACE_OPTIONS_H
#define COMMAND_TRACE_OPTIONS_H

#include <sys/types.h>

#include "result/result.h"

/* What `iostrata trace` was asked to do: a program, processes, a cgroup, or with none of these a device. */
struct trace_options {
	struct options options; /* the part that goes into the result; a duration of 0: until it ends */
	char **program;		/* the end of argv, NULL-terminated; NULL: none */
	pid_t *pid;
	size_t pids;
	const char *cgroup; /* as given */
	char **device;	    /* as given, NULL-terminated */
	size_t devices;	    /* 0: all disks */
	const char *user;   /* that the program runs as; NULL: as we do */
	unsigned slowest;
	unsigned slow_records;
	const char *outdir; /* NULL: no file is written */
	bool no_children, json;
	int verbosity;
	bool help; /* -h: the rest means nothing */
};

/* 0, or -EINVAL after logging one line. trace_options_clear() frees what it holds. */
int trace_options_parse(struct trace_options *options, int argc, char **argv);
void trace_options_clear(struct trace_options *options);

/* The -h text, on stdout. */
void trace_options_print(void);

#endif
