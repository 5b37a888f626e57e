// SPDX-License-Identifier: GPL-2.0
#include "hist.h"

#include "base/text.h"

struct hist *hist_new(void)
{
	return xcalloc(1, sizeof(struct hist));
}

void hist_add(struct hist *hist, uint64_t value, uint64_t count)
{
	if (!count)
		return;
	hist->bucket[hist_bucket(value)] += count;
	hist->count += count;
	hist->sum += value * count;
	if (value > hist->max)
		hist->max = value;
}

void hist_merge(struct hist *into, const struct hist *from)
{
	for (uint32_t bucket = 0; bucket < HIST_BUCKETS; bucket++)
		into->bucket[bucket] += from->bucket[bucket];
	into->count += from->count;
	into->sum += from->sum;
	if (from->max > into->max)
		into->max = from->max;
}

double hist_mean(const struct hist *hist)
{
	return hist->count ? (double)hist->sum / (double)hist->count : 0;
}

uint64_t hist_percentile(const struct hist *hist, double percent)
{
	/* The same expression, in the same precision, as fio's calc_clat_percentiles(): 99.9 has no exact double. */
	long double wanted = (long double)percent / 100.0 * hist->count;
	uint64_t seen = 0, value = 0;

	for (uint32_t bucket = 0; bucket < HIST_BUCKETS; bucket++) {
		if (!hist->bucket[bucket])
			continue;
		seen += hist->bucket[bucket];
		value = hist_value(bucket);
		if (seen >= wanted)
			break;
	}
	return hist->max && value > hist->max ? hist->max : value;
}
