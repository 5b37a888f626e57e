/* SPDX-License-Identifier: GPL-2.0 */
#ifndef COMMAND_BENCH_OPTIONS_H
#define COMMAND_BENCH_OPTIONS_H

#include "result/result.h"
#include "workload/place.h"

/* What `iostrata bench` was asked to do. */
struct bench_options {
	struct options options; /* the part that goes into the result */
	const char *config;
	char **target; /* NULL-terminated; as given, -T first */
	size_t targets;
	struct test *test;
	size_t tests;
	struct permission permission;
	char **destroy; /* what permission.destroy points to; NULL-terminated */
	char **expect;	/* as given; NULL-terminated */
	size_t expects;
	const char *outdir;
	const char *fio_path;
	bool json, yes;
	int verbosity;
	bool help; /* -h: the rest means nothing */
};

/* 0, or -EINVAL after logging one line. bench_options_clear() frees what it holds. */
int bench_options_parse(struct bench_options *options, int argc, char **argv);
void bench_options_clear(struct bench_options *options);

/* The -h text, on stdout. */
void bench_options_print(void);

#endif
