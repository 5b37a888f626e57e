// SPDX-License-Identifier: GPL-2.0
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <signal.h>

#include "base/clock.h"
#include "blocks.h"
#include "workload/nearness.h"
#include "workload/signals.h"

#define PAIRS 200

static void medians_of_pairs(void **state)
{
	struct nearness nearness = {0};
	struct blocks blocks;
	uint64_t begin;

	(void)state;
	blocks_open(&blocks, 256, NULL);
	begin = clock_now();
	assert_int_equal(nearness_measure(&blocks.reader, &nearness), 0);
	assert_in_range(nearness.reads, 1, PAIRS);
	/* Half of the reads took a median or more, so that all of them can't have taken less. */
	assert_true(nearness.random > 0 && nearness.same > 0);
	assert_true((nearness.random + nearness.same) * (nearness.reads / 2) <= clock_now() - begin);
	blocks_close(&blocks);
}

/* With two blocks, the random one is always the other one. */
static void two_blocks(void **state)
{
	struct nearness nearness = {0};
	struct blocks blocks;

	(void)state;
	blocks_open(&blocks, 2, NULL);
	assert_int_equal(nearness_measure(&blocks.reader, &nearness), 0);
	assert_in_range(nearness.reads, 1, PAIRS);
	blocks_close(&blocks);
}

static bool all(size_t number)
{
	(void)number;
	return true;
}

static bool but_two(size_t number)
{
	return number % 32 != 3;
}

/* What was never written says nothing of a medium. */
static void blank_blocks(void **state)
{
	struct nearness nearness = {0};
	struct blocks blocks;

	(void)state;
	blocks_open(&blocks, 64, all);
	assert_int_equal(nearness_measure(&blocks.reader, &nearness), 0);
	assert_true(!nearness.reads && !nearness.random && !nearness.same);
	blocks_close(&blocks);

	/* Nearly all are blank, so hardly a pair counts. */
	blocks_open(&blocks, 64, but_two);
	assert_int_equal(nearness_measure(&blocks.reader, &nearness), 0);
	assert_in_range(nearness.reads, 0, PAIRS / 2);
	blocks_close(&blocks);
}

static void one_block(void **state)
{
	struct nearness nearness = {0};
	struct blocks blocks;

	(void)state;
	blocks_open(&blocks, 1, NULL);
	assert_int_equal(nearness_measure(&blocks.reader, &nearness), -ERANGE);
	assert_int_equal(nearness.reads, 0);
	blocks_close(&blocks);
}

static void an_error_leaves_nothing(void **state)
{
	struct nearness nearness = {0};
	struct blocks blocks;

	(void)state;
	blocks_open(&blocks, 256, NULL);
	assert_int_equal(ftruncate(blocks.place.fd, 0), 0);
	assert_int_equal(nearness_measure(&blocks.reader, &nearness), -EIO);
	assert_true(!nearness.reads && !nearness.random && !nearness.same);
	blocks_close(&blocks);
}

/* The last: it cannot be taken back. */
static void a_signal_stops_it(void **state)
{
	struct nearness nearness = {0};
	struct blocks blocks;

	(void)state;
	assert_int_equal(signals_init(), 0);
	raise(SIGTERM);
	blocks_open(&blocks, 256, NULL);
	assert_int_equal(nearness_measure(&blocks.reader, &nearness), 0);
	assert_true(!nearness.reads && !nearness.random && !nearness.same);
	blocks_close(&blocks);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(medians_of_pairs),
		cmocka_unit_test(two_blocks),
		cmocka_unit_test(blank_blocks),
		cmocka_unit_test(one_block),
		cmocka_unit_test(an_error_leaves_nothing),
		cmocka_unit_test(a_signal_stops_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
