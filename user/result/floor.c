// SPDX-License-Identifier: GPL-2.0
#include "floor.h"

#include <math.h>

/* Fewer reads of a kind than this say nothing. */
#define LEAST_READS 50

/* Two means differ where this many standard errors lie between them. */
#define ERRORS 4

/* A read that is just ending may not be counted yet, so not every one that was asked for need have been seen. */
#define REACHED_SHARE 0.95

bool is_clearly_less(double same, double random)
{
	return same < 0.9 * random;
}

bool nearness_is_known(const struct nearness *nearness)
{
	return nearness->reads >= LEAST_READS;
}

static bool came_from_here(const struct floor *floor)
{
	return floor->has_reached && (double)floor->reached < REACHED_SHARE * (double)floor->asked;
}

static double variance_of_mean(const struct read_times *times)
{
	return times->deviation * times->deviation / (double)times->reads;
}

/* A few outliers raise a mean by any amount, and its error with it. */
static bool random_is_slower(const struct floor *floor)
{
	double difference = floor->random.mean - floor->same.mean;

	return is_clearly_less(floor->same.mean, floor->random.mean) &&
	       difference > ERRORS * sqrt(variance_of_mean(&floor->same) + variance_of_mean(&floor->random));
}

enum floor_finding floor_judge(const struct target *target)
{
	const struct nearness *nearness = &target->nearness;
	const struct floor *floor = &target->floor;
	bool slower;

	if (!floor->same.reads)
		return FLOOR_UNKNOWN;
	if (came_from_here(floor))
		return FLOOR_LOCAL;
	if (floor->same.reads < LEAST_READS || floor->random.reads < LEAST_READS)
		return FLOOR_ALONE;
	slower = random_is_slower(floor);
	if (nearness_is_known(nearness) && slower != is_clearly_less((double)nearness->same, (double)nearness->random))
		return FLOOR_ALONE;
	return slower ? FLOOR_LOWER : FLOOR_LEVEL;
}
