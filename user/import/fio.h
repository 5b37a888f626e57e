/* SPDX-License-Identifier: GPL-2.0 */
/* fio's JSON and JSON+ output, of 2.x (microseconds) and 3.x (nanoseconds). */
#ifndef IMPORT_FIO_H
#define IMPORT_FIO_H

#include <stddef.h>

#include "result/result.h"

/*
 * Reads the first JSON document in `text`; what stands before it is kept as the figures' message. All jobs are added
 * up (bytes, rates, histograms; means weighted by their counts). Returns 0 and figures that the caller frees with
 * engine_figures_free(), or -EINVAL with *error set to one line that says what is wrong and where; the caller frees it.
 */
int fio_read(const char *text, size_t length, struct engine_figures **figures, char **error);

#endif
