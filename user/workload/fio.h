/* SPDX-License-Identifier: GPL-2.0 */
/* fio as the engine: finding it, and the exact command for a test. */
#ifndef WORKLOAD_FIO_H
#define WORKLOAD_FIO_H

#include "result/result.h"

struct fio {
	char *path;
	char *version; /* "fio-3.33" */
};

/*
 * Looks for fio at `path`, or on PATH when that is NULL, and asks for its version. 0, or -ENOENT, -ENOEXEC or -ENOTSUP
 * (too old) after logging one line with the cure.
 */
int fio_find(struct fio *fio, const char *path, const struct options *options);
void fio_clear(struct fio *fio);

/*
 * What the program at `path` (NULL: the fio on PATH) answers to one option, such as "--version", within a minute. 0, or
 * -ENOENT, -ENOEXEC (it ended badly), -ETIMEDOUT or another -errno of its start; nothing is logged. *answer is never
 * NULL; the caller frees it.
 */
int fio_ask(const char *path, const char *option, char **answer);

/* TOO_OLD: before 3.18, which reports the percentiles of slat, clat and lat together. WITHOUT_DSYNC: before 3.24. */
enum fio_age { FIO_OF_NO_AGE, FIO_TOO_OLD, FIO_WITHOUT_DSYNC, FIO_NEW };

/* Of "fio-3.33"; FIO_OF_NO_AGE: that is no version of fio. */
enum fio_age fio_age(const char *version);

/*
 * argv of one run of `test` for `runtime` ns on `file`, with its result written to `output`; NULL-terminated, freed by
 * strings_free(). The parameters are the series', but for the page cache where `buffered`.
 */
char **fio_command(const struct fio *fio, const struct options *options, const struct test *test, const char *file,
		   bool buffered, uint64_t runtime, const char *output);

/* An anonymous file for an engine's output. A descriptor (close-on-exec) or -errno. */
int fio_scratch(void);

/* What was written to a scratch file, up to `limit` bytes; never NULL; the caller frees it. */
char *fio_read_scratch(int fd, size_t limit, size_t *length);

#endif
