// SPDX-License-Identifier: GPL-2.0
#include "block.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/sysmacros.h>

#include "attributes.h"
#include "base/clock.h"
#include "base/text.h"
#include "files.h"
#include "link.h"
#include "machine.h"
#include "media.h"
#include "mounts.h"
#include "path.h"

#define SECTOR		  512 /* what sysfs counts in, whatever the device's own blocks are */
#define MAX_STACK	  64
#define MAX_NESTED_IMAGES 8 /* image files within image files that block_sparse_room() follows */

static int parse_number(const char *string, dev_t *device)
{
	unsigned major, minor;

	if (sscanf(string, "%u:%u", &major, &minor) != 2)
		return -EINVAL;
	*device = makedev(major, minor);
	return 0;
}

char *block_name(dev_t device)
{
	return host_link_name("/sys/dev/block/%u:%u", major(device), minor(device));
}

int block_number(const char *name, dev_t *device)
{
	char *line = host_read_line("/sys/class/block/%s/dev", name);
	int error;

	if (!line)
		return errno == ENOENT ? -ENODEV : -errno;
	error = parse_number(line, device);
	free(line);
	return error;
}

/* The directory of a partition lies within that of its disk, and the kernel follows the link before the "..". */
char *block_disk(const char *name)
{
	char *line = NULL, *disk = NULL;
	dev_t device;

	if (host_exists("/sys/class/block/%s/partition", name))
		line = host_read_line("/sys/class/block/%s/../dev", name);
	if (line && parse_number(line, &device) == 0)
		disk = block_name(device);
	free(line);
	return disk ? disk : xstrdup(name);
}

char *block_directory(const char *name)
{
	char *target = host_link("/sys/class/block/%s", name), *path;
	const char *start = target;

	if (!target)
		return NULL;
	while (strncmp(start, "../", strlen("../")) == 0)
		start += strlen("../");
	path = xasprintf("/sys/%s", start);
	free(target);
	return path;
}

/* That of the disk itself tells less: a null_blk that is made in configfs is called whatever its maker likes. */
char *block_registered_name(const char *disk)
{
	char *number = host_read_line("/sys/class/block/%s/dev", disk), *devices = host_read("/proc/devices");
	const char *line = devices ? strstr(devices, "Block devices:") : NULL;
	unsigned major = 0, listed;
	char *name = NULL;
	int start = 0;

	if (number && sscanf(number, "%u:", &major) == 1)
		for (; line && !name; line = strchr(line + 1, '\n'))
			if (sscanf(line, "%u %n", &listed, &start) == 1 && listed == major)
				name = xasprintf("%.*s", (int)strcspn(line + start, "\n"), line + start);
	free(devices);
	free(number);
	if (!name || strcmp(name, "blkext") != 0)
		return name;
	free(name);
	return NULL;
}

char **block_partitions(const char *disk)
{
	char **entries = host_list("/sys/class/block/%s", disk), **kept = entries;

	for (char **entry = entries; entry && *entry; entry++) {
		if (host_exists("/sys/class/block/%s/%s/partition", disk, *entry))
			*kept++ = *entry;
		else
			free(*entry);
	}
	if (entries)
		*kept = NULL;
	return entries;
}

bool block_is_scsi(const char *disk)
{
	char *bus = host_link_name("/sys/block/%s/device/subsystem", disk);
	bool is = bus && !strcmp(bus, "scsi");

	free(bus);
	return is;
}

bool block_is_path_of(const char *path, const char *head)
{
	unsigned subsystem, controller, space, of_subsystem, of_space;
	int end = 0, head_end = 0;

	return sscanf(path, "nvme%uc%un%u%n", &subsystem, &controller, &space, &end) == 3 && !path[end] &&
	       sscanf(head, "nvme%un%u%n", &of_subsystem, &of_space, &head_end) == 2 && !head[head_end] &&
	       subsystem == of_subsystem && space == of_space;
}

/* Of the names those that are paths of `head`. Frees the others. */
static char **keep_paths(char **names, const char *head)
{
	char **kept = names;

	for (char **name = names; name && *name; name++) {
		if (block_is_path_of(*name, head))
			*kept++ = *name;
		else
			free(*name);
	}
	if (names)
		*kept = NULL;
	return names;
}

/*
 * What a disk stands on: its slaves (md, dm). The head of NVMe multipath has none in sysfs; its paths are disks that are
 * hidden from /dev and known by their names alone (drivers/nvme/host/core.c: nvme0c1n1 is a path of nvme0n1).
 */
static char **devices_below(const char *disk)
{
	char **slaves = host_list("/sys/class/block/%s/slaves", disk);

	if ((slaves && slaves[0]) || strncmp(disk, "nvme", 4))
		return slaves;
	strings_free(slaves);
	return keep_paths(host_list("/sys/class/block"), disk);
}

static bool stands_on_others(const char *disk)
{
	char **below = devices_below(disk);
	bool any = below && below[0];

	strings_free(below);
	return any;
}

void block_describe(const char *name, struct layer *layer)
{
	char *disk = block_disk(name);
	uint64_t sectors = 0;

	*layer = (struct layer){.name = xstrdup(name)};
	attributes_describe(disk, layer);
	media_describe(disk, layer);
	link_describe(disk, layer);
	host_read_number(&sectors, "/sys/class/block/%s/size", name);
	layer->size = sectors * SECTOR;
	if (strcmp(disk, name) != 0)
		layer->parent_disk = disk;
	else
		path_describe(disk, layer);
	if (!layer->parent_disk)
		free(disk);
	layer->leaf = !layer->parent_disk && !stands_on_others(name);
}

struct stack {
	struct layer *layer;
	size_t count;
	bool unlimited;
};

static void stack_clear(struct stack *stack)
{
	size_t i;

	for (i = 0; i < stack->count; i++)
		layer_clear(&stack->layer[i]);
	free(stack->layer);
	*stack = (struct stack){0};
}

static int stack_add(struct stack *stack, const char *name)
{
	size_t i;

	for (i = 0; i < stack->count; i++)
		if (strcmp(stack->layer[i].name, name) == 0)
			return 0;
	if (stack->count >= MAX_STACK && !stack->unlimited)
		return -E2BIG;
	stack->layer = xreallocarray(stack->layer, stack->count + 1, sizeof(*stack->layer));
	block_describe(name, &stack->layer[stack->count++]);
	return 0;
}

/* btrfs and overlay show a number of their own; the mount knows the disk where there is just one. */
static char *name_below_file(const char *file, const struct stat *status)
{
	char *name = block_name(S_ISBLK(status->st_mode) ? status->st_rdev : status->st_dev);
	struct mount mount;

	if (name || !S_ISREG(status->st_mode) || mount_of_path(file, &mount))
		return name;
	if (!mount.members)
		name = block_name(mount.device);
	mount_clear(&mount);
	return name;
}

/* The disk of the file system that holds a loop device's file, or the device that it stands for. */
static int stack_add_backing(struct stack *stack, size_t above)
{
	struct stat status;
	char *name;
	int error;

	if (stat(stack->layer[above].backing_file, &status))
		return 0;
	name = name_below_file(stack->layer[above].backing_file, &status);
	if (!name)
		return 0;
	error = stack_add(stack, name);
	/* What does its I/O below is the device now. */
	stack->layer[above].leaf = error != 0;
	free(name);
	return error;
}

static int stack_add_below(struct stack *stack, size_t above)
{
	char **slaves, *disk = stack->layer[above].parent_disk;
	int error = 0;
	size_t i;

	if (disk)
		return stack_add(stack, disk);
	if (stack->layer[above].backing_file)
		return stack_add_backing(stack, above);
	slaves = devices_below(stack->layer[above].name);
	for (i = 0; slaves && slaves[i] && !error; i++)
		error = stack_add(stack, slaves[i]);
	strings_free(slaves);
	return error;
}

static int stack_add_device(struct stack *stack, dev_t device)
{
	char *name = block_name(device);
	int error = name ? stack_add(stack, name) : -ENODEV;

	free(name);
	return error;
}

/* Adds what is below those that are there, and hands all of it over. */
static int stack_finish(struct stack *stack, struct layer **layers, size_t *count)
{
	int error = 0;
	size_t i;

	for (i = 0; i < stack->count && !error; i++)
		error = stack_add_below(stack, i);
	if (error) {
		stack_clear(stack);
		return error;
	}
	*layers = stack->layer;
	*count = stack->count;
	return 0;
}

int block_stack(dev_t device, struct layer **layers, size_t *count)
{
	struct stack stack = {0};
	int error = stack_add_device(&stack, device);

	return error ? error : stack_finish(&stack, layers, count);
}

int block_stacks(const dev_t *device, size_t devices, struct layer **layers, size_t *count)
{
	struct stack stack = {.unlimited = true};
	int error = 0;
	size_t i;

	for (i = 0; i < devices && !error; i++)
		error = stack_add_device(&stack, device[i]);
	if (error) {
		stack_clear(&stack);
		return error;
	}
	return stack_finish(&stack, layers, count);
}

/* Loop and network disks that nothing is bound to have no size, and paths of NVMe multipath no number. */
static bool is_worth_watching(const char *disk, bool images)
{
	uint64_t sectors = 0, read_only = 0;
	dev_t device;

	host_read_number(&sectors, "/sys/block/%s/size", disk);
	if (!sectors || block_number(disk, &device))
		return false;
	if (images || !host_exists("/sys/block/%s/loop/backing_file", disk))
		return true;
	host_read_number(&read_only, "/sys/block/%s/ro", disk);
	return !read_only;
}

void block_disks(bool images, struct layer **layers, size_t *count)
{
	char **disks = host_list("/sys/block");
	struct stack stack = {.unlimited = true};
	size_t i;

	for (i = 0; disks && disks[i]; i++)
		if (is_worth_watching(disks[i], images))
			stack_add(&stack, disks[i]);
	strings_free(disks);
	stack_finish(&stack, layers, count);
}

/* The columns of Documentation/block/stat.rst, in the file's order. */
enum stat_column {
	READ_IOS,
	READ_MERGES,
	READ_SECTORS,
	READ_TICKS,
	WRITE_IOS,
	WRITE_MERGES,
	WRITE_SECTORS,
	WRITE_TICKS,
	IN_FLIGHT,
	IO_TICKS,
	TIME_IN_QUEUE,
	DISCARD_IOS, /* since 4.18 */
	DISCARD_MERGES,
	DISCARD_SECTORS,
	DISCARD_TICKS,
	FLUSH_IOS, /* since 5.5 */
	FLUSH_TICKS,
	STAT_COLUMNS
};

static size_t parse_columns(const char *line, uint64_t column[STAT_COLUMNS])
{
	size_t count;
	char *end;

	for (count = 0; count < STAT_COLUMNS; count++) {
		column[count] = strtoull(line, &end, 10);
		if (end == line)
			break;
		line = end;
	}
	return count;
}

int block_read_stat(const char *name, struct block_stat *stat)
{
	char *line = host_read_line("/sys/class/block/%s/stat", name);
	uint64_t c[STAT_COLUMNS] = {0};
	size_t count;

	if (!line)
		return errno == ENOENT ? -ENODEV : -errno;
	count = parse_columns(line, c);
	free(line);
	if (count < DISCARD_IOS)
		return -EINVAL;
	*stat = (struct block_stat){
		.group[STAT_READ] = {c[READ_IOS], c[READ_SECTORS], c[READ_TICKS] * NS_PER_MS},
		.group[STAT_WRITE] = {c[WRITE_IOS], c[WRITE_SECTORS], c[WRITE_TICKS] * NS_PER_MS},
		.group[STAT_DISCARD] = {c[DISCARD_IOS], c[DISCARD_SECTORS], c[DISCARD_TICKS] * NS_PER_MS},
		.group[STAT_FLUSH] = {c[FLUSH_IOS], 0, c[FLUSH_TICKS] * NS_PER_MS},
		.in_flight = c[IN_FLIGHT],
		.busy = c[IO_TICKS] * NS_PER_MS,
	};
	return 0;
}

/* The kernel prints its milliseconds as 32 bits. */
static uint64_t time_between(uint64_t before, uint64_t after)
{
	return after >= before ? after - before : after + (NS_PER_MS << 32) - before;
}

struct block_stat block_stat_between(const struct block_stat *before, const struct block_stat *after)
{
	struct block_stat delta = {.in_flight = after->in_flight, .busy = time_between(before->busy, after->busy)};
	size_t i;

	for (i = 0; i < STAT_GROUPS; i++)
		delta.group[i] = (struct stat_delta){
			.ios = after->group[i].ios - before->group[i].ios,
			.sectors = after->group[i].sectors - before->group[i].sectors,
			.time = time_between(before->group[i].time, after->group[i].time),
		};
	return delta;
}

static uint64_t smaller(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

static uint64_t room_below(dev_t device, unsigned nested);

/*
 * The image's own holes, and those of the images that its file system stands on. A tmpfs without a limit has no blocks
 * to count.
 */
static uint64_t room_behind(const char *file, unsigned nested)
{
	struct statvfs filesystem;
	struct stat status;
	uint64_t room;

	if (stat(file, &status))
		return UINT64_MAX;
	if (S_ISBLK(status.st_mode))
		return room_below(status.st_rdev, nested);
	room = room_below(status.st_dev, nested);
	if ((uint64_t)status.st_blocks * SECTOR >= (uint64_t)status.st_size)
		return room;
	if (statvfs(file, &filesystem) || filesystem.f_blocks == 0)
		return room;
	return smaller(room, (uint64_t)filesystem.f_bavail * filesystem.f_frsize);
}

static uint64_t room_below(dev_t device, unsigned nested)
{
	uint64_t room = UINT64_MAX;
	struct stack stack = {0};
	size_t i;

	if (nested == MAX_NESTED_IMAGES || block_stack(device, &stack.layer, &stack.count))
		return room;
	for (i = 0; i < stack.count; i++)
		if (stack.layer[i].backing_file && !stack.layer[i].parent_disk)
			room = smaller(room, room_behind(stack.layer[i].backing_file, nested + 1));
	stack_clear(&stack);
	return room;
}

uint64_t block_sparse_room(const char *name)
{
	dev_t device;

	return block_number(name, &device) ? UINT64_MAX : room_below(device, 0);
}

/* LVM calls the device-mapper device of a thin pool so. */
static bool is_thin_pool(const char *name)
{
	static const char suffix[] = "-tpool";
	char *uuid = host_read_line("/sys/class/block/%s/dm/uuid", name);
	size_t length = uuid ? strlen(uuid) : 0;
	bool is = length >= sizeof(suffix) - 1 && strcmp(uuid + length - (sizeof(suffix) - 1), suffix) == 0;

	free(uuid);
	return is;
}

static bool is_vhdx(const struct layer *layer)
{
	static const char model[] = "Msft Virtual Disk";

	return layer->model && strncmp(layer->model, model, sizeof(model) - 1) == 0;
}

const char *block_thin_backing(const struct layer *layers, size_t count)
{
	bool wsl = machine_wsl();
	size_t i;

	for (i = 0; i < count; i++) {
		if (is_thin_pool(layers[i].name))
			return "a thin LVM volume: its pool grows with what is written and may run full";
		if (wsl && is_vhdx(&layers[i]))
			return "a VHDX of Windows (WSL): it grows with what is written, and Windows does not get the "
			       "space back by itself";
	}
	return NULL;
}
