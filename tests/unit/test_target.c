// SPDX-License-Identifier: GPL-2.0
#include "report/target.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/text.h"

#define TERABYTE 1000204886016

#define LAYER(...)                                                                                                     \
	(struct layer)                                                                                                 \
	{                                                                                                              \
		__VA_ARGS__                                                                                            \
	}

static void check(const char *expected, struct target target, size_t layers, struct layer *layer)
{
	char *found;

	target.layer = layer;
	target.layers = layers;
	found = target_in_words(&target);
	assert_string_equal(found, expected);
	free(found);
}

#define CHECK(expected, target, ...)                                                                                   \
	check(expected, target, ARRAY_SIZE(((struct layer[]){__VA_ARGS__})), (struct layer[]){__VA_ARGS__})

static const struct target ext4 = {.kind = TARGET_DIRECTORY, .filesystem = "ext4"};
static const struct target device = {.kind = TARGET_DEVICE};

static void a_partition(void **state)
{
	(void)state;
	CHECK("ext4 on nvme0n1p2 (Samsung SSD 980 PRO, 1 TB)", ext4,
	      LAYER(.name = "nvme0n1p2", .parent_disk = "nvme0n1", .size = 5000),
	      LAYER(.name = "nvme0n1", .model = "Samsung SSD 980 PRO", .size = TERABYTE, .leaf = true));
}

static void a_disk(void **state)
{
	(void)state;
	CHECK("block device vda (275 GB)", device, LAYER(.name = "vda", .size = 256ull << 30, .leaf = true));
	CHECK("block device sdb (67.1 MB)", device, LAYER(.name = "sdb", .size = 64 << 20, .leaf = true));
	CHECK("block device sdb (1.92 TB)", device, LAYER(.name = "sdb", .size = 1920383410176, .leaf = true));
	CHECK("block device sdb", device, LAYER(.name = "sdb", .leaf = true));
}

static void a_loop_device(void **state)
{
	(void)state;
	CHECK("ext4 on loop0 (file /tmp/a b.img, 1.07 GB)", ext4,
	      LAYER(.name = "loop0", .backing_file = "/tmp/a b.img", .size = 1 << 30, .leaf = true));
}

static void an_array(void **state)
{
	(void)state;
	CHECK("ext4 on md0 over sda, sdb (2 × EVO, 1 TB)", ext4, LAYER(.name = "md0", .size = TERABYTE),
	      LAYER(.name = "sda", .model = "EVO", .size = TERABYTE, .leaf = true),
	      LAYER(.name = "sdb", .model = "EVO", .size = TERABYTE, .leaf = true));
	CHECK("ext4 on md0 over sda1 (EVO, 1 TB), sdb1 (Other, 1 TB)", ext4, LAYER(.name = "md0"),
	      LAYER(.name = "sda1", .parent_disk = "sda"),
	      LAYER(.name = "sdb1", .parent_disk = "sdb"),
	      LAYER(.name = "sda", .model = "EVO", .size = TERABYTE, .leaf = true),
	      LAYER(.name = "sdb", .model = "Other", .size = TERABYTE, .leaf = true));
	CHECK("ext4 on dm-0 over md0 over sda, sdb (2 × 1 TB)", ext4, LAYER(.name = "dm-0"),
	      LAYER(.name = "md0"), LAYER(.name = "sda", .size = TERABYTE, .leaf = true),
	      LAYER(.name = "sdb", .size = TERABYTE, .leaf = true));
}

static void many_disks(void **state)
{
	(void)state;
	CHECK("ext4 on md0 over 5 disks (5 × 1 TB)", ext4, LAYER(.name = "md0"),
	      LAYER(.name = "sda", .size = TERABYTE, .leaf = true),
	      LAYER(.name = "sdb", .size = TERABYTE, .leaf = true),
	      LAYER(.name = "sdc", .size = TERABYTE, .leaf = true),
	      LAYER(.name = "sdd", .size = TERABYTE, .leaf = true),
	      LAYER(.name = "sde", .size = TERABYTE, .leaf = true));
}

static void a_btrfs_of_several(void **state)
{
	static const struct target btrfs = {.kind = TARGET_DIRECTORY, .filesystem = (char *)"btrfs", .members = 2};
	struct layer sda = LAYER(.name = "sda", .model = "EVO", .size = TERABYTE, .leaf = true);
	struct layer sdb = LAYER(.name = "sdb", .model = "EVO", .size = TERABYTE, .leaf = true);

	(void)state;
	CHECK("btrfs on sda, sdb (2 × EVO, 1 TB)", btrfs, sda, sdb);
	CHECK("btrfs on sda1 (EVO, 1 TB), sdc", btrfs, LAYER(.name = "sda1", .parent_disk = "sda"),
	      LAYER(.name = "sdc", .leaf = true), sda);
	CHECK("btrfs on dm-0, dm-1 over sda, sdb (2 × EVO, 1 TB)", btrfs, LAYER(.name = "dm-0"), LAYER(.name = "dm-1"),
	      sda, sdb);
}

/* What trace watches is disks: not what lies on them. */
static void watched_disks(void **state)
{
	static const struct target disks = {.kind = TARGET_DISKS};

	(void)state;
	CHECK("sda (EVO, 1 TB)", disks, LAYER(.name = "sda1", .parent_disk = "sda"),
	      LAYER(.name = "sda", .model = "EVO", .size = TERABYTE, .leaf = true));
	CHECK("sda, sdb (2 × 1 TB)", disks, LAYER(.name = "sda", .size = TERABYTE, .leaf = true),
	      LAYER(.name = "md0"), LAYER(.name = "sdb", .size = TERABYTE, .leaf = true));
	CHECK("", disks, LAYER(.name = "md0"));
}

/* The file of a loop device lies on another disk, but what is looked for may be on the loop device. */
static void watched_loop_devices(void **state)
{
	static const struct target disks = {.kind = TARGET_DISKS};
	struct layer loop = LAYER(.name = "loop5", .backing_file = "/long/name", .size = 1 << 30);
	struct layer part = LAYER(.name = "loop5p1", .parent_disk = "loop5");
	struct layer vda = LAYER(.name = "vda", .size = 256ull << 30, .leaf = true);

	(void)state;
	CHECK("loop5, vda (275 GB)", disks, part, loop, vda);
	CHECK("loop5 (file /long/name, 1.07 GB)", disks, loop);
	CHECK("5 disks", disks, loop, loop, loop, loop, vda);
}

static void check_loops(const char *expected, bool expected_many, struct target target, size_t layers,
			struct layer *layer)
{
	bool many;
	char *found;

	target.layer = layer;
	target.layers = layers;
	found = loops_in_words(&target, &many);
	if (expected) {
		assert_non_null(found);
		assert_string_equal(found, expected);
		assert_int_equal(many, expected_many);
	} else {
		assert_null(found);
	}
	free(found);
}

/* Only where both are watched, and the file is on a disk. */
static void loops_that_are_counted_twice(void **state)
{
	static const struct target all = {.kind = TARGET_DISKS, .given = (char *)"all disks"};
	static const struct target named = {.kind = TARGET_DISKS, .given = (char *)"loop5,vda"};
	struct layer layer[] = {
		LAYER(.name = "loop5", .backing_file = "/a"), LAYER(.name = "vda", .leaf = true),
		LAYER(.name = "loop6", .backing_file = "/b"), LAYER(.name = "loop7", .backing_file = "/c"),
		LAYER(.name = "loop8", .backing_file = "/d"), LAYER(.name = "loop9", .backing_file = "/e"),
	};

	(void)state;
	check_loops("loop5", false, all, 2, layer);
	check_loops("loop5, loop6", true, all, 3, layer);
	check_loops("5 loop devices", true, all, 6, layer);
	check_loops(NULL, false, named, 3, layer);
	layer[0].leaf = true; /* its file is on no disk */
	check_loops(NULL, false, all, 2, layer);
}

/* The one that was named is shown, and what it stands on. */
static void a_watched_disk(void **state)
{
	static const struct target loop = {.kind = TARGET_DISKS, .given = (char *)"/dev/loop0"};

	(void)state;
	CHECK("loop0 (file /image) over sda (1 TB)", loop, LAYER(.name = "loop0", .backing_file = (char *)"/image"),
	      LAYER(.name = "sda", .size = TERABYTE, .leaf = true));
}

static void no_device(void **state)
{
	(void)state;
	check("tmpfs without a block device",
	      (struct target){.kind = TARGET_FILE, .filesystem = "tmpfs"}, 0, NULL);
	check("", (struct target){.kind = TARGET_FILE}, 0, NULL);
}

static void check_path(const char *expected, struct target target, size_t layers, struct layer *layer)
{
	char *found;

	target.layer = layer;
	target.layers = layers;
	found = target_with_path_in_words(&target);
	assert_string_equal(found, expected);
	free(found);
}

#define BEHIND "what follows as `device` includes the hypervisor and what it keeps the disk on"

/* Sizes must not be torn apart at the end of a line. */
static void the_way_to_the_medium(void **state)
{
	static const struct target disks = {.kind = TARGET_DISKS, .given = (char *)"all disks"};
	static const struct target drvfs = {.filesystem = (char *)"9p", .access = (char *)"drvfs"};
	struct layer vda = LAYER(.name = "vda", .path = "virtio-blk", .size = 256ull << 30, .leaf = true);
	struct layer part[] = {LAYER(.name = "vda1", .parent_disk = "vda", .size = 1 << 20), vda};
	struct layer native = LAYER(.name = "nvme0n1", .path = "native-nvme", .model = "EVO", .leaf = true);
	struct layer both[] = {vda, native};

	(void)state;
	check_path("ext4 on vda, a virtio disk: " BEHIND "\u00a0· 275\u00a0GB\u00a0disk", ext4, 1, &vda);
	check_path("ext4 on vda1, a virtio disk: " BEHIND "\u00a0· 1.05\u00a0MB\u00a0partition", ext4, 2, part);
	check_path("ext4 on nvme0n1 (EVO)", ext4, 1, &native);
	check_path("vda (275 GB), nvme0n1 (EVO): `device` of vda (a virtio disk) includes the hypervisor and what it "
		   "keeps the disk on",
		   disks, 2, both);
	check_path("9p, a Windows drive that Windows serves over 9p: what follows as `remote` includes the way to "
		   "Windows, its file server, file system and disk",
		   drvfs, 0, NULL);
	check_path("tmpfs without a block device", (struct target){.filesystem = (char *)"tmpfs"}, 0, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_partition),
		cmocka_unit_test(a_disk),
		cmocka_unit_test(a_loop_device),
		cmocka_unit_test(an_array),
		cmocka_unit_test(many_disks),
		cmocka_unit_test(a_btrfs_of_several),
		cmocka_unit_test(watched_disks),
		cmocka_unit_test(watched_loop_devices),
		cmocka_unit_test(loops_that_are_counted_twice),
		cmocka_unit_test(a_watched_disk),
		cmocka_unit_test(no_device),
		cmocka_unit_test(the_way_to_the_medium),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
