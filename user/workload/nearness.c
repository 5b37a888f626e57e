// SPDX-License-Identifier: GPL-2.0
#include "nearness.h"

#include <errno.h>

#include "base/clock.h"
#include "signals.h"
#include "times.h"

#define PAIRS	   200
#define TIME_LIMIT (2 * NS_PER_SECOND)

/* How often a block is picked until so many were found that are not blank. */
#define ATTEMPTS (4 * PAIRS)

struct times {
	uint64_t random[PAIRS], same[PAIRS];
	size_t pairs;
};

/* At most so many attempts, and so much time. */
static bool goes_on(int attempt, uint64_t begin)
{
	return attempt < ATTEMPTS && !signals_stopped() && clock_now() - begin < TIME_LIMIT;
}

/* Takes the times of one pair, which counts unless its block is blank. */
static int time_pair(struct reader *reader, struct times *times)
{
	uint64_t number = reader_pick(reader);
	size_t at = times->pairs;
	int err = reader_time(reader, number, &times->random[at]);

	if (!err)
		err = reader_time(reader, number, &times->same[at]);
	times->pairs += !err && !reader_is_blank(reader);
	return err;
}

static int time_pairs(struct reader *reader, struct times *times)
{
	uint64_t begin = clock_now();
	int err = 0;

	for (int i = 0; !err && times->pairs < PAIRS && goes_on(i, begin); i++)
		err = time_pair(reader, times);
	return err;
}

int nearness_measure(struct reader *reader, struct nearness *nearness)
{
	struct times times = {0};
	int err = reader->blocks > 1 ? time_pairs(reader, &times) : -ERANGE;

	if (err)
		return err;
	nearness->reads = times.pairs;
	nearness->random = times_sum_up(times.random, times.pairs).median;
	nearness->same = times_sum_up(times.same, times.pairs).median;
	return 0;
}
