// SPDX-License-Identifier: GPL-2.0
#include "doctor_probe.h"

#include <stdbool.h>
#include <stdlib.h>

#include "base/format.h"
#include "base/text.h"
#include "result/floor.h"
#include "workload/floor.h"

/* The way to a directory's files is that to its device, which can be read whatever is in the directory. */
static bool by_device(const struct target *target)
{
	return target->kind == TARGET_DIRECTORY && target->layers;
}

static char *path_to_read(const struct target *target)
{
	char *path;

	if (!by_device(target))
		return xstrdup(target->path);
	path = xasprintf("/dev/%s", target->layer[0].name);
	/* sysfs has ! in place of the / of a name (Documentation/ABI/stable/sysfs-block). */
	for (char *at = path; *at; at++)
		if (*at == '!')
			*at = '/';
	return path;
}

static void add_floor(struct section *section, const char *source, const struct target *target)
{
	const struct floor *floor = &target->floor;
	char mean[FORMAT_LENGTH], p99[FORMAT_LENGTH], reached[FORMAT_LENGTH], asked[FORMAT_LENGTH];

	format_latency(mean, floor->same.mean);
	format_latency(p99, (double)floor->same.p99);
	if (target->no_floor)
		section_add(section, "floor", source, "not measured: %s%s", target->no_floor,
			    by_device(target) ? "; name a file in the directory instead" : "");
	else if (floor_judge(target) == FLOOR_LOCAL)
		section_add(section, "floor", source,
			    "unknown: %s of %s reads came to a disk, and this machine's own memory answered the others",
			    format_count(reached, floor->reached), format_count(asked, floor->asked));
	else
		section_add(section, "floor", source,
			    "%s for one block again and again (p99 %s): the way there and back takes no more", mean,
			    p99);
}

static void add_random(struct section *section, const char *source, const struct target *target)
{
	const struct floor *floor = &target->floor;
	enum floor_finding finding = floor_judge(target);
	char mean[FORMAT_LENGTH], beyond[FORMAT_LENGTH];

	if (finding == FLOOR_UNKNOWN || finding == FLOOR_LOCAL || !floor->random.reads)
		return;
	format_latency(mean, floor->random.mean);
	format_latency(beyond, floor->random.mean - floor->same.mean);
	if (finding == FLOOR_LOWER)
		section_add(section, "random read", source, "%s: if a cache answers the floor, at most %s the medium",
			    mean, beyond);
	else
		section_add(section, "random read", source, "%s%s", mean,
			    finding == FLOOR_LEVEL ? ": nothing of the medium shows" : "");
}

void doctor_probe(struct section *section, struct target *target)
{
	char *path = path_to_read(target), *source = xasprintf("pread() of %s, past the page cache", path);

	floor_probe(path, target);
	add_floor(section, source, target);
	add_random(section, source, target);
	free(source);
	free(path);
}
