/* SPDX-License-Identifier: GPL-2.0 */
/* Numbers as people write them. All return 0, -EINVAL (not such a number) or -ERANGE; `value` is untouched on failure. */
#ifndef BASE_PARSE_H
#define BASE_PARSE_H

#include <stdint.h>

/* "512M", "8G", "1.5GiB", "4k", "4096": powers of 1024, with or without "iB" or "B". */
int parse_size(const char *string, uint64_t *bytes);

/* A number of GiB, fractions allowed. */
int parse_gib(const char *string, uint64_t *bytes);

/* "30", "1.5", "2m", "1h"; a bare number is seconds. Result in ns. */
int parse_duration(const char *string, uint64_t *ns);

/* "250us", "10ms", "1.5s", "800ns": how long an I/O takes; a bare number has no unit and is none. Result in ns. */
int parse_latency(const char *string, uint64_t *ns);

/* "3000", "0.5": a number without a unit. */
int parse_number(const char *string, double *value);

/* A whole number from `low` to `high`. */
int parse_count(const char *string, unsigned low, unsigned high, unsigned *count);

#endif
