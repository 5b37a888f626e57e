/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The kinds of path between this kernel and the medium. What `device` or `remote` contains depends on it, and so does
 * what a number may be compared with. Names and sentences stand here and nowhere else.
 */
#ifndef RESULT_PATH_H
#define RESULT_PATH_H

#include <stdbool.h>

#include "result.h"

struct path_kind {
	const char *key;      /* in files: "vhdx" */
	const char *words;    /* for a heading: "a VHDX on Hyper-V's storvsc" */
	const char *includes; /* what else is in `device` (or `remote`): "Windows' file system and disk"; NULL: nothing */
	bool remote;	      /* no block device, but round trips that can be followed: the stage is called `remote` */
	bool network;	      /* it ends at a disk that is reached over a network */
	bool hosted;	      /* a hypervisor answers, so that what it caches is not visible from here */
};

/* NULL where no kind has this key, or it is NULL. */
const struct path_kind *path_kind(const char *key);

/* All of them, for lists: NULL beyond the last. */
const struct path_kind *path_kind_at(size_t index);

/*
 * The target's way in words, with what the stage that ends it includes: "ext4 on sdc, a VHDX on Hyper-V's storvsc: what
 * follows as `device` includes Windows' file system and disk"; of several disks that are watched just the latter:
 * "`device` of sdc, sdd (a VHDX on Hyper-V's storvsc) includes Windows' file system and disk". NULL where nothing but
 * the plain words of the heading is to be said; the caller frees it.
 */
char *path_in_words(const struct target *target);

#endif
