/* SPDX-License-Identifier: GPL-2.0 */
/* File systems that a server answers for, and no block device: what is asked of it can be followed, what it does not.
 */
#ifndef RESULT_REMOTE_H
#define RESULT_REMOTE_H

#include "result.h"

/* Whether its requests to its server can be followed where the kernel tells of them: "9p", "virtiofs", "fuse.sshfs". */
bool filesystem_is_remote(const char *filesystem);

/* Whether the target is on such a file system, and no block device of it is known. */
bool target_is_remote(const struct target *target);

/* Round trips of all kinds together. */
struct remote_sum {
	uint64_t sent, answered, failed, in_flight, lost;
};

struct remote_sum remote_sum(const struct trace_view *trace);

/* Bytes of what the program read or wrote that a server answered for, at the least. */
uint64_t remote_bytes(const struct trace_view *trace, enum op op);

/* Whether the server was asked for more than that by requests whose size the kernel does not tell (read ahead by 9p).
 */
bool remote_bytes_are_least(const struct trace_view *trace, enum op op);

/* Whether anything was written to a server, or synced there. */
bool remote_was_written(const struct trace_view *trace);

/* Why round trips to the servers of this file system are not known where the kernel does not tell of them, a phrase. */
const char *remote_obstacle(const char *filesystem);

#endif
