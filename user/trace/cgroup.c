// SPDX-License-Identifier: GPL-2.0
#include "cgroup.h"

#include <errno.h>
#include <linux/magic.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/statfs.h>

#include "base/text.h"

/* Of the hierarchy's root, whatever is mounted (kernfs counts from 1). */
#define ROOT_ID 1

/* On 64-bit machines a cgroup's id is its directory's inode number. */
int cgroup_find(const char *path, uint64_t *id, uint32_t *level)
{
	char *up = xstrdup(path), *next;
	struct statfs filesystem;
	struct stat status;
	int err = 0;

	*level = 0;
	if (stat(path, &status))
		err = -errno;
	else if (!S_ISDIR(status.st_mode) || statfs(path, &filesystem) || filesystem.f_type != CGROUP2_SUPER_MAGIC)
		err = -ENOTSUP;
	*id = err ? 0 : status.st_ino;
	while (!err && status.st_ino != ROOT_ID) {
		dev_t device = status.st_dev;

		next = xasprintf("%s/..", up);
		free(up);
		up = next;
		++*level;
		if (stat(up, &status) || status.st_dev != device)
			err = -ENOTSUP;
	}
	free(up);
	return err;
}
