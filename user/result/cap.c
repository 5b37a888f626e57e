// SPDX-License-Identifier: GPL-2.0
#include "cap.h"

#include <math.h>

#include "base/format.h"
#include "base/text.h"

#define FLAT_SECONDS	5
#define FLAT_VARIATION	0.01
#define LEVEL_VARIATION 0.02 /* after a cliff */
#define SAME		0.005
#define MEGABYTE	1e6

bool cap_is_told(const struct cap *cap)
{
	return cap->kind == CAP_CGROUP || cap->kind == CAP_CLIFF || (cap->kind == CAP_ROUND && cap->alike);
}

char *cap_level(const struct cap *cap)
{
	char number[FORMAT_LENGTH];

	if (!cap->bytes)
		return xasprintf("%s IOPS", format_count(number, (uint64_t)(cap->level + 0.5)));
	return xasprintf("%s MB/s", format_fixed(number, cap->level / MEGABYTE, cap->level < 10 * MEGABYTE ? 2 : 0));
}

/* --- cliffs --- */

static void set_cliff(struct cap *cap, const struct rates *rates)
{
	cap->has_cliff = series_cliff(&cap->cliff, rates->bytes, rates->count);
	if (cap->has_cliff)
		cap->since = rates->since[cap->cliff.at];
}

/* A fall to where it is steadier than disks are. */
static void find_fall(struct cap *cap, const struct rates *rates)
{
	size_t at;

	if (!cap->has_cliff || cap->cliff.after >= cap->cliff.before)
		return;
	at = series_settled(&cap->cliff, rates->count);
	cap->variation = series_variation(rates->ios + at, rates->count - at);
	if (cap->variation > LEVEL_VARIATION)
		return;
	cap->kind = CAP_CLIFF;
	cap->level = series_mean(rates->ios + at, rates->count - at);
}

/* --- round figures --- */

/* Whether nothing else that is seen explains why the rate is what it is. */
static bool is_unexplained(const struct limits *limits)
{
	return limits->device && limits->asked > 1 && limits->reached >= limits->asked / 2 &&
	       !(limits->cpu.known && limits->cpu.busiest >= 90) && limits->link.share < 0.9 &&
	       limits->splitting.requests_per_io <= 1.05;
}

static void find_round(struct cap *cap, const double *value, size_t count, bool bytes)
{
	double level = series_round(series_mean(value, count)), variation = series_variation(value, count);

	if (cap->kind != CAP_NONE || count < FLAT_SECONDS || !level || variation > FLAT_VARIATION)
		return;
	cap->kind = CAP_ROUND;
	cap->level = level;
	cap->bytes = bytes;
	cap->variation = variation;
}

static double rate_of(const struct run *run, bool bytes)
{
	double rate = 0;

	for (int op = 0; op < DIRECTIONS; op++) {
		const struct direction *direction = &run->engine->direction[op];

		rate += bytes ? (double)direction->bytes_per_second : direction->ios_per_second;
	}
	return rate;
}

/*
 * Of disks, blocks of other sizes and the other direction have another rate; a cap is the same for them. (Bytes per
 * second of larger and smaller blocks may be equal on a disk, too.)
 */
static bool should_differ(const struct test *one, const struct test *other, bool bytes)
{
	bool sizes = one->block_size >= 2 * other->block_size || other->block_size >= 2 * one->block_size;

	return other->depth * other->jobs > 1 && (one->access != other->access || (sizes && !bytes));
}

static const struct test *find_alike(const struct cap *cap, const struct checking *checking)
{
	const struct result *result = checking->result;

	for (size_t i = 0; i < result->runs; i++) {
		const struct run *run = &result->run[i];

		if (run == checking->run || run->target != checking->run->target || run->test == NO_TEST ||
		    run->state != RUN_DONE || !run->engine)
			continue;
		if (should_differ(checking->test, &result->test[run->test], cap->bytes) &&
		    fabs(rate_of(run, cap->bytes) - cap->level) <= SAME * cap->level)
			return &result->test[run->test];
	}
	return NULL;
}

void cap_of_run(struct cap *cap, const struct checking *checking, const struct limits *limits)
{
	struct rates rates;

	*cap = (struct cap){0};
	rates_of_run(&rates, checking->run);
	if (checking->test)
		set_cliff(cap, &rates);
	if (limits_throttled(limits))
		cap->kind = CAP_CGROUP;
	if (cap->kind == CAP_NONE)
		find_fall(cap, &rates);
	if (checking->test && is_unexplained(limits)) {
		find_round(cap, rates.ios, rates.count, false);
		find_round(cap, rates.bytes, rates.count, true);
	}
	if (cap->kind == CAP_ROUND)
		cap->alike = find_alike(cap, checking);
	rates_clear(&rates);
}
