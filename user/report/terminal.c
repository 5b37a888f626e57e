// SPDX-License-Identifier: GPL-2.0
#include "terminal.h"

#include <stdlib.h>
#include <string.h>

#include "base/format.h"
#include "heading.h"
#include "notes.h"
#include "sweep.h"
#include "tables.h"
#include "target.h"
#include "trace.h"

/*
 * The tables of one target: `sweep` in place of `program` where the tests are depths of one pattern; `place` where I/Os
 * were followed from call to return, else `device`.
 */
struct block {
	struct table program, sweep, device, place;
};

/* `device` stands in line with `program`, the others have other columns. */
struct grids {
	struct grid program, sweep, place;
};

/* --- the heading --- */

/* "5 s + 30 s each": the warm-up and the measured run. */
static char *times_in_words(const struct options *options)
{
	char warmup[FORMAT_LENGTH], duration[FORMAT_LENGTH];

	keep_together(format_exact_span(warmup, options->warmup), sizeof(warmup));
	keep_together(format_exact_span(duration, options->duration), sizeof(duration));
	return xasprintf("%s%s%s" KEEP "each", options->warmup ? warmup : "", options->warmup ? KEEP "+" KEEP : "",
			 duration);
}

static void print_heading(const struct view *view)
{
	const struct result *result = view->result;
	char *times = times_in_words(&result->options), size[FORMAT_LENGTH];
	struct text text = {0};

	add_version(&text, result);
	text_addf(&text, DOT "%s%s" DOT "%.10s" KEEP "%s", result->options.quick ? "QUICK" DOT : "", result->config,
		  result->timestamp, result->timestamp + 11);
	/* A trace that nothing came of has none. */
	if (result->engine)
		text_addf(&text, DOT "%s", result->engine_version ? result->engine_version : result->engine);
	if (result->options.ioengine)
		text_addf(&text, KEEP "%s", result->options.ioengine);
	if (result->options.write_through)
		text_addf(&text, DOT "write-through");
	if (!result->options.quick)
		text_addf(&text, DOT "%s", times);
	screen_paragraph(&view->screen, STYLE_HEADING, 2, text.data);
	if (result->options.quick)
		screen_paragraphf(&view->screen, STYLE_WARNING, 2, "QUICK: %s, %s: a look, not a measurement.",
				  format_size(size, result->options.size), times);
	text_free(&text);
	free(times);
}

/* Not what was there before: a device, or a file that was only read. */
static bool made_here(const struct target *target)
{
	return target->kind == TARGET_DIRECTORY || (target->kind == TARGET_FILE && target->laid_out_in);
}

static void print_target(const struct view *view, const struct target *target)
{
	const struct result *result = view->result;
	char *words = target_with_path_in_words(target), size[FORMAT_LENGTH];
	struct text text = {0};

	text_addf(&text, "%s%s%s", target->given, *words ? ": " : "", words);
	if (target->file_size) {
		keep_together(format_size(size, target->file_size), sizeof(size));
		text_addf(&text, DOT "%s" KEEP "%s", size, made_here(target) ? "file" : "of" KEEP "it");
	}
	add_machine(&text, &result->machine);
	screen_paragraph(&view->screen, result->targets > 1 ? STYLE_HEADING : STYLE_PLAIN, 2, text.data);
	text_free(&text);
	free(words);
}

/* --- the remark at the end --- */

#define SUGGESTED_ITERATIONS 3

static bool was_skipped(const struct view *view, size_t target, size_t test)
{
	size_t count = view_pick(view, target, test);

	return count && view->runs[0]->state == RUN_SKIPPED;
}

/* As `iterations` of the same matrix would take: one layout, and each test's warm-up and measured run. */
static uint64_t matrix_time(const struct view *view, unsigned iterations)
{
	const struct result *result = view->result;
	uint64_t time = 0;

	for (size_t target = 0; target < result->targets; target++) {
		time += result->target[target].laid_out_in;
		for (size_t test = 0; test < result->tests; test++)
			if (!was_skipped(view, target, test))
				time += iterations * (result->options.warmup + result->options.duration);
	}
	return time;
}

static bool anything_done(const struct result *result)
{
	for (size_t i = 0; i < result->runs; i++)
		if (result->run[i].state == RUN_DONE)
			return true;
	return false;
}

static void print_remark(const struct view *view)
{
	const struct options *options = &view->result->options;
	char span[FORMAT_LENGTH];

	if (!anything_done(view->result)) {
		screen_paragraph(&view->screen, STYLE_PLAIN, 0, "No run was finished.");
		return;
	}

	if (options->iterations > 1) {
		screen_paragraphf(&view->screen, STYLE_PLAIN, 0,
				  "%sAverages of %u runs per test; percentiles are of all their I/Os together.",
				  options->quick ? "QUICK: " : "", options->iterations);
		return;
	}
	keep_together(format_span(span, matrix_time(view, SUGGESTED_ITERATIONS)), sizeof(span));
	screen_paragraphf(&view->screen, STYLE_PLAIN, 0,
			  "%s: small differences mean nothing; --iterations" KEEP "%d takes %s.",
			  options->quick ? "QUICK, one run" : "One run each", SUGGESTED_ITERATIONS, span);
}

/* What a REAL means in a guest, once for the whole report. */
static void print_reach(const struct view *view)
{
	const struct result *result = view->result;

	for (size_t i = 0; i < result->runs && result->machine.hypervisor; i++) {
		if (result->run[i].verdict != VERDICT_REAL)
			continue;
		screen_paragraph(&view->screen, STYLE_PLAIN, 2,
				 "REAL: as far as this virtual machine sees; what its host does is not visible from "
				 "here.");
		return;
	}
}

/* --- the whole --- */

/* A table in a grid of its own, unless it has but its heading. */
static void print_apart(const struct view *view, struct table *table)
{
	struct grid grid = {0};

	if (table->rows > 1) {
		screen_empty_line(&view->screen);
		grid_take(&grid, table);
		table_print(table, &grid, &view->screen);
	}
	table_free(table);
}

/* One of a block's tables, with an empty line behind it, unless it has but its heading. */
static void print_table(const struct view *view, const struct table *table, const struct grid *grid)
{
	if (table->rows < 2)
		return;
	table_print(table, grid, &view->screen);
	screen_empty_line(&view->screen);
}

static void print_block(const struct view *view, size_t target, const struct block *block, const struct grids *grids)
{
	struct table spread = {0};

	print_target(view, &view->result->target[target]);
	screen_empty_line(&view->screen);
	if (view->result->options.sweep)
		print_pattern(view);
	print_table(view, &block->sweep, &grids->sweep);
	print_table(view, &block->program, &grids->program);
	print_table(view, &block->device, &grids->program);
	print_table(view, &block->place, &grids->place);
	if (view->result->options.sweep)
		print_knee(view, target);
	print_notes(view, target, target == 0);
	if (view->result->options.iterations > 1) {
		spread_table(view, target, &spread);
		print_apart(view, &spread);
	}
}

/* False: they are too wide. */
static bool make_place_tables(const struct view *view, struct block *blocks, bool doorbell, struct grid *grid)
{
	*grid = (struct grid){0};
	for (size_t i = 0; i < view->result->targets; i++) {
		table_free(&blocks[i].place);
		place_table(view, i, doorbell, &blocks[i].place);
		grid_take(grid, &blocks[i].place);
	}
	return grid_fits(grid);
}

static void make_blocks(const struct view *view, struct block *blocks, struct grids *grids)
{
	for (size_t i = 0; i < view->result->targets; i++) {
		if (view->result->options.sweep)
			sweep_table(view, i, &blocks[i].sweep);
		else
			program_table(view, i, &blocks[i].program);
		if (!view_followed(view, i))
			device_table(view, i, &blocks[i].device);
		grid_take(&grids->sweep, &blocks[i].sweep);
		grid_take(&grids->program, &blocks[i].program);
		grid_take(&grids->program, &blocks[i].device);
	}
	if (!make_place_tables(view, blocks, true, &grids->place))
		make_place_tables(view, blocks, false, &grids->place);
}

static void free_blocks(struct block *blocks, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		table_free(&blocks[i].program);
		table_free(&blocks[i].sweep);
		table_free(&blocks[i].device);
		table_free(&blocks[i].place);
	}
	free(blocks);
}

static void print_blocks(const struct view *view)
{
	size_t targets = view->result->targets;
	struct block *blocks = xcalloc(targets, sizeof(*blocks));
	struct grids grids = {0};

	make_blocks(view, blocks, &grids);
	for (size_t i = 0; i < targets; i++) {
		if (targets > 1)
			screen_empty_line(&view->screen);
		print_block(view, i, &blocks[i], &grids);
	}
	free_blocks(blocks, targets);
}

void report_terminal(const struct result *result, bool colour, struct text *out)
{
	struct view view = {.result = result, .screen = {.out = out, .colour = colour}};
	struct table average = {0};

	if (result_is_trace(result)) {
		report_trace(result, colour, false, out);
		return;
	}
	view.runs = xcalloc(result->runs, sizeof(const struct run *));
	print_warnings(&view);
	print_heading(&view);
	print_blocks(&view);
	if (result->targets > 1) {
		average_table(&view, &average);
		print_apart(&view, &average);
	}
	if (result->targets > 1 || result->options.iterations > 1)
		screen_empty_line(&view.screen);
	print_reach(&view);
	print_remark(&view);
	free(view.runs);
}
