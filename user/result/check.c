// SPDX-License-Identifier: GPL-2.0
#include "check.h"

#include "base/text.h"
#include "checks.h"
#include "verdict.h"

/* In the order in which they are told. Each looks itself whether it applies. */
/* clang-format off: one to a line */
static void (*const checks[])(const struct checking *checking) = {
	check_balance,
	check_coverage,
	check_await,
	check_identity,
	check_round_trips,
	check_diskstats,
	check_io_identity,
	check_ios,
	check_outer_sum,
	check_percentiles,
	check_medium,
	check_cache,
	check_buffered,
	check_layout,
	check_nearness,
	check_link,
	check_foreign,
	check_depth,
	check_cpu,
	check_splits,
	check_cap,
	check_observer,
	check_limit,
	check_little,
	check_trend,
	check_iterations,
	check_array,
	check_clock,
	check_power,
	check_durability,
	check_expectations,
};
/* clang-format on */

void check_run(struct result *result, struct run *run)
{
	struct checking checking = {
		.result = result,
		.run = run,
		.target = run->target < result->targets ? &result->target[run->target] : NULL,
		.test = run->test == NO_TEST ? NULL : &result->test[run->test],
	};

	if (run->state != RUN_DONE)
		return;
	for (size_t i = 0; i < ARRAY_SIZE(checks); i++)
		checks[i](&checking);
	run->verdict = verdict_of(run);
}
