// SPDX-License-Identifier: GPL-2.0
#include "terminal.h"

#include <stdlib.h>
#include <string.h>

#include "base/format.h"
#include "notes.h"
#include "tables.h"
#include "target.h"

/* Between the parts of the heading; the line may be broken behind the dot. */
#define DOT KEEP "· "

/* The two tables of one target. */
struct block {
	struct table program, device;
};

/* --- the heading --- */

static void print_warnings(const struct view *view)
{
	const struct result *result = view->result;

	for (size_t t = 0; t < result->targets; t++) {
		const struct target *target = &result->target[t];

		for (size_t i = 0; i < target->warnings; i++) {
			if (result->targets > 1)
				screen_paragraphf(&view->screen, STYLE_WARNING, 2, "Warning: %s: %s", target->given,
						  target->warning[i]);
			else
				screen_paragraphf(&view->screen, STYLE_WARNING, 2, "Warning: %s", target->warning[i]);
		}
	}
}

/* Without the commit that follows the release: the result's file has it. */
static int release_length(const char *version)
{
	return (int)strcspn(version, "-");
}

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

	text_addf(&text, "iostrata" KEEP "%.*s" DOT "%s%s" DOT "%.10s" KEEP "%s", release_length(result->version),
		  result->version, result->options.quick ? "QUICK" DOT : "", result->config, result->timestamp,
		  result->timestamp + 11);
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

static void print_target(const struct view *view, const struct target *target)
{
	const struct result *result = view->result;
	char *words = target_in_words(target), size[FORMAT_LENGTH];
	struct text text = {0};

	text_addf(&text, "%s%s%s", target->given, *words ? ": " : "", words);
	if (target->file_size) {
		keep_together(format_size(size, target->file_size), sizeof(size));
		text_addf(&text, DOT "%s" KEEP "%s", size, target->kind == TARGET_DEVICE ? "of" KEEP "it" : "file");
	}
	if (result->machine.wsl)
		text_addf(&text, DOT "WSL" KEEP "%s", result->machine.wsl);
	else if (result->machine.hypervisor)
		text_addf(&text, DOT "virtual" KEEP "machine");
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

static void print_block(const struct view *view, size_t target, const struct block *block, const struct grid *grid)
{
	struct table spread = {0};

	print_target(view, &view->result->target[target]);
	screen_empty_line(&view->screen);
	if (block->program.rows > 1) {
		table_print(&block->program, grid, &view->screen);
		screen_empty_line(&view->screen);
	}
	if (block->device.rows > 1) {
		table_print(&block->device, grid, &view->screen);
		screen_empty_line(&view->screen);
	}
	print_notes(view, target, target == 0);
	if (view->result->options.iterations > 1) {
		spread_table(view, target, &spread);
		print_apart(view, &spread);
	}
}

static void print_blocks(const struct view *view)
{
	size_t targets = view->result->targets;
	struct block *blocks = xcalloc(targets, sizeof(*blocks));
	struct grid grid = {0};

	for (size_t i = 0; i < targets; i++) {
		program_table(view, i, &blocks[i].program);
		device_table(view, i, &blocks[i].device);
		grid_take(&grid, &blocks[i].program);
		grid_take(&grid, &blocks[i].device);
	}
	for (size_t i = 0; i < targets; i++) {
		if (targets > 1)
			screen_empty_line(&view->screen);
		print_block(view, i, &blocks[i], &grid);
		table_free(&blocks[i].program);
		table_free(&blocks[i].device);
	}
	free(blocks);
}

void report_terminal(const struct result *result, bool colour, struct text *out)
{
	struct view view = {.result = result, .screen = {.out = out, .colour = colour}};
	struct table average = {0};

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
	print_remark(&view);
	free(view.runs);
}
