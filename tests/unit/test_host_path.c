// SPDX-License-Identifier: GPL-2.0
#include "tree.h"

#include <fcntl.h>
#include <sys/sysmacros.h>

#include "host/block.h"
#include "host/path.h"
#include "result/path.h"

#define PCI	"/sys/devices/pci0000:00/0000:00:17.0"
#define VMBUS	"/sys/devices/LNXSYSTM:00/LNXSYBUS:00/ACPI0004:00/VMBUS:01/"
#define STORVSC VMBUS "f8b3781a-1e82-4818-a1c3-63d806ec15bb"
#define DATA	VMBUS "f8b3781b-1e82-4818-a1c3-63d806ec15bb"
#define GEN1	VMBUS "00000000-0001-8899-0000-000000000000"
#define VIRTUAL "/sys/devices/virtual/block"
#define FABRICS "/sys/devices/virtual/nvme-fabrics/ctl/nvme0"
#define AZURE	"7783-7084-3265-9085-8269-3286-77\n"

/* A disk as sysfs shows it. What is NULL is not there. */
struct disk {
	const char *path, *driver; /* expected; NULL: not known */
	const char *name;
	const char *at;	    /* where its `block` directory is, which is that of its device, too */
	const char *driven; /* the device that has a driver ... */
	const char *by;	    /* ... which is this one */
	const char *vendor, *model;
	const char *file, *content; /* one more file, of any path */
	bool guest;
};

static bool seen[256];

static void note(const char *key)
{
	for (size_t i = 0; key && path_kind_at(i); i++)
		if (!strcmp(path_kind_at(i)->key, key))
			seen[i] = true;
}

static void write_at(const struct tree *tree, const char *directory, const char *name, const char *content)
{
	char *path = xasprintf("%s/%s", directory, name);

	if (content)
		tree_write(tree, path, content);
	free(path);
}

static void link_at(const struct tree *tree, const char *directory, const char *name, const char *target)
{
	char *path = xasprintf("%s/%s", directory, name);

	tree_link(tree, path, target);
	free(path);
}

/* NVMe and software keep their disks right below the device, others in a directory of their class. */
static void make_disk(const struct tree *tree, const struct disk *disk)
{
	bool own = !strncmp(disk->name, "nvme", 4) || !strcmp(disk->at, VIRTUAL);
	char *directory = own ? xstrdup(disk->at) : xasprintf("%s/block", disk->at);
	char *itself = xasprintf("%s/%s", directory, disk->name), *device;

	tree_disk(tree, directory, disk->name, "4000:0", "1000\n");
	if (strcmp(disk->at, VIRTUAL)) {
		device = xasprintf("%s/%s", own ? "../.." : "../../..", strrchr(disk->at, '/') + 1);
		link_at(tree, itself, "device", device);
		free(device);
	}
	write_at(tree, disk->at, "vendor", disk->vendor);
	write_at(tree, disk->at, "model", disk->model);
	if (disk->driven) {
		char *driver = xasprintf("../../bus/any/drivers/%s", disk->by);

		link_at(tree, disk->driven, "driver", driver);
		free(driver);
	}
	free(itself);
	free(directory);
}

static void assert_same(const char *what, const char *name, const char *found, const char *expected)
{
	if ((!found != !expected) || (found && strcmp(found, expected)))
		fail_msg("the %s of %s is %s, expected %s", what, name, found ? found : "unknown",
			 expected ? expected : "unknown");
}

static void check_disk(const struct disk *disk)
{
	struct tree tree;
	struct layer layer;

	tree_make(&tree);
	if (disk->guest)
		tree_write(&tree, "/proc/cpuinfo", "processor\t: 0\nflags\t\t: fpu hypervisor lm\n");
	make_disk(&tree, disk);
	if (disk->file)
		tree_write(&tree, disk->file, disk->content);
	block_describe(disk->name, &layer);
	assert_same("path", disk->name, layer.path, disk->path);
	assert_same("driver", disk->name, layer.driver, disk->driver);
	if (layer.path)
		assert_non_null(path_kind(layer.path));
	note(layer.path);
	layer_clear(&layer);
	tree_remove(&tree);
}

#define CHECK_ALL(disks)                                                                                               \
	for (size_t i = 0; i < ARRAY_SIZE(disks); i++)                                                                 \
	check_disk(&(disks)[i])

#define NVME(guest_, path_, model_)                                                                                    \
	{                                                                                                              \
		.path = path_, .driver = "nvme", .name = "nvme0n1", .at = PCI "/nvme/nvme0", .driven = PCI,            \
		.by = "nvme", .model = model_, .file = PCI "/nvme/nvme0/transport", .content = "pcie\n",               \
		.guest = guest_                                                                                        \
	}

static void nvme_by_model_and_transport(void **state)
{
	static const struct disk disks[] = {
		NVME(false, "native-nvme", "Samsung SSD 980 PRO 1TB\n"),
		NVME(true, "guest-nvme", "Samsung SSD 980 PRO 1TB\n"),
		NVME(true, "ebs", "Amazon Elastic Block Store              \n"),
		NVME(false, "ebs", "Amazon Elastic Block Store\n"), /* .metal */
		NVME(true, "ec2-instance-store", "Amazon EC2 NVMe Instance Storage        \n"),
		NVME(true, "gce-pd", "nvme_card-pd\n"),
		NVME(true, "gce-local-ssd", "nvme_card\n"),
		NVME(true, "gce-local-ssd", "nvme_card0\n"),
		NVME(true, "hyperv-nvme", "MSFT NVMe Accelerator v1.0\n"),
		NVME(true, "azure-local-nvme", "Microsoft NVMe Direct Disk v2\n"),
		NVME(true, "alibaba-disk", "Alibaba Cloud Elastic Block Storage\n"),
		NVME(true, "qemu", "QEMU NVMe Ctrl\n"),
		NVME(true, "virtualbox", "ORCL-VBOX-NVME-VER12\n"),
		NVME(true, "vmware", "VMware Virtual NVMe Disk\n"),
		NVME(true, "bhyve", "bhyve-NVMe\n"),
		{"nvme-tcp", "nvme-tcp", "nvme0n1", FABRICS, NULL, NULL, NULL, "Linux\n", FABRICS "/transport", "tcp\n",
		 0},
		{"nvme-rdma", "nvme-rdma", "nvme0n1", FABRICS, NULL, NULL, NULL, "Linux\n", FABRICS "/transport",
		 "rdma\n", 0},
		{"nvme-fc", "nvme-fc", "nvme0n1", FABRICS, NULL, NULL, NULL, "Linux\n", FABRICS "/transport", "fc\n",
		 0},
		{"nvme-loop", "nvme-loop", "nvme0n1", FABRICS, NULL, NULL, NULL, "Linux\n", FABRICS "/transport",
		 "loop\n", 1},
		{"nvme-multipath", NULL, "nvme1n1", "/sys/devices/virtual/nvme-subsystem/nvme-subsys1", NULL, NULL,
		 NULL, "X\n", NULL, NULL, 0},
	};

	(void)state;
	CHECK_ALL(disks);
}

#define SATA	  PCI "/ata3/host2/target2:0:0/2:0:0:0"
#define HOST	  PCI "/host0/target0:0:0/0:0:0:0"
#define USB	  "/sys/devices/pci0000:00/0000:00:14.0/usb2/2-1"
#define USB_DISK  USB "/2-1:1.0/host6/target6:0:0/6:0:0:0"
#define VHCI	  "/sys/devices/platform/vhci_hcd.0/usb3/3-1"
#define VHCI_DISK VHCI "/3-1:1.0/host6/target6:0:0/6:0:0:0"
#define ISCSI	  "/sys/devices/platform/host3/session1/target3:0:0/3:0:0:0"
#define FIBRE	  PCI "/host1/rport-1:0-2/target1:0:0/1:0:0:0"
#define VIRTIO	  PCI "/virtio2/host1/target1:0:0/1:0:0:0"

static void scsi_by_host(void **state)
{
	static const struct disk disks[] = {
		{"native-ata", "ahci", "sda", SATA, PCI, "ahci", "ATA     \n", "Samsung SSD 870\n", SATA "/scsi_level",
		 "6\n", 0},
		{"guest-disk", "ahci", "sda", SATA, PCI, "ahci", "ATA     \n", "Samsung SSD 870\n", NULL, NULL, 1},
		{"qemu", "ahci", "sda", SATA, PCI, "ahci", "ATA     \n", "QEMU HARDDISK   \n", NULL, NULL, 1},
		{"virtualbox", "ahci", "sda", SATA, PCI, "ahci", "ATA     \n", "VBOX HARDDISK   \n", NULL, NULL, 1},
		{"vmware", "ahci", "sda", SATA, PCI, "ahci", "ATA     \n", "VMware Virtual S\n", NULL, NULL, 1},
		{"bhyve", "ahci", "sda", SATA, PCI, "ahci", "ATA     \n", "BHYVE SATA DISK \n", NULL, NULL, 1},
		{"native-scsi", "mpt3sas", "sda", HOST, PCI, "mpt3sas", "SEAGATE \n", "ST4000NM0023\n",
		 HOST "/scsi_level", "7\n", 0},
		{"guest-disk", "mpt3sas", "sda", HOST, PCI, "mpt3sas", "SEAGATE \n", "ST4000NM0023\n",
		 HOST "/scsi_level", "7\n", 1},
		{"raid-controller", "megaraid_sas", "sda", HOST, PCI, "megaraid_sas", "DELL    \n", "PERC H730 Mini\n",
		 NULL, NULL, 0},
		{"vmware-pvscsi", "vmw_pvscsi", "sda", HOST, PCI, "vmw_pvscsi", "VMware  \n", "Virtual disk    \n",
		 NULL, NULL, 1},
		{"vmware", "mptspi", "sda", HOST, PCI, "mptspi", "VMware  \n", "Virtual disk    \n", NULL, NULL, 1},
		{"virtio-scsi", "virtio_scsi", "sda", VIRTIO, PCI "/virtio2", "virtio_scsi", "QEMU    \n",
		 "QEMU HARDDISK   \n", NULL, NULL, 1},
		{"gce-pd", "virtio_scsi", "sda", VIRTIO, PCI "/virtio2", "virtio_scsi", "Google  \n",
		 "PersistentDisk  \n", NULL, NULL, 1},
		{"gce-local-ssd", "virtio_scsi", "sda", VIRTIO, PCI "/virtio2", "virtio_scsi", "Google  \n",
		 "EphemeralDisk   \n", NULL, NULL, 1},
		{"oracle-volume", "virtio_scsi", "sda", VIRTIO, PCI "/virtio2", "virtio_scsi", "ORACLE  \n",
		 "BlockVolume     \n", NULL, NULL, 1},
		{"cloud-volume", "virtio_scsi", "sda", VIRTIO, PCI "/virtio2", "virtio_scsi", "DO      \n",
		 "Volume          \n", NULL, NULL, 1},
		{"usb", "usb-storage", "sda", USB_DISK, USB "/2-1:1.0", "usb-storage", "SanDisk \n", "Ultra\n",
		 USB "/busnum", "2\n", 0},
		{"usb", "uas", "sda", USB_DISK, USB "/2-1:1.0", "uas", "Samsung \n", "Portable SSD T7\n", USB "/busnum",
		 "2\n", 1},
		{"usbip", "usb-storage", "sda", VHCI_DISK, VHCI "/3-1:1.0", "usb-storage", "SanDisk \n", "Ultra\n",
		 VHCI "/busnum", "3\n", 1},
		{"iscsi", "iscsi_tcp", "sda", ISCSI, NULL, NULL, "LIO-ORG \n", "disk\n",
		 "/sys/class/scsi_host/host3/proc_name", "iscsi_tcp\n", 0},
		{"fibre-channel", "lpfc", "sda", FIBRE, PCI, "lpfc", "NETAPP  \n", "LUN C-Mode\n", NULL, NULL, 0},
		/* a host that is software and of which nothing is known here */
		{NULL, "tcm_loopback", "sda", "/sys/devices/host4/target4:0:0/4:0:0:0", NULL, NULL, "LIO-ORG \n", "x\n",
		 "/sys/class/scsi_host/host4/proc_name", "tcm_loopback\n", 0},
	};

	(void)state;
	CHECK_ALL(disks);
}

/* sd drives any SCSI disk, so that it says nothing. */
static void driver_of_the_disk_itself_is_not_it(void **state)
{
	struct disk disk = {"native-ata",	"ahci", "sda", SATA, PCI, "ahci", "ATA\n", "X\n",
			    SATA "/scsi_level", "6\n",	0};
	struct layer layer;

	make_disk(*state, &disk);
	link_at(*state, SATA, "driver", "../../../../../../bus/scsi/drivers/sd");
	block_describe("sda", &layer);
	assert_string_equal(layer.driver, "ahci");
	assert_string_equal(layer.path, "native-ata");
	layer_clear(&layer);
}

#define STORVSC_DISK(path_, bus, unit, model_, vendor_, file_, content_)                                               \
	{                                                                                                              \
		.path = path_, .driver = "hv_storvsc", .name = "sdc", .at = bus "/host0/target0:0:0/0:0:0:" unit,      \
		.driven = bus, .by = "hv_storvsc", .vendor = vendor_, .model = model_, .file = file_,                  \
		.content = content_, .guest = true                                                                     \
	}

static void storvsc_outside_of_azure(void **state)
{
	static const struct disk disks[] = {
		STORVSC_DISK("vhdx", DATA, "2", "Virtual Disk    \n", "Msft    \n", NULL, NULL),
		STORVSC_DISK("vhdx", STORVSC, "1", "Virtual Disk    \n", "Msft    \n", STORVSC "/device_id",
			     "{f8b3781a-1e82-4818-a1c3-63d806ec15bb}\n"),
		STORVSC_DISK("storvsc-passthrough", DATA, "3", "Samsung SSD 980 \n", "NVMe    \n", NULL, NULL),
		STORVSC_DISK("storvsc-passthrough", DATA, "3", "WDC WD40EZRZ-00G\n", "ATA     \n", NULL, NULL),
		STORVSC_DISK(NULL, DATA, "3", NULL, NULL, NULL, NULL),
	};

	(void)state;
	CHECK_ALL(disks);
}

static void check_azure(const char *path, const struct disk *disk, const char *device_id)
{
	struct tree tree;
	struct layer layer;

	tree_make(&tree);
	make_disk(&tree, disk);
	write_at(&tree, disk->driven, "device_id", device_id);
	tree_write(&tree, "/sys/class/dmi/id/chassis_asset_tag", AZURE);
	block_describe("sdc", &layer);
	assert_same("path", device_id, layer.path, path);
	note(layer.path);
	layer_clear(&layer);
	tree_remove(&tree);
}

static void storvsc_on_azure(void **state)
{
	static const struct disk data = STORVSC_DISK(NULL, DATA, "0", "Virtual Disk    \n", "Msft    \n", NULL, NULL);
	static const struct disk system = STORVSC_DISK(NULL, STORVSC, "0", "Virtual Disk\n", "Msft    \n", NULL, NULL);
	static const struct disk second = STORVSC_DISK(NULL, STORVSC, "1", "Virtual Disk\n", "Msft    \n", NULL, NULL);
	static const struct disk first = STORVSC_DISK(NULL, GEN1, "0", "Virtual Disk    \n", "Msft    \n", NULL, NULL);

	(void)state;
	check_azure("azure-disk", &data, "{f8b3781b-1e82-4818-a1c3-63d806ec15bb}\n");
	check_azure("azure-disk", &system, "{f8b3781a-1e82-4818-a1c3-63d806ec15bb}\n");
	check_azure("azure-temporary", &second, "{f8b3781a-1e82-4818-a1c3-63d806ec15bb}\n");
	check_azure("azure-temporary", &first, "{00000000-0001-8899-0000-000000000000}\n");
	check_azure("azure-disk", &first, "{00000000-0000-8899-0000-000000000000}\n");
	check_azure("azure-disk", &first, NULL);
}

static void other_buses(void **state)
{
	static const struct disk disks[] = {
		{"virtio-blk", "virtio_blk", "vda", PCI "/virtio1", PCI "/virtio1", "virtio_blk", "0x1af4\n", NULL,
		 NULL, NULL, 1},
		{"xen-blkfront", "vbd", "xvda", "/sys/devices/vbd-51712", "/sys/devices/vbd-51712", "vbd", NULL, NULL,
		 NULL, NULL, 1},
		{"mmc", "mmcblk", "mmcblk0", "/sys/devices/platform/soc/mmc_host/mmc0/mmc0:0001",
		 "/sys/devices/platform/soc/mmc_host/mmc0/mmc0:0001", "mmcblk", NULL, NULL, NULL, NULL, 0},
		{"pmem", "nd_pmem", "pmem0", "/sys/devices/LNXSYSTM:00/ndbus0/region0/namespace0.0",
		 "/sys/devices/LNXSYSTM:00/ndbus0/region0/namespace0.0", "nd_pmem", NULL, NULL, NULL, NULL, 0},
		{"guest-pmem", "nd_pmem", "pmem0", "/sys/devices/LNXSYSTM:00/ndbus0/region0/namespace0.0",
		 "/sys/devices/LNXSYSTM:00/ndbus0/region0/namespace0.0", "nd_pmem", NULL, NULL, NULL, NULL, 1},
		{"rbd", "rbd", "rbd0", "/sys/devices/rbd/0", NULL, NULL, NULL, NULL, "/proc/devices",
		 "Block devices:\n4000 rbd\n", 0},
		{"ublk", NULL, "ublkb0", "/sys/devices/virtual/ublk-char/ublkc0", NULL, NULL, NULL, NULL,
		 "/proc/devices", "Block devices:\n4000 blkext\n", 0},
		{NULL, NULL, "foo0", "/sys/devices/platform/foo", NULL, NULL, NULL, NULL, NULL, NULL, 0},
	};

	(void)state;
	CHECK_ALL(disks);
}

#define NAMED(path_, driver_, name_)                                                                                   \
	{                                                                                                              \
		.path = path_, .driver = driver_, .name = name_, .at = VIRTUAL, .file = "/proc/devices",               \
		.content = "Character devices:\n4000 nothing\n\nBlock devices:\n  1 x\n4000 " driver_ "\n"             \
	}

#define MAPPED(path_, uuid_)                                                                                           \
	{                                                                                                              \
		.path = path_, .name = "dm-0", .at = VIRTUAL, .file = VIRTUAL "/dm-0/dm/uuid", .content = uuid_        \
	}

static void software(void **state)
{
	static const struct disk disks[] = {
		NAMED("zram", "zram", "zram0"),
		NAMED("ramdisk", "ramdisk", "ram0"),
		NAMED("null-blk", "nullb", "rbd-or-whatever"),
		NAMED("nbd", "nbd", "nbd0"),
		NAMED("drbd", "drbd", "drbd0"),
		NAMED("aoe", "aoe", "etherd!e0.0"),
		NAMED("md", "md", "md0"),
		NAMED("bcache", "bcache", "bcache0"),
		NAMED("zvol", "zvol", "zd0"),
		MAPPED("dm-crypt", "CRYPT-LUKS2-0a1b-root\n"),
		MAPPED("lvm", "LVM-abcdefgh\n"),
		MAPPED("dm-multipath", "mpath-3600\n"),
		MAPPED("dm", "something\n"),
		MAPPED("dm", "\n"),
		{.path = "md", .name = "md0", .at = VIRTUAL, .file = VIRTUAL "/md0/md/level", .content = "raid1\n"},
		{.path = "loop",
		 .name = "loop0",
		 .at = VIRTUAL,
		 .file = VIRTUAL "/loop0/loop/backing_file",
		 .content = "/nowhere/at all\n"},
		{.path = "scsi-debug",
		 .name = "sda",
		 .at = "/sys/devices/pseudo_0/adapter0/host0/target0:0:0/0:0:0:0",
		 .vendor = "Linux   \n",
		 .model = "scsi_debug      \n"},
	};

	(void)state;
	CHECK_ALL(disks);
}

/* A loop device of a file below /dev/shm, and of one that mountinfo of the tree says is on this file system. */
static void check_loop(const char *path, const char *filesystem, const char *directory)
{
	char *file = xasprintf("%s/iostrata-path-XXXXXX", directory), *line, *mounts;
	struct layer layer;
	struct tree tree;
	struct stat st;
	int fd = mkstemp(file);

	assert_true(fd >= 0 && !fstat(fd, &st));
	tree_make(&tree);
	tree_disk(&tree, VIRTUAL, "loop0", "4000:0", "1000\n");
	line = xasprintf("%s\n", file);
	tree_attribute(&tree, "loop0", "loop/backing_file", line);
	mounts =
		xasprintf("2000000001 1 %u:%u / / rw - %s source rw\n", major(st.st_dev), minor(st.st_dev), filesystem);
	tree_write(&tree, "/proc/self/mountinfo", mounts);
	block_describe("loop0", &layer);
	assert_same("path", filesystem, layer.path, path);
	note(layer.path);
	layer_clear(&layer);
	tree_remove(&tree);
	unlink(file);
	close(fd);
	free(file), free(line), free(mounts);
}

static void loop_by_the_file_system_of_its_file(void **state)
{
	(void)state;
	check_loop("loop-memory", "tmpfs", "/dev/shm");
	check_loop("loop", "ext4", "/tmp");
	check_loop("loop-remote", "9p", "/tmp");
	check_loop("loop-remote", "nfs4", "/tmp");
}

static void partition_has_none_of_its_own(void **state)
{
	struct disk disk = {"native-ata",	"ahci", "sda", SATA, PCI, "ahci", "ATA\n", "X\n",
			    SATA "/scsi_level", "6\n",	0};
	struct layer layer;

	make_disk(*state, &disk);
	tree_partition(*state, SATA "/block", "sda", "sda1", "4000:1", "1\n", "8\n");
	block_describe("sda1", &layer);
	assert_null(layer.path);
	assert_null(layer.driver);
	layer_clear(&layer);
	block_describe("no-such-disk", &layer);
	assert_null(layer.path);
	layer_clear(&layer);
}

/* --- without a block device --- */

static void assert_access(const char *key, const char *filesystem, const char *source, const char *options)
{
	const struct mount mount = {
		.filesystem = (char *)filesystem,
		.source = (char *)source,
		.point = (char *)"/mnt",
		.options = (char *)options,
	};
	char *found = path_of_mount(&mount);

	assert_same("path", filesystem, found, key);
	if (found)
		assert_non_null(path_kind(found));
	note(found);
	free(found);
}

/* The lines are those of WSL (its issue 14301), in 5.15, 6.6 and 6.12. */
static void drives_of_windows(void **state)
{
	(void)state;
	assert_access("drvfs", "9p", "C:\\134",
		      "rw,noatime,aname=drvfs;path=C:\\134;uid=1000;gid=1000;symlinkroot=/mnt/,cache=5,access=client,"
		      "msize=65536,trans=fd,rfd=6,wfd=6");
	assert_access("drvfs", "9p", "drvfs", "rw,dirsync,noatime,mmap,access=client,msize=262144,trans=virtio");
	assert_access("drvfs", "9p", "drvfsa", "rw,trans=virtio");
	assert_access("drvfs-virtiofs", "virtiofs", "drvfsC0", "rw,noatime");
	assert_access("drvfs-wsl1", "drvfs", "C:", "rw,noatime,uid=1000,gid=1000,case=off");
	assert_access("wsl1", "wslfs", "rootfs", "rw,noatime");
	assert_access("wsl1", "lxfs", "rootfs", "rw,noatime");
}

static void servers(void **state)
{
	(void)state;
	assert_access("9p", "9p", "hostshare", "rw,access=client,trans=virtio");
	assert_access("9p", "9p", "none", "rw,aname=/tmp,trans=fd");
	assert_access("virtiofs", "virtiofs", "myfs", "rw,relatime");
	assert_access("nfs", "nfs4", "server:/data", "rw,vers=4.2");
	assert_access("smb", "cifs", "//server/share", "rw");
	assert_access("ceph", "ceph", "1.2.3.4:/", "rw");
	assert_access("host-folder", "vboxsf", "share", "rw");
	assert_access("fuse", "fuse.sshfs", "host:/", "rw");
	assert_access("memory", "tmpfs", "tmpfs", "rw");
	assert_access("zfs", "zfs", "tank/home", "rw");
	assert_access("overlay", "overlay", "overlay", "rw,lowerdir=/nowhere,upperdir=/nowhere/at-all,workdir=/w");
	assert_access("overlay", "overlay", "overlay", "ro,lowerdir=/a:/b");
	assert_access(NULL, "some-new-fs", "none", "rw");
}

/* Its upper directory is on the tmpfs of this machine. */
static void overlay_is_as_its_upper_directory(void **state)
{
	(void)state;
	if (access("/proc/self/mountinfo", R_OK))
		skip();
	assert_access("memory", "overlay", "overlay", "rw,lowerdir=/,upperdir=/dev/shm,workdir=/dev/shm");
}

/* --- recorded machines --- */

static void check_machine(const char *machine, size_t disks, const char *const (*expected)[3])
{
	struct layer layer;
	struct tree tree;
	char **names;
	size_t count = 0;

	tree_make(&tree);
	tree_load(&tree, machine);
	for (names = host_list("/sys/block"); names && names[count]; count++)
		;
	strings_free(names);
	assert_int_equal(count, disks);
	for (size_t i = 0; i < disks; i++) {
		block_describe(expected[i][0], &layer);
		assert_same("path", expected[i][0], layer.path, expected[i][1]);
		assert_same("driver", expected[i][0], layer.driver, expected[i][2]);
		layer_clear(&layer);
	}
	tree_remove(&tree);
}

#define CHECK_MACHINE(machine, ...)                                                                                    \
	check_machine(machine, ARRAY_SIZE(((const char *const[][3]){__VA_ARGS__})),                                    \
		      (const char *const[][3]){__VA_ARGS__})

static void recorded_machines(void **state)
{
	(void)state;
	CHECK_MACHINE("azure", {"sda", "azure-disk", "hv_storvsc"}, {"nvme0n1", "hyperv-nvme", "nvme"},
		      {"nvme1n1", "azure-local-nvme", "nvme"});
	CHECK_MACHINE("bare-metal", {"nvme0n1", "native-nvme", "nvme"}, {"sda", "native-ata", "ahci"},
		      {"sdb", "native-ata", "ahci"});
	CHECK_MACHINE("container", {"nvme0n1", "native-nvme", "nvme"}, {"sda", "native-ata", "ahci"},
		      {"sdb", "native-ata", "ahci"});
	CHECK_MACHINE("docker-on-wsl2", {"sda", "vhdx", "hv_storvsc"}, {"sdb", "vhdx", "hv_storvsc"},
		      {"sdc", "vhdx", "hv_storvsc"});
	CHECK_MACHINE("ec2", {"nvme0n1", "ebs", "nvme"}, {"nvme1n1", "ec2-instance-store", "nvme"});
	CHECK_MACHINE("firecracker", {"vda", "virtio-blk", "virtio_blk"});
	CHECK_MACHINE("hyperv-vm", {"sda", "vhdx", "hv_storvsc"}, {"sdb", "vhdx", "hv_storvsc"});
	CHECK_MACHINE("kvm", {"vda", "virtio-blk", "virtio_blk"}, {"sda", "virtio-scsi", "virtio_scsi"},
		      {"sdb", "qemu", "ahci"});
	CHECK_MACHINE("wsl2-5.15-vhdx", {"sda", "vhdx", "hv_storvsc"}, {"sdb", "vhdx", "hv_storvsc"},
		      {"sdc", "vhdx", "hv_storvsc"});
	CHECK_MACHINE("wsl2-6.18-virtiofs", {"sda", "vhdx", "hv_storvsc"}, {"sdb", "vhdx", "hv_storvsc"},
		      {"sdc", "vhdx", "hv_storvsc"});
	CHECK_MACHINE("wsl2-6.6-passthrough", {"sda", "vhdx", "hv_storvsc"}, {"sdb", "vhdx", "hv_storvsc"},
		      {"sdc", "vhdx", "hv_storvsc"}, {"sdd", "storvsc-passthrough", "hv_storvsc"});
}

/* --- this machine --- */

static void disks_of_this_machine(void **state)
{
	struct layer *layers;
	size_t count;

	(void)state;
	block_disks(true, &layers, &count);
	for (size_t i = 0; i < count; i++) {
		if (layers[i].path)
			assert_non_null(path_kind(layers[i].path));
		if (!strncmp(layers[i].name, "vd", 2)) {
			assert_same("path", layers[i].name, layers[i].path, "virtio-blk");
			assert_same("driver", layers[i].name, layers[i].driver, "virtio_blk");
		}
		if (!strncmp(layers[i].name, "zram", 4))
			assert_same("path", layers[i].name, layers[i].path, "zram");
		layer_clear(&layers[i]);
	}
	free(layers);
}

/* The last test: what none of them has told is a row of the table that nothing ever gives. */
static void every_kind_is_told(void **state)
{
	(void)state;
	for (size_t i = 0; path_kind_at(i); i++)
		if (!seen[i])
			fail_msg("no disk or mount of these tests is a '%s'", path_kind_at(i)->key);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nvme_by_model_and_transport),
		cmocka_unit_test(scsi_by_host),
		IN_TREE(driver_of_the_disk_itself_is_not_it),
		cmocka_unit_test(storvsc_outside_of_azure),
		cmocka_unit_test(storvsc_on_azure),
		cmocka_unit_test(other_buses),
		cmocka_unit_test(software),
		cmocka_unit_test(loop_by_the_file_system_of_its_file),
		IN_TREE(partition_has_none_of_its_own),
		cmocka_unit_test(drives_of_windows),
		cmocka_unit_test(servers),
		cmocka_unit_test(overlay_is_as_its_upper_directory),
		cmocka_unit_test(recorded_machines),
		cmocka_unit_test(disks_of_this_machine),
		cmocka_unit_test(every_kind_is_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
