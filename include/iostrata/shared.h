/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What crosses between BPF and user space: configuration, requests, bios, losses. Times are ns, sizes bytes; a new field
 * or row goes at the end.
 */
#ifndef IOSTRATA_SHARED_H
#define IOSTRATA_SHARED_H

#include <stdint.h>

#include "io.h"

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

/*
 * Who a bio on the target's disk belongs to. Kernel threads write for others: there the owner is known by the inode
 * (writeback) or by who they are (journal). ROW(id, name, meaning)
 */
#define IOSTRATA_OWNERS(ROW)                                                                                           \
	ROW(WORKLOAD, "workload", "queued by the workload's own tasks, or for one of its I/Os")                        \
	ROW(OTHERS, "others", "all else")                                                                              \
	ROW(WRITEBACK, "writeback", "pages of files that the workload wrote, written by the kernel")                   \
	ROW(JOURNAL, "journal", "the file system's journal")

enum owner {
#define ROW(id, name, meaning) OWNER_##id,
	IOSTRATA_OWNERS(ROW)
#undef ROW
		OWNERS
};

/* Devices under one target that can be told apart. */
#define MAX_LAYERS 32

/* DISK_NAME_LEN (include/linux/blkdev.h). A hidden disk is told by the first half of its name. */
#define LAYER_NAME 32

enum layer_flags {
	LAYER_REQUESTS = 1, /* request-based: D and C are those of requests */
	LAYER_BIOS = 2,	    /* bio-based (md, dm, zram, multipath heads): C is that of a whole bio */
	LAYER_PARTITION = 4,
	LAYER_HIDDEN = 8,   /* has no number in sysfs: a path of NVMe multipath, known by its name */
	LAYER_NO_FUA = 32,  /* has a volatile cache and no FUA: the kernel flushes after each write that asks for it */
	LAYER_SCSI = 64,    /* its requests are SCSI commands: their hops can be seen */
	LAYER_TOP = 16,	    /* a disk whose bios are counted by owner: nothing else that is traced stands on it */
};

struct trace_layer {
	uint32_t number;    /* of a disk or partition as the kernel keeps it: major << 20 | minor */
	uint32_t flags;
	uint32_t disk;	    /* of a partition: the layer of its disk */
	uint32_t queued_on; /* the layer whose bio queue its bios came through: its own, or its multipath head */
	char name[LAYER_NAME];
	uint32_t above; /* bits, by layer: those that stand on it. A bio comes through them first */
	uint32_t padding;
};

/*
 * Kernel functions that are known by their address (/proc/kallsyms); 0: not there, or hidden. ROW(id, symbol)
 */
#define IOSTRATA_SYMBOLS(ROW)                                                                                          \
	ROW(CHAIN, "bio_chain_endio")		       /* the end of a piece of a split bio */                          \
	ROW(IOMAP, "iomap_dio_bio_end_io")	       /* direct I/O of ext4, xfs, f2fs */                              \
	ROW(BLKDEV, "blkdev_bio_end_io")	       /* of a block device, in several bios */                         \
	ROW(BLKDEV_ASYNC, "blkdev_bio_end_io_async")   /* in one */                                                     \
	ROW(AIO, "aio_complete_rw")		       /* kiocb.ki_complete of libaio */                                \
	ROW(URING, "io_complete_rw")		       /* of io_uring */                                                \
	ROW(URING_POLLED, "io_complete_rw_iopoll")     /* of io_uring with IOPOLL */                                    \
	ROW(DIO_WORK, "iomap_dio_complete_work")       /* the worker that syncs an asynchronous write */                \
	ROW(XFS_LOG, "xlog_bio_end_io")		       /* the journal of xfs */                                         \
	ROW(WAIT, "submit_bio_wait_endio")	       /* of a block device by a call that waits, or a flush */         \
	ROW(WAIT_NEW, "bio_wait_end_io")	       /* since 6.15 or so */                                          \
	ROW(FUSE_DIRECT, "fuse_aio_complete_req")      /* the end of a direct request of FUSE, which knows its kiocb */ \
	ROW(FUSE_WRITEBACK, "fuse_writepage_end")      /* of pages that FUSE writes back */                            \
	ROW(FUSE_READAHEAD, "fuse_readpages_end")      /* of pages that it reads for more than one call */

enum symbol {
#define ROW(id, name) SYMBOL_##id,
	IOSTRATA_SYMBOLS(ROW)
#undef ROW
		SYMBOLS
};

/* Whose I/O is the workload's. */
enum owner_rule {
	OWN_MARKED = 0,	  /* of marked tasks, their threads and what they fork */
	OWN_EVERYONE = 1, /* all I/O on the layers */
	OWN_CGROUP = 2,	  /* of tasks in the cgroup of that id, or below it */
};

/* Set before loading, constant for the verifier. */
struct trace_config {
	uint32_t layers;   /* entries of `layer` in use */
	uint32_t set_mask; /* number of sets in the tables of requests and of bios, a power of two, less 1 */
	uint32_t flags;	   /* all layers' flags together */
	uint32_t queue;	   /* not 0: bios are followed from Q to D (stages queue and through) */
	uint64_t epoch;	   /* bpf_ktime_get_ns() that slots count from */
	uint64_t symbol[SYMBOLS];
	struct trace_layer layer[MAX_LAYERS];

	uint32_t io;	      /* not 0: I/Os are followed from call to return */
	uint32_t clocks;      /* not 0: calls are split by what is in flight at the disk */
	uint32_t own;	      /* enum owner_rule */
	uint32_t no_children; /* what marked processes fork is not the workload's */
	uint64_t cgroup;      /* id in the cgroup v2 hierarchy */
	uint32_t cgroup_level; /* how far below the root it lies */
	uint32_t one_file;    /* only I/O on the file whose inode user space had learned is an I/O; else any on `file_on` */
	uint32_t files_on;    /* entries of `file_on` in use; 0: of any device */
	uint32_t file_on[MAX_LAYERS]; /* numbers of devices with file systems (also those without a block device, by their
					 own number), or opened themselves */
	uint32_t uring_submit_argument; /* that is the request: 0, before 6.0 1 */
	uint32_t uring_by_data;	      /* io_uring_complete does not tell the request (before 5.16): join by user_data */
	uint32_t slowest;	      /* of the slowest, how many each CPU keeps */
	uint32_t slow_records;	      /* room for I/Os of `slow_from` or longer; 0: none are kept */
	uint64_t slow_from;	      /* ns */
	uint32_t io_set_mask;	      /* number of sets in the table of I/Os, a power of two, less 1 */
	uint32_t intervals;	      /* not 0: the slowest of each interval is kept, too */
	uint32_t syncs;		      /* not 0: writes may be synchronous */
	uint32_t hops;		      /* not 0: hops of SCSI commands are followed */
	uint32_t remote;	      /* not 0: round trips to servers of file systems without a device are followed */
	uint32_t remote_set_mask;     /* number of sets in their table, a power of two, less 1 */
	uint32_t session_client;      /* v9fs_session_info.clnt, bytes from its start (fs/9p/v9fs.h); 0: not known */
	uint32_t padding;
	uint8_t call[MAX_CALL_NUMBER]; /* enum call + 1 of each system call number, 0: not watched */
};

/*
 * A moment with what it belongs to: ns since the epoch, shifted left by STAMP_TIME_SHIFT (52 days fit); below it
 * class, partition, layer, op and the fault mark, so that a loss can be charged to what was lost.
 */
#define STAMP_TIME_SHIFT     12
#define STAMP_CLASS_SHIFT    10
#define STAMP_PARTITION	     (1u << 9) /* it was for the target's own partition */
#define STAMP_LAYER_SHIFT    4
#define STAMP_OP_SHIFT	     1
#define STAMP_FAULTED	     1u /* a FAULT=1 build dropped its completion on purpose */

_Static_assert(OPS <= 1 << (STAMP_LAYER_SHIFT - STAMP_OP_SHIFT), "an op fits into a stamp");
_Static_assert(MAX_LAYERS <= 1 << (9 - STAMP_LAYER_SHIFT), "a layer fits into a stamp");
_Static_assert(CLASSES <= 1 << (STAMP_TIME_SHIFT - STAMP_CLASS_SHIFT), "a class fits into a stamp");

static inline uint64_t stamp_pack(uint64_t since_epoch, uint32_t layer, uint32_t op, uint32_t marks)
{
	return since_epoch << STAMP_TIME_SHIFT | marks | layer << STAMP_LAYER_SHIFT | op << STAMP_OP_SHIFT;
}

static inline uint64_t stamp_time(uint64_t stamp)
{
	return stamp >> STAMP_TIME_SHIFT;
}

static inline uint32_t stamp_class(uint64_t stamp)
{
	return stamp >> STAMP_CLASS_SHIFT & (CLASSES - 1);
}

static inline uint32_t stamp_layer(uint64_t stamp)
{
	return stamp >> STAMP_LAYER_SHIFT & (MAX_LAYERS - 1);
}

static inline uint32_t stamp_op(uint64_t stamp)
{
	return stamp >> STAMP_OP_SHIFT & 7;
}

/* A request on its way: its address (0: free) and its last issue. A set is one cache line. */
struct request_slot {
	uint64_t request;
	uint64_t issued;
};

struct request_set {
	struct request_slot way[TABLE_WAYS];
};

/* Where a request's command has come to: ns since the epoch; 0: not there yet, or not seen. */
struct request_hops {
	uint64_t handed; /* to its driver */
	uint64_t kicked;
	uint64_t interrupted;
	uint64_t done;
};

/* Those of the slots of the set with the same index. */
struct hop_set {
	struct request_hops way[TABLE_WAYS];
};

/* A bio on its way through one layer. */
struct bio_slot {
	uint64_t bio;	   /* its address; 0: free */
	uint64_t queued;   /* a stamp */
	uint64_t issued;   /* ns since the epoch: the last issue of a request that holds a piece of it; 0: none yet */
	uint32_t left;	   /* bytes that are not complete */
	uint32_t requests; /* issued for it */
	uint32_t io;	   /* number of the I/O's slot, plus 1; 0: it is no I/O's that is followed */
	uint32_t role;	   /* enum bio_role */
};

enum bio_role {
	BIO_DATA,
	BIO_FLUSH,  /* a flush without data that an I/O waits for */
	BIO_FUA,    /* data, after which the kernel flushes before it ends */
	BIO_ENDING, /* of those, one whose data is complete */
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

	uint64_t fua;			      /* of the issues, those with FUA, requeued ones not counted */
	uint64_t asked_flush, asked_fua;      /* bios that ask for a flush before them, or to be durable when they end */
	/*
	 * Bytes of writes that were complete before the program was last told that its data is taken or safe. What
	 * completes waits until it is told the next time; that is found at the completion after it, or at the end.
	 */
	uint64_t reached_bytes, waiting_bytes;
	uint64_t told;			      /* the moment that `waiting_bytes` wait to be passed */
};

/* Latencies that one CPU saw of one stage; the buckets wrap, user space reads them often enough. */
struct stage_counts {
	uint64_t sum, max;
	uint32_t bucket[HIST_BUCKETS];
};

#endif
