/* SPDX-License-Identifier: GPL-2.0 */
/* What crosses between BPF and user space. Times are ns, sizes bytes; a new field or row goes at the end. */
#ifndef IOSTRATA_SHARED_H
#define IOSTRATA_SHARED_H

#include <stdint.h>

#include "hist.h"
#include "stages.h"

/* The kinds of request that are kept apart. ROW(id, name) */
#define IOSTRATA_OPS(ROW)                                                                                              \
	ROW(READ, "read")                                                                                              \
	ROW(WRITE, "write")                                                                                            \
	ROW(FLUSH, "flush")                                                                                            \
	ROW(DISCARD, "discard")                                                                                        \
	ROW(WRITE_ZEROES, "write-zeroes")                                                                              \
	ROW(OTHER, "other")

enum op {
#define ROW(id, name) OP_##id,
	IOSTRATA_OPS(ROW)
#undef ROW
		OPS
};

/*
 * The ways in which a request's time can be lost: a row is counted where it happens, and starts less requeues =
 * completions + in flight at the end + these. ROW(id, name, meaning)
 */
#define IOSTRATA_LOSSES(ROW)                                                                                           \
	ROW(TABLE_FULL, "table full", "more requests in flight than the table holds")                                  \
	ROW(UNSEEN, "completion not seen", "the request ended while no BPF program could run")                        \
	ROW(CLOCK, "clock went backwards", "the completion is stamped earlier than the issue")

enum loss {
#define ROW(id, name, meaning) LOSS_##id,
	IOSTRATA_LOSSES(ROW)
#undef ROW
		LOSSES
};

/* Who queued a bio on the target's disk. */
enum owner { OWNER_WORKLOAD, OWNER_OTHERS, OWNERS };

/* Leaves under one target that can be told apart. */
#define MAX_LEAVES 32

/* Devices by number as the kernel keeps it: major << 20 | minor. Set before loading, constant for the verifier. */
struct trace_config {
	uint32_t top;		   /* the disk under the target, where bios are counted by owner */
	uint32_t leaves;	   /* entries of `leaf` in use */
	uint32_t leaf[MAX_LEAVES]; /* the disks whose requests are timed */
	uint32_t set_mask;	   /* number of sets in the table of requests, a power of two, less 1 */
	uint64_t epoch;		   /* bpf_ktime_get_ns() that slots count from */
};

/*
 * One request on its way. `request` is its address (0: free). `issued` is when it was last handed to the driver, in ns
 * since the epoch, shifted left by SLOT_TIME_SHIFT (417 days fit); below it the op, the leaf and the fault mark, so that
 * a loss can be charged to what was lost.
 */
struct request_slot {
	uint64_t request;
	uint64_t issued;
};

#define SLOT_TIME_SHIFT 9
#define SLOT_LEAF_SHIFT 4
#define SLOT_OP_SHIFT	1
#define SLOT_FAULTED	1u /* a FAULT=1 build dropped its completion on purpose */

_Static_assert(OPS <= 1 << (SLOT_LEAF_SHIFT - SLOT_OP_SHIFT), "an op fits into a slot");
_Static_assert(MAX_LEAVES <= 1 << (SLOT_TIME_SHIFT - SLOT_LEAF_SHIFT), "a leaf fits into a slot");

static inline uint64_t slot_pack(uint64_t since_epoch, uint32_t leaf, uint32_t op)
{
	return since_epoch << SLOT_TIME_SHIFT | leaf << SLOT_LEAF_SHIFT | op << SLOT_OP_SHIFT;
}

static inline uint64_t slot_time(uint64_t issued)
{
	return issued >> SLOT_TIME_SHIFT;
}

static inline uint32_t slot_leaf(uint64_t issued)
{
	return issued >> SLOT_LEAF_SHIFT & (MAX_LEAVES - 1);
}

static inline uint32_t slot_op(uint64_t issued)
{
	return issued >> SLOT_OP_SHIFT & 7;
}

/* A full set is one cache line. */
#define TABLE_WAYS 4

struct request_set {
	struct request_slot way[TABLE_WAYS];
};

/* What one CPU saw of one op on one leaf while recording was on. */
struct op_counts {
	uint64_t issues, issued_bytes;		/* block_rq_issue, with the bytes that the request still had to move */
	uint64_t requeues, requeued_bytes;	/* issues that a block_rq_requeue took back */
	uint64_t completions, completed_bytes;	/* whole requests whose time is in the histogram, and their bytes */
	uint64_t partial;			/* block_rq_complete of a part: the request goes on */
	uint64_t errors;			/* of the completions, those with an error */
	uint64_t unissued;			/* completions of requests whose issue was not recorded: begun earlier */
	uint64_t flush_ends;			/* completions of 0 bytes without an issue: ends of flush sequences */
	uint64_t loss[LOSSES];
	uint64_t faults;			/* completions that a FAULT=1 build dropped on purpose */
	uint64_t faults_found;			/* of those, the ones that were counted as not seen */
	uint64_t stage_sum[STAGES], stage_max[STAGES];
	uint64_t stage_bucket[STAGES][HIST_BUCKETS];
};

/* What one CPU saw entering the block layer on the target's disk, by owner and op. */
struct bio_counts {
	uint64_t bios, bytes;
};

#endif
