/* SPDX-License-Identifier: GPL-2.0 */
#ifndef COMMAND_DOCTOR_OPTIONS_H
#define COMMAND_DOCTOR_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>

/* What `iostrata doctor` was asked to do. */
struct doctor_options {
	char *const *target; /* the end of argv */
	size_t targets;
	bool json;
	bool probe; /* read one block of each target again and again, for the transport's floor */
	int verbosity;
	bool help; /* -h: the rest means nothing */
};

/* 0, or -EINVAL after logging one line. */
int doctor_options_parse(struct doctor_options *options, int argc, char **argv);

/* The -h text, on stdout. */
void doctor_options_print(void);

#endif
