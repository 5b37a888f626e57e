// SPDX-License-Identifier: GPL-2.0
#include "direct.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/text.h"

#define BLOCK 4096

/* What is refused with EINVAL; NULL: nothing is. Any other error is not about O_DIRECT, and fio will tell of it. */
static const char *try_block(int fd, bool writable)
{
	const char *refused = NULL;
	ssize_t got;
	void *block;

	if (posix_memalign(&block, BLOCK, BLOCK))
		return NULL;
	got = pread(fd, block, BLOCK, 0);
	if (got < 0 && errno == EINVAL)
		refused = "at the first read";
	else if (got == BLOCK && writable && pwrite(fd, block, BLOCK, 0) < 0 && errno == EINVAL)
		refused = "at the first write";
	free(block);
	return refused;
}

char *direct_refusal(const struct place *place, const struct target *target)
{
	const char *refused = NULL;
	char *name;
	int fd;

	if (target->kind == TARGET_DEVICE || target->layers)
		return NULL;
	name = place_engine_name(place);
	fd = open(name, (place->writable ? O_RDWR : O_RDONLY) | O_DIRECT | O_CLOEXEC);
	free(name);
	if (fd >= 0) {
		refused = try_block(fd, place->writable);
		close(fd);
	} else if (errno == EINVAL) {
		refused = "when a file is opened";
	}
	if (!refused)
		return NULL;
	return xasprintf("%s refuses O_DIRECT %s (EINVAL)", target->filesystem ? target->filesystem : "its file system",
			 refused);
}
