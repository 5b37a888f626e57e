// SPDX-License-Identifier: GPL-2.0
#include "notes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/format.h"
#include "floor.h"
#include "ledger.h"
#include "reasons.h"
#include "remote.h"
#include "share.h"
#include "where.h"

static const char *why_not_traced(const struct view *view, size_t target)
{
	const struct run *run = view_first(view, target, false);

	if (!run || view_first(view, target, true))
		return NULL;
	if (view->result->no_trace)
		return view->result->no_trace;
	if (run->untraced)
		return run->untraced;
	return view->result->options.trace ? "no reason is known" : "switched off by --no-trace";
}

static const char *why_hidden(const struct view *view, size_t target)
{
	const struct run *run = view_first(view, target, true);

	return run ? run->trace->hidden : NULL;
}

/* Tests of which the same is true, for one sentence. */
struct list {
	struct text text;
	const struct test *last;
};

struct shares {
	struct list single, others, several, fewer, above;
	bool known;
};

/* The unloaded device: what one I/O takes when there is no other. */
static void add_single(struct list *list, const struct test *test, const struct share *share)
{
	char size[FORMAT_LENGTH] = "", latency[FORMAT_LENGTH], device[FORMAT_LENGTH];
	bool first = !list->last;

	if (first || list->last->block_size != test->block_size) {
		format_size(size, test->block_size);
		keep_together(strcat(size, " "), sizeof(size));
	}
	keep_together(format_latency(latency, share->latency_mean), sizeof(latency));
	keep_together(format_latency(device, share->device_mean), sizeof(device));
	text_addf(&list->text, "%s a %s%s %s%s, %s of it%s", first ? "At depth" KEEP "1" : ";", size, test_noun(test),
		  first ? "takes " : "", latency, device, first ? " in the device" : "");
	list->last = test;
}

static void add_name(struct list *list, const struct test *test, const struct share *share)
{
	char number[FORMAT_LENGTH];

	text_addf(&list->text, "%s%s", list->last ? ", " : "", test_name_after(test, list->last));
	if (share->state == SHARE_SEVERAL)
		text_addf(&list->text, KEEP "%s", format_fixed(number, share->requests_per_io, 2));
	list->last = test;
}

static void add_share(struct shares *shares, const struct test *test, const struct share *share)
{
	shares->known |= share->state == SHARE_KNOWN;
	if (share->state == SHARE_KNOWN && is_single(test))
		add_single(&shares->single, test, share);
	else if (share->state == SHARE_OTHERS)
		add_name(&shares->others, test, share);
	else if (share->state == SHARE_SEVERAL)
		add_name(share->requests_per_io > 1 ? &shares->several : &shares->fewer, test, share);
	else if (share->state == SHARE_ABOVE_LATENCY)
		add_name(&shares->above, test, share);
}

static void explain_rest(struct text *text, enum latency_kind kind)
{
	text_addf(text, "%sRest: program, kernel and queues, not yet separated.", text->length ? " " : "");
	if (kind != LATENCY_LAT)
		text_addf(text, " Share and rest are of lat: %s is only a part of it.", latency_name[kind]);
}

static void print_list(const struct view *view, enum style style, const char *sentence, struct list *list)
{
	if (list->last)
		screen_paragraphf(&view->screen, style, 2, "%s: %s.", sentence, list->text.data);
	text_free(&list->text);
}

static void print_shares(const struct view *view, size_t target, bool explain)
{
	const struct result *result = view->result;
	struct shares shares = {0};
	struct text *single = &shares.single.text;

	for (size_t i = 0; i < result->tests; i++) {
		struct share share;

		share_of_runs(&share, view->runs, view_pick(view, target, i), &result->test[i]);
		if (share.runs)
			add_share(&shares, &result->test[i], &share);
	}
	if (single->length)
		text_addf(single, ".");
	if (shares.known && explain)
		explain_rest(single, result->options.latency);
	if (single->length)
		screen_paragraph(&view->screen, STYLE_PLAIN, 0, single->data);
	text_free(single);
	print_list(view, STYLE_WARNING, "Requests of other I/O are among the device's, so no share", &shares.others);
	print_list(view, STYLE_PLAIN, "Several requests per I/O, so no share", &shares.several);
	print_list(view, STYLE_PLAIN, "Fewer requests than I/Os, so no share", &shares.fewer);
	print_list(view, STYLE_WARNING, "Other I/O makes the device's mean exceed lat, so no share", &shares.above);
}

static uint64_t bytes_of(const struct foreign_view *foreigner)
{
	uint64_t bytes = 0;

	for (int op = 0; op < OPS; op++)
		bytes += foreigner->op[op].bytes;
	return bytes;
}

/* Of the same name in all runs on the target. */
static uint64_t bytes_by_name(const struct view *view, size_t target, const char *command)
{
	uint64_t bytes = 0;

	for (size_t i = 0; i < view->result->runs; i++) {
		const struct trace_view *trace = view->result->run[i].trace;

		if (view->result->run[i].target != target || !trace)
			continue;
		for (size_t f = 0; f < trace->foreigners; f++)
			if (trace->foreigner[f].command && !strcmp(trace->foreigner[f].command, command))
				bytes += bytes_of(&trace->foreigner[f]);
	}
	return bytes;
}

/* Who moved the most beside the workload; NULL where no name is known. */
static const char *biggest_foreigner(const struct view *view, size_t target)
{
	const char *biggest = NULL;
	uint64_t most = 0;

	for (size_t i = 0; i < view->result->runs; i++) {
		const struct trace_view *trace = view->result->run[i].trace;

		if (view->result->run[i].target != target || !trace)
			continue;
		for (size_t f = 0; f < trace->foreigners; f++) {
			const char *command = trace->foreigner[f].command;
			uint64_t bytes = command ? bytes_by_name(view, target, command) : 0;

			if (bytes > most) {
				most = bytes;
				biggest = command;
			}
		}
	}
	return biggest;
}

static void print_other_io(const struct view *view, size_t target)
{
	const struct result *result = view->result;
	const struct run *traced = view_first(view, target, true);
	const char *biggest = biggest_foreigner(view, target);
	char size[FORMAT_LENGTH], percent[FORMAT_LENGTH];
	uint64_t own = 0, other = 0;

	for (size_t i = 0; i < result->runs; i++) {
		const struct run *run = &result->run[i];
		struct summary summary;

		if (run->target != target)
			continue;
		summary_of_runs(&summary, &run, 1, &result->test[run->test], LATENCY_LAT);
		own += summary.own_bytes;
		other += summary.other_bytes;
		summary_clear(&summary);
	}
	if (!other)
		return;
	format_fixed(percent, 100 * (double)other / (double)(own + other), 1);
	screen_paragraphf(&view->screen, STYLE_PLAIN, 2, "Other I/O on %s: %s, %s %% of what was moved%s%s.",
			  traced->trace->top ? traced->trace->top : "the disk", format_size(size, other),
			  strcmp(percent, "0.0") ? percent : "under 0.1", biggest ? ", most by " : "",
			  biggest ? biggest : "");
}

struct lost {
	uint64_t loss[LOSSES], faults;
};

static void add_lost(struct lost *lost, const struct trace_view *trace)
{
	for (size_t leaf = 0; leaf < trace->leaves; leaf++) {
		for (int op = 0; op < OPS; op++) {
			const struct op_view *view = trace->leaf[leaf].op[op];

			if (!view)
				continue;
			lost->faults += view->faults;
			for (int loss = 0; loss < LOSSES; loss++)
				lost->loss[loss] += view->loss[loss];
		}
	}
}

void print_losses(const struct view *view, size_t target)
{
	char count[FORMAT_LENGTH];
	struct lost lost = {0};
	struct text text = {0};

	for (size_t i = 0; i < view->result->runs; i++)
		if (view->result->run[i].target == target && view->result->run[i].trace)
			add_lost(&lost, view->result->run[i].trace);
	for (int loss = 0; loss < LOSSES; loss++)
		if (lost.loss[loss])
			text_addf(&text, "%s%s (%s)", text.length ? ", " : "", format_count(count, lost.loss[loss]),
				  loss_name[loss]);
	if (text.length)
		screen_paragraphf(&view->screen, STYLE_WARNING, 2, "Requests without a time: %s.", text.data);
	if (lost.faults)
		screen_paragraphf(&view->screen, STYLE_WARNING, 2,
				  "This is a test build: it dropped %s completions on purpose.",
				  format_count(count, lost.faults));
	text_free(&text);
}

void print_hidden(const struct screen *screen, const char *why)
{
	screen_paragraphf(screen, STYLE_WARNING, 2, "%s.", why);
}

void print_notes(const struct view *view, size_t target, bool explain)
{
	const char *why = why_not_traced(view, target), *hidden = why_hidden(view, target);

	if (why)
		screen_paragraphf(&view->screen, STYLE_WARNING, 2, "Device times are missing: %s", why);
	else if (view_followed(view, target))
		print_where(view, target, explain);
	else
		print_shares(view, target, explain);
	print_floor(view, target);
	print_unseen(view, target);
	if (hidden)
		print_hidden(&view->screen, hidden);
	print_other_io(view, target);
	print_losses(view, target);
	if (view->result->options.write_through)
		print_durability(view, target);
	if (!view->result->options.sweep) /* there is another for each depth */
		print_limits(view, target);
	print_reasons(view, target);
}
