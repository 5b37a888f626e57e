// SPDX-License-Identifier: GPL-2.0
#include "stack.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

/* How far what passed a layer may be off one per I/O (a few of the file system's own). */
#define BESIDE 0.01

/* While the runs are being added up. */
struct sums {
	double mean[OPS][STAGES], runs[OPS][STAGES];
	uint64_t time;
};

/* --- one layer in one run --- */

static void add_counts(struct op_view *into, const struct op_view *from)
{
	into->issues += from->issues;
	into->issued_bytes += from->issued_bytes;
	into->requeues += from->requeues;
	into->requeued_bytes += from->requeued_bytes;
	into->completions += from->completions;
	into->completed_bytes += from->completed_bytes;
	into->partial += from->partial;
	into->unissued += from->unissued;
	into->flush_ends += from->flush_ends;
	into->in_flight_at_end += from->in_flight_at_end;
	into->faults += from->faults;
	into->faults_found += from->faults_found;
	into->bios += from->bios;
	into->bio_bytes += from->bio_bytes;
	into->empty += from->empty;
	into->finished += from->finished;
	into->ended_early += from->ended_early;
	into->pieces += from->pieces;
	into->bios_in_flight_at_end += from->bios_in_flight_at_end;
	into->walked += from->walked;
	into->unqueued += from->unqueued;
	into->walk_over += from->walk_over;
	into->fua += from->fua;
	into->reached_bytes += from->reached_bytes;
	into->asked_flush += from->asked_flush;
	into->asked_fua += from->asked_fua;
	into->children += from->children;
	for (int i = 0; i < LOSSES; i++) {
		into->loss[i] += from->loss[i];
		into->bio_loss[i] += from->bio_loss[i];
	}
	for (int i = 0; i < STATUSES; i++)
		into->error[i] += from->error[i];
}

static void add_op(struct stack_layer *layer, struct sums *sums, enum op op, const struct op_view *from)
{
	if (!layer->view.op[op])
		layer->view.op[op] = xcalloc(1, sizeof(*layer->view.op[op]));
	add_counts(layer->view.op[op], from);
	for (int stage = 0; stage < STAGES; stage++) {
		if (!from->stage[stage].count)
			continue;
		hist_merge(&layer->view.op[op]->stage[stage], &from->stage[stage]);
		sums->mean[op][stage] += hist_mean(&from->stage[stage]);
		sums->runs[op][stage]++;
	}
	for (int hop = 0; hop < HOPS; hop++) {
		if (!from->hop[hop])
			continue;
		if (!layer->view.op[op]->hop[hop])
			layer->view.op[op]->hop[hop] = xcalloc(1, sizeof(struct hist));
		hist_merge(layer->view.op[op]->hop[hop], from->hop[hop]);
	}
}

static size_t layers_of(const struct trace_view *trace)
{
	return trace->aboves + trace->leaves;
}

static const struct layer_view *nth_layer(const struct trace_view *trace, size_t index)
{
	return index < trace->aboves ? &trace->above[index] : &trace->leaf[index - trace->aboves];
}

/* The same device in another run; NULL when it was not there. */
static const struct layer_view *find_layer(const struct trace_view *trace, const char *device)
{
	for (size_t i = 0; i < layers_of(trace); i++)
		if (!strcmp(nth_layer(trace, i)->device, device))
			return nth_layer(trace, i);
	return NULL;
}

uint64_t run_io_time(const struct run *run)
{
	uint64_t runtime = 0;

	for (int op = 0; op < DIRECTIONS && run->engine; op++)
		if (run->engine->direction[op].runtime > runtime)
			runtime = run->engine->direction[op].runtime;
	return runtime && runtime < run->trace->recorded ? runtime : run->trace->recorded;
}

static void set_means(struct stack_layer *layer, const struct sums *sums)
{
	double time = 0;

	for (int op = 0; op < OPS; op++) {
		if (layer->view.op[op])
			time += (double)layer->view.op[op]->stage[layer_stage(&layer->view)].sum;
		for (int stage = 0; stage < STAGES; stage++)
			if (sums->runs[op][stage] > 0)
				layer->mean[op][stage] = sums->mean[op][stage] / sums->runs[op][stage];
	}
	if (sums->time)
		layer->in_flight = time / (double)sums->time;
}

static void sum_layer(struct stack_layer *layer, const struct layer_view *model, const struct run *const *runs,
		      size_t count)
{
	struct sums sums = {0};

	layer->view = (struct layer_view){.device = model->device,
					  .has_requests = model->has_requests,
					  .partition = model->partition,
					  .queue = model->queue};
	for (size_t i = 0; i < count; i++) {
		const struct layer_view *view = find_layer(runs[i]->trace, model->device);

		if (!view)
			continue;
		sums.time += run_io_time(runs[i]);
		for (int op = 0; op < OPS; op++)
			if (view->op[op])
				add_op(layer, &sums, op, view->op[op]);
	}
	set_means(layer, &sums);
}

/* --- shares --- */

static void set_lat(struct stack *stack, const struct run *const *runs, double ios[DIRECTIONS])
{
	double sum[DIRECTIONS] = {0}, means[DIRECTIONS] = {0};

	for (size_t i = 0; i < stack->runs; i++) {
		for (int op = 0; op < DIRECTIONS; op++) {
			const struct direction *direction = &runs[i]->engine->direction[op];

			ios[op] += (double)direction->ios;
			sum[op] += direction->latency[LATENCY_LAT].mean;
			means[op] += direction->latency[LATENCY_LAT].count > 0;
		}
	}
	for (int op = 0; op < DIRECTIONS; op++)
		stack->lat[op] = means[op] > 0 ? sum[op] / means[op] : 0;
}

static void set_shares(struct stack *stack, const double ios[DIRECTIONS])
{
	for (size_t i = 0; i < stack->layers; i++) {
		struct stack_layer *layer = &stack->layer[i];

		for (int op = 0; op < DIRECTIONS; op++) {
			for (int stage = 0; layer->view.op[op] && stage < STAGES; stage++) {
				double count = (double)layer->view.op[op]->stage[stage].count;
				double mean = layer->mean[op][stage];

				layer->has_share[op][stage] = count > 0 && stack->lat[op] > 0 &&
							      fabs(count - ios[op]) <= BESIDE * ios[op] &&
							      mean <= stack->lat[op];
				if (layer->has_share[op][stage])
					layer->share[op][stage] = mean / stack->lat[op];
			}
		}
	}
}

/* --- the whole --- */

void stack_of_runs(struct stack *stack, const struct run *const *runs, size_t count)
{
	const struct run **traced = xcalloc(count, sizeof(const struct run *));
	double ios[DIRECTIONS] = {0};

	*stack = (struct stack){0};
	for (size_t i = 0; i < count; i++)
		if (runs[i]->state == RUN_DONE && runs[i]->engine && runs[i]->trace)
			traced[stack->runs++] = runs[i];
	if (stack->runs) {
		stack->layers = layers_of(traced[0]->trace);
		stack->layer = xcalloc(stack->layers, sizeof(*stack->layer));
		for (size_t i = 0; i < stack->layers; i++)
			sum_layer(&stack->layer[i], nth_layer(traced[0]->trace, i), traced, stack->runs);
		set_lat(stack, traced, ios);
		set_shares(stack, ios);
	}
	free(traced);
}

void stack_clear(struct stack *stack)
{
	for (size_t i = 0; i < stack->layers; i++)
		for (int op = 0; op < OPS; op++)
			if (stack->layer[i].view.op[op]) {
				op_view_clear(stack->layer[i].view.op[op]);
				free(stack->layer[i].view.op[op]);
			}
	free(stack->layer);
	*stack = (struct stack){0};
}
