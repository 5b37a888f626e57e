// SPDX-License-Identifier: GPL-2.0
#include "times.h"

#include <math.h>
#include <stdlib.h>

static int by_value(const void *a, const void *b)
{
	const uint64_t *one = a, *other = b;

	return (*one > *other) - (*one < *other);
}

static double mean_of(const uint64_t *time, size_t count)
{
	double sum = 0;

	for (size_t i = 0; i < count; i++)
		sum += (double)time[i];
	return sum / (double)count;
}

static double deviation_of(const uint64_t *time, size_t count, double mean)
{
	double squares = 0;

	for (size_t i = 0; i < count; i++)
		squares += ((double)time[i] - mean) * ((double)time[i] - mean);
	return count > 1 ? sqrt(squares / (double)(count - 1)) : 0;
}

struct read_times times_sum_up(uint64_t *time, size_t count)
{
	struct read_times times = {.reads = count};

	if (!count)
		return times;
	qsort(time, count, sizeof(*time), by_value);
	times.least = time[0];
	times.median = (time[count / 2] + time[(count - 1) / 2]) / 2;
	times.p99 = time[(count * 99 + 99) / 100 - 1];
	times.mean = mean_of(time, count);
	times.deviation = deviation_of(time, count, times.mean);
	return times;
}
