// SPDX-License-Identifier: GPL-2.0
#include "file_read.h"

#include <inttypes.h>

#include "base/text.h"

/* A pair's first: where a bucket begins. False: something was wrong, there or before. */
static bool read_bucket(const struct node *pair, uint32_t *bucket, uint64_t *count)
{
	struct node lower, number;
	uint64_t bound;

	if (node_elements(pair) != 2) {
		node_refuse(pair, "is no pair of a bucket's lowest value and a count");
		return false;
	}
	lower = node_at(pair, 0);
	number = node_at(pair, 1);
	bound = node_count(&lower);
	*count = node_count(&number);
	*bucket = hist_bucket(bound);
	if (hist_lower(*bucket) != bound)
		node_refuse(&lower, "no bucket begins at %" PRIu64, bound);
	return !pair->reading->error;
}

static void read_buckets(const struct node *node, struct hist *hist)
{
	struct node buckets = node_get(node, "buckets");
	size_t elements = node_elements(&buckets);
	uint64_t count, sum = 0;
	uint32_t bucket;

	for (size_t i = 0; i < elements; i++) {
		struct node pair = node_at(&buckets, i);

		if (!read_bucket(&pair, &bucket, &count))
			return;
		if (hist->bucket[bucket])
			node_refuse(&pair, "the bucket is there twice");
		hist->bucket[bucket] = count;
		sum += count;
	}
	if (sum != hist->count)
		node_refuse(&buckets, "hold %" PRIu64 " values, not the %" PRIu64 " of count", sum, hist->count);
}

void hist_from_json(const struct node *node, struct hist *hist)
{
	hist->count = get_count(node, "count");
	hist->sum = get_count(node, "sum");
	hist->max = get_count(node, "max");
	read_buckets(node, hist);
}

static void read_second(const struct node *node, struct second *second)
{
	struct node buckets = node_get(node, "buckets");
	size_t elements = node_elements(&buckets);

	second->at = get_count(node, "at");
	second->grown = xcalloc(elements, sizeof(*second->grown));
	for (; second->buckets < elements; second->buckets++) {
		struct grown *grown = &second->grown[second->buckets];
		struct node pair = node_at(&buckets, second->buckets);

		if (!read_bucket(&pair, &grown->bucket, &grown->count))
			return;
	}
}

static void read_course(const struct node *stage, struct course *course)
{
	struct node seconds = node_find(stage, "course");
	size_t elements;

	if (!node_is(&seconds))
		return;
	elements = node_elements(&seconds);
	course->second = xcalloc(elements, sizeof(*course->second));
	for (; course->seconds < elements; course->seconds++) {
		struct node second = node_at(&seconds, course->seconds);

		read_second(&second, &course->second[course->seconds]);
	}
}

void stage_from_json(const struct node *stages, const char *name, struct hist *hist, struct course *course)
{
	struct node node = node_find(stages, name);

	if (!node_is(&node))
		return;
	hist_from_json(&node, hist);
	read_course(&node, course);
}
