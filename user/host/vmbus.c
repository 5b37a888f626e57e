// SPDX-License-Identifier: GPL-2.0
#include "vmbus.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "block.h"
#include "files.h"

#define DEVICES "/sys/devices"

static bool is_storage(const char *directory)
{
	char *driver = host_link_name("%s/driver", directory);
	bool is = driver && !strcmp(driver, "hv_storvsc");

	free(driver);
	return is;
}

char *vmbus_controller(const char *disk)
{
	char *path = block_directory(disk);

	while (path && strlen(path) > strlen(DEVICES)) {
		if (host_exists("%s/channels", path)) {
			if (is_storage(path))
				return path;
			break;
		}
		*strrchr(path, '/') = '\0';
	}
	free(path);
	return NULL;
}

static bool add_channel(const char *controller, const char *channel, struct vmbus_counts *counts)
{
	uint64_t kicks, interrupts;

	if (host_read_number(&kicks, "%s/channels/%s/events", controller, channel) ||
	    host_read_number(&interrupts, "%s/channels/%s/interrupts", controller, channel))
		return false;
	counts->kicks += kicks;
	counts->interrupts += interrupts;
	return true;
}

static bool add_controller(const char *controller, struct vmbus_counts *counts)
{
	char **channel = host_list("%s/channels", controller);
	bool known = channel && channel[0];

	for (size_t i = 0; known && channel[i]; i++)
		known = add_channel(controller, channel[i], counts);
	strings_free(channel);
	return known;
}

static bool contains(char *const *strings, size_t count, const char *string)
{
	for (size_t i = 0; i < count; i++)
		if (!strcmp(strings[i], string))
			return true;
	return false;
}

bool vmbus_read(const struct layer *layers, size_t count, struct vmbus_counts *counts)
{
	char **seen = NULL, *controller;
	bool known = true;
	size_t some = 0;

	*counts = (struct vmbus_counts){0};
	for (size_t i = 0; i < count; i++) {
		controller = layers[i].leaf ? vmbus_controller(layers[i].name) : NULL;
		if (!controller)
			continue;
		counts->leaves++;
		if (!contains(seen, some, controller)) {
			strings_add(&seen, &some, controller);
			known = add_controller(controller, counts) && known;
		}
		free(controller);
	}
	strings_free(seen);
	return known;
}

bool vmbus_read_kicks(const struct layer *layers, size_t count, uint64_t *kicks)
{
	struct vmbus_counts counts;
	size_t leaves = 0;

	for (size_t i = 0; i < count; i++)
		leaves += layers[i].leaf;
	if (!vmbus_read(layers, count, &counts) || !leaves || counts.leaves < leaves)
		return false;
	*kicks = counts.kicks;
	return true;
}
