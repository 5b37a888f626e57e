// SPDX-License-Identifier: GPL-2.0
/* The program's I/Os in the result's file, and what a traced program's result lacks. */
#include "result/file.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <jansson.h>

#include "file_tests.h"
#include "made_up_result.h"

/* --- a trace that has everything --- */

static void fill_course(struct course *course)
{
	course->seconds = 2;
	course->second = xcalloc(2, sizeof(*course->second));
	for (uint32_t i = 0; i < 2; i++) {
		course->second[i].at = number();
		course->second[i].buckets = i + 1;
		course->second[i].grown = xcalloc(i + 1, sizeof(*course->second[i].grown));
		for (uint32_t b = 0; b <= i; b++)
			course->second[i].grown[b] = (struct grown){b * 700 + 3, number()};
	}
}

static void fill_hist(struct hist *hist)
{
	for (int i = 0; i < 5; i++)
		hist_add(hist, number() << i * 3, number());
}

/* The second has all parts, the first every other one. */
static void fill_seconds(struct io_view *view)
{
	view->seconds = 2;
	view->second = xcalloc(2, sizeof(*view->second));
	for (int i = 0; i < 2; i++) {
		struct io_second *second = &view->second[i];

		second->from = number();
		second->to = number();
		second->bytes = number();
		for (int part = 0; part < IO_PARTS; part += 2 - i) {
			second->count[part] = number();
			second->sum[part] = number();
		}
	}
}

static struct io_view *full_io(void)
{
	struct io_view *view = xcalloc(1, sizeof(*view));

	view->counts = (struct io_counts){
		.called = number(),
		.table_full = number(),
		.bytes = number(),
		.requests = number(),
		.unbegun = number(),
		.left = number(),
		.rung = number(),
	};
	for (int way = 0; way < IO_WAYS; way++)
		view->counts.way[way] = number();
	for (int end = 0; end < IO_ENDS; end++)
		view->counts.end[end] = number();
	for (int note = 0; note < IO_NOTES; note++)
		view->counts.note[note] = number();
	view->in_flight_at_end = number();
	for (int stage = 0; stage < IO_STAGES; stage++) {
		fill_hist(&view->stage[stage]);
		fill_course(&view->course[stage]);
	}
	for (int row = 0; row < LATENCY_ROWS; row++) {
		view->row[row].count = number();
		for (int part = row % 2; part < IO_PARTS; part++)
			view->row[row].sum[part] = number();
	}
	fill_seconds(view);
	return view;
}

static struct call_view *full_call(void)
{
	struct call_view *view = xcalloc(1, sizeof(*view));

	view->counts = (struct call_counts){
		.calls = number(),
		.failed = number(),
		.direct = number(),
		.bytes = number(),
		.synchronous = number(),
		.synchronous_bytes = number(),
		.flushed = number(),
		.bios = {{.bios = number(), .bytes = number()}, {.bios = number(), .bytes = number()}},
	};
	for (int class = 0; class < CLASSES; class ++)
		view->counts.clock[class] = number();
	fill_hist(&view->time);
	return view;
}

static struct io_record full_record(void)
{
	struct io_record record = {
		.first_issue = number(),
		.last_complete = number(),
		.sector = number(),
		.idle = number(),
		.bytes = UINT32_MAX,
		.requests = UINT32_MAX - 1,
		.thread = UINT32_MAX - 2,
		.call_cpu = UINT16_MAX,
		.issue_cpu = UINT16_MAX - 1,
		.complete_cpu = UINT16_MAX - 2,
		.return_cpu = UINT16_MAX - 3,
		.notes = (1 << IO_NOTES) - 1,
		.op = IO_OPS - 1,
		.way = IO_WAYS - 1,
		.layer = MAX_LAYERS - 1,
		.end = IO_ENDS - 1,
		.command = "fifteen letters",
	};

	for (int i = 0; i < BOUNDARIES; i++)
		record.boundary[i] = number();
	for (int class = 0; class < CLASSES; class ++)
		record.company[class] = (uint16_t)(UINT16_MAX - class);
	return record;
}

/* One with all, one with nothing, one without a device, and one of each kind. */
static void fill_records(struct io_record **records, size_t *count)
{
	struct io_record *record = *records = xcalloc(3 + IO_ENDS + IO_NOTES, sizeof(**records));

	*record++ = full_record();
	*record++ = (struct io_record){0};
	*record++ = (struct io_record){.layer = LAYER_REMOTE, .boundary = {[BOUNDARY_QUEUE] = 5}};
	for (uint8_t end = 0; end < IO_ENDS; end++)
		*record++ = (struct io_record){.end = end, .op = end % IO_OPS, .way = end % IO_WAYS, .layer = end};
	for (int note = 0; note < IO_NOTES; note++)
		*record++ = (struct io_record){.notes = (uint16_t)(1 << note), .boundary = {[BOUNDARY_ISSUE] = note}};
	*count = (size_t)(record - *records);
}

static void fill_foreigners(struct trace_view *trace)
{
	trace->foreigners = FOREIGNERS;
	trace->foreigner = xcalloc(FOREIGNERS, sizeof(*trace->foreigner));
	for (int kind = 0; kind < FOREIGNERS; kind++) {
		struct foreign_view *foreigner = &trace->foreigner[kind];

		foreigner->command = kind ? xasprintf("by \"%d\" \u00e9", kind) : NULL;
		foreigner->kind = kind;
		for (int op = kind; op < OPS; op++)
			foreigner->op[op] = (struct bio_counts){.bios = number(), .bytes = number()};
	}
}

/* Of both protocols, by name and by number. */
static void fill_remotes(struct trace_view *trace)
{
	static const char *const kinds[][2] = {{"9p", "Tread"}, {"fuse", "FUSE_WRITE"}, {"fuse", "61"}};

	trace->remotes = ARRAY_SIZE(kinds);
	trace->remote = xcalloc(trace->remotes, sizeof(*trace->remote));
	for (size_t i = 0; i < trace->remotes; i++) {
		struct remote_view *view = &trace->remote[i];

		*view = (struct remote_view){.protocol = xstrdup(kinds[i][0]), .kind = xstrdup(kinds[i][1])};
		view->sent = number();
		view->answered = number();
		view->failed = number();
		view->in_flight_at_end = number();
		view->lost = number();
		view->written_back = i == 1;
		view->has_bytes = i;
		view->bytes = i ? number() : 0;
		hist_add(&view->time, 1000 + i, 3);
	}
}

static void fill_ios(struct trace_view *trace)
{
	trace->ios = true;
	for (int op = 0; op < IO_OPS; op++)
		trace->io[op] = full_io();
	for (int call = 0; call < CALLS; call++)
		trace->call[call] = full_call();
	fill_records(&trace->slowest, &trace->slowest_count);
	fill_records(&trace->slow, &trace->slow_count);
	trace->slow_dropped = number();
	fill_foreigners(trace);
	fill_remotes(trace);
	trace->hidden = xstrdup("kptr_restrict is 2");
}

/* A run of the second last test with all I/O parts. */
static struct result *full_result(void)
{
	struct result *result = made_up_result(1);
	struct run *run = made_up_run(result, 0, 4, 1, 1);

	next_number = 1000001;
	result->options.ios = true;
	fill_ios(run->trace);
	return result;
}

/* --- there and back --- */

static void check_same_course(const struct course *course, const struct course *expected)
{
	assert_int_equal(course->seconds, expected->seconds);
	for (size_t i = 0; i < course->seconds; i++) {
		const struct second *second = &course->second[i], *other = &expected->second[i];

		assert_int_equal(second->at, other->at);
		assert_int_equal(second->buckets, other->buckets);
		for (size_t b = 0; b < second->buckets; b++) {
			assert_int_equal(second->grown[b].bucket, other->grown[b].bucket);
			assert_int_equal(second->grown[b].count, other->grown[b].count);
		}
	}
}

static void check_same_io(const struct io_view *view, const struct io_view *expected)
{
	assert_int_equal(!view, !expected);
	if (!view)
		return;
	assert_memory_equal(&view->counts, &expected->counts, sizeof(view->counts));
	assert_int_equal(view->in_flight_at_end, expected->in_flight_at_end);
	assert_memory_equal(view->stage, expected->stage, sizeof(view->stage));
	for (int stage = 0; stage < IO_STAGES; stage++)
		check_same_course(&view->course[stage], &expected->course[stage]);
	assert_memory_equal(view->row, expected->row, sizeof(view->row));
	assert_int_equal(view->seconds, expected->seconds);
	assert_memory_equal(view->second, expected->second, view->seconds * sizeof(*view->second));
}

static void check_same_text(const char *text, const char *expected)
{
	assert_int_equal(!text, !expected);
	if (text)
		assert_string_equal(text, expected);
}

static void check_same_foreigners(const struct trace_view *view, const struct trace_view *expected)
{
	assert_int_equal(view->foreigners, expected->foreigners);
	for (size_t i = 0; i < view->foreigners; i++) {
		check_same_text(view->foreigner[i].command, expected->foreigner[i].command);
		assert_int_equal(view->foreigner[i].kind, expected->foreigner[i].kind);
		assert_memory_equal(view->foreigner[i].op, expected->foreigner[i].op, sizeof(view->foreigner[i].op));
	}
}

static void check_same_remotes(const struct trace_view *view, const struct trace_view *expected)
{
	assert_int_equal(view->remotes, expected->remotes);
	for (size_t i = 0; i < view->remotes; i++) {
		const struct remote_view *one = &view->remote[i], *other = &expected->remote[i];

		assert_string_equal(one->protocol, other->protocol);
		assert_string_equal(one->kind, other->kind);
		assert_int_equal(one->written_back, other->written_back);
		assert_int_equal(one->sent, other->sent);
		assert_int_equal(one->answered, other->answered);
		assert_int_equal(one->failed, other->failed);
		assert_int_equal(one->in_flight_at_end, other->in_flight_at_end);
		assert_int_equal(one->lost, other->lost);
		assert_int_equal(one->has_bytes, other->has_bytes);
		assert_int_equal(one->bytes, other->bytes);
		assert_memory_equal(&one->time, &other->time, sizeof(one->time));
	}
}

static void check_same_ios(const struct trace_view *view, const struct trace_view *expected)
{
	assert_int_equal(view->ios, expected->ios);
	for (int op = 0; op < IO_OPS; op++)
		check_same_io(view->io[op], expected->io[op]);
	for (int call = 0; call < CALLS; call++) {
		assert_int_equal(!view->call[call], !expected->call[call]);
		if (view->call[call])
			assert_memory_equal(view->call[call], expected->call[call], sizeof(*view->call[call]));
	}
	assert_int_equal(view->slowest_count, expected->slowest_count);
	if (view->slowest_count)
		assert_memory_equal(view->slowest, expected->slowest, view->slowest_count * sizeof(*view->slowest));
	assert_int_equal(view->slow_count, expected->slow_count);
	if (view->slow_count)
		assert_memory_equal(view->slow, expected->slow, view->slow_count * sizeof(*view->slow));
	assert_int_equal(view->slow_dropped, expected->slow_dropped);
	check_same_foreigners(view, expected);
	check_same_remotes(view, expected);
	check_same_text(view->hidden, expected->hidden);
	assert_memory_equal(view->queued, expected->queued, sizeof(view->queued));
}

/* Model and text; frees the result. */
static void check_ios_come_back(struct result *result)
{
	char *json = result_to_json(result, false);
	struct result *read = read_back(json);

	assert_int_equal(read->runs, result->runs);
	for (size_t i = 0; i < result->runs; i++)
		check_same_ios(read->run[i].trace, result->run[i].trace);
	assert_int_equal(read->options.ios, result->options.ios);
	free(json);
	result_free(read);
	check_round_trip(result);
}

static void all_of_it_comes_back(void **state)
{
	struct result *result = full_result();

	(void)state;
	check_ios_come_back(result);
	result = made_up_matrix(1, 2);
	for (size_t i = 0; i < result->runs; i++)
		if (i % 3)
			made_up_ios(&result->run[i]);
	check_ios_come_back(result);
}

/* Nothing was seen, which is not the same as that nothing was followed. */
static void none_seen_is_not_none_followed(void **state)
{
	struct result *result = made_up_matrix(1, 1);

	(void)state;
	result->run[1].trace->ios = true;
	check_ios_come_back(result);
}

static void a_traced_program_comes_back(void **state)
{
	struct result *result = made_up_program(), *read;
	char *json = result_to_json(result, false);

	(void)state;
	read = read_back(json);
	assert_int_equal(read->tests, 0);
	assert_null(read->engine);
	assert_null(read->run[0].engine);
	assert_true(read->run[0].test == NO_TEST);
	assert_true(read->run[0].has_status);
	assert_int_equal(read->run[0].status, 3);
	assert_string_equal(read->run[0].command[1], "--fast");
	assert_int_equal(read->target[0].kind, TARGET_DISKS);
	assert_int_equal(read->options.interval, 1000000000);
	assert_int_equal(read->options.slow_from, MADE_UP_SLOW_FROM);
	free(json);
	result_free(read);
	check_ios_come_back(result);
}

/* Its other forms: of a process that goes on there is neither command nor status. */
static void a_traced_process_comes_back(void **state)
{
	struct result *result = made_up_program();
	json_t *json;

	(void)state;
	strings_free(result->run[0].command);
	result->run[0].command = NULL;
	result->run[0].has_status = false;
	result->run[0].status = 0;
	json = write_and_read(result, false);
	check_absent(json, "runs/0/command");
	check_absent(json, "runs/0/status");
	json_decref(json);
	result = made_up_program();
	result->run[0].status = 0;
	json = write_and_read(result, false);
	check_count(json, "runs/0/status", 0);
	json_decref(json);
}

/* --- where it stands in the file --- */

static void the_keys_of_ios(void **state)
{
	struct result *result = full_result();
	const struct io_view *view = result->run[0].trace->io[IO_OP_WRITE];
	const struct io_view copy = {.counts = view->counts, .in_flight_at_end = view->in_flight_at_end};
	const struct io_second second = view->second[1];
	const uint64_t sum = view->row[100].sum[IO_STAGE_DEVICE], count = view->row[100].count;
	json_t *json = write_and_read(result, false), *io = find(json, "runs/0/trace/ios/write");

	(void)state;
	check_count(io, "called", (json_int_t)copy.counts.called);
	check_count(io, "table_full", (json_int_t)copy.counts.table_full);
	check_count(io, "bytes", (json_int_t)copy.counts.bytes);
	check_count(io, "requests", (json_int_t)copy.counts.requests);
	check_count(io, "unbegun", (json_int_t)copy.counts.unbegun);
	check_count(io, "left", (json_int_t)copy.counts.left);
	check_count(io, "rung", (json_int_t)copy.counts.rung);
	check_count(io, "ways/io_uring", (json_int_t)copy.counts.way[IO_WAY_URING]);
	check_count(io, "ends/not queued", (json_int_t)copy.counts.end[IO_END_NOT_QUEUED]);
	check_count(io, "notes/by a worker", (json_int_t)copy.counts.note[IO_NOTE_WORKER]);
	check_count(io, "in_flight_at_end", (json_int_t)copy.in_flight_at_end);
	assert_int_equal(json_array_size(find(io, "stages/runq/course")), 2);
	assert_int_equal(json_array_size(find(io, "rows")), LATENCY_ROWS);
	check_count(io, "rows/100/from", (16 + 4) << 5);
	check_count(io, "rows/100/count", (json_int_t)count);
	check_count(io, "rows/100/sums/device", (json_int_t)sum);
	check_absent(io, "rows/101/sums/submit");
	check_count(io, "seconds/1/from", (json_int_t)second.from);
	check_count(io, "seconds/1/to", (json_int_t)second.to);
	check_count(io, "seconds/1/bytes", (json_int_t)second.bytes);
	check_count(io, "seconds/1/deliver/0", (json_int_t)second.count[IO_STAGE_DELIVER]);
	check_count(io, "seconds/1/deliver/1", (json_int_t)second.sum[IO_STAGE_DELIVER]);
	check_absent(io, "seconds/0/queue");
	assert_true(json_is_true(find(json, "options/ios")));
	check_text(json, "runs/0/trace/hidden", "kptr_restrict is 2");
	json_decref(json);
}

static void the_keys_of_a_program(void **state)
{
	json_t *json = write_and_read(made_up_program(), false), *trace = find(json, "runs/0/trace");

	(void)state;
	check_absent(json, "engine");
	check_absent(json, "runs/0/test");
	check_count(json, "runs/0/status", 3);
	assert_int_equal(json_array_size(find(json, "tests")), 0);
	check_text(json, "targets/0/kind", "disks");
	check_count(json, "options/interval", 1000000000);
	check_count(json, "options/slow_from", MADE_UP_SLOW_FROM);
	check_count(trace, "calls/fsync/calls", 40);
	check_count(trace, "calls/fsync/bios/write/bios", 60);
	check_count(trace, "calls/fsync/clocks/flush", 40 * 900000);
	check_count(trace, "calls/fsync/time/max", 1700000);
	check_count(trace, "calls/write/direct", MADE_UP_WRITES);
	check_absent(trace, "calls/msync");
	check_absent(trace, "ios/read");
	check_text(trace, "foreigners/0/command", "writeback");
	check_text(trace, "foreigners/0/kind", "writeback");
	check_count(trace, "foreigners/0/ops/write/bytes", 30 * 262144);
	assert_int_equal(json_object_size(find(trace, "foreigners/0/ops")), 1);
	check_absent(trace, "foreigners/3/command");
	check_count(trace, "queued/writeback/write/bios", 30);
	check_count(trace, "queued/journal/write/bytes", 80 * 8192);
	check_count(trace, "queued/journal/read/bios", 0);
	check_count(trace, "slow_dropped", 0);
	check_absent(trace, "hidden");
	json_decref(json);
}

/* What a record says, and what it leaves out because it is not known. */
static void the_keys_of_a_record(void **state)
{
	json_t *json = write_and_read(made_up_program(), false), *record = find(json, "runs/0/trace/slow/0");
	uint64_t submit = 9000, queue = 4000, device = 310000;
	json_int_t called;

	(void)state;
	check_text(record, "op", "write");
	check_text(record, "way", "system call");
	check_text(record, "end", "joined");
	called = json_integer_value(find(record, "boundaries/S"));
	check_count(record, "boundaries/D", called + (json_int_t)(submit + queue));
	check_count(record, "boundaries/C", called + (json_int_t)(submit + queue + device));
	check_count(record, "boundaries/P", called);
	assert_int_equal(json_array_size(find(record, "notes")), 1);
	check_text(record, "notes/0", "flushed");
	check_count(record, "bytes", 4096);
	check_count(record, "company/data", 0);
	check_count(record, "company/journal", 2);
	check_absent(record, "idle");
	check_count(record, "cpus/complete", 3);
	check_count(record, "layer", 0);
	check_count(record, "thread", 4242);
	check_text(record, "command", "keeper");
	json_decref(json);
}

static void an_empty_record_is_short(void **state)
{
	json_t *json = write_and_read(full_result(), false), *record = find(json, "runs/0/trace/slow/1");
	static const char *const absent[] = {"first_issue", "last_complete", "sector", "idle",	      "company",
					     "thread",	    "command",	     "layer",  "boundaries/S"};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(absent); i++)
		check_absent(record, absent[i]);
	assert_int_equal(json_object_size(find(record, "boundaries")), 0);
	assert_int_equal(json_object_size(find(record, "cpus")), 0);
	assert_int_equal(json_array_size(find(record, "notes")), 0);
	check_count(record, "requests", 0);
	json_decref(json);
}

/* Nothing of it where I/Os were not followed, whatever lies about. */
static void not_followed_is_absent(void **state)
{
	static const char *const keys[] = {"ios", "calls", "slowest", "slow", "slow_dropped", "foreigners", "hidden"};
	struct result *result = full_result();
	json_t *json;

	(void)state;
	result->run[0].trace->ios = false;
	result->options.ios = false;
	json = write_and_read(result, false);
	for (size_t i = 0; i < ARRAY_SIZE(keys); i++) {
		char *path = xasprintf("runs/0/trace/%s", keys[i]);

		check_absent(json, path);
		free(path);
	}
	assert_true(json_is_false(find(json, "options/ios")));
	check_absent(json, "options/interval");
	check_absent(json, "options/slow_from");
	json_decref(json);
}

static void a_summary_has_stages_and_calls(void **state)
{
	json_t *json = write_and_read(made_up_program(), true), *trace = find(json, "runs/0/trace");
	static const char *const keys[] = {"rows", "called", "ends", "buckets", "course", "slowest", "slow", "clocks"};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(keys); i++)
		assert_false(contains_key(json, keys[i]));
	check_count(trace, "ios/write/stages/device/count", MADE_UP_WRITES);
	check_fraction(trace, "ios/write/stages/device/mean", 310000);
	check_count(trace, "ios/write/stages/device/percentiles/p99", 309248);
	check_absent(trace, "ios/write/stages/through");
	check_count(trace, "calls/read/time/count", 5000);
	check_fraction(trace, "calls/read/time/mean", 2500);
	assert_true(find(trace, "calls/read/time/percentiles/p99.99"));
	json_decref(json);
}

/* --- files of before --- */

/* Where calls were not looked at for flushes, there is no telling that there were none. */
static void the_keys_of_a_synchronous_call(void **state)
{
	struct result *result = made_up_program();
	struct call_view *const *call = result->run[0].trace->call;
	json_t *json;

	(void)state;
	call[CALL_WRITE]->counts.synchronous = 12;
	call[CALL_WRITE]->counts.synchronous_bytes = 13;
	call[CALL_WRITE]->counts.flushed = 14;
	json = write_and_read(result, false);
	check_count(json, "runs/0/trace/calls/write/synchronous", 12);
	check_count(json, "runs/0/trace/calls/write/synchronous_bytes", 13);
	check_count(json, "runs/0/trace/calls/write/flushed", 14);
	check_count(json, "runs/0/trace/calls/read/synchronous", 0);
	check_count(json, "runs/0/trace/calls/read/synchronous_bytes", 0);
	check_absent(json, "runs/0/trace/calls/read/flushed");
	json_decref(json);
}

/* Takes what `path` ends in out of the object before it. */
static void take_out(json_t *json, const char *path)
{
	char *parent = xstrdup(path), *slash = strrchr(parent, '/');

	*slash = '\0';
	assert_int_equal(json_object_del(find(json, parent), slash + 1), 0);
	free(parent);
}

static void take_out_everywhere(json_t *json, const char *key)
{
	const char *name;
	json_t *value;
	size_t i;

	json_object_del(json, key);
	json_object_foreach (json, name, value)
		take_out_everywhere(value, key);
	json_array_foreach (json, i, value)
		take_out_everywhere(value, key);
}

/* Of before it was asked whether the figures can be believed. */
static void files_without_beliefs_are_read(void **state)
{
	static const char *const keys[] = {"fua",	  "asked_flush",       "asked_fua",
					   "synchronous", "synchronous_bytes", "flushed"};
	json_t *json = write_and_read(made_up_program(), false);
	const struct trace_view *trace;
	struct result *read;
	char *text;

	(void)state;
	take_out(json, "options/sweep");
	for (size_t i = 0; i < ARRAY_SIZE(keys); i++)
		take_out_everywhere(find(json, "runs"), keys[i]);
	text = json_dumps(json, JSON_COMPACT);
	assert_null(strstr(text, "asked_f"));
	read = read_back(text);
	trace = read->run[0].trace;
	assert_false(read->options.sweep);
	assert_false(trace->has_reached);
	assert_int_equal(trace->leaf[0].op[OP_WRITE]->fua, 0);
	assert_int_equal(trace->call[CALL_WRITE]->counts.calls, MADE_UP_WRITES);
	assert_int_equal(trace->call[CALL_WRITE]->counts.synchronous, 0);
	assert_int_equal(trace->io[IO_OP_WRITE]->counts.note[IO_NOTE_SYNCHRONOUS], 0);
	free(text);
	json_decref(json);
	result_free(read);
}

static void older_files_are_read(void **state)
{
	struct result *result = made_up_matrix(1, 1), *read;
	char *text;
	json_t *json;

	(void)state;
	result->run[0].trace->queued[OWNER_OTHERS][OP_READ].bios = 5;
	json = write_and_read(result, false);
	take_out(json, "options/ios");
	for (size_t i = 0; i < ARRAY_SIZE(made_up); i++) {
		char *writeback = xasprintf("runs/%zu/trace/queued/writeback", i);
		char *journal = xasprintf("runs/%zu/trace/queued/journal", i);

		take_out(json, writeback);
		take_out(json, journal);
		free(writeback);
		free(journal);
	}
	text = json_dumps(json, JSON_COMPACT);
	read = read_back(text);
	assert_false(read->options.ios);
	assert_false(read->run[0].trace->ios);
	assert_int_equal(read->run[0].trace->queued[OWNER_OTHERS][OP_READ].bios, 5);
	assert_int_equal(read->run[0].trace->queued[OWNER_JOURNAL][OP_WRITE].bios, 0);
	assert_false(read->run[0].has_status);
	free(text);
	json_decref(json);
	result_free(read);
}

/* The kernel cuts names of threads in the midst of a character, and takes any byte. */
static void odd_commands(void **state)
{
	static const struct {
		const char *command, *read;
	} cases[] = {
		{"fifteen bytes \xc3\xa9", "fifteen bytes "}, /* only the first of the two has room */
		{"caf\xe9", "caf\uFFFD"},
		{"\xe9\xe9\xe9\xe9\xe9\xe9", "\uFFFD\uFFFD\uFFFD\uFFFD\uFFFD"},
		{"thirteen and \xc3\xa9", "thirteen and \u00e9"},
		{"", ""},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct result *result = made_up_program(), *read;
		struct io_record *record = &result->run[0].trace->slowest[0];
		char *json;

		memset(record->command, 0, sizeof(record->command));
		memcpy(record->command, cases[i].command, strnlen(cases[i].command, sizeof(record->command)));
		json = result_to_json(result, false);
		read = read_back(json);
		assert_string_equal(read->run[0].trace->slowest[0].command, cases[i].read);
		free(json);
		result_free(read);
		result_free(result);
	}
}

/* --- what is refused --- */

static void check_io_refused(const char *anchor, const char *from, const char *to, const char *expected)
{
	char *whole = xasprintf("runs[0].trace.%s", expected);

	check_replaced_in(full_result(), anchor, from, to, whole);
	free(whole);
}

static void names_that_are_none(void **state)
{
	(void)state;
	check_io_refused("\"ios\":{", "\"read\"", "\"trim\"", "ios: names 'trim', expected one of read, write, sync");
	check_io_refused("\"ways\":", "\"libaio\"", "\"lib\\n\"",
			 "ios.read.ways: names 'lib ', expected one of system call, libaio, io_uring");
	check_io_refused("\"ends\":", "\"joined\"", "\"\"",
			 "ios.read.ends: names '', expected one of joined, not queued, buffered, not joined, reaped in "
			 "user space, completion not seen, clock went backwards, completion without a trace, never "
			 "asked for");
	check_io_refused("\"notes\":", "\"split\"", "\"spilt\"",
			 "ios.read.notes: names 'spilt', expected one of throttled, retried, by a worker, polled, from "
			 "the ring, split, flushed, failed, synchronous");
	check_io_refused("\"ios\":{", "\"stages\":{", "\"stages\":{\"program\":{},",
			 "ios.read.stages: names 'program', expected one of submit, queue, device, through, "
			 "remote, sync, unreaped, deliver, total, throttled, spread, doorbell, batch, wake, runq");
	check_io_refused("\"rows\":", "\"sums\":{", "\"sums\":{\"total\":1,",
			 "ios.read.rows[0].sums: names 'total', expected one of submit, queue, device, through, "
			 "remote, sync, unreaped, deliver");
	check_io_refused("\"calls\":{", "\"msync\"", "\"mync\"",
			 "calls: names 'mync', expected one of read, write, fsync, fdatasync, sync_file_range, msync, "
			 "sync, page fault");
	check_io_refused("\"clocks\":{", "\"others\"", "\"mine\"",
			 "calls.read.clocks: names 'mine', expected one of data, others, journal, flush");
	check_io_refused("\"calls\":{", "\"bios\":{", "\"bios\":{\"flush\":{},",
			 "calls.read.bios: names 'flush', expected one of read, write");
	check_io_refused("\"slowest\":", "\"B\":", "\"A\":",
			 "slowest[0].boundaries: names 'A', expected one of S, Q, D, B, C, C', P, W, R");
	check_io_refused("\"slow\":", "\"cpus\":{", "\"cpus\":{\"wake\":1,",
			 "slow[0].cpus: names 'wake', expected one of call, issue, complete, return");
	check_io_refused("\"foreigners\":", "\"discard\"", "\"disco\"",
			 "foreigners[0].ops: names 'disco', expected one of read, write, flush, discard, write-zeroes, "
			 "other");
}

static void choices_that_are_none(void **state)
{
	(void)state;
	check_io_refused("\"slowest\":", "\"op\":\"sync\"", "\"op\":\"flush\"",
			 "slowest[0].op: is 'flush', expected one of read, write, sync");
	check_io_refused("\"slowest\":", "\"way\":\"io_uring\"", "\"way\":7",
			 "slowest[0].way: is a number, expected a string");
	check_io_refused("\"slowest\":", "\"end\":\"never asked for\",", "", "slowest[0].end: is missing");
	check_io_refused("\"slowest\":", "[\"throttled\",", "[\"throttled\",null,",
			 "slowest[0].notes[1]: is null, expected a string");
	check_io_refused("\"foreigners\":", "\"kind\":\"process\"", "\"kind\":\"person\"",
			 "foreigners[0].kind: is 'person', expected one of process, journal, writeback, kernel "
			 "thread");
}

static void numbers_that_do_not_fit(void **state)
{
	(void)state;
	check_io_refused("\"slowest\":", "\"bytes\":4294967295", "\"bytes\":4294967296",
			 "slowest[0].bytes: is 4294967296, expected at most 4294967295");
	check_io_refused("\"slowest\":", "\"requests\":", "\"requests\":9",
			 "slowest[0].requests: is 94294967294, expected at most 4294967295");
	check_io_refused("\"slowest\":", "\"thread\":", "\"thread\":-", "slowest[0].thread: is negative");
	check_io_refused("\"slowest\":", "\"call\":65535", "\"call\":65536",
			 "slowest[0].cpus.call: is 65536, expected at most 65535");
	check_io_refused("\"slowest\":", "\"data\":65535", "\"data\":65536",
			 "slowest[0].company.data: is 65536, expected at most 65535");
	check_io_refused("\"slowest\":", "\"layer\":31", "\"layer\":32",
			 "slowest[0].layer: is 32, expected at most 31");
	check_io_refused("\"slowest\":", "\"S\":", "\"S\":0.", "slowest[0].boundaries.S: is not a whole number");
	check_io_refused("\"ios\":", "\"called\":", "\"called\":\"many\",\"x\":",
			 "ios.read.called: is a string, expected a number");
	check_io_refused("\"slow_dropped\"", ":", ":-", "slow_dropped: is negative");
	check_io_refused("\"calls\":{", "\"failed\":", "\"fail\":", "calls.read.failed: is missing");
}

/* Rows begin at 0 to 32, 34, 36, ... */
static void rows_that_are_none(void **state)
{
	(void)state;
	check_io_refused("\"rows\":", "\"from\":34,", "\"from\":33,", "ios.read.rows[33].from: no row begins at 33");
	check_io_refused("\"rows\":", "\"from\":34,", "\"from\":9000000000,",
			 "ios.read.rows[33].from: no row begins at 9000000000");
	check_io_refused("\"rows\":", "\"from\":34,", "\"from\":32,",
			 "ios.read.rows[33].from: the row of 32 is there twice");
	check_io_refused("\"rows\":", "\"from\":34,", "", "ios.read.rows[33].from: is missing");
	check_io_refused("\"rows\":", "\"count\":", "\"count\":0,\"x\":", "ios.read.rows[0]: holds no I/O");
	check_io_refused("\"ios\":", "\"rows\":", "\"rowing\":", "ios.read.rows: is missing");
}

static void seconds_that_are_none(void **state)
{
	(void)state;
	check_io_refused("\"seconds\":", "\"to\":", "\"to\":1,\"x\":", "ios.read.seconds[0]: ends before it begins");
	check_io_refused("\"seconds\":", "\"from\":", "\"since\":", "ios.read.seconds[0].from: is missing");
	check_io_refused("\"seconds\":", "\"device\":[", "\"device\":[7,",
			 "ios.read.seconds[0].device: is no pair of a count and a sum");
	check_io_refused("\"seconds\":", "\"submit\":[", "\"submit\":[-",
			 "ios.read.seconds[0].submit[0]: is negative");
}

static void parts_of_another_kind(void **state)
{
	(void)state;
	check_io_refused("\"trace\":", "\"ios\":{", "\"ios\":[],\"x\":{", "ios: is an array, expected an object");
	check_io_refused("\"ios\":", "\"ends\":{", "\"ends\":7,\"x\":{",
			 "ios.read.ends: is a number, expected an object");
	check_io_refused("\"ios\":", "\"ends\":{", "\"endings\":{", "ios.read.ends: is missing");
	check_io_refused("\"trace\":", "\"calls\":{", "\"called\":{", "calls: is missing");
	check_io_refused("\"trace\":", "\"slowest\":[", "\"slowest\":{},\"x\":[",
			 "slowest: is an object, expected an array");
	check_io_refused("\"trace\":", "\"foreigners\":[", "\"foreigners\":[5,",
			 "foreigners[0]: is a number, expected an object");
	check_io_refused("\"trace\":", "\"slow\":[", "\"sloth\":[", "slow: is missing");
	check_io_refused("\"trace\":", "\"hidden\":", "\"hidden\":5,\"x\":", "hidden: is a number, expected a string");
}

/* A run without a test can't be one of the matrix. */
static void programs_that_are_none(void **state)
{
	(void)state;
	check_replaced_in(made_up_program(), "\"runs\"", "\"status\":3", "\"status\":256",
			  "runs[0].status: is 256, expected at most 255");
	check_replaced_in(made_up_program(), "\"runs\"", "\"status\":3", "\"engine\":{}",
			  "runs[0].engine: is there, but the run has no test");
	check_replaced_in(made_up_program(), "\"runs\"", "\"iteration\"", "\"test\":0,\"iteration\"",
			  "runs[0].test: is 0, but there are 0 tests");
	check_replaced_in(made_up_matrix(1, 1), "\"runs\"", "\"test\":0,", "", "runs[0].test: is missing");
	check_replaced_in(made_up_matrix(1, 1), "\"options\"", "\"engine\"", "\"motor\"", "engine: is missing");
	check_replaced_in(made_up_matrix(1, 1), "\"options\"", "\"ios\":false", "\"ios\":0",
			  "options.ios: is a number, expected true or false");
}

/* --- anything at all --- */

/* Whatever is accepted can be written. */
static void mutated_values(void **state)
{
	json_t *whole = write_and_read(made_up_program(), false);
	int tries = mutations() / 3, accepted = 0;

	(void)state;
	for (int i = 0; i < tries; i++) {
		struct result *result = NULL;
		json_t *json = json_deep_copy(whole);
		char *mutated, *error = NULL;

		for (uint32_t changes = roll(3) + 1; changes; changes--)
			mutate_value(find(json, roll(4) ? "runs/0/trace" : "runs"));
		mutated = json_dumps(json, JSON_COMPACT);
		if (result_from_json(mutated, strlen(mutated), &result, &error)) {
			assert_true(error && *error && !strchr(error, '\n'));
			free(error);
		} else {
			accepted++;
			check_round_trip(result);
		}
		free(mutated);
		json_decref(json);
	}
	/* Else nothing but the first refusal was tried. */
	assert_in_range(accepted, tries / 20, tries - 1);
	json_decref(whole);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_of_it_comes_back),
		cmocka_unit_test(none_seen_is_not_none_followed),
		cmocka_unit_test(a_traced_program_comes_back),
		cmocka_unit_test(a_traced_process_comes_back),
		cmocka_unit_test(the_keys_of_ios),
		cmocka_unit_test(the_keys_of_a_program),
		cmocka_unit_test(the_keys_of_a_record),
		cmocka_unit_test(an_empty_record_is_short),
		cmocka_unit_test(not_followed_is_absent),
		cmocka_unit_test(a_summary_has_stages_and_calls),
		cmocka_unit_test(older_files_are_read),
		cmocka_unit_test(files_without_beliefs_are_read),
		cmocka_unit_test(the_keys_of_a_synchronous_call),
		cmocka_unit_test(odd_commands),
		cmocka_unit_test(names_that_are_none),
		cmocka_unit_test(choices_that_are_none),
		cmocka_unit_test(numbers_that_do_not_fit),
		cmocka_unit_test(rows_that_are_none),
		cmocka_unit_test(seconds_that_are_none),
		cmocka_unit_test(parts_of_another_kind),
		cmocka_unit_test(programs_that_are_none),
		cmocka_unit_test(mutated_values),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
