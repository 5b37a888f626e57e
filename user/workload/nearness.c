// SPDX-License-Identifier: GPL-2.0
#include "nearness.h"

#include <errno.h>
#include <stdlib.h>

#include "base/clock.h"
#include "signals.h"

#define PAIRS	   200
#define TIME_LIMIT (2 * NS_PER_SECOND)

/* Reads that bring the block into whatever keeps it: caches may wait for the second one. */
#define APPROACHES 2

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

/* Any but that one. */
static uint64_t pick_other(struct reader *reader, uint64_t one)
{
	uint64_t number;

	do
		number = reader_pick(reader);
	while (number == one);
	return number;
}

static int time_pairs(struct reader *reader, struct times *times)
{
	uint64_t same = reader_pick(reader), begin = clock_now();
	int err = 0;

	for (int i = 0; i < APPROACHES && !err; i++)
		err = reader_read(reader, same);
	while (!err && times->pairs < PAIRS && !signals_stopped() && clock_now() - begin < TIME_LIMIT) {
		err = time_read(reader, pick_other(reader, same), &times->random[times->pairs]);
		if (!err)
			err = time_read(reader, same, &times->same[times->pairs++]);
	}
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
