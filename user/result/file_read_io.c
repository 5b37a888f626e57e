// SPDX-License-Identifier: GPL-2.0
#include "file_read.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "base/utf8.h"
#include "file_json.h"

/* Of an object whose names all count: to leave out one that is not known would make sums wrong without a word. */
static struct node closed(struct node object, const char *const *names, size_t count)
{
	node_only(&object, names, count);
	return object;
}

/* A count for each of the names; one that is absent is 0. */
static void read_counts(struct node object, const char *const *names, size_t count, uint64_t *counts)
{
	node_only(&object, names, count);
	for (size_t i = 0; i < count; i++)
		counts[i] = get_known(&object, names[i]);
}

void bio_counts_from_json(const struct node *ops, size_t count, bool all, struct bio_counts *counts)
{
	for (size_t op = 0; op < count; op++) {
		struct node node = (all ? node_get : node_find)(ops, op_name[op]);

		if (!node_is(&node))
			continue;
		counts[op].bios = get_count(&node, "bios");
		counts[op].bytes = get_count(&node, "bytes");
	}
}

/* --- I/Os by op --- */

static void read_row(const struct node *node, struct latency_row rows[LATENCY_ROWS])
{
	struct node from = node_get(node, "from");
	uint64_t lowest = node_count(&from);
	uint32_t number = latency_row_of(lowest);
	struct latency_row *row = &rows[number];

	if (latency_row_lower(number) != lowest)
		node_refuse(&from, "no row begins at %" PRIu64, lowest);
	if (row->count)
		node_refuse(&from, "the row of %" PRIu64 " is there twice", lowest);
	row->count = get_count(node, "count");
	if (!row->count)
		node_refuse(node, "holds no I/O");
	read_counts(node_find(node, "sums"), io_stage_name, IO_PARTS, row->sum);
}

static void read_rows(const struct node *io, struct io_view *view)
{
	struct node rows = node_get(io, "rows");
	size_t elements = node_elements(&rows);

	for (size_t i = 0; i < elements; i++) {
		struct node row = node_at(&rows, i);

		read_row(&row, view->row);
	}
}

static void read_part(const struct node *second, enum io_stage part, struct io_second *to)
{
	struct node pair = node_find(second, io_stage_name[part]), count, sum;

	if (!node_is(&pair))
		return;
	if (node_elements(&pair) != 2) {
		node_refuse(&pair, "is no pair of a count and a sum");
		return;
	}
	count = node_at(&pair, 0);
	sum = node_at(&pair, 1);
	to->count[part] = node_count(&count);
	to->sum[part] = node_count(&sum);
}

static void read_io_second(const struct node *node, struct io_second *second)
{
	second->from = get_count(node, "from");
	second->to = get_count(node, "to");
	second->bytes = get_count(node, "bytes");
	for (int part = 0; part < IO_PARTS; part++)
		read_part(node, part, second);
	if (second->to < second->from)
		node_refuse(node, "ends before it begins");
}

/* Files of before these were kept don't have them. */
static void read_io_seconds(const struct node *io, struct io_view *view)
{
	struct node seconds = node_find(io, "seconds");
	size_t elements = node_is(&seconds) ? node_elements(&seconds) : 0;

	view->second = xcalloc(elements, sizeof(*view->second));
	for (; view->seconds < elements; view->seconds++) {
		struct node second = node_at(&seconds, view->seconds);

		read_io_second(&second, &view->second[view->seconds]);
	}
}

static void read_io_counts(const struct node *io, struct io_counts *counts)
{
	counts->called = get_count(io, "called");
	counts->table_full = get_count(io, "table_full");
	counts->bytes = get_count(io, "bytes");
	counts->requests = get_count(io, "requests");
	counts->remote_bytes = get_known(io, "remote_bytes");
	counts->unbegun = get_count(io, "unbegun");
	counts->left = get_count(io, "left");
	counts->rung = get_known(io, "rung");
	read_counts(node_get(io, "ways"), io_way_name, IO_WAYS, counts->way);
	read_counts(node_get(io, "ends"), io_end_name, IO_ENDS, counts->end);
	read_counts(node_get(io, "notes"), io_note_name, IO_NOTES, counts->note);
}

static struct io_view *read_io(const struct node *ios, enum io_op op)
{
	struct node node = node_find(ios, io_op_name[op]), stages;
	struct io_view *view;

	if (!node_is(&node))
		return NULL;
	view = xcalloc(1, sizeof(*view));
	read_io_counts(&node, &view->counts);
	view->in_flight_at_end = get_count(&node, "in_flight_at_end");
	stages = closed(node_get(&node, "stages"), io_stage_name, IO_STAGES);
	for (int stage = 0; stage < IO_STAGES; stage++)
		stage_from_json(&stages, io_stage_name[stage], &view->stage[stage], &view->course[stage]);
	read_rows(&node, view);
	read_io_seconds(&node, view);
	return view;
}

/* --- calls --- */

static struct call_view *read_call(const struct node *calls, enum call call)
{
	struct node node = node_find(calls, call_name[call]), bios, time;
	struct call_view *view;

	if (!node_is(&node))
		return NULL;
	view = xcalloc(1, sizeof(*view));
	view->counts.calls = get_count(&node, "calls");
	view->counts.failed = get_count(&node, "failed");
	view->counts.direct = get_count(&node, "direct");
	view->counts.bytes = get_count(&node, "bytes");
	view->counts.synchronous = get_known(&node, "synchronous");
	view->counts.synchronous_bytes = get_known(&node, "synchronous_bytes");
	view->counts.flushed = get_known(&node, "flushed");
	bios = closed(node_get(&node, "bios"), op_name, DIRECTIONS);
	bio_counts_from_json(&bios, DIRECTIONS, true, view->counts.bios);
	read_counts(node_find(&node, "clocks"), class_name, CLASSES, view->counts.clock);
	time = node_get(&node, "time");
	hist_from_json(&time, &view->time);
	return view;
}

/* --- single I/Os --- */

static uint16_t read_notes(const struct node *record)
{
	struct node notes = node_find(record, "notes");
	size_t elements = node_elements(&notes);
	uint16_t bits = 0;

	for (size_t i = 0; i < elements; i++) {
		struct node note = node_at(&notes, i);

		bits |= (uint16_t)(1 << node_choice(&note, io_note_name, IO_NOTES));
	}
	return bits;
}

static void read_company(const struct node *record, uint16_t company[CLASSES])
{
	struct node node = closed(node_find(record, "company"), class_name, CLASSES);

	for (int class = 0; class < CLASSES; class ++)
		company[class] = (uint16_t)get_known_to(&node, class_name[class], UINT16_MAX);
}

static void read_cpus(const struct node *node, struct io_record *record)
{
	static const char *const names[] = {"call", "issue", "complete", "return"};
	struct node cpus = closed(node_find(node, "cpus"), names, ARRAY_SIZE(names));

	record->call_cpu = (uint16_t)get_known_to(&cpus, "call", UINT16_MAX);
	record->issue_cpu = (uint16_t)get_known_to(&cpus, "issue", UINT16_MAX);
	record->complete_cpu = (uint16_t)get_known_to(&cpus, "complete", UINT16_MAX);
	record->return_cpu = (uint16_t)get_known_to(&cpus, "return", UINT16_MAX);
}

/* As much as there is room for, in whole characters: each byte that is not UTF-8 was written as the three of U+FFFD. */
static void read_command(const struct node *record, char command[16])
{
	struct node node = node_find(record, "command");
	const char *string = node_string(&node);
	size_t length = 0, more;
	uint32_t code;

	while (string && string[length] && (more = utf8_decode(string + length, &code)) && length + more < 16)
		length += more;
	memcpy(command, string ? string : "", length);
}

/* Where it is not, it is absent. */
static bool read_flag(const struct node *object, const char *key)
{
	struct node node = node_find(object, key);

	return node_is(&node) && node_boolean(&node);
}

static void read_record(const struct node *node, struct io_record *record)
{
	record->op = (uint8_t)get_choice(node, "op", io_op_name, IO_OPS);
	record->way = (uint8_t)get_choice(node, "way", io_way_name, IO_WAYS);
	record->end = (uint8_t)get_choice(node, "end", io_end_name, IO_ENDS);
	read_counts(node_get(node, "boundaries"), boundary_letter, BOUNDARIES, record->boundary);
	record->first_issue = get_known(node, "first_issue");
	record->last_complete = get_known(node, "last_complete");
	record->notes = read_notes(node);
	record->bytes = (uint32_t)get_count_to(node, "bytes", UINT32_MAX);
	record->requests = (uint32_t)get_count_to(node, "requests", UINT32_MAX);
	record->sector = get_known(node, "sector");
	record->idle = get_known(node, "idle");
	read_company(node, record->company);
	record->thread = (uint32_t)get_known_to(node, "thread", UINT32_MAX);
	read_command(node, record->command);
	read_cpus(node, record);
	record->layer = read_flag(node, "remote") ? LAYER_REMOTE
						  : (uint8_t)get_known_to(node, "layer", MAX_LAYERS - 1);
}

static void read_records(const struct node *trace, const char *key, struct io_record **records, size_t *count)
{
	struct node array = node_get(trace, key);
	size_t elements = node_elements(&array);

	*records = xcalloc(elements, sizeof(**records));
	for (; *count < elements; (*count)++) {
		struct node node = node_at(&array, *count);

		read_record(&node, &(*records)[*count]);
	}
}

/* --- others --- */

static void read_foreigners(const struct node *trace, struct trace_view *view)
{
	struct node array = node_get(trace, "foreigners");
	size_t elements = node_elements(&array);

	view->foreigner = xcalloc(elements, sizeof(*view->foreigner));
	for (; view->foreigners < elements; view->foreigners++) {
		struct foreign_view *foreigner = &view->foreigner[view->foreigners];
		struct node node = node_at(&array, view->foreigners), ops;

		foreigner->command = get_text(&node, "command");
		foreigner->kind = get_choice(&node, "kind", foreigner_kind_name, FOREIGNERS);
		ops = closed(node_get(&node, "ops"), op_name, OPS);
		bio_counts_from_json(&ops, OPS, false, foreigner->op);
	}
}

/* --- round trips to servers --- */

static void read_remote(const struct node *node, struct remote_view *view)
{
	struct node bytes = node_find(node, "bytes"), time = node_get(node, "time");

	view->protocol = get_name(node, "protocol");
	view->kind = get_name(node, "kind");
	view->written_back = read_flag(node, "written_back");
	view->sent = get_count(node, "sent");
	view->answered = get_count(node, "answered");
	view->failed = get_count(node, "failed");
	view->in_flight_at_end = get_count(node, "in_flight_at_end");
	view->lost = get_count(node, "lost");
	view->has_bytes = node_is(&bytes);
	view->bytes = view->has_bytes ? node_count(&bytes) : 0;
	hist_from_json(&time, &view->time);
}

static void read_remotes(const struct node *trace, struct trace_view *view)
{
	struct node array = node_find(trace, "remote");
	size_t elements = node_is(&array) ? node_elements(&array) : 0;

	if (!elements)
		return;
	view->remote = xcalloc(elements, sizeof(*view->remote));
	for (; view->remotes < elements; view->remotes++) {
		struct node node = node_at(&array, view->remotes);

		read_remote(&node, &view->remote[view->remotes]);
	}
}

/* --- all of it --- */

void ios_from_json(const struct node *trace, struct trace_view *view)
{
	struct node ios = closed(node_find(trace, "ios"), io_op_name, IO_OPS), calls;

	view->ios = node_is(&ios);
	if (!view->ios)
		return;
	for (int op = 0; op < IO_OPS; op++)
		view->io[op] = read_io(&ios, op);
	view->hidden = get_text(trace, "hidden");
	calls = closed(node_get(trace, "calls"), call_name, CALLS);
	for (int call = 0; call < CALLS; call++)
		view->call[call] = read_call(&calls, call);
	read_records(trace, "slowest", &view->slowest, &view->slowest_count);
	read_records(trace, "slow", &view->slow, &view->slow_count);
	view->slow_dropped = get_count(trace, "slow_dropped");
	read_foreigners(trace, view);
	read_remotes(trace, view);
}
