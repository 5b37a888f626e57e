// SPDX-License-Identifier: GPL-2.0
#include "report/layers.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/utf8.h"
#include "made_up_result.h"
#include "shown.h"

/* The blocks of `result`, which is freed. */
static char *render(struct result *result)
{
	struct text out = {0};

	report_layers(result, false, &out);
	result_free(result);
	return text_take(&out);
}

static struct op_view *add_op(struct layer_view *layer, enum op op, enum stage stage, uint64_t time, uint64_t count)
{
	if (!layer->op[op])
		layer->op[op] = xcalloc(1, sizeof(*layer->op[op]));
	hist_add(&layer->op[op]->stage[stage], time, count);
	return layer->op[op];
}

static struct layer_view new_layer(const char *device, bool has_requests)
{
	return (struct layer_view){.device = xstrdup(device), .has_requests = has_requests, .queue = true};
}

/* RND4K-Q1T1-Write, 55206 IOPS for 30 s, lat 17350 ns, on md0, which has no requests, over sda. */
static struct result *stacked(void)
{
	const uint64_t ios = 55206 * 30;
	struct result *result = made_up_result(1);
	struct run *run = made_up_run(result, 0, 5, 1, 1);
	struct trace_view *trace = xcalloc(1, sizeof(*trace));
	struct op_view *view;

	trace_view_free(run->trace);
	run->trace = trace;
	trace->recorded = 30000000000;
	trace->aboves = trace->leaves = 1;
	trace->above = xcalloc(1, sizeof(*trace->above));
	trace->above[0] = new_layer("md0", false);
	view = add_op(&trace->above[0], OP_WRITE, STAGE_THROUGH, 12145, ios);
	view->bios = view->completions = ios;
	trace->leaf = xcalloc(1, sizeof(*trace->leaf));
	trace->leaf[0] = new_layer("sda", true);
	view = add_op(&trace->leaf[0], OP_WRITE, STAGE_QUEUE, 1200, ios);
	view = add_op(&trace->leaf[0], OP_WRITE, STAGE_DEVICE, 9600, ios);
	view->bios = view->finished = view->pieces = view->walked = view->issues = view->completions = ios;
	view = add_op(&trace->leaf[0], OP_FLUSH, STAGE_DEVICE, 3000000, 1000);
	view->issues = view->completions = 1000;
	view->bios = view->empty = 1020;
	return result;
}

/*
 * Shares: 12145, 1200 and 9600 of 17350. In flight: 12145 × 55206 per second; (9600 × 55206 × 30 + 3 ms × 1000) in 30
 * s. The bars divide 10800 into 1200 and 9600: 5.3 and 42.7 of 48 eighths.
 */
static void queue_device_and_flushes(void **state)
{
	char *report = render(stacked());

	(void)state;
	assert_string_equal(report, "\n"
				    "RND4K-Q1T1-Write · lat 17.4 µs\n"
				    "md0                         mean       p50       p99     p99.9       max  of lat\n"
				    "write through            12.1 µs   12.1 µs   12.1 µs   12.1 µs   12.1 µs  70.0 %\n"
				    "  0.67 in flight · seen 100 %\n"
				    "sda                         mean       p50       p99     p99.9       max  of lat\n"
				    "write queue     ▋        1.20 µs   1.20 µs   1.20 µs   1.20 µs   1.20 µs   6.9 %\n"
				    "write device    █████▍   9.60 µs   9.60 µs   9.60 µs   9.60 µs   9.60 µs  55.3 %\n"
				    "flush device            3.000 ms  2.998 ms  2.998 ms  2.998 ms  3.000 ms       -\n"
				    "  0.63 in flight · 1.00 requests per bio · 1.00 bios per request · seen 100 %\n"
				    "  1,000 flushes · 1,020 flush bios without data\n"
				    "\n"
				    "The queue time of a flush is unknown: it has no bio.\n");
	assert_fits(report);
	free(report);
}

/* They lie inside of the device's time: without a bar and without a share, which would be added to its own. */
static void hops_of_a_scsi_disk(void **state)
{
	struct result *result = stacked();
	struct hist **hop = result->run[0].trace->leaf[0].op[OP_WRITE]->hop;
	char *report;

	(void)state;
	hop[HOP_DISPATCH] = hist_new();
	hist_add(hop[HOP_DISPATCH], 1500, 100);
	hop[HOP_COMMAND] = hist_new();
	hist_add(hop[HOP_COMMAND], 7000, 100);
	report = render(result);
	assert_has(report, "\nwrite device    █████▍   9.60 µs   9.60 µs   9.60 µs   9.60 µs   9.60 µs  55.3 %\n"
			   "  dispatch               1.50 µs   1.50 µs   1.50 µs   1.50 µs   1.50 µs\n"
			   "  command                7.00 µs   7.00 µs   7.00 µs   7.00 µs   7.00 µs\n"
			   "flush device ");
	assert_fits(report);
	free(report);
}

/* Of a partition that its disk does nothing beside, one line. */
static void the_matrix(void **state)
{
	char *report = render(made_up_matrix(1, 1));

	(void)state;
	assert_has(report, "\nSEQ1M-Q8T1-Read · lat 2.973 ms\n"
			   "nvme0n1p2: all that nvme0n1 did was for it.\n"
			   "nvme0n1 ");
	/* 140 µs and 1.4 ms: 1 of 11 and 10 of 11 parts, 4.4 and 43.6 of 48 eighths; of 2.973 ms, 4.7 % */
	assert_has(report, "\nread queue      ▌       140.0 µs  140.0 µs  140.0 µs  140.0 µs  140.0 µs   4.7 %\n"
			   "read device     █████▌  1.400 ms  1.400 ms  1.400 ms  1.400 ms  1.400 ms       -\n"
			   /* 2681 × 2 × 1.4 ms × 30 s ÷ 30.1 s */
			   "  7.51 in flight · 2.00 requests per bio (limit: max_sectors_kb 512) ·\n"
			   "  1.00 bios per request · seen 100 %\n");
	assert_lacks(report, "flush");
	assert_fits(report);
	free(report);
}

/* Its disk was used by others, too. */
static void a_partition_by_itself(void **state)
{
	struct result *result = made_up_matrix(1, 1);
	struct layer_view *disk = &result->run[4].trace->leaf[0];
	char *report;

	(void)state;
	add_op(disk, OP_DISCARD, STAGE_DEVICE, 5000, 2)->issues = 2;
	disk->op[OP_DISCARD]->completions = 2;
	report = render(result);
	assert_has(report, "\nRND4K-Q1T1-Read · lat 78.8 µs\n"
			   "nvme0n1p2                   mean ");
	assert_has(report, "\ndiscard device           5.00 µs ");
	assert_has(report, "\n  2 discards\n");
	free(report);
}

static void limits_have_names(void **state)
{
	struct result *result = made_up_matrix(1, 1);
	char *report;

	(void)state;
	result->target[0].layer[1].max_request_bytes = 65536;
	report = render(result);
	assert_has(report, "2.00 requests per bio (limit: max_sectors_kb 64) ");
	free(report);

	/* Large enough for the I/O. */
	result = made_up_matrix(1, 1);
	result->target[0].layer[1].max_request_bytes = 1 << 20;
	report = render(result);
	assert_has(report, "2.00 requests per bio (limit: the number of segments) ");
	free(report);

	/* Too small for the I/O, but what comes from the layer above is small already. */
	result = made_up_matrix(1, 1);
	for (size_t i = 0; i < result->runs; i++)
		for (int op = 0; op < DIRECTIONS; op++)
			if (result->run[i].trace->leaf[0].op[op])
				result->run[i].trace->leaf[0].op[op]->bio_bytes /= 16;
	report = render(result);
	assert_has(report, "2.00 requests per bio (limit: the number of segments) ");
	free(report);
}

static void what_is_odd_is_counted(void **state)
{
	struct result *result = made_up_matrix(1, 1);
	struct op_view *view = result->run[4].trace->leaf[0].op[OP_READ];
	char *report;

	(void)state;
	view->issues += 7 + 3;
	view->requeues = 7;
	view->loss[LOSS_UNSEEN] = 3;
	view->bio_loss[LOSS_TABLE_FULL] = 1;
	view->partial = 1;
	view->error[10] = 2;
	view->error[31] = 4;
	view->ended_early = 5;
	view->unissued = 6;
	view->unqueued = 8;
	view->walk_over = 9;
	report = render(result);
	/* 375,000 of 375,003 */
	assert_has(report, " · seen 99.99 %\n"
			   "  7 requeues · 1 partial completion · 2 EIO · 4 errors of status 31 ·\n"
			   "  5 bios ended early · 6 ends of what began before ·\n"
			   "  8 bios from before in requests · 9 requests with more bios than are followed\n"
			   "  1 bio lost: table full · 3 requests lost: completion not seen\n");
	assert_fits(report);
	free(report);
}

/* Each run weighs the same in a mean, each I/O in a percentile; 12,500 and 11,250 IOPS, lat 78.84 and 87.6 µs. */
static void several_runs(void **state)
{
	struct result *result = made_up_result(1);
	struct hist *hist;
	char *report;

	(void)state;
	result->options.iterations = 2;
	made_up_run(result, 0, 4, 1, 1);
	made_up_run(result, 0, 4, 2, 0.9);
	hist = &result->run[1].trace->leaf[0].op[OP_READ]->stage[STAGE_DEVICE];
	memset(hist, 0, sizeof(*hist));
	hist_add(hist, 98100, 11250 * 30);
	report = render(result);
	assert_has(report, "\nRND4K-Q1T1-Read · lat 83.2 µs · 2 runs\n");
	/* (68.1 + 98.1) ÷ 2; above the mean of lat */
	assert_has(report, "  83.1 µs   68.1 µs   97.8 µs   97.8 µs   98.1 µs  99.9 %\n");
	free(report);
}

static void no_share_above_lat(void **state)
{
	struct result *result = made_up_result(1);
	struct op_view *view;
	char *report;

	(void)state;
	made_up_run(result, 0, 4, 1, 1);
	view = result->run[0].trace->leaf[0].op[OP_READ];
	view->stage[STAGE_DEVICE].sum *= 2;
	report = render(result);
	assert_has(report, "\nread device     █████▊  136.2 µs   68.1 µs   68.1 µs   68.1 µs   68.1 µs       -\n");
	free(report);
}

static void only_what_was_traced(void **state)
{
	struct result *result = made_up_matrix(2, 1);
	char *report;

	(void)state;
	for (size_t i = 0; i < result->tests; i++) {
		trace_view_free(result->run[i].trace);
		result->run[i].trace = NULL;
	}
	made_up_not_done(&result->run[result->tests], RUN_FAILED, "fio died");
	report = render(result);
	assert_lacks(report, "/mnt/fast0");
	assert_has(report, "\n/mnt/fast1\n\nSEQ1M-Q8T1-Write ");
	assert_lacks(report, "SEQ1M-Q8T1-Read");
	free(report);
	report = render(made_up_result(1));
	assert_string_equal(report, "");
	free(report);
}

static void a_layer_that_saw_nothing(void **state)
{
	struct result *result = stacked();
	struct layer_view *leaf = result->run[0].trace->leaf;
	char *report;

	(void)state;
	free(leaf->op[OP_WRITE]);
	free(leaf->op[OP_FLUSH]);
	leaf->op[OP_WRITE] = leaf->op[OP_FLUSH] = NULL;
	report = render(result);
	assert_has(report, "\nsda: no I/O was seen.\n");
	free(report);

	result = stacked();
	memset(result->run[0].trace->leaf->op[OP_FLUSH]->stage, 0, sizeof(result->run[0].trace->leaf->op[0]->stage));
	memset(result->run[0].trace->leaf->op[OP_WRITE]->stage, 0, sizeof(result->run[0].trace->leaf->op[0]->stage));
	report = render(result);
	assert_has(report, "\nsda: nothing was timed.\n");
	free(report);
}

/* Both ways at once: each by the latency of its own direction. */
static void a_mix(void **state)
{
	struct result *result = made_up_result(1);
	struct run *run = made_up_run(result, 0, 4, 1, 1);
	struct direction *write = &run->engine->direction[OP_WRITE];
	char *report;

	(void)state;
	result->test[4].access = ACCESS_MIX;
	write->ios = 1000;
	write->latency[LATENCY_LAT].count = 1000;
	write->latency[LATENCY_LAT].mean = 20000;
	add_op(&run->trace->leaf[0], OP_WRITE, STAGE_DEVICE, 5000, 1000)->issues = 1000;
	run->trace->leaf[0].op[OP_WRITE]->completions = 1000;
	report = render(result);
	assert_has(report, " · read lat 78.8 µs · write lat 20.0 µs\n");
	assert_has(report, "  68.1 µs  86.4 %\n");
	assert_has(report, "\nwrite device             5.00 µs   5.00 µs   5.00 µs   5.00 µs   5.00 µs  25.0 %\n");
	free(report);
}

/* They are told where nothing was traced, too. */
static void checks_without_a_trace(void **state)
{
	struct result *result = made_up_matrix(2, 2);
	char *report;

	(void)state;
	for (size_t i = 0; i < result->runs; i++) {
		trace_view_free(result->run[i].trace);
		result->run[i].trace = NULL;
	}
	run_add_check(&result->run[14], "medium", CHECK_UNKNOWN, NULL, NULL, "Nothing is known.");
	report = render(result);
	assert_string_equal(report, "\n/mnt/fast1\n\nSEQ1M-Q8T1-Write\n\nchecks #1\nmedium, unknown: Nothing is known.\n");
	free(report);
}

static void it_always_fits(void **state)
{
	struct result *result = stacked();
	struct layer_view *leaf = result->run[0].trace->leaf;
	char *report;

	(void)state;
	free(leaf->device);
	leaf->device = xstrdup("a-name-of-a-device-without-an-end");
	add_op(leaf, OP_WRITE_ZEROES, STAGE_QUEUE, 999600, 10);
	add_op(leaf, OP_WRITE_ZEROES, STAGE_DEVICE, 999600, 10);
	report = render(result);
	assert_has(report, "\na-name-of-a-device…              mean ");
	assert_fits(report);
	free(report);
}

/* No byte that a terminal obeys, and no bad UTF-8. */
static void names_are_disarmed(void **state)
{
	static const char evil[] = "\033[2J\007\xff\xe2\x80\xae\r\nbad";
	struct result *result = stacked();
	struct trace_view *trace = result->run[0].trace;
	char *report;

	(void)state;
	free(trace->leaf[0].device);
	free(trace->above[0].device);
	trace->leaf[0].device = xstrdup(evil);
	trace->above[0].device = xstrdup(evil + 1);
	memcpy(result->test[5].name, evil, sizeof(evil));
	report = render(result);
	for (const char *at = report; *at;) {
		uint32_t code;
		size_t length = utf8_decode(at, &code);

		if (!length || (code < ' ' && code != '\n') || (code >= 0x7f && code < 0xa0) || code == 0x202e)
			fail_msg("a harmful byte before: %.20s", at + 1);
		at += length;
	}
	assert_has(report, "bad");
	free(report);
}

/* Before the layers the stages of the I/Os, behind them the slowest, at the end what the stages are. */
static void ios_that_were_followed(void **state)
{
	struct result *result = made_up_matrix(1, 2);
	const char *at;
	char *report;

	(void)state;
	for (size_t i = 0; i < 4; i++) /* SEQ1M-Q8T1-Read and -Write, both runs */
		made_up_ios(&result->run[i]);
	report = render(result);
	assert_fits(report);
	at = strstr(report, "\nSEQ1M-Q8T1-Read · lat ");
	assert_non_null(at);
	assert_non_null(at = strstr(at, "\nread                  I/Os     mean "));
	/* 80,430 and, at nine tenths of the speed, 72,387 */
	assert_non_null(at = strstr(at, "\nsubmit             152,817 "));
	assert_non_null(at = strstr(at, "\n\nof the total "));
	assert_non_null(at = strstr(at, "\n\nnvme0n1p2: all that nvme0n1 did was for it.\n"));
	assert_non_null(at = strstr(at, "\n\nThe slowest I/Os  · submit  ░ queue  █ device "));
	assert_non_null(at = strstr(at, "\nread 7.422 ms · "));
	assert_non_null(at = strstr(at, "\nread 7.422 ms · ")); /* of the other run */
	assert_non_null(at = strstr(at, "\nSEQ1M-Q8T1-Write · lat "));
	assert_non_null(at = strstr(at, "\nRND4K-Q1T1-Write · lat "));
	assert_null(strstr(at, "slowest"));
	assert_non_null(at = strstr(at, "\n\nsubmit (S → Q): "));
	assert_has(at, "\nAt depths above 1 stages show where the queue stands, not what limits.\n");
	free(report);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(queue_device_and_flushes),
		cmocka_unit_test(hops_of_a_scsi_disk), cmocka_unit_test(the_matrix),
		cmocka_unit_test(ios_that_were_followed),
		cmocka_unit_test(a_partition_by_itself),    cmocka_unit_test(limits_have_names),
		cmocka_unit_test(what_is_odd_is_counted),   cmocka_unit_test(several_runs),
		cmocka_unit_test(no_share_above_lat),	    cmocka_unit_test(only_what_was_traced),
		cmocka_unit_test(a_layer_that_saw_nothing), cmocka_unit_test(a_mix),
		cmocka_unit_test(it_always_fits),	    cmocka_unit_test(checks_without_a_trace),	    cmocka_unit_test(names_are_disarmed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
