// SPDX-License-Identifier: GPL-2.0
#include "workload/place.h"

#include "tree.h"

#include <sys/sysmacros.h>

#define VIRTUAL "/sys/devices/virtual/block"

/* A disk with all its names, one that only NVMe would have, one without any, and a partition of the first. */
static void make_disks(const struct tree *tree)
{
	tree_disk(tree, VIRTUAL, "sdx", "8:240", "2048000\n");
	tree_attribute(tree, "sdx", "device/wwid", "naa.5000c500a1b2c3d4\n");
	tree_disk(tree, VIRTUAL, "nvme9n1", "259:77", "2048000\n");
	tree_attribute(tree, "nvme9n1", "wwid", "eui.0025385b01404c0d\n");
	tree_disk(tree, VIRTUAL, "loop99", "7:99", "2048000\n");
	tree_partition(tree, VIRTUAL, "sdx", "sdx1", "8:241", "1\n", "1024000\n");
}

static bool is_named(const char *device, const char *parent_disk, const char *serial, const char *name)
{
	struct layer layer = {.name = (char *)device, .parent_disk = (char *)parent_disk, .serial = (char *)serial};
	struct target target = {.layer = &layer, .layers = 1};

	return place_is_named(&target, name);
}

static void by_serial_number(void **state)
{
	make_disks(*state);
	assert_true(is_named("sdx", NULL, "S1234 5", "S1234 5"));
	assert_false(is_named("sdx", NULL, "S1234 5", "S1234"));
	assert_false(is_named("sdx", NULL, "S1234 5", "s1234 5"));
	assert_false(is_named("sdx", NULL, "S1234 5", "S1234 55"));
	assert_false(is_named("sdx", NULL, NULL, "S1234 5"));
}

static void by_wwn(void **state)
{
	static const char *const same[] = {
		"naa.5000c500a1b2c3d4",	  "0x5000c500a1b2c3d4",	  "5000C500A1B2C3D4",
		"wwn-0x5000c500a1b2c3d4", "NAA.5000C500A1B2C3D4", "0X5000c500a1b2c3d4",
	};
	static const char *const others[] = {
		"naa.5000c500a1b2c3d5", "5000c500a1b2c3d", "5000c500a1b2c3d44", "naa.", "0x", "c500a1b2c3d4",
	};

	make_disks(*state);
	for (size_t i = 0; i < ARRAY_SIZE(same); i++)
		assert_true(is_named("sdx", NULL, NULL, same[i]));
	for (size_t i = 0; i < ARRAY_SIZE(others); i++)
		assert_false(is_named("sdx", NULL, NULL, others[i]));
	assert_true(is_named("nvme9n1", NULL, NULL, "eui.0025385b01404c0d"));
	assert_true(is_named("nvme9n1", NULL, NULL, "0025385B01404C0D"));
	assert_false(is_named("nvme9n1", NULL, NULL, "5000c500a1b2c3d4"));
}

/* Those names are the whole disk's: what they permit must not be turned on one of its partitions. */
static void a_disk_is_not_its_partition(void **state)
{
	make_disks(*state);
	assert_false(is_named("sdx1", "sdx", "S1234", "S1234"));
	assert_false(is_named("sdx1", "sdx", "S1234", "naa.5000c500a1b2c3d4"));
}

/* An empty word, and the bare name of a device, which is a path to something else or nothing, permit nothing. */
static void nothing_by_accident(void **state)
{
	make_disks(*state);
	assert_false(is_named("sdx", NULL, "", ""));
	assert_false(is_named("sdx", NULL, "S1234", ""));
	assert_false(is_named("loop99", NULL, NULL, ""));
	assert_false(is_named("loop99", NULL, NULL, "naa."));
	assert_false(is_named("sdx", NULL, "S1234", "sdx"));
	assert_false(is_named("sdx", NULL, "S1234", "."));
	assert_false(is_named("sdx", NULL, "S1234", "../../null"));
	assert_false(is_named("sdz", NULL, "S1234", "S1234")); /* gone */
}

static char *make_node(const struct tree *tree, const char *name, mode_t kind, dev_t number)
{
	char *path = tree_path(tree, name);

	if (mknod(path, kind | 0600, number)) {
		free(path);
		return NULL;
	}
	return path;
}

/* By whatever path leads to the block device with that number. */
static void by_path(void **state)
{
	const struct tree *tree = *state;
	char *disk = make_node(tree, "/nodes/disk", S_IFBLK, makedev(8, 240)), *partition, *character, *link;

	if (!disk)
		skip(); /* needs root */
	make_disks(tree);
	partition = make_node(tree, "/nodes/partition", S_IFBLK, makedev(8, 241));
	character = make_node(tree, "/nodes/character", S_IFCHR, makedev(8, 240));
	tree_link(tree, "/nodes/link", "disk");
	link = tree_path(tree, "/nodes/link");
	assert_true(is_named("sdx", NULL, NULL, disk));
	assert_true(is_named("sdx", NULL, NULL, link));
	assert_false(is_named("sdx", NULL, NULL, partition));
	assert_false(is_named("sdx", NULL, NULL, character));
	assert_true(is_named("sdx1", "sdx", NULL, partition));
	assert_false(is_named("sdx1", "sdx", NULL, disk));
	free(disk);
	free(partition);
	free(character);
	free(link);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		IN_TREE(by_serial_number),    IN_TREE(by_wwn),	IN_TREE(a_disk_is_not_its_partition),
		IN_TREE(nothing_by_accident), IN_TREE(by_path),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
