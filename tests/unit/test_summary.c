// SPDX-License-Identifier: GPL-2.0
#include "result/summary.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/text.h"

static const struct test read_test = {.access = ACCESS_READ, .read_percent = 100};
static const struct test write_test = {.access = ACCESS_WRITE};
static const struct test mix_test = {.access = ACCESS_MIX, .read_percent = 70};

static struct result *result;

static int make_result(void **state)
{
	(void)state;
	result = result_new();
	return 0;
}

static int free_result(void **state)
{
	(void)state;
	result_free(result);
	return 0;
}

/* The made-up runs, as summary_of_runs() takes them. */
static struct summary summarize(const struct test *test, enum latency_kind kind)
{
	const struct run **runs = xcalloc(result->runs + 1, sizeof(const struct run *));
	struct summary summary;

	for (size_t i = 0; i < result->runs; i++)
		runs[i] = &result->run[i];
	summary_of_runs(&summary, runs, result->runs, test, kind);
	free(runs);
	return summary;
}

static struct run *add_run(void)
{
	struct run *run = result_add_run(result);

	run->engine = xcalloc(1, sizeof(*run->engine));
	return run;
}

static struct direction *set_rates(struct run *run, enum op op, uint64_t ios, uint64_t bytes_per_second,
				   double ios_per_second)
{
	struct direction *direction = &run->engine->direction[op];

	direction->ios = ios;
	direction->bytes_per_second = bytes_per_second;
	direction->ios_per_second = ios_per_second;
	return direction;
}

/* `count` I/Os that each took `value`, except that the engine says p50 is 7 more and p99.99 is not known. */
static void set_latency(struct direction *direction, enum latency_kind kind, uint64_t count, uint64_t value,
			bool histogram)
{
	struct latency *latency = &direction->latency[kind];

	latency->count = count;
	latency->mean = (double)value;
	latency->has_percentile[P50] = true;
	latency->percentile[P50] = value + 7;
	if (!histogram)
		return;
	latency->hist = hist_new();
	hist_add(latency->hist, value, count);
}

static void add_leaf(struct trace_view *trace, const char *device)
{
	trace->leaf = xreallocarray(trace->leaf, trace->leaves + 1, sizeof(struct layer_view));
	memset(&trace->leaf[trace->leaves], 0, sizeof(struct layer_view));
	trace->leaf[trace->leaves].has_requests = true;
	trace->leaf[trace->leaves++].device = xstrdup(device);
}

/* Requests of `value` ns on the last leaf. */
static struct op_view *add_requests(struct run *run, enum op op, uint64_t completions, uint64_t value)
{
	struct layer_view *leaf = &run->trace->leaf[run->trace->leaves - 1];
	struct op_view *view = xcalloc(1, sizeof(*view));

	view->issues = view->completions = completions;
	hist_add(&view->stage[STAGE_DEVICE], value, completions);
	leaf->op[op] = view;
	return view;
}

static void add_trace(struct run *run)
{
	run->trace = xcalloc(1, sizeof(*run->trace));
	run->trace->top = xstrdup("sda");
	add_leaf(run->trace, "sda");
}

static void knows_the_ops(void **state)
{
	(void)state;
	for (int op = 0; op < OPS; op++) {
		assert_int_equal(test_has_op(&read_test, op), op == OP_READ);
		assert_int_equal(test_has_op(&write_test, op), op == OP_WRITE);
		assert_int_equal(test_has_op(&mix_test, op), op == OP_READ || op == OP_WRITE);
	}
}

static void nothing_of_nothing(void **state)
{
	(void)state;
	struct summary summary = summarize(&read_test, LATENCY_LAT);

	assert_int_equal(summary.runs, 0);
	assert_null(summary.device);
	assert_false(summary.has_device || summary.has_samples);
	summary_clear(&summary);
}

static void one_run_keeps_the_engines_figures(void **state)
{
	(void)state;
	struct run *run = add_run();
	struct direction *read = set_rates(run, OP_READ, 100, 409600, 100);
	struct summary summary;

	set_latency(read, LATENCY_CLAT, 100, 80, true);
	set_latency(read, LATENCY_LAT, 100, 100, false);
	set_rates(run, OP_WRITE, 9, 999, 9); /* not of a read test */
	set_latency(&run->engine->direction[OP_WRITE], LATENCY_LAT, 9, 5000, true);

	summary = summarize(&read_test, LATENCY_LAT);
	assert_int_equal(summary.runs, 1);
	assert_int_equal(summary.kind, LATENCY_LAT);
	assert_true(summary.bytes_per_second == 409600);
	assert_true(summary.ios_per_second == 100);
	assert_true(summary.lowest_ios_per_second == 100 && summary.highest_ios_per_second == 100);
	assert_true(summary.mean == 100);
	assert_true(summary.has_percentile[P50]);
	assert_int_equal(summary.percentile[P50], 107);
	for (int i = P90; i < PERCENTILES; i++)
		assert_false(summary.has_percentile[i]);
	assert_false(summary.has_device || summary.has_samples || summary.has_disk);
	summary_clear(&summary);
}

/* A line that shows clat shows nothing of lat, and the other way round. */
static void does_not_mix_kinds(void **state)
{
	(void)state;
	struct run *run = add_run();
	struct direction *read = set_rates(run, OP_READ, 100, 409600, 100);
	struct summary summary;

	set_latency(read, LATENCY_CLAT, 100, 80, true);
	set_latency(read, LATENCY_LAT, 100, 100, false);
	set_latency(read, LATENCY_SLAT, 100, 20, true);

	summary = summarize(&read_test, LATENCY_CLAT);
	assert_int_equal(summary.kind, LATENCY_CLAT);
	assert_true(summary.mean == 80);
	assert_int_equal(summary.percentile[P50], 87);
	assert_int_equal(summary.percentile[P99], 80);
	summary_clear(&summary);

	/* the histograms of the others are no substitute for the one that lat does not have */
	summary = summarize(&read_test, LATENCY_LAT);
	assert_true(summary.mean == 100);
	assert_int_equal(summary.percentile[P50], 107);
	assert_false(summary.has_percentile[P99]);
	summary_clear(&summary);
}

static void mix_weighs_by_ios(void **state)
{
	(void)state;
	struct run *run = add_run();
	struct summary summary;

	set_latency(set_rates(run, OP_READ, 70, 700, 70), LATENCY_LAT, 70, 100, true);
	set_latency(set_rates(run, OP_WRITE, 30, 300, 30), LATENCY_LAT, 30, 120, true);
	summary = summarize(&mix_test, LATENCY_LAT);
	assert_true(summary.bytes_per_second == 1000);
	assert_true(summary.ios_per_second == 100);
	assert_true(summary.mean == 106);
	assert_int_equal(summary.percentile[P50], 100); /* of both together, not the engine's 107 or 127 */
	assert_int_equal(summary.percentile[P90], 120);
	assert_true(summary.has_percentile[P99_99]);
	summary_clear(&summary);
}

static void each_run_weighs_the_same(void **state)
{
	(void)state;
	static const uint64_t ios[] = {100, 300, 200}, value[] = {10, 40, 100};
	struct summary summary;

	for (int i = 0; i < 3; i++)
		set_latency(set_rates(add_run(), OP_READ, ios[i], ios[i] * 10, (double)ios[i]), LATENCY_LAT, ios[i],
			    value[i], true);
	add_run()->state = RUN_FAILED;
	set_rates(&result->run[3], OP_READ, 1, 1, 1);
	result_add_run(result)->state = RUN_SKIPPED;

	summary = summarize(&read_test, LATENCY_LAT);
	assert_int_equal(summary.runs, 3);
	assert_true(summary.ios_per_second == 200);
	assert_true(summary.bytes_per_second == 2000);
	assert_true(summary.lowest_ios_per_second == 100);
	assert_true(summary.highest_ios_per_second == 300);
	assert_true(summary.mean == 50);	       /* (10 + 40 + 100) / 3 */
	assert_int_equal(summary.percentile[P50], 40); /* of all 600 I/Os */
	assert_int_equal(summary.percentile[P90], 100);
	summary_clear(&summary);
}

static void one_missing_histogram_hides_percentiles(void **state)
{
	(void)state;
	struct summary summary;

	set_latency(set_rates(add_run(), OP_READ, 100, 1000, 100), LATENCY_LAT, 100, 10, true);
	set_latency(set_rates(add_run(), OP_READ, 100, 1000, 100), LATENCY_LAT, 100, 30, false);
	summary = summarize(&read_test, LATENCY_LAT);
	assert_true(summary.mean == 20);
	for (int i = 0; i < PERCENTILES; i++)
		assert_false(summary.has_percentile[i]);
	summary_clear(&summary);
}

static void merges_the_leaves(void **state)
{
	(void)state;
	struct run *run = add_run();
	struct op_view *view;
	struct summary summary;

	set_rates(run, OP_WRITE, 100, 1, 1);
	add_trace(run);
	view = add_requests(run, OP_WRITE, 60, 50);
	view->issues = 66; /* 60 timed, 2 taken back, 1 in flight, 3 lost */
	view->requeues = 2;
	view->in_flight_at_end = 1;
	view->loss[LOSS_UNSEEN] = 3;
	add_requests(run, OP_READ, 1000, 9000);
	add_requests(run, OP_FLUSH, 1000, 9000);
	add_leaf(run->trace, "sdb");
	add_requests(run, OP_WRITE, 90, 100);
	run->trace->queued[OWNER_WORKLOAD][OP_WRITE].bytes = 4096;
	run->trace->queued[OWNER_WORKLOAD][OP_READ].bytes = 4;
	run->trace->queued[OWNER_OTHERS][OP_WRITE].bytes = 100;
	run->trace->queued[OWNER_JOURNAL][OP_WRITE].bytes = 20;
	run->trace->queued[OWNER_WRITEBACK][OP_DISCARD].bytes = 30;

	summary = summarize(&write_test, LATENCY_LAT);
	assert_true(summary.has_device);
	assert_int_equal(summary.device->count, 150);
	assert_true(hist_mean(summary.device) == 80); /* (60 x 50 + 90 x 100) / 150 */
	assert_true(summary.requests_per_io == 1.54); /* (66 - 2 + 90) / 100 */
	assert_true(summary.coverage_percent > 98.039 && summary.coverage_percent < 98.040); /* 150 of 153 */
	assert_int_equal(summary.own_bytes, 4100);
	assert_int_equal(summary.other_bytes, 150);
	summary_clear(&summary);
}

/* Where there are no requests the whole bio is timed, and it is what is counted. */
static void bios_stand_in_for_requests(void **state)
{
	(void)state;
	struct run *run = add_run();
	struct layer_view *leaf;
	struct op_view *view;
	struct summary summary;

	set_rates(run, OP_READ, 50, 1, 1);
	add_trace(run);
	view = add_requests(run, OP_READ, 0, 0);
	leaf = &run->trace->leaf[0];
	leaf->has_requests = false;
	leaf->queue = true;
	view->bios = 100;
	view->completions = 95;
	view->bios_in_flight_at_end = 2;
	view->bio_loss[LOSS_TABLE_FULL] = 3;
	hist_add(&view->stage[STAGE_THROUGH], 40, 95);
	hist_add(&view->stage[STAGE_QUEUE], 7777, 95);

	summary = summarize(&read_test, LATENCY_LAT);
	assert_true(summary.has_device);
	assert_int_equal(summary.device->count, 95);
	assert_true(hist_mean(summary.device) == 40);
	assert_true(summary.requests_per_io == 2);
	assert_true(summary.coverage_percent > 96.938 && summary.coverage_percent < 96.939); /* 95 of 98 */
	summary_clear(&summary);

	leaf->queue = false;
	memset(&view->stage, 0, sizeof(view->stage));
	view->completions = 0;
	summary = summarize(&read_test, LATENCY_LAT);
	assert_false(summary.has_device);
	assert_true(summary.requests_per_io == 0);
	assert_true(summary.coverage_percent == 0);
	summary_clear(&summary);
}

/* The device's figures are those of the leaves and of requests, whatever is above or waits before them. */
static void layers_above_do_not_count(void **state)
{
	(void)state;
	struct run *run = add_run();
	struct layer_view *above;
	struct op_view *view;
	struct summary summary;

	set_rates(run, OP_READ, 100, 1, 1);
	add_trace(run);
	view = add_requests(run, OP_READ, 100, 10);
	hist_add(&view->stage[STAGE_QUEUE], 5000, 100);
	view->bios = view->finished = 100;
	run->trace->leaf[0].queue = true;
	above = xcalloc(1, sizeof(*above));
	above->has_requests = true;
	above->op[OP_READ] = xcalloc(1, sizeof(struct op_view));
	above->op[OP_READ]->issues = above->op[OP_READ]->completions = 100;
	hist_add(&above->op[OP_READ]->stage[STAGE_DEVICE], 9000, 100);
	run->trace->above = above;
	run->trace->aboves = 1;

	summary = summarize(&read_test, LATENCY_LAT);
	assert_int_equal(summary.device->count, 100);
	assert_int_equal(summary.device->max, 10);
	assert_true(summary.requests_per_io == 1);
	assert_true(summary.coverage_percent == 100);
	summary_clear(&summary);
}

static void merges_the_runs_devices(void **state)
{
	(void)state;
	struct summary summary;

	for (uint64_t i = 1; i <= 2; i++) {
		struct run *run = add_run();

		set_rates(run, OP_READ, 100, 1, 1);
		add_trace(run);
		add_requests(run, OP_READ, 100, 10 * i);
	}
	summary = summarize(&read_test, LATENCY_LAT);
	assert_int_equal(summary.device->count, 200);
	assert_int_equal(summary.device->max, 20);
	assert_true(summary.requests_per_io == 1);
	assert_true(summary.coverage_percent == 100);
	summary_clear(&summary);
}

/* The mean of two runs does not stand beside the device time of one of them. */
static void untraced_run_hides_the_device(void **state)
{
	(void)state;
	struct run *run = add_run();
	struct summary summary;

	add_trace(run);
	add_requests(run, OP_READ, 100, 10);
	add_run();
	summary = summarize(&read_test, LATENCY_LAT);
	assert_int_equal(summary.runs, 2);
	assert_false(summary.has_device);
	assert_null(summary.device);
	summary_clear(&summary);
}

static void no_requests_no_device(void **state)
{
	(void)state;
	struct run *run = add_run();
	struct summary summary;

	set_rates(run, OP_READ, 100, 1, 1);
	add_trace(run);
	summary = summarize(&read_test, LATENCY_LAT);
	assert_false(summary.has_device);
	assert_true(summary.requests_per_io == 0);
	summary_clear(&summary);
}

static void averages_the_samples(void **state)
{
	(void)state;
	static const struct sample samples[] = {
		{.cpu_percent = 10, .mem_percent = 40, .has_disk = true, .disk_percent = 90},
		{.cpu_percent = 30, .mem_percent = 50, .has_disk = true, .disk_percent = 100},
		{.cpu_percent = 20, .mem_percent = 60, .disk_percent = 12345},
	};
	struct summary summary;

	for (int i = 0; i < 2; i++) {
		struct run *run = add_run();

		run->samples = i ? 1 : 2;
		run->sample = xcalloc(run->samples, sizeof(*run->sample));
		memcpy(run->sample, &samples[i ? 2 : 0], run->samples * sizeof(*run->sample));
	}
	summary = summarize(&read_test, LATENCY_LAT);
	assert_true(summary.has_samples && summary.has_disk);
	assert_true(summary.cpu_mean == 20 && summary.cpu_max == 30);
	assert_true(summary.mem_mean == 50 && summary.mem_max == 60);
	assert_true(summary.disk_mean == 95 && summary.disk_max == 100);
	summary_clear(&summary);
}

/* --- from call to return --- */

static struct io_summary summarize_ios(unsigned ops)
{
	const struct run **runs = xcalloc(result->runs + 1, sizeof(const struct run *));
	struct io_summary summary;

	for (size_t i = 0; i < result->runs; i++)
		runs[i] = &result->run[i];
	io_summary_of_runs(&summary, runs, result->runs, ops);
	free(runs);
	return summary;
}

/* `count` joined I/Os with this time in the queue and at the device, in a run with a latency of 1,000 ns more. */
static struct io_view *add_ios(struct run *run, enum io_op op, uint64_t queue, uint64_t device, uint64_t count)
{
	struct io_view *view = run->trace->io[op];
	struct latency_row *row = NULL;

	if (!view)
		view = run->trace->io[op] = xcalloc(1, sizeof(*view));
	run->trace->ios = true;
	view->counts.called += count;
	view->counts.end[IO_END_JOINED] += count;
	hist_add(&view->stage[IO_STAGE_QUEUE], queue, count);
	hist_add(&view->stage[IO_STAGE_DEVICE], device, count);
	hist_add(&view->stage[IO_STAGE_TOTAL], queue + device, count);
	row = &view->row[latency_row_of(queue + device)];
	row->count += count;
	row->sum[IO_STAGE_QUEUE] += queue * count;
	row->sum[IO_STAGE_DEVICE] += device * count;
	if (op < DIRECTIONS)
		set_latency(set_rates(run, (enum op)op, count, 1, 1), LATENCY_LAT, count, queue + device + 1000, false);
	return view;
}

static struct run *add_followed_run(void)
{
	struct run *run = add_run();

	add_trace(run);
	return run;
}

static void knows_the_io_ops(void **state)
{
	(void)state;
	assert_int_equal(test_io_ops(&read_test), IO_OP_BIT(IO_OP_READ));
	assert_int_equal(test_io_ops(&write_test), IO_OP_BIT(IO_OP_WRITE));
	assert_int_equal(test_io_ops(&mix_test), IO_OP_BIT(IO_OP_READ) | IO_OP_BIT(IO_OP_WRITE));
}

static void ios_of_one_run(void **state)
{
	(void)state;
	struct run *run = add_followed_run();
	struct io_view *view = add_ios(run, IO_OP_READ, 100, 900, 10);
	struct io_summary summary;

	add_ios(run, IO_OP_WRITE, 1, 1, 1000);
	hist_add(&view->stage[IO_STAGE_DOORBELL], 400, 2);
	view->counts.way[IO_WAY_URING] = 10;
	view->in_flight_at_end = 3;
	summary = summarize_ios(IO_OP_BIT(IO_OP_READ));
	assert_int_equal(summary.runs, 1);
	assert_true(summary.lat == 2000 && summary.total == 1000 && io_summary_program(&summary) == 1000);
	assert_true(summary.part[IO_STAGE_QUEUE] == 100 && summary.part[IO_STAGE_DEVICE] == 900);
	assert_true(summary.part[IO_STAGE_SUBMIT] == 0 && summary.unsplit == 0);
	assert_true(summary.mean[IO_STAGE_DOORBELL] == 400);
	assert_int_equal(summary.sum->stage[IO_STAGE_DOORBELL].count, 2);
	assert_int_equal(summary.sum->counts.called, 10);
	assert_int_equal(summary.sum->counts.way[IO_WAY_URING], 10);
	assert_int_equal(summary.sum->in_flight_at_end, 3);
	assert_int_equal(summary.sum->row[latency_row_of(1000)].count, 10);
	io_summary_clear(&summary);
	assert_null(summary.sum);
}

/* A fast run has more I/Os; its means weigh no more for that, but its percentiles are of all together. */
static void ios_of_each_run_weigh_the_same(void **state)
{
	(void)state;
	struct io_summary summary;

	add_ios(add_followed_run(), IO_OP_READ, 100, 900, 1000);
	add_ios(add_followed_run(), IO_OP_READ, 300, 2700, 10);
	add_run()->state = RUN_FAILED;
	summary = summarize_ios(IO_OP_BIT(IO_OP_READ));
	assert_int_equal(summary.runs, 2);
	assert_true(summary.lat == 3000 && summary.total == 2000);
	assert_true(summary.part[IO_STAGE_QUEUE] == 200 && summary.part[IO_STAGE_DEVICE] == 1800);
	assert_true(summary.mean[IO_STAGE_DEVICE] == 1800 && summary.mean[IO_STAGE_TOTAL] == 2000);
	assert_int_equal(summary.sum->stage[IO_STAGE_DEVICE].count, 1010);
	assert_true(hist_percentile(&summary.sum->stage[IO_STAGE_DEVICE], 50) < 910);
	assert_int_equal(summary.sum->counts.called, 1010);
	io_summary_clear(&summary);
}

/* Each I/O of a mix weighs the same. */
static void ios_of_a_mix(void **state)
{
	(void)state;
	struct run *run = add_followed_run();
	struct io_summary summary;

	add_ios(run, IO_OP_READ, 0, 1000, 30);
	add_ios(run, IO_OP_WRITE, 0, 5000, 10);
	add_ios(run, IO_OP_SYNC, 0, 1, 1000);
	summary = summarize_ios(test_io_ops(&mix_test));
	assert_true(summary.lat == 3000 && summary.total == 2000 && summary.part[IO_STAGE_DEVICE] == 2000);
	io_summary_clear(&summary);
}

/* The total of an I/O counts, its stages do not: they are less than the total by it. */
static void ios_that_are_not_joined(void **state)
{
	(void)state;
	struct io_view *view = add_ios(add_followed_run(), IO_OP_READ, 100, 900, 9);
	struct io_summary summary;

	hist_add(&view->stage[IO_STAGE_TOTAL], 11000, 1);
	hist_add(&view->stage[IO_STAGE_DEVICE], 500, 40); /* reaped in user space: without a total */
	summary = summarize_ios(IO_OP_BIT(IO_OP_READ));
	assert_true(summary.total == 2000);
	assert_true(summary.part[IO_STAGE_QUEUE] == 90 && summary.part[IO_STAGE_DEVICE] == 810);
	assert_true(summary.unsplit == 1100);
	assert_true(summary.part[IO_STAGE_QUEUE] + summary.part[IO_STAGE_DEVICE] + summary.unsplit == summary.total);
	io_summary_clear(&summary);
}

/* They stand beside the engine's figures of all runs. */
static void one_run_that_is_not_followed(void **state)
{
	(void)state;
	struct io_summary summary;

	add_ios(add_followed_run(), IO_OP_READ, 100, 900, 1000);
	add_followed_run();
	summary = summarize_ios(IO_OP_BIT(IO_OP_READ));
	assert_int_equal(summary.runs, 0);
	assert_null(summary.sum);
	io_summary_clear(&summary);
}

/* A traced program. */
static void ios_without_an_engine(void **state)
{
	(void)state;
	struct run *run = add_followed_run();
	struct io_summary summary;

	add_ios(run, IO_OP_WRITE, 100, 900, 5);
	engine_figures_free(run->engine);
	run->engine = NULL;
	summary = summarize_ios(IO_OP_BIT(IO_OP_WRITE));
	assert_int_equal(summary.runs, 1);
	assert_true(summary.lat == 0 && summary.total == 1000);
	io_summary_clear(&summary);
}

static void totals_that_fit(void **state)
{
	(void)state;
	assert_true(total_fits(900, 1000) && total_fits(2000, 1000) && !total_fits(2001, 1000));
	assert_true(total_fits(1010000, 1000000) && !total_fits(1010001, 1000000));
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, make_result, free_result)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(knows_the_ops),
		TEST(nothing_of_nothing),
		TEST(one_run_keeps_the_engines_figures),
		TEST(does_not_mix_kinds),
		TEST(mix_weighs_by_ios),
		TEST(each_run_weighs_the_same),
		TEST(one_missing_histogram_hides_percentiles),
		TEST(merges_the_leaves),
		TEST(bios_stand_in_for_requests),
		TEST(layers_above_do_not_count),
		TEST(merges_the_runs_devices),
		TEST(untraced_run_hides_the_device),
		TEST(no_requests_no_device),
		TEST(averages_the_samples),
		TEST(knows_the_io_ops),
		TEST(ios_of_one_run),
		TEST(ios_of_each_run_weigh_the_same),
		TEST(ios_of_a_mix),
		TEST(ios_that_are_not_joined),
		TEST(one_run_that_is_not_followed),
		TEST(ios_without_an_engine),
		TEST(totals_that_fit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
