// SPDX-License-Identifier: GPL-2.0
#include "doctor_target.h"

#include <libmount/libmount.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>

#include "base/format.h"
#include "base/text.h"
#include "doctor_disk.h"
#include "host/files.h"
#include "host/mounts.h"
#include "report/target.h"
#include "result/path.h"

/* Per cent of the blocks: above it, file systems find no more room in one piece. */
#define FULL 90

#define MOUNTS "/proc/self/mountinfo"

/* --- the way to the medium --- */

static char *way_in_words(const struct target *target)
{
	const struct path_kind *kind = path_kind(target->access);
	char *words = path_in_words(target);

	if (!words && !target->layers && kind)
		words = xasprintf("%s, %s", target->filesystem ? target->filesystem : "a file system", kind->words);
	return words ? words : target_in_words(target);
}

static void blame_drvfs(struct finding *finding, const struct target *target)
{
	const struct path_kind *kind = path_kind(target->access);
	bool old = !strcmp(target->access, "drvfs-wsl1") || !strcmp(target->access, "wsl1");
	char *problem = xasprintf("This is %s, no disk of Linux: %s.", kind->words,
				  old ? "WSL 1 has no block layer, and of a latency no part can be told"
				      : "what is measured is mostly the way to Windows and back");

	finding_blame(
		finding, FITNESS_LIMITED, problem,
		old ? "measure with DiskSpd in Windows, or turn the distribution into WSL 2: wsl --set-version NAME 2"
		    : "name a directory of the Linux file system, such as ~, or give WSL a whole disk");
	free(problem);
}

static void blame_access(struct finding *finding, const struct target *target)
{
	const struct path_kind *kind = path_kind(target->access);
	bool unseen = !kind || !strcmp(kind->key, "overlay");

	if (unseen && !host_exists("/sys/dev/block"))
		finding_blame(finding, FITNESS_LIMITED, "/sys is not mounted, so that no device can be seen.",
			      "sudo mount -t sysfs sysfs /sys");
	else if (unseen)
		finding_blame(
			finding, FITNESS_LIMITED,
			"What this file system stands on can't be seen from here: no stage of an I/O can be told.",
			"name a directory of a file system that is on a disk, such as a volume of the container");
	else if (!strcmp(kind->key, "memory"))
		finding_blame(finding, FITNESS_UNFIT, "This is memory: what is measured there is no disk.",
			      "name a directory or a device on a disk");
	else if (!strcmp(kind->key, "zfs"))
		finding_blame(finding, FITNESS_LIMITED,
			      "ZFS does not tell the kernel which disks a pool lies on: no device can be timed.",
			      "zpool status -P shows its disks; iostrata trace -D times one of them");
	else if (!strncmp(kind->key, "drvfs", strlen("drvfs")) || !strcmp(kind->key, "wsl1"))
		blame_drvfs(finding, target);
	else
		finding_blame(finding, FITNESS_LIMITED,
			      kind->remote
				      ? "There is no block device on this machine: of an I/O only the round trips "
					"can be timed."
				      : "There is no block device on this machine: no stage of an I/O can be told.",
			      NULL);
}

static void add_way(struct section *section, const struct target *target)
{
	char *words = way_in_words(target);
	struct finding *finding = section_add(section, "path", target->layers ? "/sys/class/block" : MOUNTS, "%s",
					      *words ? words : "unknown");

	if (!target->layers)
		blame_access(finding, target);
	free(words);
}

/* --- the file system --- */

struct mounted {
	struct finding *finding;
	const struct mount *mount;
};

static bool has_option(const struct mounted *mounted, const char *name, const char *value)
{
	size_t length = 0;
	char *found = NULL;

	if (mnt_optstr_get_option(mounted->mount->options, name, &found, &length))
		return false;
	return !value || (found && length == strlen(value) && !strncmp(found, value, length));
}

/* For a shell. */
static char *quoted(const char *word)
{
	struct text text = {0};

	if (word[strspn(word, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/._-+,:@")] == '\0')
		return xstrdup(word);
	text_addf(&text, "'");
	for (; *word; word++) {
		if (*word == '\'')
			text_addf(&text, "'\\''");
		else
			text_add(&text, word, 1);
	}
	text_addf(&text, "'");
	return text_take(&text);
}

static void blame_option(const struct mounted *mounted, const char *problem, const char *option)
{
	char *point = quoted(mounted->mount->point), *cure;

	/* one finding has one problem: the first is told, and the next once that is gone */
	if (!mounted->finding->problem) {
		cure = option ? xasprintf("sudo mount -o remount,%s %s", option, point)
			      : xasprintf("sudo umount %s, and mount it without that option", point);
		finding_blame(mounted->finding, FITNESS_LIMITED, problem, cure);
		free(cure);
	}
	free(point);
}

static bool is_on_disk(const char *filesystem)
{
	static const char *const names[] = {"ext2", "ext3", "ext4", "xfs", "btrfs", "f2fs"};

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (!strcmp(filesystem, names[i]))
			return true;
	return false;
}

/* Where neither is among the options, each read of a file is noted in it (mount(8), strictatime). */
static bool notes_each_read(const struct mounted *mounted)
{
	return is_on_disk(mounted->mount->filesystem) && !has_option(mounted, "noatime", NULL) &&
	       !has_option(mounted, "relatime", NULL) && !has_option(mounted, "ro", NULL);
}

static void judge_options(const struct mounted *mounted)
{
	bool ext = !strncmp(mounted->mount->filesystem, "ext", 3);

	if (has_option(mounted, "nobarrier", NULL) || has_option(mounted, "barrier", "0"))
		blame_option(mounted,
			     "The file system sends no flushes: synced data may be lost when the power fails, and "
			     "syncs take less time than elsewhere.",
			     "barrier");
	if (ext && has_option(mounted, "data", "journal"))
		blame_option(mounted,
			     "Data goes through the journal (data=journal): it is written twice, and never past the "
			     "page cache.",
			     NULL);
	/* 9p without a cache has it always */
	if (strcmp(mounted->mount->filesystem, "9p") && has_option(mounted, "sync", NULL))
		blame_option(mounted,
			     "All writes are synchronous (sync): each waits for the disk's cache to be flushed.",
			     "async");
	if (has_option(mounted, "compress", NULL) || has_option(mounted, "compress-force", NULL))
		blame_option(mounted,
			     "The file system compresses: fewer bytes come to the disk than are written, and they pass "
			     "the page cache.",
			     !strcmp(mounted->mount->filesystem, "btrfs") ? "compress=no" : NULL);
	if (notes_each_read(mounted))
		blame_option(mounted, "Each read of a file is noted in it (strictatime), which writes to the disk.",
			     "noatime");
}

static void add_filesystem(struct section *section, const struct mount *mount)
{
	struct mounted mounted = {
		.finding = section_add(section, "file system", MOUNTS, "%s at %s, %s", mount->filesystem, mount->point,
				       mount->options),
		.mount = mount,
	};

	judge_options(&mounted);
	if (!mounted.finding->problem && is_on_disk(mount->filesystem))
		finding_is_fine(mounted.finding);
}

/* As df(1) has it: of what is not reserved for root. */
static void add_fill(struct section *section, const struct mount *mount)
{
	char *source = xasprintf("statvfs(%s)", mount->point), size[FORMAT_LENGTH], problem[160];
	uint64_t used, own, percent;
	struct statvfs room;
	struct finding *finding;

	if (!statvfs(mount->point, &room) && room.f_blocks && room.f_blocks >= room.f_bfree) {
		used = room.f_blocks - room.f_bfree;
		own = used + room.f_bavail;
		percent = own ? (100 * used + own - 1) / own : 100;
		finding = section_add(section, "full", source, "%llu %% of %s, %.1f %% more kept for root",
				      (unsigned long long)percent,
				      format_size(size, (uint64_t)room.f_blocks * room.f_frsize),
				      100.0 * (double)(room.f_bfree - room.f_bavail) / (double)room.f_blocks);
		if (percent > FULL && is_on_disk(mount->filesystem)) {
			snprintf(problem, sizeof(problem),
				 "The file system is more than %d %% full: new files lie in many pieces, and an SSD "
				 "has less room to tidy up.",
				 FULL);
			finding_blame(finding, FITNESS_LIMITED, problem, "delete or move files");
		} else {
			finding_is_fine(finding);
		}
	}
	free(source);
}

static void add_mount(struct section *section, const struct target *target)
{
	struct mount mount;

	if (!target->mount_point || mount_at(target->mount_point, &mount))
		return;
	add_filesystem(section, &mount);
	if (!host_has_root()) /* a recorded machine has no blocks to count */
		add_fill(section, &mount);
	mount_clear(&mount);
}

void doctor_target(struct diagnosis *diagnosis, const struct target *target)
{
	struct section *section = diagnosis_add_section(diagnosis, target->given);

	add_way(section, target);
	add_mount(section, target);
	for (size_t i = 0; i < target->layers; i++)
		doctor_disk(section, &target->layer[i]);
}
