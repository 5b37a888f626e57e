/* SPDX-License-Identifier: GPL-2.0 */
/* Numbers for people. Each writes a NUL-terminated string into `out` and returns it. */
#ifndef BASE_FORMAT_H
#define BASE_FORMAT_H

#include <stdint.h>

#define FORMAT_LENGTH 32

/* A latency with three or four significant digits: "850 ns", "13.8 us" with the micro sign, "13.77 ms", "1.20 s". */
char *format_latency(char out[FORMAT_LENGTH], double ns);

/* "8 GiB", "1.5 GiB", "512 MiB". */
char *format_size(char out[FORMAT_LENGTH], uint64_t bytes);

/* "3:42 min", "35 s", "1:02:03 h": how long something takes. */
char *format_span(char out[FORMAT_LENGTH], uint64_t ns);

/* The same to the millisecond, for what was asked for: "0.5 s", "30 s", "1:30 min". */
char *format_exact_span(char out[FORMAT_LENGTH], uint64_t ns);

/* With thousands separated by commas: "51,888". */
char *format_count(char out[FORMAT_LENGTH], uint64_t count);

/* `value` with `places` decimals, rounded half up (printf rounds half to even). */
char *format_fixed(char out[FORMAT_LENGTH], double value, int places);

#endif
