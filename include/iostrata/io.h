/* SPDX-License-Identifier: GPL-2.0 */
/* The program's I/Os and calls, as they cross between BPF and user space. Times are ns, sizes bytes. */
#ifndef IOSTRATA_IO_H
#define IOSTRATA_IO_H

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

/* What one CPU saw entering the block layer on the target's disk, by owner and op. */
struct bio_counts {
	uint64_t bios, bytes;
};

/* --- the program's I/Os, from call to return --- */

/* What an I/O is; a sync is an fsync or fdatasync asked for by libaio or io_uring. ROW(id, name) */
#define IOSTRATA_IO_OPS(ROW)                                                                                           \
	ROW(READ, "read")                                                                                              \
	ROW(WRITE, "write")                                                                                            \
	ROW(SYNC, "sync")

enum io_op {
#define ROW(id, name) IO_OP_##id,
	IOSTRATA_IO_OPS(ROW)
#undef ROW
		IO_OPS
};

/* How it was asked for. ROW(id, name) */
#define IOSTRATA_IO_WAYS(ROW)                                                                                          \
	ROW(CALL, "system call")                                                                                       \
	ROW(LIBAIO, "libaio")                                                                                          \
	ROW(URING, "io_uring")

enum io_way {
#define ROW(id, name) IO_WAY_##id,
	IOSTRATA_IO_WAYS(ROW)
#undef ROW
		IO_WAYS
};

/*
 * How an I/O ended, each in exactly one way:
 *   called = all ends + in flight at the end + table full.
 * ROW(id, name, meaning)
 */
#define IOSTRATA_IO_ENDS(ROW)                                                                                          \
	ROW(JOINED, "joined", "all of its boundaries are known")                                                       \
	ROW(NOT_QUEUED, "not queued", "it never entered the block layer: a hole, the end of the file, an error")       \
	ROW(BUFFERED, "buffered", "it went through the page cache")                                                    \
	ROW(UNJOINED, "not joined", "its bios could not be told by their way through this file system")                \
	ROW(SELF_REAPED, "reaped in user space", "the program took it from the ring itself: known from S to C")        \
	ROW(UNSEEN, "completion not seen", "it ended while no BPF program could run")                                  \
	ROW(CLOCK, "clock went backwards", "a boundary is stamped earlier than the one before")                        \
	ROW(CQE_LOST, "completion without a trace", "of io_uring: an overflown ring, or a skipped entry")               \
	ROW(ABANDONED, "never asked for", "it was complete, and nobody took the result: its program had ended")

enum io_end {
#define ROW(id, name, meaning) IO_END_##id,
	IOSTRATA_IO_ENDS(ROW)
#undef ROW
		IO_ENDS
};

/* What happened to it on the way; an I/O may have several. ROW(id, name, meaning) */
#define IOSTRATA_IO_NOTES(ROW)                                                                                         \
	ROW(THROTTLED, "throttled", "a cgroup's limit held it back")                                                   \
	ROW(RETRIED, "retried", "an attempt without waiting failed, and a worker tried again")                         \
	ROW(WORKER, "by a worker", "a worker thread of io_uring queued it")                                            \
	ROW(POLLED, "polled", "IOPOLL: the completion was looked for, there was no interrupt")                         \
	ROW(RING, "from the ring", "its result was in the ring before the program asked the kernel: R is that moment") \
	ROW(SPLIT, "split", "it was several requests")                                                                 \
	ROW(FLUSHED, "flushed", "it waited for a flush")                                                               \
	ROW(FAILED, "failed", "its result is an error")                                                                \
	ROW(SYNCHRONOUS, "synchronous", "a write that must be durable before it ends (O_DSYNC, O_SYNC)")

enum io_note {
#define ROW(id, name, meaning) IO_NOTE_##id,
	IOSTRATA_IO_NOTES(ROW)
#undef ROW
		IO_NOTES
};

/* What one CPU saw of the I/Os of one op. */
struct io_counts {
	uint64_t called;     /* begun while recording was on */
	uint64_t table_full; /* of them, those that found no room: nothing more is known of them */
	uint64_t bytes;	     /* that the program got or gave, of those that ended */
	uint64_t requests;   /* that the joined ones were in */
	uint64_t unbegun;    /* results of I/Os whose call was not recorded */
	uint64_t left;	     /* results beyond what one call's loop takes (kernels before 5.17) */
	uint64_t way[IO_WAYS];
	uint64_t end[IO_ENDS];
	uint64_t note[IO_NOTES];
	uint64_t rung; /* that share the doorbells whose time is known (stage doorbell) */
	uint64_t remote_bytes; /* of `bytes`, those of joined I/Os that a file system's server answered */
};

/* What is in flight at a device is told apart by class. A moment belongs to the last of them that has any in flight
 * (flush before journal before others before data), so that their clocks never count twice. ROW(id, name, meaning) */
#define IOSTRATA_CLASSES(ROW)                                                                                          \
	ROW(DATA, "data", "the workload's own")                                                                        \
	ROW(OTHERS, "others", "of others")                                                                             \
	ROW(JOURNAL, "journal", "the file system's journal")                                                           \
	ROW(FLUSH, "flush", "flushes of the device's cache")

enum io_class {
#define ROW(id, name, meaning) CLASS_##id,
	IOSTRATA_CLASSES(ROW)
#undef ROW
		CLASSES
};

/*
 * One I/O whole. Times are ns since the epoch, in a result since the recording began; 0: not known, or it does not have
 * that boundary.
 */
struct io_record {
	uint64_t boundary[BOUNDARIES];
	uint64_t first_issue;
	uint64_t last_complete; /* the completion that woke the thread: with a batch not this I/O's own */
	uint64_t sector;	/* of its first bio, 512 bytes each */
	uint64_t idle;		/* ns that nothing had been in flight at the device when it was issued; 0: something was */
	uint16_t company[CLASSES]; /* requests in flight there when it was issued, without itself */
	uint32_t bytes;		   /* queued for it */
	uint32_t requests;
	uint32_t thread;	   /* that got the result, as the initial pid namespace numbers it */
	uint16_t call_cpu, issue_cpu, complete_cpu, return_cpu;
	uint16_t notes;		   /* bits, by enum io_note */
	uint8_t op, way, end;
	uint8_t layer; /* LAYER_REMOTE: none, a file system's server */
	uint16_t padding;
	char command[16];	   /* of that thread */
};

/* In place of a layer's number, where I/O goes to a server and not to a device. */
#define LAYER_REMOTE 255

/* The slowest that are kept by default. */
#define SLOWEST 64

/* The slowest that ended since user space counted `interval` up. */
struct interval_record {
	uint64_t interval;
	struct io_record record;
};

/* Rows of the table by latency: 16 for each doubling, up to 2^33 ns. */
#define ROW_BITS     4
#define LATENCY_ROWS 480

/* All I/Os of one op whose total lies in one row, with the sums of their parts. */
struct latency_row {
	uint64_t count;
	uint64_t sum[IO_PARTS];
};

/* Half of them: the kernel refuses per-CPU values beyond 32 KiB. */
#define TABLE_ROWS (LATENCY_ROWS / 2)

struct latency_table {
	struct latency_row row[TABLE_ROWS];
};

_Static_assert(sizeof(struct latency_table) <= 32768, "the kernel refuses larger per-CPU values");

/* The row of a total of `ns`. */
static inline __attribute__((always_inline)) uint32_t latency_row_of(uint64_t ns)
{
	uint32_t bit = hist_highest_bit(ns), row;

	if (bit <= ROW_BITS)
		return (uint32_t)ns;
	row = (bit - ROW_BITS + 1) * (1u << ROW_BITS) + ((ns >> (bit - ROW_BITS)) & ((1u << ROW_BITS) - 1));
	return row < LATENCY_ROWS ? row : LATENCY_ROWS - 1;
}

/* Lowest total, in ns, that falls into `row`. */
static inline uint64_t latency_row_lower(uint32_t row)
{
	uint32_t shift;

	if (row < 2u << ROW_BITS)
		return row;
	shift = (row >> ROW_BITS) - 1;
	return (uint64_t)((1u << ROW_BITS) + (row & ((1u << ROW_BITS) - 1))) << shift;
}

/* --- calls, by kind --- */

/* What programs wait in, buffered or not. ROW(id, name) */
#define IOSTRATA_CALLS(ROW)                                                                                            \
	ROW(READ, "read")                                                                                              \
	ROW(WRITE, "write")                                                                                            \
	ROW(FSYNC, "fsync")                                                                                            \
	ROW(FDATASYNC, "fdatasync")                                                                                    \
	ROW(SYNC_RANGE, "sync_file_range")                                                                             \
	ROW(MSYNC, "msync")                                                                                            \
	ROW(SYNC, "sync")                                                                                              \
	ROW(FAULT, "page fault")

enum call {
#define ROW(id, name) CALL_##id,
	IOSTRATA_CALLS(ROW)
#undef ROW
		CALLS,
	/* These bring or take I/Os and are no kinds of their own. */
	CALL_SUBMIT = CALLS, /* io_submit */
	CALL_GETEVENTS,	     /* io_getevents, io_pgetevents */
	CALL_URING,	     /* io_uring_enter */
};

/* System calls numbered from here on are not watched. */
#define MAX_CALL_NUMBER 512

struct call_counts {
	uint64_t calls, failed;
	uint64_t direct;		     /* of them, on files opened with O_DIRECT: each of those is an I/O, too */
	uint64_t bytes;			     /* that they returned */
	struct bio_counts bios[2];	     /* read and write bios that the threads queued in them */
	uint64_t clock[CLASSES];	     /* ns in them with that class in flight at the disk */
	uint64_t synchronous, synchronous_bytes; /* of them, writes that must be durable before they return */
	uint64_t flushed; /* of those, and of syncs: a flush or a write with FUA began and ended on the disk meanwhile */
};

/* --- others on the disk, by name --- */

/* ROW(id, name) */
#define IOSTRATA_FOREIGNERS(ROW)                                                                                       \
	ROW(PROCESS, "process")                                                                                        \
	ROW(JOURNAL, "journal")                                                                                        \
	ROW(WRITEBACK, "writeback")                                                                                    \
	ROW(KERNEL, "kernel thread")

enum foreigner_kind {
#define ROW(id, name) FOREIGNER_##id,
	IOSTRATA_FOREIGNERS(ROW)
#undef ROW
		FOREIGNERS
};

/* Kernel workers change their names; writeback stands under one. */
struct foreigner {
	char command[16];
	uint32_t kind, padding;
};

struct foreigner_counts {
	struct bio_counts op[OPS];
};

/* Names that are kept apart; what comes later is counted without a name. */
#define MAX_FOREIGNERS 256

/* --- on its way --- */

/* All tables are sets of four. */
#define TABLE_WAYS 4

/*
 * An I/O on its way. Its key must be unique among processes while it is in flight, and sixteen forked jobs have the same
 * user addresses: libaio's is the iocb's address with its kioctx, io_uring's the io_kiocb, a synchronous call's the task.
 */
struct io_slot {
	uint64_t key;	  /* 0: free */
	uint64_t context; /* kioctx; for io_uring and calls their enum io_way */
	uint64_t kiocb;	  /* tells a further bio of this I/O from an iocb that is used again; 0: not known yet */
	uint64_t task;	  /* its address: that began it */
	uint32_t done;	  /* bytes complete; all when it reaches record.bytes */
	uint32_t next;	  /* number plus 1 of the next one whose result the same task has, and does not know yet */
	int64_t result;	  /* of one on that list: bytes or -errno */
	uint32_t synchronous; /* a write to a file opened with O_DSYNC or O_SYNC: it may wait for the journal */
	uint32_t remote;      /* not 0: its file is on a file system without a device */
	struct io_record record;
};

struct io_set {
	struct io_slot way[TABLE_WAYS];
};

enum task_mark {
	MARK_WORKLOAD = 1, /* it is the workload's */
	MARK_LEARN = 2,	   /* a task of user space that reads the one file whose I/O counts, to make it known */
	MARK_OBSERVER = 3, /* iostrata itself, which is nobody's workload even where everyone's I/O counts */
};

/* What is known of a task. */
struct task_state {
	uint32_t mark;	  /* enum task_mark */
	uint32_t inside;  /* the system call that it is in, enum call + 1; 0: none that is watched */
	uint64_t entered; /* ns since the epoch */
	uint32_t io;	  /* number plus 1 of the slot of its synchronous I/O, or of the one that a worker completes */
	uint32_t posted;  /* number plus 1 of the first I/O whose result is in the ring since it entered */
	uint32_t queued;  /* I/Os that it queued in this call */
	uint32_t unknown; /* bios in it that no I/O could be found for */
	uint64_t woken, woken_by; /* since it entered: the last wake-up, and the completion before that on the same CPU */
	uint64_t faulted; /* when it queued a read outside of any system call, until that fault is over; 0: it did not */
	uint64_t faults;  /* its major faults before that one */
	uint32_t slept;	  /* not 0: it has slept since */
	uint32_t synchronous; /* not 0: the write that it is in must be durable before it returns */
	struct bio_counts bios[2];
	uint64_t clock[CLASSES];
	uint32_t submitting; /* number plus 1 of the I/O of io_uring that it submitted last and may be doing; 0: none */
	uint32_t linked;     /* not 0: what it submits next belongs to a chain, whose head is done first */
};

#endif
