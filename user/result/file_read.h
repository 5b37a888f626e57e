/* SPDX-License-Identifier: GPL-2.0 */
/* What file_read.c and file_read_run.c share. */
#ifndef RESULT_FILE_READ_H
#define RESULT_FILE_READ_H

#include "file_node.h"
#include "result.h"

/* One of result->run; targets and tests have been read. */
void run_from_json(const struct node *node, const struct result *result, struct run *run);

#endif
