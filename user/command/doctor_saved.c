// SPDX-License-Identifier: GPL-2.0
#include "doctor_saved.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/format.h"
#include "base/text.h"
#include "report/target.h"

bool is_saved(const char *given)
{
	size_t length = strlen(given);
	struct stat st;

	return length > strlen(".json") && !strcmp(given + length - strlen(".json"), ".json") && !stat(given, &st) &&
	       S_ISREG(st.st_mode);
}

/* What the file does not have is unknown. */
static void add(struct section *section, const char *name, const char *value)
{
	section_add(section, name, NULL, "%s", value ? value : "unknown");
}

static void add_platform(struct section *section, const struct machine *machine)
{
	const struct platform *platform = &machine->platform;

	if (platform->key)
		section_add(section, "platform", NULL, "%s%s%s, %s", platform->name ? platform->name : platform->key,
			    platform->container ? ", in a container: " : "",
			    platform->container ? platform->container : "",
			    platform->certainty ? platform->certainty : "of unknown certainty");
	else if (machine->wsl)
		section_add(section, "platform", NULL, "WSL %s", machine->wsl);
	else
		add(section, "platform", machine->hypervisor ? "a virtual machine" : NULL);
}

static void add_machine(struct diagnosis *diagnosis)
{
	struct section *section = diagnosis_add_section(diagnosis, "machine");
	const struct machine *machine = &diagnosis->machine;
	char size[FORMAT_LENGTH];

	add_platform(section, machine);
	add(section, "system", machine->os);
	add(section, "kernel", machine->kernel);
	add(section, "architecture", machine->architecture);
	add(section, "CPU", machine->cpu);
	if (machine->cpus)
		section_add(section, "CPUs", NULL, "%u", machine->cpus);
	else
		add(section, "CPUs", NULL);
	add(section, "memory", machine->memory ? format_size(size, machine->memory) : NULL);
	add(section, "clock source", machine->clocksource);
	add(section, "run as root", machine->admin ? "yes" : "no");
}

static void add_target(struct diagnosis *diagnosis, const struct target *target)
{
	struct section *section = diagnosis_add_section(diagnosis, target->given ? target->given : "target");
	char *words = target_in_words(target), *name;

	add(section, "stands on", *words ? words : NULL);
	free(words);
	for (size_t i = 0; i < target->warnings; i++) {
		name = i ? xasprintf("warning %zu", i + 1) : xstrdup("warning");
		add(section, name, target->warning[i]);
		free(name);
	}
}

struct diagnosis *doctor_saved(struct result *result)
{
	struct diagnosis *diagnosis = diagnosis_new();

	diagnosis->version = xstrdup(result->version);
	diagnosis->timestamp = xstrdup(result->timestamp);
	diagnosis->machine = result->machine;
	result->machine = (struct machine){0};
	diagnosis->target = result->target;
	diagnosis->targets = result->targets;
	result->target = NULL;
	result->targets = 0;
	add_machine(diagnosis);
	for (size_t i = 0; i < diagnosis->targets; i++)
		add_target(diagnosis, &diagnosis->target[i]);
	return diagnosis;
}
