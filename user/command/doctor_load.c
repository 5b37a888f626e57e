// SPDX-License-Identifier: GPL-2.0
#include "doctor_parts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/format.h"
#include "base/text.h"
#include "host/files.h"
#include "host/sensors.h"

#define VULNERABILITIES "/sys/devices/system/cpu/vulnerabilities"

/* Percent of the last 10 s in which some task waited: less comes and goes on any machine. */
#define PRESSED 20

/* --- others at work --- */

enum resource { RESOURCE_CPU, RESOURCE_IO, RESOURCE_MEMORY, RESOURCES };

static const struct {
	const char *file, *name, *problem, *cure;
} resources[] = {
	[RESOURCE_CPU] = {"/proc/pressure/cpu", "waiting for CPUs",
			  "Others keep the CPUs busy: they take time from the measurement.",
			  "ps -eo pid,pcpu,comm --sort=-pcpu | head   (who it is: stop it)"},
	[RESOURCE_IO] = {"/proc/pressure/io", "waiting for I/O",
			 "Others wait for disks: what they do may be in the way of the measurement.",
			 "sudo iostrata trace -d 5 -D DISK   (who it is: stop it)"},
	[RESOURCE_MEMORY] = {"/proc/pressure/memory", "waiting for memory",
			     "Memory is short: it is freed and swapped while something is measured.",
			     "ps -eo pid,rss,comm --sort=-rss | head   (who has it)"},
};

_Static_assert(ARRAY_SIZE(resources) == RESOURCES, "each has a row");

/* "some avg10=2.81 avg60=...": the kernel's Documentation/accounting/psi.rst. */
static bool read_pressure(enum resource resource, double *percent)
{
	char *line = host_read_line("%s", resources[resource].file);
	bool known = line && sscanf(line, "some avg10=%lf", percent) == 1;

	free(line);
	return known;
}

/* Whether it is known. */
static bool add_pressure(struct section *section, enum resource resource)
{
	char number[FORMAT_LENGTH];
	struct finding *finding;
	double percent;

	if (!read_pressure(resource, &percent))
		return false;
	finding = section_add(section, resources[resource].name, resources[resource].file, "%s %% of the last 10 s",
			      format_fixed(number, percent, 0));
	if (percent > PRESSED)
		finding_blame(finding, FITNESS_LIMITED, resources[resource].problem, resources[resource].cure);
	else
		finding_is_fine(finding);
	return true;
}

/* The mean of the last minute, which counts tasks that run, could run, or wait for a disk. */
static void add_load(struct section *section, const struct machine *machine, bool pressure_known)
{
	char *line = host_read_line("/proc/loadavg");
	struct finding *finding;
	double load;

	if (!line || sscanf(line, "%lf", &load) != 1) {
		free(line);
		section_add(section, "load", "/proc/loadavg", "unknown");
		return;
	}
	finding = section_add(section, "load", "/proc/loadavg", "%s", line);
	finding->detail = pressure_known;
	if (!pressure_known && machine->cpus && load > machine->cpus)
		finding_blame(finding, FITNESS_LIMITED, resources[RESOURCE_CPU].problem, resources[RESOURCE_CPU].cure);
	free(line);
}

static void add_others(struct section *section, const struct machine *machine)
{
	bool known = add_pressure(section, RESOURCE_CPU);

	known = add_pressure(section, RESOURCE_IO) && known;
	known = add_pressure(section, RESOURCE_MEMORY) && known;
	if (!known)
		section_add(section, "pressure", "/proc/pressure", "unknown: this kernel does not count it");
	add_load(section, machine, known);
}

/* --- arrays --- */

static void add_array(struct section *section, const char *disk)
{
	struct array_state array;
	struct finding *finding;
	char *name, *problem;

	if (!sensors_array(disk, &array))
		return;
	name = xasprintf("array %s", disk);
	finding = section_add(section, name, "/proc/mdstat", "%s, %s%s", array.level, array.action,
			      array.degraded ? ", lacks members" : "");
	if (strcmp(array.action, "idle") != 0 && strcmp(array.action, "frozen") != 0) {
		problem = xasprintf("The array %s is busy with itself (%s), and so are its disks.", disk, array.action);
		finding_blame(finding, FITNESS_LIMITED, problem, "cat /proc/mdstat   (wait until it is done)");
		free(problem);
	}
	free(name);
	array_state_clear(&array);
}

static void add_arrays(struct section *section)
{
	char **disk = host_list("/sys/block");

	for (size_t i = 0; disk && disk[i]; i++)
		if (!strncmp(disk[i], "md", 2))
			add_array(section, disk[i]);
	strings_free(disk);
}

/* --- swap and mitigations --- */

/* Lines of "/dev/sdb partition 4194304 1024 -2" below a heading, in KiB (fs/proc and mm/swapfile.c). */
static void add_swap(struct section *section)
{
	char *content = host_read("/proc/swaps"), *rest = content, *line;
	unsigned long long size, used, all = 0, in_use = 0;
	char total[FORMAT_LENGTH], taken[FORMAT_LENGTH];

	while ((line = strsep(&rest, "\n"))) {
		if (sscanf(line, "%*s %*s %llu %llu", &size, &used) == 2) {
			all += size;
			in_use += used;
		}
	}
	if (!content)
		section_add(section, "swap", "/proc/swaps", "unknown")->detail = true;
	else if (!all)
		section_add(section, "swap", "/proc/swaps", "none")->detail = true;
	else
		section_add(section, "swap", "/proc/swaps", "%s of %s in use", format_size(taken, in_use * 1024),
			    format_size(total, all * 1024));
	free(content);
}

static void add_mitigations(struct section *section)
{
	char **name = host_list(VULNERABILITIES), *line;
	size_t on = 0, vulnerable = 0;

	for (size_t i = 0; name && name[i]; i++) {
		line = host_read_line(VULNERABILITIES "/%s", name[i]);
		on += line && !strncmp(line, "Mitigation", strlen("Mitigation"));
		vulnerable += line && !strncmp(line, "Vulnerable", strlen("Vulnerable"));
		free(line);
	}
	if (booted_with("mitigations=off"))
		section_add(section, "mitigations", "/proc/cmdline", "off (mitigations=off)");
	else if (name)
		section_add(section, "mitigations", VULNERABILITIES, "%zu on, %zu not where the CPU needs one", on,
			    vulnerable)
			->detail = true;
	strings_free(name);
}

void doctor_load(struct section *section, const struct machine *machine)
{
	add_others(section, machine);
	add_arrays(section);
	add_swap(section);
	add_mitigations(section);
}
