// SPDX-License-Identifier: GPL-2.0
#include "interval.h"

#include <stdlib.h>

#include "base/clock.h"
#include "base/format.h"
#include "cells.h"
#include "screen.h"
#include "timeline.h"

#define SHORT_FIGURES 3
#define CALLS_INDENT  9

/* `through` stands in the column of `device`: an I/O has one or the other. */
static bool has_column(enum io_stage part)
{
	return part != IO_STAGE_THROUGH && part != IO_STAGE_REMOTE;
}

/* Before the parts; the first is aligned right, too. */
static const struct {
	const char *name;
	int width;
} fixed[] = {{"s", 5}, {"", 5}, {"IOPS", 6}, {"MB/s", 6}, {"mean", 5}, {"p99", 5}};

enum fixed_column { TIME, OP, IOPS, MBPS, MEAN, HIGH };

/* --- numbers in five or six columns --- */

/* As many places as leave `figures` figures. */
static int places_for(double amount, int figures)
{
	int whole = amount < 9.995 ? 1 : amount < 99.95 ? 2 : amount < 999.5 ? 3 : figures;

	return figures > whole ? figures - whole : 0;
}

/* "850n", "3.20µ", "40.1µ", "123µ", "1.23m", "2.50s"; also of counts, "950", "77.3k", "1.55M". */
static void add_short(struct text *text, double amount, const char *const *unit, size_t units)
{
	char number[FORMAT_LENGTH];
	size_t i = 0;

	for (; i + 1 < units && amount >= 999.5; i++)
		amount /= 1000;
	text_addf(text, "%s%s", format_fixed(number, amount, i ? places_for(amount, SHORT_FIGURES) : 0), unit[i]);
}

static void add_short_latency(struct text *text, double ns)
{
	static const char *const unit[] = {"n", "µ", "m", "s"};

	add_short(text, ns, unit, ARRAY_SIZE(unit));
}

/* The same in full: "3.20 µs". */
static void add_named_latency(struct text *text, const char *name, double ns)
{
	static const char *const unit[] = {" ns", " µs", " ms", " s"};

	text_addf(text, " %s ", name);
	add_short(text, ns, unit, ARRAY_SIZE(unit));
}

static void add_short_count(struct text *text, double count)
{
	static const char *const unit[] = {"", "k", "M", "G"};

	add_short(text, count, unit, ARRAY_SIZE(unit));
}

/* --- a line of cells --- */

/* Behind a blank, unless it is the first; aligned right. */
static void add_cell(struct text *line, int width, const char *cell)
{
	int columns = (int)text_columns(cell);

	text_addf(line, "%s%*s%s", line->length ? " " : "", columns < width ? width - columns : 0, "", cell);
}

static void add_text_cell(struct text *line, int width, struct text *cell)
{
	add_cell(line, width, cell->data ? cell->data : "");
	text_free(cell);
}

static void add_latency(struct text *line, int width, double ns)
{
	struct text cell = {0};

	add_short_latency(&cell, ns);
	add_text_cell(line, width, &cell);
}

static int part_width(enum io_stage part)
{
	int width = (int)text_columns(io_stage_name[part]);

	return width < fixed[MEAN].width ? fixed[MEAN].width : width;
}

static void print_line(const struct screen *screen, enum style style, struct text *line)
{
	screen_line(screen, style, line->data ? line->data : "");
	text_free(line);
}

void interval_heading(bool colour, struct text *out)
{
	const struct screen screen = {.out = out, .colour = colour};
	struct text line = {0};

	for (size_t i = 0; i < ARRAY_SIZE(fixed); i++)
		add_cell(&line, fixed[i].width, fixed[i].name);
	for (int part = 0; part < IO_PARTS; part++)
		if (has_column(part))
			add_cell(&line, part_width(part), io_stage_name[part]);
	print_line(&screen, STYLE_HEADING, &line);
}

/* --- I/Os --- */

static double seconds_of(const struct interval_line *line)
{
	return line->to > line->from ? (double)(line->to - line->from) / NS_PER_SECOND : 0;
}

static double per_second(const struct interval_line *line, double amount)
{
	double seconds = seconds_of(line);

	return seconds > 0 ? amount / seconds : 0;
}

/* When the interval ended. */
static void add_time(struct text *text, const struct interval_line *line)
{
	double at = (double)line->to / NS_PER_SECOND;
	char number[FORMAT_LENGTH];

	add_cell(text, fixed[TIME].width, format_fixed(number, at, at < 999.95 ? 1 : 0));
}

/* I/Os that the program took from the ring itself have no total: what is known of them is their device time. */
static uint64_t count_ios(const struct hist *stage)
{
	uint64_t most = stage[IO_STAGE_TOTAL].count;

	for (int part = 0; !most && part < IO_PARTS; part++)
		if (stage[part].count > most)
			most = stage[part].count;
	return most;
}

static const struct hist *column_stage(const struct hist *stage, enum io_stage part)
{
	if (part != IO_STAGE_DEVICE || stage[part].count)
		return &stage[part];
	return &stage[stage[IO_STAGE_REMOTE].count ? IO_STAGE_REMOTE : IO_STAGE_THROUGH];
}

static void add_rates(struct text *text, const struct interval_line *line, enum io_op op)
{
	double mbps = per_second(line, (double)line->bytes[op] / 1e6);
	struct text cell = {0};
	char number[FORMAT_LENGTH];

	add_short_count(&cell, per_second(line, (double)count_ios(line->stage[op])));
	add_text_cell(text, fixed[IOPS].width, &cell);
	add_cell(text, fixed[MBPS].width, format_fixed(number, mbps, mbps < 9999.95 ? 1 : 0));
}

static void print_op(const struct screen *screen, const struct interval_line *line, enum io_op op)
{
	const struct hist *stage = line->stage[op], *total = &stage[IO_STAGE_TOTAL];
	struct text text = {0};

	add_time(&text, line);
	add_cell(&text, fixed[OP].width, io_op_name[op]);
	add_rates(&text, line, op);
	if (total->count) {
		add_latency(&text, fixed[MEAN].width, hist_mean(total));
		add_latency(&text, fixed[HIGH].width, (double)hist_percentile(total, percentile_percent[P99]));
	} else {
		add_cell(&text, fixed[MEAN].width, "-");
		add_cell(&text, fixed[HIGH].width, "-");
	}
	for (int part = 0; part < IO_PARTS; part++) {
		const struct hist *hist = column_stage(stage, part);

		if (!has_column(part))
			continue;
		if (hist->count)
			add_latency(&text, part_width(part), hist_mean(hist));
		else
			add_cell(&text, part_width(part), "-");
	}
	print_line(screen, STYLE_PLAIN, &text);
}

/* --- calls --- */

/* "read 12.3k/s mean 1.20 µs p99 3.40 µs" for each kind. */
static void add_call(struct text *list, const struct interval_line *line, enum call kind)
{
	const struct hist *call = &line->call[kind];
	struct text fact = {0};

	text_addf(&fact, "%s ", call_name[kind]);
	add_short_count(&fact, per_second(line, (double)call->count));
	text_addf(&fact, "/s");
	add_named_latency(&fact, "mean", hist_mean(call));
	add_named_latency(&fact, "p99", (double)hist_percentile(call, percentile_percent[P99]));
	fact_add(list, "%s", fact.data);
	text_free(&fact);
}

static void print_calls(const struct screen *screen, const struct interval_line *line)
{
	struct text text = {0}, list = {0};

	add_time(&text, line);
	for (int call = 0; line->call && call < CALLS; call++)
		if (line->call[call].count)
			add_call(&list, line, call);
	text_addf(&text, KEEP "s" KEEP KEEP "%s", list.length ? list.data : "nothing");
	screen_paragraph(screen, STYLE_PLAIN, CALLS_INDENT, text.data);
	text_free(&text);
	text_free(&list);
}

/* Whether there were calls that are no I/Os: what the page cache answered, or a sync. */
static bool has_other_calls(const struct interval_line *line)
{
	for (int call = 0; line->call && call < CALLS; call++) {
		enum io_op op = call == CALL_READ ? IO_OP_READ : IO_OP_WRITE;
		bool may_be_io = call == CALL_READ || call == CALL_WRITE;

		if (line->call[call].count > (may_be_io && line->stage[op] ? count_ios(line->stage[op]) : 0))
			return true;
	}
	return false;
}

bool interval_has_ios(const struct interval_line *line)
{
	for (int op = 0; op < IO_OPS; op++)
		if (line->stage[op] && count_ios(line->stage[op]))
			return true;
	return false;
}

void interval_print(const struct interval_line *line, bool colour, struct text *out)
{
	const struct screen screen = {.out = out, .colour = colour};

	for (int op = 0; op < IO_OPS; op++)
		if (line->stage[op] && count_ios(line->stage[op]))
			print_op(&screen, line, op);
	if (!interval_has_ios(line) || has_other_calls(line))
		print_calls(&screen, line);
	if (line->slowest)
		print_record_line(&screen, line->slowest);
}
