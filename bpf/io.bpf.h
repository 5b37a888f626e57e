/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The table of the program's I/Os. An I/O is named by a number: the position of its slot, plus 1; 0 is none. The slot is
 * found by key once, at Q; from there on its bios carry the number.
 */
#ifndef BPF_IO_H
#define BPF_IO_H

#include "trace.bpf.h"

/* Mapped by user space, to find what is left at the end. */
struct io_table {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1);
	__type(key, uint32_t);
	__type(value, struct io_set);
};
extern struct io_table io_sets SEC(".maps");

struct io_op_map {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, IO_OPS);
	__type(key, uint32_t);
	__type(value, struct io_counts);
};
extern struct io_op_map io_ops SEC(".maps");

/* Counted up by user space when an interval ends. */
extern volatile uint64_t interval;

/* Address of the inode of the one file whose I/O counts, with config.one_file; learnt from user space's reading it. */
extern volatile uint64_t target_inode;

/* The context of a key that needs none. Those of libaio are addresses. */
#define CONTEXT_CALL  1
#define CONTEXT_URING 2
#define CONTEXT_STACK 3 /* of a call on a file without a device: the key is its thread's stack, where its kiocb lies */

/* Of a thread in the kernel, bytes; 0: no call has told it yet. Stacks lie at multiples of it. */
extern volatile uint64_t stack_size;

/* Not 0 once the workload queued bios that no I/O could be found for: the file system has ways of its own. */
extern volatile uint32_t strange_bios;

/* What an I/O is found by. */
struct io_key {
	uint64_t key, context; /* key 0: not known */
};

/*
 * Of a request of io_uring. Where its end is told by user_data alone that is its key, in its ring; a program may use 0,
 * and must not use one twice at a time.
 */
static __always_inline struct io_key uring_key(uint64_t req)
{
	if (config.uring_by_data)
		return (struct io_key){uring_user_data(req) + 1, uring_context(req)};
	return (struct io_key){req, CONTEXT_URING};
}

/* Of an iocb of libaio: its address in the program, and its ring. */
static __always_inline struct io_key aio_key(uint64_t kiocb)
{
	struct io_key id = {};

	read_field(&id.key, struct aio_kiocb, kiocb, ki_res.obj);
	read_field(&id.context, struct aio_kiocb, kiocb, ki_ctx);
	return id;
}

static __always_inline struct io_counts *io_counts_of(uint32_t op)
{
	return bpf_map_lookup_elem(&io_ops, &op);
}

static __always_inline struct io_slot *io_at(uint32_t number)
{
	uint32_t key = (number - 1) / TABLE_WAYS;
	struct io_set *set = bpf_map_lookup_elem(&io_sets, &key);

	return set ? &set->way[(number - 1) & (TABLE_WAYS - 1)] : 0;
}

static __always_inline uint32_t io_set_of(struct io_key id)
{
	uint64_t mixed = (id.key >> 4) * 0x9e3779b97f4a7c15ull + (id.context >> 6) * 0xc2b2ae3d27d4eb4full;

	mixed ^= mixed >> 29;
	return mixed * 0x9e3779b97f4a7c15ull >> 32 & config.io_set_mask;
}

/* The number of the I/O with that key, or 0. */
static __always_inline uint32_t io_find(struct io_key id)
{
	uint32_t at = io_set_of(id);
	struct io_set *set = bpf_map_lookup_elem(&io_sets, &at);

	if (!set)
		return 0;
	for (int i = 0; i < TABLE_WAYS; i++)
		if (set->way[i].key == id.key && set->way[i].context == id.context)
			return at * TABLE_WAYS + i + 1;
	return 0;
}

/* An I/O that begins. */
struct beginning {
	struct io_key id;
	uint64_t called; /* ns since the epoch; 0: not known yet */
	uint64_t kiocb;
	uint32_t op;	 /* enum io_op */
	uint32_t way;	 /* enum io_way */
	uint32_t synchronous;
	uint32_t remote;
};

/*
 * Its number, or 0 when there is no room, which is counted. One whose call is not known yet is counted by io_claim(),
 * which tells when that was and by whom (the address of a task).
 */
int io_begin(const struct beginning *beginning);
int io_claim(uint32_t number, uint64_t called, uint64_t task);

/* An I/O that ended: what its thread knows of that. */
struct ending {
	uint64_t asked;	   /* P; 0: not known */
	uint64_t returned; /* R */
	uint64_t woken;	   /* W; 0: it did not sleep */
	uint64_t woken_by; /* the completion before that on the same CPU */
	int64_t result;	   /* bytes, or -errno */
};

/* Adds an I/O to the histograms, keeps it if it is among the slowest, and frees its slot. */
int io_fold(uint32_t number, const struct ending *ending);

/* The program took it from the ring without a system call: it is known up to C. */
int io_fold_self_reaped(uint32_t number);

/* Forgets one that turned out to be none of those that are followed. */
int io_forget(uint32_t number);

/* A flush, or a journal's write, that it waited for ended at `synced`; what ended before C is none of its. */
int io_synced(uint32_t number, uint64_t synced);

/* Adds a latency in ns to the histogram of a stage of I/Os. */
int io_count_stage(uint32_t op, uint32_t stage, uint64_t elapsed);

/* The thread that issued last on this CPU gets out of the driver. */
int ring_doorbell(struct cpu_state *cpu, uint64_t now);

/* The I/O that a kiocb (its address) is of, or 0. */
int io_of_kiocb(uint64_t kiocb);

/* A bio that enters the block layer. Addresses are kept as numbers. */
struct arrival {
	uint64_t bio;
	uint64_t end;	 /* bi_end_io */
	uint64_t sector;
	uint64_t now;	 /* ns since the epoch */
	uint32_t size;
	uint32_t flags;	 /* bi_opf */
	uint32_t layer;
	uint32_t op;	 /* enum op */
};

/*
 * Finds the I/O that a bio belongs to, and stamps its Q. `state` is the current task's, or NULL. Returns the I/O's
 * number, or 0.
 */
int io_queued(const struct arrival *arrival, struct task_state *state);

/* A request with a bio of this I/O was issued. */
static __always_inline void io_issued(uint32_t number, struct cpu_state *cpu, uint64_t now)
{
	struct io_slot *slot = io_at(number);
	struct io_record *record;

	if (!slot)
		return;
	record = &slot->record;
	if (!record->requests)
		record->first_issue = now;
	record->boundary[BOUNDARY_ISSUE] = now;
	record->issue_cpu = bpf_get_smp_processor_id();
	*(uint64_t *)record->company = cpu->company;
	record->idle = cpu->idle;
	__sync_fetch_and_add(&record->requests, 1);
	if (slot->task != bpf_get_current_task())
		return;
	if (cpu->submitter != slot->task)
		cpu->sharing = 1;
	else if (cpu->io != number)
		cpu->sharing++;
	cpu->submitter = slot->task;
	cpu->issued = now;
	cpu->io = number;
}

/* Such an issue was taken back. */
static __always_inline void io_requeued(uint32_t number)
{
	struct io_slot *slot = io_at(number);

	if (slot)
		__sync_fetch_and_add(&slot->record.requests, -1);
}

/* Neither ours nor known to be anybody else's: a worker queued it, and no call has claimed it. */
int io_unclaimed(uint32_t number);

/* A bio of `size` bytes of this I/O is complete, or (`flush`) the flush that it waits for. */
static __always_inline void io_completed(uint32_t number, bool flush, uint32_t size, uint64_t now)
{
	struct io_slot *slot = io_at(number);
	struct cpu_state *cpu = this_cpu();

	if (!slot || !cpu)
		return;
	cpu->completed = now;
	if (flush) {
		slot->record.boundary[BOUNDARY_SYNCED] = now;
		return;
	}
	slot->record.boundary[BOUNDARY_COMPLETE] = now;
	slot->record.complete_cpu = bpf_get_smp_processor_id();
	__sync_fetch_and_add(&slot->done, size);
	if (!slot->record.boundary[BOUNDARY_CALL])
		io_unclaimed(number);
}

/* A request to a file system's server is sent for this I/O. Each counts as a byte until the I/O's end. */
static __always_inline void io_sent(uint32_t number, uint64_t now)
{
	struct io_slot *slot = io_at(number);
	struct io_record *record;

	if (!slot || !slot->key)
		return;
	record = &slot->record;
	if (!record->boundary[BOUNDARY_QUEUE]) {
		record->boundary[BOUNDARY_QUEUE] = now;
		record->layer = LAYER_REMOTE;
	}
	__sync_fetch_and_add(&record->bytes, 1);
	__sync_fetch_and_add(&record->requests, 1);
}

/*
 * The request that was sent at `sent` is answered. A thread that looks at the right moment finds its answer before we
 * do: then the I/O has ended, and its slot may be another's, which has sent nothing before.
 */
static __always_inline void io_answered(uint32_t number, uint64_t sent, uint64_t now)
{
	struct io_slot *slot = io_at(number);

	if (slot && slot->key && slot->record.layer == LAYER_REMOTE && slot->record.boundary[BOUNDARY_QUEUE] &&
	    slot->record.boundary[BOUNDARY_QUEUE] <= sent)
		io_completed(number, false, 1, now);
}

/* A bio of this I/O ended without a request; `again`: an attempt without waiting, which comes again. */
int io_ended_early(uint32_t number, uint32_t size, uint32_t again);

#endif
