// SPDX-License-Identifier: GPL-2.0
#include "sweep.h"

#include <stdlib.h>
#include <string.h>

#include "base/format.h"
#include "cells.h"
#include "result/sweep.h"
#include "result/verdict.h"
#include "tables.h"

enum column { DEPTH, IOPS, MBPS, MEAN, MEDIAN, HIGH, REACHED, VERDICT, KNEE };

/* --- the table --- */

static void add_heading(const struct view *view, struct table *table)
{
	static const char *const heading[] = {
		[IOPS] = "IOPS",  [MBPS] = "MB/s", [MEAN] = "mean",
		[MEDIAN] = "p50", [HIGH] = "p99",  [REACHED] = "at device",
	};
	char *title = xasprintf("%s (%s)", view->result->options.quick ? "QUICK" : "depth",
				latency_name[view->result->options.latency]);
	struct table_row *row = table_add(table, STYLE_HEADING, title);

	free(title);
	for (size_t column = IOPS; column <= REACHED; column++)
		table_set(row, column, heading[column]);
	if (view_judged(view))
		table_set(row, VERDICT, "verdict");
}

static void add_measured(struct table *table, const struct sweep_point *point, const char *depth)
{
	const struct summary *summary = &point->summary;
	struct table_row *row = table_add(table, STYLE_PLAIN, depth);

	cell_count(row, IOPS, summary->ios_per_second);
	cell_number(row, MBPS, summary->bytes_per_second / 1e6, 2);
	cell_latency(row, MEAN, summary->mean > 0, summary->mean);
	cell_latency(row, MEDIAN, summary->has_percentile[P50], (double)summary->percentile[P50]);
	cell_latency(row, HIGH, summary->has_percentile[P99], (double)summary->percentile[P99]);
	if (point->reached >= 0)
		cell_number(row, REACHED, point->reached, 2);
	else
		table_set(row, REACHED, "-");
}

static void add_point(struct table *table, const struct view *view, size_t target, const struct sweep_point *point,
		      bool knee)
{
	size_t count = view_pick(view, target, point->test);
	char depth[FORMAT_LENGTH];

	format_count(depth, point->depth);
	if (point->summary.runs) {
		struct table_row *row;

		add_measured(table, point, depth);
		row = &table->row[table->rows - 1];
		if (view_judged(view))
			cell_verdict(row, VERDICT, verdict_of_runs(view->runs, count));
		if (knee)
			table_set(row, KNEE, "<- knee");
	}
	add_not_done(table, view, count, depth, point->summary.runs > 0);
}

void sweep_table(const struct view *view, size_t target, struct table *table)
{
	struct sweep sweep;

	sweep_of_target(&sweep, view->result, target);
	add_heading(view, table);
	for (size_t i = 0; i < sweep.points; i++)
		add_point(table, view, target, &sweep.point[i], i == sweep.knee);
	sweep_clear(&sweep);
}

/* --- in words --- */

void print_pattern(const struct view *view)
{
	const struct test *test = &view->result->test[0];
	const char *depth = strstr(test->name, "-Q"), *rest;

	if (!view->result->tests || !depth)
		return;
	rest = depth + 2 + strspn(depth + 2, "0123456789");
	if (test->jobs > 1)
		screen_paragraphf(&view->screen, STYLE_HEADING, 2, "%.*s-Q*%s by the depth of all %u jobs together",
				  (int)(depth - test->name), test->name, rest, test->jobs);
	else
		screen_paragraphf(&view->screen, STYLE_HEADING, 2, "%.*s-Q*%s by depth", (int)(depth - test->name),
				  test->name, rest);
}

static const struct sweep_point *deepest_known(const struct sweep *sweep, size_t *known)
{
	const struct sweep_point *deepest = NULL;

	*known = 0;
	for (size_t i = 0; i < sweep->points; i++) {
		if (!sweep->point[i].summary.runs)
			continue;
		deepest = &sweep->point[i];
		(*known)++;
	}
	return deepest;
}

/* The share of the most IOPS that came at the knee. */
static double share_at_knee(const struct sweep *sweep)
{
	double most = 0;

	for (size_t i = 0; i < sweep->points; i++)
		if (sweep->point[i].summary.runs && sweep->point[i].summary.ios_per_second > most)
			most = sweep->point[i].summary.ios_per_second;
	return most > 0 ? sweep->point[sweep->knee].summary.ios_per_second / most : 0;
}

static void add_knee(struct text *text, const struct sweep *sweep, const struct sweep_point *deepest)
{
	char number[FORMAT_LENGTH], percent[FORMAT_LENGTH];

	if (sweep->knee == NO_KNEE) {
		text_addf(text,
			  "There is no knee up to depth" KEEP "%s: the deepest gave the most IOPS, and more depth may "
			  "give more.",
			  format_count(number, deepest->depth));
		return;
	}
	format_fixed(percent, (double)(int)(100 * share_at_knee(sweep)), 0);
	text_addf(text, "The knee is at depth" KEEP "%s: %s" KEEP "%% of the most IOPS; deeper adds %slatency%s.",
		  format_count(number, sweep->point[sweep->knee].depth), percent,
		  strcmp(percent, "100") != 0 ? "mostly " : "", strcmp(percent, "100") != 0 ? "" : " only");
}

/* So much fewer IOPS at a greater depth are no matter of the depth. */
#define EVEN 0.9

/* Up to the knee: deeper a device may well be slower. */
static bool rises_evenly(const struct sweep *sweep)
{
	double most = 0;

	for (size_t i = 0; i < sweep->points && (sweep->knee == NO_KNEE || i <= sweep->knee); i++) {
		const struct summary *summary = &sweep->point[i].summary;

		if (!summary->runs)
			continue;
		if (summary->ios_per_second < EVEN * most)
			return false;
		if (summary->ios_per_second > most)
			most = summary->ios_per_second;
	}
	return true;
}

static bool is_in_doubt(const struct run *run, const char *name)
{
	for (size_t i = 0; i < run->checks; i++)
		if (!strcmp(run->check[i].name, name) &&
		    (run->check[i].state == CHECK_WARNING || run->check[i].state == CHECK_FAILED))
			return true;
	return false;
}

/* "clock, foreign": what makes the rate of one depth another than it would be beside the others. NULL: nothing. */
static char *doubts_of(const struct view *view, size_t target)
{
	static const char *const changing[] = {"clock", "foreign", "steady"};
	struct text text = {0};

	for (size_t name = 0; name < ARRAY_SIZE(changing); name++) {
		bool doubt = false;

		for (size_t i = 0; i < view->result->runs; i++)
			doubt |= view->result->run[i].target == target &&
				 is_in_doubt(&view->result->run[i], changing[name]);
		if (doubt)
			text_addf(&text, "%s%s", text.length ? ", " : "", changing[name]);
	}
	return text.length ? text_take(&text) : NULL;
}

/* Says why the knee might not be where it seems to be; false: nothing speaks against it. */
static bool add_uncertainty(struct text *text, const struct view *view, size_t target, const struct sweep *sweep)
{
	bool even = rises_evenly(sweep);
	char *doubts = doubts_of(view, target);
	const char *so = sweep->knee == NO_KNEE ? "whether there is a knee is uncertain" : "the knee is uncertain";

	if (!even && doubts)
		text_addf(text, " The rates do not rise evenly, and some are in doubt (%s): %s.", doubts, so);
	else if (!even)
		text_addf(text, " The rates do not rise evenly: %s.", so);
	else if (doubts)
		text_addf(text, " Some of the rates are in doubt (%s): %s.", doubts, so);
	even &= !doubts;
	free(doubts);
	return !even;
}

/* More than the deepest has is no advice, and where the least depth is the knee there is none to be given. */
static void add_saturation(struct text *text, const struct sweep *sweep, const struct sweep_point *deepest)
{
	char number[FORMAT_LENGTH];

	if (sweep->knee && sweep->saturation > 0 && sweep->saturation <= deepest->depth)
		text_addf(text, " By Little's law %s in flight would be enough.",
			  format_fixed(number, sweep->saturation, 1));
}

static void print_limit(const struct view *view, size_t target, const struct sweep_point *deepest)
{
	size_t count = view_pick(view, target, deepest->test);
	char depth[FORMAT_LENGTH];

	for (size_t i = 0; i < count; i++) {
		for (size_t c = 0; c < view->runs[i]->checks; c++) {
			const struct check *check = &view->runs[i]->check[c];

			if (!check->finding || strcmp(check->name, "limit") != 0)
				continue;
			screen_paragraphf(&view->screen, STYLE_PLAIN, 2, "Limit at depth" KEEP "%s: %s",
					  format_count(depth, deepest->depth), check->sentence);
			return;
		}
	}
}

void print_knee(const struct view *view, size_t target)
{
	const struct sweep_point *deepest;
	struct text text = {0};
	struct sweep sweep;
	size_t known;

	sweep_of_target(&sweep, view->result, target);
	deepest = deepest_known(&sweep, &known);
	if (known > 1) {
		add_knee(&text, &sweep, deepest);
		if (!add_uncertainty(&text, view, target, &sweep))
			add_saturation(&text, &sweep, deepest);
		screen_paragraph(&view->screen, STYLE_PLAIN, 0, text.data);
	}
	if (deepest)
		print_limit(view, target, deepest);
	text_free(&text);
	sweep_clear(&sweep);
}
