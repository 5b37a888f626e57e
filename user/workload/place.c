// SPDX-License-Identifier: GPL-2.0
#include "place.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/format.h"
#include "base/log.h"
#include "base/text.h"
#include "host/block.h"
#include "host/files.h"
#include "host/mounts.h"
#include "host/path.h"
#include "host/processes.h"

#define MIB (1ull << 20)

/* FAT keeps a file's size in 32 bits. */
#define FAT_LIMIT ((1ull << 32) - 1)

char *place_engine_name(const struct place *place)
{
	return xasprintf("/proc/self/fd/%d", place->fd);
}

/* --- naming a device --- */

static bool same_device(const char *path, dev_t device)
{
	struct stat st;

	return !stat(path, &st) && S_ISBLK(st.st_mode) && st.st_rdev == device;
}

/* "naa.5000c500a1b2c3d4", "0x5000c500a1b2c3d4" and "5000C500A1B2C3D4" are one WWN. */
static const char *bare_wwn(const char *wwn)
{
	const char *const prefixes[] = {"naa.", "eui.", "0x", "wwn-0x", "uuid."};

	for (size_t i = 0; i < ARRAY_SIZE(prefixes); i++)
		if (!strncasecmp(wwn, prefixes[i], strlen(prefixes[i])))
			return wwn + strlen(prefixes[i]);
	return wwn;
}

/* NVMe keeps it beside the disk's other attributes, SCSI in those of the device. */
static bool is_wwn_of(const char *name, const char *disk)
{
	char *wwid = host_read_line("/sys/class/block/%s/wwid", disk);
	bool same;

	if (!wwid)
		wwid = host_read_line("/sys/class/block/%s/device/wwid", disk);
	same = wwid && *bare_wwn(name) && !strcasecmp(bare_wwn(name), bare_wwn(wwid));
	free(wwid);
	return same;
}

bool place_is_named(const struct target *target, const char *name)
{
	const struct layer *device = &target->layer[0];
	char *by_id;
	bool named;
	dev_t number;

	if (block_number(device->name, &number))
		return false;
	if (same_device(name, number))
		return true;
	by_id = xasprintf("/dev/disk/by-id/%s", name);
	named = !strchr(name, '/') && same_device(by_id, number);
	free(by_id);
	/* A serial number and a WWN name the whole disk, so not one of its partitions. */
	if (!named && !device->parent_disk)
		named = (device->serial && *name && !strcmp(device->serial, name)) || is_wwn_of(name, device->name);
	return named;
}

/* --- room --- */

/* A file system cannot be filled to the last byte: its own books need some of it. */
static uint64_t usable(uint64_t bytes)
{
	uint64_t reserve = MIB + bytes / 64;

	return bytes > reserve ? (bytes - reserve) / MIB * MIB : 0;
}

/* For a file that is to be written; `largest` is what would fit. */
static int refuse_size(const struct target *target, uint64_t largest, const char *why)
{
	char size[FORMAT_LENGTH];

	format_size(size, target->file_size);
	if (largest < MIB)
		return log_failure(-EINVAL, "%s: no room for a test file: %s", target->given, why);
	return log_failure(-EINVAL, "%s: a test file of %s does not fit: %s; the largest that fits is --size %lluM",
			   target->given, size, why, (unsigned long long)(largest / MIB));
}

/* What is there is measured as it is, and is not as large as was asked for. `what` it is: "file", "device". */
static int refuse_existing_size(const struct target *target, uint64_t existing, const char *what)
{
	char asked[FORMAT_LENGTH], size[FORMAT_LENGTH];

	format_size(size, existing);
	if (existing < MIB)
		return log_failure(-EINVAL, "%s: the %s has %s: 1 MiB is the least that can be measured", target->given,
				   what, size);
	return log_failure(-EINVAL, "%s: %s are asked for; the %s has %s: add --size %lluM", target->given,
			   format_size(asked, target->file_size), what, size, (unsigned long long)(existing / MIB));
}

/* What the device promises is not there where the file under it is sparse and its own file system is full. */
static int check_sparse_room(const struct target *target)
{
	uint64_t room = target->layers ? block_sparse_room(target->layer[0].name) : UINT64_MAX;
	char size[FORMAT_LENGTH], why[128];

	if (room == UINT64_MAX || target->file_size <= usable(room))
		return 0;
	snprintf(why, sizeof(why), "the sparse file under its loop device can grow by %s only", format_size(size, room));
	return refuse_size(target, usable(room), why);
}

static int check_room(const struct target *target, int directory)
{
	char size[FORMAT_LENGTH], why[128];
	uint64_t free_bytes;
	struct statvfs room;
	struct statfs kind;

	if (fstatvfs(directory, &room) || fstatfs(directory, &kind))
		return log_failure(-EINVAL, "%s: cannot ask for its free space: %m", target->given);
	if (kind.f_type == MSDOS_SUPER_MAGIC && target->file_size > FAT_LIMIT)
		return refuse_size(target, FAT_LIMIT, "FAT files end below 4 GiB");

	free_bytes = (uint64_t)room.f_bavail * room.f_frsize;
	if (target->file_size > usable(free_bytes)) {
		snprintf(why, sizeof(why), "the file system has %s free", format_size(size, free_bytes));
		return refuse_size(target, usable(free_bytes), why);
	}
	return check_sparse_room(target);
}

/* --- files --- */

/* btrfs and FUSE show a number of their own; the mount knows the disk where there is just one. */
static void describe_filesystem(struct target *target, const char *path)
{
	struct mount mount;
	struct stat st;

	if (!stat(path, &st))
		block_stack(st.st_dev, &target->layer, &target->layers);
	if (mount_of_path(path, &mount))
		return;
	target->filesystem = xstrdup(mount.filesystem);
	target->source = xstrdup(mount.source);
	target->mount_point = xstrdup(mount.point);
	if (!target->layers)
		mount_stack(&mount, &target->layer, &target->layers);
	for (size_t i = 0; target->layers && mount.members && mount.members[i]; i++)
		target->members += i < target->layers && !strcmp(target->layer[i].name, mount.members[i]);
	if (!target->layers)
		target->access = path_of_mount(&mount);
	mount_clear(&mount);
}

pid_t place_server(const struct target *target)
{
	return target_is_served(target) ? process_serving(target->layer[0].name) : 0;
}

/* The kernel does not do the I/O of such a file system, and the page cache is between its server and the disk. */
static void warn_of_server(struct target *target)
{
	pid_t server = place_server(target);
	char *name = server ? process_name(server) : NULL;

	if (server)
		target_warn(target,
			    "the file system is served by a program (%s, process %d): what that reads and writes on %s "
			    "counts as this workload's, and may come from the page cache in spite of direct I/O",
			    name ? name : "unknown", (int)server, target->layer[0].name);
	else if (target_is_served(target))
		target_warn(target,
			    "the file system is served by a program (FUSE) that can't be seen from here: what it reads "
			    "and writes on %s counts as that of others",
			    target->layer[0].name);
	if (target->access && !strcmp(target->access, "zfs"))
		target_warn(target,
			    "ZFS does not tell which disks its pool lies on: they are unknown here, and no device is "
			    "timed (zpool status -P names them)");
	free(name);
}

static void warn_of_backing(struct target *target, bool writable)
{
	const char *thin = writable && target->layers ? block_thin_backing(target->layer, target->layers) : NULL;

	if (thin)
		target_warn(target, "this writes to %s", thin);
	if (target->filesystem && (!strcmp(target->filesystem, "tmpfs") || !strcmp(target->filesystem, "ramfs")))
		target_warn(target, "this is memory (%s), not a disk", target->filesystem);
	warn_of_server(target);
	if (!host_exists("/sys/dev/block"))
		target_warn(target, "/sys is not mounted, so the devices under it are unknown");
}

static int create(struct place *place, const struct target *target)
{
	place->fd = openat(place->directory, place->name, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (place->fd >= 0)
		return 0;
	if (errno == EEXIST)
		return log_failure(-EINVAL,
				   "%s: '%s' exists there already: iostrata writes over nothing; remove it or name "
				   "another place",
				   target->given, place->name);
	return log_failure(-EINVAL, "%s: cannot create the test file '%s': %m", target->given, place->name);
}

/* Takes the name away, if it still is our file's. */
static void forget_name(struct place *place)
{
	struct stat ours, named;

	if (place->name && !fstat(place->fd, &ours) &&
	    !fstatat(place->directory, place->name, &named, AT_SYMLINK_NOFOLLOW) && ours.st_dev == named.st_dev &&
	    ours.st_ino == named.st_ino)
		unlinkat(place->directory, place->name, 0);
	free(place->name);
	place->name = NULL;
}

/*
 * A file without a name goes away by itself, whatever happens to us. Not every file system lets such a file be opened
 * again, as the engine must (9p, for one); there the name stays until the end.
 */
static int unlink_early(struct place *place, const struct target *target)
{
	char *kept = xstrdup(place->name), *engine_name = place_engine_name(place);
	int again, err = 0;

	forget_name(place);
	again = open(engine_name, O_RDWR | O_CLOEXEC);
	if (again >= 0) {
		close(again);
		free(kept);
	} else {
		close(place->fd);
		place->name = kept;
		err = create(place, target);
	}
	free(engine_name);
	return err;
}

static int open_file(struct place *place, struct target *target, const char *directory, const char *name)
{
	int err;

	place->directory = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (place->directory < 0)
		return log_failure(-EINVAL, "%s: cannot open the directory '%s': %m", target->given, directory);
	describe_filesystem(target, directory);
	if (target->filesystem && !strcmp(target->filesystem, "devtmpfs"))
		return log_failure(-EINVAL, "%s: no such device (and /dev is no place for a test file)", target->given);
	err = check_room(target, place->directory);
	if (err)
		return err;
	place->name = xstrdup(name);
	err = create(place, target);
	if (!err)
		err = unlink_early(place, target);
	place->writable = true;
	if (!err)
		warn_of_backing(target, true);
	return err;
}

static int open_new_file(struct place *place, struct target *target)
{
	char *path = xstrdup(target->given), *slash = strrchr(path, '/'), *real;
	const char *directory = slash == path ? "/" : slash ? path : ".", *name = slash ? slash + 1 : path;
	struct stat st;
	int err;

	if (slash)
		*slash = '\0';
	target->kind = TARGET_FILE;
	if (!*name) {
		err = log_failure(-EINVAL, "%s: no such directory", target->given);
	} else if (stat(directory, &st)) {
		err = log_failure(-EINVAL, "%s: no such directory: '%s'", target->given, directory);
	} else {
		real = realpath(directory, NULL);
		target->path = xasprintf("%s/%s", !real || !strcmp(real, "/") ? "" : real, name);
		free(real);
		err = open_file(place, target, directory, name);
	}
	free(path);
	return err;
}

/* --- files that are there --- */

/* As it was looked at: nothing that has taken its name since. */
static int open_as_seen(struct place *place, const struct target *target, const struct stat *seen)
{
	struct stat st;

	place->fd = open(target->path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	if (place->fd < 0)
		return log_failure(-EINVAL, "%s: cannot open the file: %m", target->given);
	if (fstat(place->fd, &st) || st.st_dev != seen->st_dev || st.st_ino != seen->st_ino)
		return log_failure(-EINVAL, "%s: became another file at this moment", target->given);
	return 0;
}

/* For its lock alone, which a directory that can't be read has to do without. */
static int open_directory_of(const char *path)
{
	char *directory = xstrdup(path), *slash = strrchr(directory, '/');
	int fd;

	slash[slash == directory] = '\0';
	fd = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	free(directory);
	return fd;
}

/* Somebody's file, which is measured as it is: it has no place->name, so that nothing ever takes its name away. */
static int open_existing_file(struct place *place, struct target *target, const struct stat *seen,
			      const struct permission *permission)
{
	target->kind = TARGET_FILE;
	if (!permission->read_only)
		return log_failure(-EINVAL,
				   "%s: exists: iostrata writes over no file; name a directory, a file to create or a "
				   "block device, or measure the file as it is with --read-only",
				   target->given);
	if (target->file_size > (uint64_t)seen->st_size)
		return refuse_existing_size(target, seen->st_size, "file");
	describe_filesystem(target, target->path);
	warn_of_backing(target, false);
	place->directory = open_directory_of(target->path);
	return open_as_seen(place, target, seen);
}

/* --- devices --- */

static bool may_destroy(const struct target *target, const struct permission *permission)
{
	for (size_t i = 0; i < permission->destroys; i++)
		if (place_is_named(target, permission->destroy[i]))
			return true;
	return false;
}

/*
 * udev and others take this lock for moments while they look at a disk, so a busy one is asked for again for 3 s
 * (systemd's block device locking: flock on the whole disk).
 */
static int lock_disk(struct place *place, const struct target *target)
{
	const struct layer *device = &target->layer[0];
	char *path = xasprintf("/dev/%s", device->parent_disk ? device->parent_disk : device->name);
	int err = 0;

	place->disk = open(path, O_RDONLY | O_CLOEXEC);
	if (place->disk < 0) {
		err = log_failure(-EINVAL, "%s: cannot open its disk %s: %m", target->given, path);
	} else {
		for (int attempt = 0; flock(place->disk, LOCK_EX | LOCK_NB); attempt++) {
			if (errno != EWOULDBLOCK || attempt == 30) {
				err = log_failure(-EINVAL, "%s: another program holds the lock of %s", target->given,
						  path);
				break;
			}
			clock_sleep(100 * NS_PER_MS);
		}
	}
	free(path);
	return err;
}

static int claim(struct place *place, const struct target *target)
{
	place->fd = open(target->path, (place->writable ? O_RDWR : O_RDONLY) | O_EXCL | O_CLOEXEC);
	if (place->fd >= 0)
		return lock_disk(place, target);
	if (errno == EBUSY)
		return log_failure(
			-EINVAL,
			"%s: in use by something that is not seen from here: mounted in another namespace or "
			"container, or open exclusively, as by another iostrata",
			target->given);
	return log_failure(-EINVAL, "%s: cannot open the device: %m", target->given);
}

static int open_device(struct place *place, struct target *target, dev_t number, const struct permission *permission)
{
	const struct layer *device;
	char *use;
	int err;

	target->kind = TARGET_DEVICE;
	if (block_stack(number, &target->layer, &target->layers))
		return log_failure(-EINVAL, "%s: not a device that /sys knows", target->given);
	device = &target->layer[0];
	use = device_use(device->name);
	if (use) {
		log_error("%s: in use: %s; iostrata measures a device only while nothing uses it (for a file system "
			  "on it, name a directory there)",
			  target->given, use);
		free(use);
		return -EINVAL;
	}
	if (target->file_size > device->size)
		return refuse_existing_size(target, device->size, "device");
	place->writable = !permission->read_only && may_destroy(target, permission);
	if (!place->writable)
		return claim(place, target);
	warn_of_backing(target, true);
	err = check_sparse_room(target);
	return err ? err : claim(place, target);
}

/* --- open and close --- */

int place_open(struct place *place, struct target *target, const char *given, uint64_t size,
	       const struct permission *permission)
{
	struct stat link, st;

	*place = (struct place){.fd = -1, .directory = -1, .disk = -1};
	target->given = xstrdup(given);
	target->file_size = size;
	if (lstat(given, &link))
		return errno == ENOENT ? open_new_file(place, target)
				       : log_failure(-EINVAL, "%s: cannot look at it: %m", given);
	if (stat(given, &st))
		return log_failure(-EINVAL, "%s: a symbolic link that leads nowhere", given);
	target->path = realpath(given, NULL);
	if (!target->path)
		return log_failure(-EINVAL, "%s: cannot resolve the path: %m", given);
	if (S_ISDIR(st.st_mode)) {
		target->kind = TARGET_DIRECTORY;
		return open_file(place, target, target->path, PLACE_FILE_NAME);
	}
	if (S_ISBLK(st.st_mode))
		return open_device(place, target, st.st_rdev, permission);
	if (S_ISREG(st.st_mode))
		return open_existing_file(place, target, &st, permission);
	return log_failure(-EINVAL, "%s: neither a directory, a file to create nor a block device", given);
}

int place_look(struct target *target, const char *given)
{
	struct stat st;

	target->given = xstrdup(given);
	target->path = realpath(given, NULL);
	if (!target->path || stat(target->path, &st))
		return log_failure(-EINVAL, "%s: cannot look at it: %m", given);
	if (S_ISBLK(st.st_mode)) {
		target->kind = TARGET_DEVICE;
		if (block_stack(st.st_rdev, &target->layer, &target->layers))
			return log_failure(-EINVAL, "%s: not a device that /sys knows", given);
	} else if (S_ISDIR(st.st_mode) || S_ISREG(st.st_mode)) {
		target->kind = S_ISDIR(st.st_mode) ? TARGET_DIRECTORY : TARGET_FILE;
		describe_filesystem(target, target->path);
	} else {
		return log_failure(-EINVAL, "%s: neither a directory, a file nor a block device", given);
	}
	warn_of_backing(target, false);
	return 0;
}

dev_t place_device(const struct place *place)
{
	struct stat st;

	return fstat(place->fd, &st) ? 0 : st.st_dev;
}

bool place_shrunk(const struct place *place, uint64_t size)
{
	off_t end = lseek(place->fd, 0, SEEK_END);

	/* A test file has its size once it is laid out. */
	return end >= 0 && (uint64_t)end < size;
}

bool place_lock(const struct place *place)
{
	return place->directory < 0 || !flock(place->directory, LOCK_EX | LOCK_NB) || errno != EWOULDBLOCK;
}

static void close_fd(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

void place_close(struct place *place)
{
	forget_name(place);
	close_fd(&place->fd);
	close_fd(&place->disk);
	close_fd(&place->directory);
}
