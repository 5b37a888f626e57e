// SPDX-License-Identifier: GPL-2.0
#include "path.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"

/* More disks than these are counted, not named. */
#define MOST_NAMED 4

#define BEHIND "the hypervisor and what it keeps the disk on"
#define CLOUD  "the hypervisor, the network and the cloud's storage"

#define KIND(key_, words_, ...)                                                                                        \
	{                                                                                                              \
		.key = key_, .words = words_, __VA_ARGS__                                                              \
	}

static const struct path_kind kinds[] = {
	/* disks of this machine, with nothing between that is not part of them */
	KIND("native-nvme", "an NVMe disk"),
	KIND("native-ata", "a SATA disk"),
	KIND("native-scsi", "a SAS or SCSI disk"),
	KIND("usb", "a USB disk"),
	KIND("mmc", "an SD card or eMMC"),
	KIND("pmem", "persistent memory"),
	KIND("raid-controller", "a disk behind a RAID controller", .includes = "the controller and its cache"),

	/* what hypervisors show */
	KIND("virtio-blk", "a virtio disk", .includes = BEHIND, .hosted = true),
	KIND("virtio-scsi", "a virtio SCSI disk", .includes = BEHIND, .hosted = true),
	KIND("xen-blkfront", "a Xen disk (blkfront)", .includes = "Xen's back end and what it keeps the disk on",
	     .hosted = true),
	KIND("vhdx", "a VHDX on Hyper-V's storvsc", .includes = "Windows' file system and disk", .hosted = true),
	KIND("storvsc-passthrough", "a disk passed through on Hyper-V's storvsc",
	     .includes = "Windows' disk driver and the disk", .hosted = true),
	KIND("vmware-pvscsi", "a VMware disk (PVSCSI)", .includes = BEHIND, .hosted = true),
	KIND("vmware", "a disk that VMware emulates", .includes = BEHIND, .hosted = true),
	KIND("qemu", "a disk that QEMU emulates", .includes = BEHIND, .hosted = true),
	KIND("virtualbox", "a disk that VirtualBox emulates", .includes = BEHIND, .hosted = true),
	KIND("bhyve", "a disk that bhyve emulates", .includes = BEHIND, .hosted = true),
	KIND("guest-nvme", "an NVMe disk in a virtual machine",
	     .includes = "the hypervisor and what it keeps the disk on, unless the disk is passed through",
	     .hosted = true),
	KIND("guest-disk", "a SATA or SCSI disk in a virtual machine",
	     .includes = "the hypervisor and what it keeps the disk on, unless the disk is passed through",
	     .hosted = true),
	KIND("guest-pmem", "persistent memory in a virtual machine",
	     .includes = "what the hypervisor keeps it in, often a file", .hosted = true),

	/* of clouds */
	KIND("azure-disk", "an Azure disk on Hyper-V's storvsc", .includes = CLOUD, .network = true, .hosted = true),
	KIND("azure-temporary", "Azure's temporary disk on Hyper-V's storvsc",
	     .includes = "the hypervisor and the host's disk", .hosted = true),
	KIND("hyperv-nvme", "an Azure disk behind Hyper-V's NVMe", .includes = CLOUD, .network = true, .hosted = true),
	KIND("azure-local-nvme", "Azure's local NVMe disk"),
	KIND("ebs", "an Amazon EBS volume behind NVMe", .includes = "the network and Amazon's storage", .network = true,
	     .hosted = true),
	KIND("ec2-instance-store", "an EC2 instance store behind NVMe", .includes = "Amazon's NVMe card",
	     .hosted = true),
	KIND("gce-pd", "a Google persistent disk", .includes = CLOUD, .network = true, .hosted = true),
	KIND("gce-local-ssd", "a Google local SSD", .includes = "the hypervisor", .hosted = true),
	KIND("alibaba-disk", "an Alibaba cloud disk behind NVMe", .includes = CLOUD, .network = true, .hosted = true),
	KIND("oracle-volume", "an Oracle block volume", .includes = CLOUD, .network = true, .hosted = true),
	KIND("cloud-volume", "a cloud's block volume on virtio SCSI", .includes = CLOUD, .network = true,
	     .hosted = true),

	/* over a network */
	KIND("iscsi", "an iSCSI disk", .includes = "the network and the iSCSI target", .network = true),
	KIND("nvme-tcp", "an NVMe disk over TCP", .includes = "the network and the NVMe target", .network = true),
	KIND("nvme-rdma", "an NVMe disk over RDMA", .includes = "the network and the NVMe target", .network = true),
	KIND("nvme-fc", "an NVMe disk over Fibre Channel", .includes = "the network and the NVMe target",
	     .network = true),
	KIND("nvme-loop", "an NVMe disk that this machine serves to itself",
	     .includes = "the NVMe target and what it stands on"),
	KIND("fibre-channel", "a disk over Fibre Channel", .includes = "the network and the storage array",
	     .network = true),
	KIND("usbip", "a USB disk over the network (USB/IP)",
	     .includes = "the network and the machine that the disk is plugged into", .network = true),
	KIND("rbd", "a Ceph block device (rbd)", .includes = "the network and the Ceph cluster", .network = true),
	KIND("nbd", "a network block device (nbd)", .includes = "the way to its server and what that keeps the data on",
	     .network = true),
	KIND("drbd", "a replicated device (drbd)", .includes = "the network and the replica", .network = true),
	KIND("aoe", "an ATA disk over Ethernet", .includes = "the network and its target", .network = true),

	/* what this kernel makes of others, or of nothing */
	KIND("loop", "a loop device"),
	KIND("loop-memory", "a loop device on a file in memory"),
	KIND("loop-remote", "a loop device on a file of a server",
	     .includes = "the file system that its file is on, and the server"),
	KIND("zram", "compressed memory (zram)"),
	KIND("ramdisk", "memory (brd)"),
	KIND("null-blk", "no medium at all (null_blk)"),
	KIND("scsi-debug", "memory (scsi_debug)"),
	KIND("md", "a RAID array (md)"),
	KIND("dm-crypt", "an encrypted device (dm-crypt)"),
	KIND("lvm", "an LVM volume"),
	KIND("dm-multipath", "several paths to a disk (dm-multipath)"),
	KIND("dm", "a device-mapper device"),
	KIND("nvme-multipath", "several paths to an NVMe disk"),
	KIND("bcache", "a cached device (bcache)"),
	KIND("ublk", "a device of a program (ublk)",
	     .includes = "the program that serves it and what it keeps the data on"),
	KIND("zvol", "a ZFS volume", .includes = "ZFS, its cache and its disks"),

	/* file systems without a block device */
	KIND("drvfs", "a Windows drive that Windows serves over 9p",
	     .includes = "the way to Windows, its file server, file system and disk", .remote = true, .hosted = true),
	KIND("drvfs-virtiofs", "a Windows drive that Windows serves over virtiofs",
	     .includes = "the way to Windows, its file server, file system and disk", .remote = true, .hosted = true),
	KIND("drvfs-wsl1", "a Windows drive in WSL 1", .includes = "Windows' file system and disk", .hosted = true),
	KIND("wsl1", "a folder of Windows that WSL 1 shows as a Linux file system",
	     .includes = "Windows' file system and disk", .hosted = true),
	KIND("9p", "a folder of another machine over 9p",
	     .includes = "the way there, its file server, file system and disk", .remote = true, .hosted = true),
	KIND("virtiofs", "a folder of the host over virtiofs",
	     .includes = "the way to the host, its file server, file system and disk", .remote = true, .hosted = true),
	KIND("nfs", "a folder of a server over NFS", .includes = "the network, the server, its file system and disk",
	     .network = true),
	KIND("smb", "a folder of a server over SMB", .includes = "the network, the server, its file system and disk",
	     .network = true),
	KIND("ceph", "a folder of a Ceph cluster", .includes = "the network and the cluster", .network = true),
	KIND("host-folder", "a folder of the host that its hypervisor shares",
	     .includes = "the way to the host, its file system and disk", .hosted = true),
	KIND("fuse", "a file system of a program (FUSE)",
	     .includes = "the program that serves it and all that it does for that", .remote = true),
	KIND("memory", "memory"),
	KIND("overlay", "an overlay"),
	KIND("zfs", "a ZFS pool, whose disks can't be told from here", .includes = "ZFS, its cache and its disks"),
};

const struct path_kind *path_kind(const char *key)
{
	for (size_t i = 0; key && i < ARRAY_SIZE(kinds); i++)
		if (!strcmp(kinds[i].key, key))
			return &kinds[i];
	return NULL;
}

const struct path_kind *path_kind_at(size_t index)
{
	return index < ARRAY_SIZE(kinds) ? &kinds[index] : NULL;
}

/* --- the way in words --- */

/* The disks at the ends of a target's stack, and their kinds; NULL where one is not known. */
struct ends {
	const struct layer **disk;
	const struct path_kind **kind;
	size_t count;
};

static struct ends find_ends(const struct target *target)
{
	struct ends ends = {
		.disk = xcalloc(target->layers, sizeof(*ends.disk)),
		.kind = xcalloc(target->layers, sizeof(*ends.kind)),
	};

	for (size_t i = 0; i < target->layers; i++) {
		if (!target->layer[i].leaf)
			continue;
		ends.disk[ends.count] = &target->layer[i];
		ends.kind[ends.count++] = path_kind(target->layer[i].path);
	}
	return ends;
}

static void ends_free(struct ends *ends)
{
	free(ends->disk);
	free(ends->kind);
}

static bool includes_more(const struct path_kind *kind)
{
	return kind && kind->includes;
}

static bool any_includes_more(const struct ends *ends)
{
	for (size_t i = 0; i < ends->count; i++)
		if (includes_more(ends->kind[i]))
			return true;
	return false;
}

static bool all_of_one_kind(const struct ends *ends)
{
	for (size_t i = 1; i < ends->count; i++)
		if (ends->kind[i] != ends->kind[0])
			return false;
	return true;
}

static bool is_first_of_its_kind(const struct ends *ends, size_t index)
{
	for (size_t i = 0; i < index; i++)
		if (ends->kind[i] == ends->kind[index])
			return false;
	return true;
}

/* The names of all ends, or with `kind` of those that are of it. */
static void add_names(struct text *text, const struct ends *ends, const struct path_kind *kind)
{
	size_t count = 0, named = 0;

	for (size_t i = 0; i < ends->count; i++)
		count += !kind || ends->kind[i] == kind;
	if (count > MOST_NAMED) {
		text_addf(text, "%zu disks", count);
		return;
	}
	for (size_t i = 0; i < ends->count; i++)
		if (!kind || ends->kind[i] == kind)
			text_addf(text, "%s%s", named++ ? ", " : "", ends->disk[i]->name);
}

/* Disks that are watched, rather than one with what it stands on. */
static bool has_several_tops(const struct target *target)
{
	return target->kind == TARGET_DISKS &&
	       (!target->given || strncmp(target->given, "/dev/", strlen("/dev/")) || strchr(target->given, ','));
}

static bool is_end(const struct ends *ends, const struct layer *layer)
{
	const char *body = layer->parent_disk ? layer->parent_disk : layer->name;

	for (size_t i = 0; i < ends->count; i++)
		if (!strcmp(ends->disk[i]->name, body))
			return true;
	return false;
}

/* The devices that the file system lies on itself. Returns whether there is nothing below them. */
static bool add_tops(struct text *text, const struct target *target, const struct ends *ends)
{
	size_t count = target->members ? target->members : 1, last = 0;

	if (count > MOST_NAMED)
		text_addf(text, "%zu devices", count);
	for (size_t i = 0; i < count; i++) {
		if (count <= MOST_NAMED)
			text_addf(text, "%s%s", i ? ", " : "", target->layer[i].name);
		last += is_end(ends, &target->layer[i]);
	}
	if (count == 1 && target->layer[0].backing_file)
		text_addf(text, " (file %s)", target->layer[0].backing_file);
	return last == count;
}

/* "ext4 on sdc", "block device md0 over sda, sdb" */
static void add_stack(struct text *text, const struct target *target, const struct ends *ends)
{
	if (target->kind == TARGET_DEVICE)
		text_addf(text, "block device ");
	else if (target->filesystem)
		text_addf(text, "%s on ", target->filesystem);
	if (add_tops(text, target, ends))
		return;
	text_addf(text, " over ");
	add_names(text, ends, NULL);
}

static void add_each_kind(struct text *text, const struct ends *ends)
{
	const char *between = "";

	for (size_t i = 0; i < ends->count; i++) {
		const struct path_kind *kind = ends->kind[i];

		if (!includes_more(kind) || !is_first_of_its_kind(ends, i))
			continue;
		text_addf(text, "%s`device` of ", between);
		add_names(text, ends, kind);
		text_addf(text, " (%s) includes %s", kind->words, kind->includes);
		between = "; ";
	}
}

static char *stack_in_words(const struct target *target)
{
	struct ends ends = find_ends(target);
	struct text text = {0};

	if (!any_includes_more(&ends)) {
		/* the plain words say all of it */
	} else if (has_several_tops(target)) {
		add_each_kind(&text, &ends);
	} else if (all_of_one_kind(&ends)) {
		add_stack(&text, target, &ends);
		text_addf(&text, ", %s%s: what follows as `device` includes %s", ends.count > 1 ? "each " : "",
			  ends.kind[0]->words, ends.kind[0]->includes);
	} else {
		add_stack(&text, target, &ends);
		text_addf(&text, ": ");
		add_each_kind(&text, &ends);
	}
	ends_free(&ends);
	return text.length ? text_take(&text) : NULL;
}

/* Where there is no stage that would hold all of it, it is in the latency itself. */
static char *access_in_words(const struct target *target)
{
	const struct path_kind *kind = path_kind(target->access);

	if (!includes_more(kind))
		return NULL;
	return xasprintf("%s, %s: what %s includes %s", target->filesystem ? target->filesystem : "a file system",
			 kind->words, kind->remote ? "follows as `remote`" : "is measured", kind->includes);
}

char *path_in_words(const struct target *target)
{
	return target->layers ? stack_in_words(target) : access_in_words(target);
}
