/* SPDX-License-Identifier: GPL-2.0 */
/* What the files that read share. */
#ifndef RESULT_FILE_READ_H
#define RESULT_FILE_READ_H

#include "file_node.h"
#include "result.h"

/* A histogram; `hist` must be empty. */
void hist_from_json(const struct node *node, struct hist *hist);

/* A stage with its seconds; absent, it stays empty. */
void stage_from_json(const struct node *stages, const char *name, struct hist *hist, struct course *course);

/* Bios by op, of the first `count` ops; unless `all` must be there, those that are. */
void bio_counts_from_json(const struct node *ops, size_t count, bool all, struct bio_counts *counts);

/* The program's I/Os, its calls and who else was there. */
void ios_from_json(const struct node *trace, struct trace_view *view);

/* What the machine was like in a run; NULL where nothing of it is known. */
struct conditions *conditions_from_json(const struct node *run);

/* One of result->run; targets and tests have been read. */
void run_from_json(const struct node *node, const struct result *result, struct run *run);

#endif
