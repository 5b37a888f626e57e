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
 * The ways in which a time can be lost, of requests and of bios alike. A row is counted where it happens, and
 *   issues - requeues = completions + in flight at the end + losses          for requests,
 *   queued = finished + empty + ended early + in flight at the end + losses  for bios.
 * ROW(id, name, meaning)
 */
#define IOSTRATA_LOSSES(ROW)                                                                                           \
	ROW(TABLE_FULL, "table full", "more in flight than the table holds")                                           \
	ROW(UNSEEN, "completion not seen", "it ended while no BPF program could run")                                  \
	ROW(CLOCK, "clock went backwards", "the completion is stamped earlier than the start")

enum loss {
#define ROW(id, name, meaning) LOSS_##id,
	IOSTRATA_LOSSES(ROW)
#undef ROW
		LOSSES
};

/* Who queued a bio on the target's disk. */
enum owner { OWNER_WORKLOAD, OWNER_OTHERS, OWNERS };

/* Devices under one target that can be told apart. */
#define MAX_LAYERS 32

/* DISK_NAME_LEN (include/linux/blkdev.h). A hidden disk is told by the first half of its name. */
#define LAYER_NAME 32

enum layer_flags {
	LAYER_REQUESTS = 1, /* request-based: D and C are those of requests */
	LAYER_BIOS = 2,	    /* bio-based (md, dm, zram, multipath heads): C is that of a whole bio */
	LAYER_PARTITION = 4,
	LAYER_HIDDEN = 8,   /* has no number in sysfs: a path of NVMe multipath, known by its name */
};

struct trace_layer {
	uint32_t number;    /* of a disk or partition as the kernel keeps it: major << 20 | minor */
	uint32_t flags;
	uint32_t disk;	    /* of a partition: the layer of its disk */
	uint32_t queued_on; /* the layer whose bio queue its bios came through: its own, or its multipath head */
	char name[LAYER_NAME];
};

/* Set before loading, constant for the verifier. */
struct trace_config {
	uint32_t top;	   /* the disk under the target, where bios are counted by owner: a number as above */
	uint32_t layers;   /* entries of `layer` in use */
	uint32_t set_mask; /* number of sets in the tables of requests and of bios, a power of two, less 1 */
	uint32_t flags;	   /* all layers' flags together */
	uint32_t queue;	   /* not 0: bios are followed from Q to D (stages queue and through) */
	uint32_t padding;
	uint64_t epoch;	   /* bpf_ktime_get_ns() that slots count from */
	uint64_t chain_end; /* address of bio_chain_endio, by which the piece of a split is known; 0: hidden */
	struct trace_layer layer[MAX_LAYERS];
};

/*
 * A moment with what it belongs to: ns since the epoch, shifted left by STAMP_TIME_SHIFT (208 days fit); below it
 * partition, layer, op and the fault mark, so that a loss can be charged to what was lost.
 */
#define STAMP_TIME_SHIFT     10
#define STAMP_PARTITION	     (1u << 9) /* it was for the target's own partition */
#define STAMP_LAYER_SHIFT    4
#define STAMP_OP_SHIFT	     1
#define STAMP_FAULTED	     1u /* a FAULT=1 build dropped its completion on purpose */

_Static_assert(OPS <= 1 << (STAMP_LAYER_SHIFT - STAMP_OP_SHIFT), "an op fits into a stamp");
_Static_assert(MAX_LAYERS <= 1 << (9 - STAMP_LAYER_SHIFT), "a layer fits into a stamp");

static inline uint64_t stamp_pack(uint64_t since_epoch, uint32_t layer, uint32_t op, uint32_t marks)
{
	return since_epoch << STAMP_TIME_SHIFT | marks | layer << STAMP_LAYER_SHIFT | op << STAMP_OP_SHIFT;
}

static inline uint64_t stamp_time(uint64_t stamp)
{
	return stamp >> STAMP_TIME_SHIFT;
}

static inline uint32_t stamp_layer(uint64_t stamp)
{
	return stamp >> STAMP_LAYER_SHIFT & (MAX_LAYERS - 1);
}

static inline uint32_t stamp_op(uint64_t stamp)
{
	return stamp >> STAMP_OP_SHIFT & 7;
}

/* Both tables are sets of four. */
#define TABLE_WAYS 4

/* A request on its way: its address (0: free) and its last issue. A set is one cache line. */
struct request_slot {
	uint64_t request;
	uint64_t issued;
};

struct request_set {
	struct request_slot way[TABLE_WAYS];
};

/* A bio on its way through one layer. */
struct bio_slot {
	uint64_t bio;	   /* its address; 0: free */
	uint64_t queued;   /* a stamp */
	uint64_t issued;   /* ns since the epoch: the last issue of a request that holds a piece of it; 0: none yet */
	uint32_t left;	   /* bytes that are not complete */
	uint32_t requests; /* issued for it */
};

struct bio_set {
	struct bio_slot way[TABLE_WAYS];
};

/* A request's bios that are walked at the most; the rest is counted. */
#define MAX_WALK 256

/* Chains of splits that are followed from a piece to the bio that was queued. */
#define MAX_CHAIN 4

/* blk_status_t ends at 19 (include/linux/blk_types.h, 6.18); a power of two, so that the verifier sees the bound. */
#define STATUSES 32

/* What one CPU saw of one op on one layer while recording was on. */
struct op_counts {
	uint64_t issues, issued_bytes;	      /* block_rq_issue, with the bytes that the request still had to move */
	uint64_t requeues, requeued_bytes;    /* issues that a block_rq_requeue took back */
	uint64_t completions, completed_bytes; /* whole requests, or bios of a bio-based layer, with a time */
	uint64_t partial;		      /* block_rq_complete of a part: the request goes on */
	uint64_t unissued;		      /* completions of requests whose issue was not recorded: begun earlier */
	uint64_t flush_ends;		      /* completions of 0 bytes without an issue: ends of flush sequences */
	uint64_t loss[LOSSES];
	uint64_t errors[STATUSES];	      /* of the completions, by blk_status_t */
	uint64_t faults;		      /* completions that a FAULT=1 build dropped on purpose */
	uint64_t faults_found;		      /* of those, the ones that were counted as not seen */

	uint64_t bios, bio_bytes;	      /* block_bio_queue */
	uint64_t empty;			      /* of them, without data: flushes that are never issued */
	uint64_t finished;		      /* all of its bytes complete; its queue time is known */
	uint64_t ended_early;		      /* block_bio_complete without a request: a failed NOWAIT attempt, an error */
	uint64_t pieces;		      /* requests that the finished ones were in, requeued ones not counted */
	uint64_t bio_loss[LOSSES];
	uint64_t walked;		      /* bios in the requests that were issued, requeued ones not counted */
	uint64_t unqueued;		      /* of them, those whose Q was not recorded on this layer */
	uint64_t walk_over;		      /* requests with more bios than are walked */
	uint64_t children;		      /* block_bio_complete of a piece: its parent's counts */

	uint64_t issuing, completing;	      /* the request at hand, where its address becomes a number */
};

/* Latencies that one CPU saw of one stage; the buckets wrap, user space reads them often enough. */
struct stage_counts {
	uint64_t sum, max;
	uint32_t bucket[HIST_BUCKETS];
};

/* What one CPU saw entering the block layer on the target's disk, by owner and op. */
struct bio_counts {
	uint64_t bios, bytes;
};

#endif
