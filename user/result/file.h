/* SPDX-License-Identifier: GPL-2.0 */
/* The result as JSON: schema version 1, described by tests/result.schema.json. */
#ifndef RESULT_FILE_H
#define RESULT_FILE_H

#include <stddef.h>

#include "result.h"

#define RESULT_SCHEMA_VERSION 1

/*
 * The whole result as JSON text that the caller frees. With `summary`, without histograms, samples and machine
 * details: what `--json` prints.
 */
char *result_to_json(const struct result *result, bool summary);

/*
 * The other way round: everything that a file holds, of which a name that this version does not know is left out.
 * Returns 0, or -EINVAL with *error set to one line that names the place and what is wrong there, for the caller to
 * free; *result is then untouched. The text may be anything.
 */
int result_from_json(const char *text, size_t length, struct result **result, char **error);

/* "iostrata_<host>_<config>_<stamp>.json"; odd characters become '_'. The caller frees it. */
char *result_file_name(const struct result *result);

#endif
