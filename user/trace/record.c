// SPDX-License-Identifier: GPL-2.0
/* The recording: its edges, and what is cleared before and awaited after. */
#include <stdlib.h>
#include <string.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "base/clock.h"
#include "base/text.h"

#include "collect.h"
#include "maps.h"

/* How long after the last completion a result may still be on its way to the program. */
#define DELIVERY (20 * NS_PER_MS)

/* --- edges --- */

/* Whether nothing is in flight and nothing ended between two readings. */
static bool is_quiet(const struct block_stat *a, const struct block_stat *b)
{
	return !a->in_flight && !b->in_flight && !memcmp(a->group, b->group, sizeof(a->group));
}

static void read_stats(struct tracer *tracer, bool after)
{
	for (size_t i = 0; i < tracer->layers; i++) {
		struct traced_layer *layer = &tracer->layer[i];

		if (layer->counted && block_read_stat(layer->name, after ? &layer->after : &layer->before))
			layer->counted = false;
	}
}

static bool anything_in_flight(struct tracer *tracer)
{
	for (size_t i = 0; i < tracer->layers; i++) {
		struct block_stat stat;

		if (!block_read_stat(tracer->layer[i].name, &stat) && stat.in_flight)
			return true;
	}
	return false;
}

/* Switches recording on or off between two readings of the kernel's counters, which shows whether the edge was quiet.
 */
static bool switch_recording(struct tracer *tracer, bool on)
{
	struct block_stat *first = xcalloc(tracer->layers, sizeof(*first));
	bool quiet = true;

	for (size_t i = 0; i < tracer->layers; i++)
		block_read_stat(tracer->layer[i].name, &first[i]);
	__atomic_store_n(&tracer->skel->bss->recording, on, __ATOMIC_SEQ_CST);
	read_stats(tracer, !on);
	for (size_t i = 0; i < tracer->layers; i++) {
		struct traced_layer *layer = &tracer->layer[i];
		bool layer_quiet = is_quiet(&first[i], on ? &layer->before : &layer->after);

		layer->quiet = layer_quiet && (on || layer->quiet);
		quiet &= layer_quiet;
	}
	free(first);
	return quiet;
}

static uint64_t program_misses(struct tracer *tracer)
{
	struct bpf_program *program;
	uint64_t misses = 0;

	bpf_object__for_each_program(program, tracer->skel->obj)
	{
		struct bpf_prog_info info = {0};
		uint32_t length = sizeof(info);

		if (!bpf_obj_get_info_by_fd(bpf_program__fd(program), &info, &length))
			misses += info.recursion_misses;
	}
	return misses;
}

/* --- record --- */

static void clear(struct tracer *tracer)
{
	maps_clear(tracer);
	collect_clear_foreigners(tracer);
	collect_clear(tracer);
	if (tracer->told)
		memset(tracer->told, 0, sizeof(*tracer->told));
	__atomic_store_n(&tracer->skel->bss->interval, 0, __ATOMIC_SEQ_CST);
	__atomic_store_n(&tracer->skel->bss->slow_logged, 0, __ATOMIC_SEQ_CST);
	__atomic_store_n(&tracer->skel->bss->told, 0, __ATOMIC_SEQ_CST);
	__atomic_store_n(&tracer->skel->bss->durable_since, 0, __ATOMIC_SEQ_CST);
}

uint64_t tracer_start(struct tracer *tracer)
{
	tracer->misses_before = program_misses(tracer);
	for (int attempt = 0; attempt < 20; attempt++) {
		clear(tracer);
		tracer->started = clock_now();
		tracer->started_at = clock_wall();
		if (switch_recording(tracer, true) || attempt == 19)
			break;
		__atomic_store_n(&tracer->skel->bss->recording, 0, __ATOMIC_SEQ_CST);
		clock_sleep(5 * NS_PER_MS);
	}
	return tracer->started;
}

void tracer_read(struct tracer *tracer)
{
	collect_histograms(tracer);
}

static bool tables_are_empty(struct tracer *tracer)
{
	for (size_t i = 0; i < tracer->sets * TABLE_WAYS; i++)
		if (__atomic_load_n(&tracer->request_set[i / TABLE_WAYS].way[i % TABLE_WAYS].request,
				    __ATOMIC_RELAXED) ||
		    __atomic_load_n(&tracer->bio_set[i / TABLE_WAYS].way[i % TABLE_WAYS].bio, __ATOMIC_RELAXED))
			return false;
	return true;
}

/* Whether all requests to servers are answered. */
static bool answers_are_here(struct tracer *tracer)
{
	for (size_t i = 0; i < tracer->remote_sets * TABLE_WAYS; i++)
		if (__atomic_load_n(&tracer->remote_set[i / TABLE_WAYS].way[i % TABLE_WAYS].key, __ATOMIC_RELAXED))
			return false;
	return true;
}

/* Whether every layer had its moment without I/O. Once nothing is recorded any more, that empties its part of the
 * tables. */
static bool all_drained(struct tracer *tracer)
{
	bool all = true;

	for (size_t i = 0; i < tracer->layers; i++) {
		struct traced_layer *layer = &tracer->layer[i];
		struct block_stat stat;

		if (!layer->drained)
			layer->drained = layer->counted && !block_read_stat(layer->name, &stat) && !stat.in_flight;
		all &= layer->drained;
	}
	return all;
}

static void drain(struct tracer *tracer)
{
	for (size_t i = 0; i < tracer->layers; i++)
		tracer->layer[i].drained = false;
	for (int attempt = 0; attempt < 200 && !all_drained(tracer) && !tables_are_empty(tracer); attempt++)
		clock_sleep(10 * NS_PER_MS);
	for (int attempt = 0; attempt < 200 && !answers_are_here(tracer); attempt++)
		clock_sleep(10 * NS_PER_MS);
	if (tracer->ios)
		clock_sleep(DELIVERY);
}

struct trace_view *tracer_stop(struct tracer *tracer)
{
	struct trace_view *view = xcalloc(1, sizeof(*view));

	for (int attempt = 0; attempt < 20 && anything_in_flight(tracer); attempt++)
		clock_sleep(5 * NS_PER_MS);
	switch_recording(tracer, false);
	view->started = tracer->started_at;
	view->recorded = clock_now() - tracer->started;
	drain(tracer);
	view->top = tracer->queue && tracer->top ? xstrdup(tracer->top) : NULL;
	collect_view(tracer, view);
	view->program_misses = program_misses(tracer) - tracer->misses_before;
	return view;
}
