// SPDX-License-Identifier: GPL-2.0
#include "tables.h"

#include <stdlib.h>
#include <string.h>

#include "base/format.h"
#include "cells.h"
#include "places.h"
#include "result/summary.h"
#include "result/verdict.h"
#include "share.h"

/*
 * The columns of both tables; what stands under one another is of the same kind. Behind the mean come the percentiles
 * and, last, the CPU or what was seen. Where there are verdicts, they end the line, and the median gives way to them:
 * a line has no room for both.
 */
enum column { NAME, MBPS, IOPS, MEAN, FIRST_PERCENTILE, SHARE = MBPS, REST = IOPS };

static const struct {
	enum percentile percentile;
	const char *heading;
} percentile_column[] = {{P50, "p50"}, {P99, "p99"}, {P99_9, "p99.9"}};

static size_t first_percentile(const struct view *view)
{
	return view_judged(view) ? 1 : 0;
}

/* The column behind the percentiles. */
static size_t last_column(const struct view *view)
{
	return FIRST_PERCENTILE + ARRAY_SIZE(percentile_column) - first_percentile(view);
}

static void set_mbps(struct table_row *row, size_t column, double bytes_per_second)
{
	cell_number(row, column, bytes_per_second / 1e6, 2);
}

static void set_headings(const struct view *view, struct table_row *row, const char *second, const char *third,
			 const char *last)
{
	size_t column = FIRST_PERCENTILE;

	table_set(row, 1, second);
	table_set(row, 2, third);
	table_set(row, MEAN, "mean");
	for (size_t i = first_percentile(view); i < ARRAY_SIZE(percentile_column); i++)
		table_set(row, column++, percentile_column[i].heading);
	table_set(row, column, last);
}

/* --- what the program saw --- */

static void add_measured(struct table *table, const struct view *view, size_t count, const struct test *test,
			 const struct summary *summary)
{
	struct table_row *row = table_add(table, STYLE_PLAIN, test->name);
	size_t column = FIRST_PERCENTILE;

	set_mbps(row, MBPS, summary->bytes_per_second);
	cell_count(row, IOPS, summary->ios_per_second);
	cell_latency(row, MEAN, summary->mean > 0, summary->mean);
	for (size_t i = first_percentile(view); i < ARRAY_SIZE(percentile_column); i++) {
		enum percentile percentile = percentile_column[i].percentile;

		cell_latency(row, column++, summary->has_percentile[percentile],
			     (double)summary->percentile[percentile]);
	}
	if (summary->has_samples)
		cell_number(row, column++, summary->cpu_mean, 1);
	else
		table_set(row, column++, "-");
	if (view_judged(view))
		cell_verdict(row, column, verdict_of_runs(view->runs, count));
}

static bool same_end(const struct run *a, const struct run *b)
{
	return a->state == b->state && !strcmp(a->reason ? a->reason : "", b->reason ? b->reason : "");
}

void add_not_done(struct table *table, const struct view *view, size_t count, const char *name, bool named)
{
	const struct run *last = NULL;

	for (size_t i = 0; i < count; i++) {
		const struct run *run = view->runs[i];
		struct table_row *row;
		struct text text = {0};

		if (run->state == RUN_DONE || (last && same_end(last, run)))
			continue;
		row = table_add(table, run->state == RUN_FAILED ? STYLE_FAILED : STYLE_WARNING, named ? "" : name);
		if (view->result->options.iterations > 1 && run->state != RUN_SKIPPED)
			text_addf(&text, "iteration %u ", run->iteration);
		text_addf(&text, "%s%s%s", run_state_name[run->state], run->reason ? ": " : "",
			  run->reason ? run->reason : "");
		row->span = text_take(&text);
		named = true;
		last = run;
	}
}

void program_table(const struct view *view, size_t target, struct table *table)
{
	const struct result *result = view->result;
	enum latency_kind kind = result->options.latency;
	char *title = xasprintf("%s (%s)", result->options.quick ? "QUICK" : "program", latency_name[kind]);
	struct table_row *heading = table_add(table, STYLE_HEADING, title);

	set_headings(view, heading, "MB/s", "IOPS", "CPU %");
	if (view_judged(view))
		table_set(heading, last_column(view) + 1, "verdict");
	free(title);
	for (size_t i = 0; i < result->tests; i++) {
		size_t count = view_pick(view, target, i);
		struct summary summary;

		summary_of_runs(&summary, view->runs, count, &result->test[i], kind);
		if (summary.runs)
			add_measured(table, view, count, &result->test[i], &summary);
		add_not_done(table, view, count, result->test[i].name, summary.runs > 0);
		summary_clear(&summary);
	}
}

/* --- what the device took --- */

/* As long as the names of the tests, so that the table does not grow by it. */
#define TITLE_COLUMNS 18

static char *device_title(const struct view *view, const struct trace_view *trace, const char *usual)
{
	const char *what = view->result->options.quick ? "QUICK" : usual;
	struct text names = {0};
	char *title;

	/* I/Os are followed on the target's own disk, whatever that stands on; the rest is of the leaves. */
	if (trace->ios && trace->top)
		text_addf(&names, "%s", trace->top);
	for (size_t i = 0; i < trace->leaves && !trace->ios; i++)
		text_addf(&names, "%s%s", i ? ", " : "", trace->leaf[i].device);
	if (names.data && text_columns(what) + text_columns(names.data) + 3 <= TITLE_COLUMNS)
		title = xasprintf("%s (%s)", what, names.data);
	else if (trace->leaves > 1 && !trace->ios)
		title = xasprintf("%s (%zu leaves)", what, trace->leaves);
	else
		title = xstrdup(what);
	text_free(&names);
	return title;
}

static void add_traced(struct table *table, const struct view *view, const struct test *test, const struct share *share)
{
	struct table_row *row = table_add(table, STYLE_PLAIN, test->name);
	bool known = share->state == SHARE_KNOWN;
	size_t column = FIRST_PERCENTILE;

	cell_percent(row, SHARE, known, 100 * share->device_mean / share->latency_mean);
	cell_latency(row, REST, known, share->latency_mean - share->device_mean);
	cell_latency(row, MEAN, true, share->device_mean);
	for (size_t i = first_percentile(view); i < ARRAY_SIZE(percentile_column); i++)
		cell_latency(row, column++, share->has_percentile,
			     (double)share->percentile[percentile_column[i].percentile]);
	cell_coverage(row, column, share->coverage_percent);
}

static void add_not_traced(struct table *table, const struct view *view, size_t count, const struct test *test)
{
	struct table_row *row = table_add(table, STYLE_WARNING, test->name);
	const char *reason = NULL;

	for (size_t i = 0; i < count && !reason; i++)
		reason = view->runs[i]->untraced;
	row->span = xasprintf("not traced%s%s", reason ? ": " : "", reason ? reason : "");
}

void device_table(const struct view *view, size_t target, struct table *table)
{
	const struct result *result = view->result;
	const struct run *traced = view_first(view, target, true);
	char *title;

	if (!traced)
		return;
	title = device_title(view, traced->trace, "device");
	set_headings(view, table_add(table, STYLE_HEADING, title), "of lat", "rest", "seen %");
	free(title);
	for (size_t i = 0; i < result->tests; i++) {
		size_t count = view_pick(view, target, i);
		struct share share;

		share_of_runs(&share, view->runs, count, &result->test[i]);
		if (!share.runs)
			continue;
		if (share.state == SHARE_NOT_TRACED)
			add_not_traced(table, view, count, &result->test[i]);
		else if (share.state == SHARE_NO_REQUESTS)
			table_add(table, STYLE_WARNING, result->test[i].name)->span = xstrdup("no request seen");
		else
			add_traced(table, view, &result->test[i], &share);
	}
}

/* --- where the time of the program's I/Os went --- */

/* The figures of one target while its table is made. */
struct places {
	const struct view *view;
	size_t target;
	struct io_summary *test; /* one for each */
	bool doorbell, sync;
	bool remote; /* a file system's server was asked, and no device */
};

/* A doorbell that is known of no test gets no column. */
static void summarize(struct places *places)
{
	const struct result *result = places->view->result;
	bool rung = false;

	places->test = xcalloc(result->tests, sizeof(*places->test));
	for (size_t i = 0; i < result->tests; i++) {
		struct io_summary *summary = &places->test[i];

		io_summary_of_runs(summary, places->view->runs, view_pick(places->view, places->target, i),
				   test_io_ops(&result->test[i]));
		places->sync |= summary->runs && summary->sum->stage[IO_STAGE_SYNC].count;
		places->remote |= summary->runs && device_stage(summary) == IO_STAGE_REMOTE;
		rung |= summary->runs && summary->sum->stage[IO_STAGE_DOORBELL].count;
	}
	places->doorbell &= rung;
}

static void set_place_headings(const struct places *places, struct table *table)
{
	char *title = device_title(places->view, view_first(places->view, places->target, true)->trace, "of lat");
	struct table_row *row = table_add(table, STYLE_HEADING, title);
	size_t column = 1;

	free(title);
	for (int place = 0; place < PLACES; place++)
		if (place != PLACE_SYNC || places->sync)
			table_set(row, column++,
				  place == PLACE_DEVICE && places->remote ? io_stage_name[IO_STAGE_REMOTE]
									  : place_name[place]);
	table_set(row, column++, places->remote ? "p99 of it" : "dev p99");
	if (places->doorbell)
		table_set(row, column++, io_stage_name[IO_STAGE_DOORBELL]);
	table_set(row, column, "joined");
}

static void add_places(struct table *table, const struct places *places, const char *name,
		       const struct io_summary *summary)
{
	const struct hist *device = &summary->sum->stage[device_stage(summary)];
	struct table_row *row = table_add(table, STYLE_PLAIN, name);
	uint64_t ended = io_ended(summary->sum) + summary->sum->counts.table_full;
	char *joined = coverage_in_words(summary->sum->counts.end[IO_END_JOINED], ended);
	size_t column = 1;

	for (int place = 0; place < PLACES; place++)
		if (place != PLACE_SYNC || places->sync)
			cell_percent(row, column++,
				     summary->lat > 0 &&
					     (place != PLACE_PROGRAM || total_fits(summary->total, summary->lat)),
				     100 * place_mean(summary, place) / summary->lat);
	cell_latency(row, column++, device->count, (double)hist_percentile(device, percentile_percent[P99]));
	if (places->doorbell)
		cell_latency(row, column++, summary->sum->stage[IO_STAGE_DOORBELL].count,
			     summary->mean[IO_STAGE_DOORBELL]);
	table_set(row, column, joined);
	free(joined);
}

/* Says how most of them ended. */
static char *why_none_joined(const struct io_summary *summary)
{
	const uint64_t *end = summary->sum->counts.end;
	char count[FORMAT_LENGTH];
	int most = 0;

	for (int i = 0; i < IO_ENDS; i++)
		if (end[i] > end[most])
			most = i;
	if (!end[most])
		return xstrdup("no I/O of it was seen");
	return xasprintf("no I/O was joined: %s %s", format_count(count, end[most]), io_end_name[most]);
}

static void add_place_row(struct table *table, const struct places *places, size_t test)
{
	const char *name = places->view->result->test[test].name;
	const struct io_summary *summary = &places->test[test];
	size_t count = view_pick(places->view, places->target, test), done = 0;

	for (size_t i = 0; i < count; i++)
		done += places->view->runs[i]->state == RUN_DONE;
	if (!done)
		return;
	if (!summary->runs)
		add_not_traced(table, places->view, count, &places->view->result->test[test]);
	else if (!summary->sum->counts.end[IO_END_JOINED])
		table_add(table, STYLE_WARNING, name)->span = why_none_joined(summary);
	else
		add_places(table, places, name, summary);
}

void place_table(const struct view *view, size_t target, bool doorbell, struct table *table)
{
	struct places places = {.view = view, .target = target, .doorbell = doorbell};

	if (!view_followed(view, target))
		return;
	summarize(&places);
	set_place_headings(&places, table);
	for (size_t i = 0; i < view->result->tests; i++) {
		add_place_row(table, &places, i);
		io_summary_clear(&places.test[i]);
	}
	free(places.test);
}

/* --- several runs of a test --- */

void spread_table(const struct view *view, size_t target, struct table *table)
{
	static const char *const heading[] = {"average", "lowest", "highest", "spread"};
	const struct result *result = view->result;
	char *title = xasprintf("IOPS of %u runs", result->options.iterations);
	struct table_row *row = table_add(table, STYLE_HEADING, title);

	free(title);
	for (size_t i = 0; i < ARRAY_SIZE(heading); i++)
		table_set(row, i + 1, heading[i]);
	for (size_t i = 0; i < result->tests; i++) {
		struct summary summary;
		double apart;

		summary_of_runs(&summary, view->runs, view_pick(view, target, i), &result->test[i],
				result->options.latency);
		if (summary.runs > 1) {
			apart = summary.highest_ios_per_second - summary.lowest_ios_per_second;
			row = table_add(table, STYLE_PLAIN, result->test[i].name);
			cell_count(row, 1, summary.ios_per_second);
			cell_count(row, 2, summary.lowest_ios_per_second);
			cell_count(row, 3, summary.highest_ios_per_second);
			cell_percent(row, 4, summary.ios_per_second > 0, 100 * apart / summary.ios_per_second);
		}
		summary_clear(&summary);
	}
}

void average_table(const struct view *view, struct table *table)
{
	static const char *const heading[] = {"runs", "MB/s", "mean", "IOPS", "lowest", "highest"};
	const struct result *result = view->result;
	enum latency_kind kind = result->options.latency;
	char *title = xasprintf("%saverage of %zu targets (%s)", result->options.quick ? "QUICK " : "", result->targets,
				latency_name[kind]);
	struct table_row *row = table_add(table, STYLE_HEADING, title);

	free(title);
	for (size_t i = 0; i < ARRAY_SIZE(heading); i++)
		table_set(row, i + 1, heading[i]);
	for (size_t i = 0; i < result->tests; i++) {
		struct summary summary;

		summary_of_runs(&summary, view->runs, view_pick(view, ANY_TARGET, i), &result->test[i], kind);
		if (summary.runs) {
			row = table_add(table, STYLE_PLAIN, result->test[i].name);
			cell_count(row, 1, (double)summary.runs);
			set_mbps(row, 2, summary.bytes_per_second);
			cell_latency(row, 3, summary.mean > 0, summary.mean);
			cell_count(row, 4, summary.ios_per_second);
			cell_count(row, 5, summary.lowest_ios_per_second);
			cell_count(row, 6, summary.highest_ios_per_second);
		}
		summary_clear(&summary);
	}
}
