// SPDX-License-Identifier: GPL-2.0
#include "report/trace.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "made_up_result.h"
#include "report/terminal.h"
#include "shown.h"

/* The report on `result`, which is freed. */
static char *render(struct result *result, bool verbose)
{
	struct text out = {0};

	report_trace(result, false, verbose, &out);
	result_free(result);
	assert_fits(out.data);
	assert_harmless(out.data);
	return text_take(&out);
}

static void knows_a_trace(void **state)
{
	struct result *program = made_up_program(), *matrix = made_up_matrix(1, 1);

	(void)state;
	assert_true(result_is_trace(program));
	assert_false(result_is_trace(matrix));
	result_free(program);
	result_free(matrix);
}

static void the_program_and_its_calls(void **state)
{
	char *report = render(made_up_program(), false);

	(void)state;
	assert_begins(report, "iostrata 0.1 · trace · 2026-11-30 17:00:21 · 3.004 s recorded\n"
			      "keeper --fast\n"
			      "on nvme0n1 (Made-up SSD 500, 1 TB)\n"
			      "\n"
			      "calls ");
	/* 5,000 in 3.004 s; 4.055 ms is the slowest write */
	assert_has(report, "\ncalls   number   per s       mean        p99        max      bytes   failed\n"
			   "read     5,000   1,665    2.50 µs    2.50 µs    2.50 µs   4.88 MiB        3\n"
			   "write    2,000     666   862.2 µs   856.1 µs   4.055 ms   7.81 MiB\n"
			   "fsync       40      13   1.700 ms   1.696 ms   1.700 ms\n"
			   "Direct, and therefore among the I/Os too: 2,000 write.\n");
	/* of 5,000 × 2.5 µs 5.2 ms; of 40 × 1.7 ms data 400 µs, flush 900 µs, ... each */
	assert_has(report, "\nin flight meanwhile         data others journal  flush kernel disk read  written\n"
			   "read                      41.6 %                       58.4 %     5 MiB\n"
			   "write                     36.0 %                60.3 %  3.7 %           7.81 MiB\n"
			   "fsync                     23.5 %  1.8 %  14.7 % 52.9 %  7.1 %           3.75 MiB\n"
			   "fsync took 1.700 ms: 400.0 µs own data, 30.0 µs others, 250.0 µs journal,\n"
			   "  900.0 µs flush, 120.0 µs kernel.\n");
	assert_has(report, "\nkeeper ended with status 3.\n");
	free(report);
}

static void its_ios_and_the_others(void **state)
{
	char *report = render(made_up_program(), false);

	(void)state;
	assert_has(report, "\nsync                 2,000 527.2 µs ");
	assert_has(report, "\n\non nvme0n1, of   reads       read   writes    written   flushes\n"
			   "workload            40      5 MiB    2,060   11.6 MiB\n"
			   "others              27   3.13 MiB\n"
			   "writeback                               30    7.5 MiB\n"
			   "journal                                 80    640 KiB\n"
			   "\n"
			   "by name                       reads       read   writes   written   flushes\n"
			   "writeback         writeback                          30   7.5 MiB\n"
			   "backup              process      25   3.13 MiB\n"
			   "jbd2/nvme0n1p2-     journal                          80   640 KiB\n"
			   "without a name                    2      8 KiB\n"
			   "\n"
			   "The slowest I/Os  · submit  ░ queue  █ device  ▒ sync  = deliver\n"
			   "write 4.055 ms · sync 3.720 ms · 4 KiB · system call · keeper 4242 · at 2.900 s\n"
			   "  SQDB C                                                              C'WR\n");
	assert_has(report, "\n  beside 2 of the journal · flushed · CPUs 1 → 3 → 2 · sector 8192\n");
	assert_has(report, "\n3 I/Os of 3.000 ms or longer are kept whole.\n");
	assert_lacks(report, "write 2.855 ms"); /* the fourth */
	assert_lacks(report, "interrupt to result");
	free(report);
}

static void verbose_has_more(void **state)
{
	char *report = render(made_up_program(), true);

	(void)state;
	assert_has(report, "\nwrite 2.855 ms · ");
	assert_has(report, "\ndeliver (C' → R): from the interrupt (or the asking, if later) to the result.\n");
	free(report);
}

/* The rest of many names is one row. */
static void many_foreigners(void **state)
{
	struct result *result = made_up_program();
	struct trace_view *trace = result->run[0].trace;
	char *report;

	(void)state;
	trace->foreigner = xreallocarray(trace->foreigner, 14, sizeof(*trace->foreigner));
	for (; trace->foreigners < 14; trace->foreigners++)
		trace->foreigner[trace->foreigners] = (struct foreign_view){
			.command = xasprintf("small%zu\033[2J", trace->foreigners),
			.op = {[OP_READ] = {1, 4096}, [OP_FLUSH] = {2, 0}, [OP_DISCARD] = {1, 8192}},
		};
	memset(&trace->foreigner[6].op[OP_READ], 0, 2 * sizeof(struct bio_counts));
	trace->foreigner[6].op[OP_FLUSH].bios = 0;
	report = render(result, false);
	assert_has(report, "\nsmall7");
	assert_has(report, "\nsmall5");
	assert_lacks(report, "\nsmall6"); /* it only discarded */
	assert_lacks(report, "\nsmall8");
	assert_has(report, "\n6 more                            6     24 KiB                           12\n");
	free(report);
}

/* Ops that are rare have a line, and so has what is counted on two disks. */
static void beside_the_owners(void **state)
{
	struct result *result = made_up_program();
	struct trace_view *trace = result->run[0].trace;
	struct target *target = &result->target[0];
	char *report;

	(void)state;
	trace->queued[OWNER_WORKLOAD][OP_FLUSH] = (struct bio_counts){1300, 0};
	trace->queued[OWNER_WORKLOAD][OP_DISCARD] = (struct bio_counts){12, 8 << 20};
	trace->queued[OWNER_OTHERS][OP_WRITE_ZEROES] = (struct bio_counts){1, 4096};
	target->layer = xreallocarray(target->layer, target->layers + 1, sizeof(*target->layer));
	target->layer[target->layers++] = (struct layer){.name = xstrdup("loop5"), .backing_file = xstrdup("/image")};
	report = render(result, false);
	assert_has(report, "\nBeside these: 12 discard (8 MiB) of workload, 1 write-zeroes (4 KiB) of others.\n\n");
	assert_lacks(report, "counted there");
	free(report);

	result = made_up_program();
	target = &result->target[0];
	free(target->given);
	target->given = xstrdup("all disks");
	target->layer = xreallocarray(target->layer, target->layers + 1, sizeof(*target->layer));
	target->layer[target->layers++] = (struct layer){.name = xstrdup("loop5"), .backing_file = xstrdup("/image")};
	report = render(result, false);
	assert_lacks(report, "Beside these");
	assert_has(report, "\non all disks: nvme0n1 (Made-up SSD 500, 1 TB), loop5\n");
	assert_has(report, "\nWhat goes through loop5 is counted there and on the disk of its file.\n\nby name ");
	free(report);
}

static void whose_io_it_was(void **state)
{
	struct result *result = made_up_program();
	struct run *run = &result->run[0];
	char *report;

	(void)state;
	strings_free(run->command);
	run->command = NULL;
	run->has_status = false;
	strings_free(result->command);
	result->command = made_up_command("iostrata", "trace");
	free(result->target[0].given);
	result->target[0].given = xstrdup("all disks");
	result->machine.hypervisor = true;
	target_warn(&result->target[0], "one disk is not watched");
	report = render(result, false);
	assert_begins(report, "Warning: one disk is not watched\niostrata 0.1 · trace");
	assert_has(report, "\niostrata trace\non all disks: nvme0n1 (Made-up SSD 500, 1 TB) · virtual machine\n");
	assert_lacks(report, "ended with status");
	free(report);
}

static void how_it_ended(void **state)
{
	struct result *result = made_up_program();
	char *report;

	(void)state;
	result->run[0].status = 137;
	report = render(result, false);
	assert_has(report, "\nkeeper ended with status 137, as after SIGKILL.\n");
	free(report);

	result = made_up_program();
	result->run[0].state = RUN_INTERRUPTED;
	result->run[0].reason = xstrdup("stopped by SIGINT");
	report = render(result, false);
	assert_has(report, "\ninterrupted: stopped by SIGINT\n");
	assert_has(report, "\nsync                 2,000 527.2 µs "); /* what was seen until then */
	assert_has(report, "\nwrite 4.055 ms · ");
	free(report);
}

static void losses_and_checks(void **state)
{
	struct result *result = made_up_program();
	struct run *run = &result->run[0];
	struct io_counts *counts = &run->trace->io[IO_OP_WRITE]->counts;
	char *report;

	(void)state;
	counts->end[IO_END_UNSEEN] = 1200;
	counts->end[IO_END_BUFFERED] = 5; /* those are no losses */
	counts->end[IO_END_NOT_QUEUED] = 2;
	counts->table_full = 3;
	run->trace->leaf[0].op[OP_WRITE]->loss[LOSS_UNSEEN] = 7;
	run->trace->hidden = xstrdup("I/Os cannot be joined: the kernel hides its addresses");
	run->trace->slow_dropped = 1400;
	run_add_check(run, "ios", CHECK_WARNING, NULL, NULL, "half of them.");
	report = render(result, false);
	assert_has(report, "\nI/Os without all of their stages: 1,200 (completion not seen), 3 (table full).\n"
			   "I/Os that have no stages: 2 (not queued), 5 (buffered).\n");
	assert_has(report, "\nRequests without a time: 7 (completion not seen).\n");
	assert_has(report, "\nI/Os cannot be joined: the kernel hides its addresses.\n");
	assert_has(report, "\n3 I/Os of 3.000 ms or longer are kept whole; for 1,400 more there was no room.\n");
	assert_has(report, "\nWarning: ios: half of them.\n");
	free(report);
}

/* What lowers it follows. */
static void whether_it_is_the_disks(void **state)
{
	struct result *result = made_up_program();
	char *report;

	(void)state;
	result->run[0].verdict = VERDICT_NOT_REAL;
	run_add_finding(&result->run[0], "limit", NULL, NULL, "The disk.");
	run_add_check(&result->run[0], "cache", CHECK_FAILED, xstrdup("3 %"), NULL, "The page cache answered.");
	report = render(result, false);
	assert_has(report, "\nLimit: The disk.\nAs a figure of the disk: NOT REAL.\n"
			   "NOT REAL: cache: The page cache answered.\nkeeper ended");
	free(report);

	result = made_up_program();
	result->run[0].verdict = VERDICT_REAL;
	run_add_finding(&result->run[0], "depth", NULL, NULL, "It was 3.");
	report = render(result, false);
	assert_has(report, "\nAs a figure of the disk: REAL.\n");
	assert_lacks(report, "It was 3.");
	free(report);

	result = made_up_program();
	result->run[0].verdict = VERDICT_REAL;
	result->machine.hypervisor = true;
	run_add_finding(&result->run[0], "depth", NULL, NULL, "It was 3.");
	report = render(result, true);
	assert_has(report, "\nAs a figure of the disk: REAL, as far as this virtual machine sees.\n\n"
			   "checks: REAL\ndepth, passed: It was 3.\nkeeper ended");
	free(report);
}

static void nothing_was_traced(void **state)
{
	struct result *result = made_up_program();
	char *report;

	(void)state;
	trace_view_free(result->run[0].trace);
	result->run[0].trace = NULL;
	result->no_trace = xstrdup("CAP_BPF is missing");
	report = render(result, true);
	assert_string_equal(report, "iostrata 0.1 · trace · 2026-11-30 17:00:21\n"
				    "keeper --fast\n"
				    "on nvme0n1 (Made-up SSD 500, 1 TB)\n"
				    "Nothing was traced: CAP_BPF is missing\n"
				    "keeper ended with status 3.\n");
	free(report);
}

/* A program that did nothing at all. */
static void nothing_was_seen(void **state)
{
	struct result *result = made_up_program();
	struct trace_view *trace = xcalloc(1, sizeof(*trace));
	char *report;

	(void)state;
	trace_view_free(result->run[0].trace);
	result->run[0].trace = trace;
	trace->ios = true;
	trace->recorded = 1000000000;
	trace->top = xstrdup("nvme0n1");
	result->options.slow_from = 0;
	report = render(result, false);
	assert_has(report, "\nNo call and no I/O was seen.\n");
	assert_lacks(report, "calls");
	assert_lacks(report, "slowest");
	free(report);
}

/* What shows any result shows a trace. */
static void the_terminal_report_knows_it(void **state)
{
	struct result *result = made_up_program();
	struct text terminal = {0}, trace = {0};

	(void)state;
	report_terminal(result, true, &terminal);
	report_trace(result, true, false, &trace);
	assert_string_equal(terminal.data, trace.data);
	assert_has(trace.data, "\033[1m");
	text_free(&terminal);
	text_free(&trace);
	result_free(result);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(knows_a_trace),
		cmocka_unit_test(the_program_and_its_calls),
		cmocka_unit_test(its_ios_and_the_others),
		cmocka_unit_test(verbose_has_more),
		cmocka_unit_test(many_foreigners),
		cmocka_unit_test(beside_the_owners),
		cmocka_unit_test(whose_io_it_was),
		cmocka_unit_test(how_it_ended),
		cmocka_unit_test(losses_and_checks),
		cmocka_unit_test(whether_it_is_the_disks),
		cmocka_unit_test(nothing_was_traced),
		cmocka_unit_test(nothing_was_seen),
		cmocka_unit_test(the_terminal_report_knows_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
