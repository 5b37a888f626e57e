// SPDX-License-Identifier: GPL-2.0
#include "file_json.h"

/* --- what the engine says --- */

static json_t *latency_to_json(const struct latency *latency, bool summary)
{
	json_t *object, *percentiles;

	if (!latency->count)
		return NULL;
	object = json_object();
	percentiles = json_object();
	put_count(object, "count", latency->count);
	put_count(object, "min", latency->min);
	put_count(object, "max", latency->max);
	put_fraction(object, "mean", latency->mean);
	put_fraction(object, "stddev", latency->stddev);
	for (int i = 0; i < PERCENTILES; i++)
		if (latency->has_percentile[i])
			put_count(percentiles, percentile_key[i], latency->percentile[i]);
	put(object, "percentiles", percentiles);
	if (!summary)
		put(object, "histogram", latency->hist ? hist_to_json(latency->hist, false) : NULL);
	return object;
}

/* A direction that the engine did nothing in is absent. */
static json_t *direction_to_json(const struct direction *direction, bool summary)
{
	json_t *object, *latencies;

	if (!direction->ios && !direction->bytes)
		return NULL;
	object = json_object();
	latencies = json_object();
	put_count(object, "ios", direction->ios);
	put_count(object, "bytes", direction->bytes);
	put_count(object, "bytes_per_second", direction->bytes_per_second);
	put_fraction(object, "ios_per_second", direction->ios_per_second);
	put_count(object, "runtime", direction->runtime);
	for (int kind = 0; kind < LATENCY_KINDS; kind++)
		put(latencies, latency_name[kind], latency_to_json(&direction->latency[kind], summary));
	put(object, "latency", latencies);
	return object;
}

static json_t *figures_to_json(const struct engine_figures *figures, bool summary)
{
	json_t *object, *directions;

	if (!figures)
		return NULL;
	object = json_object();
	directions = json_object();
	put_text(object, "version", figures->version);
	put(object, "error", json_integer(figures->error));
	put_text(object, "message", figures->message);
	put_fraction(object, "user_percent", figures->user_percent);
	put_fraction(object, "system_percent", figures->system_percent);
	for (int op = 0; op < DIRECTIONS; op++)
		put(directions, op_name[op], direction_to_json(&figures->direction[op], summary));
	put(object, "directions", directions);
	return object;
}

/* --- what the probes saw --- */

/* A stage that the layer does not have is absent. */
static json_t *stages_to_json(const struct op_view *view, bool summary)
{
	json_t *object = json_object();

	for (int stage = 0; stage < STAGES; stage++)
		put(object, stage_name[stage], stage_to_json(&view->stage[stage], &view->course[stage], summary));
	return object;
}

static json_t *hops_to_json(const struct op_view *view, bool summary)
{
	json_t *object = NULL;

	for (int hop = 0; hop < HOPS; hop++) {
		if (!view->hop[hop])
			continue;
		if (!object)
			object = json_object();
		put(object, hop_name[hop], hist_to_json(view->hop[hop], summary));
	}
	return object;
}

/* By errno, as the program sees them. */
static json_t *errors_to_json(const uint64_t error[STATUSES])
{
	json_t *object = json_object();

	for (unsigned status = 0; status < STATUSES; status++) {
		char key[STATUS_KEY_LENGTH];

		if (error[status])
			put_count(object, status_key(key, status), error[status]);
	}
	return object;
}

static json_t *losses_to_json(const uint64_t *loss)
{
	json_t *object = json_object();

	for (int i = 0; i < LOSSES; i++)
		put_count(object, loss_name[i], loss[i]);
	return object;
}

static json_t *bios_to_json(const struct op_view *view)
{
	json_t *object = json_object();

	put_count(object, "queued", view->bios);
	put_count(object, "queued_bytes", view->bio_bytes);
	put_count(object, "empty", view->empty);
	put_count(object, "asked_flush", view->asked_flush);
	put_count(object, "asked_fua", view->asked_fua);
	put_count(object, "finished", view->finished);
	put_count(object, "ended_early", view->ended_early);
	put_count(object, "requests", view->pieces);
	put_count(object, "in_flight_at_end", view->bios_in_flight_at_end);
	put(object, "losses", losses_to_json(view->bio_loss));
	put_count(object, "walked", view->walked);
	put_count(object, "unqueued", view->unqueued);
	put_count(object, "walk_over", view->walk_over);
	put_count(object, "children", view->children);
	return object;
}

static json_t *op_to_json(const struct op_view *view, bool reached, bool summary)
{
	json_t *object;

	if (!view)
		return NULL;
	object = json_object();
	if (!summary) {
		put_count(object, "issues", view->issues);
		put_count(object, "issued_bytes", view->issued_bytes);
		put_count(object, "requeues", view->requeues);
		put_count(object, "requeued_bytes", view->requeued_bytes);
		put_count(object, "completions", view->completions);
		put_count(object, "completed_bytes", view->completed_bytes);
		put_count(object, "partial", view->partial);
		put(object, "errors", errors_to_json(view->error));
		put_count(object, "unissued", view->unissued);
		put_count(object, "flush_ends", view->flush_ends);
		put_count(object, "in_flight_at_end", view->in_flight_at_end);
		put(object, "losses", losses_to_json(view->loss));
		put_count(object, "faults", view->faults);
		put_count(object, "faults_found", view->faults_found);
		put_count(object, "fua", view->fua);
		if (reached)
			put_count(object, "reached_bytes", view->reached_bytes);
		put(object, "bios", bios_to_json(view));
	}
	put(object, "stages", stages_to_json(view, summary));
	put(object, "hops", hops_to_json(view, summary));
	return object;
}

static json_t *diskstats_to_json(const struct layer_view *leaf)
{
	json_t *object, *group;

	if (!leaf->has_stat)
		return NULL;
	object = json_object();
	for (int i = 0; i < STAT_GROUPS; i++) {
		group = json_object();
		put_count(group, "ios", leaf->stat[i].ios);
		put_count(group, "sectors", leaf->stat[i].sectors);
		put_count(group, "time", leaf->stat[i].time);
		put(object, stat_group_name[i], group);
	}
	return object;
}

static enum layer_kind layer_kind(const struct layer_view *layer)
{
	return layer->partition ? LAYER_KIND_PARTITION : layer->has_requests ? LAYER_KIND_REQUESTS : LAYER_KIND_BIOS;
}

static json_t *layer_to_json(const struct layer_view *layer, bool reached, bool summary)
{
	json_t *object = json_object(), *ops = json_object();

	put_text(object, "device", layer->device);
	put_text(object, "kind", layer_kind_name[layer_kind(layer)]);
	for (int op = 0; op < OPS; op++)
		put(ops, op_name[op], op_to_json(layer->op[op], reached, summary));
	put(object, "ops", ops);
	if (!summary)
		put(object, "diskstats", diskstats_to_json(layer));
	return object;
}

/* A summary has only what occurred. */
static json_t *queued_to_json(const struct bio_counts queued[OWNERS][OPS], bool summary)
{
	json_t *object = json_object();

	for (int owner = 0; owner < OWNERS; owner++)
		put(object, owner_name[owner], bio_counts_to_json(queued[owner], OPS, !summary));
	return object;
}

static json_t *trace_to_json(const struct trace_view *trace, bool summary)
{
	json_t *object, *leaves, *above;

	if (!trace)
		return NULL;
	object = json_object();
	leaves = json_array();
	put_known(object, "started", trace->started);
	put_count(object, "recorded", trace->recorded);
	put_text(object, "top", trace->top);
	put(object, "queued", queued_to_json(trace->queued, summary));
	for (size_t i = 0; i < trace->leaves; i++)
		json_array_append_new(leaves, layer_to_json(&trace->leaf[i], trace->has_reached, summary));
	above = trace->aboves ? json_array() : NULL;
	for (size_t i = 0; i < trace->aboves; i++)
		json_array_append_new(above, layer_to_json(&trace->above[i], trace->has_reached, summary));
	put(object, "leaves", leaves);
	if (trace->aboves)
		put(object, "above", above);
	if (trace->has_reached)
		put_boolean(object, "reached", true);
	put_count(object, "program_misses", trace->program_misses);
	put_ios(object, trace, summary);
	return object;
}

/* --- the runs --- */

static json_t *samples_to_json(const struct run *run)
{
	json_t *array = json_array();

	for (size_t i = 0; i < run->samples; i++) {
		const struct sample *sample = &run->sample[i];
		json_t *object = json_object();

		put_count(object, "at", sample->at);
		put_fraction(object, "cpu_percent", sample->cpu_percent);
		put_fraction(object, "mem_percent", sample->mem_percent);
		if (sample->has_disk) {
			put_fraction(object, "disk_percent", sample->disk_percent);
			put_count(object, "disk_ios", sample->disk_ios);
			put_count(object, "disk_bytes", sample->disk_bytes);
		}
		json_array_append_new(array, object);
	}
	return array;
}

static json_t *checks_to_json(const struct run *run)
{
	json_t *array = json_array();

	for (size_t i = 0; i < run->checks; i++) {
		const struct check *check = &run->check[i];
		json_t *object = json_object();

		put_text(object, "name", check->name);
		put_text(object, "state", check_state_name[check->state]);
		if (check->finding)
			put_boolean(object, "finding", true);
		put_text(object, "found", check->found);
		put_text(object, "expected", check->expected);
		put_text(object, "sentence", check->sentence);
		json_array_append_new(array, object);
	}
	return array;
}

json_t *run_to_json(const struct result *result, const struct run *run, bool summary)
{
	json_t *object = json_object();

	put_count(object, "target", run->target);
	if (run->test != NO_TEST)
		put_count(object, "test", run->test);
	put_count(object, "iteration", run->iteration);
	put_text(object, "state", run_state_name[run->state]);
	put_text(object, "reason", run->reason);
	put_known(object, "started", run->started);
	put_known(object, "elapsed", run->elapsed);
	if (run->has_gap)
		put_count(object, "gap", run->gap);
	put_texts(object, "command", run->command);
	if (run->has_status)
		put(object, "status", json_integer(run->status));
	put(object, "engine", figures_to_json(run->engine, summary));
	put(object, "trace", trace_to_json(run->trace, summary));
	put_paused(json_object_get(object, "trace"), run);
	put_text(object, "untraced", run->untraced);
	if (!summary) {
		put(object, "samples", samples_to_json(run));
		put(object, "conditions", conditions_to_json(run->conditions));
	}
	if (run->has_probe_cost)
		put_count(object, "probe_cost", run->probe_cost);
	put(object, "ledger", ledger_to_json(result, run));
	put(object, "checks", checks_to_json(run));
	if (run->verdict != VERDICT_NONE)
		put_text(object, "verdict", verdict_name[run->verdict]);
	return object;
}
