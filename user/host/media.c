// SPDX-License-Identifier: GPL-2.0
#include "media.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/text.h"
#include "block.h"
#include "files.h"
#include "mounts.h"

/* Pages that do not compress, or that nobody asks for, can be made to go to a disk (CONFIG_ZRAM_WRITEBACK). */
static char *memory_of_zram(const char *disk)
{
	char *device = host_read_line("/sys/class/block/%s/backing_dev", disk), *memory;

	if (!device || strcmp(device, "none") == 0)
		memory = xstrdup("compressed memory (zram)");
	else
		memory = xasprintf("compressed memory (zram, which may write some of it back to %s)", device);
	free(device);
	return memory;
}

/* The names are those of register_blkdev() in drivers/block/zram, brd.c and null_blk. */
static char *memory_of_driver(const char *disk)
{
	char *driver = block_registered_name(disk), *memory = NULL;

	if (!driver)
		return NULL;
	if (strcmp(driver, "zram") == 0)
		memory = memory_of_zram(disk);
	else if (strcmp(driver, "ramdisk") == 0)
		memory = xstrdup("memory (brd)");
	else if (strcmp(driver, "nullb") == 0)
		memory = xstrdup("no medium at all (null_blk)");
	free(driver);
	return memory;
}

/* What drivers/scsi/scsi_debug.c answers to INQUIRY. It keeps its data in memory or, with fake_rw, nowhere. */
static bool is_scsi_debug(const struct layer *layer)
{
	return layer->model && strcmp(layer->model, "Linux scsi_debug") == 0;
}

static bool is_in_memory(const char *filesystem)
{
	static const char *const names[] = {"tmpfs", "ramfs", "hugetlbfs", "devtmpfs"};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(names); i++)
		if (strcmp(filesystem, names[i]) == 0)
			return true;
	return false;
}

/* A device that a loop device stands for says what it is itself; its node in /dev would pass for memory. */
static void describe_backing_file(const char *disk, struct layer *layer)
{
	uint64_t direct = 1; /* older kernels do not tell, and no warning may come of that */
	struct mount mount;
	struct stat status;

	host_read_number(&direct, "/sys/class/block/%s/loop/dio", disk);
	layer->cached = !direct;
	if (stat(layer->backing_file, &status) || !S_ISREG(status.st_mode) ||
	    mount_of_path(layer->backing_file, &mount))
		return;
	layer->backing_filesystem = xstrdup(mount.filesystem);
	if (is_in_memory(mount.filesystem))
		layer->memory = xasprintf("memory (its file is in %s)", mount.filesystem);
	mount_clear(&mount);
}

void media_describe(const char *disk, struct layer *layer)
{
	layer->memory = is_scsi_debug(layer) ? xstrdup("memory (scsi_debug)") : memory_of_driver(disk);
	if (layer->backing_file)
		describe_backing_file(disk, layer);
}
