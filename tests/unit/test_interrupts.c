// SPDX-License-Identifier: GPL-2.0
#include "tree.h"

#include "host/interrupts.h"

#define PCI "/sys/devices/pci0000:00"

static const char table[] = "            CPU0       CPU3       \n"
			    "   4:         33          0   IO-APIC   4-edge      ttyS0\n"
			    " 28:        900          0  PCI-MSIX-0000:00:02.0   0-edge      virtio1-config\n"
			    " 36:       2000    4000000  PCI-MSIX-0000:00:02.0   1-edge      virtio1-req.0\n"
			    " 37:         11          5  PCI-MSIX-0000:00:02.0   2-edge      virtio1-req.1\n"
			    " 38:     700000          1  PCI-MSIX-0000:00:0c.0   1-edge      virtio11-req.0\n"
			    " 39:         40          2  PCI-MSIX-0000:00:03.0   1-edge      virtio2-input.0\n"
			    " 40:         50          6  PCI-MSIX-0000:00:07.0   1-edge      virtio3-virtqueues\n"
			    " 50:         77          0  PCI-MSI 524288-edge      nvme0q0\n"
			    " 51:        100        200  PCI-MSI 524289-edge      nvme0q1\n"
			    " 52:          0        300  PCI-MSI 524290-edge      nvme0q12\n"
			    " 60:          8          9  PCI-MSI 1048576-edge      nvme1q0, nvme1q1\n"
			    " 61:        500        500  PCI-MSI 1572864-edge      nvme10q1\n"
			    "NMI:          3          4   Non-maskable interrupts\n"
			    "ERR:          0\n"
			    "MIS:          0\n";

static int make_disks(void **state)
{
	const struct tree *tree;

	tree_setup(state);
	tree = *state;
	tree_write(tree, "/proc/interrupts", table);
	tree_disk(tree, PCI "/virtio1/block", "vda", "253:0", "8\n");
	tree_link(tree, PCI "/virtio1/block/vda/device", "../../../virtio1");
	tree_disk(tree, PCI "/virtio3/block", "vdb", "253:16", "8\n");
	tree_link(tree, PCI "/virtio3/block/vdb/device", "../../../virtio3");
	tree_disk(tree, PCI "/nvme/nvme0", "nvme0n1", "259:0", "8\n");
	tree_link(tree, PCI "/nvme/nvme0/nvme0n1/device", "../../nvme0");
	tree_disk(tree, PCI "/nvme/nvme0", "nvme0n2", "259:1", "8\n");
	tree_link(tree, PCI "/nvme/nvme0/nvme0n2/device", "../../nvme0");
	tree_disk(tree, PCI "/nvme/nvme1", "nvme1n1", "259:2", "8\n");
	tree_link(tree, PCI "/nvme/nvme1/nvme1n1/device", "../../nvme1");
	tree_disk(tree, PCI "/nvme/nvme7", "nvme7n1", "259:3", "8\n");
	tree_link(tree, PCI "/nvme/nvme7/nvme7n1/device", "../../nvme7");
	tree_disk(tree, PCI "/ata1/0:0:0:0/block", "sda", "8:0", "8\n");
	tree_link(tree, PCI "/ata1/0:0:0:0/block/sda/device", "../../../0:0:0:0");
	return 0;
}

static bool read_of(char *first, char *second, uint64_t *interrupts)
{
	const struct layer layer[] = {{.name = "md0"}, {.name = first, .leaf = true}, {.name = second, .leaf = true}};

	return interrupts_read(layer, second ? 3 : 2, interrupts);
}

static void assert_interrupts(char *first, char *second, uint64_t expected)
{
	uint64_t interrupts;

	assert_true(read_of(first, second, &interrupts));
	assert_int_equal(interrupts, expected);
}

static void those_of_a_virtio_disk_are_of_its_request_queues(void **state)
{
	(void)state;
	assert_interrupts("vda", NULL, 2000 + 4000000 + 11 + 5);
	assert_interrupts("vdb", NULL, 56);
}

static void those_of_an_nvme_drive_are_not_of_administration(void **state)
{
	(void)state;
	assert_interrupts("nvme0n1", NULL, 100 + 200 + 300);
	/* what both queues share is not to be told apart */
	assert_interrupts("nvme1n1", NULL, 17);
}

static void leaves_are_added_and_what_they_share_counts_once(void **state)
{
	(void)state;
	assert_interrupts("vdb", "nvme0n1", 56 + 600);
	assert_interrupts("nvme0n1", "nvme0n2", 600);
}

static void a_leaf_without_any_makes_the_sum_unknown(void **state)
{
	uint64_t interrupts;

	(void)state;
	assert_false(read_of("sda", NULL, &interrupts));
	assert_false(read_of("vda", "sda", &interrupts));
	assert_false(read_of("nvme7n1", NULL, &interrupts));
	assert_false(read_of("vda", "nvme7n1", &interrupts));
	assert_false(read_of("loop0", NULL, &interrupts));
	assert_false(interrupts_read(NULL, 0, &interrupts));
}

static void without_the_file_nothing_is_known(void **state)
{
	uint64_t interrupts;

	tree_write(*state, "/proc/interrupts", "");
	assert_false(read_of("vda", NULL, &interrupts));
	host_set_root("/nowhere");
	assert_false(read_of("vda", NULL, &interrupts));
}

#define WITH_DISKS(test) cmocka_unit_test_setup_teardown(test, make_disks, tree_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		WITH_DISKS(those_of_a_virtio_disk_are_of_its_request_queues),
		WITH_DISKS(those_of_an_nvme_drive_are_not_of_administration),
		WITH_DISKS(leaves_are_added_and_what_they_share_counts_once),
		WITH_DISKS(a_leaf_without_any_makes_the_sum_unknown),
		WITH_DISKS(without_the_file_nothing_is_known),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
