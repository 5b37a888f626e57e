// SPDX-License-Identifier: GPL-2.0
#include "stages.h"

#include <stdlib.h>
#include <string.h>

#include "base/format.h"
#include "cells.h"
#include "doorbell.h"
#include "result/summary.h"
#include "result/tail.h"

enum column { NAME, COUNT, MEAN, MEDIAN, HIGH, HIGHEST, MAX, SHARE };

/* So wide that the blocks of most tests stand in line. */
static const struct grid usual_grid = {.columns = SHARE + 1, .width = {10, 10, 8, 8, 8, 8, 8, 8}};

/* All, and what makes a tail; what is more than half of all I/Os is none. */
static const double tail_share[] = {1, 0.01, 0.001};

#define MOST_OF_ALL 0.5

const struct io_stage_row io_stage_row[IO_STAGES] = {
#define ROW(id, name, from, to, inside, meaning)                                                                       \
	[IO_STAGE_##id] = {BOUNDARY_##from, BOUNDARY_##to, IO_STAGE_##inside, meaning},
	IOSTRATA_IO_STAGES(ROW)
#undef ROW
};

/* The I/Os of one op. */
struct block {
	const struct screen *screen;
	const struct machine *machine;
	enum io_op op;
	uint64_t probe_cost; /* ns per I/O at the most; 0: not known */
	struct io_summary summary;
};

/* --- what the probes themselves take --- */

/* Of the runs that this rests on the most; 0: it is not known. */
static uint64_t most_probe_cost(const struct run *const *runs, size_t count)
{
	uint64_t most = 0;

	for (size_t i = 0; i < count; i++)
		if (runs[i]->state == RUN_DONE && runs[i]->has_probe_cost && runs[i]->probe_cost > most)
			most = runs[i]->probe_cost;
	return most;
}

/* A stage that is shorter than the probes of all of them may be made of little else. */
static bool is_below_probes(const struct block *block, enum io_stage stage)
{
	return block->summary.sum->stage[stage].count && block->summary.mean[stage] < (double)block->probe_cost;
}

static void set_mean(struct table_row *row, const struct block *block, enum io_stage stage)
{
	char latency[FORMAT_LENGTH], *marked;

	format_latency(latency, block->summary.mean[stage]);
	marked = xasprintf("%s%s", is_below_probes(block, stage) ? "~" : "", latency);
	table_set(row, MEAN, marked);
	free(marked);
}

static void print_observer(const struct block *block)
{
	double whole = block->summary.lat > 0 ? block->summary.lat : block->summary.total;
	char cost[FORMAT_LENGTH], percent[FORMAT_LENGTH];
	struct text list = {0};
	bool marked = false;

	if (!block->probe_cost)
		return;
	for (int stage = 0; stage < IO_STAGES; stage++)
		marked |= is_below_probes(block, stage);
	fact_add(&list, "observer: at most %s per I/O", format_latency(cost, (double)block->probe_cost));
	if (whole > 0) {
		format_fixed(percent, 100 * (double)block->probe_cost / whole, 1);
		fact_add(&list, "%s %% of the mean", strcmp(percent, "0.0") != 0 ? percent : "under 0.1");
	}
	if (marked)
		fact_add(&list, "~ is less than that");
	facts_print(block->screen, STYLE_PLAIN, &list);
}

/* --- the table of stages --- */

static struct table_row *add_stage(struct table *table, const struct block *block, enum io_stage stage,
				   const char *indent)
{
	static const struct {
		enum column column;
		enum percentile percentile;
	} shown[] = {{MEDIAN, P50}, {HIGH, P99}, {HIGHEST, P99_9}};
	const struct hist *hist = &block->summary.sum->stage[stage];
	char *name = xasprintf("%s%s", indent, io_stage_name[stage]);
	struct table_row *row = table_add(table, STYLE_PLAIN, name);

	free(name);
	cell_count(row, COUNT, (double)hist->count);
	set_mean(row, block, stage);
	for (size_t i = 0; i < ARRAY_SIZE(shown); i++)
		cell_latency(row, shown[i].column, true,
			     (double)hist_percentile(hist, percentile_percent[shown[i].percentile]));
	cell_latency(row, MAX, true, (double)hist->max);
	return row;
}

/* The insides have no share: they would be added to what they lie in. */
static void add_part(struct table *table, const struct block *block, enum io_stage part)
{
	const struct io_summary *summary = &block->summary;

	if (summary->sum->stage[part].count)
		cell_percent(add_stage(table, block, part, ""), SHARE, summary->total > 0,
			     100 * summary->part[part] / summary->total);
	for (int stage = IO_PARTS + 1; stage < IO_STAGES; stage++)
		if (io_stage_row[stage].inside == part && summary->sum->stage[stage].count)
			add_stage(table, block, stage, "  ");
}

/* Nothing where all are joined, but for what adding up fractions leaves. */
static void add_unsplit(struct table *table, const struct io_summary *summary)
{
	uint64_t unsplit = summary->sum->stage[IO_STAGE_TOTAL].count - summary->sum->counts.end[IO_END_JOINED];
	struct table_row *row;

	if (summary->sum->stage[IO_STAGE_TOTAL].count <= summary->sum->counts.end[IO_END_JOINED])
		return;
	row = table_add(table, STYLE_PLAIN, "without stages");
	cell_count(row, COUNT, (double)unsplit);
	cell_percent(row, SHARE, summary->total > 0, 100 * summary->unsplit / summary->total);
}

static void stage_table(const struct block *block, struct table *table)
{
	static const char *const heading[] = {
		[COUNT] = "I/Os",    [MEAN] = "mean", [MEDIAN] = "p50",	    [HIGH] = "p99",
		[HIGHEST] = "p99.9", [MAX] = "max",   [SHARE] = "of total",
	};
	struct table_row *row = table_add(table, STYLE_HEADING, io_op_name[block->op]);

	for (size_t column = COUNT; column <= SHARE; column++)
		table_set(row, column, heading[column]);
	for (int part = 0; part < IO_PARTS; part++)
		add_part(table, block, part);
	add_unsplit(table, &block->summary);
	if (block->summary.sum->stage[IO_STAGE_TOTAL].count)
		add_stage(table, block, IO_STAGE_TOTAL, "");
}

/* --- the slowest --- */

/* All I/Os, then the tails that are one, each once. Returns how many. */
static size_t find_tails(const struct io_summary *summary, struct tail tails[ARRAY_SIZE(tail_share)])
{
	size_t count = 0;

	for (size_t i = 0; i < ARRAY_SIZE(tail_share); i++) {
		struct tail *tail = &tails[count];

		if (!tail_of_rows(tail, summary->sum->row, tail_share[i]) || (i && tail->share > MOST_OF_ALL))
			continue;
		if (!count || tail->count != tails[count - 1].count)
			count++;
	}
	return count;
}

/* As many places as it takes to tell it from the share that was asked for: "slowest 1.32 %", "slowest 0.124 %". */
static char *tail_title(const struct tail *tail)
{
	char number[FORMAT_LENGTH];
	double percent = 100 * tail->share;

	if (tail->share >= 1)
		return xstrdup("all joined");
	return xasprintf("slowest %s %%", format_fixed(number, percent, percent < 1 ? 3 : 2));
}

static void add_tail(struct table *table, size_t column, const struct io_summary *summary, const struct tail *tail)
{
	char *title = tail_title(tail);
	size_t row = 0;

	table_set(&table->row[row++], column, title);
	free(title);
	cell_latency(&table->row[row++], column, true, (double)tail->from);
	cell_count(&table->row[row++], column, (double)tail->count);
	for (int part = 0; part < IO_PARTS; part++)
		if (summary->sum->stage[part].count)
			cell_percent(&table->row[row++], column, tail->total > 0, 100 * tail->part[part] / tail->total);
	cell_latency(&table->row[row], column, true, tail->total);
}

/* A column for each tail: the shares of its mean total. */
static void tail_table(const struct io_summary *summary, const struct tail *tails, size_t count, struct table *table)
{
	table_add(table, STYLE_HEADING, "of the total");
	table_add(table, STYLE_PLAIN, "from");
	table_add(table, STYLE_PLAIN, "I/Os");
	for (int part = 0; part < IO_PARTS; part++)
		if (summary->sum->stage[part].count)
			table_add(table, STYLE_PLAIN, io_stage_name[part]);
	table_add(table, STYLE_PLAIN, "mean");
	for (size_t i = 0; i < count; i++)
		add_tail(table, i + 1, summary, &tails[i]);
}

static void print_tails(const struct block *block)
{
	struct tail tails[ARRAY_SIZE(tail_share)];
	size_t count = find_tails(&block->summary, tails);
	struct grid grid = {.width = {usual_grid.width[NAME], usual_grid.width[COUNT]}};
	struct table table = {0};

	if (count < 2)
		return;
	tail_table(&block->summary, tails, count, &table);
	screen_empty_line(block->screen);
	grid_take(&grid, &table);
	table_print(&table, &grid, block->screen);
	table_free(&table);
}

/* --- facts --- */

static void print_outer_sum(const struct block *block)
{
	const struct io_summary *summary = &block->summary;
	char lat[FORMAT_LENGTH], program[FORMAT_LENGTH], total[FORMAT_LENGTH];

	if (summary->lat <= 0 || summary->total <= 0)
		return;
	keep_together(format_latency(lat, summary->lat), sizeof(lat));
	keep_together(format_latency(program, io_summary_program(summary)), sizeof(program));
	keep_together(format_latency(total, summary->total), sizeof(total));
	screen_paragraphf(block->screen, STYLE_PLAIN, 2, KEEP KEEP "lat %s = program %s + total %s", lat, program,
			  total);
}

static void add_named(struct text *list, const uint64_t *counts, const char *const *names, size_t count)
{
	for (size_t i = 0; i < count; i++)
		fact_count(list, counts[i], names[i], names[i]);
}

/* How they were called, how they ended, and what happened on the way; what is 0 is left out. */
static void print_facts(const struct block *block)
{
	const struct io_view *sum = block->summary.sum;
	const struct io_counts *counts = &sum->counts;
	uint64_t joined = counts->end[IO_END_JOINED];
	char number[FORMAT_LENGTH], *coverage;
	struct text list = {0};

	fact_add(&list, "%s called", format_count(number, counts->called));
	add_named(&list, counts->way, io_way_name, IO_WAYS);
	if (joined) {
		coverage = coverage_in_words(joined, io_ended(sum) + counts->table_full);
		fact_add(&list, "joined %s", coverage);
		fact_add(&list, "%s requests per I/O",
			 format_fixed(number, (double)counts->requests / (double)joined, 2));
		free(coverage);
	}
	facts_print(block->screen, STYLE_PLAIN, &list);
	add_named(&list, counts->end, io_end_name, IO_ENDS);
	fact_count(&list, sum->in_flight_at_end, "in flight at the end", "in flight at the end");
	fact_count(&list, counts->table_full, "without room in the table", "without room in the table");
	fact_count(&list, counts->unbegun, "begun before", "begun before");
	fact_count(&list, counts->left, "beyond what one call's loop takes", "beyond what one call's loop takes");
	facts_print(block->screen, STYLE_PLAIN, &list);
	add_named(&list, counts->note, io_note_name, IO_NOTES);
	facts_print(block->screen, STYLE_PLAIN, &list);
}

/* --- the whole --- */

static unsigned stages_in(const struct io_view *view)
{
	unsigned stages = 0;

	for (int stage = 0; stage < IO_STAGES; stage++)
		if (view->stage[stage].count)
			stages |= 1u << stage;
	return stages;
}

static void print_doorbell(const struct block *block)
{
	char *sentence = doorbell_in_words(&block->summary, block->machine);

	if (sentence)
		screen_paragraphf(block->screen, STYLE_PLAIN, 2, KEEP KEEP "%s", sentence);
	free(sentence);
}

static void print_block(const struct block *block)
{
	struct grid grid = usual_grid;
	struct table table = {0};

	stage_table(block, &table);
	if (table.rows > 1) {
		grid_take(&grid, &table);
		table_print(&table, &grid, block->screen);
	} else {
		screen_paragraph(block->screen, STYLE_HEADING, 2, io_op_name[block->op]);
	}
	table_free(&table);
	print_outer_sum(block);
	print_doorbell(block);
	print_facts(block);
	print_observer(block);
	print_tails(block);
}

unsigned print_stages(const struct screen *screen, const struct machine *machine, const struct run *const *runs,
		      size_t count)
{
	unsigned stages = 0;

	for (int op = 0; op < IO_OPS; op++) {
		struct block block = {
			.screen = screen,
			.machine = machine,
			.op = op,
			.probe_cost = most_probe_cost(runs, count),
		};
		struct io_summary *summary = &block.summary;

		io_summary_of_runs(summary, runs, count, IO_OP_BIT(op));
		if (summary->runs && (summary->sum->counts.called || io_ended(summary->sum))) {
			if (stages)
				screen_empty_line(screen);
			print_block(&block);
			stages |= stages_in(summary->sum);
		}
		io_summary_clear(summary);
	}
	return stages;
}

void explain_stages(const struct screen *screen, unsigned stages)
{
	for (int stage = 0; stage < IO_STAGES; stage++) {
		const struct io_stage_row *row = &io_stage_row[stage];

		if (!(stages & 1u << stage))
			continue;
		screen_paragraphf(screen, STYLE_PLAIN, 4, "%s (%s" KEEP "→" KEEP "%s%s%s): %s.", io_stage_name[stage],
				  boundary_letter[row->from], boundary_letter[row->to],
				  row->inside == IO_STAGE_TOTAL ? "" : ", inside of ",
				  row->inside == IO_STAGE_TOTAL ? "" : io_stage_name[row->inside], row->meaning);
	}
}
