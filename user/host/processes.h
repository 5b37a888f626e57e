/* SPDX-License-Identifier: GPL-2.0 */
/* Processes as /proc shows them: their numbers are those of our own pid namespace. */
#ifndef HOST_PROCESSES_H
#define HOST_PROCESSES_H

#include <stddef.h>
#include <sys/types.h>

/* The parent; 0 where there is none to be seen from here; -ESRCH when there is no such process. */
pid_t process_parent(pid_t pid);

/* The process that `id` belongs to: itself, or another one when it is but a thread; -ESRCH when it is neither. */
pid_t process_of(pid_t id);

/* A pidfd: readable once the process has ended. -errno; the caller closes it. */
int process_open(pid_t pid);

/* Its name ("dd"); NULL when there is none; the caller frees it. */
char *process_name(pid_t pid);

/*
 * The process that serves a file system (FUSE) which lies on block device `name`: one that has both that device and
 * /dev/fuse open. 0 where none is to be seen.
 */
pid_t process_serving(const char *name);

/*
 * All that descend from one of the `roots` and live, without the roots themselves; those whose parent has ended
 * belong to another one now. Returns how many; *found is for the caller to free.
 */
size_t processes_below(const pid_t *root, size_t roots, pid_t **found);

#endif
