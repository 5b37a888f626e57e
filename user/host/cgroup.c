// SPDX-License-Identifier: GPL-2.0
#include "cgroup.h"

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "files.h"
#include "mounts.h"

/* Every cgroup of v2 has this file, and none of v1. */
static bool is_cgroup(const char *directory)
{
	return host_exists("%s/cgroup.controllers", directory);
}

/* NULL when there is none of that name below the mount. */
static char *find_below(const char *mount, const char *given)
{
	char *directory = xasprintf("%s/%s", mount, given + strspn(given, "/"));
	size_t length = strlen(directory);

	while (length > 1 && directory[length - 1] == '/')
		directory[--length] = '\0';
	if (is_cgroup(directory))
		return directory;
	free(directory);
	return NULL;
}

int cgroup_directory(const char *given, char **directory)
{
	char **mount = mounts_of_type("cgroup2"), *found = NULL;
	bool any = mount[0];

	if (any && is_cgroup(given))
		found = xstrdup(given);
	for (size_t i = 0; mount[i] && !found; i++)
		found = find_below(mount[i], given);
	strings_free(mount);
	if (!found)
		return any ? -ENOENT : -ENODEV;
	*directory = found;
	return 0;
}
