/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The durability ledger: what was asked to be durable, what each layer got for it, and what may be concluded. Nothing
 * beyond the last device that is seen can be claimed.
 */
#ifndef RESULT_LEDGER_H
#define RESULT_LEDGER_H

#include "result.h"

/* One layer, the target's own first. */
struct ledger_layer {
	const char *device;
	const struct layer *facts; /* NULL: not known */
	bool leaf, has_requests;
	/* Requests less requeues, or bios of a bio-based layer; of everyone, as the kernel's own counters have it. */
	uint64_t writes, write_bytes, flushes;
	uint64_t fua;	      /* of the writes, those with FUA */
	uint64_t asked_flush; /* bios that asked for a flush before them */
	uint64_t asked_fua;   /* bios that asked to be durable */
	bool has_reached;
	uint64_t reached; /* bytes complete before the program was told for the last time */
};

/* What the conclusion is. */
enum durability {
	DURABILITY_NOT_ASKED,	 /* nothing was synced */
	DURABILITY_FLUSHED,	 /* by flushes or FUA down to the last device seen */
	DURABILITY_WRITE_THROUGH, /* the last device says that it has no volatile cache */
	DURABILITY_MEMORY,	 /* it ended in memory */
	DURABILITY_UNFLUSHED,	 /* a volatile cache got fewer flushes than were asked for; or none */
	DURABILITY_UNWRITTEN,	 /* data that had been promised was not at the device yet */
	DURABILITY_UNSEEN,	 /* there is no device to be seen */
	DURABILITIES
};

extern const char *const durability_name[DURABILITIES];

struct ledger {
	uint64_t writes;	/* synchronous ones (O_DSYNC, O_SYNC) that the program asked for, by calls and otherwise */
	uint64_t write_bytes;	/* 0: not known */
	uint64_t syncs;		/* fsync, fdatasync, sync_file_range, msync, sync */
	uint64_t flushed;	/* of the calls among these, those in which a flush or FUA write began and ended */
	uint64_t calls;		/* that `flushed` is of; 0: not known */
	uint64_t buffered_bytes; /* that writes gave to the page cache */
	uint64_t call_time;	/* ns in these calls together */
	uint64_t idle_time;	/* of it, with nothing in flight at the disk; both 0: not known */
	struct ledger_layer *layer;
	size_t layers;
	enum durability durability;
	char *conclusion; /* a sentence */
	const char *cause; /* the device that reports no volatile cache and so is why UNFLUSHED or UNWRITTEN; NULL */
};

/* Of one traced run; false: it wrote and synced nothing, so there is none. ledger_clear() frees what it holds. */
bool ledger_of_run(struct ledger *ledger, const struct result *result, const struct run *run);
void ledger_clear(struct ledger *ledger);

#endif
