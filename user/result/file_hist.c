// SPDX-License-Identifier: GPL-2.0
#include "file_json.h"

json_t *pair_to_json(uint64_t first, uint64_t second)
{
	json_t *pair = json_array();

	json_array_append_new(pair, count_to_json(first));
	json_array_append_new(pair, count_to_json(second));
	return pair;
}

static json_t *hist_to_buckets(const struct hist *hist)
{
	json_t *object = json_object(), *buckets = json_array();

	put_count(object, "count", hist->count);
	put_count(object, "sum", hist->sum);
	put_count(object, "max", hist->max);
	for (uint32_t bucket = 0; bucket < HIST_BUCKETS; bucket++)
		if (hist->bucket[bucket])
			json_array_append_new(buckets, pair_to_json(hist_lower(bucket), hist->bucket[bucket]));
	put(object, "buckets", buckets);
	return object;
}

static json_t *hist_to_summary(const struct hist *hist)
{
	json_t *object = json_object(), *percentiles;

	put_count(object, "count", hist->count);
	if (!hist->count)
		return object;
	percentiles = json_object();
	put_fraction(object, "mean", hist_mean(hist));
	for (int i = 0; i < PERCENTILES; i++)
		put_count(percentiles, percentile_key[i], hist_percentile(hist, percentile_percent[i]));
	put(object, "percentiles", percentiles);
	return object;
}

json_t *hist_to_json(const struct hist *hist, bool summary)
{
	return summary ? hist_to_summary(hist) : hist_to_buckets(hist);
}

/* The buckets that grew, second by second. */
static json_t *course_to_json(const struct course *course)
{
	json_t *seconds = json_array();

	for (size_t i = 0; i < course->seconds; i++) {
		json_t *second = json_object(), *buckets = json_array();

		for (size_t b = 0; b < course->second[i].buckets; b++)
			json_array_append_new(buckets, pair_to_json(hist_lower(course->second[i].grown[b].bucket),
								    course->second[i].grown[b].count));
		put_count(second, "at", course->second[i].at);
		put(second, "buckets", buckets);
		json_array_append_new(seconds, second);
	}
	return seconds;
}

json_t *stage_to_json(const struct hist *hist, const struct course *course, bool summary)
{
	json_t *object;

	if (!hist->count)
		return NULL;
	object = hist_to_json(hist, summary);
	if (!summary && course->seconds)
		put(object, "course", course_to_json(course));
	return object;
}
