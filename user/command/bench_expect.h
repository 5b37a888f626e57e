/* SPDX-License-Identifier: GPL-2.0 */
/* --expect: what is expected of the tests, on the command line. */
#ifndef COMMAND_BENCH_EXPECT_H
#define COMMAND_BENCH_EXPECT_H

#include "bench_options.h"

/*
 * Adds the expectations of a comma-separated list of [TEST:]MEASURE=NUMBER. Returns 0, or -EINVAL after logging one
 * line that names the one that is wrong.
 */
int bench_expect_parse(struct options *options, const char *list);
void bench_expect_clear(struct options *options);

/* Whether each of them says something of one of the tests; 0, or -EINVAL after logging one line. */
int bench_expect_check(const struct bench_options *options);

/*
 * Whether each of them says something of a test that will run at one of the places: what was never measured would be
 * taken for met. 0, or -EINVAL after logging one line.
 */
int bench_expect_check_places(const struct bench_options *options, const struct place *places, size_t count);

#endif
