// SPDX-License-Identifier: GPL-2.0
#include "file_read.h"

#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "file_json.h"

/* --- what the engine says --- */

static void read_percentiles(const struct node *node, struct latency *latency)
{
	struct node percentiles = node_get(node, "percentiles");

	for (int i = 0; i < PERCENTILES; i++) {
		struct node percentile = node_find(&percentiles, percentile_key[i]);

		latency->has_percentile[i] = percentile.json;
		latency->percentile[i] = node_count(&percentile);
	}
}

static void read_latency(const struct node *latencies, enum latency_kind kind, struct latency *latency)
{
	struct node node = node_find(latencies, latency_name[kind]), hist;

	if (!node_is(&node))
		return;
	latency->count = get_count(&node, "count");
	latency->min = get_count(&node, "min");
	latency->max = get_count(&node, "max");
	latency->mean = get_fraction(&node, "mean");
	latency->stddev = get_fraction(&node, "stddev");
	read_percentiles(&node, latency);
	hist = node_find(&node, "histogram");
	if (!node_is(&hist))
		return;
	latency->hist = hist_new();
	hist_from_json(&hist, latency->hist);
}

static void read_direction(const struct node *node, struct direction *direction)
{
	struct node latencies;

	if (!node_is(node))
		return;
	direction->ios = get_count(node, "ios");
	direction->bytes = get_count(node, "bytes");
	direction->bytes_per_second = get_count(node, "bytes_per_second");
	direction->ios_per_second = get_fraction(node, "ios_per_second");
	direction->runtime = get_count(node, "runtime");
	latencies = node_get(node, "latency");
	for (int kind = 0; kind < LATENCY_KINDS; kind++)
		read_latency(&latencies, kind, &direction->latency[kind]);
}

static struct engine_figures *read_figures(const struct node *run)
{
	struct node node = node_find(run, "engine"), directions;
	struct engine_figures *figures;

	if (!node_is(&node))
		return NULL;
	figures = xcalloc(1, sizeof(*figures));
	figures->version = get_text(&node, "version");
	figures->error = (int)get_count_to(&node, "error", INT_MAX);
	figures->message = get_text(&node, "message");
	figures->user_percent = get_fraction(&node, "user_percent");
	figures->system_percent = get_fraction(&node, "system_percent");
	directions = node_get(&node, "directions");
	for (int op = 0; op < DIRECTIONS; op++) {
		struct node direction = node_find(&directions, op_name[op]);

		read_direction(&direction, &figures->direction[op]);
	}
	return figures;
}

/* --- what the probes saw --- */

static void read_stages(const struct node *op, struct op_view *view)
{
	struct node stages = node_get(op, "stages");

	for (int stage = 0; stage < STAGES; stage++)
		stage_from_json(&stages, stage_name[stage], &view->stage[stage], &view->course[stage]);
}

static void read_hops(const struct node *op, struct op_view *view)
{
	struct node hops = node_find(op, "hops");

	if (!node_is(&hops))
		return;
	node_only(&hops, hop_name, HOPS);
	for (int hop = 0; hop < HOPS; hop++) {
		struct node node = node_find(&hops, hop_name[hop]);

		if (!node_is(&node))
			continue;
		view->hop[hop] = xcalloc(1, sizeof(*view->hop[hop]));
		hist_from_json(&node, view->hop[hop]);
	}
}

static void read_errors(const struct node *op, uint64_t error[STATUSES])
{
	struct node errors = node_get(op, "errors");
	size_t known = 0;

	for (unsigned status = 0; status < STATUSES; status++) {
		char key[STATUS_KEY_LENGTH];
		struct node count = node_find(&errors, status_key(key, status));

		known += count.json != NULL;
		error[status] = node_count(&count);
	}
	if (known != node_members(&errors))
		node_refuse(&errors, "names an error that is none");
}

static void read_losses(const struct node *object, uint64_t loss[LOSSES])
{
	struct node losses = node_get(object, "losses");

	for (int i = 0; i < LOSSES; i++)
		loss[i] = get_count(&losses, loss_name[i]);
	if (node_members(&losses) > LOSSES)
		node_refuse(&losses, "names a loss that is none");
}

static void read_bios(const struct node *op, struct op_view *view)
{
	struct node bios = node_get(op, "bios");

	view->bios = get_count(&bios, "queued");
	view->bio_bytes = get_count(&bios, "queued_bytes");
	view->empty = get_count(&bios, "empty");
	view->asked_flush = get_known(&bios, "asked_flush");
	view->asked_fua = get_known(&bios, "asked_fua");
	view->finished = get_count(&bios, "finished");
	view->ended_early = get_count(&bios, "ended_early");
	view->pieces = get_count(&bios, "requests");
	view->bios_in_flight_at_end = get_count(&bios, "in_flight_at_end");
	read_losses(&bios, view->bio_loss);
	view->walked = get_count(&bios, "walked");
	view->unqueued = get_count(&bios, "unqueued");
	view->walk_over = get_count(&bios, "walk_over");
	view->children = get_count(&bios, "children");
}

static struct op_view *read_op(const struct node *ops, enum op op)
{
	struct node node = node_find(ops, op_name[op]);
	struct op_view *view;

	if (!node_is(&node))
		return NULL;
	view = xcalloc(1, sizeof(*view));
	view->issues = get_count(&node, "issues");
	view->issued_bytes = get_count(&node, "issued_bytes");
	view->requeues = get_count(&node, "requeues");
	view->requeued_bytes = get_count(&node, "requeued_bytes");
	view->completions = get_count(&node, "completions");
	view->completed_bytes = get_count(&node, "completed_bytes");
	view->partial = get_count(&node, "partial");
	read_errors(&node, view->error);
	view->unissued = get_count(&node, "unissued");
	view->flush_ends = get_count(&node, "flush_ends");
	view->in_flight_at_end = get_count(&node, "in_flight_at_end");
	read_losses(&node, view->loss);
	view->faults = get_count(&node, "faults");
	view->faults_found = get_count(&node, "faults_found");
	view->fua = get_known(&node, "fua");
	view->reached_bytes = get_known(&node, "reached_bytes");
	read_bios(&node, view);
	read_stages(&node, view);
	read_hops(&node, view);
	return view;
}

static void read_diskstats(const struct node *node, struct layer_view *layer)
{
	struct node diskstats = node_find(node, "diskstats");

	layer->has_stat = node_is(&diskstats);
	for (int i = 0; layer->has_stat && i < STAT_GROUPS; i++) {
		struct node group = node_get(&diskstats, stat_group_name[i]);

		layer->stat[i].ios = get_count(&group, "ios");
		layer->stat[i].sectors = get_count(&group, "sectors");
		layer->stat[i].time = get_count(&group, "time");
	}
}

/* Of a partition the file doesn't say what its disk is; the target's layers do. */
static bool partition_has_requests(const struct target *target, const char *device)
{
	for (size_t i = 0; i < target->layers; i++)
		if (device && !strcmp(target->layer[i].name, device))
			return target->layer[i].has_requests;
	return true;
}

static void read_layer(const struct node *node, const struct result *result, const struct run *run,
		       struct layer_view *layer)
{
	enum layer_kind kind = get_choice(node, "kind", layer_kind_name, LAYER_KINDS);
	struct node ops;

	layer->device = get_name(node, "device");
	layer->partition = kind == LAYER_KIND_PARTITION;
	layer->has_requests = kind == LAYER_KIND_REQUESTS;
	if (layer->partition)
		layer->has_requests = partition_has_requests(&result->target[run->target], layer->device);
	layer->queue = result->options.queue && !layer->partition;
	ops = node_get(node, "ops");
	for (int op = 0; op < OPS; op++)
		layer->op[op] = read_op(&ops, op);
	read_diskstats(node, layer);
}

static void read_layers(const struct node *layers, const struct result *result, const struct run *run,
			struct layer_view **layer, size_t *count)
{
	size_t elements = node_elements(layers);

	*layer = xcalloc(elements, sizeof(**layer));
	for (; *count < elements; (*count)++) {
		struct node node = node_at(layers, *count);

		read_layer(&node, result, run, &(*layer)[*count]);
	}
}

/* Files of before there were more than the first two don't have the other owners. */
static void read_queued(const struct node *trace, struct bio_counts queued[OWNERS][OPS])
{
	struct node owners = node_get(trace, "queued");

	for (int owner = 0; owner < OWNERS; owner++) {
		bool must = owner == OWNER_WORKLOAD || owner == OWNER_OTHERS;
		struct node ops = (must ? node_get : node_find)(&owners, owner_name[owner]);

		bio_counts_from_json(&ops, OPS, node_is(&ops), queued[owner]);
	}
}

/* Whether a layer's bios are there without what they asked for: files of before that was counted. */
static bool lack_what_was_asked(const struct node *layers)
{
	size_t elements = node_elements(layers);

	for (size_t i = 0; i < elements; i++) {
		struct node layer = node_at(layers, i), ops = node_get(&layer, "ops");

		for (int op = 0; op < OPS; op++) {
			struct node view = node_find(&ops, op_name[op]), bios, asked;

			if (!node_is(&view))
				continue;
			bios = node_get(&view, "bios");
			asked = node_find(&bios, "asked_flush");
			return !node_is(&asked);
		}
	}
	return false;
}

static struct trace_view *read_trace(const struct node *node, const struct result *result, const struct run *run)
{
	struct node trace = node_find(node, "trace"), leaves, above, reached;
	struct trace_view *view;

	if (!node_is(&trace))
		return NULL;
	view = xcalloc(1, sizeof(*view));
	view->started = get_known(&trace, "started");
	view->recorded = get_count(&trace, "recorded");
	view->top = get_text(&trace, "top");
	read_queued(&trace, view->queued);
	leaves = node_get(&trace, "leaves");
	read_layers(&leaves, result, run, &view->leaf, &view->leaves);
	above = node_find(&trace, "above");
	read_layers(&above, result, run, &view->above, &view->aboves);
	view->unledgered = lack_what_was_asked(&leaves) || lack_what_was_asked(&above);
	reached = node_find(&trace, "reached");
	view->has_reached = node_boolean(&reached);
	view->program_misses = get_count(&trace, "program_misses");
	ios_from_json(&trace, view);
	return view;
}

/* --- the run --- */

static void read_sample(const struct node *node, struct sample *sample)
{
	struct node disk = node_find(node, "disk_percent");

	sample->at = get_count(node, "at");
	sample->cpu_percent = get_fraction(node, "cpu_percent");
	sample->mem_percent = get_fraction(node, "mem_percent");
	sample->has_disk = node_is(&disk);
	if (!sample->has_disk)
		return;
	sample->disk_percent = node_fraction(&disk);
	sample->disk_ios = get_count(node, "disk_ios");
	sample->disk_bytes = get_count(node, "disk_bytes");
}

static void read_samples(const struct node *node, struct run *run)
{
	struct node samples = node_get(node, "samples");
	size_t elements = node_elements(&samples);

	run->sample = xcalloc(elements, sizeof(*run->sample));
	for (; run->samples < elements; run->samples++) {
		struct node sample = node_at(&samples, run->samples);

		read_sample(&sample, &run->sample[run->samples]);
	}
}

static void read_check(const struct node *node, struct check *check)
{
	struct node finding = node_find(node, "finding");

	check->name = get_name(node, "name");
	check->state = get_choice(node, "state", check_state_name, CHECK_STATES);
	check->finding = node_boolean(&finding);
	check->found = get_text(node, "found");
	check->expected = get_text(node, "expected");
	check->sentence = get_text(node, "sentence");
}

static void read_checks(const struct node *node, struct run *run)
{
	struct node checks = node_get(node, "checks");
	size_t elements = node_elements(&checks);

	run->check = xcalloc(elements, sizeof(*run->check));
	for (; run->checks < elements; run->checks++) {
		struct node check = node_at(&checks, run->checks);

		read_check(&check, &run->check[run->checks]);
	}
}

static size_t read_index(const struct node *object, const char *key, size_t count)
{
	struct node node = node_get(object, key);
	uint64_t index = node_count(&node);

	if (index < count)
		return index;
	node_refuse(&node, "is %" PRIu64 ", but there are %zu %ss", index, count, key);
	return 0;
}

/* A traced program's run has no test, nor has its result any, and no engine made its I/O. */
static void read_test_of(const struct node *node, const struct result *result, struct run *run)
{
	struct node test = node_find(node, "test"), engine = node_find(node, "engine");

	if (result->tests || node_is(&test))
		run->test = read_index(node, "test", result->tests);
	else
		run->test = NO_TEST;
	if (run->test == NO_TEST && node_is(&engine))
		node_refuse(&engine, "is there, but the run has no test");
}

/* There is no name for NONE. */
static enum verdict read_verdict(const struct node *node)
{
	struct node verdict = node_find(node, "verdict");

	if (!node_is(&verdict))
		return VERDICT_NONE;
	return VERDICT_NONE + 1 + node_choice(&verdict, verdict_name + 1, VERDICTS - 1);
}

void run_from_json(const struct node *node, const struct result *result, struct run *run)
{
	struct node gap = node_find(node, "gap"), status = node_find(node, "status");
	struct node probe_cost = node_find(node, "probe_cost");

	run->target = read_index(node, "target", result->targets);
	read_test_of(node, result, run);
	run->iteration = (unsigned)get_count_to(node, "iteration", UINT_MAX);
	run->state = get_choice(node, "state", run_state_name, RUN_STATES);
	run->reason = get_text(node, "reason");
	run->started = get_known(node, "started");
	run->elapsed = get_known(node, "elapsed");
	run->has_gap = node_is(&gap);
	run->gap = node_count(&gap);
	run->command = get_texts(node, "command");
	run->has_status = node_is(&status);
	run->status = (int)node_count_to(&status, UINT8_MAX);
	run->engine = read_figures(node);
	run->trace = read_trace(node, result, run);
	run->untraced = get_text(node, "untraced");
	read_samples(node, run);
	run->conditions = conditions_from_json(node);
	run->has_probe_cost = node_is(&probe_cost);
	run->probe_cost = node_count(&probe_cost);
	read_checks(node, run);
	run->verdict = read_verdict(node);
}
