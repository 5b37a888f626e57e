// SPDX-License-Identifier: GPL-2.0
#include "trace_target.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/log.h"
#include "base/text.h"
#include "host/block.h"
#include "host/mounts.h"
#include "result/remote.h"

/* --- devices that are named --- */

/* By path, or by the kernel's name. */
static int find_device(const char *given, dev_t *device)
{
	struct stat st;

	if (!stat(given, &st) && S_ISBLK(st.st_mode)) {
		*device = st.st_rdev;
		return 0;
	}
	if (!strchr(given, '/') && !block_number(given, device))
		return 0;
	if (!stat(given, &st))
		return log_failure(-EINVAL, "-D %s: not a block device, such as /dev/sda or /dev/sda1", given);
	return log_failure(-EINVAL, "-D %s: no such device", given);
}

static int describe_named(struct target *target, const struct trace_options *options)
{
	dev_t *device = xcalloc(options->devices, sizeof(*device));
	struct text given = {0};
	int err = 0;

	for (size_t i = 0; i < options->devices && !err; i++) {
		err = find_device(options->device[i], &device[i]);
		text_addf(&given, "%s%s", i ? "," : "", options->device[i]);
	}
	target->given = text_take(&given);
	if (!err && block_stacks(device, options->devices, &target->layer, &target->layers))
		err = log_failure(-EINVAL, "-D %s: not a device that /sys knows", target->given);
	free(device);
	return err;
}

/* --- all of them --- */

/* What is watched by itself: partitions are a part of their disks. */
static size_t count_disks(const struct target *target)
{
	size_t disks = 0;

	for (size_t i = 0; i < target->layers; i++)
		disks += !target->layer[i].parent_disk;
	return disks;
}

static void forget_layers(struct target *target)
{
	for (size_t i = 0; i < target->layers; i++)
		layer_clear(&target->layer[i]);
	free(target->layer);
	target->layer = NULL;
	target->layers = 0;
}

/* Read-only images, of which some machines have dozens, are left out only where there are too many. */
static void describe_all(struct target *target)
{
	target->given = xstrdup("all disks");
	block_disks(true, &target->layer, &target->layers);
	if (count_disks(target) <= MAX_LAYERS)
		return;
	forget_layers(target);
	block_disks(false, &target->layer, &target->layers);
	target_warn(target, "read-only loop devices are not watched: there are more than %d disks", MAX_LAYERS);
}

int trace_target_describe(struct target *target, const struct trace_options *options)
{
	int err = 0;

	target->kind = TARGET_DISKS;
	if (options->devices)
		err = describe_named(target, options);
	else
		describe_all(target);
	if (err)
		return err;
	if (!target->layers && !mounts_have(filesystem_is_remote))
		return log_failure(-EINVAL, "no disk is to be seen: is /sys mounted?");
	if (count_disks(target) > MAX_LAYERS)
		return log_failure(-EINVAL,
				   "%zu disks are too many, %d can be watched at once: name those that matter with "
				   "-D/--device",
				   count_disks(target), MAX_LAYERS);
	return 0;
}

char *trace_target_in_words(const struct target *target)
{
	size_t disks = count_disks(target);

	if (!disks)
		return xstrdup("file systems without a device");
	return disks > 1 ? xasprintf("%zu disks", disks) : xstrdup(target->layer[0].name);
}
