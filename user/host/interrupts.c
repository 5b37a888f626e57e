// SPDX-License-Identifier: GPL-2.0
#include "interrupts.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "files.h"
#include "sensors.h"
#include "vmbus.h"

/* Whether `word` is `prefix` with something after it. */
static bool begins(const char *word, const char *prefix)
{
	size_t length = strlen(prefix);

	return !strncmp(word, prefix, length) && word[length];
}

/* What the names of the disks' interrupts begin with, and whether there were such. */
struct starts {
	char **start;
	size_t count;
	bool *seen;
};

/* Two disks of one controller share its interrupts. */
static void add_start(struct starts *starts, char *start)
{
	for (size_t i = 0; i < starts->count; i++) {
		if (!strcmp(starts->start[i], start)) {
			free(start);
			return;
		}
	}
	strings_add(&starts->start, &starts->count, start);
	free(start);
}

/* Whether the disk has any, or has interrupts that its channels count. */
static bool add_disk(struct starts *starts, const char *disk)
{
	char *device = host_link_name("/sys/block/%s/device", disk), **controller = sensors_controllers(disk);
	char *channels = vmbus_controller(disk);
	bool virtio = device && begins(device, "virtio"), any = virtio || controller[0] || channels;

	for (size_t i = 0; controller[i]; i++)
		add_start(starts, xasprintf("%sq", controller[i]));
	if (virtio)
		add_start(starts, xasprintf("%s-", device));
	strings_free(controller);
	free(channels);
	free(device);
	return any;
}

/* Of all leaves; false where one has none, or there are no leaves. */
static bool find_starts(struct starts *starts, const struct layer *layers, size_t count)
{
	bool all = true, any = false;

	for (size_t i = 0; i < count; i++) {
		if (!layers[i].leaf)
			continue;
		any = true;
		all = add_disk(starts, layers[i].name) && all;
	}
	starts->seen = xcalloc(starts->count, sizeof(*starts->seen));
	return all && any;
}

static void starts_clear(struct starts *starts)
{
	strings_free(starts->start);
	free(starts->seen);
}

/* Whether `action` is of a queue for I/O of the controller whose names begin with `start`. */
static bool is_queue(const char *action, const char *start)
{
	const char *queue;

	if (!begins(action, start))
		return false;
	queue = action + strlen(start);
	if (begins(start, "virtio"))
		return begins(queue, "req.") || !strcmp(queue, "virtqueues");
	return strcmp(queue, "0") != 0 && !queue[strspn(queue, "0123456789")];
}

/* Several actions may share an interrupt: "nvme0q0, nvme0q1". Takes `actions` apart. */
static bool is_of(char *actions, struct starts *starts)
{
	bool any = false;
	char *action;

	while ((action = strsep(&actions, " ,"))) {
		for (size_t i = 0; i < starts->count; i++) {
			if (is_queue(action, starts->start[i]))
				any = starts->seen[i] = true;
		}
	}
	return any;
}

/* Columns of the first line, which names the CPUs that are online. */
static size_t count_cpus(const char *heading)
{
	size_t cpus = 0;

	while ((heading = strstr(heading, "CPU"))) {
		heading++;
		cpus++;
	}
	return cpus;
}

/* " 36:  0  8225091  PCI-MSIX-0000:00:02.0  1-edge  virtio1-req.0"; what it counts, if it is of them. */
static uint64_t read_line(char *line, size_t cpus, struct starts *starts)
{
	char *next = strchr(line, ':');
	uint64_t sum = 0;

	if (!next++)
		return 0;
	for (size_t i = 0; i < cpus; i++)
		sum += strtoull(next, &next, 10);
	return is_of(next, starts) ? sum : 0;
}

static uint64_t read_lines(char *content, struct starts *starts)
{
	char *line = strsep(&content, "\n");
	size_t cpus = count_cpus(line);
	uint64_t sum = 0;

	while ((line = strsep(&content, "\n")))
		sum += read_line(line, cpus, starts);
	return sum;
}

/* What /proc/interrupts counts of them; 0 where there are none to look for. */
static bool read_table(struct starts *starts, uint64_t *interrupts)
{
	char *content = starts->count ? host_read("/proc/interrupts") : NULL;
	bool known = content || !starts->count;

	*interrupts = content ? read_lines(content, starts) : 0;
	for (size_t i = 0; i < starts->count; i++)
		known = known && starts->seen[i];
	free(content);
	return known;
}

bool interrupts_read(const struct layer *layers, size_t count, uint64_t *interrupts)
{
	struct starts starts = {0};
	struct vmbus_counts channels;
	uint64_t lines;
	bool known;

	known = find_starts(&starts, layers, count) && read_table(&starts, &lines) &&
		vmbus_read(layers, count, &channels);
	if (known)
		*interrupts = lines + channels.interrupts;
	starts_clear(&starts);
	return known;
}
