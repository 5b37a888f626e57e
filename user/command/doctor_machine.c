// SPDX-License-Identifier: GPL-2.0
#include "doctor_machine.h"

#include <stdlib.h>
#include <string.h>

#include "base/format.h"
#include "base/text.h"
#include "doctor_parts.h"
#include "host/files.h"

/* --- what the parts have in common --- */

bool booted_with(const char *word)
{
	char *line = host_read_line("/proc/cmdline");
	bool found = line && text_has_word(line, word);

	free(line);
	return found;
}

struct finding *add_value(struct section *section, const char *name, const char *source, char *value)
{
	struct finding *finding = section_add(section, name, source, "%s", value ? value : "unknown");

	free(value);
	return finding;
}

/* --- what it is --- */

static char *platform_in_words(const struct machine *machine)
{
	const struct platform *platform = &machine->platform;

	if (platform->name && platform->certainty)
		return xasprintf("%s (%s)", platform->name, platform->certainty);
	if (machine->wsl)
		return xasprintf("WSL %s", machine->wsl);
	return machine->hypervisor ? xstrdup("a virtual machine") : NULL;
}

static void add_platform(struct section *section, const struct machine *machine)
{
	const char *container = machine->platform.container;

	add_value(section, "platform", NULL, platform_in_words(machine));
	if (machine->platform.key)
		section_add(section, "container", NULL, "%s", container ? container : "none that shows");
}

static char *cpus_in_words(const struct machine *machine)
{
	if (!machine->cpus)
		return NULL;
	return xasprintf("%u%s%s", machine->cpus, machine->cpu ? ", " : "", machine->cpu ? machine->cpu : "");
}

/* "node0" and not "online". */
static size_t count_nodes(void)
{
	char **entry = host_list("/sys/devices/system/node");
	size_t count = 0;

	for (size_t i = 0; entry && entry[i]; i++)
		count += !strncmp(entry[i], "node", 4) && entry[i][4] >= '0' && entry[i][4] <= '9';
	strings_free(entry);
	return count;
}

static void add_size(struct section *section, const struct machine *machine)
{
	char size[FORMAT_LENGTH];
	size_t nodes = count_nodes();

	add_value(section, "CPUs", "/sys/devices/system/cpu/online", cpus_in_words(machine));
	add_value(section, "memory", "/proc/meminfo",
		  machine->memory ? xstrdup(format_size(size, machine->memory)) : NULL);
	if (nodes)
		section_add(section, "NUMA nodes", "/sys/devices/system/node", "%zu", nodes)->detail = nodes == 1;
}

void doctor_machine(struct diagnosis *diagnosis)
{
	struct section *section = diagnosis_add_section(diagnosis, "machine");
	const struct machine *machine = &diagnosis->machine;

	add_platform(section, machine);
	add_size(section, machine);
	doctor_clock(section, &diagnosis->probes);
	doctor_costs(section, &diagnosis->probes);
	doctor_cpus(section, machine);
	doctor_load(section, machine);
}
