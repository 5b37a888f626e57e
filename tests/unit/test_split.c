// SPDX-License-Identifier: GPL-2.0
/* A guest's device time divided by its host's recording: what is taken of it, and what is refused. */
#include "result/split.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "file_tests.h"
#include "made_up_result.h"
#include "made_up_split.h"
#include "shown.h"

static void assert_near(double value, double expected)
{
	if (value < expected - 0.01 || value > expected + 0.01)
		fail_msg("%f, expected %f", value, expected);
}

static void assert_divided(const struct split_row *row)
{
	if (row->refusal)
		fail_msg("refused: %s", row->refusal);
	assert_near(row->kernel, SUBMIT + QUEUE);
	assert_near(row->host_device, DISK);
	assert_near(row->transport, made_up[READ].device - SUBMIT - QUEUE - DISK);
	assert_near(row->transport + row->kernel + row->host_device, row->device);
}

static void assert_refused(struct pair *pair, const char *words)
{
	struct split split = split_pair(pair);

	assert_null(split.obstacle);
	assert_int_equal(split.rows, 1);
	if (!split.row[0].refusal)
		fail_msg("not refused: %s", words);
	assert_has(split.row[0].refusal, words);
	assert_int_equal(split.row[0].refusal[strlen(split.row[0].refusal) - 1], '.');
	clear(pair, &split);
}

static void assert_obstacle(struct pair *pair, const char *words)
{
	struct split split = split_pair(pair);

	assert_int_equal(split.rows, 0);
	assert_non_null(split.obstacle);
	assert_has(split.obstacle, words);
	clear(pair, &split);
}

/* --- what is divided --- */

static void test_the_same_ios_are_divided(void **state)
{
	struct pair pair = made_up_pair();
	struct split split = split_pair(&pair);

	(void)state;
	assert_null(split.obstacle);
	assert_int_equal(split.rows, 1);
	assert_int_equal(split.apart, 0);
	assert_ptr_equal(split.row[0].run, &pair.guest->run[0]);
	assert_int_equal(split.row[0].op, OP_READ);
	assert_true(split.row[0].overlap == 1);
	assert_int_equal(split.row[0].guest_requests, 9 * RATE);
	assert_int_equal(split.row[0].host_ios, 9 * RATE);
	assert_near(split.row[0].device, made_up[READ].device);
	assert_divided(&split.row[0]);
	clear(&pair, &split);
}

/* The warm-up before a run and the next test after it are none of it: only whole seconds within count. */
static void test_what_stands_beside_is_left_out(void **state)
{
	struct pair pair = {made_up_host(), made_up_result(1)};
	struct split split;

	(void)state;
	add_reads(pair.host, 10, 11); /* until 21 s */
	for (uint64_t i = 0; i < 10; i++)
		add_second(host_io(pair.host, IO_OP_READ), 30 + i, 50 * RATE, 4096);
	pair.host->run[0].trace->io[IO_OP_READ]->second[10].sum[IO_STAGE_DEVICE] *= 100; /* of 20 s to 21 s */
	for (uint64_t i = 0; i < 9; i++)
		add_second(host_io(pair.host, IO_OP_READ), 21 + i, RATE, 4096);
	add_run(pair.guest, READ, 20300 * NS_PER_MS, 30300 * NS_PER_MS, 10 * RATE);
	split = split_pair(&pair);
	assert_int_equal(split.rows, 1);
	assert_true(split.row[0].middle);
	assert_int_equal(split.row[0].host_ios, 7 * RATE); /* from 22 s to 29 s */
	assert_divided(&split.row[0]);
	clear(&pair, &split);
}

/* By up to a second, one may be ahead of the other. */
static void test_clocks_that_differ(void **state)
{
	(void)state;
	for (int ahead = -950; ahead <= 950; ahead += 50) {
		struct pair pair = made_up_pair();
		struct split split;

		pair.guest->run[0].trace->started += (int64_t)ahead * (int64_t)NS_PER_MS;
		split = split_pair(&pair);
		assert_false(split.row[0].middle);
		assert_divided(&split.row[0]);
		clear(&pair, &split);
	}
}

static void test_each_run_has_its_own_window(void **state)
{
	struct pair pair = made_up_pair();
	struct split split;

	(void)state;
	for (uint64_t i = 0; i < 5; i++)
		add_second(host_io(pair.host, IO_OP_WRITE), 50 + i, RATE, 4096);
	add_run(pair.guest, READ + 1, 50 * NS_PER_SECOND, 55 * NS_PER_SECOND, 5 * RATE);
	split = split_pair(&pair);
	assert_int_equal(split.rows, 2);
	assert_divided(&split.row[0]);
	assert_int_equal(split.row[1].op, OP_WRITE);
	/* 11.4 us in the guest: less than the host says. */
	assert_non_null(split.row[1].refusal);
	assert_has(split.row[1].refusal, "longer than the guest's requests");
	clear(&pair, &split);
}

/* A program that reads has its libraries read, and a test that only reads has the journal written. */
static void test_a_few_others_are_not_told_of(void **state)
{
	struct pair pair = made_up_pair();
	struct trace_view *trace = pair.guest->run[0].trace;
	struct split split;

	(void)state;
	pair.guest->run[0].test = NO_TEST;
	trace->leaf[0].op[OP_WRITE] = xcalloc(1, sizeof(struct op_view));
	hist_add(&trace->leaf[0].op[OP_WRITE]->stage[STAGE_DEVICE], 9000, 9 * RATE / 200);
	split = split_pair(&pair);
	assert_int_equal(split.rows, 1);
	assert_int_equal(split.row[0].op, OP_READ);
	assert_divided(&split.row[0]);
	clear(&pair, &split);
}

/* On md the host's I/O goes through; a synchronous write ends with its flush. Both are its disk's. */
static void test_all_of_the_disk_counts(void **state)
{
	struct pair pair = made_up_pair();
	struct io_view *io = host_io(pair.host, IO_OP_READ);
	struct split split;

	(void)state;
	for (size_t i = 0; i < io->seconds; i++) {
		struct io_second *second = &io->second[i];

		second->count[IO_STAGE_THROUGH] = second->count[IO_STAGE_DEVICE];
		second->sum[IO_STAGE_THROUGH] = second->sum[IO_STAGE_DEVICE] / 4;
		second->count[IO_STAGE_SYNC] = second->count[IO_STAGE_DEVICE];
		second->sum[IO_STAGE_SYNC] = second->sum[IO_STAGE_DEVICE] / 4 * 3;
		second->count[IO_STAGE_DEVICE] = second->sum[IO_STAGE_DEVICE] = 0;
	}
	split = split_pair(&pair);
	assert_divided(&split.row[0]);
	clear(&pair, &split);
}

/* --- windows --- */

/* The host stopped after `seconds` of the guest's ten, and saw that part. */
static struct split stopped_after(struct pair *pair, uint64_t seconds)
{
	*pair = (struct pair){made_up_host(), made_up_result(1)};
	add_reads(pair->host, 20, seconds);
	pair->host->run[0].trace->recorded = (20 + seconds) * NS_PER_SECOND;
	add_run(pair->guest, READ, 20 * NS_PER_SECOND, 30 * NS_PER_SECOND, 10 * RATE);
	return split_pair(pair);
}

static void test_a_part_of_a_run_is_enough(void **state)
{
	struct pair pair;
	struct split split = stopped_after(&pair, 6);

	(void)state;
	assert_near(split.row[0].overlap, 0.6);
	assert_divided(&split.row[0]);
	clear(&pair, &split);
}

static void test_less_than_half_is_not(void **state)
{
	struct pair pair;
	struct split split = stopped_after(&pair, 4);

	(void)state;
	assert_int_equal(split.rows, 1);
	assert_non_null(split.row[0].refusal);
	assert_has(split.row[0].refusal, "less than half of this run");
	clear(&pair, &split);
}

/* The guest began before the host: seconds of the recording do not become negative. */
static void test_a_run_that_began_before(void **state)
{
	struct pair pair = {made_up_host(), made_up_result(1)};
	struct split split;

	(void)state;
	add_reads(pair.host, 0, 8);
	add_run(pair.guest, READ, 0, 10 * NS_PER_SECOND, 10 * RATE);
	pair.guest->run[0].trace->started -= 2 * NS_PER_SECOND;
	split = split_pair(&pair);
	assert_near(split.row[0].overlap, 0.8);
	assert_divided(&split.row[0]);
	clear(&pair, &split);
}

static void test_runs_that_lie_apart(void **state)
{
	struct pair pair = made_up_pair();
	struct split split;

	(void)state;
	add_run(pair.guest, READ, SECONDS * NS_PER_SECOND, (SECONDS + 10) * NS_PER_SECOND, 10 * RATE);
	split = split_pair(&pair);
	assert_int_equal(split.rows, 1);
	assert_int_equal(split.apart, 1);
	clear(&pair, &split);

	pair = made_up_pair();
	pair.guest->run[0].trace->started += 3600 * NS_PER_SECOND;
	assert_obstacle(&pair, "one of the two clocks is wrong.");
}

/* In the middle as many more are found as there are. */
static void test_another_disk_all_the_time(void **state)
{
	struct pair pair = {made_up_host(), made_up_result(1)};

	(void)state;
	for (uint64_t i = 0; i < 40; i++)
		add_second(host_io(pair.host, IO_OP_READ), i, RATE * 107 / 100, 4096);
	add_run(pair.guest, READ, 10 * NS_PER_SECOND, 30 * NS_PER_SECOND, 20 * RATE);
	assert_refused(&pair, "the guest has other disks");
}

/* In seconds that are coarser than the run, others' I/O cannot be told from it. */
static void test_short_runs_among_others(void **state)
{
	struct pair pair = {made_up_host(), made_up_result(1)};

	(void)state;
	add_reads(pair.host, 10, 30);
	add_run(pair.guest, READ, 20500 * NS_PER_MS, 23500 * NS_PER_MS, 3 * RATE);
	assert_refused(&pair, "Let a run take 10 s or more.");
}

/* --- other I/Os --- */

static void test_fewer_are_not_the_same(void **state)
{
	struct pair pair = made_up_pair_of(9 * RATE * 100 / 94);

	(void)state;
	assert_refused(&pair, "the host has 9,000 I/Os for them: QEMU puts neighbours together");
}

static void test_a_few_fewer_may_be(void **state)
{
	struct pair pair = made_up_pair_of(9 * RATE * 100 / 96);
	struct split split = split_pair(&pair);

	(void)state;
	assert_divided(&split.row[0]);
	clear(&pair, &split);
}

static void test_more_are_not_the_same(void **state)
{
	struct pair pair = made_up_pair();

	(void)state;
	host_io(pair.host, IO_OP_READ)->second[4].count[IO_STAGE_DEVICE] += RATE;
	assert_refused(&pair, "the host has 8,000 I/Os for them: the guest has other disks");
}

static void test_none_at_all(void **state)
{
	struct pair pair = {made_up_host(), made_up_result(1)};

	(void)state;
	add_run(pair.guest, READ, 20300 * NS_PER_MS, 30300 * NS_PER_MS, 9 * RATE);
	assert_refused(&pair, "made no direct read in this time");
}

/* Nor are any expected: the guest had read all before the host began. There is nothing to divide by. */
static void test_none_where_none_is_expected(void **state)
{
	(void)state;
	for (int known = 0; known < 2; known++) {
		struct pair pair = {made_up_host(), made_up_result(1)};

		if (known)
			host_io(pair.host, IO_OP_READ);
		add_run(pair.guest, READ, 0, 10 * NS_PER_SECOND, 3 * RATE);
		spread(pair.guest->run[0].trace->leaf[0].op[OP_READ], 3 * RATE, 0, 1);
		pair.guest->run[0].trace->started -= 4 * NS_PER_SECOND;
		assert_refused(&pair, "made no direct read in this time");
	}
}

/* With cache=writeback the calls are there, and few I/Os. */
static void test_the_hosts_page_cache(void **state)
{
	struct pair pair = {made_up_host(), made_up_result(1)};
	struct trace_view *host = pair.host->run[0].trace;

	(void)state;
	add_second(host_io(pair.host, IO_OP_READ), 25, 29, 131072);
	host->call[CALL_READ] = xcalloc(1, sizeof(*host->call[CALL_READ]));
	host->call[CALL_READ]->counts.calls = 9 * RATE + 50;
	host->call[CALL_READ]->counts.direct = 29;
	add_run(pair.guest, READ, 20300 * NS_PER_MS, 30300 * NS_PER_MS, 9 * RATE);
	assert_refused(&pair, "the monitor made 29 direct reads in this time, and 9,021 buffered ones in all. Where "
			      "the host's page cache lies in between");
}

static void test_other_sizes(void **state)
{
	struct pair pair = made_up_pair();
	struct io_view *io = host_io(pair.host, IO_OP_READ);

	(void)state;
	for (size_t i = 0; i < io->seconds; i++)
		io->second[i].bytes *= 2;
	assert_refused(&pair, "they have 4 KiB on average and the host's I/Os 8 KiB");
}

/* Reaped in user space, so that the flush behind the completion is not known; when the monitor waits, it is. */
static void test_synchronous_writes(void **state)
{
	struct pair pair = made_up_pair();
	struct io_view *io = host_io(pair.host, IO_OP_READ);
	struct split split;

	(void)state;
	io->counts.note[IO_NOTE_SYNCHRONOUS] = io->counts.end[IO_END_SELF_REAPED];
	io->counts.end[IO_END_JOINED] = io->counts.end[IO_END_SELF_REAPED];
	io->counts.end[IO_END_SELF_REAPED] = 0;
	split = split_pair(&pair);
	assert_divided(&split.row[0]);
	split_clear(&split);
	io->counts.end[IO_END_SELF_REAPED] = io->counts.end[IO_END_JOINED];
	assert_refused(&pair, "cache=directsync");
}

/* --- what cannot be compared at all --- */

static void test_obstacles(void **state)
{
	struct pair pair = {made_up_matrix(1, 1), made_up_matrix(1, 1)};

	(void)state;
	assert_obstacle(&pair, "not of trace");
	pair = made_up_pair();
	pair.host->run[0].trace->ios = false;
	assert_obstacle(&pair, "not followed");
	pair = made_up_pair();
	pair.host->run[0].trace->started = 0;
	assert_obstacle(&pair, "older iostrata");
	pair = made_up_pair();
	free(pair.host->run[0].trace->io[IO_OP_READ]->second);
	pair.host->run[0].trace->io[IO_OP_READ]->second = NULL;
	pair.host->run[0].trace->io[IO_OP_READ]->seconds = 0;
	assert_obstacle(&pair, "older iostrata");
	pair = made_up_pair();
	pair.guest->run[0].trace->started = 0;
	assert_obstacle(&pair, "no run of which it is known");
	pair = made_up_pair();
	made_up_not_done(&pair.guest->run[0], RUN_FAILED, "for a reason");
	assert_obstacle(&pair, "no run of which it is known");
}

static void test_the_disk_is_named_where_it_is_one(void **state)
{
	struct pair pair = made_up_pair();
	struct split split = split_pair(&pair);
	struct trace_view *host = pair.host->run[0].trace;

	(void)state;
	assert_string_equal(split_disk(pair.host), "nvme7n1");
	assert_string_equal(split_disk(pair.guest), "nvme0n1");
	host->above = xcalloc(1, sizeof(*host->above));
	host->aboves = 1;
	host->above[0].device = xstrdup("md0");
	assert_null(split_disk(pair.host));
	host->above[0].partition = true;
	assert_string_equal(split_disk(pair.host), "nvme7n1");
	clear(&pair, &split);
}

/* --- as JSON --- */

static json_t *to_json(const struct split *split)
{
	char *text = split_to_json(split);
	json_t *json = json_loads(text, JSON_REJECT_DUPLICATES, NULL);

	assert_non_null(json);
	free(text);
	return json;
}

static void test_json(void **state)
{
	struct pair pair = made_up_pair();
	struct split split;
	json_t *json;

	(void)state;
	add_run(pair.guest, READ, 40 * NS_PER_SECOND, 50 * NS_PER_SECOND, 10 * RATE);
	split = split_pair(&pair);
	json = to_json(&split);
	check_count(json, "schema_version", 1);
	check_text(json, "host/host", "metal");
	check_text(json, "guest/kernel", "6.1.0-made-up");
	check_text(json, "rows/0/test", "RND4K-Q1T1-Read");
	check_text(json, "rows/0/op", "read");
	check_count(json, "rows/0/host_ios", 9 * RATE);
	check_fraction(json, "rows/0/overlap", 1);
	check_fraction(json, "rows/0/host_kernel", SUBMIT + QUEUE);
	check_fraction(json, "rows/0/host_device", DISK);
	check_absent(json, "rows/0/refused");
	check_count(json, "rows/1/run", 1);
	check_absent(json, "rows/1/transport");
	check_absent(json, "rows/1/host_device");
	assert_true(json_is_string(find(json, "rows/1/refused")));
	check_count(json, "apart", 0);
	check_absent(json, "obstacle");
	json_decref(json);
	clear(&pair, &split);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_the_same_ios_are_divided),
		cmocka_unit_test(test_what_stands_beside_is_left_out),
		cmocka_unit_test(test_clocks_that_differ),
		cmocka_unit_test(test_each_run_has_its_own_window),
		cmocka_unit_test(test_a_few_others_are_not_told_of),
		cmocka_unit_test(test_all_of_the_disk_counts),
		cmocka_unit_test(test_a_part_of_a_run_is_enough),
		cmocka_unit_test(test_less_than_half_is_not),
		cmocka_unit_test(test_a_run_that_began_before),
		cmocka_unit_test(test_runs_that_lie_apart),
		cmocka_unit_test(test_another_disk_all_the_time),
		cmocka_unit_test(test_short_runs_among_others),
		cmocka_unit_test(test_fewer_are_not_the_same),
		cmocka_unit_test(test_a_few_fewer_may_be),
		cmocka_unit_test(test_more_are_not_the_same),
		cmocka_unit_test(test_none_at_all),
		cmocka_unit_test(test_none_where_none_is_expected),
		cmocka_unit_test(test_the_hosts_page_cache),
		cmocka_unit_test(test_other_sizes),
		cmocka_unit_test(test_synchronous_writes),
		cmocka_unit_test(test_obstacles),
		cmocka_unit_test(test_the_disk_is_named_where_it_is_one),
		cmocka_unit_test(test_json),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
