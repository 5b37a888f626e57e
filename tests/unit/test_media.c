// SPDX-License-Identifier: GPL-2.0
#include "tree.h"

#include <fcntl.h>
#include <linux/loop.h>
#include <sys/ioctl.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>

#include <linux/magic.h>

#include "host/block.h"

#define VIRTUAL "/sys/devices/virtual/block"

/* NULL: a disk as far as can be told. */
static void assert_memory(const char *name, const char *memory)
{
	struct layer layer;

	block_describe(name, &layer);
	if (memory && !layer.memory)
		fail_msg("%s is not said to be %s", name, memory);
	if (memory)
		assert_string_equal(layer.memory, memory);
	else
		assert_null(layer.memory);
	layer_clear(&layer);
	assert_null(layer.memory);
	assert_null(layer.backing_filesystem);
}

/* --- disks that a driver keeps in memory --- */

static void list_drivers(const struct tree *tree)
{
	tree_write(tree, "/proc/devices",
		   "Character devices:\n  8 zram\n254 zram\n\nBlock devices:\n  1 ramdisk\n  7 loop\n  8 sd\n253 zram\n"
		   "254 virtblk\n252 nullb\n259 blkext\n");
}

static void drivers_of_memory(void **state)
{
	const struct tree *tree = *state;

	list_drivers(tree);
	tree_disk(tree, VIRTUAL, "zram0", "253:0", "8\n");
	tree_disk(tree, VIRTUAL, "ram3", "1:3", "8\n");
	tree_disk(tree, VIRTUAL, "nullb0", "252:0", "8\n");
	tree_disk(tree, VIRTUAL, "quick", "252:1", "8\n"); /* a null_blk that somebody named */
	assert_memory("zram0", "compressed memory (zram)");
	assert_memory("ram3", "memory (brd)");
	assert_memory("nullb0", "no medium at all (null_blk)");
	assert_memory("quick", "no medium at all (null_blk)");
}

/* Their numbers are those of character devices that are called as a driver of memory. */
static void disks_are_not_memory(void **state)
{
	const struct tree *tree = *state;

	list_drivers(tree);
	tree_disk(tree, "/sys/devices/pci0000:00/0000:00:02.0/virtio1/block", "vda", "254:0", "8\n");
	tree_disk(tree, "/sys/devices/pci0000:00/host0/target0:0:0/0:0:0:0/block", "sda", "8:0", "8\n");
	tree_disk(tree, VIRTUAL, "pmem0", "259:0", "8\n");
	tree_disk(tree, VIRTUAL, "dm-0", "25:0", "8\n");
	assert_memory("vda", NULL);
	assert_memory("sda", NULL);
	assert_memory("pmem0", NULL);
	assert_memory("dm-0", NULL);
	assert_memory("sdz", NULL);
}

static void nothing_is_said_without_a_list_of_drivers(void **state)
{
	tree_disk(*state, VIRTUAL, "zram0", "253:0", "8\n");
	assert_memory("zram0", NULL);
	tree_write(*state, "/proc/devices", "Character devices:\n253 zram\n");
	assert_memory("zram0", NULL);
	tree_write(*state, "/proc/devices", "Block devices:\n253");
	assert_memory("zram0", NULL);
}

static void zram_with_a_disk_behind_it(void **state)
{
	const struct tree *tree = *state;

	list_drivers(tree);
	tree_disk(tree, VIRTUAL, "zram0", "253:0", "8\n");
	tree_attribute(tree, "zram0", "backing_dev", "none\n");
	assert_memory("zram0", "compressed memory (zram)");
	tree_attribute(tree, "zram0", "backing_dev", "/dev/sda3\n");
	assert_memory("zram0", "compressed memory (zram, which may write some of it back to /dev/sda3)");
}

static void partition_lies_in_the_memory_of_its_disk(void **state)
{
	list_drivers(*state);
	tree_disk(*state, VIRTUAL, "ram0", "1:0", "8\n");
	tree_partition(*state, VIRTUAL, "ram0", "ram0p1", "259:1", "1\n", "8\n");
	assert_memory("ram0p1", "memory (brd)");
}

static void scsi_debug_is_memory(void **state)
{
	const struct tree *tree = *state;

	list_drivers(tree);
	tree_disk(tree, "/sys/devices/pseudo_0/adapter0/host0/target0:0:0/0:0:0:0/block", "sda", "8:0", "8\n");
	tree_attribute(tree, "sda", "device/vendor", "Linux   \n");
	tree_attribute(tree, "sda", "device/model", "scsi_debug      \n");
	assert_memory("sda", "memory (scsi_debug)");
	tree_attribute(tree, "sda", "device/model", "VIRTUAL-DISK    \n"); /* of a SCSI target: a file or a disk */
	assert_memory("sda", NULL);
}

/* --- loop devices --- */

static void mount_root_as(const struct tree *tree, const char *filesystem)
{
	struct stat status;
	char *line;

	assert_int_equal(stat(tree->root, &status), 0);
	line = xasprintf("2000000001 1 %u:%u / / rw - %s source rw\n", major(status.st_dev), minor(status.st_dev),
			 filesystem);
	tree_write(tree, "/proc/self/mountinfo", line);
	free(line);
}

/* Over a file of the tree, which lies in the file system that mount_root_as() names. */
static void make_loop(const struct tree *tree, const char *name, const char *number)
{
	char *file = tree_path(tree, "/image");

	list_drivers(tree);
	tree_write(tree, "/image", "");
	tree_disk(tree, VIRTUAL, name, number, "8\n");
	tree_attribute(tree, name, "loop/backing_file", file);
	free(file);
}

static void assert_loop(const char *name, const char *filesystem, const char *memory, bool cached)
{
	struct layer layer;

	block_describe(name, &layer);
	assert_int_equal(layer.cached, cached);
	if (filesystem)
		assert_string_equal(layer.backing_filesystem, filesystem);
	else
		assert_null(layer.backing_filesystem);
	layer_clear(&layer);
	assert_memory(name, memory);
}

static void loop_with_and_without_direct_io(void **state)
{
	mount_root_as(*state, "ext4");
	make_loop(*state, "loop0", "7:0");
	assert_loop("loop0", "ext4", NULL, false);
	tree_attribute(*state, "loop0", "loop/dio", "0\n");
	assert_loop("loop0", "ext4", NULL, true);
	tree_attribute(*state, "loop0", "loop/dio", "1\n");
	assert_loop("loop0", "ext4", NULL, false);
}

static void loop_in_memory(void **state)
{
	make_loop(*state, "loop0", "7:0");
	tree_attribute(*state, "loop0", "loop/dio", "1\n");
	mount_root_as(*state, "tmpfs");
	assert_loop("loop0", "tmpfs", "memory (its file is in tmpfs)", false);
	mount_root_as(*state, "ramfs");
	assert_loop("loop0", "ramfs", "memory (its file is in ramfs)", false);
	mount_root_as(*state, "hugetlbfs");
	assert_loop("loop0", "hugetlbfs", "memory (its file is in hugetlbfs)", false);
	mount_root_as(*state, "virtiofs");
	assert_loop("loop0", "virtiofs", NULL, false);
}

static void loop_over_a_file_that_is_gone(void **state)
{
	make_loop(*state, "loop0", "7:0");
	mount_root_as(*state, "tmpfs");
	tree_attribute(*state, "loop0", "loop/backing_file", "/nowhere/image (deleted)\n");
	tree_attribute(*state, "loop0", "loop/dio", "0\n");
	assert_loop("loop0", NULL, NULL, true);
}

static void loop_that_nothing_is_bound_to(void **state)
{
	list_drivers(*state);
	tree_disk(*state, VIRTUAL, "loop0", "7:0", "0\n");
	assert_loop("loop0", NULL, NULL, false);
}

/* --- on this machine --- */

/* A loop device over `file`, that goes with its last user; its name, or NULL where there are none to be had. */
static char *real_loop(const char *file, bool direct, int *fd)
{
	struct loop_config config = {.info.lo_flags = LO_FLAGS_AUTOCLEAR | (direct ? LO_FLAGS_DIRECT_IO : 0)};
	int control = open("/dev/loop-control", O_RDWR | O_CLOEXEC);
	int number = control < 0 ? -1 : ioctl(control, LOOP_CTL_GET_FREE), image = open(file, O_RDWR | O_CLOEXEC);
	char *name = xasprintf("loop%d", number), *path = xasprintf("/dev/%s", name);

	*fd = number < 0 || image < 0 ? -1 : open(path, O_RDWR | O_CLOEXEC);
	config.fd = (uint32_t)image;
	if (*fd >= 0 && ioctl(*fd, LOOP_CONFIGURE, &config)) {
		close(*fd);
		*fd = -1;
	}
	if (control >= 0)
		close(control);
	if (image >= 0)
		close(image);
	free(path);
	if (*fd >= 0)
		return name;
	free(name);
	return NULL;
}

static char *make_image(const char *directory)
{
	char *path = xasprintf("%s/iostrata-image-XXXXXX", directory);
	int fd = mkstemp(path);

	if (fd >= 0 && ftruncate(fd, 1 << 20) == 0) {
		close(fd);
		return path;
	}
	if (fd >= 0)
		close(fd);
	free(path);
	return NULL;
}

/* The loop device's layer; false where this machine has no loop device for us. */
static bool describe_real_loop(const char *file, bool direct, struct layer *layer)
{
	int fd;
	char *name = real_loop(file, direct, &fd);

	if (!name)
		return false;
	block_describe(name, layer);
	close(fd);
	free(name);
	return true;
}

static void real_loop_on_tmpfs(void **state)
{
	struct statfs filesystem;
	struct layer layer;
	char *image;
	bool made;

	(void)state;
	if (statfs("/dev/shm", &filesystem) || filesystem.f_type != TMPFS_MAGIC)
		skip();
	image = make_image("/dev/shm");
	if (!image)
		skip();
	made = describe_real_loop(image, false, &layer);
	unlink(image);
	free(image);
	if (!made)
		skip();
	assert_string_equal(layer.memory, "memory (its file is in tmpfs)");
	assert_string_equal(layer.backing_filesystem, "tmpfs");
	assert_true(layer.cached);
	assert_true(layer.hardware_queues > 0 && layer.tags > 0);
	layer_clear(&layer);
}

/* A loop device that stands for another one: its file is a node in /dev, which is no file in memory. */
static void real_loop_on_a_device(void **state)
{
	char *image = make_image("/tmp"), *below, *path;
	struct layer layer;
	bool made;
	int fd;

	(void)state;
	if (!image)
		skip();
	below = real_loop(image, false, &fd);
	unlink(image);
	free(image);
	if (!below)
		skip();
	path = xasprintf("/dev/%s", below);
	made = describe_real_loop(path, false, &layer);
	close(fd);
	free(below), free(path);
	if (!made)
		skip();
	assert_null(layer.memory);
	assert_null(layer.backing_filesystem);
	assert_true(layer.cached);
	layer_clear(&layer);
}

static void real_loop_with_direct_io(void **state)
{
	struct statfs filesystem;
	struct layer layer;
	char *image;
	bool made;

	(void)state;
	if (statfs("/var/tmp", &filesystem) || filesystem.f_type != EXT4_SUPER_MAGIC)
		skip();
	image = make_image("/var/tmp");
	if (!image)
		skip();
	made = describe_real_loop(image, true, &layer);
	unlink(image);
	free(image);
	if (!made)
		skip();
	assert_null(layer.memory);
	assert_non_null(strstr("ext2 ext3 ext4", layer.backing_filesystem));
	assert_false(layer.cached);
	layer_clear(&layer);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		IN_TREE(drivers_of_memory),
		IN_TREE(disks_are_not_memory),
		IN_TREE(nothing_is_said_without_a_list_of_drivers),
		IN_TREE(zram_with_a_disk_behind_it),
		IN_TREE(partition_lies_in_the_memory_of_its_disk),
		IN_TREE(scsi_debug_is_memory),
		IN_TREE(loop_with_and_without_direct_io),
		IN_TREE(loop_in_memory),
		IN_TREE(loop_over_a_file_that_is_gone),
		IN_TREE(loop_that_nothing_is_bound_to),
		cmocka_unit_test(real_loop_on_tmpfs),
		cmocka_unit_test(real_loop_on_a_device),
		cmocka_unit_test(real_loop_with_direct_io),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
