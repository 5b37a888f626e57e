// SPDX-License-Identifier: GPL-2.0
#include "result/path.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/text.h"

#define DISK(...) ((struct layer){__VA_ARGS__, .leaf = true})

static const struct target ext4 = {.kind = TARGET_DIRECTORY, .filesystem = (char *)"ext4"};
static const struct target device = {.kind = TARGET_DEVICE};
static const struct target watched = {.kind = TARGET_DISKS, .given = (char *)"all disks"};

static void check(const char *expected, struct target target, size_t layers, struct layer *layer)
{
	char *found;

	target.layer = layer;
	target.layers = layers;
	found = path_in_words(&target);
	if (!expected) {
		assert_null(found);
		return;
	}
	assert_non_null(found);
	assert_string_equal(found, expected);
	free(found);
}

#define CHECK(expected, target, ...)                                                                                   \
	check(expected, target, ARRAY_SIZE(((struct layer[]){__VA_ARGS__})), (struct layer[]){__VA_ARGS__})

static void kinds_are_whole(void **state)
{
	const struct path_kind *kind;

	(void)state;
	for (size_t i = 0; (kind = path_kind_at(i)); i++) {
		assert_ptr_equal(path_kind(kind->key), kind); /* no other has its key */
		assert_non_null(kind->words);
		/* what is reached over a network, or made up by a hypervisor, includes that */
		assert_true(kind->includes || !(kind->network || kind->remote || kind->hosted));
		assert_false(kind->remote && kind->network);
	}
	assert_null(path_kind(NULL));
	assert_null(path_kind("no such kind"));
	assert_true(path_kind("ebs")->network && path_kind("gce-pd")->network && path_kind("hyperv-nvme")->network);
	assert_false(path_kind("vhdx")->network || path_kind("ec2-instance-store")->network);
	assert_true(path_kind("drvfs")->remote && path_kind("virtiofs")->remote && !path_kind("nfs")->remote);
}

static void a_vhdx(void **state)
{
	(void)state;
	CHECK("ext4 on sdc, a VHDX on Hyper-V's storvsc: what follows as `device` includes Windows' file system and "
	      "disk",
	      ext4, DISK(.name = "sdc", .path = "vhdx"));
	CHECK("ext4 on sdc1, a VHDX on Hyper-V's storvsc: what follows as `device` includes Windows' file system and "
	      "disk",
	      ext4, {.name = "sdc1", .parent_disk = "sdc"}, DISK(.name = "sdc", .path = "vhdx"));
	CHECK("block device sdc, a VHDX on Hyper-V's storvsc: what follows as `device` includes Windows' file system "
	      "and "
	      "disk",
	      device, DISK(.name = "sdc", .path = "vhdx"));
}

/* There is nothing that `device` includes and a reader would not expect. */
static void disks_of_this_machine(void **state)
{
	(void)state;
	CHECK(NULL, ext4, DISK(.name = "nvme0n1", .path = "native-nvme"));
	CHECK(NULL, ext4, DISK(.name = "foo0"));
	CHECK(NULL, ext4, DISK(.name = "foo0", .path = "a kind of tomorrow"));
	CHECK(NULL, ext4, {.name = "md0", .path = "md"}, DISK(.name = "sda", .path = "native-ata"),
	      DISK(.name = "sdb"));
	CHECK(NULL, ext4, DISK(.name = "zram0", .path = "zram"));
	check(NULL, ext4, 0, NULL);
}

static void stacks(void **state)
{
	struct layer virtual = DISK(.name = "vda", .path = "virtio-blk"),
		     other = DISK(.name = "vdb", .path = "virtio-blk");
	struct layer native = DISK(.name = "nvme0n1", .path = "native-nvme");
	struct layer ebs = DISK(.name = "nvme1n1", .path = "ebs");

	(void)state;
	CHECK("ext4 on md0 over vda, vdb, each a virtio disk: what follows as `device` includes the hypervisor and "
	      "what "
	      "it keeps the disk on",
	      ext4, {.name = "md0", .path = "md"}, virtual, other);
	CHECK("ext4 on loop0 (file /a b) over vda, a virtio disk: what follows as `device` includes the hypervisor and "
	      "what it keeps the disk on",
	      ext4, {.name = "loop0", .backing_file = "/a b"}, virtual);
	CHECK("ext4 on md0 over nvme0n1, vda: `device` of vda (a virtio disk) includes the hypervisor and what it "
	      "keeps "
	      "the disk on",
	      ext4, {.name = "md0"}, native, virtual);
	CHECK("ext4 on md0 over vda, nvme1n1, vdb: `device` of vda, vdb (a virtio disk) includes the hypervisor and "
	      "what "
	      "it keeps the disk on; `device` of nvme1n1 (an Amazon EBS volume behind NVMe) includes the network and "
	      "Amazon's storage",
	      ext4, {.name = "md0"}, virtual, ebs, other);
	CHECK("ext4 on md0 over 5 disks, each a virtio disk: what follows as `device` includes the hypervisor and what "
	      "it keeps the disk on",
	      ext4, {.name = "md0"}, virtual, virtual, virtual, virtual, virtual);
}

static void a_btrfs_of_several(void **state)
{
	static const struct target btrfs = {.kind = TARGET_DIRECTORY, .filesystem = (char *)"btrfs", .members = 2};
	struct layer sdc = DISK(.name = "sdc", .path = "vhdx"), sdd = DISK(.name = "sdd", .path = "vhdx");

	(void)state;
	CHECK("btrfs on sdc, sdd, each a VHDX on Hyper-V's storvsc: what follows as `device` includes Windows' file "
	      "system and disk",
	      btrfs, sdc, sdd);
	CHECK("btrfs on sdc1, sdd, each a VHDX on Hyper-V's storvsc: what follows as `device` includes Windows' file "
	      "system and disk",
	      btrfs, {.name = "sdc1", .parent_disk = "sdc"}, sdd, sdc);
	CHECK("btrfs on loop0, loop1 over sdc, a VHDX on Hyper-V's storvsc: what follows as `device` includes Windows' "
	      "file system and disk",
	      btrfs, {.name = "loop0", .backing_file = "/a"}, {.name = "loop1", .backing_file = "/b"}, sdc);
}

static void watched_disks(void **state)
{
	static const struct target one = {.kind = TARGET_DISKS, .given = (char *)"/dev/vda"};
	struct layer vda = DISK(.name = "vda", .path = "virtio-blk");

	(void)state;
	CHECK("`device` of vda (a virtio disk) includes the hypervisor and what it keeps the disk on", watched,
	      DISK(.name = "zram0", .path = "zram"), vda);
	CHECK("vda, a virtio disk: what follows as `device` includes the hypervisor and what it keeps the disk on", one,
	      vda);
	CHECK(NULL, watched, DISK(.name = "zram0", .path = "zram"));
}

static void check_access(const char *expected, const char *filesystem, const char *access)
{
	check(expected,
	      (struct target){.kind = TARGET_FILE, .filesystem = (char *)filesystem, .access = (char *)access}, 0,
	      NULL);
}

static void without_a_block_device(void **state)
{
	(void)state;
	check_access("9p, a Windows drive that Windows serves over 9p: what follows as `remote` includes the way to "
		     "Windows, its file server, file system and disk",
		     "9p", "drvfs");
	check_access("nfs4, a folder of a server over NFS: what is measured includes the network, the server, its file "
		     "system and disk",
		     "nfs4", "nfs");
	check_access(NULL, "tmpfs", "memory");
	check_access(NULL, "overlay", "overlay");
	check_access(NULL, "foo", NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(kinds_are_whole),	  cmocka_unit_test(a_vhdx),
		cmocka_unit_test(disks_of_this_machine),  cmocka_unit_test(stacks),
		cmocka_unit_test(a_btrfs_of_several),	  cmocka_unit_test(watched_disks),
		cmocka_unit_test(without_a_block_device),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
