// SPDX-License-Identifier: GPL-2.0
#include "report/stages.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "made_up_result.h"
#include "shown.h"

static unsigned seen;

/* The blocks of all runs of `result`, which is freed. */
static char *render(struct result *result)
{
	const struct run **runs = xcalloc(result->runs, sizeof(const struct run *));
	struct text out = {0};
	const struct screen screen = {.out = &out};

	for (size_t i = 0; i < result->runs; i++)
		runs[i] = &result->run[i];
	seen = print_stages(&screen, &result->machine, runs, result->runs);
	free(runs);
	result_free(result);
	if (out.data)
		assert_fits(out.data);
	return text_take(&out);
}

/* One run of RND4K-Q1T1-Read, 375,000 I/Os, lat 78,840 ns. */
static struct result *single(struct run **run)
{
	struct result *result = made_up_result(1);

	*run = made_up_run(result, 0, 4, 1, 1);
	made_up_ios(*run);
	return result;
}

/* Every I/O of `run` is like `stage`. The parts and their total are known of the joined ones. */
static struct io_view *fill(struct run *run, enum io_op op, const uint64_t stage[IO_STAGES], uint64_t count)
{
	struct io_view *view = run->trace->io[op] = xcalloc(1, sizeof(*view));
	uint64_t total = 0;

	run->trace->ios = true;
	for (int part = 0; part < IO_PARTS; part++) {
		view->stage[part] = (struct hist){0};
		total += stage[part];
	}
	for (int part = 0; part < IO_PARTS; part++)
		view->row[latency_row_of(total)].sum[part] += stage[part] * count;
	view->row[latency_row_of(total)].count += count;
	for (int i = 0; i < IO_STAGES; i++)
		if (stage[i])
			hist_add(&view->stage[i], stage[i], count);
	hist_add(&view->stage[IO_STAGE_TOTAL], total, count);
	view->counts.called = view->counts.end[IO_END_JOINED] = view->counts.requests = count;
	return view;
}

static void the_whole_block(void **state)
{
	struct run *run;
	struct result *result = single(&run);
	char *report = render(result);

	(void)state;
	assert_string_equal(report, "read                  I/Os     mean      p50      p99    p99.9      max of total\n"
				    "submit             375,000  1.66 µs  1.66 µs  1.66 µs  1.66 µs  1.66 µs    2.2 %\n"
				    "queue              375,000  2.58 µs  2.48 µs  2.48 µs  37.6 µs  63.1 µs    3.4 %\n"
				    "device             375,000  68.4 µs  68.1 µs  68.1 µs 191.5 µs 280.3 µs   89.0 %\n"
				    "  doorbell         375,000  8.51 µs  8.51 µs  8.51 µs  8.51 µs  8.51 µs\n"
				    "deliver            375,000  4.20 µs  4.13 µs  4.13 µs  21.9 µs  34.5 µs    5.5 %\n"
				    "  wake             375,000  2.80 µs  2.77 µs  2.77 µs  14.5 µs  23.0 µs\n"
				    "  runq             375,000  1.40 µs  1.38 µs  1.38 µs  7.26 µs  11.5 µs\n"
				    "total              375,000  76.9 µs  76.3 µs  76.3 µs 252.9 µs 379.5 µs\n"
				    "  lat 78.8 µs = program 1.99 µs + total 76.9 µs\n"
				    "  375,000 called · 375,000 libaio · joined 100 % · 1.00 requests per I/O\n"
				    "  375,000 joined\n"
				    "\n"
				    "of the total   all joined   slowest 1.00 %   slowest 0.100 %\n"
				    "from              73.7 µs         106.5 µs          245.8 µs\n"
				    "I/Os              375,000            3,750               375\n"
				    "submit              2.2 %            1.4 %             0.7 %\n"
				    "queue               3.4 %            9.5 %            15.0 %\n"
				    "device             89.0 %           82.0 %            75.7 %\n"
				    "deliver             5.5 %            7.1 %             8.6 %\n"
				    "mean              76.9 µs         121.6 µs          254.5 µs\n");
	free(report);
}

/* On a virtual machine the doorbell says something of the hypervisor. */
static void a_doorbell_of_a_guest(void **state)
{
	struct run *run;
	struct result *result = single(&run);
	char *report;

	(void)state;
	result->machine.hypervisor = true;
	run->trace->io[IO_OP_READ]->counts.rung = 375000;
	report = render(result);
	assert_has(report, "\n  The doorbell takes 8.51 µs for each I/O: an exit to the hypervisor may be part\n"
			   "  of it.\n  375,000 called ");
	free(report);
}

/* Of two runs the larger cost counts, and only that of runs which are done. */
static void what_the_probes_take(void **state)
{
	struct run *run;
	struct result *result = single(&run);
	char *report;

	(void)state;
	run->has_probe_cost = true;
	run->probe_cost = 1900;
	report = render(result);
	assert_has(report, "\nsubmit             375,000 ~1.66 µs  1.66 µs ");
	assert_has(report, "\nqueue              375,000  2.58 µs ");
	assert_has(report, "\n  wake             375,000  2.80 µs ");
	assert_has(report, "\n  runq             375,000 ~1.40 µs ");
	assert_has(report, "\n  375,000 joined\n  observer: at most 1.90 µs per I/O · 2.4 % of the mean · ~ is less than "
			   "that\n\nof the total");
	free(report);

	result = single(&run);
	run->has_probe_cost = true;
	run->probe_cost = 30;
	report = render(result);
	assert_has(report, "\n  observer: at most 30 ns per I/O · under 0.1 % of the mean\n");
	free(report);

	result = single(&run);
	run->has_probe_cost = true;
	run->probe_cost = 900;
	run = made_up_run(result, 0, 4, 2, 1);
	made_up_ios(run);
	run->has_probe_cost = true;
	run->probe_cost = 1000;
	run = made_up_run(result, 0, 4, 3, 1);
	run->state = RUN_INTERRUPTED;
	run->has_probe_cost = true;
	run->probe_cost = 9000;
	report = render(result);
	assert_has(report, "\n  observer: at most 1.00 µs per I/O · 1.3 % of the mean\n");
	assert_lacks(report, "~");
	free(report);
}

/* 40 of 100 I/Os wait for a flush: the mean is theirs, the share is of all. */
static void a_part_that_not_all_have(void **state)
{
	struct run *run;
	struct result *result = single(&run);
	uint64_t stage[IO_STAGES] = {[IO_STAGE_DEVICE] = 100000};
	struct io_view *view;
	char *report;

	(void)state;
	io_view_clear(run->trace->io[IO_OP_READ]);
	free(run->trace->io[IO_OP_READ]);
	view = fill(run, IO_OP_READ, stage, 60);
	hist_add(&view->stage[IO_STAGE_DEVICE], 100000, 40);
	hist_add(&view->stage[IO_STAGE_SYNC], 300000, 40);
	hist_add(&view->stage[IO_STAGE_TOTAL], 400000, 40);
	view->row[latency_row_of(400000)].count = 40;
	view->row[latency_row_of(400000)].sum[IO_STAGE_DEVICE] = 40 * 100000;
	view->row[latency_row_of(400000)].sum[IO_STAGE_SYNC] = 40 * 300000;
	view->counts.called = view->counts.end[IO_END_JOINED] = view->counts.requests = 100;
	report = render(result);
	assert_has(report, "\ndevice                 100 100.0 µs ");
	assert_has(report, " 100.0 µs   45.5 %\n"); /* 100 of 220 µs */
	assert_has(report, "\nsync                    40 300.0 µs ");
	assert_has(report, " 300.0 µs   54.5 %\n"); /* 40 × 300 of 100 × 220 µs */
	assert_has(report, "\ntotal                  100 220.0 µs ");
	/* the tail is what flushes: of 400 µs 300 */
	assert_has(report, "slowest 40.00 %\n");
	assert_has(report, "\nsync               54.5 %            75.0 %\n");
	free(report);
}

/* What is not joined is missing in the parts, and said. */
static void not_joined(void **state)
{
	struct run *run;
	struct result *result = single(&run);
	struct io_view *view = run->trace->io[IO_OP_READ];
	char *report;

	(void)state;
	hist_add(&view->stage[IO_STAGE_TOTAL], 1000000, 10000);
	view->counts.end[IO_END_BUFFERED] = 10000;
	view->counts.table_full = 7;
	view->counts.unbegun = 3;
	view->counts.left = 2;
	view->in_flight_at_end = 5;
	view->counts.note[IO_NOTE_THROTTLED] = 12;
	report = render(result);
	/* 10 s of 38.8 */
	assert_has(report, "\nwithout stages      10,000                                                25.8 %\n");
	assert_has(report, "joined 97.40 %");
	assert_has(report, "\n  375,000 joined · 10,000 buffered · 5 in flight at the end ·\n"
			   "  7 without room in the table · 3 begun before ·\n"
			   "  2 beyond what one call's loop takes\n"
			   "  12 throttled\n");
	free(report);
}

/* Where all are in one row of the table, there is no tail. */
static void no_tail(void **state)
{
	static const uint64_t stage[IO_STAGES] = {[IO_STAGE_QUEUE] = 10000, [IO_STAGE_THROUGH] = 90000};
	struct result *result = made_up_result(1);
	struct run *run = made_up_run(result, 0, 5, 1, 1);
	char *report;

	(void)state;
	fill(run, IO_OP_WRITE, stage, 1000);
	report = render(result);
	assert_has(report, "\nthrough              1,000  90.0 µs ");
	assert_has(report, " 90.0 %\n");
	assert_lacks(report, "device");
	assert_lacks(report, "slowest");
	assert_int_equal(seen, 1u << IO_STAGE_QUEUE | 1u << IO_STAGE_THROUGH | 1u << IO_STAGE_TOTAL);
	free(report);
}

/* The program's own time may be a little below 0 by the clocks' resolution: that is not hidden. */
static void program_below_nothing(void **state)
{
	static const uint64_t stage[IO_STAGES] = {[IO_STAGE_DEVICE] = 17650};
	struct result *result = made_up_result(1);
	struct run *run = made_up_run(result, 0, 5, 1, 1);
	char *report;

	(void)state;
	fill(run, IO_OP_WRITE, stage, 1000);
	report = render(result);
	assert_has(report, "\n  lat 17.4 µs = program -300 ns + total 17.7 µs\n");
	free(report);
}

/* Those by libaio and io_uring are I/Os of an op of their own, of which the engine says nothing. */
static void several_ops(void **state)
{
	static const uint64_t stage[IO_STAGES] = {[IO_STAGE_DEVICE] = 1000};
	struct run *run;
	struct result *result = single(&run);
	char *report;

	(void)state;
	fill(run, IO_OP_SYNC, stage, 10);
	report = render(result);
	assert_has(report, "\n\nsync                  I/Os     mean ");
	assert_has(strstr(report, "\nsync "), "\ntotal                   10  1.00 µs ");
	assert_lacks(strstr(report, "\nsync "), "lat ");
	free(report);
}

/* Means of the runs are averaged, their I/Os are counted together. */
static void several_runs(void **state)
{
	struct result *result = made_up_result(1);
	char *report;

	(void)state;
	for (unsigned i = 1; i <= 2; i++)
		made_up_ios(made_up_run(result, 0, 4, i, i == 1 ? 1 : 0.5));
	report = render(result);
	/* lat 78.84 and 157.68 µs */
	assert_has(report, "\n  lat 118.3 µs = program 41.4 µs + total 76.9 µs\n  562,500 called ");
	free(report);

	result = made_up_result(1);
	made_up_ios(made_up_run(result, 0, 4, 1, 1));
	made_up_run(result, 0, 4, 2, 1);
	report = render(result);
	assert_string_equal(report, "");
	assert_int_equal(seen, 0);
	free(report);
}

static void stages_are_explained(void **state)
{
	struct text out = {0};
	const struct screen screen = {.out = &out};

	(void)state;
	explain_stages(&screen, 1u << IO_STAGE_SUBMIT | 1u << IO_STAGE_RUNQ);
	assert_string_equal(out.data, "submit (S → Q): system call, file system, direct-I/O set-up.\n"
				      "runq (W → R, inside of deliver): until the woken thread ran and returned.\n");
	text_free(&out);
}

static void rows_follow_the_table(void **state)
{
	(void)state;
	for (int stage = 0; stage < IO_STAGES; stage++) {
		assert_non_null(io_stage_row[stage].meaning);
		if (stage < IO_PARTS)
			assert_int_equal(io_stage_row[stage].inside, IO_STAGE_TOTAL);
		else if (stage > IO_PARTS)
			assert_true(io_stage_row[stage].inside < IO_PARTS);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_whole_block),
		cmocka_unit_test(a_doorbell_of_a_guest),
		cmocka_unit_test(what_the_probes_take),
		cmocka_unit_test(a_part_that_not_all_have),
		cmocka_unit_test(not_joined),
		cmocka_unit_test(no_tail),
		cmocka_unit_test(program_below_nothing),
		cmocka_unit_test(several_ops),
		cmocka_unit_test(several_runs),
		cmocka_unit_test(stages_are_explained),
		cmocka_unit_test(rows_follow_the_table),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
