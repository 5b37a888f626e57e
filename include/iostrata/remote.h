/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Round trips to the server of a file system without a block device (9p, FUSE, virtiofs), as they cross between BPF and
 * user space. Times are ns, sizes bytes.
 */
#ifndef IOSTRATA_REMOTE_H
#define IOSTRATA_REMOTE_H

#include <stdint.h>

#include "io.h"

/* ROW(id, name) */
#define IOSTRATA_REMOTE_PROTOCOLS(ROW)                                                                                 \
	ROW(9P, "9p")                                                                                                  \
	ROW(FUSE, "fuse")

enum remote_protocol {
#define ROW(id, name) REMOTE_##id,
	IOSTRATA_REMOTE_PROTOCOLS(ROW)
#undef ROW
		REMOTE_PROTOCOLS
};

/*
 * A request's kind is its number in the protocol: of 9p half the message's type (requests have even ones up to 126), of
 * FUSE the opcode (up to 52 in Linux 6.18). The last kind also stands for all numbers beyond it.
 */
#define REMOTE_KINDS 64

/* Who sent it: the workload's own threads, or the kernel for pages of files that the workload wrote. */
#define REMOTE_OWNERS 2

/* What one is known by in `remote_row`. */
#define REMOTE_NAMES (REMOTE_OWNERS * REMOTE_PROTOCOLS * REMOTE_KINDS)

static inline __attribute__((always_inline)) uint32_t remote_name(uint32_t written_back, uint32_t protocol,
								  uint32_t kind)
{
	return ((written_back ? 1 : 0) * REMOTE_PROTOCOLS + protocol) * REMOTE_KINDS +
	       (kind < REMOTE_KINDS ? kind : REMOTE_KINDS - 1);
}

/*
 * Counters and a histogram are kept for the kinds that occur, each of which is given a row when it does. Row 0 is for
 * what comes when all others are taken.
 */
#define REMOTE_ROWS 64

/* What one CPU saw of the round trips of one row: sent = answered + in flight at the end + table full + unseen. */
struct remote_counts {
	uint64_t sent;		   /* while recording was on */
	uint64_t answered, failed; /* failed ones are answered, too */
	uint64_t bytes;		   /* of the data that FUSE requests carried, and their answers; 9p does not tell */
	uint64_t table_full;	   /* sent, and there was no room to wait for the answer */
	uint64_t unseen;	   /* there was no answer, or it was not seen: the next request has the same name */
};

/* A request on its way. */
struct remote_slot {
	uint64_t key;  /* 0: free */
	uint64_t sent; /* ns since the epoch */
	uint32_t io;   /* number of the I/O's slot, plus 1; 0: it is for no I/O that is followed */
	uint32_t row;
	uint32_t bytes; /* that it carries */
	uint32_t padding;
};

struct remote_set {
	struct remote_slot way[TABLE_WAYS];
};

#endif
