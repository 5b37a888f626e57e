// SPDX-License-Identifier: GPL-2.0
#include "tree.h"

#include "host/block.h"

#define ROOT_PORT "/sys/devices/pci0000:00/0000:00:1d.0"
#define NVME	  ROOT_PORT "/0000:03:00.0"
#define AHCI	  "/sys/devices/pci0000:00/0000:00:17.0"
#define SATA	  AHCI "/ata3/host2/target2:0:0/2:0:0:0/block"
#define HBA	  ROOT_PORT "/0000:04:00.0"
#define XHCI	  "/sys/devices/pci0000:00/0000:00:14.0"

/* NULL: nothing is known, the rate as little. */
static void assert_link(const char *name, const char *link, uint64_t bytes_per_second)
{
	struct layer layer;

	block_describe(name, &layer);
	if (link && !layer.link)
		fail_msg("no link of %s", name);
	if (link)
		assert_string_equal(layer.link, link);
	else
		assert_null(layer.link);
	assert_int_equal(layer.link_bytes_per_second, bytes_per_second);
	layer_clear(&layer);
	assert_null(layer.link);
}

/* "vendor" and so on of the device in sysfs at `directory`. */
static void set(const struct tree *tree, const char *directory, const char *attribute, const char *content)
{
	char *path = xasprintf("%s/%s", directory, attribute);

	tree_write(tree, path, content);
	free(path);
}

static void make_guest(const struct tree *tree)
{
	tree_write(tree, "/proc/cpuinfo", "processor\t: 0\nflags\t\t: fpu hypervisor lm\n");
}

static void make_function(const struct tree *tree, const char *directory, const char *vendor, const char *subsystem)
{
	set(tree, directory, "vendor", vendor);
	set(tree, directory, "subsystem_vendor", subsystem);
}

static void make_nvme(const struct tree *tree, const char *speed, const char *width)
{
	/* The way up to the processor is faster; it is not what is asked for. */
	set(tree, ROOT_PORT, "current_link_speed", "32.0 GT/s PCIe\n");
	set(tree, ROOT_PORT, "current_link_width", "16\n");
	make_function(tree, NVME, "0x144d\n", "0x144d\n");
	set(tree, NVME, "current_link_speed", speed);
	set(tree, NVME, "current_link_width", width);
	tree_disk(tree, NVME "/nvme/nvme0", "nvme0n1", "259:0", "1953525168\n");
}

static void set_pcie(const struct tree *tree, const char *speed, const char *width)
{
	set(tree, NVME, "current_link_speed", speed);
	set(tree, NVME, "current_link_width", width);
}

static void nvme_has_lanes(void **state)
{
	make_nvme(*state, "8.0 GT/s PCIe\n", "4\n");
	assert_link("nvme0n1", "PCIe 8.0 GT/s x4", 3938461538);
	set_pcie(*state, "16.0 GT/s PCIe\n", "4\n");
	assert_link("nvme0n1", "PCIe 16.0 GT/s x4", 7876923076);
	set_pcie(*state, "5.0 GT/s PCIe\n", "2\n");
	assert_link("nvme0n1", "PCIe 5.0 GT/s x2", 1000000000);
	set_pcie(*state, "2.5 GT/s PCIe\n", "1\n");
	assert_link("nvme0n1", "PCIe 2.5 GT/s x1", 250000000);
	set_pcie(*state, "64.0 GT/s PCIe\n", "4\n");
	assert_link("nvme0n1", "PCIe 64.0 GT/s x4", 30250000000);
	set_pcie(*state, "8 GT/s\n", "4\n"); /* before Linux 5.9 */
	assert_link("nvme0n1", "PCIe 8.0 GT/s x4", 3938461538);
}

static void partition_has_the_link_of_its_disk(void **state)
{
	make_nvme(*state, "8.0 GT/s PCIe\n", "4\n");
	tree_partition(*state, NVME "/nvme/nvme0", "nvme0n1", "nvme0n1p1", "259:1", "1\n", "8\n");
	assert_link("nvme0n1p1", "PCIe 8.0 GT/s x4", 3938461538);
}

static void link_that_pci_does_not_know(void **state)
{
	make_nvme(*state, "Unknown\n", "0\n");
	assert_link("nvme0n1", NULL, 0);
	set_pcie(*state, "Unknown speed\n", "4\n");
	assert_link("nvme0n1", NULL, 0);
	set_pcie(*state, "8.0 GT/s PCIe\n", "0\n");
	assert_link("nvme0n1", NULL, 0);
	set_pcie(*state, "8.0 GT/s PCIe\n", "63\n"); /* gone from the bus */
	assert_link("nvme0n1", NULL, 0);
}

static void multipath_has_a_link_at_each_path(void **state)
{
	make_nvme(*state, "8.0 GT/s PCIe\n", "2\n");
	tree_disk(*state, "/sys/devices/virtual/nvme-subsystem/nvme-subsys1", "nvme1n1", "259:3", "8\n");
	tree_disk(*state, NVME "/nvme/nvme0", "nvme1c0n1", "259:9", "8\n");
	assert_link("nvme1n1", NULL, 0);
	assert_link("nvme1c0n1", "PCIe 8.0 GT/s x2", 1969230769);
}

static void nvme_in_a_guest(void **state)
{
	const struct tree *tree = *state;

	make_guest(tree);
	make_nvme(tree, "8.0 GT/s PCIe\n", "4\n");
	assert_link("nvme0n1", "PCIe 8.0 GT/s x4", 3938461538); /* passed through */
	make_function(tree, NVME, "0x1b36\n", "0x1af4\n");
	assert_link("nvme0n1", NULL, 0);
	make_function(tree, NVME, "0x8086\n", "0x1af4\n"); /* as QEMU's NVMe calls itself, too */
	assert_link("nvme0n1", NULL, 0);
	make_function(tree, NVME, "0x1d0f\n", "0x0000\n");
	assert_link("nvme0n1", NULL, 0);
}

static void make_sata(const struct tree *tree, const char *speed)
{
	make_function(tree, AHCI, "0x8086\n", "0x1043\n");
	set(tree, AHCI, "current_link_speed", "8.0 GT/s PCIe\n");
	set(tree, AHCI, "current_link_width", "4\n");
	tree_write(tree, "/sys/class/ata_link/link3/sata_spd", speed);
	tree_write(tree, "/sys/class/ata_link/link1/sata_spd", "6.0 Gbps\n");
	tree_disk(tree, SATA, "sda", "8:0", "1000215216\n");
}

static void sata_by_its_generations(void **state)
{
	make_sata(*state, "6.0 Gbps\n");
	assert_link("sda", "SATA 6.0 Gbit/s", 600000000);
	tree_write(*state, "/sys/class/ata_link/link3/sata_spd", "3.0 Gbps\n");
	assert_link("sda", "SATA 3.0 Gbit/s", 300000000);
	tree_write(*state, "/sys/class/ata_link/link3/sata_spd", "1.5 Gbps\n");
	assert_link("sda", "SATA 1.5 Gbit/s", 150000000);
	tree_write(*state, "/sys/class/ata_link/link3/sata_spd", "<unknown>\n"); /* and not its controller's */
	assert_link("sda", NULL, 0);
}

static void emulated_sata_has_no_link(void **state)
{
	make_sata(*state, "1.5 Gbps\n");
	make_guest(*state);
	assert_link("sda", NULL, 0);
}

/* Where the processor doesn't tell, its controller does. */
static void emulated_sata_without_a_flag(void **state)
{
	make_sata(*state, "1.5 Gbps\n");
	make_function(*state, AHCI, "0x8086\n", "0x1af4\n");
	assert_link("sda", NULL, 0);
}

static void make_phy(const struct tree *tree, const char *port, const char *phy, const char *rate)
{
	char *link = xasprintf("%s/%s", port, phy), *class = xasprintf("/sys/class/sas_phy/%s", phy);

	tree_link(tree, link, "../somewhere");
	set(tree, class, "negotiated_linkrate", rate);
	free(link), free(class);
}

/* Behind an expander: the port nearest to the disk counts. */
static void sas_by_the_phys_of_its_port(void **state)
{
	static const char host_port[] = HBA "/host0/port-0:0";
	static const char port[] = HBA "/host0/port-0:0/expander-0:0/port-0:0:5";
	const struct tree *tree = *state;

	tree_disk(tree, HBA "/host0/port-0:0/expander-0:0/port-0:0:5/end_device-0:0:5/target0:0:7/0:0:7:0/block", "sdh",
		  "8:112", "8\n");
	assert_link("sdh", NULL, 0);
	make_phy(tree, host_port, "phy-0:0", "22.5 Gbit\n");
	make_phy(tree, port, "phy-0:0:5", "12.0 Gbit\n");
	assert_link("sdh", "SAS 12.0 Gbit/s", 1200000000);
	make_phy(tree, port, "phy-0:0:6", "12.0 Gbit\n");
	make_phy(tree, port, "phy-0:0:7", "Phy disabled\n");
	assert_link("sdh", "SAS 12.0 Gbit/s x2", 2400000000);
	set(tree, "/sys/class/sas_phy/phy-0:0:5", "negotiated_linkrate", "Unknown\n");
	set(tree, "/sys/class/sas_phy/phy-0:0:6", "negotiated_linkrate", "22.5 Gbit\n");
	assert_link("sdh", "SAS 22.5 Gbit/s", 2400000000);
}

static void usb_by_the_speed_of_the_device(void **state)
{
	static const char device[] = XHCI "/usb2/2-1/2-1.4";
	const struct tree *tree = *state;

	set(tree, XHCI "/usb2", "busnum", "2\n");
	set(tree, XHCI "/usb2", "speed", "20000\n");
	set(tree, device, "busnum", "2\n");
	set(tree, device, "speed", "480\n");
	tree_disk(tree, XHCI "/usb2/2-1/2-1.4/2-1.4:1.0/host6/target6:0:0/6:0:0:0/block", "sdb", "8:16", "8\n");
	assert_link("sdb", "USB 480 Mbit/s", 60000000);
	set(tree, device, "speed", "5000\n");
	assert_link("sdb", "USB 5.0 Gbit/s", 500000000);
	set(tree, device, "speed", "10000\n");
	assert_link("sdb", "USB 10.0 Gbit/s", 1212121212);
	set(tree, device, "speed", "20000\n");
	assert_link("sdb", "USB 20.0 Gbit/s", 2424242424);
	set(tree, device, "speed", "unknown\n");
	assert_link("sdb", NULL, 0);
}

/* A logical disk of a RAID controller: no port, so that the controller's own link is the nearest. */
static void raid_controller(void **state)
{
	make_function(*state, HBA, "0x1000\n", "0x1028\n");
	set(*state, HBA, "current_link_speed", "8.0 GT/s PCIe\n");
	set(*state, HBA, "current_link_width", "8\n");
	tree_disk(*state, HBA "/host0/target0:2:0/0:2:0:0/block", "sda", "8:0", "8\n");
	assert_link("sda", "PCIe 8.0 GT/s x8", 7876923076);
}

static void disks_without_a_link_of_their_own(void **state)
{
	const struct tree *tree = *state;

	make_function(tree, HBA, "0x1077\n", "0x1077\n");
	set(tree, HBA, "current_link_speed", "16.0 GT/s PCIe\n");
	set(tree, HBA, "current_link_width", "8\n");
	tree_disk(tree, HBA "/virtio1/block", "vda", "254:0", "8\n");
	tree_disk(tree, HBA "/host0/rport-0:0-1/target0:0:0/0:0:0:0/block", "sda", "8:0", "8\n");
	tree_disk(tree, HBA "/mmc_host/mmc0/mmc0:0001/block", "mmcblk0", "179:0", "8\n");
	tree_disk(tree, "/sys/devices/virtual/block", "loop0", "7:0", "8\n");
	tree_disk(tree, "/sys/devices/platform/host3/session1/target3:0:0/3:0:0:0/block", "sdb", "8:16", "8\n");
	assert_link("vda", NULL, 0);
	assert_link("sda", NULL, 0);
	assert_link("mmcblk0", NULL, 0);
	assert_link("loop0", NULL, 0);
	assert_link("sdb", NULL, 0);
	assert_link("sdz", NULL, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		IN_TREE(nvme_has_lanes),
		IN_TREE(partition_has_the_link_of_its_disk),
		IN_TREE(link_that_pci_does_not_know),
		IN_TREE(multipath_has_a_link_at_each_path),
		IN_TREE(nvme_in_a_guest),
		IN_TREE(sata_by_its_generations),
		IN_TREE(emulated_sata_has_no_link),
		IN_TREE(emulated_sata_without_a_flag),
		IN_TREE(sas_by_the_phys_of_its_port),
		IN_TREE(usb_by_the_speed_of_the_device),
		IN_TREE(raid_controller),
		IN_TREE(disks_without_a_link_of_their_own),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
