// SPDX-License-Identifier: GPL-2.0
#include "traffic.h"

#include <string.h>

uint64_t traffic_of_layer(const struct layer_view *layer, enum op op)
{
	const struct op_view *view = layer->op[op];

	if (!view)
		return 0;
	return layer->has_requests ? view->issued_bytes - view->requeued_bytes : view->bio_bytes;
}

uint64_t traffic_of_leaves(const struct trace_view *trace, enum op op)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < trace->leaves; i++)
		sum += traffic_of_layer(&trace->leaf[i], op);
	return sum;
}

struct bio_counts traffic_of_owner(const struct trace_view *trace, enum owner owner)
{
	struct bio_counts sum = {0};

	for (int op = 0; op < DIRECTIONS; op++) {
		sum.bios += trace->queued[owner][op].bios;
		sum.bytes += trace->queued[owner][op].bytes;
	}
	return sum;
}

uint64_t traffic_of_workload(const struct trace_view *trace, enum op op)
{
	return trace->queued[OWNER_WORKLOAD][op].bytes + trace->queued[OWNER_WRITEBACK][op].bytes;
}

/* Where the disk of a loop device's file is a top of its own, what passed the loop device comes in there once more. */
static uint64_t through_loops(const struct trace_view *trace, const struct target *target, enum op op)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < trace->aboves && traffic_has_several_tops(trace); i++) {
		const struct layer *facts = traffic_facts(target, trace->above[i].device);

		if (facts && facts->backing_file && !facts->parent_disk)
			sum += traffic_of_layer(&trace->above[i], op);
	}
	return sum;
}

uint64_t traffic_of_others(const struct trace_view *trace, const struct target *target, enum op op)
{
	uint64_t others = trace->queued[OWNER_OTHERS][op].bytes + trace->queued[OWNER_JOURNAL][op].bytes;
	uint64_t loops = through_loops(trace, target, op);

	return others > loops ? others - loops : 0;
}

/* The tracer's name for several (trace/disks.c). */
bool traffic_has_several_tops(const struct trace_view *trace)
{
	return trace->top && !strcmp(trace->top, "all disks");
}

/* Those who are called by name are everyone then, and else no more than who is not the workload. */
bool traffic_is_of_everyone(const struct run *run)
{
	const struct trace_view *trace = run->trace;
	uint64_t named = 0, own = traffic_of_owner(trace, OWNER_WORKLOAD).bios;
	uint64_t others = traffic_of_owner(trace, OWNER_OTHERS).bios + traffic_of_owner(trace, OWNER_JOURNAL).bios;

	if (run->engine || run->command || !own)
		return false;
	for (size_t i = 0; i < trace->foreigners; i++)
		for (int op = 0; op < DIRECTIONS; op++)
			named += trace->foreigner[i].op[op].bios;
	return named > others + own / 2;
}

const struct layer *traffic_facts(const struct target *target, const char *device)
{
	for (size_t i = 0; target && i < target->layers; i++)
		if (!strcmp(target->layer[i].name, device))
			return &target->layer[i];
	return NULL;
}

const struct layer *traffic_hidden_file(const struct target *target)
{
	for (size_t i = 0; target && i < target->layers; i++) {
		const struct layer *layer = &target->layer[i];

		if (layer->leaf && layer->backing_file && !layer->backing_filesystem && !layer->memory)
			return layer;
	}
	return NULL;
}
