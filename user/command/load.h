/* SPDX-License-Identifier: GPL-2.0 */
#ifndef COMMAND_LOAD_H
#define COMMAND_LOAD_H

#include "result/result.h"

/* A result from its file, which may be a pipe. NULL after logging one line that names the file and says why. */
struct result *load_result(const char *path);

#endif
