// SPDX-License-Identifier: GPL-2.0
#include "workload/floor.h"

#include "tree.h"

#include <signal.h>

#include "base/clock.h"
#include "blocks.h"
#include "workload/signals.h"

#define COUNT 64u
#define MOST  1000

static struct layer disk = {.name = (char *)"sda", .leaf = true, .logical_block = 512};

static struct target file_of(size_t blocks)
{
	return (struct target){.given = (char *)"there", .kind = TARGET_FILE, .file_size = blocks * READER_BLOCK};
}

/* A file of blocks, those blank for which that is true. Skips the test where the file system takes no direct I/O. */
static struct target measure(size_t count, bool (*blank)(size_t number), struct layer *layer)
{
	struct target target = file_of(count);
	struct blocks blocks;

	target.layer = layer;
	target.layers = layer ? 1 : 0;
	blocks_open(&blocks, count, blank);
	floor_measure(&blocks.place, &target);
	blocks_close(&blocks);
	return target;
}

static void assert_in_order(const struct read_times *times)
{
	assert_in_range(times->reads, 1, MOST);
	assert_true(times->least > 0 && times->least <= times->median && times->median <= times->p99);
	assert_true((double)times->least <= times->mean && times->deviation >= 0);
}

static void assert_not_measured(struct target *target, const char *reason)
{
	const struct floor nothing = {0};

	assert_memory_equal(&target->floor, &nothing, sizeof(nothing));
	assert_non_null(target->no_floor);
	if (!strstr(target->no_floor, reason))
		fail_msg("'%s' is not in: %s", reason, target->no_floor);
	free(target->no_floor);
	target->no_floor = NULL;
}

static double sum(const struct read_times *times)
{
	return times->mean * (double)times->reads;
}

static void both_kinds_are_read(void **state)
{
	uint64_t begin = clock_now(), elapsed;
	struct target target = measure(COUNT, NULL, NULL);
	const struct floor *floor = &target.floor;

	(void)state;
	elapsed = clock_now() - begin;
	assert_null(target.no_floor);
	assert_in_order(&floor->same);
	assert_in_order(&floor->random);
	/* In turns: neither is ahead of the other by more than a batch. */
	assert_true(floor->same.reads <= floor->random.reads + 20 && floor->random.reads <= floor->same.reads);
	/* Those that aren't timed: the choice, the warm-up and the first of each batch. */
	assert_true(floor->asked > floor->same.reads + floor->random.reads);
	assert_true(sum(&floor->same) + sum(&floor->random) <= (double)elapsed);
	assert_false(floor->has_reached);
}

static void memory_has_no_way_to_a_disk(void **state)
{
	struct target target = file_of(COUNT);
	struct blocks blocks;

	(void)state;
	target.access = (char *)"memory";
	blocks_open(&blocks, COUNT, NULL);
	floor_measure(&blocks.place, &target);
	blocks_close(&blocks);
	assert_not_measured(&target, "memory");
}

static bool all(size_t number)
{
	(void)number;
	return true;
}

static bool all_but_few(size_t number)
{
	return number % 32 != 3;
}

/* Whatever was never written may be answered by anybody. */
static void blank_blocks(void **state)
{
	struct target target = measure(COUNT, all, NULL);

	(void)state;
	assert_not_measured(&target, "no block with anything in it");
	target = measure(COUNT, all_but_few, NULL);
	assert_null(target.no_floor);
	assert_in_order(&target.floor.same);
	assert_true(target.floor.random.reads < target.floor.same.reads / 2);
}

static void one_block(void **state)
{
	struct target target = measure(1, NULL, NULL);

	(void)state;
	assert_in_order(&target.floor.same);
	assert_in_order(&target.floor.random);
}

static void less_than_a_block(void **state)
{
	struct target target = file_of(1);
	struct blocks blocks;

	(void)state;
	blocks_open(&blocks, 1, NULL);
	target.file_size = READER_BLOCK - 1;
	floor_measure(&blocks.place, &target);
	assert_not_measured(&target, "smaller than one block");
	blocks_close(&blocks);
}

static void an_error_leaves_nothing(void **state)
{
	struct target target = file_of(COUNT);
	struct blocks blocks;

	(void)state;
	blocks_open(&blocks, COUNT, NULL);
	assert_int_equal(ftruncate(blocks.place.fd, 0), 0);
	floor_measure(&blocks.place, &target);
	assert_not_measured(&target, "a block could not be read: Input/output error");
	blocks_close(&blocks);
}

/* The counts of the disk stand still: to it, nothing came. */
static void how_far_reads_came(void **state)
{
	const struct tree *tree = *state;
	struct target target;

	tree_disk(tree, "/sys/devices/virtual/block", "sda", "8:0", "1000");
	target = measure(COUNT, NULL, &disk);
	assert_in_order(&target.floor.same);
	assert_false(target.floor.has_reached);

	tree_attribute(tree, "sda", "stat", "5 0 40 1 0 0 0 0 0 1 1 0 0 0 0 0 0\n");
	target = measure(COUNT, NULL, &disk);
	assert_true(target.floor.has_reached);
	assert_int_equal(target.floor.reached, 0);

	/* A disk that counts nothing, and no leaf at all, tell nothing. */
	tree_attribute(tree, "sda", "queue/iostats", "0\n");
	target = measure(COUNT, NULL, &disk);
	assert_false(target.floor.has_reached);
	tree_attribute(tree, "sda", "queue/iostats", "1\n");
	target = measure(COUNT, NULL, &disk);
	assert_true(target.floor.has_reached);
}

static void what_is_there(void **state)
{
	struct target target = {0};
	struct blocks blocks;
	char *path;

	(void)state;
	blocks_open(&blocks, COUNT, NULL);
	/* The file has no name of its own. */
	path = place_engine_name(&blocks.place);
	floor_probe(path, &target);
	assert_null(target.no_floor);
	assert_in_order(&target.floor.same);
	blocks_close(&blocks);
	free(path);
}

static void what_has_no_block(void **state)
{
	const struct tree *tree = *state;
	char *fifo = xasprintf("%s/fifo", tree->root);
	struct target target = {0};

	floor_probe(tree->root, &target);
	assert_not_measured(&target, "a directory has no block");
	floor_probe("/nowhere/at/all", &target);
	assert_not_measured(&target, "No such file or directory");
	assert_int_equal(mkfifo(fifo, 0600), 0);
	floor_probe(fifo, &target);
	assert_not_measured(&target, "could not be opened");
	free(fifo);
}

/* The last: it cannot be taken back. */
static void a_signal_stops_it(void **state)
{
	struct target target;

	(void)state;
	assert_int_equal(signals_init(), 0);
	raise(SIGTERM);
	target = measure(COUNT, NULL, NULL);
	assert_not_measured(&target, "a signal");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(both_kinds_are_read),
		cmocka_unit_test(memory_has_no_way_to_a_disk),
		cmocka_unit_test(blank_blocks),
		cmocka_unit_test(one_block),
		cmocka_unit_test(less_than_a_block),
		cmocka_unit_test(an_error_leaves_nothing),
		IN_TREE(how_far_reads_came),
		cmocka_unit_test(what_is_there),
		IN_TREE(what_has_no_block),
		cmocka_unit_test(a_signal_stops_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
