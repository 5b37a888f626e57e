// SPDX-License-Identifier: GPL-2.0
#include "doctor_place.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "base/text.h"
#include "host/mounts.h"

/* What bench wants of a place: to write into a directory, to read a file or a device. */
static const char *const name = "bench here";

/* bytes of a test file */
#define LEAST (1 << 20)

/* A test file does not get the last 1 MiB. */
#define LEAST_FREE (2 * LEAST)

static void add_refused(struct section *section, const char *call, const char *value, const char *problem, int error)
{
	bool forbidden = error == EACCES || error == EPERM;
	struct finding *finding = section_add(section, name, call, "%s", value);

	finding_blame(finding, FITNESS_LIMITED, problem,
		      forbidden ? "run sudo iostrata ..., or name a place that is yours" : "name another place");
}

static void judge_device(struct section *section, const struct target *target)
{
	char *use = target->layers ? device_use(target->layer[0].name) : NULL, *problem;
	struct finding *finding;

	if (use) {
		finding = section_add(section, name, "/proc/self/mountinfo, /sys/class/block", "no: in use: %s", use);
		problem = xasprintf("bench measures a device only while nothing uses it, and this one is in use: %s.",
				    use);
		finding_blame(finding, FITNESS_LIMITED, problem,
			      "name a directory on it instead; iostrata trace -D shows its I/O as it is");
		free(problem);
	} else if (access(target->path, R_OK)) {
		add_refused(section, "access()", "no: it cannot be read", "bench cannot read this device.", errno);
	} else {
		finding_is_fine(section_add(section, name, "access()", "reads it; writes only with --destroy-data"));
	}
	free(use);
}

static bool is_too_small(const char *path)
{
	struct stat st;

	return !stat(path, &st) && st.st_size < LEAST;
}

static void judge_file(struct section *section, const struct target *target)
{
	if (access(target->path, R_OK))
		add_refused(section, "access()", "no: it cannot be read", "bench cannot read this file.", errno);
	else if (is_too_small(target->path))
		add_refused(section, "stat()", "no: it is too small",
			    "This file is smaller than 1 MiB, the least that bench can measure.", 0);
	else
		finding_is_fine(section_add(section, name, "access()", "reads it, with --read-only"));
}

static bool is_without_room(const char *path)
{
	struct statvfs room;

	return !statvfs(path, &room) && (uint64_t)room.f_bavail * room.f_frsize < LEAST_FREE;
}

static void judge_writable(struct section *section, const struct target *target)
{
	if (is_without_room(target->path))
		add_refused(section, "statvfs()", "no: there is no room for a test file",
			    "The file system has less than 2 MiB free, too little for the smallest test file.", 0);
	else
		finding_is_fine(section_add(section, name, "access()", "makes its test file here"));
}

static void judge_directory(struct section *section, const struct target *target)
{
	if (!access(target->path, W_OK | X_OK)) {
		judge_writable(section, target);
		return;
	}
	if (errno == EROFS)
		add_refused(section, "access()", "no: the file system is read only",
			    "bench cannot make its test file on a file system that is mounted read only.", errno);
	else
		add_refused(section, "access()", "no: nothing can be made here",
			    "bench cannot make its test file here.", errno);
}

void doctor_place(struct section *section, const struct target *target)
{
	switch (target->kind) {
	case TARGET_DEVICE:
		judge_device(section, target);
		break;
	case TARGET_FILE:
		judge_file(section, target);
		break;
	default:
		judge_directory(section, target);
	}
}
