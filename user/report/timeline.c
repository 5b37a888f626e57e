// SPDX-License-Identifier: GPL-2.0
#include "timeline.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/format.h"
#include "cells.h"
#include "result/pauses.h"
#include "stages.h"

#define INDENT	    2
#define BAR_COLUMNS 72
#define MOST_ALIKE  3
#define ALIKE	    0.99 /* of the longest total among those that look alike */

/* Each filling is one column wide; UNKNOWN is time that belongs to no part, as a boundary is missing. */
static const char *const filling[IO_PARTS] = {
	[IO_STAGE_SUBMIT] = "·", [IO_STAGE_QUEUE] = "░",    [IO_STAGE_DEVICE] = "█",  [IO_STAGE_THROUGH] = "▓",
	[IO_STAGE_SYNC] = "▒",	 [IO_STAGE_UNREAPED] = "-", [IO_STAGE_DELIVER] = "=", [IO_STAGE_REMOTE] = "▚",
};

#define UNKNOWN "?"

static const char *const class_in_words[CLASSES] = {
	[CLASS_DATA] = "own",
	[CLASS_OTHERS] = "of others",
	[CLASS_JOURNAL] = "of the journal",
	[CLASS_FLUSH] = "flush",
};

/* --- its times --- */

uint64_t record_total(const struct io_record *record)
{
	uint64_t called = record->boundary[BOUNDARY_CALL], returned = record->boundary[BOUNDARY_RETURN];

	return called && returned > called ? returned - called : 0;
}

/* Where it is complete: after the flush, if there was one. */
static uint64_t record_ready(const struct io_record *record)
{
	uint64_t complete = record->boundary[BOUNDARY_COMPLETE], synced = record->boundary[BOUNDARY_SYNCED];

	return synced > complete ? synced : complete;
}

struct span {
	uint64_t from, to; /* ns since the epoch; 0: not known */
};

/* From when to when a part lasts, if it has it. */
static struct span part_span(const struct io_record *record, enum io_stage part)
{
	struct span span = {record->boundary[io_stage_row[part].from], record->boundary[io_stage_row[part].to]};
	uint64_t asked = record->boundary[BOUNDARY_ASK], ready = record_ready(record);

	if (part == IO_STAGE_THROUGH && (record->boundary[BOUNDARY_ISSUE] || record->layer == LAYER_REMOTE))
		return (struct span){0};
	if (part == IO_STAGE_REMOTE && record->layer != LAYER_REMOTE)
		return (struct span){0};
	if (part == IO_STAGE_UNREAPED)
		span = (struct span){ready, asked};
	if (part == IO_STAGE_DELIVER)
		span.from = ready && asked > ready ? asked : ready;
	return span;
}

uint64_t record_part(const struct io_record *record, enum io_stage part)
{
	struct span span = part_span(record, part);

	return span.from && span.to > span.from ? span.to - span.from : 0;
}

/* --- letters --- */

/* Those that say nothing of their own are not shown. */
static bool shows_boundary(const struct io_record *record, enum boundary boundary)
{
	const uint64_t *at = record->boundary;

	if (!at[boundary] || at[boundary] < at[BOUNDARY_CALL] || at[boundary] > at[BOUNDARY_RETURN])
		return false;
	if (boundary == BOUNDARY_SYNCED)
		return at[BOUNDARY_SYNCED] > at[BOUNDARY_COMPLETE];
	return boundary != BOUNDARY_ASK || record->way != IO_WAY_CALL;
}

/* A letter and the column, from 0, where it begins. */
struct mark {
	enum boundary boundary;
	size_t column;
};

static size_t mark_width(const struct mark *mark)
{
	return strlen(boundary_letter[mark->boundary]);
}

static size_t column_of(const struct io_record *record, uint64_t moment)
{
	double part = (double)(moment - record->boundary[BOUNDARY_CALL]) / (double)record_total(record);
	size_t column = (size_t)(part * BAR_COLUMNS);

	return column < BAR_COLUMNS ? column : BAR_COLUMNS - 1;
}

/* Each at its place in time, the earliest first. Returns how many. */
static size_t find_marks(const struct io_record *record, struct mark marks[BOUNDARIES])
{
	size_t count = 0;

	for (int boundary = 0; boundary < BOUNDARIES; boundary++) {
		uint64_t moment = record->boundary[boundary];
		size_t at = count;

		if (!shows_boundary(record, boundary))
			continue;
		for (; at && record->boundary[marks[at - 1].boundary] > moment; at--)
			marks[at] = marks[at - 1];
		marks[at] = (struct mark){boundary, column_of(record, moment)};
		count++;
	}
	return count;
}

/* What would stand in one place stands side by side, in its order: to the right, or at the end to the left. */
static void spread_marks(struct mark *marks, size_t count)
{
	size_t end = BAR_COLUMNS;

	for (size_t i = 1; i < count; i++) {
		size_t after = marks[i - 1].column + mark_width(&marks[i - 1]);

		if (marks[i].column < after)
			marks[i].column = after;
	}
	for (size_t i = count; i-- > 0;) {
		if (marks[i].column + mark_width(&marks[i]) > end)
			marks[i].column = end - mark_width(&marks[i]);
		end = marks[i].column;
	}
}

static void print_drawn(const struct screen *screen, struct text *drawn)
{
	char *line = xasprintf("%*s%s", INDENT, "", drawn->data ? drawn->data : "");

	screen_line(screen, STYLE_PLAIN, line);
	text_free(drawn);
	free(line);
}

static void print_letters(const struct screen *screen, const struct io_record *record)
{
	struct mark marks[BOUNDARIES];
	size_t count = find_marks(record, marks);
	struct text line = {0};

	spread_marks(marks, count);
	for (size_t i = 0; i < count; i++)
		text_addf(&line, "%*s%s", (int)(marks[i].column - line.length), "", boundary_letter[marks[i].boundary]);
	print_drawn(screen, &line);
}

/* --- the bar --- */

/* What the I/O was at in the middle of a column. */
static const char *filling_at(const struct io_record *record, size_t column)
{
	double moment = (double)record_total(record) * ((double)column + 0.5) / BAR_COLUMNS;

	for (int part = 0; part < IO_PARTS; part++) {
		struct span span = part_span(record, part);
		double from = (double)(span.from - record->boundary[BOUNDARY_CALL]);

		if (record_part(record, part) && moment >= from && moment < from + (double)record_part(record, part))
			return filling[part];
	}
	return UNKNOWN;
}

static void print_bar(const struct screen *screen, const struct io_record *record)
{
	struct text bar = {0};

	for (size_t column = 0; column < BAR_COLUMNS; column++)
		text_addf(&bar, "%s", filling_at(record, column));
	print_drawn(screen, &bar);
}

/* --- what was in the way --- */

static void add_company(struct text *list, const struct io_record *record)
{
	struct text company = {0};
	char idle[FORMAT_LENGTH];

	for (int class = 0; class < CLASSES; class ++)
		if (record->company[class])
			text_addf(&company, "%s%u %s", company.length ? ", " : "", record->company[class],
				  class_in_words[class]);
	if (company.length)
		fact_add(list, "beside %s", company.data);
	else if (record->idle)
		fact_add(list, "device idle for %s before", format_latency(idle, (double)record->idle));
	text_free(&company);
}

/* From the first to the last issue, and from its own completion to that which woke the thread. */
static void add_inside(struct text *list, const struct io_record *record)
{
	uint64_t issued = record->boundary[BOUNDARY_ISSUE], ready = record_ready(record);
	char span[FORMAT_LENGTH];

	if (record->requests > 1)
		fact_add(list, "%u requests", record->requests);
	if (record->requests > 1 && record->first_issue && issued > record->first_issue)
		fact_add(list, "issued over %s", format_latency(span, (double)(issued - record->first_issue)));
	if (ready && record->last_complete > ready)
		fact_add(list, "%s for the rest of its batch",
			 format_latency(span, (double)(record->last_complete - ready)));
}

/* Call, issue, completion, return; one number where it stayed. */
static void add_cpus(struct text *list, const struct io_record *record)
{
	const struct {
		uint16_t cpu;
		enum boundary boundary;
	} passed[] = {
		{record->call_cpu, BOUNDARY_CALL},
		{record->issue_cpu, BOUNDARY_ISSUE},
		{record->complete_cpu, BOUNDARY_COMPLETE},
		{record->return_cpu, BOUNDARY_RETURN},
	};
	struct text cpus = {0};
	bool moved = false;
	uint16_t last = 0;

	for (size_t i = 0; i < ARRAY_SIZE(passed); i++) {
		if (!record->boundary[passed[i].boundary] || (cpus.length && passed[i].cpu == last))
			continue;
		moved |= cpus.length > 0;
		last = passed[i].cpu;
		text_addf(&cpus, "%s%u", cpus.length ? " → " : "", last);
	}
	if (cpus.length)
		fact_add(list, "CPU%s %s", moved ? "s" : "", cpus.data);
	text_free(&cpus);
}

/* That it was several requests is said with their number. */
static void add_notes(struct text *list, const struct io_record *record)
{
	for (int note = 0; note < IO_NOTES; note++)
		if (record->notes & 1u << note && (note != IO_NOTE_SPLIT || record->requests < 2))
			fact_add(list, "%s", io_note_name[note]);
	if (record->end != IO_END_JOINED)
		fact_add(list, "%s", io_end_name[record->end]);
}

static void add_pause(struct text *list, const struct run *run, const struct io_record *record)
{
	struct standstill still = pauses_of_record(run, record);
	char length[FORMAT_LENGTH], at[FORMAT_LENGTH];

	if (still.length)
		fact_add(list, "the machine stood still for %s of it, at %s s",
			 format_latency(length, (double)still.length),
			 format_fixed(at, (double)still.at / NS_PER_SECOND, 3));
}

static void print_way(const struct screen *screen, const struct run *run, const struct io_record *record)
{
	struct text list = {0};

	add_pause(&list, run, record);
	add_company(&list, record);
	add_inside(&list, record);
	add_notes(&list, record);
	add_cpus(&list, record);
	if (record->boundary[BOUNDARY_QUEUE] && record->layer != LAYER_REMOTE)
		fact_add(&list, "sector %llu", (unsigned long long)record->sector);
	facts_print(screen, STYLE_PLAIN, &list);
}

/* --- the whole --- */

/* The part that took the most; IO_PARTS where none is known. */
static int longest_part(const struct io_record *record)
{
	int longest = 0;

	for (int part = 0; part < IO_PARTS; part++)
		if (record_part(record, part) > record_part(record, longest))
			longest = part;
	return record_part(record, longest) ? longest : IO_PARTS;
}

static void add_times(struct text *list, const struct io_record *record)
{
	char total[FORMAT_LENGTH], part[FORMAT_LENGTH];
	int longest = longest_part(record);

	format_latency(total, (double)record_total(record));
	fact_add(list, "%s %s", io_op_name[record->op], total);
	if (longest < IO_PARTS)
		fact_add(list, "%s %s", io_stage_name[longest],
			 format_latency(part, (double)record_part(record, longest)));
}

static void print_title(const struct screen *screen, const struct io_record *record)
{
	char size[FORMAT_LENGTH], at[FORMAT_LENGTH];
	struct text list = {0};

	add_times(&list, record);
	if (record->bytes)
		fact_add(&list, "%s", format_size(size, record->bytes));
	fact_add(&list, "%s", io_way_name[record->way]);
	if (record->thread)
		fact_add(&list, "%.*s %u", (int)sizeof(record->command), record->command, record->thread);
	if (record->boundary[BOUNDARY_CALL])
		fact_add(&list, "at %s s",
			 format_fixed(at, (double)record->boundary[BOUNDARY_CALL] / NS_PER_SECOND, 3));
	screen_paragraph(screen, STYLE_HEADING, 2, list.data);
	text_free(&list);
}

void print_record_line(const struct screen *screen, const struct io_record *record)
{
	struct text list = {0};

	fact_add(&list, "slowest");
	add_times(&list, record);
	add_company(&list, record);
	add_notes(&list, record);
	facts_print(screen, STYLE_PLAIN, &list);
}

void print_record(const struct screen *screen, const struct run *run, const struct io_record *record)
{
	print_title(screen, record);
	if (record_total(record) && longest_part(record) < IO_PARTS) {
		print_letters(screen, record);
		print_bar(screen, record);
	}
	print_way(screen, run, record);
}

/* A record and the run that it is of. */
struct slow {
	const struct run *run;
	const struct io_record *record;
};

static int compare_totals(const void *a, const void *b)
{
	const struct io_record *first = ((const struct slow *)a)->record, *second = ((const struct slow *)b)->record;
	uint64_t first_total = record_total(first), second_total = record_total(second);

	if (first_total != second_total)
		return first_total < second_total ? 1 : -1;
	return (first->boundary[BOUNDARY_CALL] > second->boundary[BOUNDARY_CALL]) -
	       (first->boundary[BOUNDARY_CALL] < second->boundary[BOUNDARY_CALL]);
}

/* Those of all runs, in no order. Returns how many. */
static size_t collect(const struct run *const *runs, size_t count, struct slow **slow)
{
	size_t found = 0;

	*slow = NULL;
	for (size_t i = 0; i < count; i++) {
		const struct trace_view *trace = runs[i]->state == RUN_DONE ? runs[i]->trace : NULL;

		for (size_t r = 0; trace && r < trace->slowest_count; r++) {
			*slow = xreallocarray(*slow, found + 1, sizeof(**slow));
			(*slow)[found++] = (struct slow){runs[i], &trace->slowest[r]};
		}
	}
	return found;
}

/* "The slowest I/Os · submit ░ queue █ device": the fillings of the parts that occur. */
static void print_heading(const struct screen *screen, const char *heading, const struct slow *slow, size_t count)
{
	struct text list = {0};

	for (int part = 0; part < IO_PARTS; part++) {
		bool occurs = false;

		for (size_t i = 0; i < count && !occurs; i++)
			occurs = record_part(slow[i].record, part);
		if (occurs)
			text_addf(&list, "%s%s" KEEP "%s", list.length ? "  " : "", filling[part], io_stage_name[part]);
	}
	screen_empty_line(screen);
	screen_paragraphf(screen, STYLE_HEADING, 2, "%s%s%s", heading, list.length ? "  " : "",
			  list.length ? list.data : "");
	text_free(&list);
}

static bool is_paused(const struct slow *slow)
{
	return pauses_of_record(slow->run, slow->record).length > 0;
}

static bool are_alike(const struct slow *first, const struct slow *other)
{
	return other->record->op == first->record->op && is_paused(other) == is_paused(first) &&
	       longest_part(other->record) == longest_part(first->record) &&
	       (double)record_total(other->record) >= ALIKE * (double)record_total(first->record);
}

/* How many of them, which are sorted, look like the first: as long, and for the same reason. */
static size_t count_alike(const struct slow *slow, size_t count)
{
	size_t alike = 1;

	while (alike < count && are_alike(&slow[0], &slow[alike]))
		alike++;
	return alike;
}

/* Draws those at the beginning that look alike, but no more than a few. Returns how many there are. */
static size_t print_alike(const struct screen *screen, const struct slow *slow, size_t count)
{
	size_t alike = count_alike(slow, count);
	char least[FORMAT_LENGTH];

	for (size_t i = 0; i < alike && i < MOST_ALIKE; i++)
		print_record(screen, slow[i].run, slow[i].record);
	if (alike > MOST_ALIKE)
		screen_paragraphf(
			screen, STYLE_PLAIN, 2, "%zu more look%s like these, down to %s.", alike - MOST_ALIKE,
			alike - MOST_ALIKE == 1 ? "s" : "",
			keep_together(format_latency(least, (double)record_total(slow[alike - 1].record)),
				      sizeof(least)));
	return alike;
}

void print_slowest(const struct screen *screen, const char *heading, const struct run *const *runs, size_t count,
		   size_t most)
{
	struct slow *slow;
	size_t found = collect(runs, count, &slow);

	if (found) {
		qsort(slow, found, sizeof(*slow), compare_totals);
		if (found > most)
			found = most;
		print_heading(screen, heading, slow, found);
	}
	for (size_t i = 0; i < found;)
		i += print_alike(screen, slow + i, found - i);
	free(slow);
}
