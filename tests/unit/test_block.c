// SPDX-License-Identifier: GPL-2.0
#include "tree.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/statvfs.h>
#include <sys/sysmacros.h>

#include "host/block.h"

#define PCI	"/sys/devices/pci0000:00/0000:00:1d.0/0000:03:00.0/nvme/nvme0"
#define SATA	"/sys/devices/pci0000:00/0000:00:17.0/ata1/host0/target0:0:0/0:0:0:0/block"
#define VIRTUAL "/sys/devices/virtual/block"

static void clear_layers(struct layer *layers, size_t count)
{
	size_t i;

	for (i = 0; i < count; i++)
		layer_clear(&layers[i]);
	free(layers);
}

/* The names of the stack below a device, in order, divided by blanks. */
static char *stack_names(unsigned major, unsigned minor)
{
	struct text names = {0};
	struct layer *layers;
	size_t count, i;

	assert_int_equal(block_stack(makedev(major, minor), &layers, &count), 0);
	for (i = 0; i < count; i++)
		text_addf(&names, "%s%s%s", i ? " " : "", layers[i].name, layers[i].leaf ? "!" : "");
	clear_layers(layers, count);
	return text_take(&names);
}

static void assert_stack(unsigned major, unsigned minor, const char *expected)
{
	char *names = stack_names(major, minor);

	assert_string_equal(names, expected);
	free(names);
}

/* Two controllers of one subsystem: the head has no slaves, its paths are hidden and have no number. */
static void nvme_multipath(void **state)
{
	const struct tree *tree = *state;

	tree_disk(tree, PCI, "nvme0n1", "259:0", "1953525168\n");
	tree_disk(tree, PCI, "nvme1n1", "259:3", "1953525168\n");
	tree_disk(tree, PCI, "nvme0c0n1", "259:9", "1953525168\n");
	tree_disk(tree, PCI, "nvme0c1n1", "259:10", "1953525168\n");
	tree_disk(tree, PCI, "nvme0c0n2", "259:11", "1953525168\n");
	assert_stack(259, 0, "nvme0n1 nvme0c0n1! nvme0c1n1!");
	assert_stack(259, 3, "nvme1n1!");
	assert_true(block_is_path_of("nvme0c1n1", "nvme0n1"));
	assert_false(block_is_path_of("nvme0c1n1", "nvme1n1"));
	assert_false(block_is_path_of("nvme0c1n1p1", "nvme0n1"));
	assert_false(block_is_path_of("nvme0n1", "nvme0n1"));
}

static void nvme_disk_and_its_partitions(void **state)
{
	const struct tree *tree = *state;
	struct layer layer;
	char *disk;

	tree_disk(tree, PCI, "nvme0n1", "259:0", "1953525168\n");
	tree_partition(tree, PCI, "nvme0n1", "nvme0n1p1", "259:1", "1\n", "2048\n");
	tree_partition(tree, PCI, "nvme0n1", "nvme0n1p2", "259:2", "2\n", "1000\n");
	tree_attribute(tree, "nvme0n1", "device/model", "Samsung SSD 980 PRO 1TB                 \n");
	tree_attribute(tree, "nvme0n1", "device/serial", "S5GXNX0T000000      \n");
	tree_attribute(tree, "nvme0n1", "queue/scheduler", "none [mq-deadline] kyber\n");
	tree_attribute(tree, "nvme0n1", "queue/write_cache", "write back\n");
	tree_attribute(tree, "nvme0n1", "queue/fua", "1\n");
	tree_attribute(tree, "nvme0n1", "queue/rotational", "0\n");
	tree_attribute(tree, "nvme0n1", "queue/logical_block_size", "512\n");
	tree_attribute(tree, "nvme0n1", "queue/physical_block_size", "4096\n");
	tree_attribute(tree, "nvme0n1", "queue/max_sectors_kb", "1280\n");
	tree_attribute(tree, "nvme0n1", "queue/nr_requests", "1023\n");
	tree_attribute(tree, "nvme0n1", "mq/0/nr_tags", "1023\n");

	disk = block_disk("nvme0n1p2");
	assert_string_equal(disk, "nvme0n1");
	free(disk);
	disk = block_disk("nvme0n1");
	assert_string_equal(disk, "nvme0n1");
	free(disk);

	block_describe("nvme0n1p2", &layer);
	assert_string_equal(layer.name, "nvme0n1p2");
	assert_string_equal(layer.parent_disk, "nvme0n1");
	assert_string_equal(layer.model, "Samsung SSD 980 PRO 1TB");
	assert_string_equal(layer.serial, "S5GXNX0T000000");
	assert_string_equal(layer.scheduler, "mq-deadline");
	assert_string_equal(layer.write_cache, "write back");
	assert_null(layer.backing_file);
	assert_true(layer.has_requests && layer.fua && !layer.rotational && !layer.leaf);
	assert_int_equal(layer.size, 512000);
	assert_int_equal(layer.logical_block, 512);
	assert_int_equal(layer.physical_block, 4096);
	assert_int_equal(layer.max_request_bytes, 1310720);
	assert_int_equal(layer.queue_requests, 1023);
	layer_clear(&layer);
	assert_null(layer.name);

	block_describe("nvme0n1", &layer);
	assert_int_equal(layer.size, 1000204886016);
	assert_null(layer.parent_disk);
	layer_clear(&layer);

	assert_stack(259, 2, "nvme0n1p2 nvme0n1!");
	assert_stack(259, 0, "nvme0n1!");
}

static void make_sata_disk(const struct tree *tree, const char *name, const char *number)
{
	char *directory = xasprintf("/sys/devices/pci0000:00/ata-%s/block", name);

	tree_disk(tree, directory, name, number, "1000215216\n");
	tree_attribute(tree, name, "device/vendor", "ATA     \n");
	tree_attribute(tree, name, "device/model", "WDC WDS500G1R0A \n");
	tree_attribute(tree, name, "mq/0/nr_tags", "32\n");
	free(directory);
}

static void raid0_over_two_sata_partitions(void **state)
{
	const struct tree *tree = *state;
	struct layer layer;

	make_sata_disk(tree, "sda", "8:0");
	make_sata_disk(tree, "sdb", "8:16");
	tree_partition(tree, "/sys/devices/pci0000:00/ata-sda/block", "sda", "sda1", "8:1", "1\n", "999\n");
	tree_partition(tree, "/sys/devices/pci0000:00/ata-sdb/block", "sdb", "sdb1", "8:17", "1\n", "999\n");
	tree_disk(tree, VIRTUAL, "md0", "9:0", "2000000000\n");
	tree_attribute(tree, "md0", "queue/nr_requests", "128\n");
	tree_attribute(tree, "md0", "queue/scheduler", "none\n");
	tree_partition(tree, VIRTUAL, "md0", "md0p1", "259:0", "1\n", "1000000\n");
	tree_stack(tree, "md0", "sda1");
	tree_stack(tree, "md0", "sdb1");

	assert_stack(9, 0, "md0 sda1 sdb1 sda! sdb!");
	assert_stack(259, 0, "md0p1 md0 sda1 sdb1 sda! sdb!");
	block_describe("md0", &layer);
	assert_false(layer.has_requests || layer.leaf);
	assert_int_equal(layer.queue_requests, 0);
	assert_string_equal(layer.scheduler, "none");
	assert_null(layer.model);
	layer_clear(&layer);
	block_describe("sdb", &layer);
	assert_string_equal(layer.model, "WDC WDS500G1R0A");
	assert_true(layer.has_requests);
	layer_clear(&layer);
}

static void each_device_stands_in_the_stack_once(void **state)
{
	const struct tree *tree = *state;

	make_sata_disk(tree, "sda", "8:0");
	tree_partition(tree, "/sys/devices/pci0000:00/ata-sda/block", "sda", "sda1", "8:1", "1\n", "999\n");
	tree_partition(tree, "/sys/devices/pci0000:00/ata-sda/block", "sda", "sda2", "8:2", "2\n", "999\n");
	tree_disk(tree, VIRTUAL, "dm-0", "254:0", "1998\n");
	tree_stack(tree, "dm-0", "sda1");
	tree_stack(tree, "dm-0", "sda2");
	assert_stack(254, 0, "dm-0 sda1 sda2 sda!");
}

static void crypt_over_a_partition(void **state)
{
	const struct tree *tree = *state;
	struct layer *layers;
	size_t count;

	tree_disk(tree, PCI, "nvme0n1", "259:0", "1953525168\n");
	tree_partition(tree, PCI, "nvme0n1", "nvme0n1p3", "259:3", "3\n", "1000\n");
	tree_disk(tree, VIRTUAL, "dm-0", "254:0", "968\n");
	tree_attribute(tree, "dm-0", "dm/uuid", "CRYPT-LUKS2-00112233445566778899aabbccddeeff-cryptroot\n");
	tree_stack(tree, "dm-0", "nvme0n1p3");

	assert_stack(254, 0, "dm-0 nvme0n1p3 nvme0n1!");
	assert_int_equal(block_stack(makedev(254, 0), &layers, &count), 0);
	assert_null(block_thin_backing(layers, count));
	clear_layers(layers, count);
}

static void thin_volume_is_told_by_its_pool(void **state)
{
	const struct tree *tree = *state;
	struct layer *layers;
	size_t count;

	make_sata_disk(tree, "sda", "8:0");
	tree_disk(tree, VIRTUAL, "dm-1", "254:1", "100000\n");
	tree_disk(tree, VIRTUAL, "dm-2", "254:2", "100000\n");
	tree_disk(tree, VIRTUAL, "dm-3", "254:3", "100000\n");
	tree_disk(tree, VIRTUAL, "dm-4", "254:4", "900000\n");
	tree_attribute(tree, "dm-1", "dm/uuid", "LVM-aUCEsKZ3B5kMIQPGPSaYtDjsDSDVEJzGa-tmeta\n");
	tree_attribute(tree, "dm-2", "dm/uuid", "LVM-aUCEsKZ3B5kMIQPGPSaYtDjsDSDVEJzGb-tdata\n");
	tree_attribute(tree, "dm-3", "dm/uuid", "LVM-aUCEsKZ3B5kMIQPGPSaYtDjsDSDVEJzGc-tpool\n");
	tree_attribute(tree, "dm-4", "dm/uuid", "LVM-aUCEsKZ3B5kMIQPGPSaYtDjsDSDVEJzGd\n");
	tree_stack(tree, "dm-1", "sda");
	tree_stack(tree, "dm-2", "sda");
	tree_stack(tree, "dm-3", "dm-1");
	tree_stack(tree, "dm-3", "dm-2");
	tree_stack(tree, "dm-4", "dm-3");

	assert_stack(254, 4, "dm-4 dm-3 dm-1 dm-2 sda!");
	assert_int_equal(block_stack(makedev(254, 4), &layers, &count), 0);
	assert_non_null(strstr(block_thin_backing(layers, count), "thin LVM"));
	assert_null(block_thin_backing(layers, 1)); /* the volume's own uuid says nothing */
	clear_layers(layers, count);
}

static void zram_is_without_requests(void **state)
{
	struct layer layer;

	tree_disk(*state, VIRTUAL, "zram0", "253:0", "8388608\n");
	tree_attribute(*state, "zram0", "queue/write_cache", "write through\n");
	block_describe("zram0", &layer);
	assert_true(layer.leaf && !layer.has_requests && !layer.fua);
	assert_string_equal(layer.write_cache, "write through");
	assert_null(layer.scheduler);
	assert_int_equal(layer.size, 4294967296);
	layer_clear(&layer);
}

static void make_wsl_disk(const struct tree *tree)
{
	tree_write(tree, "/proc/sys/kernel/osrelease", "5.15.167.4-microsoft-standard-WSL2\n");
	tree_disk(tree, "/sys/devices/LNXSYSTM:00/ACPI0004:00/VMBUS:00/host0/target0:0:0/0:0:0:2/block", "sda", "8:0",
		  "2147483648\n");
	tree_attribute(tree, "sda", "device/vendor", "Msft    \n");
	tree_attribute(tree, "sda", "device/model", "Virtual Disk    \n");
	tree_attribute(tree, "sda", "mq/0/nr_tags", "64\n");
	tree_attribute(tree, "sda", "queue/scheduler", "[none] \n");
}

static void wsl_disk_is_a_vhdx(void **state)
{
	struct layer layer;

	make_wsl_disk(*state);
	block_describe("sda", &layer);
	assert_string_equal(layer.model, "Msft Virtual Disk");
	assert_string_equal(layer.scheduler, "none");
	assert_null(layer.serial);
	assert_non_null(strstr(block_thin_backing(&layer, 1), "VHDX"));
	layer_clear(&layer);
}

static void disk_passed_through_to_wsl_is_none(void **state)
{
	struct layer layer;

	make_wsl_disk(*state);
	tree_attribute(*state, "sda", "device/vendor", "NVMe    \n");
	tree_attribute(*state, "sda", "device/model", "WDC PC SN530 SDB\n");
	block_describe("sda", &layer);
	assert_null(block_thin_backing(&layer, 1));
	layer_clear(&layer);
}

static void hyperv_elsewhere_is_not_called_wsl(void **state)
{
	struct layer layer;

	make_wsl_disk(*state);
	tree_write(*state, "/proc/sys/kernel/osrelease", "6.1.0-28-cloud-amd64\n");
	block_describe("sda", &layer);
	assert_null(block_thin_backing(&layer, 1));
	layer_clear(&layer);
}

static void what_is_not_there_is_said(void **state)
{
	struct block_stat stat;
	struct layer layer, *layers = NULL;
	dev_t device = 77;
	size_t count = 77;

	(void)state;
	assert_null(block_name(makedev(8, 0)));
	assert_int_equal(block_number("sda", &device), -ENODEV);
	assert_int_equal(device, 77);
	assert_int_equal(block_stack(makedev(0, 42), &layers, &count), -ENODEV);
	assert_null(layers);
	assert_int_equal(count, 77);
	assert_int_equal(block_read_stat("sda", &stat), -ENODEV);
	block_describe("sda", &layer);
	assert_string_equal(layer.name, "sda");
	assert_int_equal(layer.size, 0);
	layer_clear(&layer);
}

static void make_chain(const struct tree *tree, unsigned devices)
{
	char *upper = NULL, *name, *number;
	unsigned i;

	for (i = 0; i < devices; i++) {
		name = xasprintf("dm-%u", i);
		number = xasprintf("254:%u", i);
		tree_disk(tree, VIRTUAL, name, number, "8\n");
		if (upper)
			tree_stack(tree, upper, name);
		free(upper), free(number);
		upper = name;
	}
	free(upper);
}

static void stack_of_64_is_the_highest(void **state)
{
	struct layer *layers;
	size_t count;

	make_chain(*state, 65);
	assert_int_equal(block_stack(makedev(254, 0), &layers, &count), -E2BIG);
	assert_int_equal(block_stack(makedev(254, 1), &layers, &count), 0);
	assert_int_equal(count, 64);
	clear_layers(layers, count);
}

/* --- all disks, and several stacks --- */

/* The names in order, divided by blanks. Frees the layers. */
static void assert_layers(struct layer *layers, size_t count, const char *expected)
{
	struct text names = {0};
	char *list;
	size_t i;

	for (i = 0; i < count; i++)
		text_addf(&names, "%s%s", i ? " " : "", layers[i].name);
	clear_layers(layers, count);
	list = text_take(&names);
	assert_string_equal(list, expected);
	free(list);
}

static void assert_disks(bool images, const char *expected)
{
	struct layer *layers;
	size_t count;

	block_disks(images, &layers, &count);
	assert_layers(layers, count, expected);
}

static void disks_that_hold_something(void **state)
{
	const struct tree *tree = *state;

	make_sata_disk(tree, "sda", "8:0");
	make_sata_disk(tree, "sdb", "8:16");
	tree_partition(tree, "/sys/devices/pci0000:00/ata-sda/block", "sda", "sda1", "8:1", "1\n", "999\n");
	tree_disk(tree, VIRTUAL, "md0", "9:0", "2000000000\n");
	tree_stack(tree, "md0", "sda1");
	tree_disk(tree, VIRTUAL, "loop0", "7:0", "0\n");
	tree_disk(tree, VIRTUAL, "loop1", "7:1", "2048\n");
	tree_attribute(tree, "loop1", "loop/backing_file", "/image\n");
	tree_attribute(tree, "loop1", "ro", "0\n");
	tree_disk(tree, VIRTUAL, "loop2", "7:2", "2048\n");
	tree_attribute(tree, "loop2", "loop/backing_file", "/snap\n");
	tree_attribute(tree, "loop2", "ro", "1\n");
	tree_disk(tree, VIRTUAL, "ram0", "1:0", "0\n");
	/* As the hidden path of a multipath disk: there, but without a number. */
	tree_write(tree, "/sys/block/nvme0c0n1/size", "2048\n");
	assert_disks(true, "loop1 loop2 md0 sda sdb sda1");
	assert_disks(false, "loop1 md0 sda sdb sda1");
}

static void no_disks_without_sysfs(void **state)
{
	(void)state;
	assert_disks(true, "");
}

static void more_disks_than_a_stack_has(void **state)
{
	struct layer *layers;
	size_t count;

	make_chain(*state, 65);
	block_disks(true, &layers, &count);
	assert_int_equal(count, 65);
	clear_layers(layers, count);
}

static void stacks_that_share_a_disk(void **state)
{
	const struct tree *tree = *state;
	const dev_t both[] = {makedev(9, 1), makedev(9, 0)}, missing[] = {makedev(9, 0), makedev(9, 9)};
	struct layer *layers;
	size_t count;

	make_sata_disk(tree, "sda", "8:0");
	make_sata_disk(tree, "sdb", "8:16");
	tree_disk(tree, VIRTUAL, "md0", "9:0", "2000\n");
	tree_disk(tree, VIRTUAL, "md1", "9:1", "2000\n");
	tree_stack(tree, "md0", "sda");
	tree_stack(tree, "md0", "sdb");
	tree_stack(tree, "md1", "sda");
	assert_int_equal(block_stacks(both, 2, &layers, &count), 0);
	assert_layers(layers, count, "md1 md0 sda sdb");
	assert_int_equal(block_stacks(missing, 2, &layers, &count), -ENODEV);
}

static void partitions_by_name(void **state)
{
	const struct tree *tree = *state;
	char **partition;

	tree_disk(tree, PCI, "nvme0n1", "259:0", "1953525168\n");
	tree_partition(tree, PCI, "nvme0n1", "nvme0n1p2", "259:2", "2\n", "1000\n");
	tree_partition(tree, PCI, "nvme0n1", "nvme0n1p1", "259:1", "1\n", "2048\n");
	partition = block_partitions("nvme0n1");
	assert_string_equal(partition[0], "nvme0n1p1");
	assert_string_equal(partition[1], "nvme0n1p2");
	assert_null(partition[2]);
	strings_free(partition);
	partition = block_partitions("nvme0n1p1");
	assert_null(partition[0]);
	strings_free(partition);
	assert_null(block_partitions("sdz"));
}

/* The line of a 6.x kernel, every column different. */
static void counts_by_their_columns(void **state)
{
	struct block_stat stat = {0};

	tree_disk(*state, VIRTUAL, "sda", "8:0", "8\n");
	tree_attribute(
		*state, "sda", "stat",
		"   29857     7525  2650370    10950     7167     6039   608720     2868        3     7628    15263"
		"     5411       70   151608     1076     1084      369\n");
	assert_int_equal(block_read_stat("sda", &stat), 0);
	assert_int_equal(stat.group[STAT_READ].ios, 29857);
	assert_int_equal(stat.group[STAT_READ].sectors, 2650370);
	assert_int_equal(stat.group[STAT_READ].time, 10950000000);
	assert_int_equal(stat.group[STAT_WRITE].ios, 7167);
	assert_int_equal(stat.group[STAT_WRITE].sectors, 608720);
	assert_int_equal(stat.group[STAT_WRITE].time, 2868000000);
	assert_int_equal(stat.group[STAT_DISCARD].ios, 5411);
	assert_int_equal(stat.group[STAT_DISCARD].sectors, 151608);
	assert_int_equal(stat.group[STAT_DISCARD].time, 1076000000);
	assert_int_equal(stat.group[STAT_FLUSH].ios, 1084);
	assert_int_equal(stat.group[STAT_FLUSH].sectors, 0);
	assert_int_equal(stat.group[STAT_FLUSH].time, 369000000);
	assert_int_equal(stat.in_flight, 3);
	assert_int_equal(stat.busy, 7628000000);
}

static void counts_of_older_kernels_are_fewer(void **state)
{
	struct block_stat stat = {.busy = 5};

	tree_disk(*state, VIRTUAL, "sda", "8:0", "8\n");
	tree_attribute(*state, "sda", "stat", "1 2 3 4 5 6 7 8 9 10\n");
	assert_int_equal(block_read_stat("sda", &stat), -EINVAL);
	assert_int_equal(stat.busy, 5);
	tree_attribute(*state, "sda", "stat", "1 2 3 4 5 6 7 8 9 10 11\n");
	assert_int_equal(block_read_stat("sda", &stat), 0);
	assert_int_equal(stat.group[STAT_WRITE].ios, 5);
	assert_int_equal(stat.group[STAT_DISCARD].ios, 0);
	assert_int_equal(stat.group[STAT_FLUSH].ios, 0);
}

static void differences_survive_the_overflow(void **state)
{
	struct block_stat before = {.busy = 4294967295000000, .group[STAT_READ] = {10, 80, 4294967290000000}};
	struct block_stat after = {.busy = 4000000, .in_flight = 2, .group[STAT_READ] = {15, 120, 10000000}};
	struct block_stat delta = block_stat_between(&before, &after);

	(void)state;
	assert_int_equal(delta.busy, 5000000); /* 4,294,967,295 ms to 4,294,967,300 ms */
	assert_int_equal(delta.in_flight, 2);
	assert_int_equal(delta.group[STAT_READ].ios, 5);
	assert_int_equal(delta.group[STAT_READ].sectors, 40);
	assert_int_equal(delta.group[STAT_READ].time, 16000000);
	assert_int_equal(delta.group[STAT_WRITE].time, 0);
}

/* --- loop devices --- */

/* A file of `size` bytes without any block, beside the tree's /sys. */
static char *make_sparse_file(const struct tree *tree, const char *name, off_t size)
{
	char *path = tree_path(tree, name);

	tree_write(tree, name, "");
	assert_int_equal(truncate(path, size), 0);
	return path;
}

static void make_loop(const struct tree *tree, const char *name, const char *number, const char *file)
{
	char *line = xasprintf("%s\n", file);

	tree_disk(tree, VIRTUAL, name, number, "2048\n");
	tree_attribute(tree, name, "loop/backing_file", line);
	tree_attribute(tree, name, "mq/0/nr_tags", "128\n");
	free(line);
}

static uint64_t room_of(const char *path)
{
	struct statvfs filesystem;

	assert_int_equal(statvfs(path, &filesystem), 0);
	return (uint64_t)filesystem.f_bavail * filesystem.f_frsize;
}

/* Others write to the same file system meanwhile. */
static void assert_room_near(uint64_t room, uint64_t expected)
{
	assert_in_range(room, expected - expected / 10, expected + expected / 10);
}

static void loop_shows_its_file(void **state)
{
	struct layer layer;

	make_loop(*state, "loop0", "7:0", "/srv/with  blank ");
	block_describe("loop0", &layer);
	assert_string_equal(layer.backing_file, "/srv/with  blank ");
	assert_true(layer.leaf && layer.has_requests);
	layer_clear(&layer);
}

static void sparse_file_needs_the_room_below(void **state)
{
	const struct tree *tree = *state;
	char *file = make_sparse_file(tree, "/image", 1 << 20);

	make_loop(tree, "loop0", "7:0", file);
	tree_partition(tree, VIRTUAL, "loop0", "loop0p1", "259:9", "1\n", "1024\n");
	tree_disk(tree, VIRTUAL, "dm-0", "254:100", "1024\n");
	tree_stack(tree, "dm-0", "loop0p1");
	assert_room_near(block_sparse_room("loop0"), room_of(file));
	assert_room_near(block_sparse_room("loop0p1"), room_of(file));
	assert_room_near(block_sparse_room("dm-0"), room_of(file));
	free(file);
}

/* /dev/shm is another file system than /tmp, and of another size. */
static void tightest_of_two_files_counts(void **state)
{
	const struct tree *tree = *state;
	char *file = make_sparse_file(tree, "/image", 1 << 20), other[] = "/dev/shm/iostrata-XXXXXX";
	int fd = mkstemp(other);
	uint64_t here = room_of(file), there;

	if (fd < 0 || ftruncate(fd, 1 << 20)) {
		free(file);
		skip();
	}
	close(fd);
	there = room_of(other);
	make_loop(tree, "loop0", "7:0", file);
	make_loop(tree, "loop1", "7:1", other);
	tree_disk(tree, VIRTUAL, "md0", "9:0", "4096\n");
	tree_stack(tree, "md0", "loop0");
	tree_stack(tree, "md0", "loop1");
	assert_room_near(block_sparse_room("md0"), here < there ? here : there);
	unlink(other);
	free(file);
}

static void file_that_is_full_needs_no_room(void **state)
{
	const struct tree *tree = *state;
	static char content[65536];
	char *file = tree_path(tree, "/image");

	memset(content, 'x', sizeof(content));
	tree_write_bytes(tree, "/image", content, sizeof(content));
	make_loop(tree, "loop0", "7:0", file);
	sync();
	assert_int_equal(block_sparse_room("loop0"), UINT64_MAX);
	free(file);
}

static void file_that_is_gone_tells_nothing(void **state)
{
	make_loop(*state, "loop0", "7:0", "/nowhere/at/all (deleted)");
	make_sata_disk(*state, "sda", "8:0");
	assert_int_equal(block_sparse_room("loop0"), UINT64_MAX);
	assert_int_equal(block_sparse_room("sda"), UINT64_MAX);
	assert_int_equal(block_sparse_room("no-such-device"), UINT64_MAX);
}

/* --- this machine --- */

static uint64_t number_in(const char *path)
{
	uint64_t number = 0;
	FILE *file = fopen(path, "r");

	assert_non_null(file);
	assert_int_equal(fscanf(file, "%lu", &number), 1);
	fclose(file);
	return number;
}

static void own_disk_agrees_with_sysfs(void **state)
{
	struct layer *layers = NULL;
	struct block_stat counts;
	struct stat status;
	char *name, *path;
	dev_t number;
	size_t count;

	(void)state;
	assert_int_equal(stat("/", &status), 0);
	name = block_name(status.st_dev);
	if (!name)
		skip(); /* the root file system has no device of its own here */
	assert_int_equal(block_number(name, &number), 0);
	assert_int_equal(number, status.st_dev);
	assert_int_equal(block_stack(status.st_dev, &layers, &count), 0);
	assert_true(count >= 1);
	assert_string_equal(layers[0].name, name);
	assert_true(layers[count - 1].leaf);
	path = xasprintf("/sys/class/block/%s/size", name);
	assert_int_equal(layers[0].size, number_in(path) * 512);
	free(path);
	path = xasprintf("/sys/block/%s/queue/logical_block_size", layers[count - 1].name);
	assert_int_equal(layers[count - 1].logical_block, number_in(path));
	free(path);
	assert_int_equal(block_read_stat(name, &counts), 0);
	assert_true(counts.group[STAT_READ].ios > 0);
	clear_layers(layers, count);
	free(name);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		IN_TREE(nvme_disk_and_its_partitions),
		IN_TREE(nvme_multipath),
		IN_TREE(raid0_over_two_sata_partitions),
		IN_TREE(each_device_stands_in_the_stack_once),
		IN_TREE(crypt_over_a_partition),
		IN_TREE(thin_volume_is_told_by_its_pool),
		IN_TREE(zram_is_without_requests),
		IN_TREE(wsl_disk_is_a_vhdx),
		IN_TREE(disk_passed_through_to_wsl_is_none),
		IN_TREE(hyperv_elsewhere_is_not_called_wsl),
		IN_TREE(what_is_not_there_is_said),
		IN_TREE(stack_of_64_is_the_highest),
		IN_TREE(disks_that_hold_something),
		IN_TREE(no_disks_without_sysfs),
		IN_TREE(more_disks_than_a_stack_has),
		IN_TREE(stacks_that_share_a_disk),
		IN_TREE(partitions_by_name),
		IN_TREE(counts_by_their_columns),
		IN_TREE(counts_of_older_kernels_are_fewer),
		cmocka_unit_test(differences_survive_the_overflow),
		IN_TREE(loop_shows_its_file),
		IN_TREE(sparse_file_needs_the_room_below),
		IN_TREE(tightest_of_two_files_counts),
		IN_TREE(file_that_is_full_needs_no_room),
		IN_TREE(file_that_is_gone_tells_nothing),
		cmocka_unit_test(own_disk_agrees_with_sysfs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
