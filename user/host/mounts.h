/* SPDX-License-Identifier: GPL-2.0 */
/* What is mounted where, by libmount, and who else uses a device. */
#ifndef HOST_MOUNTS_H
#define HOST_MOUNTS_H

#include <stdbool.h>
#include <sys/types.h>

#include "result/result.h"

/*
 * A mounted file system; mount_clear() frees the strings, none of which is NULL. `device` is what its blocks lie on:
 * for btrfs and FUSE the source's, if that is one block device, for overlay the upper directory's. block_stack() fails
 * for any other. A btrfs of several devices has all their names in `members` (NULL-terminated, for strings_free()),
 * which is NULL for others.
 */
struct mount {
	char *filesystem; /* "ext4" */
	char *source;	  /* "/dev/sda1" */
	char *point;
	char *options;
	dev_t device;
	char **members;
};

/* The file system that holds `path`. 0 or -errno. */
int mount_of_path(const char *path, struct mount *mount);

/* The one that is mounted at `point`, the last where there are several, as the table of mounts tells. 0 or -ENOENT. */
int mount_at(const char *point, struct mount *mount);
void mount_clear(struct mount *mount);

/* The stack of block devices that it stands on, as block_stack() has it. 0, or -ENODEV where there is none. */
int mount_stack(const struct mount *mount, struct layer **layers, size_t *count);

/*
 * Where file systems of this type ("cgroup2") are mounted; NULL-terminated, for strings_free(); never NULL itself.
 */
char **mounts_of_type(const char *type);

/* Whether any file system is mounted whose type (such as "fuse.sshfs") is one that `wanted` says yes to. */
bool mounts_have(bool (*wanted)(const char *type));

/*
 * Where device `name` (kernel name, without /dev), or for a disk one of its partitions, is in use: "mounted at /data
 * (sda1)", "swap (sda2)", "held by md0". NULL when nothing that can be seen from here uses it (a mount in another
 * namespace can't be: only open(O_EXCL) tells). The caller frees it.
 */
char *device_use(const char *name);

/*
 * What libblkid finds on the device: "ext4, label data", "GPT with 3 partitions", "nothing that libblkid knows".
 * The caller frees it.
 */
char *device_content(const char *path);

#endif
