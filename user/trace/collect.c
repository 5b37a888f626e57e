// SPDX-License-Identifier: GPL-2.0
#include "collect.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/text.h"

#include "percpu.h"

static void open_layers(struct tracer *tracer)
{
	if (!tracer->layers)
		return;
	tracer->view = xcalloc(tracer->layers * OPS, sizeof(*tracer->view));
	histograms_open(&tracer->stages, tracer->skel->maps.stages, tracer->cpus);
	for (size_t key = 0; key < tracer->stages.keys; key++) {
		struct op_view *view = &tracer->view[key / STAGES];

		tracer->stages.to[key] = (struct gathered){&view->stage[key % STAGES], &view->course[key % STAGES]};
	}
}

static void open_hops(struct tracer *tracer)
{
	if (!tracer->hops)
		return;
	histograms_open(&tracer->hop_times, tracer->skel->maps.hop_times, tracer->cpus);
	tracer->hop = xcalloc(tracer->hop_times.keys, sizeof(*tracer->hop));
	for (size_t key = 0; key < tracer->hop_times.keys; key++)
		tracer->hop_times.to[key] = (struct gathered){.hist = &tracer->hop[key]};
}

void collect_open(struct tracer *tracer)
{
	open_layers(tracer);
	open_hops(tracer);
	collect_io_open(tracer);
	collect_remote_open(tracer);
}

void collect_clear(struct tracer *tracer)
{
	for (size_t i = 0; tracer->view && i < tracer->layers * OPS; i++)
		op_view_clear(&tracer->view[i]);
	histograms_clear(&tracer->stages);
	if (tracer->hop)
		memset(tracer->hop, 0, tracer->hop_times.keys * sizeof(*tracer->hop));
	histograms_clear(&tracer->hop_times);
	collect_io_clear(tracer);
	collect_remote_clear(tracer);
}

void collect_close(struct tracer *tracer)
{
	collect_clear(tracer);
	free(tracer->view);
	free(tracer->hop);
	tracer->view = NULL;
	tracer->hop = NULL;
	histograms_close(&tracer->hop_times);
	histograms_close(&tracer->stages);
	collect_io_close(tracer);
	collect_remote_close(tracer);
}

void collect_histograms(struct tracer *tracer)
{
	uint64_t at = clock_now() - tracer->started;

	histograms_read(&tracer->stages, at);
	histograms_read(&tracer->hop_times, at);
	histograms_read(&tracer->io_stages, at);
	histograms_read(&tracer->call_times, at);
	histograms_read(&tracer->remote_times, at);
	collect_io_seconds(tracer, at);
}

/* --- counters --- */

/* Where a CPU's counts go, and when the program was last told that its data is taken or safe. */
struct counting {
	struct op_view *view;
	uint64_t told;
};

static void add_counts(void *context, const void *value)
{
	const struct counting *counting = context;
	const struct op_counts *counts = value;
	struct op_view *view = counting->view;

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
	view->fua += counts->fua;
	view->reached_bytes += counts->reached_bytes;
	if (counts->told != counting->told)
		view->reached_bytes += counts->waiting_bytes;
	view->bios += counts->bios;
	view->bio_bytes += counts->bio_bytes;
	view->empty += counts->empty;
	view->asked_flush += counts->asked_flush;
	view->asked_fua += counts->asked_fua;
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
	struct counting counting = {.told = tracer->skel->bss->told};

	for (uint32_t key = 0; key < tracer->layers * OPS; key++) {
		counting.view = &tracer->view[key];
		percpu_each(tracer->skel->maps.ops, tracer->cpus, key, add_counts, &counting);
	}
}

void collect_owners(struct tracer *tracer, struct bio_counts queued[OWNERS][OPS])
{
	for (uint32_t key = 0; key < OWNERS * OPS; key++)
		percpu_add(tracer->skel->maps.bios, tracer->cpus, key, &queued[key / OPS][key % OPS]);
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

static void collect_hops(const struct tracer *tracer, size_t view, struct hist *hop[HOPS])
{
	for (int i = 0; tracer->hop && i < HOPS; i++) {
		const struct hist *seen = &tracer->hop[view * HOPS + i];

		if (!seen->count)
			continue;
		hop[i] = xcalloc(1, sizeof(*hop[i]));
		*hop[i] = *seen;
	}
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
		collect_hops(tracer, index * OPS + op, view->op[op]->hop);
		/* The course is theirs now. */
		memset(seen, 0, sizeof(*seen));
	}
}

void collect_view(struct tracer *tracer, struct trace_view *view)
{
	collect_histograms(tracer);
	collect_counts(tracer);
	collect_owners(tracer, view->queued);
	collect_tables(tracer);
	view->has_reached = tracer->skel->bss->told;
	collect_io_view(tracer, view);
	collect_remote_view(tracer, view);
	if (tracer->queue)
		collect_foreigners(tracer, view);
	view->leaf = xcalloc(tracer->layers, sizeof(*view->leaf));
	view->above = xcalloc(tracer->layers, sizeof(*view->above));
	for (size_t i = 0; i < tracer->layers; i++)
		collect_layer(tracer, i,
			      tracer->layer[i].leaf ? &view->leaf[view->leaves++] : &view->above[view->aboves++]);
}
