/* SPDX-License-Identifier: GPL-2.0 */
/* A file whose blocks are read past the page cache, and a reader of them. Include cmocka.h first. */
#ifndef BLOCKS_H
#define BLOCKS_H

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "workload/reader.h"

struct blocks {
	struct place place;
	struct reader reader;
};

/* An unlinked file of `count` blocks, each of them full of its number + 1, or of zeros where `blank` is true of it. */
static inline struct place blocks_place(size_t count, bool (*blank)(size_t number))
{
	char name[] = "/var/tmp/iostrata-blocks-XXXXXX";
	struct place place = {.fd = mkostemp(name, O_CLOEXEC), .directory = -1, .disk = -1};
	size_t words = READER_BLOCK / sizeof(uint64_t);
	uint64_t *data = xcalloc(count, READER_BLOCK);

	assert_true(place.fd >= 0);
	unlink(name);
	for (size_t i = 0; i < count * words; i++)
		data[i] = blank && blank(i / words) ? 0 : i / words + 1;
	assert_int_equal(pwrite(place.fd, data, count * READER_BLOCK, 0), count * READER_BLOCK);
	assert_int_equal(fsync(place.fd), 0);
	free(data);
	return place;
}

/* Skips the test where the file system takes no direct I/O. */
static inline void blocks_open(struct blocks *blocks, size_t count, bool (*blank)(size_t number))
{
	int err;

	blocks->place = blocks_place(count, blank);
	err = reader_open(&blocks->reader, &blocks->place, count * READER_BLOCK, 512);
	if (!err)
		return;
	close(blocks->place.fd);
	assert_int_equal(err, -EINVAL);
	skip();
}

static inline void blocks_close(struct blocks *blocks)
{
	reader_close(&blocks->reader);
	close(blocks->place.fd);
}

#endif
