/* SPDX-License-Identifier: GPL-2.0 */
/* What the commands that measure have in common. */
#ifndef COMMAND_COMMON_H
#define COMMAND_COMMON_H

#include "result/result.h"
#include "trace/tracer.h"

/* The whole command as it was typed: taking the options apart moves argv around. For strings_free(). */
char **whole_command(int argc, char *const *argv);

/* A new result of this version on this machine; it takes over `command` and copies the rest. */
struct result *new_result(char **command, const char *config, const struct options *options);

/* Keeps what measuring took so far. */
void observe(struct result *result, const struct tracer *tracer);

/* With -v: how long the probes took, and their memory. */
void detail_tracer(const struct tracer *tracer);

/* What was found, as an exit status: EXIT_INCOMPLETE, EXIT_NOT_REAL, EXIT_UNMET or EXIT_DONE, the first that holds. */
int status_of_result(const struct result *result);

/* With -v: what the target stands on. */
void detail_layers(const struct target *target);

#endif
