/* SPDX-License-Identifier: GPL-2.0 */
/* What is said, and asked, before anything is written. */
#ifndef COMMAND_BENCH_CONSENT_H
#define COMMAND_BENCH_CONSENT_H

#include "bench_options.h"

/* Whether a test is run on a place at all, or skipped because it would write where that is not allowed. */
bool bench_runs_test(const struct bench_options *options, const struct place *place, const struct test *test);

/* Runs on one place, and how long one of them takes by plan: ns, without layout. */
size_t bench_runs(const struct bench_options *options, const struct place *place);
uint64_t bench_run_time(const struct bench_options *options);

/* Says what will be done: runs, time, bytes that will be written. */
void bench_announce(const struct bench_options *options, const struct result *result, const struct place *places);

/*
 * Shows every device that is going to be overwritten and, on a terminal without --yes, asks for the end of its serial
 * number, or for its name where it has none. Returns 0, -EPERM when the answer was wrong, -EINTR on a signal.
 */
int bench_ask(const struct bench_options *options, const struct result *result, const struct place *places);

#endif
