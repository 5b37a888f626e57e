// SPDX-License-Identifier: GPL-2.0
#include "trace.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/format.h"
#include "beliefs.h"
#include "cells.h"
#include "heading.h"
#include "ledger.h"
#include "notes.h"
#include "reasons.h"
#include "remote.h"
#include "result/check.h"
#include "stages.h"
#include "target.h"
#include "timeline.h"

#define MOST_FOREIGNERS 8
#define FEW_SLOW	3
#define MOST_SLOW	8
#define FIRST_SIGNAL	128 /* in a status */

struct report {
	struct view view;
	const struct screen *screen;
	const struct run *run;
	const struct trace_view *trace;
	bool verbose;
};

bool result_is_trace(const struct result *result)
{
	return result->runs == 1 && result->run[0].test == NO_TEST;
}

/* --- heading --- */

static void print_heading(const struct report *report)
{
	const struct result *result = report->view.result;
	char recorded[FORMAT_LENGTH];
	struct text text = {0};

	add_version(&text, result);
	text_addf(&text, DOT "trace" DOT "%.10s" KEEP "%s", result->timestamp, result->timestamp + 11);
	if (report->trace) {
		keep_together(format_exact_span(recorded, report->trace->recorded), sizeof(recorded));
		text_addf(&text, DOT "%s" KEEP "recorded", recorded);
	}
	screen_paragraph(report->screen, STYLE_HEADING, 2, text.data);
	text_free(&text);
}

/* The traced program, or the command line that says whose I/O it is. */
static void print_command(const struct report *report)
{
	char *const *command = report->run->command ? report->run->command : report->view.result->command;
	struct text text = {0};

	for (; command && *command; command++)
		text_addf(&text, "%s%s", text.length ? " " : "", *command);
	if (text.length)
		screen_paragraph(report->screen, STYLE_PLAIN, 2, text.data);
	text_free(&text);
}

/* As they were given, and which they are. */
static void print_disks(const struct report *report)
{
	const struct result *result = report->view.result;
	const struct target *target = &result->target[report->run->target];
	char *words = target_with_path_in_words(target);
	struct text text = {0};

	text_addf(&text, "on ");
	if (!*words || strncmp(words, target->given, strlen(target->given)))
		text_addf(&text, "%s%s", target->given, *words ? ": " : "");
	text_addf(&text, "%s", words);
	add_machine(&text, &result->machine);
	screen_paragraph(report->screen, STYLE_PLAIN, 2, text.data);
	text_free(&text);
	free(words);
}

/* Of its own width, below an empty line; nothing but its heading is nothing. */
static void print_table(const struct report *report, struct table *table)
{
	struct grid grid = {0};

	if (table->rows > 1) {
		screen_empty_line(report->screen);
		grid_take(&grid, table);
		table_print(table, &grid, report->screen);
	}
	table_free(table);
}

static void set_headings(struct table_row *row, const char *const *heading, size_t count)
{
	for (size_t i = 0; i < count; i++)
		table_set(row, i + 1, heading[i]);
}

/* --- calls --- */

static void print_calls(const struct report *report)
{
	static const char *const heading[] = {"number", "per s", "mean", "p99", "max", "bytes", "failed"};
	double seconds = (double)report->trace->recorded / NS_PER_SECOND;
	struct table table = {0};

	set_headings(table_add(&table, STYLE_HEADING, "calls"), heading, ARRAY_SIZE(heading));
	for (int i = 0; i < CALLS; i++) {
		const struct call_view *call = report->trace->call[i];
		struct table_row *row;

		if (!call || !call->counts.calls)
			continue;
		row = table_add(&table, STYLE_PLAIN, call_name[i]);
		cell_count(row, 1, (double)call->counts.calls);
		cell_count(row, 2, seconds > 0 ? (double)call->counts.calls / seconds : 0);
		cell_latency(row, 3, call->time.count, hist_mean(&call->time));
		cell_latency(row, 4, call->time.count, (double)hist_percentile(&call->time, percentile_percent[P99]));
		cell_latency(row, 5, call->time.count, (double)call->time.max);
		if (call->counts.bytes)
			cell_size(row, 6, call->counts.bytes);
		if (call->counts.failed)
			cell_count(row, 7, (double)call->counts.failed);
	}
	print_table(report, &table);
}

/* Each of those is an I/O, too, and stands there with its stages. */
static void print_direct(const struct report *report)
{
	struct text text = {0};

	for (int i = 0; i < CALLS; i++) {
		const struct call_view *call = report->trace->call[i];
		char number[FORMAT_LENGTH];

		if (call && call->counts.direct)
			text_addf(&text, "%s %s" KEEP "%s", text.length ? "," : "",
				  format_count(number, call->counts.direct), call_name[i]);
	}
	if (text.length)
		screen_paragraphf(report->screen, STYLE_PLAIN, 2, "Direct%s, and therefore among the I/Os too:%s.",
				  report->trace->remotes ? " or on a file system without a device" : "", text.data);
	text_free(&text);
}

/* What of the calls' time no class was in flight: the kernel's own. */
static uint64_t kernel_time(const struct call_view *call)
{
	uint64_t busy = 0;

	for (int class = 0; class < CLASSES; class ++)
		busy += call->counts.clock[class];
	return call->time.sum > busy ? call->time.sum - busy : 0;
}

/* Whose that time is: round trips to servers of file systems lie in it. */
static const char *rest_in_words(const struct report *report)
{
	return report->trace->remotes ? "kernel and servers" : "kernel";
}

static void add_waits(struct table *table, enum call kind, const struct call_view *call)
{
	struct table_row *row = table_add(table, STYLE_PLAIN, call_name[kind]);
	double all = (double)call->time.sum;

	for (int class = 0; class < CLASSES; class ++)
		if (call->counts.clock[class])
			cell_percent(row, (size_t) class + 1, true, 100 * (double)call->counts.clock[class] / all);
	cell_percent(row, CLASSES + 1, true, 100 * (double)kernel_time(call) / all);
	for (int op = 0; op < DIRECTIONS; op++)
		if (call->counts.bios[op].bytes)
			cell_size(row, CLASSES + 2 + (size_t)op, call->counts.bios[op].bytes);
}

/* What was in flight at the disk while the calls slept, and what they moved there themselves. */
static void print_waits(const struct report *report)
{
	struct table table = {0};
	struct table_row *row = table_add(&table, STYLE_HEADING, "in flight meanwhile");

	set_headings(row, class_name, CLASSES);
	table_set(row, CLASSES + 1, rest_in_words(report));
	table_set(row, CLASSES + 2, "disk read");
	table_set(row, CLASSES + 3, "written");
	for (int i = 0; i < CALLS; i++)
		if (report->trace->call[i] && report->trace->call[i]->time.sum)
			add_waits(&table, i, report->trace->call[i]);
	print_table(report, &table);
}

static void add_wait(struct text *text, double ns, const char *what)
{
	char latency[FORMAT_LENGTH];

	if (ns <= 0)
		return;
	keep_together(format_latency(latency, ns), sizeof(latency));
	text_addf(text, "%s %s" KEEP "%s", text->length ? "," : "", latency, what);
}

/* What the mean call of this kind waited for, in words. */
static void print_sync(const struct report *report, enum call kind)
{
	static const char *const words[CLASSES] = {
		[CLASS_DATA] = "own data",
		[CLASS_OTHERS] = "others",
		[CLASS_JOURNAL] = "journal",
		[CLASS_FLUSH] = "flush",
	};
	const struct call_view *call = report->trace->call[kind];
	double count = call ? (double)call->time.count : 0;
	char mean[FORMAT_LENGTH];
	struct text text = {0};

	if (count <= 0)
		return;
	for (int class = 0; class < CLASSES; class ++)
		add_wait(&text, (double)call->counts.clock[class] / count, words[class]);
	add_wait(&text, (double)kernel_time(call) / count, rest_in_words(report));
	keep_together(format_latency(mean, hist_mean(&call->time)), sizeof(mean));
	screen_paragraphf(report->screen, STYLE_PLAIN, 2, "%s took %s%s%s.", call_name[kind], mean,
			  text.length ? ":" : "", text.length ? text.data : "");
	text_free(&text);
}

static void print_syncs(const struct report *report)
{
	static const enum call syncs[] = {CALL_FSYNC, CALL_FDATASYNC, CALL_SYNC_RANGE, CALL_MSYNC, CALL_SYNC};

	for (size_t i = 0; i < ARRAY_SIZE(syncs); i++)
		print_sync(report, syncs[i]);
}

/* --- who was on the disk --- */

static const char *const moved_heading[] = {"reads", "read", "writes", "written", "flushes"};

static void set_moved(struct table_row *row, size_t column, const struct bio_counts counts[OPS])
{
	for (int op = 0; op < DIRECTIONS; op++) {
		if (!counts[op].bios)
			continue;
		cell_count(row, column + 2 * (size_t)op, (double)counts[op].bios);
		cell_size(row, column + 2 * (size_t)op + 1, counts[op].bytes);
	}
	if (counts[OP_FLUSH].bios)
		cell_count(row, column + 2 * DIRECTIONS, (double)counts[OP_FLUSH].bios);
}

static bool moved_any(const struct bio_counts counts[OPS])
{
	for (int op = 0; op < OPS; op++)
		if (counts[op].bios)
			return true;
	return false;
}

/* What the tables have no columns for. */
static void print_rare_ops(const struct report *report)
{
	struct text text = {0};

	for (int owner = 0; owner < OWNERS; owner++) {
		for (int op = OP_FLUSH + 1; op < OPS; op++) {
			const struct bio_counts *counts = &report->trace->queued[owner][op];
			char number[FORMAT_LENGTH], size[FORMAT_LENGTH];

			if (!counts->bios)
				continue;
			text_addf(&text, "%s %s" KEEP "%s (%s) of %s", text.length ? "," : "",
				  format_count(number, counts->bios), op_name[op],
				  keep_together(format_size(size, counts->bytes), sizeof(size)), owner_name[owner]);
		}
	}
	if (text.length)
		screen_paragraphf(report->screen, STYLE_PLAIN, 2, "Beside these:%s.", text.data);
	text_free(&text);
}

/* A loop device and the disk under it are watched both where all disks are. */
static void print_counted_twice(const struct report *report)
{
	const struct target *target = &report->view.result->target[report->run->target];
	bool many;
	char *loops = loops_in_words(target, &many);

	if (loops)
		screen_paragraphf(report->screen, STYLE_PLAIN, 2,
				  "What goes through %s is counted there and on the %s.", loops,
				  many ? "disks of their files" : "disk of its file");
	free(loops);
}

static void print_owners(const struct report *report)
{
	char *title = xasprintf("on %s, of", report->trace->top ? report->trace->top : "the disk");
	struct table table = {0};
	bool any;

	set_headings(table_add(&table, STYLE_HEADING, title), moved_heading, ARRAY_SIZE(moved_heading));
	free(title);
	for (int owner = 0; owner < OWNERS; owner++)
		if (moved_any(report->trace->queued[owner]))
			set_moved(table_add(&table, STYLE_PLAIN, owner_name[owner]), 1, report->trace->queued[owner]);
	any = table.rows > 1;
	print_table(report, &table);
	if (!any)
		return;
	print_rare_ops(report);
	print_counted_twice(report);
}

/* Who did nothing but discard is in the line of the rare ops. */
static void add_foreigner(struct table *table, const struct foreign_view *foreigner)
{
	const struct bio_counts *op = foreigner->op;
	struct table_row *row;

	if (!op[OP_READ].bios && !op[OP_WRITE].bios && !op[OP_FLUSH].bios)
		return;
	row = table_add(table, STYLE_PLAIN, foreigner->command ? foreigner->command : "without a name");
	if (foreigner->command)
		table_set(row, 1, foreigner_kind_name[foreigner->kind]);
	set_moved(row, 2, foreigner->op);
}

/* Those behind the first ones in one row. */
static void add_rest(struct table *table, const struct foreign_view *foreigner, size_t count)
{
	struct bio_counts sum[OPS] = {0};
	char *name = xasprintf("%zu more", count);

	for (size_t i = 0; i < count; i++) {
		for (int op = 0; op < OPS; op++) {
			sum[op].bios += foreigner[i].op[op].bios;
			sum[op].bytes += foreigner[i].op[op].bytes;
		}
	}
	set_moved(table_add(table, STYLE_PLAIN, name), 2, sum);
	free(name);
}

static void print_foreigners(const struct report *report)
{
	const struct trace_view *trace = report->trace;
	size_t shown = trace->foreigners > MOST_FOREIGNERS ? MOST_FOREIGNERS : trace->foreigners;
	struct table table = {0};
	struct table_row *row = table_add(&table, STYLE_HEADING, "by name");

	table_set(row, 1, "");
	for (size_t i = 0; i < ARRAY_SIZE(moved_heading); i++)
		table_set(row, i + 2, moved_heading[i]);
	for (size_t i = 0; i < shown; i++)
		add_foreigner(&table, &trace->foreigner[i]);
	if (trace->foreigners > shown)
		add_rest(&table, trace->foreigner + shown, trace->foreigners - shown);
	print_table(report, &table);
}

/* --- the end --- */

static void print_kept(const struct report *report)
{
	const struct trace_view *trace = report->trace;
	char kept[FORMAT_LENGTH], from[FORMAT_LENGTH], dropped[FORMAT_LENGTH];

	if (!report->view.result->options.slow_from)
		return;
	format_count(kept, trace->slow_count);
	keep_together(format_latency(from, (double)report->view.result->options.slow_from), sizeof(from));
	screen_paragraphf(report->screen, STYLE_PLAIN, 2, "%s I/O%s of %s or longer %s kept whole%s%s%s.", kept,
			  trace->slow_count == 1 ? "" : "s", from, trace->slow_count == 1 ? "is" : "are",
			  trace->slow_dropped ? "; for " : "",
			  trace->slow_dropped ? format_count(dropped, trace->slow_dropped) : "",
			  trace->slow_dropped ? " more there was no room" : "");
}

/* Adds how many reads and writes ended in those ways that are losses, or in those that rightly have no stages. */
static void add_io_ends(struct text *text, const struct trace_view *trace, bool losses)
{
	char number[FORMAT_LENGTH];

	for (int end = 0; end < IO_ENDS; end++) {
		uint64_t count = 0;

		for (int op = 0; op < DIRECTIONS; op++)
			count += trace->io[op] ? trace->io[op]->counts.end[end] : 0;
		if (count && end != IO_END_JOINED && io_end_is_loss(end) == losses)
			text_addf(text, "%s%s (%s)", text->length ? ", " : "", format_count(number, count),
				  io_end_name[end]);
	}
}

/* I/Os of which nothing, or not all, is known; and those that had no stages in the block layer, which are no losses. */
static void print_io_ends(const struct report *report)
{
	struct text lost = {0}, without = {0};
	uint64_t table_full = 0;
	char number[FORMAT_LENGTH];

	for (int op = 0; op < IO_OPS; op++)
		table_full += report->trace->io[op] ? report->trace->io[op]->counts.table_full : 0;
	add_io_ends(&lost, report->trace, true);
	add_io_ends(&without, report->trace, false);
	if (table_full)
		text_addf(&lost, "%s%s (table full)", lost.length ? ", " : "", format_count(number, table_full));
	if (lost.length)
		screen_paragraphf(report->screen, STYLE_WARNING, 2, "I/Os without all of their stages: %s.", lost.data);
	if (without.length)
		screen_paragraphf(report->screen, STYLE_PLAIN, 2, "I/Os that have no stages: %s.", without.data);
	text_free(&lost);
	text_free(&without);
}

/* Whether what was seen says something of a disk; the checks that lower it follow by themselves. */
static void print_verdict(const struct report *report)
{
	enum verdict verdict = report->run->verdict;

	if (verdict == VERDICT_NONE)
		return;
	screen_paragraphf(report->screen, verdict_style(verdict), 2, "As a figure of the disk: %s%s.",
			  verdict_name[verdict],
			  verdict == VERDICT_REAL && report->view.result->machine.hypervisor
				  ? ", as far as this virtual machine sees"
				  : "");
}

static void print_end(const struct report *report)
{
	const struct run *run = report->run;
	const char *program = run->command && *run->command ? *run->command : "The program";

	if (run->state != RUN_DONE)
		screen_paragraphf(report->screen, run->state == RUN_FAILED ? STYLE_FAILED : STYLE_WARNING, 2, "%s%s%s",
				  run_state_name[run->state], run->reason ? ": " : "", run->reason ? run->reason : "");
	if (!run->has_status)
		return;
	if (run->status > FIRST_SIGNAL && sigabbrev_np(run->status - FIRST_SIGNAL))
		screen_paragraphf(report->screen, STYLE_WARNING, 2, "%s ended with status %d, as after SIG%s.", program,
				  run->status, sigabbrev_np(run->status - FIRST_SIGNAL));
	else
		screen_paragraphf(report->screen, run->status ? STYLE_WARNING : STYLE_PLAIN, 2,
				  "%s ended with status %d.", program, run->status);
}

/* --- the whole --- */

static void print_ios(const struct report *report)
{
	struct run shown = *report->run;
	const struct run *runs = &shown;
	struct text stages = {0};
	struct screen held = {.out = &stages, .colour = report->screen->colour};
	unsigned seen;

	shown.state = RUN_DONE; /* what was seen until it was interrupted counts */
	seen = print_stages(&held, &report->view.result->machine, &runs, 1);
	if (seen) {
		screen_empty_line(report->screen);
		text_add(report->screen->out, stages.data, stages.length);
	}
	text_free(&stages);
	print_round_trips(report->screen, &runs, 1);
	print_owners(report);
	print_foreigners(report);
	print_slowest(report->screen, "The slowest I/Os", &runs, 1, report->verbose ? MOST_SLOW : FEW_SLOW);
	if (report->verbose && seen) {
		screen_empty_line(report->screen);
		explain_stages(report->screen, seen);
	}
}

static bool saw_any(const struct trace_view *trace)
{
	for (int call = 0; call < CALLS; call++)
		if (trace->call[call])
			return true;
	for (int op = 0; op < IO_OPS; op++)
		if (trace->io[op])
			return true;
	return trace->remotes || moved_any(trace->queued[OWNER_WORKLOAD]);
}

static void print_trace(const struct report *report)
{
	const char *hidden = report->trace->hidden;

	if (!saw_any(report->trace))
		screen_paragraph(report->screen, STYLE_WARNING, 2, "No call and no I/O was seen.");
	print_calls(report);
	print_direct(report);
	print_waits(report);
	print_syncs(report);
	print_ledgers(&report->view, &report->run, 1);
	print_ios(report);
	screen_empty_line(report->screen);
	print_kept(report);
	if (hidden)
		print_hidden(report->screen, hidden);
	print_io_ends(report);
	print_losses(&report->view, report->run->target);
	print_limits(&report->view, report->run->target);
	print_verdict(report);
	print_reasons(&report->view, report->run->target);
	if (report->verbose)
		print_beliefs(report->screen, &report->run, 1, false);
}

void report_trace(const struct result *result, bool colour, bool verbose, struct text *out)
{
	struct report report = {
		.view = {.result = result, .screen = {.out = out, .colour = colour}},
		.run = &result->run[0],
		.trace = result->run[0].trace,
		.verbose = verbose,
	};

	report.screen = &report.view.screen;
	print_warnings(&report.view);
	print_heading(&report);
	print_command(&report);
	print_disks(&report);
	if (report.trace)
		print_trace(&report);
	else
		screen_paragraphf(report.screen, STYLE_WARNING, 2, "Nothing was traced: %s",
				  report.run->untraced ? report.run->untraced
				  : result->no_trace   ? result->no_trace
						       : "no reason is known");
	print_end(&report);
}
