/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The checks, for check.c alone. Each is a pure function over the model that adds what it finds to the run; check.h says
 * what each of them asks.
 */
#ifndef RESULT_CHECKS_H
#define RESULT_CHECKS_H

#include "result.h"

/* A run that is done, and what it belongs to. */
struct checking {
	const struct result *result;
	struct run *run; /* of the result */
	const struct target *target;
	const struct test *test; /* NULL: a traced program */
};

/* check_accounts.c: what the probes saw, within itself and against the kernel's and the engine's counts */
void check_balance(const struct checking *checking);
void check_identity(const struct checking *checking);
void check_coverage(const struct checking *checking);
void check_diskstats(const struct checking *checking);
void check_await(const struct checking *checking);
void check_percentiles(const struct checking *checking);

/* check_ios.c: the program's I/Os from call to return */
void check_io_identity(const struct checking *checking);
void check_ios(const struct checking *checking);
void check_outer_sum(const struct checking *checking);

/* check_remote.c: without a block device; the last three for check_splits(), check_coverage() and check_cache() */
void check_round_trips(const struct checking *checking);
void check_buffered(const struct checking *checking);
void check_trips_per_io(struct run *run);
void check_remote_coverage(const struct checking *checking);
void check_remote_cache(const struct checking *checking, enum op op, uint64_t moved);

/* check_medium.c, check_cache.c, check_foreign.c: whether a disk did the work, and did no other */
void check_medium(const struct checking *checking);
void check_cache(const struct checking *checking);
void check_layout(const struct checking *checking);
void check_nearness(const struct checking *checking);
void check_link(const struct checking *checking);
void check_foreign(const struct checking *checking);

/* check_limits.c: what was at its limit */
void check_depth(const struct checking *checking);
void check_cpu(const struct checking *checking);
void check_splits(const struct checking *checking);
void check_cap(const struct checking *checking);
void check_observer(const struct checking *checking);
void check_limit(const struct checking *checking);

/* check_steady.c: whether it was the same all the time */
void check_little(const struct checking *checking);
void check_trend(const struct checking *checking);
void check_iterations(const struct checking *checking);
void check_array(const struct checking *checking);
void check_clock(const struct checking *checking);
void check_power(const struct checking *checking);

/* check_sync.c: the conclusion of the ledger (ledger.h) */
void check_durability(const struct checking *checking);

/* check_expect.c: one check for each of the options' expectations that applies to the run's test */
void check_expectations(const struct checking *checking);

#endif
