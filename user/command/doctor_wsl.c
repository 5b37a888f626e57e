// SPDX-License-Identifier: GPL-2.0
/* Of disks in WSL: learn.microsoft.com/windows/wsl/wsl2-mount-disk. */
#include "doctor_wsl.h"

#include <stdlib.h>
#include <string.h>

#include "base/format.h"
#include "base/text.h"
#include "host/block.h"
#include "host/mounts.h"

/* Names on their way into a sentence. */
struct names {
	char **name;
	size_t count;
};

static bool is_wsl(const struct machine *machine, const char *key, const char *version)
{
	if (machine->platform.key)
		return !strcmp(machine->platform.key, key);
	return machine->wsl && !strcmp(machine->wsl, version);
}

/* "sda", "sda and sdb", "sda, sdb and sdc"; the caller frees it. */
static char *enumerate(const struct names *names)
{
	struct text text = {0};

	for (size_t i = 0; i < names->count; i++)
		text_addf(&text, "%s%s", !i ? "" : i + 1 < names->count ? ", " : " and ", names->name[i]);
	return text_take(&text);
}

static bool is_path(const struct layer *layer, const char *key)
{
	return layer->path && !strcmp(layer->path, key);
}

static struct names disks_of(const struct layer *layer, size_t count, const char *path)
{
	struct names names = {0};

	for (size_t i = 0; i < count; i++)
		if (is_path(&layer[i], path))
			strings_add(&names.name, &names.count, layer[i].name);
	return names;
}

/* --- whole disks --- */

#define PLAIN "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-"

/* What the disk itself calls its number is only put into a command where it can't mean anything to a shell. */
static const char *prepared_as(const struct layer *disk)
{
	bool plain = disk->serial && *disk->serial && !disk->serial[strspn(disk->serial, PLAIN)];

	return plain ? disk->serial : disk->name;
}

/* Where tools/prepare-disk mounts it. The caller frees it. */
static char *mount_point_of(const struct layer *disk)
{
	char *point = xasprintf("/mnt/iostrata-%s", disk->serial && *disk->serial ? disk->serial : disk->name);
	char *at = point + strlen("/mnt/");

	while (*(at += strspn(at, PLAIN)))
		*at = '_';
	return point;
}

static void advise_disk_that_is_given(struct diagnosis *diagnosis, const struct layer *disk)
{
	char size[FORMAT_LENGTH], *point = mount_point_of(disk), *use = device_use(disk->name);

	diagnosis_advise(
		diagnosis,
		"%s (%s, %s) is a whole disk that Windows has given to WSL%s%s%s. To measure the disk itself, "
		"prepare it, which shows what is on it and asks before it erases that; measure it and let it go:\n"
		"    sudo tools/prepare-disk %s\n"
		"    sudo iostrata bench %s\n"
		"    sudo tools/prepare-disk --release %s",
		disk->name, disk->model ? disk->model : "of unknown model", format_size(size, disk->size),
		use ? ", in use (" : "", use ? use : "", use ? "), which must end first" : "", prepared_as(disk), point,
		prepared_as(disk));
	free(use);
	free(point);
}

/* Which disk is the new one shows when those are known that were there before. */
static void advise_to_give_one(struct diagnosis *diagnosis, const struct names *known)
{
	char *names = enumerate(known);

	diagnosis_advise(
		diagnosis,
		"To measure a disk itself, give WSL a whole one; all that is on it will be lost. In PowerShell as "
		"administrator, with the disk's number for N:\n"
		"    GET-CimInstance -query \"SELECT * from Win32_DiskDrive\"\n"
		"    Set-Disk -Number N -IsOffline $true\n"
		"    wsl --mount \\\\.\\PHYSICALDRIVEN --bare");
	diagnosis_advise(diagnosis,
			 "Then Linux has one disk more than %s. Find the serial number of the new one, or its "
			 "name where it shows none; prepare it, measure it and let it go:\n"
			 "    lsblk -d -o NAME,MODEL,SERIAL,SIZE\n"
			 "    sudo tools/prepare-disk SERIAL\n"
			 "    sudo iostrata bench /mnt/iostrata-SERIAL\n"
			 "    sudo tools/prepare-disk --release SERIAL",
			 known->count ? names : "before");
	free(names);
}

static void advise_to_give_back(struct diagnosis *diagnosis)
{
	diagnosis_advise(diagnosis, "To give a disk back to Windows, in PowerShell as administrator:\n"
				    "    wsl --unmount \\\\.\\PHYSICALDRIVEN\n"
				    "    Set-Disk -Number N -IsOffline $false");
}

static void advise_limits(struct diagnosis *diagnosis)
{
	diagnosis_advise(
		diagnosis,
		"Windows gives whole disks only: not the one it runs from, and neither USB sticks nor card readers "
		"(usbipd-win brings those in, over a network protocol). A machine with a single disk compares a "
		"directory of this distribution with DiskSpd on C: in Windows.");
	diagnosis_advise(
		diagnosis,
		"Choose a disk without BitLocker: WSL is given its encrypted blocks, while what Windows measures "
		"includes the encryption.");
}

/* --- what is none --- */

static void advise_virtual_disks(struct diagnosis *diagnosis, const struct names *vhdx)
{
	bool one = vhdx->count == 1;
	char *names;

	if (!vhdx->count)
		return;
	names = enumerate(vhdx);
	diagnosis_advise(
		diagnosis,
		"WSL 2: %s %s of Windows (VHDX). What is measured there includes Windows' file system and the disk "
		"below it.",
		names, one ? "is a disk in a file" : "are disks in files");
	free(names);
}

/* WSL mounts its own drivers by the same protocols as the drives. */
static bool is_windows_drive(const char *point)
{
	return strncmp(point, "/usr/lib/wsl/", strlen("/usr/lib/wsl/")) != 0 &&
	       strncmp(point, "/run/wsl/", strlen("/run/wsl/")) != 0;
}

static void advise_windows_drives(struct diagnosis *diagnosis, const char *protocol)
{
	char **point = mounts_of_type(protocol), *names;
	struct names drives = {0};

	for (size_t i = 0; point[i]; i++)
		if (is_windows_drive(point[i]))
			strings_add(&drives.name, &drives.count, point[i]);
	if (drives.count) {
		names = enumerate(&drives);
		diagnosis_advise(
			diagnosis,
			"%s %s: each request goes to a server in Windows, over %s, and what is measured there is "
			"mostly that way.",
			names, drives.count == 1 ? "is no disk" : "are no disks", protocol);
		free(names);
	}
	strings_free(drives.name);
	strings_free(point);
}

static void advise_wsl_2(struct diagnosis *diagnosis)
{
	struct layer *layer;
	size_t count, given = 0;
	struct names vhdx;

	block_disks(false, &layer, &count);
	vhdx = disks_of(layer, count, "vhdx");
	advise_virtual_disks(diagnosis, &vhdx);
	for (size_t i = 0; i < count; i++) {
		if (!is_path(&layer[i], "storvsc-passthrough"))
			continue;
		advise_disk_that_is_given(diagnosis, &layer[i]);
		given++;
	}
	if (!given)
		advise_to_give_one(diagnosis, &vhdx);
	advise_to_give_back(diagnosis);
	advise_limits(diagnosis);
	advise_windows_drives(diagnosis, "9p");
	advise_windows_drives(diagnosis, "virtiofs");
	strings_free(vhdx.name);
	for (size_t i = 0; i < count; i++)
		layer_clear(&layer[i]);
	free(layer);
}

static void advise_wsl_1(struct diagnosis *diagnosis)
{
	diagnosis_advise(
		diagnosis,
		"WSL 1 runs without a Linux kernel, so there is nothing to trace and no disk to be given. WSL 2 has "
		"one. To convert this distribution, which may take minutes, in PowerShell:\n"
		"    wsl --list --verbose\n"
		"    wsl --set-version NAME 2");
}

void doctor_advise_wsl(struct diagnosis *diagnosis)
{
	const struct machine *machine = &diagnosis->machine;

	if (is_wsl(machine, "wsl1", "1"))
		advise_wsl_1(diagnosis);
	else if (is_wsl(machine, "wsl2", "2") && machine->platform.container)
		diagnosis_advise(diagnosis,
				 "This container is on WSL 2. A disk is given to WSL and prepared outside of it: "
				 "run doctor in a distribution.");
	else if (is_wsl(machine, "wsl2", "2"))
		advise_wsl_2(diagnosis);
}
