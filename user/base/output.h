/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Files that we leave behind. Each is written whole under a temporary name, synced and renamed, so that a reader never
 * sees half of one; they belong to the user who called sudo.
 */
#ifndef BASE_OUTPUT_H
#define BASE_OUTPUT_H

#include <stddef.h>

struct output_file; /* one file, rewritten any number of times */

/*
 * Plans `name` in `directory`; nothing is written yet. Returns NULL after logging why when the directory does not exist
 * or cannot be written to.
 */
struct output_file *output_open(const char *directory, const char *name);

/*
 * Writes the whole content anew. The first time an existing file is left alone and the next free of name_2, name_3, ...
 * (before the suffix) is taken. Returns 0 or -errno after logging it.
 */
int output_write(struct output_file *file, const char *data, size_t length);

/* The path that was written last, or NULL before the first time. Belongs to `file`. */
const char *output_path(const struct output_file *file);

void output_close(struct output_file *file);

/* A copy of `label` with all but letters, digits, '.', '-' and '_' replaced by '_'. The caller frees it. */
char *output_safe_name(const char *label);

#endif
