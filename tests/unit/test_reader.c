// SPDX-License-Identifier: GPL-2.0
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "blocks.h"

#define COUNT 16u

static void by_number(void **state)
{
	struct blocks blocks;

	(void)state;
	blocks_open(&blocks, COUNT, NULL);
	assert_int_equal(blocks.reader.block, READER_BLOCK);
	assert_int_equal(blocks.reader.blocks, COUNT);
	for (size_t i = 0; i < COUNT; i++) {
		assert_int_equal(reader_read(&blocks.reader, i), 0);
		assert_int_equal(blocks.reader.data[0], i + 1);
		assert_int_equal(blocks.reader.data[READER_BLOCK / sizeof(uint64_t) - 1], i + 1);
	}
	blocks_close(&blocks);
}

/* All of them, and no other. */
static void picks_every_block(void **state)
{
	struct blocks blocks;
	bool seen[COUNT] = {false};

	(void)state;
	blocks_open(&blocks, COUNT, NULL);
	for (int i = 0; i < 1000; i++) {
		uint64_t number = reader_pick(&blocks.reader);

		assert_true(number < COUNT);
		seen[number] = true;
	}
	for (size_t i = 0; i < COUNT; i++)
		assert_true(seen[i]);
	blocks_close(&blocks);
}

/* The engine's descriptor stays as it is. */
static void past_the_page_cache(void **state)
{
	struct blocks blocks;

	(void)state;
	blocks_open(&blocks, COUNT, NULL);
	assert_true(fcntl(blocks.reader.fd, F_GETFL) & O_DIRECT);
	assert_false(fcntl(blocks.place.fd, F_GETFL) & O_DIRECT);
	blocks_close(&blocks);
}

/* Blocks as large as the device's, and only whole ones of the part that is measured. */
static void large_blocks(void **state)
{
	struct blocks blocks;
	struct reader reader;

	(void)state;
	blocks_open(&blocks, COUNT, NULL);
	assert_int_equal(reader_open(&reader, &blocks.place, COUNT * READER_BLOCK - 1, 4 * READER_BLOCK), 0);
	assert_int_equal(reader.block, 4 * READER_BLOCK);
	assert_int_equal(reader.blocks, COUNT / 4 - 1);
	assert_int_equal(reader_read(&reader, 1), 0);
	assert_int_equal(reader.data[0], 5);
	reader_close(&reader);
	assert_int_equal(reader_open(&reader, &blocks.place, READER_BLOCK - 1, 0), -ERANGE);
	blocks_close(&blocks);
}

/* A file that has become smaller. */
static void beyond_the_end(void **state)
{
	struct blocks blocks;

	(void)state;
	blocks_open(&blocks, COUNT, NULL);
	assert_int_equal(ftruncate(blocks.place.fd, 3 * READER_BLOCK / 2), 0);
	assert_int_equal(reader_read(&blocks.reader, 0), 0);
	assert_int_equal(reader_read(&blocks.reader, 1), -EIO);
	assert_int_equal(reader_read(&blocks.reader, COUNT), -EIO);
	blocks_close(&blocks);
}

static void no_direct_io(void **state)
{
	struct place place = {.fd = open("/proc/self/maps", O_RDONLY | O_CLOEXEC), .directory = -1, .disk = -1};
	struct reader reader;

	(void)state;
	if (place.fd < 0)
		skip();
	assert_int_equal(reader_open(&reader, &place, 1 << 20, 0), -EINVAL);
	assert_int_equal(reader.fd, -1);
	close(place.fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(by_number),	       cmocka_unit_test(picks_every_block),
		cmocka_unit_test(past_the_page_cache), cmocka_unit_test(large_blocks),
		cmocka_unit_test(beyond_the_end),      cmocka_unit_test(no_direct_io),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
