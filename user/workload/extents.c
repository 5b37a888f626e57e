// SPDX-License-Identifier: GPL-2.0
#include "extents.h"

#include <errno.h>
#include <linux/fiemap.h>
#include <linux/fs.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/text.h"

/* Extents that are asked for at once. */
#define CHUNK 512

/* Not where a read would look for it, or not as it is there: nothing can be said of the bytes that a device moves. */
#define ELSEWHERE                                                                                                      \
	(FIEMAP_EXTENT_UNKNOWN | FIEMAP_EXTENT_DELALLOC | FIEMAP_EXTENT_ENCODED | FIEMAP_EXTENT_DATA_INLINE |          \
	 FIEMAP_EXTENT_DATA_TAIL | FIEMAP_EXTENT_NOT_ALIGNED)

/* --- by FIEMAP --- */

/* Adds the part of an extent from `*done` to `size`, and moves `*done` to its end. */
static void add_extent(const struct fiemap_extent *extent, uint64_t *done, uint64_t size, struct layout *layout)
{
	uint64_t begin = extent->fe_logical, end = begin + extent->fe_length;

	if (end > size || end < begin)
		end = size;
	if (end <= *done || begin >= size)
		return;
	if (begin > *done)
		layout->holes += begin - *done;
	else
		begin = *done;
	if (extent->fe_flags & ELSEWHERE)
		layout->elsewhere += end - begin;
	else if (extent->fe_flags & FIEMAP_EXTENT_UNWRITTEN)
		layout->unwritten += end - begin;
	else
		layout->written += end - begin;
	layout->extents++;
	*done = end;
}

/* 0 when everything up to `size` is known, 1 when there is more to ask for, or -errno. */
static int add_chunk(int fd, struct fiemap *map, uint64_t *done, uint64_t size, struct layout *layout)
{
	uint64_t before = *done;
	bool last = false;

	map->fm_start = before;
	map->fm_length = size - before;
	map->fm_flags = before ? 0 : FIEMAP_FLAG_SYNC;
	map->fm_extent_count = CHUNK;
	if (ioctl(fd, FS_IOC_FIEMAP, map))
		return -errno;
	for (uint32_t i = 0; i < map->fm_mapped_extents && !last; i++) {
		add_extent(&map->fm_extents[i], done, size, layout);
		last = map->fm_extents[i].fe_flags & FIEMAP_EXTENT_LAST;
	}
	return !last && *done<size && * done> before;
}

static int read_map(int fd, uint64_t size, struct layout *layout)
{
	struct fiemap *map = xcalloc(1, sizeof(*map) + CHUNK * sizeof(map->fm_extents[0]));
	uint64_t done = 0;
	int more;

	do
		more = add_chunk(fd, map, &done, size, layout);
	while (more > 0);
	layout->holes += size - done;
	free(map);
	return more;
}

/* --- by SEEK_DATA and SEEK_HOLE --- */

/*
 * A file system that knows no holes says that all is data, and the kernel says so for one that was not made to be asked
 * (generic_file_llseek): that is believed only of a file with all of its blocks. Fewer of them than data are
 * compressed.
 */
static bool is_told(int fd, uint64_t written)
{
	uint64_t blocks;
	struct stat st;

	if (fstat(fd, &st))
		return false;
	blocks = (uint64_t)st.st_blocks * 512;
	return blocks >= written && (blocks >= (uint64_t)st.st_size || lseek(fd, 0, SEEK_HOLE) < st.st_size);
}

static int seek_holes(int fd, uint64_t size, struct layout *layout)
{
	for (uint64_t done = 0; done < size;) {
		off_t data = lseek(fd, done, SEEK_DATA), hole;

		/* Beyond the last data, and at the end. */
		if (data < 0 && errno == ENXIO)
			data = size;
		if (data < 0)
			return -errno;
		if ((uint64_t)data >= size) {
			layout->holes += size - done;
			break;
		}
		hole = lseek(fd, data, SEEK_HOLE);
		if (hole < 0)
			return -errno;
		if (hole <= data)
			return -EIO;
		if ((uint64_t)hole > size)
			hole = size;
		layout->holes += data - done;
		layout->written += hole - data;
		layout->extents++;
		done = hole;
	}
	return is_told(fd, layout->written) ? 0 : -EOPNOTSUPP;
}

int extents_read(int fd, uint64_t size, struct layout *layout)
{
	struct layout mapped = {.has_extents = true}, sought = {.has_extents = true};
	int err = read_map(fd, size, &mapped);

	if (err == -EOPNOTSUPP || err == -ENOTTY || err == -ENOSYS || err == -EBADR) {
		err = seek_holes(fd, size, &sought);
		mapped = sought;
	}
	if (err)
		return err;
	mapped.sampled = layout->sampled;
	mapped.zeros = layout->zeros;
	*layout = mapped;
	return 0;
}
