// SPDX-License-Identifier: GPL-2.0
#include "layers.h"

#include <stdlib.h>
#include <string.h>

#include "base/format.h"
#include "base/utf8.h"
#include "beliefs.h"
#include "cells.h"
#include "ledger.h"
#include "result/stack.h"
#include "result/summary.h"
#include "remote.h"
#include "stages.h"
#include "timeline.h"
#include "view.h"

enum column { NAME, BAR, MEAN, MEDIAN, HIGH, HIGHEST, MAX, SHARE };

#define BAR_COLUMNS  6
#define EIGHTHS	     (8 * BAR_COLUMNS)
#define LONGEST_NAME 19
#define SPLIT_FROM   1.01
#define KIB	     1024
#define MOST_SLOW    8 /* of the slowest I/Os that are shown */

/* So wide that the figures of most tests fit: all their tables then stand in line. */
static const struct grid usual_grid = {.columns = SHARE + 1, .width = {14, BAR_COLUMNS, 8, 8, 8, 8, 8, 6}};

/* The order in which an I/O passes them. */
static const enum stage passed[] = {STAGE_QUEUE, STAGE_DEVICE, STAGE_THROUGH};

_Static_assert(ARRAY_SIZE(passed) == STAGES, "every stage has its place");

/* What a block is about. */
struct block {
	const struct view *view;
	const struct target *target;
	const struct test *test;
	const struct stack *stack;
};

/* --- the table of a layer --- */

/* Of fixed width; something is never drawn as nothing. */
static char *bar(double part)
{
	static const char *const block[] = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
	int eighths = (int)(part * EIGHTHS + 0.5);
	struct text text = {0};

	if (eighths < 1)
		eighths = 1;
	for (int i = 0; i < eighths / 8; i++)
		text_addf(&text, "█");
	text_addf(&text, "%s", block[eighths % 8]);
	text_addf(&text, "%*s", BAR_COLUMNS - (eighths + 7) / 8, "");
	return text_take(&text);
}

/* The queue's and the device's parts of their sum: where a layer has both, it can be drawn which is the larger. */
static void set_bar(struct table_row *row, const struct stack_layer *layer, enum op op, enum stage stage)
{
	double queue = layer->mean[op][STAGE_QUEUE], span = layer->mean[op][layer_stage(&layer->view)];
	char *drawn;

	if (!layer->view.op[op]->stage[STAGE_QUEUE].count ||
	    !layer->view.op[op]->stage[layer_stage(&layer->view)].count || queue + span <= 0)
		return;
	drawn = bar(layer->mean[op][stage] / (queue + span));
	table_set(row, BAR, drawn);
	free(drawn);
}

static void set_times(struct table_row *row, const struct hist *hist, double mean)
{
	static const struct {
		enum column column;
		enum percentile percentile;
	} shown[] = {{MEDIAN, P50}, {HIGH, P99}, {HIGHEST, P99_9}};

	cell_latency(row, MEAN, true, mean);
	for (size_t i = 0; i < ARRAY_SIZE(shown); i++)
		cell_latency(row, shown[i].column, true,
			     (double)hist_percentile(hist, percentile_percent[shown[i].percentile]));
	cell_latency(row, MAX, true, (double)hist->max);
}

static void add_stage(struct table *table, const struct stack_layer *layer, enum op op, enum stage stage)
{
	char *name = xasprintf("%s %s", op_name[op], stage_name[stage]);
	struct table_row *row = table_add(table, STYLE_PLAIN, name);

	free(name);
	set_bar(row, layer, op, stage);
	set_times(row, &layer->view.op[op]->stage[stage], layer->mean[op][stage]);
	cell_percent(row, SHARE, layer->has_share[op][stage], 100 * layer->share[op][stage]);
}

/* They lie inside of the device's stage and have no share: it would be added to that. */
static void add_hops(struct table *table, const struct op_view *view)
{
	for (int hop = 0; hop < HOPS; hop++) {
		char *name;

		if (!view->hop[hop])
			continue;
		name = xasprintf("  %s", hop_name[hop]);
		set_times(table_add(table, STYLE_PLAIN, name), view->hop[hop], hist_mean(view->hop[hop]));
		free(name);
	}
}

/* Names of real devices are short; one that is not must not push the figures off the screen. */
static char *cut_name(const char *name)
{
	char *clean = utf8_printable(name), *cut;
	size_t end = 0, columns = 0;

	for (; clean[end]; end++) {
		columns += (clean[end] & 0xc0) != 0x80;
		if (columns == LONGEST_NAME)
			break;
	}
	cut = text_columns(clean) > LONGEST_NAME ? xasprintf("%.*s…", (int)end, clean) : xstrdup(clean);
	free(clean);
	return cut;
}

static void add_heading(struct table *table, const char *device)
{
	static const char *const heading[] = {
		[MEAN] = "mean",     [MEDIAN] = "p50", [HIGH] = "p99",
		[HIGHEST] = "p99.9", [MAX] = "max",    [SHARE] = "of lat",
	};
	char *name = cut_name(device);
	struct table_row *row = table_add(table, STYLE_HEADING, name);

	free(name);
	for (size_t column = MEAN; column <= SHARE; column++)
		table_set(row, column, heading[column]);
}

static void layer_table(const struct stack_layer *layer, struct table *table)
{
	add_heading(table, layer->view.device);
	for (int op = 0; op < OPS; op++) {
		for (size_t i = 0; layer->view.op[op] && i < ARRAY_SIZE(passed); i++) {
			if (!layer->view.op[op]->stage[passed[i]].count)
				continue;
			add_stage(table, layer, op, passed[i]);
			if (passed[i] == STAGE_DEVICE)
				add_hops(table, layer->view.op[op]);
		}
	}
}

/* --- the facts below it --- */

/* Sums over the ops of a layer, or over the test's own. */
static uint64_t sum_over(const struct stack_layer *layer, const struct test *only, size_t offset)
{
	uint64_t sum = 0;

	for (int op = 0; op < OPS; op++)
		if (layer->view.op[op] && (!only || test_has_op(only, op)))
			sum += *(const uint64_t *)((const char *)layer->view.op[op] + offset);
	return sum;
}

#define SUM(layer, field)	    sum_over(layer, NULL, offsetof(struct op_view, field))
#define OWN_SUM(layer, test, field) sum_over(layer, test, offsetof(struct op_view, field))

static const struct layer *find_device(const struct target *target, const char *name)
{
	for (size_t i = 0; i < target->layers; i++)
		if (!strcmp(target->layer[i].name, name))
			return &target->layer[i];
	return NULL;
}

/* Which limit made several requests of a bio. Bios much smaller than the size limit were cut by another one. */
static char *split_limit(const struct block *block, const struct stack_layer *layer)
{
	const struct layer *device = find_device(block->target, layer->view.device);
	uint64_t bios = OWN_SUM(layer, block->test, bios), bytes = OWN_SUM(layer, block->test, bio_bytes);

	if (device && device->max_request_bytes && block->test->block_size > device->max_request_bytes &&
	    (double)bytes * 2 > (double)bios * (double)device->max_request_bytes)
		return xasprintf("max_sectors_kb %llu", (unsigned long long)device->max_request_bytes / KIB);
	return xstrdup("the number of segments");
}

static void add_ratio(struct text *text, uint64_t part, uint64_t whole, const char *what, char *because)
{
	char number[FORMAT_LENGTH];

	if (whole)
		fact_add(text, "%s %s%s%s%s", format_fixed(number, (double)part / (double)whole, 2), what,
			 because ? " (limit: " : "", because ? because : "", because ? ")" : "");
	free(because);
}

static void add_ratios(struct text *text, const struct block *block, const struct stack_layer *layer)
{
	uint64_t finished = OWN_SUM(layer, block->test, finished), pieces = OWN_SUM(layer, block->test, pieces);
	uint64_t walked = OWN_SUM(layer, block->test, walked);
	uint64_t issued = OWN_SUM(layer, block->test, issues) - OWN_SUM(layer, block->test, requeues);
	bool split = finished && (double)pieces > SPLIT_FROM * (double)finished;

	if (!layer->view.queue || !layer->view.has_requests)
		return;
	add_ratio(text, pieces, finished, "requests per bio", split ? split_limit(block, layer) : NULL);
	add_ratio(text, walked, issued, "bios per request", NULL);
}

static void add_coverage(struct text *text, const struct stack_layer *layer)
{
	uint64_t timed = 0, ended = 0;
	char *coverage;

	for (int op = 0; op < OPS; op++) {
		struct balance balance = layer_balance(&layer->view, op);

		timed += balance.timed;
		ended += balance.started - balance.in_flight;
	}
	if (!ended)
		return;
	coverage = coverage_in_words(timed, ended);
	fact_add(text, "seen %s", coverage);
	free(coverage);
}

/* Requests, or bios where there are none, of the ops that are no reads or writes. */
static void add_other_ops(struct text *text, const struct stack_layer *layer)
{
	static const struct {
		enum op op;
		const char *one, *many;
	} named[] = {
		{OP_FLUSH, "flush", "flushes"},
		{OP_DISCARD, "discard", "discards"},
		{OP_WRITE_ZEROES, "write-zeroes", "write-zeroes"},
		{OP_OTHER, "other request", "other requests"},
	};

	for (size_t i = 0; i < ARRAY_SIZE(named); i++)
		fact_count(text, layer_balance(&layer->view, named[i].op).started, named[i].one, named[i].many);
}

static void add_errors(struct text *text, const struct stack_layer *layer)
{
	for (unsigned status = 0; status < STATUSES; status++) {
		const char *name = status_errno(status) ? strerrorname_np(status_errno(status)) : NULL;
		char *errors = name ? xstrdup(name) : xasprintf("errors of status %u", status);

		fact_count(text, SUM(layer, error[status]), errors, errors);
		free(errors);
	}
}

static void add_oddities(struct text *text, const struct stack_layer *layer)
{
	const struct op_view *flush = layer->view.has_requests ? layer->view.op[OP_FLUSH] : NULL;

	fact_count(text, SUM(layer, requeues), "requeue", "requeues");
	fact_count(text, SUM(layer, partial), "partial completion", "partial completions");
	add_errors(text, layer);
	fact_count(text, SUM(layer, ended_early), "bio ended early", "bios ended early");
	fact_count(text, flush ? flush->empty : 0, "flush bio without data", "flush bios without data");
	fact_count(text, SUM(layer, children), "piece of a split", "pieces of splits");
	fact_count(text, SUM(layer, unissued), "end of what began before", "ends of what began before");
	fact_count(text, SUM(layer, unqueued), "bio from before in a request", "bios from before in requests");
	fact_count(text, SUM(layer, walk_over), "request with more bios than are followed",
		   "requests with more bios than are followed");
}

static void add_losses(struct text *text, const struct stack_layer *layer)
{
	for (int loss = 0; loss < LOSSES; loss++) {
		uint64_t requests = SUM(layer, loss[loss]), bios = SUM(layer, bio_loss[loss]);
		char *name = xasprintf("lost: %s", loss_name[loss]);
		char *one = xasprintf("request %s", name), *many = xasprintf("requests %s", name);

		fact_count(text, requests, one, many);
		free(one);
		free(many);
		one = xasprintf("bio %s", name);
		many = xasprintf("bios %s", name);
		fact_count(text, bios, one, many);
		free(one);
		free(many);
		free(name);
	}
}

static void print_facts(const struct block *block, const struct stack_layer *layer)
{
	struct text text = {0};
	char number[FORMAT_LENGTH];

	fact_add(&text, "%s in flight", format_fixed(number, layer->in_flight, 2));
	add_ratios(&text, block, layer);
	add_coverage(&text, layer);
	facts_print(&block->view->screen, STYLE_PLAIN, &text);
	add_other_ops(&text, layer);
	add_oddities(&text, layer);
	facts_print(&block->view->screen, STYLE_PLAIN, &text);
	add_losses(&text, layer);
	facts_print(&block->view->screen, STYLE_WARNING, &text);
}

/* --- the layers of a test --- */

/* The disk's layer, when every request on it was for this partition, so that its figures are the partition's. */
static const char *same_as_disk(const struct block *block, const struct stack_layer *partition)
{
	const struct layer *device = find_device(block->target, partition->view.device);

	for (size_t i = 0; device && device->parent_disk && i < block->stack->layers; i++) {
		const struct stack_layer *disk = &block->stack->layer[i];
		bool same = !strcmp(disk->view.device, device->parent_disk);

		for (int op = 0; same && op < OPS; op++)
			same = layer_balance(&disk->view, op).started == layer_balance(&partition->view, op).started;
		if (same)
			return disk->view.device;
	}
	return NULL;
}

static bool saw_any(const struct layer_view *view)
{
	for (int op = 0; op < OPS; op++)
		if (view->op[op])
			return true;
	return false;
}

static void print_layer(const struct block *block, const struct stack_layer *layer, const struct grid *grid,
			struct table *table)
{
	const struct screen *screen = &block->view->screen;
	const char *disk = layer->view.partition ? same_as_disk(block, layer) : NULL;

	if (disk) {
		screen_paragraphf(screen, STYLE_PLAIN, 2, "%s: all that %s did was for it.", layer->view.device, disk);
	} else if (!saw_any(&layer->view)) {
		screen_paragraphf(screen, STYLE_PLAIN, 2, "%s: no I/O was seen.", layer->view.device);
	} else if (table->rows < 2) {
		screen_paragraphf(screen, STYLE_PLAIN, 2, "%s: nothing was timed.", layer->view.device);
	} else {
		table_print(table, grid, screen);
		print_facts(block, layer);
	}
}

static void print_layers(const struct block *block)
{
	struct table *tables = xcalloc(block->stack->layers, sizeof(*tables));
	struct grid grid = usual_grid;

	for (size_t i = 0; i < block->stack->layers; i++) {
		layer_table(&block->stack->layer[i], &tables[i]);
		grid_take(&grid, &tables[i]);
	}
	for (size_t i = 0; i < block->stack->layers; i++) {
		print_layer(block, &block->stack->layer[i], &grid, &tables[i]);
		table_free(&tables[i]);
	}
	free(tables);
}

/* --- the whole --- */

static void print_title(const struct block *block)
{
	struct text text = {0};
	bool both = test_has_op(block->test, OP_READ) && test_has_op(block->test, OP_WRITE);

	text_addf(&text, "%s", block->test->name);
	for (int op = 0; op < DIRECTIONS; op++) {
		char lat[FORMAT_LENGTH];

		if (!test_has_op(block->test, op) || block->stack->lat[op] <= 0)
			continue;
		keep_together(format_latency(lat, block->stack->lat[op]), sizeof(lat));
		text_addf(&text, DOT "%s%slat" KEEP "%s", both ? op_name[op] : "", both ? KEEP : "", lat);
	}
	if (block->stack->runs > 1)
		text_addf(&text, DOT "%zu" KEEP "runs", block->stack->runs);
	screen_empty_line(&block->view->screen);
	screen_paragraph(&block->view->screen, STYLE_HEADING, 2, text.data);
	text_free(&text);
}

static bool has_flushes(const struct stack *stack)
{
	for (size_t i = 0; i < stack->layers; i++)
		if (stack->layer[i].view.has_requests && stack->layer[i].view.queue &&
		    stack->layer[i].view.op[OP_FLUSH])
			return true;
	return false;
}

/* What was shown and wants an explanation at the end. */
struct seen {
	bool flushes;
	unsigned stages; /* bits, by enum io_stage */
};

static bool checked_any(const struct run *const *runs, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (runs[i]->checks)
			return true;
	return false;
}

static void print_traced(const struct block *block, size_t count, struct seen *seen)
{
	const struct view *view = block->view;
	unsigned stages = print_stages(&view->screen, &view->result->machine, view->runs, count);

	if (stages)
		screen_empty_line(&view->screen);
	print_layers(block);
	print_round_trips(&view->screen, view->runs, count);
	print_slowest(&view->screen, "The slowest I/Os", view->runs, count, MOST_SLOW);
	seen->stages |= stages;
}

static void print_test(const struct view *view, size_t target, size_t test, struct seen *seen)
{
	const struct result *result = view->result;
	size_t count = view_pick(view, target, test);
	struct stack stack;
	const struct block block = {
		.view = view,
		.target = &result->target[target],
		.test = &result->test[test],
		.stack = &stack,
	};

	stack_of_runs(&stack, view->runs, count);
	if (stack.runs || checked_any(view->runs, count))
		print_title(&block);
	if (stack.runs)
		print_traced(&block, count, seen);
	print_ledgers(view, view->runs, count);
	print_beliefs(&view->screen, view->runs, count, result->options.iterations > 1);
	seen->flushes |= has_flushes(&stack);
	stack_clear(&stack);
}

static void explain(const struct screen *screen, const struct seen *seen)
{
	if (seen->flushes) {
		screen_empty_line(screen);
		screen_paragraph(screen, STYLE_PLAIN, 0, "The queue time of a flush is unknown: it has no bio.");
	}
	if (seen->stages) {
		screen_empty_line(screen);
		explain_stages(screen, seen->stages);
		screen_paragraph(screen, STYLE_PLAIN, 0,
				 "At depths above" KEEP "1 stages show where the queue stands, not what limits.");
	}
}

static void print_target_name(const struct view *view, size_t target)
{
	bool any = view_first(view, target, true);

	for (size_t i = 0; i < view->result->runs; i++)
		any |= view->result->run[i].target == target && view->result->run[i].checks;
	if (view->result->targets < 2 || !any)
		return;
	screen_empty_line(&view->screen);
	screen_paragraph(&view->screen, STYLE_HEADING, 2, view->result->target[target].given);
}

void report_layers(const struct result *result, bool colour, struct text *out)
{
	struct view view = {.result = result, .screen = {.out = out, .colour = colour}};
	struct seen seen = {0};

	view.runs = xcalloc(result->runs, sizeof(const struct run *));
	for (size_t target = 0; target < result->targets; target++) {
		print_target_name(&view, target);
		for (size_t test = 0; test < result->tests; test++)
			print_test(&view, target, test, &seen);
	}
	explain(&view.screen, &seen);
	free(view.runs);
}
