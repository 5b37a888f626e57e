// SPDX-License-Identifier: GPL-2.0
#include "floor.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/text.h"
#include "host/block.h"
#include "host/files.h"
#include "reader.h"
#include "signals.h"
#include "times.h"

#define READS	   1000
#define TIME_LIMIT (2 * NS_PER_SECOND)

/* Reads of one kind before those of the other follow, so that what changes meanwhile changes both. */
#define BATCH 20

/* How long the warm-up may take, and how often a block is picked until one is not blank. */
#define WARMUP_LIMIT (NS_PER_SECOND / 4)
#define PICKS	     800

struct series {
	uint64_t time[READS];
	size_t count;
};

struct timing {
	struct reader *reader;
	uint64_t block; /* that is read again and again */
	uint64_t end;	/* when time is up */
	uint64_t asked;
	size_t blank; /* random ones that did not count */
	struct series same, random;
};

static int read_block(struct timing *timing, uint64_t number, uint64_t *time)
{
	timing->asked++;
	return reader_time(timing->reader, number, time);
}

static bool is_over(const struct timing *timing)
{
	return signals_stopped() || clock_now() >= timing->end;
}

/*
 * The first one, so that it is the same each time, or else any that is not blank: what was never written may be
 * answered by whoever knows that it wasn't, without going the whole way.
 */
static int choose_block(struct timing *timing)
{
	uint64_t time;

	for (int i = 0; i < PICKS && !is_over(timing); i++) {
		int err;

		timing->block = i ? reader_pick(timing->reader) : 0;
		err = read_block(timing, timing->block, &time);
		if (err)
			return err;
		if (!reader_is_blank(timing->reader))
			return 0;
	}
	return -ENODATA;
}

static int warm_up(struct timing *timing)
{
	uint64_t begin = clock_now(), time;
	int err = 0;

	for (int i = 0; i < BATCH && !err && clock_now() - begin < WARMUP_LIMIT; i++)
		err = read_block(timing, timing->block, &time);
	return err;
}

/* The first one brings the block back to where it is near. */
static int time_same(struct timing *timing)
{
	struct series *same = &timing->same;
	uint64_t time;
	int err = read_block(timing, timing->block, &time);

	for (int i = 0; i < BATCH && !err && !is_over(timing); i++) {
		err = read_block(timing, timing->block, &same->time[same->count]);
		same->count += !err;
	}
	return err;
}

static int time_random(struct timing *timing)
{
	struct series *random = &timing->random;
	int err = 0;

	for (int i = 0; i < BATCH && !err && !is_over(timing) && timing->blank < PICKS; i++) {
		bool blank;

		err = read_block(timing, reader_pick(timing->reader), &random->time[random->count]);
		blank = !err && reader_is_blank(timing->reader);
		timing->blank += blank;
		random->count += !err && !blank;
	}
	return err;
}

static int time_both(struct timing *timing)
{
	int err = choose_block(timing);

	if (!err)
		err = warm_up(timing);
	timing->end = clock_now() + TIME_LIMIT;
	while (!err && timing->same.count < READS && !is_over(timing)) {
		err = time_same(timing);
		if (!err)
			err = time_random(timing);
	}
	return err;
}

/* --- how far the reads came --- */

/* The kernel counts nothing where it was told so (Documentation/ABI/stable/sysfs-block, iostats). */
static bool counts_nothing(const char *disk)
{
	uint64_t counts;

	return !host_read_number(&counts, "/sys/class/block/%s/queue/iostats", disk) && !counts;
}

/* Reads that all leaves have completed so far. False: not known. */
static bool count_reads(const struct target *target, uint64_t *reads)
{
	struct block_stat stat;

	*reads = 0;
	for (size_t i = 0; i < target->layers; i++) {
		const struct layer *layer = &target->layer[i];

		if (!layer->leaf)
			continue;
		if (counts_nothing(layer->name) || block_read_stat(layer->name, &stat))
			return false;
		*reads += stat.group[STAT_READ].ios;
	}
	return target->layers;
}

/* --- the whole --- */

static char *reason_of(int err)
{
	switch (err) {
	case -EINVAL:
		return xstrdup("it takes no direct I/O, so that this machine's page cache would answer");
	case -ENODATA:
		return xstrdup("no block with anything in it was found");
	case -ERANGE:
		return xstrdup("it is smaller than one block");
	}
	return xasprintf("a block could not be read: %s", strerror(-err));
}

static int measure(struct reader *reader, struct target *target)
{
	struct timing *timing = xcalloc(1, sizeof(*timing));
	uint64_t before, after;
	bool counted = count_reads(target, &before);
	int err;

	timing->reader = reader;
	timing->end = clock_now() + TIME_LIMIT;
	err = time_both(timing);
	if (!err) {
		target->floor = (struct floor){
			.same = times_sum_up(timing->same.time, timing->same.count),
			.random = times_sum_up(timing->random.time, timing->random.count),
			.asked = timing->asked,
		};
		target->floor.has_reached = counted && count_reads(target, &after) && after >= before;
		target->floor.reached = target->floor.has_reached ? after - before : 0;
	}
	free(timing);
	return err;
}

static void conclude(struct target *target, int err)
{
	if (signals_stopped() && !target->floor.same.reads)
		target->no_floor = xstrdup("a signal asked to stop");
	else if (err)
		target->no_floor = reason_of(err);
	else if (!target->floor.same.reads)
		target->no_floor = xstrdup("a single read takes seconds");
}

static bool is_memory(const struct target *target)
{
	return target->access && !strcmp(target->access, "memory");
}

static void measure_first(const struct place *place, uint64_t size, struct target *target)
{
	struct reader reader;
	int err;

	/* Direct I/O works there since Linux 6.6, and leads nowhere. */
	if (is_memory(target)) {
		target->no_floor = xstrdup("it is in this machine's memory, and no disk is on the way");
		return;
	}
	err = reader_open_target(&reader, place, size, target);
	if (!err) {
		err = measure(&reader, target);
		reader_close(&reader);
	}
	conclude(target, err);
}

void floor_measure(const struct place *place, struct target *target)
{
	measure_first(place, target->file_size, target);
}

/* --- of what is there --- */

static int size_of(int fd, uint64_t *size)
{
	struct stat st;
	off_t end;

	if (fstat(fd, &st))
		return -errno;
	if (S_ISDIR(st.st_mode))
		return -EISDIR;
	if (!S_ISREG(st.st_mode) && !S_ISBLK(st.st_mode))
		return -ENOTBLK;
	end = lseek(fd, 0, SEEK_END);
	*size = end;
	return end < 0 ? -errno : 0;
}

static int probe(int fd, struct target *target)
{
	const struct place place = {.fd = fd, .directory = -1, .disk = -1};
	uint64_t size = 0;
	int err = size_of(fd, &size);

	if (!err)
		measure_first(&place, size, target);
	return err;
}

void floor_probe(const char *path, struct target *target)
{
	/* A FIFO would be waited for. */
	int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	int err = fd < 0 ? -errno : probe(fd, target);

	if (err == -EISDIR)
		target->no_floor = xstrdup("a directory has no block to be read: name a file in it");
	else if (err)
		target->no_floor = xasprintf("it could not be opened: %s", strerror(-err));
	if (fd >= 0)
		close(fd);
}
