/* SPDX-License-Identifier: GPL-2.0 */
/* Block devices as sysfs shows them: what a device stands on, and what it counts. */
#ifndef HOST_BLOCK_H
#define HOST_BLOCK_H

#include <stdbool.h>
#include <sys/types.h>

#include "result/result.h"

/* The kernel's name ("sda1") of a device number; NULL when there is no such block device; the caller frees it. */
char *block_name(dev_t device);

/* The device number of a kernel name. 0 or -errno. */
int block_number(const char *name, dev_t *device);

/* The whole disk of a partition, or a copy of the name itself; the caller frees it. */
char *block_disk(const char *name);

/* Where the kernel keeps it: "/sys/devices/pci0000:00/.../block/sda"; NULL when there is none; the caller frees it. */
char *block_directory(const char *name);

/*
 * The name under which the disk's driver registered its major number ("loop", "nullb"), of /proc/devices; NULL where
 * it shares the number that the kernel has for all (blkext). The caller frees it.
 */
char *block_registered_name(const char *disk);

/* The names of a disk's partitions, NULL-terminated, for strings_free(); NULL when there is no such device. */
char **block_partitions(const char *disk);

/* Whether `path` is the hidden disk of a path of the NVMe multipath disk `head`. */
bool block_is_path_of(const char *path, const char *head);

/* Whether the requests of a whole disk are SCSI commands (its device is on that bus). */
bool block_is_scsi(const char *disk);

/* Everything sysfs knows of one device. Fills all fields of `layer`, which layer_clear() frees. */
void block_describe(const char *name, struct layer *layer);

/*
 * The stack from `device` down, itself first, each device once, through partitions and slaves (md, dm). A device
 * without slaves is a leaf; a partition is followed to its disk. Returns 0, -ENODEV when `device` is not a block device
 * (a file system without one: st_dev of tmpfs, 9p, btrfs, ...), or -E2BIG beyond 64 layers.
 */
int block_stack(dev_t device, struct layer **layers, size_t *count);

/*
 * The stacks of several devices together: what two of them stand on is there once, and there is no limit. 0 or -ENODEV.
 */
int block_stacks(const dev_t *device, size_t devices, struct layer **layers, size_t *count);

/*
 * All disks that can hold something, with what they stand on; without `images`, no loop device that is read only (as
 * each snap has one). None at all where /sys is not mounted.
 */
void block_disks(bool images, struct layer **layers, size_t *count);

/* Cumulative counts of /sys/block/X/stat; times in ns. */
struct block_stat {
	struct stat_delta group[STAT_GROUPS];
	uint64_t in_flight;
	uint64_t busy; /* ns with at least one request in flight */
};

/* Of a disk or partition. 0 or -errno. */
int block_read_stat(const char *name, struct block_stat *stat);

/* What was counted from `before` until `after`, across the overflow of the kernel's 32-bit milliseconds. */
struct block_stat block_stat_between(const struct block_stat *before, const struct block_stat *after);

/*
 * Free bytes on the file system that holds the backing file of a loop device or image, or UINT64_MAX where the device
 * isn't a sparse loop device: a sparse file needs that room to be written, whatever the file system on it says.
 */
uint64_t block_sparse_room(const char *name);

/* Whether writing to this device grows something whose room can't be asked: thin LVM, a VHDX. A phrase, or NULL. */
const char *block_thin_backing(const struct layer *layers, size_t count);

#endif
