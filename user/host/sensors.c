// SPDX-License-Identifier: GPL-2.0
#include "sensors.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "files.h"

/* --- power --- */

#define SUPPLIES "/sys/class/power_supply"

static bool reads(const char *expected, const char *supply, const char *attribute)
{
	char *line = host_read_line(SUPPLIES "/%s/%s", supply, attribute);
	bool same = line && !strcmp(line, expected);

	free(line);
	return same;
}

struct power {
	bool known, online, discharging;
};

static void look_at_supply(const char *supply, struct power *power)
{
	uint64_t online;

	if (reads("Mains", supply, "type") || reads("USB", supply, "type")) {
		if (host_read_number(&online, SUPPLIES "/%s/online", supply))
			return;
		power->known = true;
		power->online |= online > 0;
	} else if (reads("Battery", supply, "type") && !reads("Device", supply, "scope")) {
		if (!host_exists(SUPPLIES "/%s/status", supply) || reads("Unknown", supply, "status"))
			return;
		power->known = true;
		power->discharging |= reads("Discharging", supply, "status");
	}
}

bool sensors_on_battery(bool *on_battery)
{
	char **supply = host_list(SUPPLIES);
	struct power power = {0};

	for (size_t i = 0; supply && supply[i]; i++)
		look_at_supply(supply[i], &power);
	strings_free(supply);
	*on_battery = power.discharging && !power.online;
	return power.known;
}

/* --- heat --- */

#define CPUS "/sys/devices/system/cpu"

/* "cpu0" and not "cpuidle". */
static bool is_numbered(const char *name, const char *prefix)
{
	size_t length = strlen(prefix);

	return !strncmp(name, prefix, length) && name[length] && !name[length + strspn(name + length, "0123456789")];
}

bool sensors_throttlings(uint64_t *count)
{
	static const char *const part[] = {"core", "package"};
	char **cpu = host_list(CPUS);
	bool known = false;
	uint64_t times;

	*count = 0;
	for (size_t i = 0; cpu && cpu[i]; i++) {
		for (size_t p = 0; is_numbered(cpu[i], "cpu") && p < ARRAY_SIZE(part); p++) {
			if (host_read_number(&times, CPUS "/%s/thermal_throttle/%s_throttle_count", cpu[i], part[p]))
				continue;
			known = true;
			*count += times;
		}
	}
	strings_free(cpu);
	return known;
}

/* Of "hwmonN" in a directory. */
static bool read_temperature(const char *directory, double *degrees)
{
	char **entry = host_list("%s", directory), *line = NULL, *end;
	bool found = false;

	for (size_t i = 0; entry && entry[i] && !found; i++) {
		if (!is_numbered(entry[i], "hwmon"))
			continue;
		line = host_read_line("%s/%s/temp1_input", directory, entry[i]);
		if (!line)
			continue;
		*degrees = (double)strtol(line, &end, 10) / 1000;
		found = end != line && !*end;
		free(line);
	}
	strings_free(entry);
	return found;
}

/* Its device lists its hwmon itself, or in a folder called hwmon: drivers/base/core.c, get_device_parent(). */
static bool device_temperature(const char *device, double *degrees)
{
	char *folder = xasprintf("%s/hwmon", device);
	bool found = read_temperature(device, degrees) || read_temperature(folder, degrees);

	free(folder);
	return found;
}

bool sensors_temperature(const char *disk, double *degrees)
{
	char *device = xasprintf("/sys/block/%s/device", disk), **controller, *below;
	bool found = device_temperature(device, degrees);

	controller = found ? NULL : sensors_controllers(disk);
	for (size_t i = 0; controller && controller[i] && !found; i++) {
		below = xasprintf("%s/%s", device, controller[i]);
		found = device_temperature(below, degrees);
		free(below);
	}
	strings_free(controller);
	free(device);
	return found;
}

/* --- NVMe --- */

char **sensors_controllers(const char *disk)
{
	char **controller = xcalloc(1, sizeof(*controller)), **entry = NULL;
	char *device = host_link_name("/sys/block/%s/device", disk);
	size_t count = 0;

	if (device && is_numbered(device, "nvme"))
		strings_add(&controller, &count, device);
	else if (device && is_numbered(device, "nvme-subsys"))
		entry = host_list("/sys/block/%s/device", disk);
	for (size_t i = 0; entry && entry[i]; i++)
		if (is_numbered(entry[i], "nvme"))
			strings_add(&controller, &count, entry[i]);
	strings_free(entry);
	free(device);
	return controller;
}

/* --- arrays --- */

bool sensors_array(const char *disk, struct array_state *array)
{
	*array = (struct array_state){.level = host_read_line("/sys/block/%s/md/level", disk)};
	if (!array->level)
		return false;
	array->device = xstrdup(disk);
	array->action = host_read_line("/sys/block/%s/md/sync_action", disk);
	/* raid0 and linear have nothing to keep in step */
	if (!array->action)
		array->action = xstrdup("idle");
	if (host_read_number(&array->degraded, "/sys/block/%s/md/degraded", disk))
		array->degraded = 0;
	return true;
}

void array_state_clear(struct array_state *array)
{
	free(array->device);
	free(array->level);
	free(array->action);
	*array = (struct array_state){0};
}
