/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Where a target's I/O goes: the test file, a file that was there before, or the block device. Opened once, before the
 * first test of any target, and held until the target is done. The engine opens it through /proc/self/fd, so that no
 * name can be taken apart by the engine or swapped by somebody else between the check and the run.
 */
#ifndef WORKLOAD_PLACE_H
#define WORKLOAD_PLACE_H

#include <sys/types.h>

#include "result/result.h"

/* The test file in a directory. */
#define PLACE_FILE_NAME "iostrata.test"

struct place {
	int fd;
	int directory; /* that holds the file; -1 for a device */
	char *name;    /* of a test file that still has one; NULL once it is unlinked, and of a file that is not ours */
	int disk;      /* the whole disk of a device, locked against udev and others; -1 for a file */
	bool writable; /* else nothing is laid out, and write tests are skipped */
};

/* What may be done to a target. */
struct permission {
	bool read_only;
	char *const *destroy; /* the values of --destroy-data */
	size_t destroys;
};

/*
 * Checks the target that the user gave, describes it in `target` (all of it but laid_out_in) and opens the place; the
 * size is options.size. Nothing is written yet but the directory entry of the test file, which is gone again at once
 * where the file system lets an unlinked file be opened. Returns 0; or -EINVAL after logging one line that says what is
 * wrong with it.
 */
int place_open(struct place *place, struct target *target, const char *given, uint64_t size,
	       const struct permission *permission);

/*
 * Describes a target that is there as place_open() does, and opens nothing. 0; or -EINVAL after logging one line. Either
 * way target_clear() frees what `target` holds.
 */
int place_look(struct target *target, const char *given);

/* The number of the device or file system that it is on, as stat() has it; 0: not known. */
dev_t place_device(const struct place *place);

/* Whether the file or device has less than `size` bytes now. */
bool place_shrunk(const struct place *place, uint64_t size);

/*
 * Tells other iostratas that this directory is being measured in. Returns false when one of them was first; the lock
 * goes with the place. A device is locked as long as it is open.
 */
bool place_lock(const struct place *place);

/* Removes what is left of the test file and lets the device go. */
void place_close(struct place *place);

/* What the engine is to open: "/proc/self/fd/N". The caller frees it. */
char *place_engine_name(const struct place *place);

/*
 * The process that serves the target's file system and does its I/O on the block device under it (FUSE, as ntfs-3g
 * does); 0 where there is none, or it can't be seen.
 */
pid_t place_server(const struct target *target);

/* Whether a value of --destroy-data names this device: by path, by-id name, WWN or serial number. */
bool place_is_named(const struct target *target, const char *name);

#endif
