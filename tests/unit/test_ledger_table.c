// SPDX-License-Identifier: GPL-2.0
#include "report/ledger.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "made_up_result.h"
#include "report/layers.h"
#include "report/terminal.h"
#include "report/trace.h"
#include "result/ledger.h"
#include "shown.h"

#define DEVICE "nvme0n1"

static struct op_view *requests(struct layer_view *layer, enum op op, uint64_t count, uint64_t size)
{
	struct op_view *view = layer->op[op] = xcalloc(1, sizeof(*view));

	view->issues = view->completions = count;
	view->issued_bytes = view->completed_bytes = count * size;
	return view;
}

static struct call_view *calls(struct trace_view *trace, enum call kind, uint64_t count, uint64_t time)
{
	struct call_view *view = trace->call[kind] = xcalloc(1, sizeof(*view));

	view->counts.calls = view->counts.flushed = count;
	hist_add(&view->time, time, count);
	return view;
}

/* 1,000 synchronous writes of 4 KiB through the page cache, and some fsync: all flushed on the way. */
static struct trace_view *made_up_syncs(void)
{
	struct trace_view *trace = xcalloc(1, sizeof(*trace));
	struct call_view *writes = calls(trace, CALL_WRITE, 1000, 6000000), *fsyncs;
	struct op_view *view;

	trace->recorded = 10000000000;
	trace->top = xstrdup(DEVICE);
	trace->ios = trace->has_reached = true;
	writes->counts.bytes = writes->counts.synchronous_bytes = 1000 * 4096;
	writes->counts.synchronous = 1000;
	writes->counts.clock[CLASS_FLUSH] = 2000000000;
	fsyncs = calls(trace, CALL_FSYNC, 12, 10000000);
	fsyncs->counts.flushed = 10;
	trace->leaf = xcalloc(1, sizeof(*trace->leaf));
	trace->leaves = 1;
	trace->leaf[0].device = xstrdup(DEVICE);
	trace->leaf[0].has_requests = trace->leaf[0].queue = true;
	view = requests(&trace->leaf[0], OP_WRITE, 1040, 4096);
	view->fua = 3;
	view->asked_fua = 5;
	view->asked_flush = 7;
	view->reached_bytes = 1030 * 4096;
	view = requests(&trace->leaf[0], OP_FLUSH, 1012, 0);
	return trace;
}

static struct result *traced(struct run **run)
{
	struct result *result = made_up_program();

	*run = &result->run[0];
	trace_view_free((*run)->trace);
	(*run)->trace = made_up_syncs();
	return result;
}

/* A run of RND4K-Q1T1-Write, write-through. */
static struct run *add_test(struct result *result, unsigned iteration)
{
	struct run *run = made_up_run(result, 0, 5, iteration, 1);

	result->options.write_through = true;
	trace_view_free(run->trace);
	run->trace = made_up_syncs();
	return run;
}

static char *render_trace(struct result *result)
{
	struct text out = {0};

	report_trace(result, false, false, &out);
	result_free(result);
	assert_fits(out.data);
	return text_take(&out);
}

static char *render_bench(struct result *result, bool verbose)
{
	struct text out = {0};

	if (verbose)
		report_layers(result, false, &out);
	else
		report_terminal(result, false, &out);
	result_free(result);
	assert_fits(out.data);
	return text_take(&out);
}

/* Of 6.12 s in the calls 2 s had a flush in flight. */
static void the_whole_ledger(void **state)
{
	struct run *run;
	struct result *result = traced(&run);
	char *report = render_trace(result);

	(void)state;
	assert_has(report, "\n\ndurability      writes   written  flushes  FUA  flush asked  FUA asked   reached\n"
			   "nvme0n1          1,040  4.06 MiB    1,012    3            7          5  4.02 MiB\n"
			   "  1,000 synchronous writes (3.91 MiB) · 12 fsync ·\n"
			   "  3.91 MiB through the page cache · in 1,010 of 1,012 calls a flush ended\n");
	assert_has(report, "\n  Of 6.12 s in these calls the disk was idle 4.12 s (67 %): that is the kernel's\n"
			   "    own time, or waiting for a CPU.\n\n");
	free(report);
}

/* The disk waits for the page cache to be filled where that takes long, and where what is synced is the write itself.
 */
static void large_writes_fill_the_page_cache(void **state)
{
	struct run *run;
	struct result *result = traced(&run);
	struct call_counts *writes = &run->trace->call[CALL_WRITE]->counts;
	char *report;

	(void)state;
	writes->bytes = writes->synchronous_bytes = 1000 << 20;
	report = render_trace(result);
	assert_says(report, "was idle 4.12 s (67 %): filling the page cache comes first.");
	free(report);

	result = traced(&run);
	writes = &run->trace->call[CALL_WRITE]->counts;
	writes->bytes = 1000 << 20;
	writes->synchronous = writes->synchronous_bytes = writes->flushed = 0;
	report = render_trace(result);
	assert_says(report, "was idle 120.0 ms (100 %): that is the kernel's own time, or waiting for a CPU.");
	free(report);
}

static void what_is_not_known_is_not_said(void **state)
{
	struct run *run;
	struct result *result = traced(&run);
	char *report;

	(void)state;
	run->trace->has_reached = false;
	run->trace->call[CALL_WRITE]->counts.calls = 1001; /* of some of the writes no time is known */
	report = render_trace(result);
	assert_says(report, "1,040 4.06 MiB 1,012 3 7 5 - ");
	assert_lacks(report, "the disk was idle");
	free(report);
}

/* One more disk under the target, which got nothing. */
static void add_idle_disk(struct result *result, struct trace_view *trace)
{
	struct target *target = &result->target[0];

	trace->leaf = xreallocarray(trace->leaf, 2, sizeof(*trace->leaf));
	trace->leaf[trace->leaves++] = (struct layer_view){.device = xstrdup("sdz"), .has_requests = true};
	target->layer = xreallocarray(target->layer, target->layers + 1, sizeof(*target->layer));
	target->layer[target->layers++] = (struct layer){.name = xstrdup("sdz"), .leaf = true, .has_requests = true};
}

static void disks_without_a_part_have_no_row(void **state)
{
	struct run *run;
	struct result *result = traced(&run);
	char *report;

	(void)state;
	add_idle_disk(result, run->trace);
	report = render_trace(result);
	assert_has(report, "\nnvme0n1          1,040 ");
	assert_lacks(report, "\nsdz  ");
	free(report);

	result = traced(&run);
	add_idle_disk(result, run->trace);
	memset(run->trace->leaf[0].op[OP_WRITE], 0, sizeof(struct op_view));
	memset(run->trace->leaf[0].op[OP_FLUSH], 0, sizeof(struct op_view));
	report = render_trace(result);
	assert_says(report, "nvme0n1 0 0 B 0 0 0 0 0 B sdz 0 0 B 0 0 0 0 0 B ");
	free(report);
}

/* With what to do, where it lowers the verdict. */
static void the_conclusion_is_told_once(void **state)
{
	struct ledger ledger;
	struct run *run;
	struct result *result = traced(&run);
	char *report, *conclusion;

	(void)state;
	assert_true(ledger_of_run(&ledger, result, run));
	conclusion = ledger.conclusion;
	ledger.conclusion = NULL;
	ledger_clear(&ledger);
	report = render_trace(result);
	assert_says(report, conclusion);
	free(report);

	result = traced(&run);
	run_add_check(run, "durability", CHECK_WARNING, NULL, NULL, "%s Set it.", conclusion);
	run->verdict = VERDICT_SUSPECT;
	report = render_trace(result);
	assert_says(report, "SUSPECT: durability: ");
	assert_says(report, " Set it. ");
	assert_has(report, " calls a flush ended\n  Of 6.12 s in these calls ");
	free(report);
	free(conclusion);
}

/* The program only wrote: it is told how far that got. */
static void nothing_was_asked(void **state)
{
	struct run *run;
	struct result *result = traced(&run);
	char *report;

	(void)state;
	run->trace->call[CALL_WRITE]->counts.synchronous = run->trace->call[CALL_WRITE]->counts.synchronous_bytes = 0;
	free(run->trace->call[CALL_FSYNC]);
	run->trace->call[CALL_FSYNC] = NULL;
	report = render_trace(result);
	assert_has(report, "\ndurability      writes ");
	assert_says(report, " 3.91 MiB through the page cache ");
	assert_says(report, " and yet nvme0n1 was asked for flushes: by others, by the journal,");
	assert_lacks(report, "1,000 synchronous writes");
	free(report);
}

/* One line for all runs that come to the same; the ledgers themselves are for -v. */
static void in_short(void **state)
{
	struct result *result = made_up_result(1);
	char *report, *first;

	(void)state;
	add_test(result, 1);
	add_test(result, 2);
	report = render_bench(result, false);
	first = strstr(report, "\nDurability: ");
	assert_non_null(first);
	assert_null(strstr(first + 1, "\nDurability: "));
	assert_lacks(report, "\ndurability ");
	free(report);

	result = made_up_result(1);
	run_add_check(add_test(result, 1), "durability", CHECK_WARNING, NULL, NULL, "It is not.");
	report = render_bench(result, false);
	assert_lacks(report, "Durability");
	assert_says(report, "durability: It is not.");
	free(report);

	result = made_up_result(1);
	add_test(result, 1);
	result->options.write_through = false;
	report = render_bench(result, false);
	assert_lacks(report, "Durability");
	free(report);
}

static void each_run_with_verbose(void **state)
{
	struct result *result = made_up_result(1);
	char *report;

	(void)state;
	add_test(result, 1);
	add_test(result, 2);
	report = render_bench(result, true);
	assert_says(strstr(report, "\ndurability ") + 1, " durability writes written ");
	free(report);

	/* a test that asks for nothing has none */
	result = made_up_matrix(1, 1);
	for (size_t i = 0; i < result->runs; i++)
		made_up_ios(&result->run[i]);
	report = render_bench(result, true);
	assert_lacks(report, "durability");
	free(report);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_whole_ledger),
		cmocka_unit_test(large_writes_fill_the_page_cache),
		cmocka_unit_test(what_is_not_known_is_not_said),
		cmocka_unit_test(disks_without_a_part_have_no_row),
		cmocka_unit_test(the_conclusion_is_told_once),
		cmocka_unit_test(nothing_was_asked),
		cmocka_unit_test(in_short),
		cmocka_unit_test(each_run_with_verbose),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
