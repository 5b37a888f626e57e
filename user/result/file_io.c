// SPDX-License-Identifier: GPL-2.0
#include "file_json.h"

#include <string.h>

/* --- I/Os by op --- */

static json_t *counts_to_json(const uint64_t *counts, const char *const *names, size_t count)
{
	json_t *object = json_object();

	for (size_t i = 0; i < count; i++)
		put_count(object, names[i], counts[i]);
	return object;
}

/* A stage that no I/O had is absent. */
static json_t *io_stages_to_json(const struct io_view *view, bool summary)
{
	json_t *object = json_object();

	for (int stage = 0; stage < IO_STAGES; stage++)
		put(object, io_stage_name[stage], stage_to_json(&view->stage[stage], &view->course[stage], summary));
	return object;
}

static json_t *row_to_json(uint32_t row, const struct latency_row *latencies)
{
	json_t *object = json_object(), *sums = json_object();

	put_count(object, "from", latency_row_lower(row));
	put_count(object, "count", latencies->count);
	for (int part = 0; part < IO_PARTS; part++)
		put_known(sums, io_stage_name[part], latencies->sum[part]);
	put(object, "sums", sums);
	return object;
}

static json_t *rows_to_json(const struct io_view *view)
{
	json_t *rows = json_array();

	for (uint32_t row = 0; row < LATENCY_ROWS; row++)
		if (view->row[row].count)
			json_array_append_new(rows, row_to_json(row, &view->row[row]));
	return rows;
}

/* A part is its I/Os and their ns; one that none had is absent. */
static json_t *io_second_to_json(const struct io_second *second)
{
	json_t *object = json_object();

	put_count(object, "from", second->from);
	put_count(object, "to", second->to);
	put_count(object, "bytes", second->bytes);
	for (int part = 0; part < IO_PARTS; part++)
		if (second->count[part])
			put(object, io_stage_name[part], pair_to_json(second->count[part], second->sum[part]));
	return object;
}

static json_t *io_seconds_to_json(const struct io_view *view)
{
	json_t *seconds = view->seconds ? json_array() : NULL;

	for (size_t i = 0; i < view->seconds; i++)
		json_array_append_new(seconds, io_second_to_json(&view->second[i]));
	return seconds;
}

static void put_io_counts(json_t *object, const struct io_view *view)
{
	const struct io_counts *counts = &view->counts;

	put_count(object, "called", counts->called);
	put_count(object, "table_full", counts->table_full);
	put_count(object, "bytes", counts->bytes);
	put_count(object, "requests", counts->requests);
	put_known(object, "remote_bytes", counts->remote_bytes);
	put_count(object, "unbegun", counts->unbegun);
	put_count(object, "left", counts->left);
	put_known(object, "rung", counts->rung);
	put(object, "ways", counts_to_json(counts->way, io_way_name, IO_WAYS));
	put(object, "ends", counts_to_json(counts->end, io_end_name, IO_ENDS));
	put(object, "notes", counts_to_json(counts->note, io_note_name, IO_NOTES));
	put_count(object, "in_flight_at_end", view->in_flight_at_end);
}

static json_t *io_to_json(const struct io_view *view, bool summary)
{
	json_t *object;

	if (!view)
		return NULL;
	object = json_object();
	if (!summary)
		put_io_counts(object, view);
	put(object, "stages", io_stages_to_json(view, summary));
	if (summary)
		return object;
	put(object, "rows", rows_to_json(view));
	put(object, "seconds", io_seconds_to_json(view));
	return object;
}

/* --- calls --- */

/* Clocks that stood still did so because nothing was in flight, or because they were not asked for. */
static json_t *clocks_to_json(const uint64_t clock[CLASSES])
{
	for (int class = 0; class < CLASSES; class ++)
		if (clock[class])
			return counts_to_json(clock, class_name, CLASSES);
	return NULL;
}

static json_t *call_to_json(const struct call_view *view, bool summary)
{
	const struct call_counts *counts;
	json_t *object;

	if (!view)
		return NULL;
	counts = &view->counts;
	object = json_object();
	if (!summary) {
		put_count(object, "calls", counts->calls);
		put_count(object, "failed", counts->failed);
		put_count(object, "direct", counts->direct);
		put_count(object, "bytes", counts->bytes);
		put_count(object, "synchronous", counts->synchronous);
		put_count(object, "synchronous_bytes", counts->synchronous_bytes);
		put_known(object, "flushed", counts->flushed);
		put(object, "bios", bio_counts_to_json(counts->bios, DIRECTIONS, true));
		put(object, "clocks", clocks_to_json(counts->clock));
	}
	put(object, "time", hist_to_json(&view->time, summary));
	return object;
}

/* --- single I/Os --- */

/* What is known with a boundary, and may be 0. */
static void put_with(json_t *object, const char *key, uint64_t count, uint64_t boundary)
{
	if (boundary || count)
		put_count(object, key, count);
}

static json_t *boundaries_to_json(const struct io_record *record)
{
	json_t *object = json_object();

	for (int i = 0; i < BOUNDARIES; i++)
		put_known(object, boundary_letter[i], record->boundary[i]);
	return object;
}

static json_t *notes_to_json(uint16_t notes)
{
	json_t *names = json_array();

	for (int note = 0; note < IO_NOTES; note++)
		if (notes & 1 << note)
			json_array_append_new(names, text_to_json(io_note_name[note]));
	return names;
}

/* Absent for an I/O that was never issued. */
static json_t *company_to_json(const struct io_record *record)
{
	bool known = record->boundary[BOUNDARY_ISSUE];
	json_t *object;

	for (int class = 0; class < CLASSES; class ++)
		known |= record->company[class] != 0;
	if (!known)
		return NULL;
	object = json_object();
	for (int class = 0; class < CLASSES; class ++)
		put_count(object, class_name[class], record->company[class]);
	return object;
}

static json_t *cpus_to_json(const struct io_record *record)
{
	json_t *object = json_object();

	put_with(object, "call", record->call_cpu, record->boundary[BOUNDARY_CALL]);
	put_with(object, "issue", record->issue_cpu, record->boundary[BOUNDARY_ISSUE]);
	put_with(object, "complete", record->complete_cpu, record->boundary[BOUNDARY_COMPLETE]);
	put_with(object, "return", record->return_cpu, record->boundary[BOUNDARY_RETURN]);
	return object;
}

/* The kernel's names of threads have room for 15 bytes; one that isn't ended is cut there. */
static void put_command(json_t *object, const char command[16])
{
	char ended[16] = "";

	memcpy(ended, command, sizeof(ended) - 1);
	put_text(object, "command", *ended ? ended : NULL);
}

static json_t *record_to_json(const struct io_record *record)
{
	json_t *object = json_object();
	uint64_t queued = record->boundary[BOUNDARY_QUEUE];

	put_text(object, "op", io_op_name[record->op]);
	put_text(object, "way", io_way_name[record->way]);
	put_text(object, "end", io_end_name[record->end]);
	put(object, "boundaries", boundaries_to_json(record));
	put_known(object, "first_issue", record->first_issue);
	put_known(object, "last_complete", record->last_complete);
	put(object, "notes", notes_to_json(record->notes));
	put_count(object, "bytes", record->bytes);
	put_count(object, "requests", record->requests);
	if (record->layer == LAYER_REMOTE)
		put_boolean(object, "remote", true);
	else
		put_with(object, "sector", record->sector, queued);
	put_known(object, "idle", record->idle);
	put(object, "company", company_to_json(record));
	put_known(object, "thread", record->thread);
	put_command(object, record->command);
	put(object, "cpus", cpus_to_json(record));
	if (record->layer != LAYER_REMOTE)
		put_with(object, "layer", record->layer, queued);
	return object;
}

static json_t *records_to_json(const struct io_record *records, size_t count)
{
	json_t *array = json_array();

	for (size_t i = 0; i < count; i++)
		json_array_append_new(array, record_to_json(&records[i]));
	return array;
}

/* --- others --- */

static json_t *foreigners_to_json(const struct trace_view *view)
{
	json_t *array = json_array();

	for (size_t i = 0; i < view->foreigners; i++) {
		const struct foreign_view *foreigner = &view->foreigner[i];
		json_t *object = json_object();

		put_text(object, "command", foreigner->command);
		put_text(object, "kind", foreigner_kind_name[foreigner->kind]);
		put(object, "ops", bio_counts_to_json(foreigner->op, OPS, false));
		json_array_append_new(array, object);
	}
	return array;
}

/* --- round trips to servers --- */

static json_t *remote_to_json(const struct remote_view *view, bool summary)
{
	json_t *object = json_object();

	put_text(object, "protocol", view->protocol);
	put_text(object, "kind", view->kind);
	if (view->written_back)
		put_boolean(object, "written_back", true);
	put_count(object, "sent", view->sent);
	put_count(object, "answered", view->answered);
	put_count(object, "failed", view->failed);
	put_count(object, "in_flight_at_end", view->in_flight_at_end);
	put_count(object, "lost", view->lost);
	if (view->has_bytes)
		put_count(object, "bytes", view->bytes);
	put(object, "time", hist_to_json(&view->time, summary));
	return object;
}

static void put_remote(json_t *trace, const struct trace_view *view, bool summary)
{
	json_t *array;

	if (!view->remotes)
		return;
	array = json_array();
	for (size_t i = 0; i < view->remotes; i++)
		json_array_append_new(array, remote_to_json(&view->remote[i], summary));
	put(trace, "remote", array);
}

/* --- all of it --- */

void put_ios(json_t *trace, const struct trace_view *view, bool summary)
{
	json_t *ios, *calls;

	if (!view->ios)
		return;
	ios = json_object();
	for (int op = 0; op < IO_OPS; op++)
		put(ios, io_op_name[op], io_to_json(view->io[op], summary));
	put(trace, "ios", ios);
	put_text(trace, "hidden", view->hidden);
	calls = json_object();
	for (int call = 0; call < CALLS; call++)
		put(calls, call_name[call], call_to_json(view->call[call], summary));
	put(trace, "calls", calls);
	put_remote(trace, view, summary);
	if (summary)
		return;
	put(trace, "slowest", records_to_json(view->slowest, view->slowest_count));
	put(trace, "slow", records_to_json(view->slow, view->slow_count));
	put_count(trace, "slow_dropped", view->slow_dropped);
	put(trace, "foreigners", foreigners_to_json(view));
}
