/* SPDX-License-Identifier: GPL-2.0 */
/* The disks that trace watches. */
#ifndef COMMAND_TRACE_TARGET_H
#define COMMAND_TRACE_TARGET_H

#include "trace_options.h"

/* Describes those that -D names, or all that there are, with what they stand on. 0, or -EINVAL after logging why. */
int trace_target_describe(struct target *target, const struct trace_options *options);

/* "2 disks" for a message, or "sda" where it is one; the caller frees it. */
char *trace_target_in_words(const struct target *target);

#endif
