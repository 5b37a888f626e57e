// SPDX-License-Identifier: GPL-2.0
#include "result/check.h"

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

static struct result *result;
static struct run *run;

static struct op_view *leaf_op(struct leaf_view *leaf, enum op op)
{
	if (!leaf->op[op])
		leaf->op[op] = xcalloc(1, sizeof(struct op_view));
	return leaf->op[op];
}

/* 1000 requests of 4096 bytes that took 50,000 ns each, as the probes and the kernel see them. */
static void fill_leaf(struct leaf_view *leaf, enum op op)
{
	enum stat_group group = op == OP_READ ? STAT_READ : STAT_WRITE;
	struct op_view *view = leaf_op(leaf, op);

	view->issues = view->completions = 1000;
	view->issued_bytes = view->completed_bytes = 4096000;
	hist_add(&view->stage[STAGE_DEVICE], 50000, 1000);
	leaf->has_stat = true;
	leaf->stat[group] = (struct stat_delta){.ios = 1000, .sectors = 8000, .time = 60000000};
}

static void fill_engine(enum op op)
{
	struct direction *direction = &run->engine->direction[op];

	direction->ios = 1000;
	direction->bytes = 4096000;
	for (int kind = 0; kind < LATENCY_KINDS; kind++) {
		struct latency *latency = &direction->latency[kind];

		latency->count = 1000;
		latency->mean = kind == LATENCY_LAT ? 70000 : 65000;
		for (int i = 0; i < PERCENTILES; i++) {
			latency->has_percentile[i] = true;
			latency->percentile[i] = (uint64_t)(kind == LATENCY_LAT ? 70000 : 65000) + (uint64_t)i;
		}
	}
}

/* A run in which all is well: 1000 reads, or writes where the test says so. */
static void make_run(enum op op)
{
	result = result_new();
	run = result_add_run(result);
	run->engine = xcalloc(1, sizeof(*run->engine));
	fill_engine(op);
	run->trace = xcalloc(1, sizeof(*run->trace));
	run->trace->top = xstrdup("sda");
	run->trace->queued[OWNER_WORKLOAD][op] = (struct bio_counts){.bios = 1000, .bytes = 4096000};
	run->trace->leaf = xcalloc(2, sizeof(struct leaf_view));
	run->trace->leaves = 1;
	run->trace->leaf[0].device = xstrdup("sda");
	fill_leaf(&run->trace->leaf[0], op);
}

static int make_reads(void **state)
{
	(void)state;
	make_run(OP_READ);
	return 0;
}

static int make_writes(void **state)
{
	(void)state;
	make_run(OP_WRITE);
	return 0;
}

static int free_run(void **state)
{
	(void)state;
	result_free(result);
	return 0;
}

static size_t count_checks(const char *name)
{
	size_t count = 0;

	for (size_t i = 0; i < run->checks; i++)
		count += !strcmp(run->check[i].name, name);
	return count;
}

/* The `nth`, from 0, of that name. */
static const struct check *nth_check(const char *name, size_t nth)
{
	for (size_t i = 0; i < run->checks; i++)
		if (!strcmp(run->check[i].name, name) && !nth--)
			return &run->check[i];
	fail_msg("there is no check '%s'", name);
	return NULL;
}

static void assert_state(const struct check *check, enum check_state state)
{
	if (check->state != state)
		fail_msg("%s is '%s', not '%s': %s", check->name, check_state_name[check->state],
			 check_state_name[state], check->sentence);
	assert_true(strlen(check->sentence) > 20);
	assert_int_equal(check->sentence[strlen(check->sentence) - 1], '.');
}

static void assert_has(const char *string, const char *part)
{
	if (!strstr(string, part))
		fail_msg("'%s' is not in '%s'", part, string);
}

static void all_passes(void **state)
{
	(void)state;
	check_run(run, &read_test);
	assert_int_equal(run->checks, 6);
	assert_string_equal(run->check[0].name, "balance");
	assert_string_equal(run->check[1].name, "identity");
	assert_string_equal(run->check[2].name, "coverage");
	assert_string_equal(run->check[3].name, "diskstats");
	assert_string_equal(run->check[4].name, "await");
	assert_string_equal(run->check[5].name, "percentiles");
	for (size_t i = 0; i < run->checks; i++)
		assert_state(&run->check[i], CHECK_PASSED);
}

static void writes_pass_too(void **state)
{
	(void)state;
	check_run(run, &write_test);
	assert_int_equal(run->checks, 6);
	for (size_t i = 0; i < run->checks; i++)
		assert_state(&run->check[i], CHECK_PASSED);
}

static void unfinished_runs_are_not_checked(void **state)
{
	(void)state;
	run->state = RUN_FAILED;
	check_run(run, &read_test);
	assert_int_equal(run->checks, 0);

	run->state = RUN_DONE;
	trace_view_free(run->trace);
	run->trace = NULL;
	check_run(run, &read_test);
	assert_int_equal(run->checks, 1);
	assert_state(nth_check("percentiles", 0), CHECK_PASSED);
}

/* --- balance --- */

static void balance_of_too_many_bytes(void **state)
{
	(void)state;
	const struct check *check;

	run->trace->queued[OWNER_WORKLOAD][OP_READ].bytes += 3 << 20;
	run->trace->queued[OWNER_WORKLOAD][OP_WRITE].bytes = 4096;
	run->trace->queued[OWNER_OTHERS][OP_READ].bytes = 999;
	check_run(run, &read_test);
	check = nth_check("balance", 0);
	assert_state(check, CHECK_WARNING);
	assert_string_equal(check->found, "read 7241728, write 4096 bytes");
	assert_string_equal(check->expected, "read 4096000, write 0 bytes");
	assert_has(check->sentence,
		   "3,145,728 read bytes more than the 4,096,000 it reports and 4,096 write bytes more");
	assert_has(check->sentence, "on sda.");
}

/* 1 MiB and a thousandth of what is reported: pages of the program, metadata. */
static void balance_of_a_little_beside(void **state)
{
	(void)state;
	const struct check *check;

	run->trace->queued[OWNER_WORKLOAD][OP_READ].bytes += (1 << 20) + 4096;
	check_run(run, &read_test);
	check = nth_check("balance", 0);
	assert_state(check, CHECK_PASSED);
	assert_has(check->sentence, "1,052,672 read bytes more than the 4,096,000 it reports");
	run->trace->queued[OWNER_WORKLOAD][OP_READ].bytes++;
	check_run(run, &read_test);
	assert_state(nth_check("balance", 1), CHECK_WARNING);
}

static void balance_of_too_few_bytes(void **state)
{
	(void)state;
	const struct check *check;

	run->trace->queued[OWNER_WORKLOAD][OP_READ].bytes -= 4096;
	check_run(run, &read_test);
	check = nth_check("balance", 0);
	assert_state(check, CHECK_WARNING);
	assert_has(check->sentence, "4,096 read bytes fewer than the 4,096,000 it reports");
	assert_has(check->sentence, "cache");
}

static void balance_without_a_disk(void **state)
{
	(void)state;
	free(run->trace->top);
	run->trace->top = NULL;
	check_run(run, &read_test);
	assert_state(nth_check("balance", 0), CHECK_UNKNOWN);
}

/* --- identity --- */

static void identity_with_named_losses(void **state)
{
	(void)state;
	struct op_view *view = leaf_op(&run->trace->leaf[0], OP_READ);
	const struct check *check;

	view->issues = 1000;
	view->requeues = 2;
	view->completions = 989;
	view->in_flight_at_end = 1;
	view->loss[LOSS_UNSEEN] = 7;
	view->loss[LOSS_CLOCK] = 1;
	check_run(run, &read_test);
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
	struct op_view *view = leaf_op(&run->trace->leaf[0], OP_READ);
	const struct check *check;

	view->completions = 997;
	check_run(run, &read_test);
	check = nth_check("identity", 0);
	assert_state(check, CHECK_FAILED);
	assert_string_equal(check->found, "issues 1000 - requeues 0 != 997 timed + 0 in flight + 0 lost");
	assert_has(check->sentence, "3 requests were issued and are not accounted for");
}

static void identity_of_too_many_ends(void **state)
{
	(void)state;
	const struct check *check;

	leaf_op(&run->trace->leaf[0], OP_READ)->loss[LOSS_TABLE_FULL] = 1;
	check_run(run, &read_test);
	check = nth_check("identity", 0);
	assert_state(check, CHECK_FAILED);
	assert_has(check->sentence, "1 requests are accounted for that were not issued");
}

/* Every leaf and op has its own: a gap in one does not make up for a surplus in another. */
static void identity_of_each(void **state)
{
	(void)state;
	struct leaf_view *second = &run->trace->leaf[1];

	run->trace->leaves = 2;
	second->device = xstrdup("sdb");
	leaf_op(&run->trace->leaf[0], OP_FLUSH)->issues = 1;
	leaf_op(second, OP_READ)->completions = 1;
	leaf_op(second, OP_DISCARD)->issues = 3;
	leaf_op(second, OP_DISCARD)->requeues = 3;
	check_run(run, &read_test);
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
	struct op_view *view = leaf_op(&run->trace->leaf[0], OP_READ);

	view->completions = 995;
	view->loss[LOSS_UNSEEN] = 5;
	view->faults = 5;
	view->faults_found = 4;
	check_run(run, &read_test);
	assert_state(nth_check("identity", 0), CHECK_PASSED);
	assert_has(nth_check("identity", 0)->sentence,
		   "5 (completion not seen). This build drops completions on purpose: 5, of which 4 were found");
}

/* --- coverage --- */

static void coverage_at_the_limit(void **state)
{
	(void)state;
	struct op_view *view = leaf_op(&run->trace->leaf[0], OP_READ);

	/* 995 of 1000 that were not taken back and not still in flight; the lost writes are not this test's */
	view->issues = 1013;
	view->requeues = 10;
	view->in_flight_at_end = 3;
	view->completions = 995;
	leaf_op(&run->trace->leaf[0], OP_WRITE)->issues = 100;
	leaf_op(&run->trace->leaf[0], OP_WRITE)->loss[LOSS_UNSEEN] = 100;
	check_run(run, &read_test);
	assert_state(nth_check("coverage", 0), CHECK_PASSED);
	assert_string_equal(nth_check("coverage", 0)->found, "99.50 %");
	assert_has(nth_check("coverage", 0)->sentence, "995 of 1,000");
}

static void coverage_below(void **state)
{
	(void)state;
	leaf_op(&run->trace->leaf[0], OP_READ)->completions = 994;
	check_run(run, &read_test);
	assert_state(nth_check("coverage", 0), CHECK_WARNING);
	assert_string_equal(nth_check("coverage", 0)->found, "99.40 %");
}

static void coverage_of_nothing(void **state)
{
	(void)state;
	check_run(run, &write_test);
	assert_state(nth_check("coverage", 0), CHECK_WARNING);
	assert_string_equal(nth_check("coverage", 0)->found, "no requests");
}

/* --- diskstats --- */

static void diskstats_of_another_count(void **state)
{
	(void)state;
	const struct check *check;

	run->trace->leaf[0].stat[STAT_READ].ios = 1001;
	check_run(run, &read_test);
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
	check_run(run, &read_test);
	assert_state(nth_check("diskstats", 0), CHECK_FAILED);
}

static void diskstats_takes_requeues_off(void **state)
{
	(void)state;
	struct op_view *view = leaf_op(&run->trace->leaf[0], OP_READ);

	view->issues = 1003;
	view->issued_bytes = 4096000 + 3 * 4096;
	view->requeues = 3;
	view->requeued_bytes = 3 * 4096;
	check_run(run, &read_test);
	assert_state(nth_check("diskstats", 0), CHECK_PASSED);
}

/* Write-zeroes are writes to the kernel, with their sectors; discards and flushes stand apart; passthrough nowhere. */
static void diskstats_groups(void **state)
{
	(void)state;
	struct leaf_view *leaf = &run->trace->leaf[0];

	leaf_op(leaf, OP_WRITE_ZEROES)->issues = 2;
	leaf_op(leaf, OP_WRITE_ZEROES)->issued_bytes = 1024;
	leaf->stat[STAT_WRITE].ios += 2;
	leaf->stat[STAT_WRITE].sectors += 2;
	leaf_op(leaf, OP_DISCARD)->issues = 1;
	leaf_op(leaf, OP_DISCARD)->issued_bytes = 1048576;
	leaf->stat[STAT_DISCARD] = (struct stat_delta){.ios = 1, .sectors = 2048};
	leaf_op(leaf, OP_FLUSH)->issues = 4;
	leaf->stat[STAT_FLUSH].ios = 5;
	leaf_op(leaf, OP_OTHER)->issues = 9;
	leaf_op(leaf, OP_OTHER)->issued_bytes = 9 * 512;
	check_run(run, &write_test);
	assert_int_equal(count_checks("diskstats"), 3);
	assert_state(nth_check("diskstats", 0), CHECK_PASSED);
	assert_has(nth_check("diskstats", 0)->sentence, "write:");
	assert_state(nth_check("diskstats", 1), CHECK_PASSED);
	assert_has(nth_check("diskstats", 1)->sentence, "discard:");
	assert_state(nth_check("diskstats", 2), CHECK_FAILED);
	assert_has(nth_check("diskstats", 2)->sentence, "flush:");
	assert_string_equal(nth_check("diskstats", 2)->found, "4 requests, 0 sectors");
}

/* On the target's own disk the empty flushes are known, so the kernel's count must be higher by exactly them. */
static void diskstats_empty_flushes_on_top(void **state)
{
	(void)state;
	struct leaf_view *leaf = &run->trace->leaf[0];

	run->trace->queued[OWNER_WORKLOAD][OP_FLUSH].bios = 2;
	run->trace->queued[OWNER_OTHERS][OP_FLUSH].bios = 3;
	leaf->stat[STAT_WRITE].ios = 1005;
	check_run(run, &write_test);
	assert_state(nth_check("diskstats", 0), CHECK_PASSED);
	assert_string_equal(nth_check("diskstats", 0)->found, "1005 requests, 8000 sectors");

	leaf->stat[STAT_WRITE].ios = 1004;
	check_run(run, &write_test);
	assert_state(nth_check("diskstats", 1), CHECK_FAILED);
}

static void diskstats_empty_flushes_below(void **state)
{
	(void)state;
	struct leaf_view *leaf = &run->trace->leaf[0];
	static const struct {
		uint64_t ios;
		enum check_state state;
	} known[] = {{999, CHECK_FAILED}, {1000, CHECK_PASSED}, {1003, CHECK_PASSED}, {1004, CHECK_FAILED}};

	free(run->trace->top);
	run->trace->top = xstrdup("md0");
	run->trace->queued[OWNER_OTHERS][OP_FLUSH].bios = 50;
	leaf_op(leaf, OP_WRITE)->flush_ends = 3;
	for (size_t i = 0; i < ARRAY_SIZE(known); i++) {
		leaf->stat[STAT_WRITE].ios = known[i].ios;
		check_run(run, &write_test);
		assert_state(nth_check("diskstats", i), known[i].state);
	}
	assert_string_equal(nth_check("diskstats", 0)->found, "1000 to 1003 requests, 8000 sectors");
}

static void diskstats_needs_quiet_edges(void **state)
{
	(void)state;
	run->trace->leaf[0].has_stat = false;
	run->trace->leaf[0].stat[STAT_READ].ios = 1;
	check_run(run, &read_test);
	assert_int_equal(count_checks("diskstats"), 1);
	assert_state(nth_check("diskstats", 0), CHECK_NOT_APPLICABLE);
	assert_has(nth_check("diskstats", 0)->sentence, "other I/O was in flight");
}

static void diskstats_needs_accounting(void **state)
{
	(void)state;
	memset(run->trace->leaf[0].stat, 0, sizeof(run->trace->leaf[0].stat));
	check_run(run, &read_test);
	assert_state(nth_check("diskstats", 0), CHECK_NOT_APPLICABLE);
	assert_has(nth_check("diskstats", 0)->sentence, "/sys/block/sda/queue/iostats");
}

/* --- await --- */

/* The resolution is 1 ms / 1000 I/Os = 1 us: device 50 us <= await + 1 us, await <= lat 70 us + 1 % + 2 us. */
static void await_within_its_resolution(void **state)
{
	(void)state;
	static const struct {
		uint64_t time;
		enum check_state state;
	} known[] = {
		{48000000, CHECK_WARNING}, {49000000, CHECK_PASSED},  {70000000, CHECK_PASSED},
		{72000000, CHECK_PASSED},  {73000000, CHECK_WARNING},
	};

	for (size_t i = 0; i < ARRAY_SIZE(known); i++) {
		run->trace->leaf[0].stat[STAT_READ].time = known[i].time;
		check_run(run, &read_test);
		assert_state(nth_check("await", i), known[i].state);
	}
	assert_string_equal(nth_check("await", 0)->found,
			    "device 50.0 \u00b5s, diskstats 48.0 \u00b5s, lat 70.0 \u00b5s");
	assert_has(nth_check("await", 0)->sentence, "below the mean device time");
	assert_has(nth_check("await", 4)->sentence, "above the mean latency");
}

static void assert_no_await(const char *why)
{
	check_run(run, &read_test);
	assert_state(nth_check("await", count_checks("await") - 1), CHECK_NOT_APPLICABLE);
	assert_has(nth_check("await", count_checks("await") - 1)->sentence, why);
}

static void await_needs_one_request_per_io(void **state)
{
	(void)state;
	run->engine->direction[OP_READ].ios = 989; /* 1.011 each */
	assert_no_await("split or merged");
	run->engine->direction[OP_READ].ios = 991;
	check_run(run, &read_test);
	assert_state(nth_check("await", 1), CHECK_PASSED);
	run->engine->direction[OP_READ].ios = 1011;
	assert_no_await("split or merged");
}

static void await_needs_an_own_disk(void **state)
{
	(void)state;
	run->trace->queued[OWNER_OTHERS][OP_WRITE].bytes = 40959;
	check_run(run, &read_test);
	assert_state(nth_check("await", 0), CHECK_PASSED);
	run->trace->queued[OWNER_OTHERS][OP_WRITE].bytes = 40960;
	assert_no_await("1 % or more");
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
	check_run(run, &read_test);
	assert_state(nth_check("percentiles", 0), CHECK_PASSED);
	assert_string_equal(nth_check("percentiles", 0)->found, "6 compared");

	latency[LATENCY_LAT].percentile[P99_9]--;
	check_run(run, &read_test);
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
	check_run(run, &read_test);
	assert_state(nth_check("percentiles", 0), CHECK_PASSED);
	assert_string_equal(nth_check("percentiles", 0)->found, "5 compared");

	memset(latency[LATENCY_CLAT].has_percentile, 0, sizeof(latency[LATENCY_CLAT].has_percentile));
	check_run(run, &read_test);
	assert_state(nth_check("percentiles", 1), CHECK_NOT_APPLICABLE);
}

#define READS(function)	 cmocka_unit_test_setup_teardown(function, make_reads, free_run)
#define WRITES(function) cmocka_unit_test_setup_teardown(function, make_writes, free_run)

int main(void)
{
	const struct CMUnitTest tests[] = {
		READS(all_passes),
		WRITES(writes_pass_too),
		READS(unfinished_runs_are_not_checked),
		READS(balance_of_too_many_bytes),
		READS(balance_of_a_little_beside),
		READS(balance_of_too_few_bytes),
		READS(balance_without_a_disk),
		READS(identity_with_named_losses),
		READS(identity_that_is_open),
		READS(identity_of_too_many_ends),
		READS(identity_of_each),
		READS(identity_names_the_faults),
		READS(coverage_at_the_limit),
		READS(coverage_below),
		READS(coverage_of_nothing),
		READS(diskstats_of_another_count),
		READS(diskstats_of_other_sectors),
		READS(diskstats_takes_requeues_off),
		WRITES(diskstats_groups),
		WRITES(diskstats_empty_flushes_on_top),
		WRITES(diskstats_empty_flushes_below),
		READS(diskstats_needs_quiet_edges),
		READS(diskstats_needs_accounting),
		READS(await_within_its_resolution),
		READS(await_needs_one_request_per_io),
		READS(await_needs_an_own_disk),
		READS(await_needs_figures),
		READS(percentiles_out_of_order),
		READS(percentiles_of_one_kind),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
