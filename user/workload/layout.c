// SPDX-License-Identifier: GPL-2.0
#include "layout.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/random.h"
#include "base/text.h"
#include "host/block.h"
#include "signals.h"

#define CHUNK	       (4u << 20)
#define ALIGNMENT      4096u
#define SETTLE_QUIET   (2 * NS_PER_SECOND)
#define SETTLE_LIMIT   (30 * NS_PER_SECOND)
#define PROGRESS_EVERY (200 * NS_PER_MS)

static int write_whole(int fd, const char *data, size_t length, off_t offset)
{
	while (length) {
		ssize_t written = pwrite(fd, data, length, offset);

		if (written < 0 && errno == EINTR)
			continue;
		if (written <= 0)
			return written ? -errno : -ENOSPC;
		data += written;
		length -= written;
		offset += written;
	}
	return 0;
}

/* A descriptor of our own, the engine's flags are its own. `direct` is O_DIRECT or 0. */
static int open_for_writing(const struct place *place, int direct)
{
	char *name = place_engine_name(place);
	int fd = open(name, O_WRONLY | direct | O_CLOEXEC), err = fd < 0 ? -errno : 0;

	free(name);
	return err ? err : fd;
}

static int write_all(int fd, char *chunk, uint64_t size, layout_progress progress, void *context)
{
	uint64_t state = random_seed(), shown = 0;
	int err = 0;

	for (uint64_t done = 0; done < size && !err;) {
		size_t length = size - done < CHUNK ? size - done : CHUNK;

		if (signals_stopped())
			return -EINTR;
		random_fill((uint64_t *)(void *)chunk, CHUNK / sizeof(uint64_t), &state);
		err = write_whole(fd, chunk, length, done);
		done += length;
		if (!err && clock_now() - shown > PROGRESS_EVERY) {
			shown = clock_now();
			progress(context, done, size);
		}
	}
	return err;
}

static int write_place(const struct place *place, int direct, uint64_t size, layout_progress progress, void *context)
{
	int fd = open_for_writing(place, direct), err;
	void *chunk;

	if (fd < 0)
		return fd;
	if (posix_memalign(&chunk, ALIGNMENT, CHUNK)) {
		close(fd);
		return -ENOMEM;
	}
	err = write_all(fd, chunk, size, progress, context);
	if (!err && fdatasync(fd))
		err = -errno;
	/* Where it went through the page cache, it shall not be read from there. */
	posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
	free(chunk);
	close(fd);
	return err;
}

/* Past the page cache, where O_DIRECT is refused neither at open nor by writes. */
int layout_write(const struct place *place, uint64_t size, layout_progress progress, void *context)
{
	int err = write_place(place, O_DIRECT, size, progress, context);

	return err == -EINVAL ? write_place(place, 0, size, progress, context) : err;
}

static bool same_counts(const struct block_stat *a, const struct block_stat *b)
{
	return !b->in_flight && !memcmp(a->group, b->group, sizeof(a->group));
}

int layout_settle(const char *name)
{
	uint64_t begin = clock_now(), quiet_since = begin;
	struct block_stat last, now;

	if (!name || block_read_stat(name, &last))
		return 0;
	while (clock_now() - quiet_since < SETTLE_QUIET) {
		if (signals_stopped())
			return -EINTR;
		if (clock_now() - begin > SETTLE_LIMIT)
			return -ETIMEDOUT;
		clock_sleep(100 * NS_PER_MS);
		if (block_read_stat(name, &now))
			return 0;
		if (!same_counts(&last, &now))
			quiet_since = clock_now();
		last = now;
	}
	return 0;
}
