// SPDX-License-Identifier: GPL-2.0
/* What Linux itself says, and what is around it: its release, its command line, what WSL's init leaves, VMBus, Xen. */
#include "clues.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "files.h"

/*
 * WSL 1 calls its kernel 4.4.0-19041-Microsoft, WSL 2 5.15.167.4-microsoft-standard-WSL2, or 4.19...-microsoft-standard
 * in its first years.
 */
static const char *wsl_of_release(const char *release)
{
	if (strstr(release, "Microsoft") && !strstr(release, "WSL2") && !strstr(release, "-standard"))
		return "wsl1";
	if (strcasestr(release, "microsoft") || strstr(release, "WSL2"))
		return "wsl2";
	return NULL;
}

/* Either may be missing: interpreters can be disabled, and the directory is not there in containers. */
static const char *const subsystem_files[] = {
	"/run/WSL",
	"/proc/sys/fs/binfmt_misc/WSLInterop",
	"/proc/sys/fs/binfmt_misc/WSLInterop-late",
};

/* A kernel of the user's own may be called anything, which only WSL 2 can have. */
const char *clue_of_wsl(void)
{
	char *release = host_read_line("/proc/sys/kernel/osrelease");
	const char *key = release ? wsl_of_release(release) : NULL;

	free(release);
	for (size_t i = 0; i < ARRAY_SIZE(subsystem_files) && !key; i++)
		if (host_exists("%s", subsystem_files[i]))
			key = "wsl2";
	return key;
}

/* "Linux version 5.15.167.4-microsoft-standard-WSL2 (root@...) ...": the third word. */
static char *release_of_version(void)
{
	char *line = host_read_line("/proc/version"), *release = NULL;
	static const char begin[] = "Linux version ";

	if (line && strncmp(line, begin, strlen(begin)) == 0)
		release = xasprintf("%.*s", (int)strcspn(line + strlen(begin), " "), line + strlen(begin));
	free(line);
	return release;
}

static void add_release(struct clues *clues)
{
	static const char source[] = "/proc/sys/kernel/osrelease";
	char *release = host_read_line(source), *version = release_of_version();

	if (release)
		clues_add(clues, WITNESS_KERNEL, WEIGHT_DIRECT, wsl_of_release(release), source, release);
	if (version)
		clues_add(clues, WITNESS_KERNEL, WEIGHT_DIRECT, wsl_of_release(version), "/proc/version", version);
	free(release), free(version);
}

static void add_subsystem(struct clues *clues)
{
	const char *key = clue_of_wsl();

	for (size_t i = 0; i < ARRAY_SIZE(subsystem_files); i++)
		if (host_exists("%s", subsystem_files[i]))
			clues_add(clues, WITNESS_SUBSYSTEM, WEIGHT_DIRECT, key, subsystem_files[i], "present");
}

/* Parameters that begin so; the others are nobody's business. */
static void add_command_line(struct clues *clues)
{
	static const struct {
		const char *begin, *key;
	} parameters[] = {
		{"WSL_ROOT_INIT=", "wsl2"},
		{"initrd=\\initrd.img", "wsl2"},
	};
	char *line = host_read_line("/proc/cmdline"), *save = NULL, *word;

	for (word = line ? strtok_r(line, " ", &save) : NULL; word; word = strtok_r(NULL, " ", &save))
		for (size_t i = 0; i < ARRAY_SIZE(parameters); i++)
			if (strncmp(word, parameters[i].begin, strlen(parameters[i].begin)) == 0)
				clues_add(clues, WITNESS_COMMAND_LINE, WEIGHT_DIRECT, parameters[i].key,
					  "/proc/cmdline", word);
	free(line);
}

/* Windows' drives, and the file system that WSL 1 has for its root. A container may have been given one of the former.
 */
static void add_mounts(struct clues *clues)
{
	static const struct {
		const char *part, *value, *key;
	} mounts[] = {
		{" - wslfs ", "wslfs", "wsl1"},
		{" - lxfs ", "lxfs", "wsl1"},
		{",aname=drvfs;", "9p, aname=drvfs", "wsl2"},
		{" - virtiofs drvfs", "virtiofs, drvfs", "wsl2"},
	};
	char *mountinfo = host_read("/proc/self/mountinfo");

	for (size_t i = 0; mountinfo && i < ARRAY_SIZE(mounts); i++)
		if (strstr(mountinfo, mounts[i].part))
			clues_add(clues, WITNESS_MOUNTS, WEIGHT_DIRECT, mounts[i].key, "/proc/self/mountinfo",
				  mounts[i].value);
	free(mountinfo);
}

static void add_vmbus(struct clues *clues)
{
	char **device = host_list("/sys/bus/vmbus/devices"), *value;
	size_t count = 0;

	while (device && device[count])
		count++;
	value = xasprintf("%zu device%s", count, count == 1 ? "" : "s");
	if (count)
		clues_add(clues, WITNESS_DEVICES, WEIGHT_DIRECT, "hyperv", "/sys/bus/vmbus/devices", value);
	free(value);
	strings_free(device);
}

#define BIT_DOM0 (1u << 11) /* XENFEAT_dom0 (include/xen/interface/features.h) */

static bool is_dom0(void)
{
	char *capabilities = host_read_line("/proc/xen/capabilities");
	char *features = host_read_line("/sys/hypervisor/properties/features"); /* in hexadecimal, without 0x */
	bool is = (capabilities && strstr(capabilities, "control_d")) ||
		  (features && strtoul(features, NULL, 16) & BIT_DOM0);

	free(capabilities), free(features);
	return is;
}

/* Amazon's older instances: their Xen hands out identifiers that begin so. */
static void add_xen(struct clues *clues)
{
	char *type = host_read_line("/sys/hypervisor/type"), *uuid = host_read_line("/sys/hypervisor/uuid");
	const char *key = is_dom0() ? "xen-dom0" : "xen";

	if (type)
		clues_add(clues, WITNESS_DEVICES, WEIGHT_DIRECT, strcmp(type, "xen") == 0 ? key : "virtual",
			  "/sys/hypervisor/type", type);
	if (uuid && strncasecmp(uuid, "ec2", strlen("ec2")) == 0)
		clues_add(clues, WITNESS_DEVICES, WEIGHT_DIRECT, "ec2", "/sys/hypervisor/uuid", uuid);
	if (host_exists("/proc/xen"))
		clues_add(clues, WITNESS_DEVICES, WEIGHT_DIRECT, key, "/proc/xen", "present");
	free(type), free(uuid);
}

void clues_of_kernel(struct clues *clues)
{
	add_release(clues);
	add_command_line(clues);
	add_subsystem(clues);
	add_mounts(clues);
	add_vmbus(clues);
	add_xen(clues);
}
