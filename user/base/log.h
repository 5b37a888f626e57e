/* SPDX-License-Identifier: GPL-2.0 */
/* Messages for the person at the terminal: stderr only, one line each, "iostrata: ..." in front. */
#ifndef BASE_LOG_H
#define BASE_LOG_H

#include <stdbool.h>

/* -v raises it: 0 errors and warnings, 1 also what is being done. */
void log_set_verbosity(int verbosity);

void log_error(const char *format, ...) __attribute__((format(printf, 1, 2)));
void log_warning(const char *format, ...) __attribute__((format(printf, 1, 2)));
void log_info(const char *format, ...) __attribute__((format(printf, 1, 2)));
void log_detail(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Logs an error and returns `code`, so that a failing step is one line: return log_failure(-errno, "..."). */
int log_failure(int code, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* A line that is overwritten by the next one and wiped before any message; nothing unless stderr is a terminal. */
void log_progress(const char *format, ...) __attribute__((format(printf, 1, 2)));
void log_progress_end(void);

/* Whether stderr is a terminal, so that progress is drawn. */
bool log_on_terminal(void);

/* Whether colour may be used on `fd`: a terminal that is not dumb, and NO_COLOR is not set (to anything but ""). */
bool log_colourful(int fd);

#endif
