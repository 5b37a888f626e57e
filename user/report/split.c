// SPDX-License-Identifier: GPL-2.0
#include "split.h"

#include <stdlib.h>
#include <string.h>

#include "base/format.h"
#include "cells.h"
#include "heading.h"
#include "screen.h"
#include "where.h"

enum column { NAME, GUEST, HOST, DEVICE, TRANSPORT, KERNEL, HOST_DEVICE };

/* Whether an operation of a run needs to be named beside its test. */
static bool has_both(const struct split *split, const struct split_row *row)
{
	for (size_t i = 0; i < split->rows; i++)
		if (split->row[i].run == row->run && split->row[i].op != row->op)
			return true;
	return row->run->test == NO_TEST;
}

static char *row_name(const struct split *split, const struct split_row *row)
{
	const struct run *run = row->run;
	bool both = has_both(split, row);
	struct text text = {0};

	text_addf(&text, "%s", run->test == NO_TEST ? "" : split->guest->test[run->test].name);
	if (run->iteration > 1)
		text_addf(&text, " #%u", run->iteration);
	if (both)
		text_addf(&text, "%s%s", text.length ? " " : "", op_name[row->op]);
	return text_take(&text);
}

/* --- the table --- */

static void add_row(struct table *table, const struct split *split, const struct split_row *row)
{
	char *name = row_name(split, row);
	struct table_row *line = table_add(table, STYLE_PLAIN, name);

	free(name);
	cell_count(line, GUEST, (double)row->guest_requests);
	cell_count(line, HOST, (double)row->host_ios);
	cell_latency(line, DEVICE, true, row->device);
	cell_latency(line, TRANSPORT, !row->refusal, row->transport);
	cell_latency(line, KERNEL, !row->refusal, row->kernel);
	cell_latency(line, HOST_DEVICE, !row->refusal, row->host_device);
}

static void fill_table(struct table *table, const struct split *split, const char *const heading[HOST_DEVICE + 1])
{
	struct table_row *row = table_add(table, STYLE_HEADING, heading[NAME]);

	for (size_t column = GUEST; column <= HOST_DEVICE; column++)
		table_set(row, column, heading[column]);
	for (size_t i = 0; i < split->rows; i++)
		add_row(table, split, &split->row[i]);
}

/* Under shorter headings where names and numbers are long. */
static void print_table(const struct split *split, const struct screen *screen)
{
	static const char *const headings[][HOST_DEVICE + 1] = {
		{"guest", "requests", "host I/Os", "device", "transport", "host kernel", "host device"},
		{"guest", "requests", "on host", "device", "transport", "kernel", "its disk"},
	};

	for (size_t i = 0; i < ARRAY_SIZE(headings); i++) {
		struct table table = {0};
		struct grid grid = {0};
		bool fits;

		fill_table(&table, split, headings[i]);
		grid_take(&grid, &table);
		fits = grid_fits(&grid) || i + 1 == ARRAY_SIZE(headings);
		if (fits)
			table_print(&table, &grid, screen);
		table_free(&table);
		if (fits)
			return;
	}
}

/* --- in words --- */

/* "2.49 ms (93 %)" */
static void add_part(struct text *text, double ns, double whole, const char *what)
{
	char latency[FORMAT_LENGTH], percent[FORMAT_LENGTH];

	keep_together(format_latency(latency, ns), sizeof(latency));
	text_addf(text, "%s (%s" KEEP "%%) %s", latency, format_fixed(percent, 100 * ns / whole, 0), what);
}

static void print_where_it_is(const struct split *split, const struct screen *screen, const struct split_row *row)
{
	const char *guest_disk = split_disk(split->guest), *host_disk = split_disk(split->host);
	char latency[FORMAT_LENGTH], *name = row_name(split, row);
	struct text text = {0};

	keep_together(format_latency(latency, row->device), sizeof(latency));
	text_addf(&text, "%s%sOf the %s that a %s is at %s in the guest, ", name, *name ? ": " : "", latency,
		  op_name[row->op], guest_disk ? guest_disk : "its disks");
	add_part(&text, row->transport, row->device, "are the way through the virtual machine monitor and back, ");
	add_part(&text, row->kernel, row->device, "the host's kernel, and ");
	add_part(&text, row->host_device, row->device, "the host's ");
	text_addf(&text, "%s.", host_disk ? host_disk : "disks");
	screen_paragraph(screen, STYLE_PLAIN, 2, text.data);
	text_free(&text);
	free(name);
}

static bool is_single_io(const struct split *split, const struct split_row *row)
{
	return row->run->test == NO_TEST || is_single(&split->guest->test[row->run->test]);
}

/* For one row of each operation: the first of a single I/O, or else the first that is divided. */
static void print_sentences(const struct split *split, const struct screen *screen)
{
	for (int op = 0; op < DIRECTIONS; op++) {
		const struct split_row *chosen = NULL;

		for (size_t i = 0; i < split->rows; i++) {
			const struct split_row *row = &split->row[i];

			if (row->op != (enum op)op || row->refusal)
				continue;
			if (!chosen || (!is_single_io(split, chosen) && is_single_io(split, row)))
				chosen = row;
		}
		if (chosen)
			print_where_it_is(split, screen, chosen);
	}
}

static void print_refusals(const struct split *split, const struct screen *screen)
{
	for (size_t i = 0; i < split->rows; i++) {
		const struct split_row *row = &split->row[i];
		char requests[FORMAT_LENGTH], *name = row_name(split, row);

		if (row->refusal)
			screen_paragraphf(screen, STYLE_WARNING, 2,
					  "%s: the time of its %s requests is not divided: %s", name,
					  format_count(requests, row->guest_requests), row->refusal);
		free(name);
	}
}

static void print_overlaps(const struct split *split, const struct screen *screen)
{
	for (size_t i = 0; i < split->rows; i++) {
		const struct split_row *row = &split->row[i];
		char percent[FORMAT_LENGTH], *name = row_name(split, row);

		if (row->overlap < 1 && !row->refusal)
			screen_paragraphf(screen, STYLE_WARNING, 2,
					  "%s: the host recorded %s" KEEP "%% of this run. Its means are taken to hold "
					  "for the whole.",
					  name, format_fixed(percent, 100 * row->overlap, 0));
		free(name);
	}
	if (split->apart)
		screen_paragraphf(screen, STYLE_WARNING, 2,
				  "%zu more %s not recorded on the host, by the clocks of both.", split->apart,
				  split->apart > 1 ? "runs were" : "run was");
}

static bool has_flushes(const struct split *split)
{
	for (size_t i = 0; i < split->rows; i++) {
		const struct trace_view *trace = split->row[i].run->trace;

		for (size_t leaf = 0; leaf < trace->leaves; leaf++)
			if (trace->leaf[leaf].op[OP_FLUSH])
				return true;
	}
	return false;
}

static bool has_middle(const struct split *split)
{
	for (size_t i = 0; i < split->rows; i++)
		if (split->row[i].middle && !split->row[i].refusal)
			return true;
	return false;
}

static void print_assumptions(const struct split *split, const struct screen *screen)
{
	screen_paragraphf(screen, STYLE_PLAIN, 2,
			  "All times are means: transport is what is left of the guest's when the host's are taken "
			  "off, and percentiles cannot be taken off. The clocks of both machines are taken to agree "
			  "within a second.%s%s",
			  has_middle(split)
				  ? " Where other I/Os came right before or after a run, the host's are those "
				    "of its middle."
				  : "",
			  has_flushes(split) ? " Flushes are not divided: a virtual machine monitor does not pass on "
					       "each of them."
					     : "");
}

/* --- the whole --- */

static void print_heading(const struct split *split, const struct screen *screen)
{
	const struct machine *host = &split->host->machine, *guest = &split->guest->machine;
	struct text text = {0};

	add_version(&text, split->guest);
	text_addf(&text, DOT "%s (Linux" KEEP "%s) on its host %s (Linux" KEEP "%s)",
		  guest->host ? guest->host : "guest", guest->kernel ? guest->kernel : "?",
		  host->host ? host->host : "", host->kernel ? host->kernel : "?");
	screen_paragraph(screen, STYLE_HEADING, 2, text.data);
	text_free(&text);
}

void report_split(const struct split *split, bool colour, struct text *out)
{
	const struct screen screen = {.out = out, .colour = colour};

	print_heading(split, &screen);
	if (split->obstacle) {
		screen_paragraph(&screen, STYLE_WARNING, 2, split->obstacle);
		return;
	}
	screen_empty_line(&screen);
	print_table(split, &screen);
	screen_empty_line(&screen);
	print_sentences(split, &screen);
	print_refusals(split, &screen);
	print_overlaps(split, &screen);
	print_assumptions(split, &screen);
}
