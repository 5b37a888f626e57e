// SPDX-License-Identifier: GPL-2.0
/*
 * reader DEVICE READS BATCHES: reads 4 KiB at depth 1 with O_DIRECT, always as often, and prints for each batch the ns
 * that one read took. Where the clock counts instructions, these are the instructions of one read.
 */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

enum { BLOCK = 4096, BLOCKS = 4096 };

static int64_t now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return time.tv_sec * INT64_C(1000000000) + time.tv_nsec;
}

static void read_batch(int fd, void *buffer, int reads)
{
	static unsigned block;

	for (int i = 0; i < reads; i++) {
		/* An odd step goes round all of them, and none follows its neighbour, which could be merged. */
		block = (block + 1237) % BLOCKS;
		if (pread(fd, buffer, BLOCK, (off_t)block * BLOCK) != BLOCK) {
			perror("pread");
			exit(1);
		}
	}
}

int main(int argc, char **argv)
{
	void *buffer;
	int fd, reads, batches;

	if (argc != 4)
		return 2;
	fd = open(argv[1], O_RDONLY | O_DIRECT);
	reads = atoi(argv[2]);
	batches = atoi(argv[3]);
	if (fd < 0 || reads <= 0 || posix_memalign(&buffer, BLOCK, BLOCK)) {
		perror(argv[1]);
		return 1;
	}
	read_batch(fd, buffer, reads);
	for (int i = 0; i < batches; i++) {
		int64_t begin = now();

		read_batch(fd, buffer, reads);
		printf("%.1f\n", (double)(now() - begin) / reads);
	}
	return 0;
}
