// SPDX-License-Identifier: GPL-2.0
#include "findings.h"

#include "command/doctor_disk.h"
#include "host/block.h"

#define NVME	"/sys/devices/pci0000:00/0000:00:1d.0/nvme/nvme0"
#define VIRTIO	"/sys/devices/pci0000:00/0000:00:02.0/virtio1"
#define SCSI	"/sys/devices/pci0000:00/0000:00:17.0/ata1/host0/target0:0:0/0:0:0:0"
#define VIRTUAL "/sys/devices/virtual/block"

static struct diagnosis *diagnosis;
static struct section *section;

/* What is said of `name` as the tree has it now. */
static void examine(const char *name)
{
	struct layer layer;

	diagnosis_free(diagnosis);
	diagnosis = diagnosis_new();
	section = diagnosis_add_section(diagnosis, name);
	block_describe(name, &layer);
	doctor_disk(section, &layer);
	layer_clear(&layer);
	assert_sources(section);
}

static int end(void **state)
{
	diagnosis_free(diagnosis);
	diagnosis = NULL;
	return tree_teardown(state);
}

/* A healthy NVMe disk. */
static void make_nvme(const struct tree *tree)
{
	tree_disk(tree, NVME, "nvme0n1", "259:0", "1000000\n");
	tree_link(tree, NVME "/nvme0n1/device", "../../nvme0");
	tree_write(tree, NVME "/model", "Samsung SSD 980 PRO 1TB\n");
	tree_link(tree, "/sys/devices/pci0000:00/0000:00:1d.0/driver", "../../../bus/pci/drivers/nvme");
	tree_attribute(tree, "nvme0n1", "queue/scheduler", "[none] mq-deadline kyber bfq\n");
	tree_attribute(tree, "nvme0n1", "queue/write_cache", "write back\n");
	tree_attribute(tree, "nvme0n1", "queue/fua", "1\n");
	tree_attribute(tree, "nvme0n1", "queue/rotational", "0\n");
	tree_attribute(tree, "nvme0n1", "queue/nr_requests", "1023\n");
	tree_attribute(tree, "nvme0n1", "queue/iostats", "1\n");
	tree_attribute(tree, "nvme0n1", "queue/logical_block_size", "512\n");
	tree_attribute(tree, "nvme0n1", "queue/physical_block_size", "4096\n");
	tree_attribute(tree, "nvme0n1", "queue/optimal_io_size", "0\n");
	tree_attribute(tree, "nvme0n1", "queue/max_sectors_kb", "512\n");
	tree_attribute(tree, "nvme0n1", "queue/max_hw_sectors_kb", "512\n");
	tree_attribute(tree, "nvme0n1", "queue/discard_max_bytes", "2199023255040\n");
	tree_attribute(tree, "nvme0n1", "mq/0/nr_tags", "1023\n");
	tree_attribute(tree, "nvme0n1", "mq/1/nr_tags", "1023\n");
}

static void assert_nothing_blamed(void)
{
	for (size_t i = 0; i < section->findings; i++)
		if (section->finding[i].problem)
			fail_msg("%s: %s", section->finding[i].name, section->finding[i].problem);
}

/* Its hardware splits what is larger than 512 KiB: no setting changes that, so nothing is said. */
static void nothing_is_wrong(void **state)
{
	make_nvme(*state);
	examine("nvme0n1");
	assert_nothing_blamed();
	assert_plain(section, "nvme0n1 kind", "an NVMe disk, Samsung SSD 980 PRO 1TB, driver nvme");
	assert_plain(section, "nvme0n1 cache", "write back: data is safe once the cache is flushed");
	assert_plain(section, "nvme0n1 FUA", "yes");
	assert_fine(section, "nvme0n1 scheduler", "none");
	assert_plain(section, "nvme0n1 depth", "1023 requests in 2 hardware queues, at most 2046 at the disk at once");
	assert_plain(section, "nvme0n1 request size", "up to 512 KiB; the hardware takes 512 KiB");
	assert_plain(section, "nvme0n1 discard", "up to 2 TiB at once");
	assert_plain(section, "nvme0n1 blocks", "512 bytes, physically 4096");
	assert_plain(section, "nvme0n1 rotational", "no");
	assert_plain(section, "nvme0n1 link", "unknown");
	assert_null(find_finding(section, "nvme0n1 accounting"));
	assert_string_equal(get_finding(section, "nvme0n1 scheduler")->source,
			    "/sys/class/block/nvme0n1/queue/scheduler");
}

static void settings_that_limit(void **state)
{
	make_nvme(*state);
	tree_attribute(*state, "nvme0n1", "queue/scheduler", "none mq-deadline kyber [bfq]\n");
	tree_attribute(*state, "nvme0n1", "queue/nr_requests", "16\n");
	tree_attribute(*state, "nvme0n1", "queue/iostats", "0\n");
	tree_attribute(*state, "nvme0n1", "queue/max_sectors_kb", "64\n");
	examine("nvme0n1");
	assert_blamed(section, "nvme0n1 scheduler", FITNESS_LIMITED, "The scheduler bfq holds I/O back",
		      "echo none | sudo tee /sys/class/block/nvme0n1/queue/scheduler");
	assert_blamed(section, "nvme0n1 depth", FITNESS_LIMITED, "no more than 16",
		      "echo 128 | sudo tee /sys/class/block/nvme0n1/queue/nr_requests");
	assert_blamed(section, "nvme0n1 accounting", FITNESS_LIMITED, "counts no I/O of nvme0n1",
		      "echo 1 | sudo tee /sys/class/block/nvme0n1/queue/iostats");
	assert_blamed(section, "nvme0n1 request size", FITNESS_LIMITED, "split into 16 requests",
		      "echo 512 | sudo tee /sys/class/block/nvme0n1/queue/max_sectors_kb");
}

/* What distributions set by themselves, and what is enough. */
static void settings_that_do_not(void **state)
{
	make_nvme(*state);
	tree_attribute(*state, "nvme0n1", "queue/scheduler", "none [mq-deadline]\n");
	tree_attribute(*state, "nvme0n1", "queue/nr_requests", "32\n");
	tree_attribute(*state, "nvme0n1", "queue/max_sectors_kb", "1280\n");
	tree_attribute(*state, "nvme0n1", "queue/max_hw_sectors_kb", "32767\n");
	tree_attribute(*state, "nvme0n1", "queue/discard_max_bytes", "0\n");
	examine("nvme0n1");
	assert_nothing_blamed();
	assert_plain(section, "nvme0n1 scheduler", "mq-deadline");
	assert_plain(section, "nvme0n1 request size", "up to 1280 KiB; the hardware takes 32767 KiB");
	assert_plain(section, "nvme0n1 discard", "no");
}

/* One tag is all that the disk has: nr_requests is not what limits it. */
static void few_tags_are_the_disk(void **state)
{
	make_nvme(*state);
	tree_attribute(*state, "nvme0n1", "queue/nr_requests", "2\n");
	tree_attribute(*state, "nvme0n1", "mq/0/nr_tags", "1\n");
	tree_attribute(*state, "nvme0n1", "mq/1/nr_tags", "0\n");
	examine("nvme0n1");
	assert_plain(section, "nvme0n1 depth", "2 requests in 2 hardware queues, at most 1 at the disk at once");
}

static void make_virtio(const struct tree *tree, const char *queue, const char *own)
{
	tree_disk(tree, VIRTIO "/block", "vda", "254:0", "1000000\n");
	tree_link(tree, VIRTIO "/driver", "../../../../bus/virtio/drivers/virtio_blk");
	tree_attribute(tree, "vda", "queue/write_cache", queue);
	tree_attribute(tree, "vda", "queue/rotational", "1\n");
	tree_attribute(tree, "vda", "queue/max_sectors_kb", "1280\n");
	tree_attribute(tree, "vda", "queue/max_hw_sectors_kb", "2147483647\n");
	tree_attribute(tree, "vda", "queue/nr_requests", "256\n");
	tree_attribute(tree, "vda", "mq/0/nr_tags", "128\n");
	tree_attribute(tree, "vda", "cache_type", own);
}

static void cache_that_the_hypervisor_has(void **state)
{
	make_virtio(*state, "write through\n", "write through\n");
	examine("vda");
	assert_nothing_blamed();
	assert_plain(section, "vda cache",
		     "write through: no flush is sent; what the hypervisor caches is not visible");
	assert_plain(section, "vda rotational", "yes, as the hypervisor has it");
	assert_plain(section, "vda request size", "up to 1280 KiB");
}

static void cache_that_is_not_flushed(void **state)
{
	make_virtio(*state, "write through\n", "write back\n");
	examine("vda");
	assert_blamed(section, "vda cache", FITNESS_LIMITED, "vda has a volatile cache",
		      "echo write back | sudo tee /sys/class/block/vda/queue/write_cache");
}

static void make_scsi(const struct tree *tree, const char *own)
{
	tree_disk(tree, SCSI "/block", "sda", "8:0", "1000000\n");
	tree_link(tree, SCSI "/block/sda/device", "../../../0:0:0:0");
	tree_write(tree, SCSI "/vendor", "ATA     \n");
	tree_write(tree, SCSI "/scsi_disk/0:0:0:0/cache_type", own);
	tree_attribute(tree, "sda", "queue/write_cache", "write through\n");
}

static void cache_of_scsi(void **state)
{
	make_scsi(*state, "write back\n");
	examine("sda");
	assert_blamed(section, "sda cache", FITNESS_LIMITED, "sda has a volatile cache",
		      "echo write back | sudo tee /sys/class/block/sda/queue/write_cache");
	tree_write(*state, SCSI "/scsi_disk/0:0:0:0/cache_type", "write through\n");
	examine("sda");
	assert_plain(section, "sda cache", "write through: no flush is sent, and none is needed");
}

static void start_of_a_partition(void **state)
{
	make_nvme(*state);
	tree_partition(*state, NVME, "nvme0n1", "nvme0n1p1", "259:1", "1\n", "8\n");
	tree_attribute(*state, "nvme0n1p1", "start", "2048\n");
	examine("nvme0n1p1");
	assert_int_equal(section->findings, 1);
	assert_fine(section, "nvme0n1p1 start", "at byte 1048576");

	tree_attribute(*state, "nvme0n1p1", "start", "63\n");
	tree_attribute(*state, "nvme0n1p1", "alignment_offset", "512\n");
	examine("nvme0n1p1");
	assert_blamed(section, "nvme0n1p1 start", FITNESS_LIMITED, "physical block of 4096 bytes",
		      "make the partition anew, at a multiple of 1 MiB");
	/* a disk whose physical blocks begin there */
	tree_attribute(*state, "nvme0n1p1", "alignment_offset", "0\n");
	examine("nvme0n1p1");
	assert_fine(section, "nvme0n1p1 start", "at byte 32256");

	tree_attribute(*state, "nvme0n1p1", "start", "2048\n");
	tree_attribute(*state, "nvme0n1", "queue/optimal_io_size", "1572864\n");
	examine("nvme0n1p1");
	assert_fine(section, "nvme0n1p1 start", "at byte 1048576, not at a multiple of the disk's optimal I/O size");
	tree_attribute(*state, "nvme0n1", "queue/optimal_io_size", "33553920\n");
	examine("nvme0n1p1");
	assert_fine(section, "nvme0n1p1 start", "at byte 1048576");
}

static void memory_is_no_disk(void **state)
{
	tree_disk(*state, VIRTUAL, "zram0", "253:0", "1000\n");
	tree_write(*state, "/proc/devices", "Block devices:\n253 zram\n");
	examine("zram0");
	assert_plain(section, "zram0 kind", "compressed memory (zram), driver zram");
	assert_blamed(section, "zram0 medium", FITNESS_UNFIT, "zram0 is compressed memory (zram)",
		      "name a directory or a device on a disk");
	assert_null(find_finding(section, "zram0 depth"));
}

static void loop_through_the_page_cache(void **state)
{
	tree_disk(*state, VIRTUAL, "loop0", "7:0", "1000\n");
	tree_attribute(*state, "loop0", "loop/backing_file", "/no/such file\n");
	tree_attribute(*state, "loop0", "loop/dio", "0\n");
	examine("loop0");
	assert_plain(section, "loop0 file", "/no/such file");
	assert_blamed(section, "loop0 direct I/O", FITNESS_LIMITED, "page cache of loop0's file",
		      "sudo losetup --direct-io=on /dev/loop0");
	tree_attribute(*state, "loop0", "loop/dio", "1\n");
	examine("loop0");
	assert_fine(section, "loop0 direct I/O", "yes");
}

static void arrays(void **state)
{
	tree_disk(*state, VIRTUAL, "md0", "9:0", "1000\n");
	tree_attribute(*state, "md0", "md/sync_action", "idle\n");
	tree_attribute(*state, "md0", "md/degraded", "0\n");
	examine("md0");
	assert_nothing_blamed();
	assert_fine(section, "md0 sync", "idle");
	tree_attribute(*state, "md0", "md/sync_action", "resync\n");
	tree_attribute(*state, "md0", "md/degraded", "1\n");
	examine("md0");
	assert_blamed(section, "md0 sync", FITNESS_LIMITED, "busy with itself (resync)",
		      "wait until it is done: sudo mdadm --wait /dev/md0");
	assert_blamed(section, "md0 missing", FITNESS_LIMITED, "lacks a disk", "see sudo mdadm --detail /dev/md0");
}

/* A disk that shows nothing but itself: nothing is made up for it. */
static void what_is_not_there_is_not_said(void **state)
{
	tree_disk(*state, "/sys/devices/platform/foo", "foo0", "250:0", "1000\n");
	examine("foo0");
	assert_int_equal(section->findings, 1);
	assert_plain(section, "foo0 kind", "a kind of disk that is not known here");
}

/* As these machines come: with a cache that needs flushes, mq-deadline or none, requests of any size. */
static void recorded_machines_are_fine(void **state)
{
	static const char *const machines[] = {
		"azure",
		"bare-metal",
		"container",
		"docker-on-wsl2",
		"ec2",
		"firecracker",
		"hyperv-vm",
		"kvm",
		"wsl2-5.15-vhdx",
		"wsl2-6.18-virtiofs",
		"wsl2-6.6-passthrough",
	};

	for (size_t i = 0; i < ARRAY_SIZE(machines); i++) {
		char **names;

		tree_teardown(state);
		tree_setup(state);
		tree_load(*state, machines[i]);
		names = host_list("/sys/class/block");
		assert_non_null(names);
		for (char **name = names; *name; name++) {
			examine(*name);
			assert_nothing_blamed();
			assert_true(section->findings > 0);
		}
		strings_free(names);
	}
}

#define TEST(test) cmocka_unit_test_setup_teardown(test, tree_setup, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(nothing_is_wrong),
		TEST(settings_that_limit),
		TEST(settings_that_do_not),
		TEST(few_tags_are_the_disk),
		TEST(cache_that_the_hypervisor_has),
		TEST(cache_that_is_not_flushed),
		TEST(cache_of_scsi),
		TEST(start_of_a_partition),
		TEST(memory_is_no_disk),
		TEST(loop_through_the_page_cache),
		TEST(arrays),
		TEST(what_is_not_there_is_not_said),
		TEST(recorded_machines_are_fine),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
