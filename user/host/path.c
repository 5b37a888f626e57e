// SPDX-License-Identifier: GPL-2.0
#include "path.h"

#include <libmount/libmount.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "block.h"
#include "files.h"
#include "machine.h"

/* What stands for a kind of path, or begins so. */
struct sign {
	const char *text;
	const char *key;
};

static const char *find_exact(const struct sign *signs, size_t count, const char *text)
{
	for (size_t i = 0; text && i < count; i++)
		if (!strcmp(text, signs[i].text))
			return signs[i].key;
	return NULL;
}

static const char *find_prefix(const struct sign *signs, size_t count, const char *text)
{
	for (size_t i = 0; text && i < count; i++)
		if (!strncmp(text, signs[i].text, strlen(signs[i].text)))
			return signs[i].key;
	return NULL;
}

/* --- the way up from a disk --- */

static const char *last_component(const char *path)
{
	return strrchr(path, '/') + 1;
}

/* To the directory above; false at the top of sysfs's devices. */
static bool step_up(char *path)
{
	*strrchr(path, '/') = '\0';
	return strcmp(path, "/sys/devices") != 0 && strchr(path + 1, '/');
}

/* Whether a directory on the way is so: its path, and the last component of that. */
typedef bool property(const char *path, const char *name);

/* From the disk's directory up, itself included. */
static bool any_on_the_way(const char *directory, property *is_so)
{
	char *path = xstrdup(directory);
	bool found;

	do
		found = is_so(path, last_component(path));
	while (!found && step_up(path));
	free(path);
	return found;
}

static bool is_usb(const char *path, const char *name)
{
	(void)name;
	return host_exists("%s/busnum", path);
}

/* The host controller that the USB/IP client stands for (drivers/usb/usbip). */
static bool is_usbip(const char *path, const char *name)
{
	(void)path;
	return !strncmp(name, "vhci_hcd", strlen("vhci_hcd"));
}

static bool is_iscsi_session(const char *path, const char *name)
{
	unsigned number;
	int end = 0;

	(void)path;
	return sscanf(name, "session%u%n", &number, &end) == 1 && !name[end];
}

/* Of the Fibre Channel transport, which FCoE has, too. */
static bool is_remote_port(const char *path, const char *name)
{
	(void)path;
	return !strncmp(name, "rport-", strlen("rport-"));
}

static bool is_ata_port(const char *path, const char *name)
{
	unsigned number;
	int end = 0;

	(void)path;
	return sscanf(name, "ata%u%n", &number, &end) == 1 && !name[end];
}

static bool is_pci(const char *path, const char *name)
{
	unsigned domain, bus, device, function;
	int end = 0;

	(void)path;
	return sscanf(name, "%x:%x:%x.%x%n", &domain, &bus, &device, &function, &end) == 4 && !name[end];
}

/* The nearest driver that carries the disk's I/O. SCSI's own one drives any disk: that of its host says more. */
static char *driver_on_the_way(const char *directory)
{
	char *path = xstrdup(directory), *driver;

	do {
		driver = host_link_name("%s/driver", path);
		if (driver && (!strcmp(driver, "sd") || !strcmp(driver, "sr"))) {
			free(driver);
			driver = NULL;
		}
	} while (!driver && step_up(path));
	free(path);
	return driver;
}

/* The name that a SCSI host's driver gives itself: of those that are software there is nothing else to be found. */
static char *driver_of_scsi_host(const char *directory)
{
	char *path = xstrdup(directory), *name = NULL;
	unsigned host;
	int end;

	do {
		end = 0;
		if (sscanf(last_component(path), "host%u%n", &host, &end) == 1 && !last_component(path)[end])
			name = host_read_line("/sys/class/scsi_host/host%u/proc_name", host);
	} while (!name && step_up(path));
	free(path);
	return name;
}

/* NVMe over a network has a controller without a device under it, of which the transport is what drives it. */
static char *driver_of_fabrics(const char *disk)
{
	char *transport = host_read_line("/sys/class/block/%s/device/transport", disk), *driver;

	driver = transport && strcmp(transport, "pcie") ? xasprintf("nvme-%s", transport) : NULL;
	free(transport);
	return driver;
}

static char *find_driver(const char *disk, const char *directory)
{
	char *driver = driver_of_fabrics(disk);

	if (!driver)
		driver = driver_on_the_way(directory);
	if (!driver)
		driver = driver_of_scsi_host(directory);
	return driver ? driver : block_registered_name(disk);
}

/* --- what a disk calls itself --- */

/*
 * Disks of clouds, by the model that they answer with (of SCSI, vendor and model), whatever they are attached to.
 * Amazon: NVMe device names in the EC2 user guide; Google: disk symlinks of its guest configs; Azure: udev rules of
 * azure-vm-utils; the others by the same names in /dev/disk/by-id.
 */
static const char *path_by_cloud(const struct layer *layer)
{
	static const struct sign models[] = {
		{"Amazon Elastic Block Store", "ebs"},
		{"Amazon EC2 NVMe Instance Storage", "ec2-instance-store"},
		{"nvme_card-pd", "gce-pd"},
		{"nvme_card", "gce-local-ssd"},
		{"Google PersistentDisk", "gce-pd"},
		{"Google EphemeralDisk", "gce-local-ssd"},
		{"MSFT NVMe Accelerator", "hyperv-nvme"},
		{"Microsoft NVMe Direct Disk", "azure-local-nvme"},
		{"Alibaba Cloud Elastic Block Storage", "alibaba-disk"},
		{"ORACLE BlockVolume", "oracle-volume"},
		{"DO Volume", "cloud-volume"},
		{"HC Volume", "cloud-volume"},
	};

	return find_prefix(models, ARRAY_SIZE(models), layer->model);
}

/* What hypervisors emulate, where no driver of theirs has told. */
static const char *path_by_emulator(const struct layer *layer)
{
	static const struct sign models[] = {
		{"QEMU ", "qemu"},     {"VBOX ", "virtualbox"}, {"ORCL-VBOX-NVME", "virtualbox"},
		{"VMware ", "vmware"}, {"BHYVE ", "bhyve"},	{"bhyve-NVMe", "bhyve"},
		{"VMWARE ", "vmware"},
	};

	return find_prefix(models, ARRAY_SIZE(models), layer->model);
}

/* --- storvsc --- */

/* Azure's machines all have this asset tag of the chassis. */
static bool is_azure(void)
{
	char *tag = host_read_line("/sys/class/dmi/id/chassis_asset_tag");
	bool is = tag && !strcmp(tag, "7783-7084-3265-9085-8269-3286-77");

	free(tag);
	return is;
}

/* The last of the four numbers that name a SCSI device: "0:0:0:1". */
static unsigned logical_unit(const char *disk)
{
	char *device = host_link_name("/sys/class/block/%s/device", disk);
	unsigned host, channel, target, unit = 0;

	if (!device || sscanf(device, "%u:%u:%u:%u", &host, &channel, &target, &unit) != 4)
		unit = 0;
	free(device);
	return unit;
}

/*
 * The disk that is lost with the machine: the second of the emulated IDE channels in machines of the first generation,
 * unit 1 of the controller of the system disk in those of the second (udev rules of azure-vm-utils).
 */
static bool is_azure_temporary(const char *disk, const char *directory)
{
	char *path = xstrdup(directory), *controller = NULL;
	bool is;

	do
		controller = host_read_line("%s/device_id", path);
	while (!controller && step_up(path));
	is = controller && (!strncmp(controller, "{00000000-0001-", strlen("{00000000-0001-")) ||
			    (!strcmp(controller, "{f8b3781a-1e82-4818-a1c3-63d806ec15bb}") && logical_unit(disk) == 1));
	free(controller);
	free(path);
	return is;
}

/* Virtual disks all call themselves by this name; a disk that is passed through, by its own. */
static const char *path_on_storvsc(const char *disk, const char *directory, const struct layer *layer)
{
	if (!layer->model)
		return NULL;
	if (strncmp(layer->model, "Msft Virtual Disk", strlen("Msft Virtual Disk")) != 0)
		return "storvsc-passthrough";
	if (!is_azure())
		return "vhdx";
	return is_azure_temporary(disk, directory) ? "azure-temporary" : "azure-disk";
}

/* --- by the driver --- */

static const char *path_by_driver(const char *driver)
{
	static const struct sign drivers[] = {
		{"virtio_blk", "virtio-blk"},
		{"virtio_scsi", "virtio-scsi"},
		{"virtio_pmem", "guest-pmem"},
		{"vbd", "xen-blkfront"},
		{"vmw_pvscsi", "vmware-pvscsi"},
		{"nvme-tcp", "nvme-tcp"},
		{"nvme-rdma", "nvme-rdma"},
		{"nvme-fc", "nvme-fc"},
		{"nvme-loop", "nvme-loop"},
		{"iscsi_tcp", "iscsi"},
		{"mmcblk", "mmc"},
		{"megaraid_sas", "raid-controller"},
		{"aacraid", "raid-controller"},
		{"hpsa", "raid-controller"},
		{"smartpqi", "raid-controller"},
		{"arcmsr", "raid-controller"},
		{"3w-9xxx", "raid-controller"},
		{"3w-sas", "raid-controller"},
		/* by the names that register_blkdev() is given */
		{"loop", "loop"},
		{"md", "md"},
		{"mdp", "md"},
		{"zram", "zram"},
		{"ramdisk", "ramdisk"},
		{"nullb", "null-blk"},
		{"nbd", "nbd"},
		{"drbd", "drbd"},
		{"aoe", "aoe"},
		{"bcache", "bcache"},
		{"zvol", "zvol"},
	};

	return find_exact(drivers, ARRAY_SIZE(drivers), driver);
}

/* Who made a device-mapper device puts its mark before the uuid. */
static const char *path_of_mapping(const char *disk)
{
	static const struct sign makers[] = {
		{"CRYPT-", "dm-crypt"},
		{"LVM-", "lvm"},
		{"mpath-", "dm-multipath"},
	};
	char *uuid = host_read_line("/sys/class/block/%s/dm/uuid", disk);
	const char *key = find_prefix(makers, ARRAY_SIZE(makers), uuid);

	free(uuid);
	return key ? key : "dm";
}

static const char *path_of_loop(const struct layer *layer)
{
	static const struct sign servers[] = {
		{"9p", "loop-remote"},	 {"virtiofs", "loop-remote"}, {"nfs", "loop-remote"},
		{"cifs", "loop-remote"}, {"smb", "loop-remote"},      {"ceph", "loop-remote"},
	};
	const char *key;

	if (layer->memory)
		return "loop-memory";
	key = find_prefix(servers, ARRAY_SIZE(servers), layer->backing_filesystem);
	return key ? key : "loop";
}

/* Of drivers without a number of their own, or with one for each disk. */
static const char *path_by_name(const char *disk)
{
	static const struct sign names[] = {
		{"rbd", "rbd"},
		{"ublkb", "ublk"},
		{"zd", "zvol"},
	};

	return find_prefix(names, ARRAY_SIZE(names), disk);
}

static const char *path_of_software(const char *disk, const struct layer *layer)
{
	if (host_exists("/sys/class/block/%s/dm", disk))
		return path_of_mapping(disk);
	if (host_exists("/sys/class/block/%s/loop", disk) || layer->backing_file)
		return path_of_loop(layer);
	if (host_exists("/sys/class/block/%s/bcache", disk) && !strncmp(disk, "bcache", strlen("bcache")))
		return "bcache";
	if (host_exists("/sys/class/block/%s/md", disk))
		return "md";
	return NULL;
}

/* --- by what is on the way --- */

static const char *path_by_transport(const char *directory)
{
	if (any_on_the_way(directory, is_usbip))
		return "usbip";
	if (any_on_the_way(directory, is_iscsi_session))
		return "iscsi";
	if (any_on_the_way(directory, is_remote_port))
		return "fibre-channel";
	return any_on_the_way(directory, is_usb) ? "usb" : NULL;
}

/*
 * What is left is a disk of this machine, if it is plugged into it. In a virtual machine it may be one that is passed
 * through, or one that the hypervisor makes up with a name that is not known here.
 */
static const char *path_of_own(const char *disk, const char *directory)
{
	bool guest = machine_is_virtual();

	if (!strncmp(disk, "pmem", strlen("pmem")))
		return guest ? "guest-pmem" : "pmem";
	if (strstr(directory, "/nvme-subsystem/"))
		return "nvme-multipath";
	if (!any_on_the_way(directory, is_pci) && !any_on_the_way(directory, is_ata_port))
		return NULL;
	if (!strncmp(disk, "nvme", strlen("nvme")))
		return guest ? "guest-nvme" : "native-nvme";
	if (!host_exists("/sys/class/block/%s/device/scsi_level", disk) && !any_on_the_way(directory, is_ata_port))
		return NULL;
	if (guest)
		return "guest-disk";
	return any_on_the_way(directory, is_ata_port) ? "native-ata" : "native-scsi";
}

static const char *find_path(const char *disk, const char *directory, const struct layer *layer)
{
	const char *key = path_of_software(disk, layer);

	if (!key && layer->memory && !strcmp(layer->memory, "memory (scsi_debug)"))
		key = "scsi-debug";
	if (!key)
		key = path_by_cloud(layer);
	if (!key)
		key = path_by_transport(directory);
	if (!key && layer->driver && !strcmp(layer->driver, "hv_storvsc"))
		key = path_on_storvsc(disk, directory, layer);
	if (!key)
		key = path_by_driver(layer->driver);
	if (!key)
		key = path_by_name(disk);
	if (!key)
		key = path_by_emulator(layer);
	return key ? key : path_of_own(disk, directory);
}

void path_describe(const char *disk, struct layer *layer)
{
	char *directory = block_directory(disk);
	const char *key;

	if (!directory)
		return;
	layer->driver = find_driver(disk, directory);
	key = find_path(disk, directory, layer);
	layer->path = key ? xstrdup(key) : NULL;
	free(directory);
}

/* --- file systems without a block device --- */

static char *mount_option(const struct mount *mount, const char *name)
{
	size_t length;
	char *value;

	if (mnt_optstr_get_option(mount->options, name, &value, &length))
		return NULL;
	return xasprintf("%.*s", (int)length, value ? value : "");
}

static bool is_from_drvfs(const char *source)
{
	return !strncmp(source, "drvfs", strlen("drvfs"));
}

/* WSL's own server is asked for "drvfs;path=C:\..." (its init, drvfs.cpp); over virtio its source is called so, too. */
static const char *path_of_9p(const struct mount *mount)
{
	char *name = mount_option(mount, "aname");
	bool drvfs = is_from_drvfs(mount->source) || (name && !strncmp(name, "drvfs", strlen("drvfs")));

	free(name);
	return drvfs ? "drvfs" : "9p";
}

/* What is written to an overlay goes to its upper directory, which need not be visible from here. */
static char *path_of_overlay(const struct mount *mount)
{
	char *upper = mount_option(mount, "upperdir"), *key = NULL;
	struct mount below;

	if (upper && !mount_of_path(upper, &below)) {
		if (strcmp(below.filesystem, "overlay"))
			key = path_of_mount(&below);
		mount_clear(&below);
	}
	free(upper);
	return key ? key : xstrdup("overlay");
}

char *path_of_mount(const struct mount *mount)
{
	static const struct sign types[] = {
		{"drvfs", "drvfs-wsl1"},
		{"wslfs", "wsl1"},
		{"lxfs", "wsl1"},
		{"nfs", "nfs"},
		{"nfs4", "nfs"},
		{"cifs", "smb"},
		{"smb3", "smb"},
		{"smbfs", "smb"},
		{"ceph", "ceph"},
		{"vboxsf", "host-folder"},
		{"vmhgfs", "host-folder"},
		{"fuse.vmhgfs-fuse", "host-folder"},
		{"prl_fs", "host-folder"},
		{"fuse", "fuse"},
		{"fuseblk", "fuse"},
		{"tmpfs", "memory"},
		{"ramfs", "memory"},
		{"devtmpfs", "memory"},
		{"hugetlbfs", "memory"},
		{"zfs", "zfs"},
		{"fuse.glusterfs", "fuse"},
	};
	const char *key;

	if (!strcmp(mount->filesystem, "overlay"))
		return path_of_overlay(mount);
	if (!strcmp(mount->filesystem, "9p"))
		return xstrdup(path_of_9p(mount));
	if (!strcmp(mount->filesystem, "virtiofs"))
		return xstrdup(is_from_drvfs(mount->source) ? "drvfs-virtiofs" : "virtiofs");
	key = find_exact(types, ARRAY_SIZE(types), mount->filesystem);
	if (!key && !strncmp(mount->filesystem, "fuse.", strlen("fuse.")))
		key = "fuse";
	return key ? xstrdup(key) : NULL;
}
