// SPDX-License-Identifier: GPL-2.0
#include "result/file.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <jansson.h>

#include "file_tests.h"
#include "made_up_result.h"
#include "report/csv.h"
#include "report/layers.h"
#include "report/terminal.h"

/* --- a result that has everything --- */

static void fill_losses(uint64_t loss[LOSSES])
{
	for (int i = 0; i < LOSSES; i++)
		loss[i] = number();
}

static void fill_stage(struct op_view *view, enum stage stage)
{
	struct course *course = &view->course[stage];

	for (uint64_t value = 5; value < 20000000000; value *= 3)
		hist_add(&view->stage[stage], value, value % 11 + 1);
	course->seconds = 2;
	course->second = xcalloc(2, sizeof(*course->second));
	for (size_t i = 0; i < 2; i++) {
		course->second[i].at = number();
		course->second[i].buckets = i + 1;
		course->second[i].grown = xcalloc(i + 1, sizeof(*course->second[i].grown));
		for (uint32_t b = 0; b <= i; b++)
			course->second[i].grown[b] = (struct grown){b * 700 + 3, number()};
	}
}

static void fill_hops(struct op_view *view)
{
	for (int hop = 0; hop < HOPS; hop++) {
		view->hop[hop] = hist_new();
		hist_add(view->hop[hop], number(), number());
	}
}

static struct op_view *full_op(void)
{
	struct op_view *view = xcalloc(1, sizeof(*view));

	*view = (struct op_view){
		.issues = number(),
		.issued_bytes = number(),
		.requeues = number(),
		.requeued_bytes = number(),
		.completions = number(),
		.completed_bytes = number(),
		.partial = number(),
		.unissued = number(),
		.flush_ends = number(),
		.in_flight_at_end = number(),
		.faults = number(),
		.faults_found = number(),
		.fua = number(),
		.reached_bytes = number(),
		.bios = number(),
		.bio_bytes = number(),
		.empty = number(),
		.asked_flush = number(),
		.asked_fua = number(),
		.finished = number(),
		.ended_early = number(),
		.pieces = number(),
		.bios_in_flight_at_end = number(),
		.walked = number(),
		.unqueued = number(),
		.walk_over = number(),
		.children = number(),
	};
	fill_losses(view->loss);
	fill_losses(view->bio_loss);
	for (int i = 1; i < STATUSES; i += 2)
		view->error[i] = number();
	for (int stage = 0; stage < STAGES; stage++)
		fill_stage(view, stage);
	fill_hops(view);
	return view;
}

static void fill_layer(struct layer_view *layer, const char *device)
{
	layer->device = xstrdup(device);
	for (int op = 0; op < OPS; op++)
		layer->op[op] = full_op();
	layer->has_stat = true;
	for (int i = 0; i < STAT_GROUPS; i++)
		layer->stat[i] = (struct stat_delta){.ios = number(), .sectors = number(), .time = number()};
}

static struct trace_view *full_trace(void)
{
	struct trace_view *trace = xcalloc(1, sizeof(*trace));

	trace->started = number();
	trace->recorded = number();
	trace->top = xstrdup("nvme0n1");
	trace->has_reached = true;
	trace->program_misses = number();
	for (int owner = 0; owner < OWNERS; owner++)
		for (int op = 0; op < OPS; op++)
			trace->queued[owner][op] = (struct bio_counts){.bios = number(), .bytes = number()};
	trace->aboves = 2;
	trace->above = xcalloc(2, sizeof(*trace->above));
	fill_layer(&trace->above[0], "nvme0n1p2");
	trace->above[0].partition = true;
	trace->above[0].has_requests = true;
	fill_layer(&trace->above[1], "md0");
	trace->above[1].queue = true;
	trace->leaves = 1;
	trace->leaf = xcalloc(1, sizeof(*trace->leaf));
	fill_layer(&trace->leaf[0], "nvme0n1");
	trace->leaf[0].has_requests = trace->leaf[0].queue = true;
	return trace;
}

static void fill_engine(struct engine_figures *engine)
{
	engine->message = xstrdup("note: \"both\" iodepth >= 1\n");
	engine->error = 5;
	engine->user_percent = 12.625;
	engine->system_percent = 1.0 / 3;
	for (int kind = 0; kind < LATENCY_KINDS; kind++) {
		struct latency *latency = &engine->direction[OP_READ].latency[kind];

		latency->stddev = 1e-9 * (double)number();
		for (int i = 0; i < PERCENTILES; i++) {
			latency->has_percentile[i] = true;
			latency->percentile[i] = number();
		}
	}
}

static void fill_machine(struct machine *machine)
{
	machine->os = xstrdup("Made-up \u00d6S");
	machine->architecture = xstrdup("x86_64");
	machine->cpu = xstrdup("Made-up CPU");
	machine->memory = 1ull << 35;
	machine->hypervisor = machine->admin = true;
	machine->wsl = xstrdup("2");
	machine->clocksource = xstrdup("tsc");
	machine->platform = (struct platform){
		.key = xstrdup("wsl2"),
		.name = xstrdup("WSL 2"),
		.certainty = xstrdup("likely"),
		.container = xstrdup("docker"),
		.clue = xcalloc(2, sizeof(struct clue)),
		.clues = 2,
	};
	machine->platform.clue[0] = (struct clue){xstrdup("a file"), xstrdup("a value"), xstrdup("wsl2")};
	machine->platform.clue[1] = (struct clue){xstrdup("CPUID 0x40000000"), xstrdup("?"), NULL};
}

static struct read_times full_read_times(void)
{
	return (struct read_times){
		.reads = number(),
		.least = number(),
		.median = number(),
		.p99 = number(),
		.mean = (double)number() + 0.5,
		.deviation = (double)number() + 0.25,
	};
}

static void fill_target(struct target *target)
{
	target->layer[0].backing_file = xstrdup("/a file");
	target->layer[0].rotational = target->layer[0].cached = true;
	target->layer[0].memory = xstrdup("memory");
	target->layer[0].backing_filesystem = xstrdup("ext4");
	target->layer[0].driver = xstrdup("loop");
	target->layer[0].path = xstrdup("loop-memory");
	target->access = xstrdup("9p");
	target->members = 2;
	target->layer[0].link = xstrdup("SATA");
	target->layer[0].link_bytes_per_second = number();
	target->layer[0].hardware_queues = number();
	target->layer[0].tags = number();
	target->layout = (struct layout){
		.has_extents = true,
		.written = number(),
		.unwritten = number(),
		.holes = number(),
		.elsewhere = number(),
		.extents = number(),
		.sampled = 256,
		.zeros = 256,
	};
	target->nearness = (struct nearness){.reads = number(), .random = number(), .same = number()};
	target->floor = (struct floor){
		.same = full_read_times(),
		.random = full_read_times(),
		.asked = number(),
		.has_reached = true,
		.reached = number(),
	};
	target_warn(target, "the first warning");
	target_warn(target, "the second one");
}

/* Three runs: traced, done without a trace, failed. */
static struct result *full_result(void)
{
	struct result *result = made_up_result(2);
	struct run *run;

	next_number = 1000001;
	fill_machine(&result->machine);
	fill_target(&result->target[0]);
	result->options.queue = result->options.quick = result->options.read_only = true;
	result->options.write_through = result->options.thread = true;
	result->options.latency = LATENCY_CLAT;
	result->options.iterations = 2;
	result->options.sweep = result->options.floor = true;
	result->target[1].no_floor = xstrdup("no block");
	result->options.expectation = xcalloc(2, sizeof(struct expectation));
	result->options.expectations = 2;
	result->options.expectation[0] = (struct expectation){.measure = MEASURE_P99_9, .limit = 2500000};
	result->options.expectation[1] = (struct expectation){.tests = xstrdup("RND*"), .limit = 0.5};
	result->no_trace = xstrdup("no BTF");
	result->has_observer = true;
	result->observer = (struct observer){.startup = number(), .resident = number(), .map_bytes = number()};

	run = made_up_run(result, 0, 4, 1, 1);
	trace_view_free(run->trace);
	run->trace = full_trace();
	run->has_gap = true;
	run->gap = number();
	fill_engine(run->engine);
	run->sample[1].has_disk = false;
	run->sample[1].disk_percent = run->sample[1].disk_ios = run->sample[1].disk_bytes = 0;
	run_add_check(run, "balance", CHECK_WARNING, xstrdup("this"), xstrdup("that"), "a sentence of %d words", 5);
	run_add_check(run, "a check of tomorrow", CHECK_UNKNOWN, NULL, NULL, "no");
	run_add_finding(run, "limit", NULL, NULL, "worth telling");
	run->has_probe_cost = true;
	run->probe_cost = number();
	run->verdict = VERDICT_NOT_REAL;
	run->conditions = xcalloc(1, sizeof(*run->conditions));

	run = made_up_run(result, 1, 5, 1, 1);
	trace_view_free(run->trace);
	run->trace = NULL;
	run->untraced = xstrdup("it went away");
	run = made_up_run(result, 1, 5, 2, 1);
	made_up_not_done(run, RUN_FAILED, "fio died");
	return result;
}

/* --- there and back --- */

static void everything_comes_back(void **state)
{
	(void)state;
	check_round_trip(full_result());
	check_round_trip(made_up_matrix(2, 3));
	check_round_trip(made_up_result(0));
}

/* What the text can't show: where the values stand in the model. */
static void the_model_is_right(void **state)
{
	struct result *result = full_result(), *read;
	char *json = result_to_json(result, false);
	const struct trace_view *trace;
	const struct op_view *view, *expected = result->run[0].trace->above[1].op[OP_FLUSH];

	(void)state;
	read = read_back(json);
	assert_string_equal(read->timestamp, "2026-11-30 17:00:21");
	assert_string_equal(read->stamp, "20261130_170021");
	assert_string_equal(read->machine.platform.name, "WSL 2");
	assert_string_equal(read->machine.platform.certainty, "likely");
	assert_int_equal(read->machine.platform.clues, 2);
	assert_string_equal(read->machine.platform.clue[0].says, "wsl2");
	assert_null(read->machine.platform.clue[1].says);
	assert_int_equal(read->runs, 3);
	assert_int_equal(read->run[2].state, RUN_FAILED);
	assert_string_equal(read->run[2].reason, "fio died");
	assert_int_equal(read->run[2].test, 5);
	assert_string_equal(read->run[0].check[1].name, "a check of tomorrow");
	trace = read->run[0].trace;
	assert_true(trace->above[0].partition && trace->above[0].has_requests && !trace->above[0].queue);
	assert_true(!trace->above[1].partition && !trace->above[1].has_requests && trace->above[1].queue);
	assert_true(trace->leaf[0].has_requests && trace->leaf[0].queue);
	assert_true(read->target[0].layer[0].cached && !read->target[0].layer[1].cached);
	assert_true(read->target[0].layout.has_extents && !read->target[1].layout.has_extents);
	assert_memory_equal(&read->target[0].nearness, &result->target[0].nearness, sizeof(struct nearness));
	assert_memory_equal(&read->target[0].floor, &result->target[0].floor, sizeof(struct floor));
	assert_true(read->options.floor && !read->target[1].floor.same.reads && !read->target[1].floor.has_reached);
	assert_string_equal(read->target[1].no_floor, "no block");
	assert_null(read->target[0].no_floor);
	assert_int_equal(read->options.expectation[0].measure, MEASURE_P99_9);
	assert_null(read->options.expectation[0].tests);
	assert_int_equal(read->run[0].verdict, VERDICT_NOT_REAL);
	assert_int_equal(read->run[1].verdict, VERDICT_NONE);
	assert_true(read->run[0].check[2].finding && !read->run[0].check[1].finding);
	assert_true(read->run[0].has_probe_cost && !read->run[1].has_probe_cost);
	assert_non_null(read->run[0].conditions);
	assert_null(read->run[1].conditions);
	assert_true(trace->has_reached);
	assert_int_equal(trace->above[1].op[OP_FLUSH]->reached_bytes, expected->reached_bytes);
	assert_int_equal(trace->above[1].op[OP_FLUSH]->asked_fua, expected->asked_fua);
	view = trace->above[1].op[OP_FLUSH];
	assert_memory_equal(view->stage, expected->stage, sizeof(view->stage));
	assert_memory_equal(view->error, expected->error, sizeof(view->error));
	assert_memory_equal(view->bio_loss, expected->bio_loss, sizeof(view->bio_loss));
	assert_int_equal(view->course[STAGE_QUEUE].second[1].grown[1].bucket, 703);
	free(json);
	result_free(read);
	result_free(result);
}

/* Beyond what JSON's integers hold. */
static void a_count_without_end(void **state)
{
	struct result *result = made_up_matrix(1, 1), *read;
	char *json;

	(void)state;
	result->run[0].trace->leaf[0].op[OP_READ]->stage[STAGE_DEVICE].sum = UINT64_MAX;
	json = result_to_json(result, false);
	read = read_back(json);
	assert_true(read->run[0].trace->leaf[0].op[OP_READ]->stage[STAGE_DEVICE].sum == UINT64_MAX);
	free(json);
	result_free(read);
	check_round_trip(result);
}

/* A name that a later version adds says nothing to this one. */
static void unknown_names_are_left_out(void **state)
{
	struct result *result = made_up_matrix(1, 1), *read;
	char *json = result_to_json(result, false);
	char *more = xasprintf("{\"weather\":[null,{}],%s", json + 1), *again;

	(void)state;
	read = read_back(more);
	again = result_to_json(read, false);
	assert_string_equal(again, json);
	free(json);
	free(more);
	free(again);
	result_free(read);
	result_free(result);
}

/* Whatever it says: it is made again from the rest. */
static void what_is_derived_is_not_read(void **state)
{
	struct result *result = made_up_matrix(1, 1), *read;
	char *original, *changed, *again;
	json_t *json;

	(void)state;
	made_up_ios(&result->run[1]);
	result->run[0].verdict = VERDICT_SUSPECT;
	result->options.sweep = true;
	original = result_to_json(result, false);
	json = json_loads(original, 0, NULL);
	assert_non_null(find(json, "runs/1/ledger/conclusion"));
	assert_non_null(find(json, "sweeps/0/points/0/iops"));
	check_text(json, "verdict", "SUSPECT");
	json_object_set_new(find(json, "runs/1"), "ledger", json_integer(-1));
	json_object_set_new(json, "sweeps", json_integer(-1));
	json_object_set_new(json, "verdict", json_string("REAL"));
	changed = json_dumps(json, 0);
	json_decref(json);
	read = read_back(changed);
	again = result_to_json(read, false);
	assert_string_equal(again, original);
	result_free(read);
	result_free(result);
	free(again);
	free(changed);
	free(original);
}

/* --- what is refused --- */

/* The full result with the first `from` after `anchor` replaced. */
static void check_replaced(const char *anchor, const char *from, const char *to, const char *expected)
{
	check_replaced_in(full_result(), anchor, from, to, expected);
}

static void what_is_no_json(void **state)
{
	struct result *result = full_result();
	char *json = result_to_json(result, false);

	(void)state;
	check_refused("", 0, "it is empty");
	check_refused("[1,\n2}", 6, "line 2, column 2: no JSON: ']' expected near '}'");
	check_refused("hello", 5, "line 1, column 5: no JSON: '[' or '{' expected near 'hello'");
	check_refused(json, strlen(json) / 2, "ends in the midst of line 1: it was cut off");
	check_refused(json, 1, "ends in the midst of line 1: it was cut off");
	free(json);
	result_free(result);
}

static void what_is_no_result(void **state)
{
	struct result *result = full_result();
	char *json = result_to_json(result, true);

	(void)state;
	check_refused("[]", 2, "this is no result of iostrata: it is not a JSON object");
	check_refused("{}", 2, "this is no result of iostrata: it has no schema_version");
	check_refused("{\"schema_version\":1}", 20, "tool: is missing");
	check_refused(json, strlen(json),
		      "this is the summary of --json, which leaves out the most: the result is the file "
		      "iostrata_*.json that was written with it");
	check_replaced("{", "\"schema_version\":1", "\"schema_version\":2",
		       "written by a newer iostrata (schema 2): this one reads 1");
	check_replaced("{", "\"schema_version\":1", "\"schema_version\":0", "schema_version: is 0, expected 1");
	check_replaced("{", "\"schema_version\":1", "\"schema_version\":-1", "schema_version: is negative");
	check_replaced("{", "\"schema_version\":1", "\"schema_version\":\"1\"",
		       "schema_version: is a string, expected a number");
	free(json);
	result_free(result);
}

static void wrong_values(void **state)
{
	(void)state;
	check_replaced("{", "\"config\":\"NonRAID\"", "\"config\":null", "config: is null, expected a string");
	check_replaced("{", "\"config\":\"NonRAID\",", "", "config: is missing");
	check_replaced("{", "\"tool\":{", "\"tool\":7,\"t\":{", "tool: is a number, expected an object");
	check_replaced("{", "2026-11-30 17", "2026-11-30T17", "timestamp: is no moment like 0000-00-00 00:00:00");
	check_replaced("{", "20261130_170021", "../1130_170021", "stamp: is no moment like 00000000_000000");
	check_replaced("{", "\"iterations\":2", "\"iterations\":4294967296",
		       "options.iterations: is 4294967296, expected at most 4294967295");
	check_replaced("{", "\"latency\":\"clat\"", "\"latency\":\"blat\"",
		       "options.latency: is 'blat', expected one of slat, clat, lat");
	check_replaced("\"targets\"", "\"warnings\":[\"", "\"warnings\":[[],\"",
		       "targets[0].warnings[0]: is an array, expected a string");
	check_replaced("\"options\"", "\"measure\":\"p99.9\"", "\"measure\":\"p42\"",
		       "options.expect[0].measure: is 'p42', expected one of iops, mbps, lat, p99, p99.9");
	check_replaced("\"options\"", "\"limit\":", "\"limit\":-", "options.expect[0].limit: is negative");
	check_replaced("\"options\"", "\"limit\":", "\"x\":", "options.expect[0].limit: is missing");
	check_replaced("\"options\"", "\"expect\":[", "\"expect\":[3,",
		       "options.expect[0]: is a number, expected an object");
	check_replaced("\"options\"", "\"sweep\":true", "\"sweep\":1",
		       "options.sweep: is a number, expected true or false");
	check_replaced("\"machine\"", "\"clues\":[", "\"clues\":[3,",
		       "machine.platform.clues[0]: is a number, expected an object");
	check_replaced("\"machine\"", "\"source\":\"a file\"", "\"origin\":\"a file\"",
		       "machine.platform.clues[0].source: is missing");
	check_replaced("\"targets\"", "\"zeros\":256", "\"zeros\":257",
		       "targets[0].layout.zeros: is 257, expected at most 256");
	check_replaced("\"targets\"", "\"holes\":", "\"hole\":", "targets[0].layout.holes: is missing");
	check_replaced("\"targets\"", "\"layout\":{", "\"layout\":[],\"x\":{",
		       "targets[0].layout: is an array, expected an object");
	check_replaced("\"targets\"", "\"same\":", "\"same\":\"?\",\"x\":",
		       "targets[0].nearness.same: is a string, expected a number");
	check_replaced("\"targets\"", "\"asked\":", "\"x\":", "targets[0].floor.asked: is missing");
	check_replaced("\"floor\":{", "\"same\":", "\"x\":", "targets[0].floor.same: is missing");
	check_replaced("\"floor\":{", "\"p99\":", "\"p99\":-", "targets[0].floor.same.p99: is negative");
	check_replaced("\"targets\"", "\"cached\":true", "\"cached\":\"no\"",
		       "targets[0].layers[0].cached: is a string, expected true or false");
	check_replaced("\"targets\"", "\"tags\":", "\"tags\":-", "targets[0].layers[0].tags: is negative");
	check_replaced("\"runs\"", "\"verdict\":\"NOT REAL\"", "\"verdict\":\"\"",
		       "runs[0].verdict: is '', expected one of REAL, SUSPECT, NOT REAL");
	check_replaced("\"runs\"", "\"finding\":true", "\"finding\":\"true\"",
		       "runs[0].checks[2].finding: is a string, expected true or false");
	check_replaced("\"runs\"", "\"probe_cost\":", "\"probe_cost\":0.", "runs[0].probe_cost: is not a whole number");
	check_replaced("\"runs\"", "\"reached\":true", "\"reached\":{}",
		       "runs[0].trace.reached: is an object, expected true or false");
	check_replaced("\"runs\"", "\"fua\":", "\"fua\":-", "runs[0].trace.leaves[0].ops.read.fua: is negative");
	check_replaced("\"tests\"", "\"read_percent\":100", "\"read_percent\":101",
		       "tests[0].read_percent: is 101, expected at most 100");
	check_replaced("\"tests\"", "SEQ1M-Q8T1-Read", "SEQ1M-Q8T1-Read-and-forty-eight-bytes-are-too-much",
		       "tests[0].name: is longer than 47 bytes");
	check_replaced("\"runs\"", "\"state\":\"done\"", "\"state\":\"over\"",
		       "runs[0].state: is 'over', expected one of done, failed, skipped, interrupted");
	check_replaced("\"runs\"", "\"ios_per_second\":", "\"ios_per_second\":1e300,\"x\":",
		       "runs[0].engine.directions.read.ios_per_second: is too large");
	check_replaced("\"runs\"", "\"issues\":", "\"issues\":-",
		       "runs[0].trace.leaves[0].ops.read.issues: is negative");
	check_replaced("\"runs\"", "\"issues\":", "\"issues\":0.",
		       "runs[0].trace.leaves[0].ops.read.issues: is not a whole number");
	check_replaced("\"above\"", "\"ENOSPC\":", "\"EWHAT\":",
		       "runs[0].trace.above[0].ops.read.errors: names an error that is none");
	check_replaced("\"runs\"", "\"table full\":", "\"table empty\":",
		       "runs[0].trace.leaves[0].ops.read.losses.table full: is missing");
}

static void indices_out_of_range(void **state)
{
	(void)state;
	check_replaced("\"runs\"", "\"target\":0", "\"target\":2", "runs[0].target: is 2, but there are 2 targets");
	check_replaced("\"runs\"", "\"test\":4", "\"test\":9223372036854775807",
		       "runs[0].test: is 9223372036854775807, but there are 6 tests");
	check_replaced("\"runs\"", "\"test\":4", "\"test\":6", "runs[0].test: is 6, but there are 6 tests");
}

/* The lowest buckets of a full stage are at 5, 15, 45, 134 (135), 404 (405), ... */
static void buckets_that_are_none(void **state)
{
	static const char place[] = "runs[0].trace.leaves[0].ops.read.stages.device.buckets";
	const struct {
		const char *from, *to, *wrong;
	} cases[] = {
		{"[134,", "[135,", "[3][0]: no bucket begins at 135"},
		{"[134,", "[20000000000000000,", "[3][0]: no bucket begins at 20000000000000000"},
		{"[134,", "[-134,", "[3][0]: is negative"},
		{"[134,", "[45,", "[3]: the bucket is there twice"},
		{"[134,", "[[],", "[3][0]: is an array, expected a number"},
		{"[134,", "[134,1,", "[3]: is no pair of a bucket's lowest value and a count"},
		{"[134,4]", "7", "[3]: is a number, expected an array"},
		{"[134,4]", "[134,5]", ": hold 115 values, not the 114 of count"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		char *expected = xasprintf("%s%s", place, cases[i].wrong);

		check_replaced("\"stages\"", cases[i].from, cases[i].to, expected);
		free(expected);
	}
}

/* --- anything at all --- */

/* Whatever is accepted can be shown and written; whatever is not has a reason on one line. */
static bool survives(const char *json, size_t length)
{
	struct result *result = NULL;
	struct text out = {0};
	char *error = NULL, *again;

	if (result_from_json(json, length, &result, &error)) {
		assert_true(error && *error && !strchr(error, '\n'));
		free(error);
		return false;
	}
	report_terminal(result, false, &out);
	report_layers(result, false, &out);
	if (result->tests) /* a traced program has no row in it */
		report_csv(result, &out);
	again = result_to_json(result, false);
	assert_true(out.length && *again);
	text_free(&out);
	free(again);
	result_free(result);
	return true;
}

static void keep_op(struct layer_view *layer, enum op kept)
{
	for (int op = 0; op < OPS; op++) {
		struct op_view *view = layer->op[op];

		if (op == (int)kept)
			continue;
		op_view_clear(view);
		free(view);
		layer->op[op] = NULL;
	}
}

/* One of each kind, so that thousands of them can be read. */
static struct result *slim_result(void)
{
	struct result *result = full_result();

	keep_op(&result->run[0].trace->above[0], OP_READ);
	keep_op(&result->run[0].trace->above[1], OP_READ);
	keep_op(&result->run[0].trace->leaf[0], OP_FLUSH);
	made_up_ios(&result->run[0]);
	return result;
}

static void mutated_bytes(void **state)
{
	struct result *result = slim_result();
	char *json = result_to_json(result, false);
	size_t length = strlen(json);

	(void)state;
	for (int i = 0; i < mutations(); i++) {
		size_t kept = roll(8) ? length : roll((uint32_t)length);
		char *mutated = xcalloc(length + 1, 1);

		memcpy(mutated, json, kept);
		for (uint32_t flips = roll(4); kept && flips; flips--)
			mutated[roll((uint32_t)kept)] = roll(2) ? (char)roll(256) : "0123456789-e.,\"{}[]"[roll(19)];
		survives(mutated, kept);
		free(mutated);
	}
	free(json);
	result_free(result);
}

/* Frees the result. */
static void mutate_values_of(struct result *result)
{
	json_t *whole = write_and_read(result, false);
	int accepted = 0;

	for (int i = 0; i < mutations(); i++) {
		json_t *json = json_deep_copy(whole);
		char *mutated;

		for (uint32_t changes = roll(3) + 1; changes; changes--)
			mutate_value(json);
		mutated = json_dumps(json, JSON_COMPACT);
		accepted += survives(mutated, strlen(mutated));
		free(mutated);
		json_decref(json);
	}
	/* Else nothing but the first refusal was tried. */
	assert_in_range(accepted, mutations() / 20, mutations() - 1);
	json_decref(whole);
}

static void mutated_values(void **state)
{
	(void)state;
	mutate_values_of(slim_result());
}

static void mutated_values_of_a_program(void **state)
{
	(void)state;
	mutate_values_of(made_up_program());
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(everything_comes_back),
		cmocka_unit_test(the_model_is_right),
		cmocka_unit_test(a_count_without_end),
		cmocka_unit_test(unknown_names_are_left_out),
		cmocka_unit_test(what_is_no_json),
		cmocka_unit_test(what_is_no_result),
		cmocka_unit_test(wrong_values),
		cmocka_unit_test(indices_out_of_range),
		cmocka_unit_test(buckets_that_are_none),
		cmocka_unit_test(mutated_bytes),
		cmocka_unit_test(mutated_values),
		cmocka_unit_test(mutated_values_of_a_program),
		cmocka_unit_test(what_is_derived_is_not_read),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
