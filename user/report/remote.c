// SPDX-License-Identifier: GPL-2.0
#include "remote.h"

#include <stdlib.h>
#include <string.h>

#include "base/format.h"
#include "base/text.h"
#include "cells.h"
#include "result/remote.h"

enum column { NAME, NUMBER, EACH, MEAN, HIGH, MAX, BYTES, FAILED };

/* Of several runs. */
struct trips {
	struct remote_view *view; /* the strings are the first run's */
	size_t views;
	uint64_t ios; /* reads and writes of the program that ended */
};

static struct remote_view *find(const struct trips *trips, const struct remote_view *wanted)
{
	for (size_t i = 0; i < trips->views; i++) {
		struct remote_view *view = &trips->view[i];

		if (!strcmp(view->protocol, wanted->protocol) && !strcmp(view->kind, wanted->kind) &&
		    view->written_back == wanted->written_back)
			return view;
	}
	return NULL;
}

static void add_view(struct trips *trips, const struct remote_view *from)
{
	struct remote_view *into = find(trips, from);

	if (!into) {
		trips->view = xreallocarray(trips->view, trips->views + 1, sizeof(*trips->view));
		trips->view[trips->views++] = *from;
		return;
	}
	into->sent += from->sent;
	into->answered += from->answered;
	into->failed += from->failed;
	into->bytes += from->bytes;
	hist_merge(&into->time, &from->time);
}

static void add_run(struct trips *trips, const struct trace_view *trace)
{
	for (int op = 0; op < DIRECTIONS; op++)
		trips->ios += trace->io[op] ? io_ended(trace->io[op]) : 0;
	for (size_t i = 0; i < trace->remotes; i++)
		add_view(trips, &trace->remote[i]);
}

static void add_row(struct table *table, const struct trips *trips, const struct remote_view *view)
{
	char *name = xasprintf("%s%s", view->kind, view->written_back ? " (writeback)" : ""), number[FORMAT_LENGTH];
	struct table_row *row = table_add(table, STYLE_PLAIN, name);

	free(name);
	cell_count(row, NUMBER, (double)view->sent);
	if (trips->ios)
		table_set(row, EACH, format_fixed(number, (double)view->sent / (double)trips->ios, 2));
	cell_latency(row, MEAN, view->time.count, hist_mean(&view->time));
	cell_latency(row, HIGH, view->time.count, (double)hist_percentile(&view->time, percentile_percent[P99]));
	cell_latency(row, MAX, view->time.count, (double)view->time.max);
	if (view->has_bytes && view->bytes)
		cell_size(row, BYTES, view->bytes);
	if (view->failed)
		cell_count(row, FAILED, (double)view->failed);
}

static void print_trips(const struct screen *screen, const struct trips *trips)
{
	static const char *const heading[] = {
		[NUMBER] = "number", [EACH] = "per I/O", [MEAN] = "mean",    [HIGH] = "p99",
		[MAX] = "max",	     [BYTES] = "bytes",	 [FAILED] = "failed"};
	struct table table = {0};
	struct table_row *row = table_add(&table, STYLE_HEADING, "round trips");
	struct grid grid = {0};

	for (size_t i = NUMBER; i <= FAILED; i++)
		table_set(row, i, heading[i]);
	for (size_t i = 0; i < trips->views; i++)
		add_row(&table, trips, &trips->view[i]);
	screen_empty_line(screen);
	grid_take(&grid, &table);
	table_print(&table, &grid, screen);
	table_free(&table);
}

bool print_round_trips(const struct screen *screen, const struct run *const *runs, size_t count)
{
	struct trips trips = {0};
	bool any;

	for (size_t i = 0; i < count; i++)
		if (runs[i]->state == RUN_DONE && runs[i]->trace)
			add_run(&trips, runs[i]->trace);
	any = trips.views;
	if (any)
		print_trips(screen, &trips);
	free(trips.view);
	return any;
}

void print_unseen(const struct view *view, size_t target)
{
	const struct run *traced = view_first(view, target, true);

	if (!traced || !traced->trace->remotes || !target_is_remote(&view->result->target[target]))
		return;
	screen_paragraph(&view->screen, STYLE_PLAIN, 2,
			 "remote ends with the server's answer: what the server and its host do is not visible from "
			 "here.");
}
