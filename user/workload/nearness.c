// SPDX-License-Identifier: GPL-2.0
#include "nearness.h"

#include <errno.h>
#include <stdlib.h>

#include "base/clock.h"
#include "signals.h"

#define PAIRS	   200
#define TIME_LIMIT (2 * NS_PER_SECOND)

/* How often a block is picked until so many were found that are not blank. */
#define ATTEMPTS (4 * PAIRS)

struct times {
	uint64_t random[PAIRS], same[PAIRS];
	size_t pairs;
};

static int time_read(struct reader *reader, uint64_t number, uint64_t *time)
{
	uint64_t begin = clock_now();
	int err = reader_read(reader, number);

	*time = clock_now() - begin;
	return err;
}

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
	int err = time_read(reader, number, &times->random[at]);

	if (!err)
		err = time_read(reader, number, &times->same[at]);
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

static int by_value(const void *a, const void *b)
{
	const uint64_t *one = a, *other = b;

	return (*one > *other) - (*one < *other);
}

static uint64_t median(uint64_t *values, size_t count)
{
	qsort(values, count, sizeof(*values), by_value);
	return count ? (values[count / 2] + values[(count - 1) / 2]) / 2 : 0;
}

int nearness_measure(struct reader *reader, struct nearness *nearness)
{
	struct times times = {0};
	int err = reader->blocks > 1 ? time_pairs(reader, &times) : -ERANGE;

	if (err)
		return err;
	nearness->reads = times.pairs;
	nearness->random = median(times.random, times.pairs);
	nearness->same = median(times.same, times.pairs);
	return 0;
}
