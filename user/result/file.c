// SPDX-License-Identifier: GPL-2.0
#include "file.h"

#include <stdlib.h>

#include "base/output.h"
#include "base/text.h"
#include "file_json.h"

/* --- the machine, the options, the tests --- */

/* NULL where nothing tells: an older file. */
static json_t *platform_to_json(const struct platform *platform)
{
	json_t *object, *clues;

	if (!platform->key && !platform->clues && !platform->container)
		return NULL;
	object = json_object();
	put_text(object, "key", platform->key);
	put_text(object, "name", platform->name);
	put_text(object, "certainty", platform->certainty);
	put_text(object, "container", platform->container);
	clues = json_array();
	for (size_t i = 0; i < platform->clues; i++) {
		json_t *clue = json_object();

		put_text(clue, "source", platform->clue[i].source);
		put_text(clue, "value", platform->clue[i].value);
		put_text(clue, "says", platform->clue[i].says);
		json_array_append_new(clues, clue);
	}
	put(object, "clues", clues);
	return object;
}

json_t *machine_to_json(const struct machine *machine, bool summary)
{
	json_t *object = json_object();

	put_text(object, "host", machine->host);
	put_text(object, "kernel", machine->kernel);
	if (summary)
		return object;
	put_text(object, "os", machine->os);
	put_text(object, "architecture", machine->architecture);
	put_text(object, "cpu", machine->cpu);
	put_known(object, "cpus", machine->cpus);
	put_known(object, "memory", machine->memory);
	put_boolean(object, "hypervisor", machine->hypervisor);
	put_text(object, "wsl", machine->wsl);
	put_text(object, "clocksource", machine->clocksource);
	put_boolean(object, "admin", machine->admin);
	put(object, "platform", platform_to_json(&machine->platform));
	return object;
}

static json_t *expectations_to_json(const struct options *options)
{
	json_t *array;

	if (!options->expectations)
		return NULL;
	array = json_array();
	for (size_t i = 0; i < options->expectations; i++) {
		const struct expectation *expectation = &options->expectation[i];
		json_t *object = json_object();

		put_text(object, "tests", expectation->tests);
		put_text(object, "measure", measure_name[expectation->measure]);
		put_fraction(object, "limit", expectation->limit);
		json_array_append_new(array, object);
	}
	return array;
}

static json_t *options_to_json(const struct options *options)
{
	json_t *object = json_object();

	put_count(object, "size", options->size);
	put_count(object, "duration", options->duration);
	put_count(object, "warmup", options->warmup);
	put_count(object, "iterations", options->iterations);
	put_text(object, "latency", latency_name[options->latency]);
	put_boolean(object, "quick", options->quick);
	put_boolean(object, "write_through", options->write_through);
	put_boolean(object, "trace", options->trace);
	put_boolean(object, "queue", options->queue);
	put_boolean(object, "ios", options->ios);
	put_known(object, "interval", options->interval);
	put_known(object, "slow_from", options->slow_from);
	put_boolean(object, "read_only", options->read_only);
	put_boolean(object, "thread", options->thread);
	put_text(object, "ioengine", options->ioengine);
	put_boolean(object, "floor", options->floor);
	put_boolean(object, "sweep", options->sweep);
	put(object, "expect", expectations_to_json(options));
	return object;
}

/* A traced program is its own engine. */
static json_t *engine_to_json(const struct result *result)
{
	json_t *object;

	if (!result->engine)
		return NULL;
	object = json_object();
	put_text(object, "name", result->engine);
	put_text(object, "version", result->engine_version);
	return object;
}

static json_t *observer_to_json(const struct result *result)
{
	json_t *object;

	if (!result->has_observer)
		return NULL;
	object = json_object();
	put_known(object, "startup", result->observer.startup);
	put_known(object, "resident", result->observer.resident);
	put_known(object, "map_bytes", result->observer.map_bytes);
	return object;
}

static json_t *test_to_json(const struct test *test)
{
	json_t *object = json_object();

	put_text(object, "name", test->name);
	put_boolean(object, "random", test->random);
	put_text(object, "access", access_name[test->access]);
	put_count(object, "read_percent", test->read_percent);
	put_count(object, "block_size", test->block_size);
	put_count(object, "depth", test->depth);
	put_count(object, "jobs", test->jobs);
	return object;
}

/* --- the targets --- */

static json_t *layer_to_json(const struct layer *layer)
{
	json_t *object = json_object();

	put_text(object, "name", layer->name);
	put_text(object, "parent_disk", layer->parent_disk);
	put_text(object, "model", layer->model);
	put_text(object, "serial", layer->serial);
	put_text(object, "backing_file", layer->backing_file);
	put_text(object, "scheduler", layer->scheduler);
	put_text(object, "write_cache", layer->write_cache);
	put_text(object, "memory", layer->memory);
	put_text(object, "backing_filesystem", layer->backing_filesystem);
	if (layer->cached)
		put_boolean(object, "cached", true);
	put_text(object, "driver", layer->driver);
	put_text(object, "path", layer->path);
	put_text(object, "link", layer->link);
	put_known(object, "link_bytes_per_second", layer->link_bytes_per_second);
	put_boolean(object, "has_requests", layer->has_requests);
	put_boolean(object, "leaf", layer->leaf);
	put_boolean(object, "fua", layer->fua);
	put_boolean(object, "rotational", layer->rotational);
	put_known(object, "size", layer->size);
	put_known(object, "logical_block", layer->logical_block);
	put_known(object, "physical_block", layer->physical_block);
	put_known(object, "max_request_bytes", layer->max_request_bytes);
	put_known(object, "queue_requests", layer->queue_requests);
	put_known(object, "hardware_queues", layer->hardware_queues);
	put_known(object, "tags", layer->tags);
	return object;
}

static json_t *layout_to_json(const struct layout *layout)
{
	json_t *object;

	if (!layout->has_extents && !layout->sampled)
		return NULL;
	object = json_object();
	if (layout->has_extents) {
		put_count(object, "written", layout->written);
		put_count(object, "unwritten", layout->unwritten);
		put_count(object, "holes", layout->holes);
		put_count(object, "elsewhere", layout->elsewhere);
		put_count(object, "extents", layout->extents);
	}
	if (layout->sampled) {
		put_count(object, "sampled", layout->sampled);
		put_count(object, "zeros", layout->zeros);
	}
	return object;
}

static json_t *nearness_to_json(const struct nearness *nearness)
{
	json_t *object;

	if (!nearness->reads)
		return NULL;
	object = json_object();
	put_count(object, "reads", nearness->reads);
	put_count(object, "random", nearness->random);
	put_count(object, "same", nearness->same);
	return object;
}

static json_t *read_times_to_json(const struct read_times *times)
{
	json_t *object;

	if (!times->reads)
		return NULL;
	object = json_object();
	put_count(object, "reads", times->reads);
	put_count(object, "least", times->least);
	put_count(object, "median", times->median);
	put_count(object, "p99", times->p99);
	put_fraction(object, "mean", times->mean);
	put_fraction(object, "deviation", times->deviation);
	return object;
}

static json_t *floor_to_json(const struct floor *floor)
{
	json_t *object;

	if (!floor->same.reads)
		return NULL;
	object = json_object();
	put(object, "same", read_times_to_json(&floor->same));
	put(object, "random", read_times_to_json(&floor->random));
	put_count(object, "asked", floor->asked);
	if (floor->has_reached)
		put_count(object, "reached", floor->reached);
	return object;
}

json_t *target_to_json(const struct target *target)
{
	json_t *object = json_object(), *layers = json_array(), *warnings = json_array();

	put_text(object, "given", target->given);
	put_text(object, "path", target->path);
	put_text(object, "kind", target_kind_name[target->kind]);
	put_text(object, "filesystem", target->filesystem);
	put_text(object, "source", target->source);
	put_text(object, "mount_point", target->mount_point);
	put_text(object, "access", target->access);
	put_text(object, "buffered", target->buffered);
	put_known(object, "file_size", target->file_size);
	put_known(object, "members", target->members);
	put_known(object, "laid_out_in", target->laid_out_in);
	put(object, "layout", layout_to_json(&target->layout));
	put(object, "nearness", nearness_to_json(&target->nearness));
	put(object, "floor", floor_to_json(&target->floor));
	put_text(object, "no_floor", target->no_floor);
	for (size_t i = 0; i < target->layers; i++)
		json_array_append_new(layers, layer_to_json(&target->layer[i]));
	for (size_t i = 0; i < target->warnings; i++)
		json_array_append_new(warnings, text_to_json(target->warning[i]));
	put(object, "layers", layers);
	put(object, "warnings", warnings);
	return object;
}

/* --- the whole --- */

static json_t *result_to_object(const struct result *result, bool summary)
{
	json_t *object = json_object(), *tool = json_object();
	json_t *targets = json_array(), *tests = json_array(), *runs = json_array();

	put_text(tool, "name", "iostrata");
	put_text(tool, "version", result->version);
	for (size_t i = 0; i < result->targets; i++)
		json_array_append_new(targets, target_to_json(&result->target[i]));
	for (size_t i = 0; i < result->tests; i++)
		json_array_append_new(tests, test_to_json(&result->test[i]));
	for (size_t i = 0; i < result->runs; i++)
		json_array_append_new(runs, run_to_json(result, &result->run[i], summary));
	put(object, "schema_version", json_integer(RESULT_SCHEMA_VERSION));
	if (summary)
		put_boolean(object, "summary", true);
	put(object, "tool", tool);
	put_text(object, "config", result->config);
	put_text(object, "timestamp", result->timestamp);
	put_text(object, "stamp", result->stamp);
	put_count(object, "started", result->started);
	put_texts(object, "command", result->command);
	put(object, "machine", machine_to_json(&result->machine, summary));
	put(object, "options", options_to_json(&result->options));
	put(object, "engine", engine_to_json(result));
	put_text(object, "no_trace", result->no_trace);
	put(object, "observer", observer_to_json(result));
	put(object, "targets", targets);
	put(object, "tests", tests);
	put(object, "runs", runs);
	put(object, "sweeps", sweeps_to_json(result));
	put(object, "verdict", verdict_to_json(result));
	return object;
}

char *result_to_json(const struct result *result, bool summary)
{
	struct text text = {0};
	json_t *object;
	char *dumped;

	file_json_init();
	object = result_to_object(result, summary);
	dumped = json_dumps(object, summary ? JSON_INDENT(2) | JSON_REAL_PRECISION(15) : JSON_COMPACT);
	text_addf(&text, "%s\n", dumped);
	free(dumped);
	json_decref(object);
	return text_take(&text);
}

char *result_file_name(const struct result *result)
{
	char *host = output_safe_name(result->machine.host ? result->machine.host : "unknown");
	char *config = output_safe_name(result->config);
	char *name = xasprintf("iostrata_%s_%s_%s.json", host, config, result->stamp);

	free(host);
	free(config);
	return name;
}
