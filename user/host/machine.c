// SPDX-License-Identifier: GPL-2.0
#include "machine.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/text.h"
#include "clues.h"
#include "files.h"
#include "platform.h"

/* A value of os-release: quoted as a shell would take it, or bare. */
static char *unquoted(const char *value)
{
	struct text text = {0};
	char quote = '\0';

	if (*value == '"' || *value == '\'')
		quote = *value++;
	for (; *value && *value != '\n' && !(quote && *value == quote); value++) {
		if (*value == '\\' && quote != '\'' && value[1])
			value++;
		text_add(&text, value, 1);
	}
	return text_take(&text);
}

static char *os_name(void)
{
	static const char key[] = "PRETTY_NAME=";
	char *content = host_read("/etc/os-release"), *line, *name = NULL;

	if (!content)
		content = host_read("/usr/lib/os-release");
	if (!content)
		return NULL;
	for (line = content; line; line = strchr(line, '\n')) {
		line += *line == '\n';
		if (strncmp(line, key, sizeof(key) - 1) == 0) {
			name = unquoted(line + sizeof(key) - 1);
			break;
		}
	}
	free(content);
	return name;
}

static char *architecture(void)
{
	struct utsname name;

	return uname(&name) ? NULL : xstrdup(name.machine);
}

/* From a list such as "0-3,8". */
static unsigned count_ranges(const char *list)
{
	unsigned first, last, count = 0;
	int used;

	while (sscanf(list, "%u%n", &first, &used) == 1) {
		list += used;
		last = first;
		if (sscanf(list, "-%u%n", &last, &used) == 1)
			list += used;
		count += last >= first ? last - first + 1 : 0;
		if (*list != ',')
			break;
		list++;
	}
	return count;
}

static unsigned count_processors(const char *cpuinfo)
{
	static const char key[] = "processor";
	const char *line;
	unsigned count = 0;

	for (line = cpuinfo; line; line = strchr(line, '\n')) {
		line += *line == '\n';
		count += strncmp(line, key, sizeof(key) - 1) == 0;
	}
	return count;
}

static unsigned online_cpus(const char *cpuinfo)
{
	char *list = host_read_line("/sys/devices/system/cpu/online");
	unsigned count = list ? count_ranges(list) : 0;

	free(list);
	return count ? count : count_processors(cpuinfo);
}

static uint64_t total_memory(void)
{
	char *meminfo = host_read("/proc/meminfo");
	char *total = meminfo ? host_field(meminfo, "MemTotal") : NULL;
	uint64_t kilobytes = total ? strtoull(total, NULL, 10) : 0;

	free(total);
	free(meminfo);
	return kilobytes * 1024;
}

const char *machine_wsl(void)
{
	struct machine machine = {0};
	const char *version;

	if (!clue_of_wsl())
		return NULL; /* nearly everywhere: spares the rest */
	platform_detect(&machine.platform);
	version = platform_wsl(&machine.platform);
	machine_clear(&machine);
	return version;
}

static bool detect_virtual(void)
{
	struct machine machine = {0};
	bool is;

	platform_detect(&machine.platform);
	is = platform_is_virtual(&machine.platform);
	machine_clear(&machine);
	return is;
}

/* Asked for every disk; the machine stays what it is, a tree that stands in for it doesn't. */
bool machine_is_virtual(void)
{
	static enum { UNKNOWN, NO, YES } answer;

	if (host_has_root())
		return detect_virtual();
	if (answer == UNKNOWN)
		answer = detect_virtual() ? YES : NO;
	return answer == YES;
}

void machine_describe(struct machine *machine)
{
	char *cpuinfo = host_read("/proc/cpuinfo");
	const char *wsl;

	if (!cpuinfo)
		cpuinfo = xstrdup("");
	*machine = (struct machine){
		.host = host_read_line("/proc/sys/kernel/hostname"),
		.os = os_name(),
		.kernel = host_read_line("/proc/sys/kernel/osrelease"),
		.architecture = architecture(),
		.cpu = host_field(cpuinfo, "model name"),
		.cpus = online_cpus(cpuinfo),
		.memory = total_memory(),
		.clocksource = host_read_line("/sys/devices/system/clocksource/clocksource0/current_clocksource"),
		.admin = geteuid() == 0,
	};
	platform_detect(&machine->platform);
	machine->hypervisor = platform_is_virtual(&machine->platform);
	wsl = platform_wsl(&machine->platform);
	machine->wsl = wsl ? xstrdup(wsl) : NULL;
	free(cpuinfo);
}
