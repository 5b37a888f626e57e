// SPDX-License-Identifier: GPL-2.0
/* What others would have to compute again from the rest of the file. */
#include "file_json.h"

#include <stdlib.h>

#include "base/text.h"
#include "ledger.h"
#include "pauses.h"
#include "sweep.h"
#include "verdict.h"

/* --- the durability ledger --- */

static json_t *ledger_layer_to_json(const struct ledger_layer *layer)
{
	json_t *object = json_object();

	put_text(object, "device", layer->device);
	put_count(object, "writes", layer->writes);
	put_count(object, "write_bytes", layer->write_bytes);
	put_count(object, "flushes", layer->flushes);
	put_count(object, "fua", layer->fua);
	put_count(object, "asked_flush", layer->asked_flush);
	put_count(object, "asked_fua", layer->asked_fua);
	if (layer->has_reached)
		put_count(object, "reached", layer->reached);
	return object;
}

static json_t *ledger_to_object(const struct ledger *ledger)
{
	json_t *object = json_object(), *layers = json_array();

	put_count(object, "writes", ledger->writes);
	put_known(object, "write_bytes", ledger->write_bytes);
	put_count(object, "syncs", ledger->syncs);
	if (ledger->calls) {
		put_count(object, "flushed", ledger->flushed);
		put_count(object, "calls", ledger->calls);
	}
	put_count(object, "buffered_bytes", ledger->buffered_bytes);
	if (ledger->call_time) {
		put_count(object, "call_time", ledger->call_time);
		put_count(object, "idle_time", ledger->idle_time);
	}
	put_text(object, "durability", durability_name[ledger->durability]);
	put_text(object, "conclusion", ledger->conclusion);
	for (size_t i = 0; i < ledger->layers; i++)
		json_array_append_new(layers, ledger_layer_to_json(&ledger->layer[i]));
	put(object, "layers", layers);
	return object;
}

json_t *ledger_to_json(const struct result *result, const struct run *run)
{
	json_t *object = NULL;
	struct ledger ledger;

	if (ledger_of_run(&ledger, result, run))
		object = ledger_to_object(&ledger);
	ledger_clear(&ledger);
	return object;
}

/* --- what pauses did to single I/Os --- */

static void put_paused_records(json_t *array, const struct run *run, const struct io_record *records)
{
	size_t i;
	json_t *object;

	json_array_foreach(array, i, object)
		put_known(object, "paused", pauses_of_record(run, &records[i]).length);
}

void put_paused(json_t *trace, const struct run *run)
{
	if (!trace || !run->conditions || !run->conditions->pauses)
		return;
	put_paused_records(json_object_get(trace, "slowest"), run, run->trace->slowest);
	put_paused_records(json_object_get(trace, "slow"), run, run->trace->slow);
}

/* --- the curves of a sweep --- */

/* Of a depth that was not run yet, or failed, nothing more is known. */
static json_t *point_to_json(const struct sweep_point *point)
{
	const struct summary *summary = &point->summary;
	json_t *object = json_object();

	put_count(object, "depth", point->depth);
	put_count(object, "test", point->test);
	if (!summary->runs)
		return object;
	put_fraction(object, "iops", summary->ios_per_second);
	if (summary->mean > 0)
		put_fraction(object, "mean", summary->mean);
	if (summary->has_percentile[P99])
		put_count(object, "p99", summary->percentile[P99]);
	if (point->reached >= 0)
		put_fraction(object, "reached", point->reached);
	return object;
}

static json_t *sweep_to_json(const struct result *result, size_t target)
{
	json_t *object = json_object(), *points = json_array();
	struct sweep sweep;

	sweep_of_target(&sweep, result, target);
	put_count(object, "target", target);
	if (sweep.knee != NO_KNEE)
		put_count(object, "knee_depth", sweep.point[sweep.knee].depth);
	if (sweep.saturation > 0)
		put_fraction(object, "saturation", sweep.saturation);
	for (size_t i = 0; i < sweep.points; i++)
		json_array_append_new(points, point_to_json(&sweep.point[i]));
	put(object, "points", points);
	sweep_clear(&sweep);
	return object;
}

json_t *sweeps_to_json(const struct result *result)
{
	json_t *array;

	if (!result->options.sweep)
		return NULL;
	array = json_array();
	for (size_t i = 0; i < result->targets; i++)
		json_array_append_new(array, sweep_to_json(result, i));
	return array;
}

/* --- the verdict on all runs --- */

json_t *verdict_to_json(const struct result *result)
{
	const struct run **runs = xcalloc(result->runs, sizeof(const struct run *));
	enum verdict verdict;

	for (size_t i = 0; i < result->runs; i++)
		runs[i] = &result->run[i];
	verdict = verdict_of_runs(runs, result->runs);
	free(runs);
	return verdict == VERDICT_NONE ? NULL : text_to_json(verdict_name[verdict]);
}
