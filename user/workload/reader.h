/* SPDX-License-Identifier: GPL-2.0 */
/* Reads single blocks of a target past the page cache, before it is measured. */
#ifndef WORKLOAD_READER_H
#define WORKLOAD_READER_H

#include <stdbool.h>
#include <stdint.h>

#include "place.h"

/* The smallest block that is read: a page, and what file systems and disks handle at least. */
#define READER_BLOCK 4096u

struct reader {
	int fd;
	uint32_t block; /* bytes */
	uint64_t blocks;
	uint64_t random; /* the state of base/random.h */
	uint64_t *data;	 /* the block that was read last */
};

/*
 * For the first `size` bytes of a place, in blocks of READER_BLOCK or of `logical` bytes where that is more (a power of
 * two; 0: not known). Returns 0; or -errno, as -EINVAL where O_DIRECT is refused and -ERANGE where not one block fits.
 */
int reader_open(struct reader *reader, const struct place *place, uint64_t size, uint64_t logical);

/* The same with blocks that each layer of the target takes. */
int reader_open_target(struct reader *reader, const struct place *place, uint64_t size, const struct target *target);
void reader_close(struct reader *reader);

/* The number of a block, any of them. */
uint64_t reader_pick(struct reader *reader);

/* Reads a block by its number. Returns 0; or -errno, which is -EIO for half a block. */
int reader_read(struct reader *reader, uint64_t number);

/* Reads it, and takes the time, ns. */
int reader_time(struct reader *reader, uint64_t number, uint64_t *time);

/* Whether the block that was read last has no bit set. */
bool reader_is_blank(const struct reader *reader);

#endif
