// SPDX-License-Identifier: GPL-2.0
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "checked.h"

/* --- balance --- */

static void balance_of_too_many_bytes(void **state)
{
	(void)state;
	const struct check *check;

	run->trace->queued[OWNER_WORKLOAD][OP_READ].bytes += 3 << 20;
	run->trace->queued[OWNER_WORKLOAD][OP_WRITE].bytes = 4096;
	run->trace->queued[OWNER_OTHERS][OP_READ].bytes = 999;
	judge(&read_test);
	check = nth_check("balance", 0);
	assert_state(check, CHECK_WARNING);
	assert_string_equal(check->found, "read 7241728, write 4096 bytes");
	assert_string_equal(check->expected, "read 4096000, write 0 bytes");
	assert_has(check->sentence,
		   "3,145,728 read bytes more than the 4,096,000 it reports and 4,096 write bytes more");
	assert_has(check->sentence, "on sda.");
}

/* With RAID 1 each block is queued twice. */
static void balance_of_several_devices(void **state)
{
	(void)state;
	result->target = xcalloc(1, sizeof(*result->target));
	result->targets = 1;
	result->target[0].members = 2;
	run->trace->queued[OWNER_WORKLOAD][OP_READ].bytes += 3 << 20;
	judge(&read_test);
	assert_state(nth_check("balance", 0), CHECK_NOT_APPLICABLE);
	result->target[0].members = 0;
	judge(&read_test);
	assert_state(nth_check("balance", 1), CHECK_WARNING);
}

/* 1 MiB and a thousandth of what is reported: pages of the program, metadata. */
static void balance_of_a_little_beside(void **state)
{
	(void)state;
	const struct check *check;

	run->trace->queued[OWNER_WORKLOAD][OP_READ].bytes += (1 << 20) + 4096;
	judge(&read_test);
	check = nth_check("balance", 0);
	assert_state(check, CHECK_PASSED);
	assert_has(check->sentence, "1,052,672 read bytes more than the 4,096,000 it reports");
	run->trace->queued[OWNER_WORKLOAD][OP_READ].bytes++;
	judge(&read_test);
	assert_state(nth_check("balance", 1), CHECK_WARNING);
}

static void balance_of_too_few_bytes(void **state)
{
	(void)state;
	const struct check *check;

	run->trace->queued[OWNER_WORKLOAD][OP_READ].bytes -= 4096;
	judge(&read_test);
	check = nth_check("balance", 0);
	assert_state(check, CHECK_WARNING);
	assert_has(check->sentence, "4,096 read bytes fewer than the 4,096,000 it reports");
	assert_has(check->sentence, "cache");
}

/* It is the cache's to say then; what the kernel wrote from pages came to the disk, and is not what the tasks queued.
 */
static void balance_of_what_went_elsewhere(void **state)
{
	(void)state;
	run->trace->queued[OWNER_WORKLOAD][OP_WRITE].bytes = 4096000 / 100 * 95;
	judge(&write_test);
	assert_state(nth_check("balance", 0), CHECK_WARNING);
	assert_state(nth_check("cache", 0), CHECK_PASSED);
	run->trace->queued[OWNER_WORKLOAD][OP_WRITE].bytes--;
	judge(&write_test);
	assert_state(nth_check("balance", 1), CHECK_NOT_APPLICABLE);
	assert_has(nth_check("balance", 1)->sentence, "see the check \"cache\"");
	assert_state(nth_check("cache", 1), CHECK_FAILED);
	run->trace->queued[OWNER_WRITEBACK][OP_WRITE].bytes = 1;
	judge(&write_test);
	assert_state(nth_check("balance", 2), CHECK_WARNING);
	assert_state(nth_check("cache", 2), CHECK_PASSED);
}

static void balance_without_a_disk(void **state)
{
	(void)state;
	free(run->trace->top);
	run->trace->top = NULL;
	judge(&read_test);
	assert_state(nth_check("balance", 0), CHECK_UNKNOWN);
	assert_has(nth_check("balance", 0)->sentence, "--stages");
}

/* --- identity --- */

static void identity_with_named_losses(void **state)
{
	(void)state;
	struct op_view *view = layer_op(&run->trace->leaf[0], OP_READ);
	const struct check *check;

	view->issues = 1000;
	view->requeues = 2;
	view->completions = 989;
	view->in_flight_at_end = 1;
	view->loss[LOSS_UNSEEN] = 7;
	view->loss[LOSS_CLOCK] = 1;
	judge(&read_test);
	check = nth_check("identity", 0);
	assert_state(check, CHECK_PASSED);
	assert_string_equal(check->found, "issues 1000 - requeues 2 = 989 timed + 1 in flight + 8 lost");
	assert_has(check->sentence, "sda, read:");
	assert_has(check->sentence, "7 (completion not seen), 1 (clock went backwards)");
	assert_null(strstr(check->sentence, "table full"));
	assert_null(strstr(check->sentence, "purpose"));
}

static void identity_that_is_open(void **state)
{
	(void)state;
	struct op_view *view = layer_op(&run->trace->leaf[0], OP_READ);
	const struct check *check;

	view->completions = 997;
	judge(&read_test);
	check = nth_check("identity", 0);
	assert_state(check, CHECK_FAILED);
	assert_string_equal(check->found, "issues 1000 - requeues 0 != 997 timed + 0 in flight + 0 lost");
	assert_has(check->sentence, "3 requests were started and are not accounted for");
}

static void identity_of_too_many_ends(void **state)
{
	(void)state;
	const struct check *check;

	layer_op(&run->trace->leaf[0], OP_READ)->loss[LOSS_TABLE_FULL] = 1;
	judge(&read_test);
	check = nth_check("identity", 0);
	assert_state(check, CHECK_FAILED);
	assert_has(check->sentence,
		   "1 request is accounted for that was not started. Without a time: 1 (table full). Do "
		   "not rely on this run's device times;");
}

/* Every leaf and op has its own: a gap in one does not make up for a surplus in another. */
static void identity_of_each(void **state)
{
	(void)state;
	struct layer_view *second = &run->trace->leaf[1];

	run->trace->leaves = 2;
	second->device = xstrdup("sdb");
	second->has_requests = true;
	layer_op(&run->trace->leaf[0], OP_FLUSH)->issues = 1;
	layer_op(second, OP_READ)->completions = 1;
	layer_op(second, OP_DISCARD)->issues = 3;
	layer_op(second, OP_DISCARD)->requeues = 3;
	judge(&read_test);
	assert_int_equal(count_checks("identity"), 4);
	assert_state(nth_check("identity", 0), CHECK_PASSED);
	assert_state(nth_check("identity", 1), CHECK_FAILED);
	assert_has(nth_check("identity", 1)->sentence, "sda, flush:");
	assert_state(nth_check("identity", 2), CHECK_FAILED);
	assert_has(nth_check("identity", 2)->sentence, "sdb, read:");
	assert_state(nth_check("identity", 3), CHECK_PASSED);
}

static void identity_names_the_faults(void **state)
{
	(void)state;
	struct op_view *view = layer_op(&run->trace->leaf[0], OP_READ);

	view->completions = 995;
	view->loss[LOSS_UNSEEN] = 5;
	view->faults = 5;
	view->faults_found = 4;
	judge(&read_test);
	assert_state(nth_check("identity", 0), CHECK_PASSED);
	assert_has(nth_check("identity", 0)->sentence,
		   "5 (completion not seen). This build drops completions on purpose: 5, of which 4 were found");
}

/* Where bios are followed, they have an account of their own. */
static void identity_of_bios(void **state)
{
	(void)state;
	struct op_view *view = layer_op(&run->trace->leaf[0], OP_READ);
	const struct check *check;

	run->trace->leaf[0].queue = true;
	view->bios = 1100;
	view->finished = 1080;
	view->empty = 4;
	view->ended_early = 5;
	view->bios_in_flight_at_end = 1;
	view->bio_loss[LOSS_TABLE_FULL] = 10;
	judge(&read_test);
	assert_int_equal(count_checks("identity"), 2);
	check = nth_check("identity", 0);
	assert_state(check, CHECK_PASSED);
	assert_string_equal(check->found, "issues 1000 - requeues 0 = 1000 timed + 0 in flight + 0 lost");
	assert_null(strstr(check->sentence, "table full"));
	check = nth_check("identity", 1);
	assert_state(check, CHECK_PASSED);
	assert_string_equal(check->found,
			    "bios 1100 = 1080 timed + 9 without data or ended early + 1 in flight + 10 lost");
	assert_string_equal(check->expected, "both sides equal");
	assert_has(check->sentence, "sda, read: every bio that was started is accounted for.");
	assert_has(check->sentence, "10 (table full)");
}

/* A gap in the bios leaves the requests' account closed. */
static void identity_of_bios_that_is_open(void **state)
{
	(void)state;
	struct op_view *view = layer_op(&run->trace->leaf[0], OP_READ);
	static const struct {
		uint64_t finished;
		const char *sentence;
	} known[] = {
		{998, "2 bios were started and are not accounted for."},
		{1001, "1 bio is accounted for that was not started."},
	};

	run->trace->leaf[0].queue = true;
	view->bios = 1000;
	for (size_t i = 0; i < ARRAY_SIZE(known); i++) {
		view->finished = known[i].finished;
		judge(&read_test);
		assert_state(nth_check("identity", 2 * i), CHECK_PASSED);
		assert_state(nth_check("identity", 2 * i + 1), CHECK_FAILED);
		assert_has(nth_check("identity", 2 * i + 1)->found, "bios 1000 != ");
		assert_has(nth_check("identity", 2 * i + 1)->sentence, known[i].sentence);
	}
}

/* They are counted as they enter, and nothing is said of their ends. */
static void identity_of_bios_not_followed(void **state)
{
	(void)state;
	struct layer_view *partition = add_above("sda1"), *md = add_above("md0");

	layer_op(&run->trace->leaf[0], OP_READ)->bios = 1000;
	fill_leaf(partition, OP_READ);
	partition->partition = true;
	layer_op(partition, OP_READ)->bios = 1000;
	layer_op(md, OP_READ)->bios = 1000;
	judge(&read_test);
	assert_int_equal(count_checks("identity"), 2);
	assert_state(nth_check("identity", 0), CHECK_PASSED);
	assert_has(nth_check("identity", 0)->sentence, "sda1, read: every request");
	assert_state(nth_check("identity", 1), CHECK_PASSED);
	assert_has(nth_check("identity", 1)->sentence, "sda, read: every request");
}

/* Its bios are what is started, and the empty ones are timed with the rest. */
static void identity_of_a_bio_based_layer(void **state)
{
	(void)state;
	struct layer_view *md = add_above("md0");
	struct op_view *view;

	fill_bios(md, OP_READ);
	view = layer_op(md, OP_READ);
	view->empty = 3;
	view->completions = 995;
	view->finished = 992;
	view->bios_in_flight_at_end = 1;
	view->bio_loss[LOSS_UNSEEN] = 4;
	judge(&read_test);
	assert_int_equal(count_checks("identity"), 2);
	assert_state(nth_check("identity", 0), CHECK_PASSED);
	assert_string_equal(nth_check("identity", 0)->found,
			    "bios 1000 = 995 timed + 0 without data or ended early + 1 in flight + 4 lost");
	assert_has(nth_check("identity", 0)->sentence, "md0, read: every bio");
	assert_has(nth_check("identity", 0)->sentence, "4 (completion not seen)");
	assert_has(nth_check("identity", 1)->sentence, "sda, read:");

	view->completions = 994;
	judge(&read_test);
	assert_state(nth_check("identity", 2), CHECK_FAILED);
	assert_has(nth_check("identity", 2)->sentence, "1 bio was started and is not accounted for.");
	assert_state(nth_check("identity", 3), CHECK_PASSED);
}

/* --- coverage --- */

static void coverage_at_the_limit(void **state)
{
	(void)state;
	struct op_view *view = layer_op(&run->trace->leaf[0], OP_READ);

	/* 995 of 1000 that were not taken back and not still in flight; the lost writes are not this test's */
	view->issues = 1013;
	view->requeues = 10;
	view->in_flight_at_end = 3;
	view->completions = 995;
	layer_op(&run->trace->leaf[0], OP_WRITE)->issues = 100;
	layer_op(&run->trace->leaf[0], OP_WRITE)->loss[LOSS_UNSEEN] = 100;
	judge(&read_test);
	assert_state(nth_check("coverage", 0), CHECK_PASSED);
	assert_string_equal(nth_check("coverage", 0)->found, "99.50 %");
	assert_has(nth_check("coverage", 0)->sentence, "995 of 1,000");
}

static void coverage_below(void **state)
{
	(void)state;
	layer_op(&run->trace->leaf[0], OP_READ)->completions = 994;
	judge(&read_test);
	assert_state(nth_check("coverage", 0), CHECK_WARNING);
	assert_string_equal(nth_check("coverage", 0)->found, "99.40 %");
}

/* There is no time that could be missing; why there was nothing to time is said of the bytes. */
static void coverage_of_nothing(void **state)
{
	(void)state;
	struct layer_view *loop = add_above("loop5");

	memset(layer_op(&run->trace->leaf[0], OP_READ), 0, sizeof(struct op_view));
	fill_leaf(loop, OP_READ);
	judge(&read_test);
	assert_state(nth_check("coverage", 0), CHECK_NOT_APPLICABLE);
	assert_string_equal(nth_check("coverage", 0)->found, "no requests");
	assert_has(nth_check("coverage", 0)->sentence, "see the check \"cache\"");
	layer_op(loop, OP_READ)->loss[LOSS_TABLE_FULL] = 7;
	judge(&read_test);
	assert_state(nth_check("coverage", 1), CHECK_WARNING);
	assert_has(nth_check("coverage", 1)->sentence, "7 found no room in the probes' tables");
}

/* Of the other direction there may be any. */
static void coverage_of_the_test(void **state)
{
	(void)state;
	judge(&write_test);
	assert_state(nth_check("coverage", 0), CHECK_NOT_APPLICABLE);
}

/* A program has no direction: reads and writes are judged together. */
static void coverage_of_a_program(void **state)
{
	(void)state;
	struct op_view *view = layer_op(&run->trace->leaf[0], OP_WRITE);

	engine_figures_free(run->engine);
	run->engine = NULL;
	view->issues = view->completions = 1000;
	judge(NULL);
	assert_state(nth_check("coverage", 0), CHECK_PASSED);
	assert_has(nth_check("coverage", 0)->sentence, "2,000 of 2,000");
	view->completions = 980;
	judge(NULL);
	assert_state(nth_check("coverage", 1), CHECK_WARNING);
	assert_string_equal(nth_check("coverage", 1)->found, "99.00 %");
}

/* Of requests or bios, on any layer, and however few: the verdict must not be REAL. */
static void coverage_of_a_full_table(void **state)
{
	(void)state;
	struct op_view *leaf = layer_op(&run->trace->leaf[0], OP_READ);
	struct op_view *above = layer_op(add_above("loop5"), OP_READ);
	uint64_t *counts[] = {&leaf->loss[LOSS_TABLE_FULL], &leaf->bio_loss[LOSS_TABLE_FULL],
			      &above->loss[LOSS_TABLE_FULL], &above->bio_loss[LOSS_TABLE_FULL]};

	for (size_t i = 0; i < ARRAY_SIZE(counts); i++) {
		*counts[i] = 1;
		judge(&read_test);
		assert_state(nth_check("coverage", i), CHECK_WARNING);
		assert_has(nth_check("coverage", i)->sentence,
			   "1,000 of 1,000 requests is known. Of the requests and bios 1 found no room in the probes' "
			   "tables (table full)");
		*counts[i] = 0;
	}
	judge(&read_test);
	assert_state(nth_check("coverage", ARRAY_SIZE(counts)), CHECK_PASSED);
}

static void coverage_of_bios(void **state)
{
	(void)state;
	struct op_view *view = layer_op(make_bio_based(OP_READ), OP_READ);

	view->completions = 994;
	view->bio_loss[LOSS_UNSEEN] = 5;
	view->bios_in_flight_at_end = 1;
	judge(&read_test);
	assert_state(nth_check("coverage", 0), CHECK_WARNING);
	assert_string_equal(nth_check("coverage", 0)->found, "99.50 %");
}

/* --- diskstats --- */

static void diskstats_of_another_count(void **state)
{
	(void)state;
	const struct check *check;

	run->trace->leaf[0].stat[STAT_READ].ios = 1001;
	judge(&read_test);
	check = nth_check("diskstats", 0);
	assert_state(check, CHECK_FAILED);
	assert_string_equal(check->found, "1000 requests, 8000 sectors");
	assert_string_equal(check->expected, "1001 requests, 8000 sectors");
	assert_has(check->sentence, "sda, read:");
}

static void diskstats_of_other_sectors(void **state)
{
	(void)state;
	run->trace->leaf[0].stat[STAT_READ].sectors = 7992;
	judge(&read_test);
	assert_state(nth_check("diskstats", 0), CHECK_FAILED);
}

static void diskstats_takes_requeues_off(void **state)
{
	(void)state;
	struct op_view *view = layer_op(&run->trace->leaf[0], OP_READ);

	view->issues = 1003;
	view->issued_bytes = 4096000 + 3 * 4096;
	view->requeues = 3;
	view->requeued_bytes = 3 * 4096;
	judge(&read_test);
	assert_state(nth_check("diskstats", 0), CHECK_PASSED);
}

/* Write-zeroes are writes to the kernel, with their sectors; discards and flushes stand apart; passthrough nowhere. */
static void diskstats_groups(void **state)
{
	(void)state;
	struct layer_view *leaf = &run->trace->leaf[0];

	layer_op(leaf, OP_WRITE_ZEROES)->issues = 2;
	layer_op(leaf, OP_WRITE_ZEROES)->issued_bytes = 1024;
	leaf->stat[STAT_WRITE].ios += 2;
	leaf->stat[STAT_WRITE].sectors += 2;
	layer_op(leaf, OP_DISCARD)->issues = 1;
	layer_op(leaf, OP_DISCARD)->issued_bytes = 1048576;
	leaf->stat[STAT_DISCARD] = (struct stat_delta){.ios = 1, .sectors = 2048};
	layer_op(leaf, OP_FLUSH)->issues = 4;
	leaf->stat[STAT_FLUSH].ios = 5;
	layer_op(leaf, OP_OTHER)->issues = 9;
	layer_op(leaf, OP_OTHER)->issued_bytes = 9 * 512;
	judge(&write_test);
	assert_int_equal(count_checks("diskstats"), 3);
	assert_state(nth_check("diskstats", 0), CHECK_PASSED);
	assert_has(nth_check("diskstats", 0)->sentence, "write:");
	assert_state(nth_check("diskstats", 1), CHECK_PASSED);
	assert_has(nth_check("diskstats", 1)->sentence, "discard:");
	assert_state(nth_check("diskstats", 2), CHECK_FAILED);
	assert_has(nth_check("diskstats", 2)->sentence, "flush:");
	assert_string_equal(nth_check("diskstats", 2)->found, "4 requests, 0 sectors");
}

/* An empty flush is a write to the kernel, though never issued, so its count must be higher by exactly those. */
static void diskstats_empty_flushes(void **state)
{
	(void)state;
	struct layer_view *leaf = &run->trace->leaf[0];
	static const struct {
		uint64_t ios;
		enum check_state state;
	} known[] = {{1004, CHECK_FAILED}, {1005, CHECK_PASSED}, {1006, CHECK_FAILED}};

	layer_op(leaf, OP_FLUSH)->bios = 5;
	layer_op(leaf, OP_FLUSH)->empty = 5;
	layer_op(leaf, OP_WRITE)->flush_ends = 7; /* no measure: those with data have such ends, too */
	run->trace->queued[OWNER_OTHERS][OP_FLUSH].bios = 50;
	for (size_t i = 0; i < ARRAY_SIZE(known); i++) {
		leaf->stat[STAT_WRITE].ios = known[i].ios;
		judge(&write_test);
		assert_int_equal(count_checks("diskstats"), i + 1);
		assert_state(nth_check("diskstats", i), known[i].state);
		assert_string_equal(nth_check("diskstats", i)->found, "1005 requests, 8000 sectors");
	}
}

/* Without Q the empty ones are not seen: there are at most as many as ends of flush sequences. */
static void diskstats_empty_flushes_not_seen(void **state)
{
	(void)state;
	struct layer_view *leaf = &run->trace->leaf[0];
	static const struct {
		uint64_t ios;
		enum check_state state;
	} known[] = {{999, CHECK_FAILED}, {1000, CHECK_PASSED}, {1003, CHECK_PASSED}, {1004, CHECK_FAILED}};

	free(run->trace->top);
	run->trace->top = NULL;
	layer_op(leaf, OP_WRITE)->flush_ends = 3;
	for (size_t i = 0; i < ARRAY_SIZE(known); i++) {
		leaf->stat[STAT_WRITE].ios = known[i].ios;
		judge(&write_test);
		assert_state(nth_check("diskstats", i), known[i].state);
		assert_string_equal(nth_check("diskstats", i)->found, "1000 to 1003 requests, 8000 sectors");
	}
}

/* Which of them were for the partition is not known at all, so its writes are not compared; its reads are. */
static void diskstats_of_a_partition_without_bios(void **state)
{
	(void)state;
	struct layer_view *partition = add_above("sda1");

	free(run->trace->top);
	run->trace->top = NULL;
	partition->partition = true;
	fill_leaf(partition, OP_WRITE);
	partition->stat[STAT_WRITE].ios = 1234;
	fill_leaf(partition, OP_READ);
	judge(&write_test);
	assert_int_equal(count_checks("diskstats"), 2);
	assert_has(nth_check("diskstats", 0)->sentence, "sda1, read:");
	assert_state(nth_check("diskstats", 0), CHECK_PASSED);
	assert_has(nth_check("diskstats", 1)->sentence, "sda, write:");
	assert_state(nth_check("diskstats", 1), CHECK_PASSED);
}

/* Each layer is held against its own count. */
static void diskstats_of_each_layer(void **state)
{
	(void)state;
	struct layer_view *loop = add_above("loop0");

	fill_leaf(loop, OP_READ);
	loop->stat[STAT_READ].ios = 1001;
	judge(&read_test);
	assert_int_equal(count_checks("diskstats"), 2);
	assert_state(nth_check("diskstats", 0), CHECK_FAILED);
	assert_has(nth_check("diskstats", 0)->sentence, "loop0, read:");
	assert_state(nth_check("diskstats", 1), CHECK_PASSED);
	assert_has(nth_check("diskstats", 1)->sentence, "sda, read:");
}

/* The kernel counts flushes for whole disks only; the empty ones are writes to the partition, too. */
static void diskstats_of_a_partition(void **state)
{
	(void)state;
	struct layer_view *partition = add_above("sda1");

	fill_leaf(partition, OP_WRITE);
	partition->partition = true;
	layer_op(partition, OP_FLUSH)->empty = 2;
	layer_op(partition, OP_FLUSH)->issues = 2;
	partition->stat[STAT_WRITE].ios = 1002;
	judge(&write_test);
	assert_int_equal(count_checks("diskstats"), 2);
	assert_state(nth_check("diskstats", 0), CHECK_PASSED);
	assert_has(nth_check("diskstats", 0)->sentence, "sda1, write:");

	partition->stat[STAT_WRITE].sectors++;
	judge(&write_test);
	assert_state(nth_check("diskstats", 2), CHECK_FAILED);
}

/* The bio, or each of its pieces, may be what the driver counts; the sectors are the same. */
static void diskstats_of_a_bio_based_layer(void **state)
{
	(void)state;
	struct layer_view *leaf = make_bio_based(OP_WRITE);
	static const struct {
		uint64_t ios, sectors;
		enum check_state state;
	} known[] = {
		{999, 8000, CHECK_FAILED},  {1000, 8000, CHECK_PASSED}, {1003, 8000, CHECK_PASSED},
		{1004, 8000, CHECK_FAILED}, {1000, 8001, CHECK_FAILED}, {1000, 7999, CHECK_FAILED},
	};

	layer_op(leaf, OP_WRITE)->children = 3;
	for (size_t i = 0; i < ARRAY_SIZE(known); i++) {
		leaf->stat[STAT_WRITE].ios = known[i].ios;
		leaf->stat[STAT_WRITE].sectors = known[i].sectors;
		judge(&write_test);
		assert_int_equal(count_checks("diskstats"), i + 1);
		assert_state(nth_check("diskstats", i), known[i].state);
		assert_string_equal(nth_check("diskstats", i)->found, "1000 to 1003 requests, 8000 sectors");
	}
}

/* A flush without data may be a write to them; passthrough is nothing to them. */
static void diskstats_of_other_bios(void **state)
{
	(void)state;
	struct layer_view *leaf = make_bio_based(OP_WRITE);
	static const enum op others[] = {OP_FLUSH, OP_OTHER};

	for (size_t i = 0; i < ARRAY_SIZE(others); i++) {
		struct op_view *view = layer_op(leaf, others[i]);

		view->bios = view->completions = 10;
		view->bio_bytes = others[i] == OP_FLUSH ? 0 : 40960;
		view->empty = others[i] == OP_FLUSH ? 10 : 0;
		view->children = 4;
	}
	judge(&write_test);
	assert_int_equal(count_checks("diskstats"), 1);
	assert_state(nth_check("diskstats", 0), CHECK_PASSED);
	assert_string_equal(nth_check("diskstats", 0)->found, "1000 to 1010 requests, 8000 sectors");
}

/* dm counts discards and zeroes among them, md and zram do not: then writes are not compared. */
static void diskstats_of_bios_that_drivers_count_differently(void **state)
{
	(void)state;
	struct layer_view *leaf = make_bio_based(OP_WRITE);

	layer_op(leaf, OP_WRITE_ZEROES)->bios = 10;
	judge(&write_test);
	assert_int_equal(count_checks("diskstats"), 0);
}

static void diskstats_needs_quiet_edges(void **state)
{
	(void)state;
	run->trace->leaf[0].has_stat = false;
	run->trace->leaf[0].stat[STAT_READ].ios = 1;
	judge(&read_test);
	assert_int_equal(count_checks("diskstats"), 1);
	assert_state(nth_check("diskstats", 0), CHECK_NOT_APPLICABLE);
	assert_has(nth_check("diskstats", 0)->sentence, "other I/O was in flight");
}

static void diskstats_needs_accounting(void **state)
{
	(void)state;
	memset(run->trace->leaf[0].stat, 0, sizeof(run->trace->leaf[0].stat));
	judge(&read_test);
	assert_state(nth_check("diskstats", 0), CHECK_NOT_APPLICABLE);
	assert_has(nth_check("diskstats", 0)->sentence, "/sys/block/sda/queue/iostats");
}

/* --- await --- */

/*
 * The resolution is 1 ms / 1000 I/Os = 1 us, and batches may make 5 % and 2 us: device 50 us <= await + 5 %, await <=
 * lat 70 us + 5 %.
 */
static void await_within_what_the_clocks_tell(void **state)
{
	(void)state;
	static const struct {
		uint64_t time;
		enum check_state state;
	} known[] = {
		{47600000, CHECK_WARNING}, {47700000, CHECK_PASSED}, {50000000, CHECK_PASSED},
		{70000000, CHECK_PASSED},  {73500000, CHECK_PASSED}, {73600000, CHECK_WARNING},
	};

	for (size_t i = 0; i < ARRAY_SIZE(known); i++) {
		run->trace->leaf[0].stat[STAT_READ].time = known[i].time;
		judge(&read_test);
		assert_state(nth_check("await", i), known[i].state);
	}
	assert_string_equal(nth_check("await", 0)->found,
			    "device 50.0 \u00b5s, diskstats 47.6 \u00b5s, lat 70.0 \u00b5s");
	assert_has(nth_check("await", 0)->sentence, "below the mean device time. One of the three clocks");
	assert_has(nth_check("await", 5)->sentence, "above the mean latency. One of the three clocks");
	assert_has(nth_check("await", 2)->sentence, "between the mean device time and the mean latency");
}

/* Of a fast device 5 % are less than two clocks may differ: 2 us are free. */
static void await_of_a_fast_device(void **state)
{
	(void)state;
	struct hist *device = &layer_op(&run->trace->leaf[0], OP_READ)->stage[STAGE_DEVICE];

	memset(device, 0, sizeof(*device));
	hist_add(device, 8000, 1000);
	run->trace->leaf[0].stat[STAT_READ].time = 6000000;
	judge(&read_test);
	assert_state(nth_check("await", 0), CHECK_PASSED);
	run->trace->leaf[0].stat[STAT_READ].time = 5990000;
	judge(&read_test);
	assert_state(nth_check("await", 1), CHECK_WARNING);
}

/* Beyond any doubt of the clocks, and the resolution still counts: of a few I/Os a millisecond is much. */
static void await_of_few_ios(void **state)
{
	(void)state;
	struct op_view *view = layer_op(&run->trace->leaf[0], OP_READ);

	view->issues = view->completions = 10;
	view->issued_bytes = view->completed_bytes = 40960;
	memset(&view->stage[STAGE_DEVICE], 0, sizeof(view->stage[STAGE_DEVICE]));
	hist_add(&view->stage[STAGE_DEVICE], 150000, 10);
	run->engine->direction[OP_READ].ios = 10;
	run->trace->leaf[0].stat[STAT_READ] = (struct stat_delta){.ios = 10, .sectors = 80, .time = 1000000};
	judge(&read_test);
	assert_state(nth_check("await", 0), CHECK_PASSED); /* 100 us, 50 us too few */
}

static void assert_no_await(const char *why)
{
	judge(&read_test);
	assert_state(nth_check("await", count_checks("await") - 1), CHECK_NOT_APPLICABLE);
	assert_has(nth_check("await", count_checks("await") - 1)->sentence, why);
}

static void await_needs_one_request_per_io(void **state)
{
	(void)state;
	run->engine->direction[OP_READ].ios = 989; /* 1.011 each */
	assert_no_await("split or merged");
	run->engine->direction[OP_READ].ios = 991;
	judge(&read_test);
	assert_state(nth_check("await", 1), CHECK_PASSED);
	run->engine->direction[OP_READ].ios = 1011;
	assert_no_await("split or merged");
}

static void await_needs_an_own_disk(void **state)
{
	(void)state;
	run->trace->queued[OWNER_OTHERS][OP_WRITE].bytes = 40959;
	judge(&read_test);
	assert_state(nth_check("await", 0), CHECK_PASSED);
	run->trace->queued[OWNER_OTHERS][OP_WRITE].bytes = 40960;
	assert_no_await("1 % or more");
}

static void await_needs_owners(void **state)
{
	(void)state;
	free(run->trace->top);
	run->trace->top = NULL;
	memset(run->trace->queued, 0, sizeof(run->trace->queued));
	assert_no_await("--stages left out");
}

static void await_needs_requests(void **state)
{
	(void)state;
	make_bio_based(OP_READ);
	assert_no_await("clock ticks");
	assert_state(nth_check("identity", 0), CHECK_PASSED);
	assert_state(nth_check("coverage", 0), CHECK_PASSED);
	assert_state(nth_check("diskstats", 0), CHECK_PASSED);
}

static void await_needs_figures(void **state)
{
	(void)state;
	run->engine->direction[OP_READ].latency[LATENCY_LAT].count = 0;
	assert_no_await("no mean latency");
	run->trace->leaf[0].stat[STAT_READ].ios = 0;
	assert_no_await("no request");
	run->trace->leaf[0].has_stat = false;
	assert_no_await("other I/O was in flight");
	run->trace->leaves = 2;
	run->trace->leaf[1].device = xstrdup("sdb");
	assert_no_await("exactly one device");
}

/* --- percentiles --- */

static void percentiles_out_of_order(void **state)
{
	(void)state;
	struct latency *latency = run->engine->direction[OP_READ].latency;
	const struct check *check;

	latency[LATENCY_LAT].percentile[P99_9] = latency[LATENCY_CLAT].percentile[P99_9];
	judge(&read_test);
	assert_state(nth_check("percentiles", 0), CHECK_PASSED);
	assert_string_equal(nth_check("percentiles", 0)->found, "6 compared");

	latency[LATENCY_LAT].percentile[P99_9]--;
	judge(&read_test);
	check = nth_check("percentiles", 1);
	assert_state(check, CHECK_FAILED);
	assert_string_equal(check->found, "read p99.9: lat 65003 ns, clat 65004 ns");
}

static void percentiles_of_one_kind(void **state)
{
	(void)state;
	struct latency *latency = run->engine->direction[OP_READ].latency;

	latency[LATENCY_CLAT].has_percentile[P50] = false;
	latency[LATENCY_CLAT].percentile[P50] = UINT64_MAX;
	judge(&read_test);
	assert_state(nth_check("percentiles", 0), CHECK_PASSED);
	assert_string_equal(nth_check("percentiles", 0)->found, "5 compared");

	memset(latency[LATENCY_CLAT].has_percentile, 0, sizeof(latency[LATENCY_CLAT].has_percentile));
	judge(&read_test);
	assert_state(nth_check("percentiles", 1), CHECK_NOT_APPLICABLE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		READS(balance_of_too_many_bytes),
		READS(balance_of_several_devices),
		READS(balance_of_a_little_beside),
		READS(balance_of_too_few_bytes),
		WRITES(balance_of_what_went_elsewhere),
		READS(balance_without_a_disk),
		READS(identity_with_named_losses),
		READS(identity_that_is_open),
		READS(identity_of_too_many_ends),
		READS(identity_of_each),
		READS(identity_names_the_faults),
		READS(identity_of_bios),
		READS(identity_of_bios_that_is_open),
		READS(identity_of_bios_not_followed),
		READS(identity_of_a_bio_based_layer),
		READS(coverage_at_the_limit),
		READS(coverage_below),
		READS(coverage_of_nothing),
		READS(coverage_of_the_test),
		READS(coverage_of_a_program),
		READS(coverage_of_a_full_table),
		READS(coverage_of_bios),
		READS(diskstats_of_another_count),
		READS(diskstats_of_other_sectors),
		READS(diskstats_takes_requeues_off),
		WRITES(diskstats_groups),
		WRITES(diskstats_empty_flushes),
		WRITES(diskstats_empty_flushes_not_seen),
		WRITES(diskstats_of_a_partition_without_bios),
		READS(diskstats_of_each_layer),
		WRITES(diskstats_of_a_partition),
		WRITES(diskstats_of_a_bio_based_layer),
		WRITES(diskstats_of_other_bios),
		WRITES(diskstats_of_bios_that_drivers_count_differently),
		READS(diskstats_needs_quiet_edges),
		READS(diskstats_needs_accounting),
		READS(await_within_what_the_clocks_tell),
		READS(await_of_a_fast_device),
		READS(await_of_few_ios),
		READS(await_needs_one_request_per_io),
		READS(await_needs_an_own_disk),
		READS(await_needs_owners),
		READS(await_needs_requests),
		READS(await_needs_figures),
		READS(percentiles_out_of_order),
		READS(percentiles_of_one_kind),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
