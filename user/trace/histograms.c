// SPDX-License-Identifier: GPL-2.0
#include "histograms.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "base/text.h"

#include "percpu.h"

/* Entries of a course, an even number: as many as a picture of it has columns. */
#define MAX_SECONDS 128

#define STRIDE percpu_stride(sizeof(struct stage_counts))

void histograms_open(struct histograms *histograms, const struct bpf_map *map, int cpus)
{
	size_t keys = bpf_map__max_entries(map);

	*histograms = (struct histograms){.map = bpf_map__fd(map), .cpus = cpus, .keys = keys};
	histograms->to = xcalloc(keys, sizeof(*histograms->to));
	histograms->last = xcalloc(keys * cpus, sizeof(*histograms->last));
	histograms->values = xcalloc(keys * cpus, STRIDE);
}

void histograms_close(struct histograms *histograms)
{
	free(histograms->to);
	free(histograms->last);
	free(histograms->values);
	*histograms = (struct histograms){0};
}

void histograms_clear(struct histograms *histograms)
{
	if (histograms->last)
		memset(histograms->last, 0, histograms->keys * histograms->cpus * sizeof(*histograms->last));
}

/* --- courses --- */

static void add_grown(struct second *second, uint32_t bucket, uint64_t count)
{
	second->grown = xreallocarray(second->grown, second->buckets + 1, sizeof(*second->grown));
	second->grown[second->buckets++] = (struct grown){bucket, count};
}

/* Puts what grew in `later` to what grew before it. Both are in the order of the buckets, and so is the sum. */
static void merge_second(struct second *earlier, struct second *later)
{
	struct second sum = {.at = later->at};
	size_t i = 0, j = 0;

	while (i < earlier->buckets || j < later->buckets) {
		const struct grown *a = i < earlier->buckets ? &earlier->grown[i] : NULL;
		const struct grown *b = j < later->buckets ? &later->grown[j] : NULL;
		uint32_t bucket = a && (!b || a->bucket <= b->bucket) ? a->bucket : b->bucket;
		uint64_t count = 0;

		if (a && a->bucket == bucket) {
			count += a->count;
			i++;
		}
		if (b && b->bucket == bucket) {
			count += b->count;
			j++;
		}
		add_grown(&sum, bucket, count);
	}
	free(earlier->grown);
	free(later->grown);
	*earlier = sum;
}

/* Two and two become one, so that a long run takes no more memory than a short one. */
static void coarsen(struct course *course)
{
	for (size_t i = 0; i < course->seconds / 2; i++) {
		struct second pair = course->second[2 * i];

		merge_second(&pair, &course->second[2 * i + 1]);
		course->second[i] = pair;
	}
	course->seconds /= 2;
}

static void add_second(struct course *course, struct second *second)
{
	if (!second->buckets)
		return;
	if (course->seconds == MAX_SECONDS)
		coarsen(course);
	course->second = xreallocarray(course->second, course->seconds + 1, sizeof(*course->second));
	course->second[course->seconds++] = *second;
}

/* --- reading --- */

/* All keys in one system call where the kernel can (5.13 for per-CPU arrays), else one by one. */
static int read_values(struct histograms *histograms)
{
	uint32_t count = histograms->keys, next = 0, *keys = xcalloc(count, sizeof(*keys));
	int err;

	/* ENOENT says that the end was reached. */
	err = bpf_map_lookup_batch(histograms->map, NULL, &next, keys, histograms->values, &count, NULL);
	free(keys);
	if (!err || err == -ENOENT)
		return 0;
	for (uint32_t key = 0; key < histograms->keys; key++) {
		err = bpf_map_lookup_elem(histograms->map, &key, histograms->values + key * histograms->cpus * STRIDE);
		if (err)
			return err;
	}
	return 0;
}

static const struct stage_counts *value_of(const struct histograms *histograms, size_t key, int cpu)
{
	return (const void *)(histograms->values + (key * histograms->cpus + cpu) * STRIDE);
}

/* What one bucket gained on all CPUs. Differences of 32 bits are right across a wrap. */
static uint64_t gain(const struct histograms *histograms, size_t key, uint32_t bucket)
{
	const struct stage_counts *last = &histograms->last[key * histograms->cpus];
	uint64_t sum = 0;

	for (int cpu = 0; cpu < histograms->cpus; cpu++)
		sum += (uint32_t)(value_of(histograms, key, cpu)->bucket[bucket] - last[cpu].bucket[bucket]);
	return sum;
}

/* The sums do not wrap, so they are the map's own. Whether there is anything: times of 0 ns have a sum of 0. */
static bool read_sum(const struct histograms *histograms, size_t key, struct hist *hist)
{
	bool any = false;

	hist->sum = 0;
	for (int cpu = 0; cpu < histograms->cpus; cpu++) {
		const struct stage_counts *now = value_of(histograms, key, cpu);

		any |= now->sum || now->bucket[0];
		hist->sum += now->sum;
		if (now->max > hist->max)
			hist->max = now->max;
	}
	return any;
}

static void read_key(struct histograms *histograms, size_t key, uint64_t at)
{
	struct course *course = histograms->to[key].course;
	struct hist *hist = histograms->to[key].hist;
	struct second second = {.at = at};

	if (!read_sum(histograms, key, hist))
		return;
	for (uint32_t bucket = 0; bucket < HIST_BUCKETS; bucket++) {
		uint64_t grown = gain(histograms, key, bucket);

		if (!grown)
			continue;
		hist->bucket[bucket] += grown;
		hist->count += grown;
		if (course)
			add_grown(&second, bucket, grown);
	}
	if (course)
		add_second(course, &second);
	for (int cpu = 0; cpu < histograms->cpus; cpu++)
		memcpy(&histograms->last[key * histograms->cpus + cpu], value_of(histograms, key, cpu),
		       sizeof(*histograms->last));
}

void histograms_read(struct histograms *histograms, uint64_t at)
{
	if (!histograms->keys || read_values(histograms))
		return;
	for (size_t key = 0; key < histograms->keys; key++)
		read_key(histograms, key, at);
}
