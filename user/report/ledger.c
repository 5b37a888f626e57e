// SPDX-License-Identifier: GPL-2.0
#include "ledger.h"

#include <stdlib.h>
#include <string.h>

#include "base/format.h"
#include "cells.h"
#include "reasons.h"
#include "result/ledger.h"

static const enum call syncs[] = {CALL_FSYNC, CALL_FDATASYNC, CALL_SYNC_RANGE, CALL_MSYNC, CALL_SYNC};

/* --- what was asked --- */

/* By their names where all of them are calls that were counted. */
static void add_syncs(struct text *list, const struct ledger *ledger, const struct run *run)
{
	uint64_t named = 0;

	for (size_t i = 0; i < ARRAY_SIZE(syncs); i++)
		named += run->trace->call[syncs[i]] ? run->trace->call[syncs[i]]->counts.calls : 0;
	for (size_t i = 0; i < ARRAY_SIZE(syncs) && named == ledger->syncs; i++)
		if (run->trace->call[syncs[i]])
			fact_count(list, run->trace->call[syncs[i]]->counts.calls, call_name[syncs[i]],
				   call_name[syncs[i]]);
	if (named != ledger->syncs)
		fact_count(list, ledger->syncs, "sync", "syncs");
}

static void print_asked(const struct screen *screen, const struct ledger *ledger, const struct run *run)
{
	char number[FORMAT_LENGTH], size[FORMAT_LENGTH];
	struct text list = {0};

	if (ledger->writes)
		fact_add(&list, "%s synchronous write%s%s%s%s", format_count(number, ledger->writes),
			 ledger->writes == 1 ? "" : "s", ledger->write_bytes ? " (" : "",
			 ledger->write_bytes ? format_size(size, ledger->write_bytes) : "",
			 ledger->write_bytes ? ")" : "");
	add_syncs(&list, ledger, run);
	if (ledger->buffered_bytes)
		fact_add(&list, "%s through the page cache", format_size(size, ledger->buffered_bytes));
	if (ledger->calls)
		fact_add(&list, "in %s of %s calls a flush ended", format_count(number, ledger->flushed),
			 format_count(size, ledger->calls));
	facts_print(screen, STYLE_PLAIN, &list);
}

/* --- what each layer got --- */

static void add_layer(struct table *table, const struct ledger_layer *layer)
{
	struct table_row *row = table_add(table, STYLE_PLAIN, layer->device);

	cell_count(row, 1, (double)layer->writes);
	cell_size(row, 2, layer->write_bytes);
	cell_count(row, 3, (double)layer->flushes);
	cell_count(row, 4, (double)layer->fua);
	cell_count(row, 5, (double)layer->asked_flush);
	cell_count(row, 6, (double)layer->asked_fua);
	if (layer->has_reached)
		cell_size(row, 7, layer->reached);
	else
		table_set(row, 7, "-");
}

static bool got_nothing(const struct ledger_layer *layer)
{
	return !layer->writes && !layer->write_bytes && !layer->flushes && !layer->fua && !layer->asked_flush &&
	       !layer->asked_fua && !layer->reached;
}

/* Of many disks those that had no part in it say nothing, but for where none had any. */
static void add_layers(struct table *table, const struct ledger *ledger)
{
	bool all = true;

	for (size_t i = 0; i < ledger->layers; i++)
		all &= got_nothing(&ledger->layer[i]);
	for (size_t i = 0; i < ledger->layers; i++)
		if (all || !got_nothing(&ledger->layer[i]))
			add_layer(table, &ledger->layer[i]);
}

static void print_layers(const struct screen *screen, const struct ledger *ledger)
{
	static const char *const heading[] = {"writes",	     "written",	  "flushes", "FUA",
					      "flush asked", "FUA asked", "reached"};
	struct table table = {0};
	struct table_row *row = table_add(&table, STYLE_HEADING, "durability");
	struct grid grid = {0};

	for (size_t i = 0; i < ARRAY_SIZE(heading); i++)
		table_set(row, i + 1, heading[i]);
	add_layers(&table, ledger);
	grid_take(&grid, &table);
	table_print(&table, &grid, screen);
	table_free(&table);
}

/* --- what follows from it --- */

static enum style style_of(const struct ledger *ledger)
{
	switch (ledger->durability) {
	case DURABILITY_MEMORY:
	case DURABILITY_UNFLUSHED:
	case DURABILITY_UNWRITTEN:
		return STYLE_WARNING;
	default:
		return STYLE_PLAIN;
	}
}

#define LARGE_WRITE (1 << 20) /* bytes */

/* A large synchronous write first fills the page cache, and its disk has nothing to do meanwhile. */
static const char *why_idle(const struct ledger *ledger)
{
	if (!ledger->idle_time)
		return "";
	if (ledger->buffered_bytes && ledger->writes && ledger->write_bytes / ledger->writes >= LARGE_WRITE)
		return ": filling the page cache comes first";
	return ": that is the kernel's own time, or waiting for a CPU";
}

static void print_idle(const struct screen *screen, const struct ledger *ledger)
{
	char call[FORMAT_LENGTH], idle[FORMAT_LENGTH], percent[FORMAT_LENGTH];

	if (!ledger->call_time)
		return;
	keep_together(format_latency(call, (double)ledger->call_time), sizeof(call));
	keep_together(format_latency(idle, (double)ledger->idle_time), sizeof(idle));
	format_fixed(percent, 100 * (double)ledger->idle_time / (double)ledger->call_time, 0);
	screen_paragraphf(screen, STYLE_PLAIN, 4,
			  KEEP KEEP "Of %s in these calls the disk was idle %s (%s" KEEP "%%)%s.", call, idle, percent,
			  why_idle(ledger));
}

/* Where the conclusion lowers the verdict it is told there, with what to do. */
static bool is_reason(const struct run *run)
{
	for (size_t i = 0; i < run->checks; i++)
		if (!strcmp(run->check[i].name, "durability") &&
		    (run->check[i].state == CHECK_WARNING || run->check[i].state == CHECK_FAILED))
			return true;
	return false;
}

/* The reasons of a bench are of several runs together: each run's own conclusion stays with its figures. */
static bool told_elsewhere(const struct run *run)
{
	return run->test == NO_TEST && is_reason(run);
}

static void print_ledger(const struct screen *screen, const struct ledger *ledger, const struct run *run)
{
	screen_empty_line(screen);
	if (ledger->layers)
		print_layers(screen, ledger);
	else
		screen_paragraph(screen, STYLE_HEADING, 2, "durability");
	print_asked(screen, ledger, run);
	if (ledger->conclusion && !told_elsewhere(run))
		screen_paragraphf(screen, style_of(ledger), 4, KEEP KEEP "%s", ledger->conclusion);
	print_idle(screen, ledger);
}

void print_ledgers(const struct view *view, const struct run *const *runs, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		struct ledger ledger;

		if (!runs[i]->trace || !ledger_of_run(&ledger, view->result, runs[i]))
			continue;
		if (ledger.durability != DURABILITY_NOT_ASKED || runs[i]->test == NO_TEST)
			print_ledger(&view->screen, &ledger, runs[i]);
		ledger_clear(&ledger);
	}
}

/* --- in short --- */

/* Conclusions that have been told. */
struct told {
	char **conclusion;
	size_t count;
};

static bool is_told(const struct told *told, const char *conclusion)
{
	for (size_t i = 0; i < told->count; i++)
		if (sentences_alike(told->conclusion[i], conclusion))
			return true;
	return false;
}

void print_durability(const struct view *view, size_t target)
{
	struct told told = {0};

	for (size_t i = 0; i < view->result->runs; i++) {
		const struct run *run = &view->result->run[i];
		struct ledger ledger;

		if (run->target != target || run->state != RUN_DONE || !run->trace || is_reason(run) ||
		    !ledger_of_run(&ledger, view->result, run))
			continue;
		if (ledger.durability != DURABILITY_NOT_ASKED && ledger.conclusion &&
		    !is_told(&told, ledger.conclusion)) {
			screen_paragraphf(&view->screen, style_of(&ledger), 2, "Durability: %s", ledger.conclusion);
			strings_add(&told.conclusion, &told.count, ledger.conclusion);
		}
		ledger_clear(&ledger);
	}
	strings_free(told.conclusion);
}
