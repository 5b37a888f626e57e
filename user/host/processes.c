// SPDX-License-Identifier: GPL-2.0
#include "processes.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/text.h"
#include "files.h"

/* The second field after the name, which may hold anything and ends at the last ')'. */
pid_t process_parent(pid_t pid)
{
	char *stat = host_read("/proc/%d/stat", pid), *end = stat ? strrchr(stat, ')') : NULL;
	int parent;

	if (!end || sscanf(end + 1, " %*c %d", &parent) != 1)
		parent = -ESRCH;
	free(stat);
	return parent;
}

pid_t process_of(pid_t id)
{
	char *status = host_read("/proc/%d/status", id), *group = status ? host_field(status, "Tgid") : NULL;
	pid_t process = group ? atoi(group) : -ESRCH;

	free(group);
	free(status);
	return process;
}

int process_open(pid_t pid)
{
	/* glibc has had the call since 2.36 only. */
	int fd = (int)syscall(SYS_pidfd_open, pid, 0);

	return fd < 0 ? -errno : fd;
}

char *process_name(pid_t pid)
{
	return host_read_line("/proc/%d/comm", pid);
}

/* --- who serves a file system --- */

static bool has_both_open(pid_t pid, const char *device)
{
	char **fds = host_list("/proc/%d/fd", pid);
	bool fuse = false, disk = false;

	for (size_t i = 0; fds && fds[i]; i++) {
		char *file = host_link("/proc/%d/fd/%s", pid, fds[i]);

		fuse |= file && !strcmp(file, "/dev/fuse");
		disk |= file && !strcmp(file, device);
		free(file);
	}
	strings_free(fds);
	return fuse && disk;
}

pid_t process_serving(const char *name)
{
	char **entries = host_list("/proc"), *device = xasprintf("/dev/%s", name);
	pid_t found = 0;

	for (size_t i = 0; entries && entries[i] && !found; i++) {
		pid_t pid = atoi(entries[i]);

		if (pid > 0 && has_both_open(pid, device))
			found = pid;
	}
	strings_free(entries);
	free(device);
	return found;
}

/* --- descendants --- */

struct process {
	pid_t pid, parent;
	bool root, below;
};

/* All of them, by number. */
static size_t read_processes(struct process **processes)
{
	char **name = host_list("/proc");
	size_t count = 0;

	*processes = NULL;
	for (size_t i = 0; name && name[i]; i++) {
		struct process process = {.pid = atoi(name[i])};

		if (process.pid > 0)
			process.parent = process_parent(process.pid);
		if (process.pid <= 0 || process.parent < 0)
			continue;
		*processes = xreallocarray(*processes, count + 1, sizeof(**processes));
		(*processes)[count++] = process;
	}
	strings_free(name);
	return count;
}

static int compare_pids(const void *a, const void *b)
{
	const struct process *first = a, *second = b;

	return (first->pid > second->pid) - (first->pid < second->pid);
}

static struct process *find(struct process *processes, size_t count, pid_t pid)
{
	const struct process key = {.pid = pid};

	return count ? bsearch(&key, processes, count, sizeof(*processes), compare_pids) : NULL;
}

/* Marks those whose parent is a root or marked. Returns how many are new. */
static size_t mark_children(struct process *processes, size_t count)
{
	size_t marked = 0;

	for (size_t i = 0; i < count; i++) {
		const struct process *parent = find(processes, count, processes[i].parent);

		if (processes[i].root || processes[i].below || !parent || !(parent->root || parent->below))
			continue;
		processes[i].below = true;
		marked++;
	}
	return marked;
}

size_t processes_below(const pid_t *root, size_t roots, pid_t **found)
{
	struct process *processes;
	size_t count = read_processes(&processes), below = 0;

	if (count)
		qsort(processes, count, sizeof(*processes), compare_pids);
	for (size_t i = 0; i < roots; i++) {
		struct process *process = find(processes, count, root[i]);

		if (process)
			process->root = true;
	}
	while (mark_children(processes, count))
		;
	*found = xcalloc(count, sizeof(**found));
	for (size_t i = 0; i < count; i++)
		if (processes[i].below)
			(*found)[below++] = processes[i].pid;
	free(processes);
	return below;
}
