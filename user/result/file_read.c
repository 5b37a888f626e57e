// SPDX-License-Identifier: GPL-2.0
#include "file_read.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "file.h"
#include "file_json.h"

/* --- the machine, the options, the tests --- */

static void read_platform(const struct node *machine, struct platform *platform)
{
	struct node node = node_find(machine, "platform"), array;
	size_t elements;

	if (!node_is(&node))
		return;
	platform->key = get_text(&node, "key");
	platform->name = get_text(&node, "name");
	platform->certainty = get_text(&node, "certainty");
	platform->container = get_text(&node, "container");
	array = node_get(&node, "clues");
	elements = node_elements(&array);
	platform->clue = xcalloc(elements, sizeof(*platform->clue));
	for (; platform->clues < elements; platform->clues++) {
		struct clue *clue = &platform->clue[platform->clues];
		struct node said = node_at(&array, platform->clues);

		clue->source = get_name(&said, "source");
		clue->value = get_name(&said, "value");
		clue->says = get_text(&said, "says");
	}
}

static void read_machine(const struct node *result, struct machine *machine)
{
	struct node node = node_get(result, "machine");

	machine->host = get_text(&node, "host");
	machine->kernel = get_text(&node, "kernel");
	machine->os = get_text(&node, "os");
	machine->architecture = get_text(&node, "architecture");
	machine->cpu = get_text(&node, "cpu");
	machine->cpus = (unsigned)get_known_to(&node, "cpus", UINT_MAX);
	machine->memory = get_known(&node, "memory");
	machine->hypervisor = get_boolean(&node, "hypervisor");
	machine->wsl = get_text(&node, "wsl");
	machine->clocksource = get_text(&node, "clocksource");
	machine->admin = get_boolean(&node, "admin");
	read_platform(&node, &machine->platform);
}

static void read_expectations(const struct node *node, struct options *options)
{
	struct node array = node_find(node, "expect");
	size_t elements = node_elements(&array);

	options->expectation = xcalloc(elements, sizeof(*options->expectation));
	for (; options->expectations < elements; options->expectations++) {
		struct expectation *expectation = &options->expectation[options->expectations];
		struct node expect = node_at(&array, options->expectations), limit;

		expectation->tests = get_text(&expect, "tests");
		expectation->measure = get_choice(&expect, "measure", measure_name, MEASURES);
		limit = node_get(&expect, "limit");
		expectation->limit = node_fraction(&limit);
	}
}

static void read_options(const struct node *result, struct options *options)
{
	struct node node = node_get(result, "options"), ios = node_find(&node, "ios");
	struct node sweep = node_find(&node, "sweep"), floor = node_find(&node, "floor");

	options->size = get_count(&node, "size");
	options->duration = get_count(&node, "duration");
	options->warmup = get_count(&node, "warmup");
	options->iterations = (unsigned)get_count_to(&node, "iterations", UINT_MAX);
	options->latency = get_choice(&node, "latency", latency_name, LATENCY_KINDS);
	options->quick = get_boolean(&node, "quick");
	options->write_through = get_boolean(&node, "write_through");
	options->trace = get_boolean(&node, "trace");
	options->queue = get_boolean(&node, "queue");
	options->ios = node_boolean(&ios);
	options->interval = get_known(&node, "interval");
	options->slow_from = get_known(&node, "slow_from");
	options->read_only = get_boolean(&node, "read_only");
	options->thread = get_boolean(&node, "thread");
	options->ioengine = get_text(&node, "ioengine");
	options->floor = node_boolean(&floor);
	options->sweep = node_boolean(&sweep);
	read_expectations(&node, options);
}

/* A result without tests, of a traced program, has none. */
static void read_engine(const struct node *node, struct result *result)
{
	struct node engine = (result->tests ? node_get : node_find)(node, "engine");

	if (!node_is(&engine))
		return;
	result->engine = get_name(&engine, "name");
	result->engine_version = get_text(&engine, "version");
}

static void read_observer(const struct node *node, struct result *result)
{
	struct node observer = node_find(node, "observer");

	result->has_observer = observer.json;
	result->observer.startup = get_known(&observer, "startup");
	result->observer.resident = get_known(&observer, "resident");
	result->observer.map_bytes = get_known(&observer, "map_bytes");
}

static void read_test(const struct node *node, struct test *test)
{
	struct node name = node_get(node, "name");
	const char *string = node_string(&name);

	if (string && strlen(string) >= sizeof(test->name))
		node_refuse(&name, "is longer than %zu bytes", sizeof(test->name) - 1);
	else if (string)
		strcpy(test->name, string);
	test->random = get_boolean(node, "random");
	test->access = get_choice(node, "access", access_name, ACCESSES);
	test->read_percent = (unsigned)get_count_to(node, "read_percent", 100);
	test->block_size = get_count(node, "block_size");
	test->depth = (unsigned)get_count_to(node, "depth", UINT_MAX);
	test->jobs = (unsigned)get_count_to(node, "jobs", UINT_MAX);
}

static void read_tests(const struct node *node, struct result *result)
{
	struct node tests = node_find(node, "tests");
	size_t count = node_elements(&tests);

	result->test = xcalloc(count, sizeof(*result->test));
	for (; result->tests < count; result->tests++) {
		struct node test = node_at(&tests, result->tests);

		read_test(&test, &result->test[result->tests]);
	}
}

/* --- the targets --- */

static void read_layer(const struct node *node, struct layer *layer)
{
	struct node cached = node_find(node, "cached");

	layer->name = get_name(node, "name");
	layer->parent_disk = get_text(node, "parent_disk");
	layer->model = get_text(node, "model");
	layer->serial = get_text(node, "serial");
	layer->backing_file = get_text(node, "backing_file");
	layer->scheduler = get_text(node, "scheduler");
	layer->write_cache = get_text(node, "write_cache");
	layer->memory = get_text(node, "memory");
	layer->backing_filesystem = get_text(node, "backing_filesystem");
	layer->cached = node_boolean(&cached);
	layer->driver = get_text(node, "driver");
	layer->path = get_text(node, "path");
	layer->link = get_text(node, "link");
	layer->link_bytes_per_second = get_known(node, "link_bytes_per_second");
	layer->has_requests = get_boolean(node, "has_requests");
	layer->leaf = get_boolean(node, "leaf");
	layer->fua = get_boolean(node, "fua");
	layer->rotational = get_boolean(node, "rotational");
	layer->size = get_known(node, "size");
	layer->logical_block = get_known(node, "logical_block");
	layer->physical_block = get_known(node, "physical_block");
	layer->max_request_bytes = get_known(node, "max_request_bytes");
	layer->queue_requests = get_known(node, "queue_requests");
	layer->hardware_queues = get_known(node, "hardware_queues");
	layer->tags = get_known(node, "tags");
}

static void read_layers(const struct node *node, struct target *target)
{
	struct node layers = node_get(node, "layers");
	size_t count = node_elements(&layers);

	target->layer = xcalloc(count, sizeof(*target->layer));
	for (; target->layers < count; target->layers++) {
		struct node layer = node_at(&layers, target->layers);

		read_layer(&layer, &target->layer[target->layers]);
	}
}

static void read_warnings(const struct node *node, struct target *target)
{
	struct node warnings = node_get(node, "warnings");
	size_t count = node_elements(&warnings);

	for (size_t i = 0; i < count; i++) {
		struct node warning = node_at(&warnings, i);
		const char *string = node_string(&warning);

		if (string)
			target_warn(target, "%s", string);
	}
}

/* Of a file there are all of the bytes, or none; the sample of a device is by itself. */
static void read_layout(const struct node *target, struct layout *layout)
{
	struct node node = node_find(target, "layout"), written = node_find(&node, "written");

	layout->has_extents = node_is(&written);
	if (layout->has_extents) {
		layout->written = node_count(&written);
		layout->unwritten = get_count(&node, "unwritten");
		layout->holes = get_count(&node, "holes");
		layout->elsewhere = get_count(&node, "elsewhere");
		layout->extents = get_count(&node, "extents");
	}
	layout->sampled = get_known(&node, "sampled");
	layout->zeros = get_known_to(&node, "zeros", layout->sampled);
}

static void read_nearness(const struct node *target, struct nearness *nearness)
{
	struct node node = node_find(target, "nearness");

	if (!node_is(&node))
		return;
	nearness->reads = get_count(&node, "reads");
	nearness->random = get_count(&node, "random");
	nearness->same = get_count(&node, "same");
}

static void read_read_times(const struct node *node, struct read_times *times)
{
	if (!node_is(node))
		return;
	times->reads = get_count(node, "reads");
	times->least = get_count(node, "least");
	times->median = get_count(node, "median");
	times->p99 = get_count(node, "p99");
	times->mean = get_fraction(node, "mean");
	times->deviation = get_fraction(node, "deviation");
}

static void read_floor(const struct node *target, struct floor *floor)
{
	struct node node = node_find(target, "floor"), same, random, reached;

	if (!node_is(&node))
		return;
	same = node_get(&node, "same");
	random = node_find(&node, "random");
	reached = node_find(&node, "reached");
	read_read_times(&same, &floor->same);
	read_read_times(&random, &floor->random);
	floor->asked = get_count(&node, "asked");
	floor->has_reached = node_is(&reached);
	floor->reached = node_count(&reached);
}

static void read_target(const struct node *node, struct target *target)
{
	target->given = get_name(node, "given");
	target->path = get_text(node, "path");
	target->kind = get_choice(node, "kind", target_kind_name, TARGET_KINDS);
	target->filesystem = get_text(node, "filesystem");
	target->source = get_text(node, "source");
	target->mount_point = get_text(node, "mount_point");
	target->access = get_text(node, "access");
	target->buffered = get_text(node, "buffered");
	target->file_size = get_known(node, "file_size");
	target->laid_out_in = get_known(node, "laid_out_in");
	read_layout(node, &target->layout);
	read_nearness(node, &target->nearness);
	read_floor(node, &target->floor);
	target->no_floor = get_text(node, "no_floor");
	read_layers(node, target);
	target->members = get_known_to(node, "members", target->layers);
	read_warnings(node, target);
}

static void read_targets(const struct node *node, struct result *result)
{
	struct node targets = node_get(node, "targets");
	size_t count = node_elements(&targets);

	result->target = xcalloc(count, sizeof(*result->target));
	for (; result->targets < count; result->targets++) {
		struct node target = node_at(&targets, result->targets);

		read_target(&target, &result->target[result->targets]);
	}
}

/* --- the whole --- */

static void read_runs(const struct node *node, struct result *result)
{
	struct node runs = node_get(node, "runs");
	size_t count = node_elements(&runs);

	result->run = xcalloc(count, sizeof(*result->run));
	for (; result->runs < count; result->runs++) {
		struct node run = node_at(&runs, result->runs);

		run_from_json(&run, result, &result->run[result->runs]);
	}
}

/* Whether `string` is like `pattern`, in which 0 stands for any digit. */
static bool is_like(const char *string, const char *pattern)
{
	for (; *pattern; pattern++, string++)
		if (*pattern == '0' ? *string < '0' || *string > '9' : *string != *pattern)
			return false;
	return !*string;
}

static void read_moment(const struct node *object, const char *key, const char *pattern, char *to)
{
	struct node node = node_get(object, key);
	const char *string = node_string(&node);

	if (string && is_like(string, pattern))
		strcpy(to, string);
	else if (string)
		node_refuse(&node, "is no moment like %s", pattern);
}

static void read_result(const struct node *node, struct result *result)
{
	struct node tool = node_get(node, "tool");

	result->version = get_name(&tool, "version");
	result->config = get_name(node, "config");
	read_moment(node, "timestamp", "0000-00-00 00:00:00", result->timestamp);
	read_moment(node, "stamp", "00000000_000000", result->stamp);
	result->started = get_count(node, "started");
	result->command = get_texts(node, "command");
	read_machine(node, &result->machine);
	read_options(node, &result->options);
	result->no_trace = get_text(node, "no_trace");
	read_observer(node, result);
	read_targets(node, result);
	read_tests(node, result);
	read_engine(node, result);
	read_runs(node, result);
}

/* --- is it one at all --- */

static void check_version(const struct node *node)
{
	struct node version = node_find(node, "schema_version");
	uint64_t number = node_count(&version);

	if (!version.json)
		node_refuse(node, "this is no result of iostrata: it has no schema_version");
	else if (number > RESULT_SCHEMA_VERSION)
		node_refuse(node, "written by a newer iostrata (schema %" PRIu64 "): this one reads %d", number,
			    RESULT_SCHEMA_VERSION);
	else if (!number)
		node_refuse(&version, "is 0, expected %d", RESULT_SCHEMA_VERSION);
}

static void check_kind(const struct node *node)
{
	struct node summary;

	if (!json_is_object(node->json)) {
		node_refuse(node, "this is no result of iostrata: it is not a JSON object");
		return;
	}
	check_version(node);
	summary = node_find(node, "summary");
	if (node_boolean(&summary))
		node_refuse(node, "this is the summary of --json, which leaves out the most: the result is the file "
				  "iostrata_*.json that was written with it");
}

static char *syntax_error(const json_error_t *error)
{
	if (json_error_code(error) == json_error_premature_end_of_input)
		return xasprintf("ends in the midst of line %d: it was cut off", error->line);
	return xasprintf("line %d, column %d: no JSON: %s", error->line, error->column, error->text);
}

int result_from_json(const char *text, size_t length, struct result **out, char **error)
{
	struct reading reading = {0};
	struct node root = {.reading = &reading};
	struct result *result;
	json_error_t syntax;

	file_json_init();
	root.json = json_loadb(text, length, JSON_REJECT_DUPLICATES, &syntax);
	if (!root.json) {
		*error = length ? syntax_error(&syntax) : xstrdup("it is empty");
		return -EINVAL;
	}
	result = xcalloc(1, sizeof(*result));
	check_kind(&root);
	if (!reading.error)
		read_result(&root, result);
	json_decref(root.json);
	if (reading.error) {
		*error = reading.error;
		result_free(result);
		return -EINVAL;
	}
	*out = result;
	return 0;
}
