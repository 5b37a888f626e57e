// SPDX-License-Identifier: GPL-2.0
#include "tree.h"

#include "host/block.h"

static void serial_of_scsi_is_in_page_80(void **state)
{
	static const char page[] = {0,	 (char)0x80, 0,	  12,  ' ', ' ', 'S', '2', 'R',
				    '9', 'N',	     'X', '0', 'J', ' ', ' ', 'X'};
	static const char lying[] = {0, (char)0x80, 1, 0, 'A', 'B'};
	struct layer layer;

	tree_disk(*state, "/sys/devices/pci0000:00/0000:00:17.0/ata1/host0/target0:0:0/0:0:0:0/block", "sda", "8:0",
		  "8\n");
	tree_write_bytes(*state, "/sys/class/block/sda/device/vpd_pg80", page, sizeof(page));
	block_describe("sda", &layer);
	assert_string_equal(layer.serial, "S2R9NX0J");
	layer_clear(&layer);
	tree_write_bytes(*state, "/sys/class/block/sda/device/vpd_pg80", lying, sizeof(lying));
	block_describe("sda", &layer);
	assert_string_equal(layer.serial, "AB");
	layer_clear(&layer);
	tree_write_bytes(*state, "/sys/class/block/sda/device/vpd_pg80", page, 4);
	block_describe("sda", &layer);
	assert_null(layer.serial);
	layer_clear(&layer);
}

static void virtio_has_a_serial_and_no_model(void **state)
{
	struct layer layer;

	tree_disk(*state, "/sys/devices/pci0000:00/0000:00:02.0/virtio1/block", "vda", "254:0", "8\n");
	tree_attribute(*state, "vda", "serial", "19966405363071");
	tree_attribute(*state, "vda", "device/vendor", "0x554d4551\n");
	block_describe("vda", &layer);
	assert_string_equal(layer.serial, "19966405363071");
	assert_null(layer.model);
	layer_clear(&layer);
}

static void assert_queues(const char *disk, uint64_t queues, uint64_t tags)
{
	struct layer layer;

	block_describe(disk, &layer);
	assert_int_equal(layer.hardware_queues, queues);
	assert_int_equal(layer.tags, tags);
	assert_int_equal(layer.has_requests, queues > 0);
	layer_clear(&layer);
}

static void tags_of_all_hardware_queues(void **state)
{
	const struct tree *tree = *state;

	tree_disk(tree, "/sys/devices/pci0000:00/0000:03:00.0/nvme/nvme0", "nvme0n1", "259:0", "8\n");
	assert_queues("nvme0n1", 0, 0);
	tree_attribute(tree, "nvme0n1", "mq/0/nr_tags", "1023\n");
	tree_attribute(tree, "nvme0n1", "mq/1/nr_tags", "1023\n");
	tree_attribute(tree, "nvme0n1", "mq/10/nr_tags", "511\n");
	assert_queues("nvme0n1", 3, 2557);
}

/* Its host takes 2048 commands by two queues, the disk itself 32. */
static void queue_depth_of_a_scsi_disk_caps_its_tags(void **state)
{
	const struct tree *tree = *state;

	tree_disk(tree, "/sys/devices/pci0000:00/0000:00:17.0/host0/target0:0:0/0:0:0:0/block", "sda", "8:0", "8\n");
	tree_attribute(tree, "sda", "mq/0/nr_tags", "1024\n");
	tree_attribute(tree, "sda", "mq/1/nr_tags", "1024\n");
	tree_attribute(tree, "sda", "device/queue_depth", "32\n");
	assert_queues("sda", 2, 32);
	tree_attribute(tree, "sda", "device/queue_depth", "4096\n");
	assert_queues("sda", 2, 2048);
}

static void tags_that_are_not_shown_are_not_known(void **state)
{
	tree_disk(*state, "/sys/devices/virtual/block", "loop0", "7:0", "8\n");
	tree_attribute(*state, "loop0", "mq/0/cpu_list", "0, 1\n");
	tree_attribute(*state, "loop0", "device/queue_depth", "32\n");
	assert_queues("loop0", 1, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		IN_TREE(serial_of_scsi_is_in_page_80),		IN_TREE(virtio_has_a_serial_and_no_model),
		IN_TREE(tags_of_all_hardware_queues),		IN_TREE(queue_depth_of_a_scsi_disk_caps_its_tags),
		IN_TREE(tags_that_are_not_shown_are_not_known),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
