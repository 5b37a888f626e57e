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
	block_layer_clear(&layer);
	tree_write_bytes(*state, "/sys/class/block/sda/device/vpd_pg80", lying, sizeof(lying));
	block_describe("sda", &layer);
	assert_string_equal(layer.serial, "AB");
	block_layer_clear(&layer);
	tree_write_bytes(*state, "/sys/class/block/sda/device/vpd_pg80", page, 4);
	block_describe("sda", &layer);
	assert_null(layer.serial);
	block_layer_clear(&layer);
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
	block_layer_clear(&layer);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		IN_TREE(serial_of_scsi_is_in_page_80),
		IN_TREE(virtio_has_a_serial_and_no_model),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
