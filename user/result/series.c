// SPDX-License-Identifier: GPL-2.0
#include "series.h"

#include <math.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/text.h"

#define LEAST_LEVEL	 3   /* values on each side of a cliff */
#define CLIFF_FROM	 0.3 /* of the level before it */
#define CLIFF_DEVIATIONS 4
#define FLAT_VARIATION	 0.02
#define CLEARLY_ABOVE	 1.5
#define TREND_FROM	 0.2 /* of the mean */
#define TREND_EXPLAINED	 0.8
#define ROUND_WITHIN	 0.005

/* --- from samples --- */

static uint64_t sample_begin(const struct run *run, size_t index)
{
	return index ? run->sample[index - 1].at : 0;
}

/* A late or last sample may be of a moment only, in which a rate means little. */
static bool is_whole_second(const struct run *run, size_t index)
{
	const struct sample *sample = &run->sample[index];
	uint64_t begin = sample_begin(run, index);

	return sample->has_disk && sample->at > begin && sample->at - begin >= NS_PER_SECOND / 2;
}

/* The first second has the engine's start in it; where that took all of it, so has the next. */
static size_t first_sample(const struct run *run)
{
	return run->samples && !run->sample[0].disk_ios ? 2 : 1;
}

void rates_of_run(struct rates *rates, const struct run *run)
{
	*rates = (struct rates){
		.ios = xcalloc(run->samples + 1, sizeof(*rates->ios)),
		.bytes = xcalloc(run->samples + 1, sizeof(*rates->bytes)),
		.since = xcalloc(run->samples + 1, sizeof(*rates->since)),
	};
	for (size_t i = first_sample(run); i + 1 < run->samples; i++) {
		double seconds;

		if (!is_whole_second(run, i))
			continue;
		seconds = (double)(run->sample[i].at - sample_begin(run, i)) / NS_PER_SECOND;
		rates->since[rates->count] = sample_begin(run, i);
		rates->ios[rates->count] = (double)run->sample[i].disk_ios / seconds;
		rates->bytes[rates->count++] = (double)run->sample[i].disk_bytes / seconds;
	}
}

void rates_clear(struct rates *rates)
{
	free(rates->ios);
	free(rates->bytes);
	free(rates->since);
	*rates = (struct rates){0};
}

/* --- arithmetic --- */

double series_mean(const double *value, size_t count)
{
	double sum = 0;

	for (size_t i = 0; i < count; i++)
		sum += value[i];
	return count ? sum / (double)count : 0;
}

/* Squares of the distances from the mean. */
static double squares(const double *value, size_t count)
{
	double mean = series_mean(value, count), sum = 0;

	for (size_t i = 0; i < count; i++)
		sum += (value[i] - mean) * (value[i] - mean);
	return sum;
}

double series_variation(const double *value, size_t count)
{
	double mean = series_mean(value, count);

	return count > 1 && mean > 0 ? sqrt(squares(value, count) / (double)(count - 1)) / mean : 0;
}

/* The least sum of squares tells where the levels change. Returns that sum. */
static double find_change(struct cliff *cliff, const double *value, size_t count)
{
	double least = INFINITY;

	for (size_t at = LEAST_LEVEL; at + LEAST_LEVEL <= count; at++) {
		double within = squares(value, at) + squares(value + at, count - at);

		if (within >= least)
			continue;
		least = within;
		cliff->at = at;
	}
	cliff->before = series_mean(value, cliff->at);
	cliff->after = series_mean(value + cliff->at, count - cliff->at);
	return least;
}

size_t series_settled(const struct cliff *cliff, size_t count)
{
	return cliff->at + 1 + LEAST_LEVEL <= count ? cliff->at + 1 : cliff->at;
}

/* However uneven it was before: it was never near the level at which it then stays. */
static bool falls_to_flat(const struct cliff *cliff, const double *value, size_t count)
{
	size_t settled = series_settled(cliff, count);
	double level = series_mean(value + settled, count - settled);

	if (series_variation(value + settled, count - settled) > FLAT_VARIATION)
		return false;
	for (size_t i = 0; i < cliff->at; i++)
		if (value[i] < CLEARLY_ABOVE * level)
			return false;
	return true;
}

bool series_cliff(struct cliff *cliff, const double *value, size_t count)
{
	double within, change;

	if (count < 2 * LEAST_LEVEL)
		return false;
	within = find_change(cliff, value, count);
	change = fabs(cliff->after - cliff->before);
	if (cliff->before <= 0 || change < CLIFF_FROM * cliff->before)
		return false;
	return change > CLIFF_DEVIATIONS * sqrt(within / (double)(count - 2)) || falls_to_flat(cliff, value, count);
}

bool series_trend(double *change, const double *value, size_t count)
{
	double mean = series_mean(value, count), middle = ((double)count - 1) / 2;
	double product = 0, moments = 0, all = squares(value, count), slope;

	if (count < SERIES_LEAST_TREND || mean <= 0 || all <= 0)
		return false;
	for (size_t i = 0; i < count; i++) {
		product += ((double)i - middle) * (value[i] - mean);
		moments += ((double)i - middle) * ((double)i - middle);
	}
	slope = product / moments;
	*change = slope * (double)(count - 1) / mean;
	return slope * product / all >= TREND_EXPLAINED && fabs(*change) >= TREND_FROM;
}

double series_round(double value)
{
	static const double figure[] = {1, 1.2, 1.25, 1.5, 1.6, 2, 2.4, 2.5, 3, 4, 5, 6, 7.5, 8, 10};
	double power;

	if (value <= 0)
		return 0;
	/* A little below 10 it is 10. */
	power = pow(10, floor(log10(value)));
	for (size_t i = 0; i < ARRAY_SIZE(figure); i++)
		if (fabs(value - figure[i] * power) <= ROUND_WITHIN * figure[i] * power)
			return figure[i] * power;
	return 0;
}
