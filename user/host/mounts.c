// SPDX-License-Identifier: GPL-2.0
#include "mounts.h"

#include <blkid/blkid.h>
#include <errno.h>
#include <fcntl.h>
#include <libmount/libmount.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "base/text.h"
#include "block.h"
#include "files.h"

/* The mount table of this process's namespace; NULL when it can't be read. */
static struct libmnt_table *read_mounts(void)
{
	char *path = host_path("/proc/self/mountinfo");
	struct libmnt_table *table = mnt_new_table_from_file(path);

	free(path);
	return table;
}

/* The kernel's own answer, which overmounts and subvolumes can't mislead; 0 before Linux 5.8 and in WSL 1. */
static int mount_number(const char *path)
{
	struct statx status;

	if (statx(AT_FDCWD, path, 0, STATX_MNT_ID, &status) || !(status.stx_mask & STATX_MNT_ID))
		return 0;
	return (int)status.stx_mnt_id;
}

static struct libmnt_fs *find_by_number(struct libmnt_table *table, int number)
{
	struct libmnt_iter *iterator = mnt_new_iter(MNT_ITER_FORWARD);
	struct libmnt_fs *fs, *found = NULL;

	while (number && !found && mnt_table_next_fs(table, iterator, &fs) == 0)
		if (mnt_fs_get_id(fs) == number)
			found = fs;
	mnt_free_iter(iterator);
	return found;
}

static bool lies_below(const char *path, const char *point)
{
	size_t length = strlen(point);

	if (strcmp(point, "/") == 0)
		return true;
	return strncmp(path, point, length) == 0 && (path[length] == '/' || path[length] == '\0');
}

/* The mount on the longest part of `path`, of several on the same the last; first of all one of the same device. */
static struct libmnt_fs *find_by_path(struct libmnt_table *table, const char *path, dev_t device)
{
	struct libmnt_iter *iterator = mnt_new_iter(MNT_ITER_FORWARD);
	size_t length, longest = 0;
	struct libmnt_fs *fs, *found = NULL;
	bool same, found_same = false;

	while (mnt_table_next_fs(table, iterator, &fs) == 0) {
		if (!mnt_fs_get_target(fs) || !lies_below(path, mnt_fs_get_target(fs)))
			continue;
		same = mnt_fs_get_devno(fs) == device;
		length = strlen(mnt_fs_get_target(fs));
		if (same < found_same || (same == found_same && length < longest))
			continue;
		found = fs;
		found_same = same;
		longest = length;
	}
	mnt_free_iter(iterator);
	return found;
}

/* sysfs lists the members of each mounted btrfs: those of the one that `name` belongs to; NULL for none. */
static char **btrfs_members(const char *name)
{
	char **uuid = host_list("/sys/fs/btrfs"), **members = NULL;

	for (size_t i = 0; uuid && uuid[i] && !members; i++)
		if (host_exists("/sys/fs/btrfs/%s/devices/%s", uuid[i], name))
			members = host_list("/sys/fs/btrfs/%s/devices", uuid[i]);
	strings_free(uuid);
	return members;
}

/*
 * btrfs and FUSE have a device number of their own, and their block device as the source: of a btrfs of several
 * devices, one of them.
 */
static void find_device_behind(struct libmnt_fs *fs, struct mount *mount)
{
	const char *source = mnt_fs_get_source(fs);
	struct stat status;
	char *name, **members;

	if (major(mount->device) != 0 || !source || source[0] != '/' || stat(source, &status) ||
	    !S_ISBLK(status.st_mode))
		return;
	mount->device = status.st_rdev;
	name = block_name(status.st_rdev);
	members = name ? btrfs_members(name) : NULL;
	if (members && members[0] && members[1])
		mount->members = members;
	else
		strings_free(members);
	free(name);
}

static bool is_overlay(struct libmnt_fs *fs)
{
	return mnt_fs_match_fstype(fs, "overlay");
}

static struct libmnt_fs *find_fs(struct libmnt_table *table, const char *path, dev_t device)
{
	struct libmnt_fs *fs = find_by_number(table, mount_number(path));

	return fs ? fs : find_by_path(table, path, device);
}

/*
 * What is written to an overlay goes to its upper directory. In a container that is a path of the host's: what is found
 * there may be nothing, or the overlay itself.
 */
static void find_device_of_upper(struct libmnt_table *table, struct libmnt_fs *fs, struct mount *mount)
{
	struct libmnt_fs *below;
	struct stat status;
	char *value, *upper;
	size_t length;

	if (mnt_fs_get_option(fs, "upperdir", &value, &length))
		return;
	upper = xasprintf("%.*s", (int)length, value);
	if (!stat(upper, &status)) {
		below = find_fs(table, upper, status.st_dev);
		if (major(status.st_dev) != 0)
			mount->device = status.st_dev;
		else if (below && !is_overlay(below))
			find_device_behind(below, mount);
	}
	free(upper);
}

static char *copy_of(const char *string)
{
	return xstrdup(string ? string : "");
}

static void describe(struct libmnt_table *table, struct libmnt_fs *fs, dev_t device, struct mount *mount)
{
	*mount = (struct mount){
		.filesystem = copy_of(mnt_fs_get_fstype(fs)),
		.source = copy_of(mnt_fs_get_source(fs)),
		.point = copy_of(mnt_fs_get_target(fs)),
		.options = copy_of(mnt_fs_get_options(fs)),
		.device = device,
	};
	if (is_overlay(fs))
		find_device_of_upper(table, fs, mount);
	else
		find_device_behind(fs, mount);
}

static int find_mount(struct libmnt_table *table, const char *path, struct mount *mount)
{
	struct libmnt_fs *fs;
	struct stat status;

	if (stat(path, &status))
		return -errno;
	fs = find_fs(table, path, status.st_dev);
	if (!fs)
		return -ENOENT;
	describe(table, fs, status.st_dev, mount);
	return 0;
}

int mount_of_path(const char *path, struct mount *mount)
{
	struct libmnt_table *table;
	char *absolute;
	int error;

	absolute = realpath(path, NULL);
	if (!absolute)
		return -errno;
	table = read_mounts();
	error = table ? find_mount(table, absolute, mount) : -ENOENT;
	mnt_unref_table(table);
	free(absolute);
	return error;
}

int mount_at(const char *point, struct mount *mount)
{
	struct libmnt_table *table = read_mounts();
	struct libmnt_iter *iterator = mnt_new_iter(MNT_ITER_BACKWARD);
	struct libmnt_fs *fs, *found = NULL;

	while (table && !found && mnt_table_next_fs(table, iterator, &fs) == 0)
		if (mnt_fs_get_target(fs) && !strcmp(mnt_fs_get_target(fs), point))
			found = fs;
	if (found)
		describe(table, found, mnt_fs_get_devno(found), mount);
	mnt_free_iter(iterator);
	mnt_unref_table(table);
	return found ? 0 : -ENOENT;
}

void mount_clear(struct mount *mount)
{
	free(mount->filesystem);
	free(mount->source);
	free(mount->point);
	free(mount->options);
	strings_free(mount->members);
	*mount = (struct mount){0};
}

/* A member that is missing (a degraded array) has no device. */
static int stack_of_members(char *const *members, struct layer **layers, size_t *count)
{
	dev_t *device;
	size_t devices = 0, i;
	int error;

	for (i = 0; members[i]; i++)
		;
	device = xcalloc(i, sizeof(*device));
	for (i = 0; members[i]; i++)
		if (!block_number(members[i], &device[devices]))
			devices++;
	error = devices ? block_stacks(device, devices, layers, count) : -ENODEV;
	free(device);
	return error;
}

int mount_stack(const struct mount *mount, struct layer **layers, size_t *count)
{
	return mount->members ? stack_of_members(mount->members, layers, count)
			      : block_stack(mount->device, layers, count);
}

char **mounts_of_type(const char *type)
{
	struct libmnt_table *table = read_mounts();
	struct libmnt_iter *iterator = mnt_new_iter(MNT_ITER_FORWARD);
	char **points = xcalloc(1, sizeof(*points));
	size_t count = 0;
	struct libmnt_fs *fs;

	while (table && mnt_table_next_fs(table, iterator, &fs) == 0)
		if (mnt_fs_match_fstype(fs, type) && mnt_fs_get_target(fs))
			strings_add(&points, &count, mnt_fs_get_target(fs));
	mnt_free_iter(iterator);
	mnt_unref_table(table);
	return points;
}

bool mounts_have(bool (*wanted)(const char *type))
{
	struct libmnt_table *table = read_mounts();
	struct libmnt_iter *iterator = mnt_new_iter(MNT_ITER_FORWARD);
	struct libmnt_fs *fs;
	bool found = false;

	while (table && !found && mnt_table_next_fs(table, iterator, &fs) == 0)
		found = mnt_fs_get_fstype(fs) && wanted(mnt_fs_get_fstype(fs));
	mnt_free_iter(iterator);
	mnt_unref_table(table);
	return found;
}

/* --- who uses a device --- */

/* One device of those that are looked at: the asked one, or one of its partitions. */
struct candidate {
	const char *name;
	dev_t number;
	bool partition;
};

static void add_use(struct text *uses, const struct candidate *candidate, const char *how, const char *what)
{
	text_addf(uses, "%s%s%s", uses->length ? ", " : "", how, what);
	if (candidate->partition)
		text_addf(uses, " (%s)", candidate->name);
}

/* Other sources are not looked up: a server that is gone would keep stat() waiting. */
static bool names_device(const char *path, const struct candidate *candidate)
{
	struct stat status;

	if (!path || strncmp(path, "/dev/", 5) != 0)
		return false;
	if (strcmp(path + 5, candidate->name) == 0)
		return true;
	return stat(path, &status) == 0 && S_ISBLK(status.st_mode) && status.st_rdev == candidate->number;
}

static struct libmnt_fs *find_use(struct libmnt_table *table, const struct candidate *candidate)
{
	struct libmnt_iter *iterator = mnt_new_iter(MNT_ITER_FORWARD);
	struct libmnt_fs *fs, *found = NULL;

	while (!found && mnt_table_next_fs(table, iterator, &fs) == 0)
		if (mnt_fs_get_devno(fs) == candidate->number || names_device(mnt_fs_get_source(fs), candidate))
			found = fs;
	mnt_free_iter(iterator);
	return found;
}

static bool is_in_btrfs(const char *name)
{
	char **members = btrfs_members(name);
	bool is = members;

	strings_free(members);
	return is;
}

static void add_mounts(struct text *uses, const struct candidate *candidate)
{
	struct libmnt_table *table = read_mounts();
	struct libmnt_fs *fs = table ? find_use(table, candidate) : NULL;

	if (!table)
		add_use(uses, candidate, "perhaps mounted: /proc/self/mountinfo can't be read", "");
	else if (fs)
		add_use(uses, candidate, "mounted at ", mnt_fs_get_target(fs));
	else if (is_in_btrfs(candidate->name))
		add_use(uses, candidate, "part of a mounted btrfs", "");
	mnt_unref_table(table);
}

static void add_swap(struct text *uses, const struct candidate *candidate)
{
	struct libmnt_table *table = mnt_new_table();
	char *path = host_path("/proc/swaps");

	if (mnt_table_parse_swaps(table, path) == 0 && find_use(table, candidate))
		add_use(uses, candidate, "swap", "");
	free(path);
	mnt_unref_table(table);
}

static void add_holders(struct text *uses, const struct candidate *candidate)
{
	char **holders = host_list("/sys/class/block/%s/holders", candidate->name);
	size_t i;

	for (i = 0; holders && holders[i]; i++)
		add_use(uses, candidate, "held by ", holders[i]);
	strings_free(holders);
}

/* A loop device does not claim what it stands on, so neither holders nor open(O_EXCL) would tell. */
static void add_loops(struct text *uses, const struct candidate *candidate)
{
	char **disks = host_list("/sys/block"), *file;
	size_t i;

	for (i = 0; disks && disks[i]; i++) {
		if (strncmp(disks[i], "loop", 4) != 0)
			continue;
		file = host_read_line("/sys/block/%s/loop/backing_file", disks[i]);
		if (names_device(file, candidate))
			add_use(uses, candidate, "behind ", disks[i]);
		free(file);
	}
	strings_free(disks);
}

static void add_uses(struct text *uses, const char *name, bool partition)
{
	struct candidate candidate = {.name = name, .partition = partition};

	if (block_number(name, &candidate.number))
		return;
	add_mounts(uses, &candidate);
	add_swap(uses, &candidate);
	add_holders(uses, &candidate);
	add_loops(uses, &candidate);
}

char *device_use(const char *name)
{
	char **partition = block_partitions(name);
	struct text uses = {0};
	size_t i;

	add_uses(&uses, name, false);
	for (i = 0; partition && partition[i]; i++)
		add_uses(&uses, partition[i], true);
	strings_free(partition);
	return uses.length ? text_take(&uses) : NULL;
}

/* --- what is on a device --- */

/* Whoever wrote the label may have meant it for the terminal: control characters, also those of U+0080, become '?'. */
static void add_label(struct text *content, const char *label)
{
	const unsigned char *c = (const unsigned char *)label;

	for (; *c; c++) {
		if (c[0] == 0xc2 && c[1] >= 0x80 && c[1] <= 0x9f)
			c++;
		else if (c[0] >= 0x20 && c[0] != 0x7f) {
			text_add(content, (const char *)c, 1);
			continue;
		}
		text_add(content, "?", 1);
	}
}

static const char *probed(blkid_probe probe, const char *name)
{
	const char *value;

	return blkid_probe_lookup_value(probe, name, &value, NULL) ? NULL : value;
}

static const char *table_name(const char *type)
{
	if (strcmp(type, "gpt") == 0)
		return "GPT";
	return strcmp(type, "dos") == 0 ? "MBR" : type;
}

static void add_partition_table(struct text *content, blkid_probe probe)
{
	blkid_partlist list = blkid_probe_get_partitions(probe);
	blkid_parttable table = list ? blkid_partlist_get_table(list) : NULL;
	int count = list ? blkid_partlist_numof_partitions(list) : 0;

	if (table)
		text_addf(content, "%s%s with %d partition%s", content->length ? ", " : "",
			  table_name(blkid_parttable_get_type(table)), count, count == 1 ? "" : "s");
}

static void add_superblock(struct text *content, blkid_probe probe, const char *type)
{
	const char *usage = probed(probe, "USAGE"), *label = probed(probe, "LABEL");

	text_addf(content, "%s%s", content->length ? ", " : "", type);
	if (usage && strcmp(usage, "filesystem") != 0 && strcmp(usage, "other") != 0)
		text_addf(content, " (%s)", usage);
	if (label && *label) {
		text_addf(content, ", label ");
		add_label(content, label);
	}
}

static char *describe_content(blkid_probe probe)
{
	struct text content = {0};
	const char *type;
	int found;

	blkid_probe_enable_partitions(probe, 1);
	blkid_probe_set_superblocks_flags(probe, BLKID_SUBLKS_TYPE | BLKID_SUBLKS_USAGE | BLKID_SUBLKS_LABEL);
	found = blkid_do_safeprobe(probe);
	if (found == -2)
		return xstrdup("several things at once, which libblkid can't tell apart");
	if (found < 0)
		return xstrdup("something that can't be read");
	type = probed(probe, "TYPE");
	if (type)
		add_superblock(&content, probe, type);
	if (probed(probe, "PTTYPE"))
		add_partition_table(&content, probe); /* last: it ends the life of the probe's values */
	return content.length ? text_take(&content) : xstrdup("nothing that libblkid knows");
}

char *device_content(const char *path)
{
	blkid_probe probe;
	char *content;

	errno = 0;
	probe = blkid_new_probe_from_filename(path);
	if (!probe)
		return xasprintf("something that can't be read (%s)", strerror(errno ? errno : EIO));
	content = describe_content(probe);
	blkid_free_probe(probe);
	return content;
}
