// SPDX-License-Identifier: GPL-2.0
/*
 * Markers of containers. An image that was made a machine's or a WSL distribution's root file system still carries
 * those of the container that it was made from, so they are held against mounts and namespaces.
 */
#include "clues.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "files.h"

static void add(struct clues *clues, const char *says, const char *source, const char *value)
{
	clues_add(clues, WITNESS_CONTAINER, WEIGHT_DIRECT, says, source, value);
}

/* The first namespaces' numbers are the same everywhere: PROC_*_INIT_INO of include/linux/proc_ns.h. */
static const struct {
	const char *name;
	unsigned long first;
} namespaces[] = {
	{"cgroup", 0xeffffffb}, {"ipc", 0xefffffff}, {"pid", 0xeffffffc}, {"user", 0xeffffffd}, {"uts", 0xeffffffe},
};

enum answer { UNKNOWN, NO, YES };

static enum answer has_own(size_t row)
{
	char *link = host_link("/proc/self/ns/%s", namespaces[row].name), *number;
	enum answer answer = UNKNOWN;

	number = link ? strchr(link, '[') : NULL;
	if (number)
		answer = strtoul(number + 1, NULL, 10) == namespaces[row].first ? NO : YES;
	free(link);
	return answer;
}

/* Namespaces that are not the machine's first, "cgroup, pid"; NULL where none is. */
static char *own_namespaces(bool *all_known)
{
	struct text names = {0};

	*all_known = true;
	for (size_t i = 0; i < ARRAY_SIZE(namespaces); i++) {
		enum answer answer = has_own(i);

		*all_known &= answer != UNKNOWN;
		if (answer == YES)
			text_addf(&names, "%s%s", names.length ? ", " : "", namespaces[i].name);
	}
	return names.length ? text_take(&names) : NULL;
}

/* Of a line of mountinfo: 1 where all of a file system on a disk is mounted at /, 0 where something else is, or -1. */
static int root_of_line(const char *line)
{
	const char *source = strstr(line, " - ");
	char *within = NULL, *point = NULL;
	int is = -1;

	if (source && sscanf(line, "%*d %*d %*s %ms %ms", &within, &point) == 2 && strcmp(point, "/") == 0)
		is = strcmp(within, "/") == 0 && strstr(source, " /dev/");
	free(within), free(point);
	return is;
}

/* A container's root is an overlay, or a directory or subvolume of a file system. */
static bool root_is_a_disk(void)
{
	char *mountinfo = host_read("/proc/self/mountinfo"), *save = NULL, *line;
	int is = 0;

	for (line = mountinfo ? strtok_r(mountinfo, "\n", &save) : NULL; line; line = strtok_r(NULL, "\n", &save)) {
		int root = root_of_line(line);

		if (root >= 0)
			is = root; /* the last one covers those before it */
	}
	free(mountinfo);
	return is;
}

/* Whether a marker may be what is left of an image. */
static bool is_leftover(void)
{
	bool all_known;
	char *own = own_namespaces(&all_known);
	bool first = all_known && !own;

	free(own);
	return first || root_is_a_disk();
}

static void add_marker(struct clues *clues, const char *path, const char *key)
{
	if (!host_exists("%s", path))
		return;
	if (is_leftover())
		add(clues, NULL, path, "present, but this is no container's root or namespace");
	else
		add(clues, key, path, "present");
}

/* WSL calls itself a container to systemd; it is none. */
static const char *container_of(const char *name)
{
	return strcmp(name, "wsl") == 0 ? NULL : name;
}

static void add_manager(struct clues *clues, const char *path)
{
	char *name = host_read_line("%s", path);

	if (name)
		add(clues, container_of(name), path, name);
	free(name);
}

/* Process 1 was told by whoever started it. Strings that end with zeros; root's to read. */
static void add_environment(struct clues *clues)
{
	static const char begin[] = "container=";
	size_t length = 0;
	char *environ = host_read_bytes(&length, "/proc/1/environ"), *variable = environ;

	for (; variable && variable < environ + length; variable += strlen(variable) + 1)
		if (strncmp(variable, begin, strlen(begin)) == 0 && variable[strlen(begin)])
			add(clues, container_of(variable + strlen(begin)), "/proc/1/environ", variable);
	free(environ);
}

/* PRoot traces all that runs in it. */
static void add_proot(struct clues *clues)
{
	char *status = host_read("/proc/self/status"), *tracer = status ? host_field(status, "TracerPid") : NULL;
	char *name = tracer && strcmp(tracer, "0") ? host_read_line("/proc/%s/comm", tracer) : NULL;

	if (name && strncmp(name, "proot", strlen("proot")) == 0)
		add(clues, "proot", "/proc/self/status TracerPid", name);
	free(name), free(tracer), free(status);
}

/* The host of OpenVZ has /proc/bc, too. */
static void add_openvz(struct clues *clues)
{
	if (host_exists("/proc/vz"))
		add(clues, host_exists("/proc/bc") ? NULL : "openvz", "/proc/vz", "present");
}

/* Processes and names of its own: a container, whoever made it. So it is with every distribution of WSL. */
static void add_namespaces(struct clues *clues, bool wsl)
{
	bool all_known;
	char *own = own_namespaces(&all_known);
	bool contained = own && !wsl && strstr(own, "pid") && (strstr(own, "uts") || strstr(own, "cgroup"));

	if (own)
		add(clues, contained ? "container" : NULL, "/proc/self/ns", own);
	free(own);
}

void clues_of_containers(struct clues *clues, bool wsl)
{
	static const char *const secrets[] = {"/run/secrets/kubernetes.io", "/var/run/secrets/kubernetes.io"};
	bool kubernetes = false;

	add_openvz(clues);
	add_proot(clues);
	for (size_t i = 0; i < ARRAY_SIZE(secrets) && !kubernetes; i++) {
		kubernetes = host_exists("%s", secrets[i]);
		if (kubernetes)
			add(clues, "kubernetes", secrets[i], "present");
	}
	add_manager(clues, "/run/host/container-manager");
	add_manager(clues, "/run/systemd/container");
	add_environment(clues);
	add_marker(clues, "/run/.containerenv", "podman");
	add_marker(clues, "/.dockerenv", "docker");
	add_namespaces(clues, wsl);
}
