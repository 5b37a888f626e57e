// SPDX-License-Identifier: GPL-2.0
/*
 * reader WAY DEVICE COUNT BATCHES: COUNT times in each batch, by pread, 4 KiB at depth 1 with O_DIRECT; by pwrite, the
 * same written; by libaio, read in two system calls; by getppid, a system call that does nothing. Prints for each batch
 * the ns that one took.
 * Where the clock counts instructions, these are the instructions of one.
 */
#include <fcntl.h>
#include <linux/aio_abi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { BLOCK = 4096, BLOCKS = 4096 };

struct reader {
	int fd;
	void *buffer;
	aio_context_t context;
};

static int64_t now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return time.tv_sec * INT64_C(1000000000) + time.tv_nsec;
}

/* An odd step goes round all of them, and none follows its neighbour, which could be merged. */
static off_t next_offset(void)
{
	static unsigned block;

	block = (block + 1237) % BLOCKS;
	return (off_t)block * BLOCK;
}

static int by_pread(const struct reader *reader)
{
	return pread(reader->fd, reader->buffer, BLOCK, next_offset()) == BLOCK;
}

static int by_pwrite(const struct reader *reader)
{
	return pwrite(reader->fd, reader->buffer, BLOCK, next_offset()) == BLOCK;
}

static int by_libaio(const struct reader *reader)
{
	struct iocb iocb = {
		.aio_lio_opcode = IOCB_CMD_PREAD,
		.aio_fildes = reader->fd,
		.aio_buf = (uintptr_t)reader->buffer,
		.aio_nbytes = BLOCK,
		.aio_offset = next_offset(),
	}, *list[] = {&iocb};
	struct io_event event;

	return syscall(SYS_io_submit, reader->context, 1, list) == 1 &&
	       syscall(SYS_io_getevents, reader->context, 1, 1, &event, NULL) == 1 && event.res == BLOCK;
}

static int by_getppid(const struct reader *reader)
{
	(void)reader;
	return syscall(SYS_getppid) >= 0;
}

static const struct way {
	const char *name;
	int (*once)(const struct reader *reader);
	int access;
} ways[] = {
	{"pread", by_pread, O_RDONLY},
	{"pwrite", by_pwrite, O_RDWR},
	{"libaio", by_libaio, O_RDONLY},
	{"getppid", by_getppid, O_RDONLY},
};

static const struct way *find_way(const char *name)
{
	for (size_t i = 0; i < sizeof(ways) / sizeof(*ways); i++)
		if (!strcmp(ways[i].name, name))
			return &ways[i];
	fprintf(stderr, "reader: '%s' is no way: pread, pwrite, libaio and getppid are\n", name);
	exit(2);
}

static void batch(const struct way *way, const struct reader *reader, int count)
{
	for (int i = 0; i < count; i++) {
		if (!way->once(reader)) {
			perror(way->name);
			exit(1);
		}
	}
}

int main(int argc, char **argv)
{
	struct reader reader = {0};
	const struct way *way;
	int count, batches;

	if (argc != 5)
		return 2;
	way = find_way(argv[1]);
	reader.fd = open(argv[2], way->access | O_DIRECT);
	count = atoi(argv[3]);
	batches = atoi(argv[4]);
	if (reader.fd < 0 || count <= 0 || posix_memalign(&reader.buffer, BLOCK, BLOCK) ||
	    syscall(SYS_io_setup, 1, &reader.context)) {
		perror(argv[2]);
		return 1;
	}
	batch(way, &reader, count);
	for (int i = 0; i < batches; i++) {
		int64_t begin = now();

		batch(way, &reader, count);
		printf("%.1f\n", (double)(now() - begin) / count);
	}
	return 0;
}
