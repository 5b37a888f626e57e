// SPDX-License-Identifier: GPL-2.0
#include "collect.h"

#include <stdlib.h>
#include <string.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "base/clock.h"
#include "base/text.h"

/* Entries of a course, an even number: as many as a picture of it has columns. */
#define MAX_SECONDS 128

size_t collect_stride(size_t value_size)
{
	return (value_size + 7) / 8 * 8;
}

static size_t stage_keys(const struct tracer *tracer)
{
	return tracer->layers * OPS * STAGES;
}

void collect_open(struct tracer *tracer)
{
	size_t values = stage_keys(tracer) * tracer->cpus;

	tracer->view = xcalloc(tracer->layers * OPS, sizeof(*tracer->view));
	tracer->last = xcalloc(values, sizeof(*tracer->last));
	tracer->values = xcalloc(values, collect_stride(sizeof(struct stage_counts)));
}

void collect_clear(struct tracer *tracer)
{
	for (size_t i = 0; i < tracer->layers * OPS; i++)
		op_view_clear(&tracer->view[i]);
	memset(tracer->last, 0, stage_keys(tracer) * tracer->cpus * sizeof(*tracer->last));
}

void collect_close(struct tracer *tracer)
{
	if (tracer->view)
		collect_clear(tracer);
	free(tracer->view);
	free(tracer->last);
	free(tracer->values);
}

/* --- stages --- */

/* All keys in one system call where the kernel can (5.13 for per-CPU arrays), else one by one. */
static int read_all_stages(struct tracer *tracer)
{
	int fd = bpf_map__fd(tracer->skel->maps.stages);
	size_t stride = collect_stride(sizeof(struct stage_counts)) * tracer->cpus;
	uint32_t count = stage_keys(tracer), next = 0, *keys = xcalloc(count, sizeof(*keys));
	int err;

	/* ENOENT says that the end was reached. */
	err = bpf_map_lookup_batch(fd, NULL, &next, keys, tracer->values, &count, NULL);
	free(keys);
	if (!err || err == -ENOENT)
		return 0;
	for (uint32_t key = 0; key < stage_keys(tracer); key++) {
		err = bpf_map_lookup_elem(fd, &key, tracer->values + key * stride);
		if (err)
			return err;
	}
	return 0;
}

static void add_grown(struct second *second, uint32_t bucket, uint64_t count)
{
	second->grown = xreallocarray(second->grown, second->buckets + 1, sizeof(*second->grown));
	second->grown[second->buckets++] = (struct grown){bucket, count};
}

/* What one bucket gained on all CPUs. Differences of 32 bits are right across a wrap. */
static uint64_t gain(const struct tracer *tracer, size_t key, uint32_t bucket)
{
	size_t stride = collect_stride(sizeof(struct stage_counts));
	uint64_t sum = 0;

	for (int cpu = 0; cpu < tracer->cpus; cpu++) {
		size_t at = key * tracer->cpus + cpu;
		const struct stage_counts *now = (const void *)(tracer->values + at * stride);

		sum += (uint32_t)(now->bucket[bucket] - tracer->last[at].bucket[bucket]);
	}
	return sum;
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

static void read_stage(struct tracer *tracer, size_t key, uint64_t at)
{
	size_t stride = collect_stride(sizeof(struct stage_counts));
	struct op_view *view = &tracer->view[key / STAGES];
	struct hist *hist = &view->stage[key % STAGES];
	struct second second = {.at = at};

	hist->sum = 0;
	for (int cpu = 0; cpu < tracer->cpus; cpu++) {
		const struct stage_counts *now = (const void *)(tracer->values + (key * tracer->cpus + cpu) * stride);

		hist->sum += now->sum;
		if (now->max > hist->max)
			hist->max = now->max;
	}
	if (!hist->sum)
		return;
	for (uint32_t bucket = 0; bucket < HIST_BUCKETS; bucket++) {
		uint64_t grown = gain(tracer, key, bucket);

		if (!grown)
			continue;
		hist->bucket[bucket] += grown;
		hist->count += grown;
		add_grown(&second, bucket, grown);
	}
	add_second(&view->course[key % STAGES], &second);
	for (int cpu = 0; cpu < tracer->cpus; cpu++) {
		size_t value = key * tracer->cpus + cpu;

		memcpy(&tracer->last[value], tracer->values + value * stride, sizeof(*tracer->last));
	}
}

void collect_stages(struct tracer *tracer)
{
	uint64_t at = clock_now() - tracer->started;

	if (read_all_stages(tracer))
		return;
	for (size_t key = 0; key < stage_keys(tracer); key++)
		read_stage(tracer, key, at);
}

/* --- counters --- */

static void add_counts(struct op_view *view, const struct op_counts *counts)
{
	view->issues += counts->issues;
	view->issued_bytes += counts->issued_bytes;
	view->requeues += counts->requeues;
	view->requeued_bytes += counts->requeued_bytes;
	view->completions += counts->completions;
	view->completed_bytes += counts->completed_bytes;
	view->partial += counts->partial;
	view->unissued += counts->unissued;
	view->flush_ends += counts->flush_ends;
	view->faults += counts->faults;
	view->faults_found += counts->faults_found;
	view->bios += counts->bios;
	view->bio_bytes += counts->bio_bytes;
	view->empty += counts->empty;
	view->finished += counts->finished;
	view->ended_early += counts->ended_early;
	view->pieces += counts->pieces;
	view->walked += counts->walked;
	view->unqueued += counts->unqueued;
	view->walk_over += counts->walk_over;
	view->children += counts->children;
	for (int loss = 0; loss < LOSSES; loss++) {
		view->loss[loss] += counts->loss[loss];
		view->bio_loss[loss] += counts->bio_loss[loss];
	}
	for (int status = 0; status < STATUSES; status++)
		view->error[status] += counts->errors[status];
}

static void collect_counts(struct tracer *tracer)
{
	struct bpf_map *map = tracer->skel->maps.ops;
	size_t stride = collect_stride(sizeof(struct op_counts));
	char *values = xcalloc(tracer->cpus, stride);

	for (uint32_t key = 0; key < tracer->layers * OPS; key++) {
		if (bpf_map_lookup_elem(bpf_map__fd(map), &key, values))
			continue;
		for (int cpu = 0; cpu < tracer->cpus; cpu++)
			add_counts(&tracer->view[key], (const void *)(values + cpu * stride));
	}
	free(values);
}

static void collect_owners(struct tracer *tracer, struct trace_view *view)
{
	struct bio_counts *values = xcalloc(tracer->cpus, sizeof(*values));

	for (uint32_t key = 0; key < OWNERS * OPS; key++) {
		struct bio_counts *sum = &view->queued[key / OPS][key % OPS];

		if (bpf_map_lookup_elem(bpf_map__fd(tracer->skel->maps.bios), &key, values))
			continue;
		for (int cpu = 0; cpu < tracer->cpus; cpu++) {
			sum->bios += values[cpu].bios;
			sum->bytes += values[cpu].bytes;
		}
	}
	free(values);
}

/* --- what is left in the tables --- */

/* The view that a stamp belongs to, or NULL for a stamp that cannot be. */
static struct op_view *view_of_stamp(struct tracer *tracer, uint64_t stamp)
{
	if (stamp_layer(stamp) >= tracer->layers || stamp_op(stamp) >= OPS)
		return NULL;
	return &tracer->view[stamp_layer(stamp) * OPS + stamp_op(stamp)];
}

static void count_left_request(struct tracer *tracer, struct op_view *view, uint64_t stamp)
{
	if (!tracer->layer[stamp_layer(stamp)].drained && !(stamp & STAMP_FAULTED)) {
		view->in_flight_at_end++;
		return;
	}
	view->loss[LOSS_UNSEEN]++;
	view->faults_found += stamp & STAMP_FAULTED;
}

/*
 * Where the device had a moment without anything in flight, a request that is left has ended and its completion was not
 * seen; otherwise it may still be on its way. A bio has ended with its requests.
 */
static void collect_tables(struct tracer *tracer)
{
	for (size_t i = 0; i < tracer->sets * TABLE_WAYS; i++) {
		struct request_slot request = tracer->request_set[i / TABLE_WAYS].way[i % TABLE_WAYS];
		struct bio_slot bio = tracer->bio_set[i / TABLE_WAYS].way[i % TABLE_WAYS];
		struct op_view *view = request.request ? view_of_stamp(tracer, request.issued) : NULL;

		if (view)
			count_left_request(tracer, view, request.issued);
		if (view && request.issued & STAMP_PARTITION)
			count_left_request(tracer, &tracer->view[stamp_op(request.issued)],
					   request.issued & ~(uint64_t)STAMP_FAULTED);
		view = bio.bio ? view_of_stamp(tracer, bio.queued) : NULL;
		if (view && tracer->layer[stamp_layer(bio.queued)].drained)
			view->bio_loss[LOSS_UNSEEN]++;
		else if (view)
			view->bios_in_flight_at_end++;
	}
}

/* --- the view --- */

static bool saw_something(const struct op_view *view)
{
	return view->issues || view->completions || view->unissued || view->flush_ends || view->bios ||
	       view->loss[LOSS_UNSEEN] || view->bio_loss[LOSS_UNSEEN];
}

static void collect_layer(struct tracer *tracer, size_t index, struct layer_view *view)
{
	const struct traced_layer *layer = &tracer->layer[index];
	struct block_stat delta = block_stat_between(&layer->before, &layer->after);

	view->device = xstrdup(layer->name);
	view->has_requests = layer->flags & LAYER_REQUESTS;
	view->partition = layer->flags & LAYER_PARTITION;
	view->queue = tracer->queue && !view->partition;
	view->has_stat = layer->counted && layer->quiet;
	if (view->has_stat)
		memcpy(view->stat, delta.group, sizeof(view->stat));
	for (int op = 0; op < OPS; op++) {
		struct op_view *seen = &tracer->view[index * OPS + op];

		if (!saw_something(seen))
			continue;
		view->op[op] = xcalloc(1, sizeof(*view->op[op]));
		*view->op[op] = *seen;
		/* The course is theirs now. */
		memset(seen, 0, sizeof(*seen));
	}
}

void collect_view(struct tracer *tracer, struct trace_view *view)
{
	collect_stages(tracer);
	collect_counts(tracer);
	collect_owners(tracer, view);
	collect_tables(tracer);
	view->leaf = xcalloc(tracer->layers, sizeof(*view->leaf));
	view->above = xcalloc(tracer->layers, sizeof(*view->above));
	for (size_t i = 0; i < tracer->layers; i++)
		collect_layer(tracer, i,
			      tracer->layer[i].leaf ? &view->leaf[view->leaves++] : &view->above[view->aboves++]);
}
