// SPDX-License-Identifier: GPL-2.0
#include "reader.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/random.h"

int reader_open(struct reader *reader, const struct place *place, uint64_t size, uint64_t logical)
{
	char *name = place_engine_name(place);
	void *data;

	*reader = (struct reader){.fd = -1, .block = logical > READER_BLOCK ? logical : READER_BLOCK};
	reader->blocks = size / reader->block;
	reader->random = random_seed();
	/* A descriptor of our own: O_DIRECT is a property of it that the engine's must not get. */
	reader->fd = open(name, O_RDONLY | O_DIRECT | O_CLOEXEC);
	free(name);
	if (reader->fd < 0)
		return -errno;
	if (!reader->blocks || posix_memalign(&data, reader->block, reader->block)) {
		reader_close(reader);
		return reader->blocks ? -ENOMEM : -ERANGE;
	}
	reader->data = data;
	return 0;
}

/* A target without a known device has blocks of any size. */
static uint64_t logical_block(const struct target *target)
{
	uint64_t largest = 0;

	for (size_t i = 0; i < target->layers; i++)
		if (target->layer[i].logical_block > largest)
			largest = target->layer[i].logical_block;
	return largest;
}

int reader_open_target(struct reader *reader, const struct place *place, uint64_t size, const struct target *target)
{
	return reader_open(reader, place, size, logical_block(target));
}

void reader_close(struct reader *reader)
{
	if (reader->fd >= 0)
		close(reader->fd);
	reader->fd = -1;
	free(reader->data);
	reader->data = NULL;
}

uint64_t reader_pick(struct reader *reader)
{
	return random_below(reader->blocks, &reader->random);
}

int reader_read(struct reader *reader, uint64_t number)
{
	ssize_t got = pread(reader->fd, reader->data, reader->block, number * reader->block);

	if (got < 0)
		return -errno;
	return got == reader->block ? 0 : -EIO;
}

int reader_time(struct reader *reader, uint64_t number, uint64_t *time)
{
	uint64_t begin = clock_now();
	int err = reader_read(reader, number);

	*time = clock_now() - begin;
	return err;
}

bool reader_is_blank(const struct reader *reader)
{
	for (size_t i = 0; i < reader->block / sizeof(*reader->data); i++)
		if (reader->data[i])
			return false;
	return true;
}
