// SPDX-License-Identifier: GPL-2.0
/*
 * From a bio to the I/O that it belongs to, at Q. A synchronous call's bios are queued by its own thread. The others are
 * told by the function that ends them, which knows the kiocb, which knows who asked.
 */
#include "io.bpf.h"
#include "task.bpf.h"
#include "trace.bpf.h"

/* DIO_IS_SYNC (block/fops.c, 5.16): blkdev_dio.iocb is then a task, in a union. */
#define DIO_IS_SYNC 2

/* Who asked for a bio. */
struct asker {
	struct io_key id;
	uint64_t kiocb;
	uint32_t way; /* enum io_way */
	uint32_t polled;
};

static __always_inline bool is_symbol(uint64_t address, enum symbol symbol)
{
	return config.symbol[symbol] && config.symbol[symbol] == address;
}

static __always_inline void ask_task(struct asker *asker, uint64_t task)
{
	asker->id = (struct io_key){task, CONTEXT_CALL};
	asker->way = IO_WAY_CALL;
}

static __always_inline uint64_t completion_of(uint64_t kiocb)
{
	uint64_t complete = 0;

	read_field(&complete, struct kiocb, kiocb, ki_complete);
	return complete;
}

/* `complete` is what the kiocb is to be ended by, which tells who asked. */
static __always_inline void ask_kiocb(struct asker *asker, uint64_t kiocb, uint64_t complete)
{
	asker->kiocb = kiocb;
	asker->polled = is_symbol(complete, SYMBOL_URING_POLLED);
	if (is_symbol(complete, SYMBOL_AIO)) {
		asker->id = aio_key(kiocb);
		asker->way = IO_WAY_LIBAIO;
	} else if (asker->polled || is_symbol(complete, SYMBOL_URING)) {
		/* The kiocb is the io_kiocb's first member. */
		asker->id = uring_key(kiocb);
		asker->way = IO_WAY_URING;
	}
}

static __always_inline void ask_iomap(struct asker *asker, uint64_t dio)
{
	uint64_t kiocb = 0, complete, task = 0;

	read_field(&kiocb, struct iomap_dio, dio, iocb);
	complete = completion_of(kiocb);
	if (complete) {
		ask_kiocb(asker, kiocb, complete);
		return;
	}
	read_field(&task, struct iomap_dio, dio, submit.waiter);
	ask_task(asker, task);
}

/* 5.15 has bit-fields in place of flags; there the synchronous path is told by its thread alone. */
static __always_inline void ask_blkdev(struct asker *asker, uint64_t bio)
{
	uint64_t dio = bio - bpf_core_field_offset(struct blkdev_dio, bio), owner = 0;
	struct blkdev_dio *type = 0;
	uint32_t flags = DIO_IS_SYNC;

	if (!bpf_core_field_exists(type->flags))
		return;
	read_field(&flags, struct blkdev_dio, dio, flags);
	read_field(&owner, struct blkdev_dio, dio, iocb);
	if (flags & DIO_IS_SYNC)
		ask_task(asker, owner);
	else
		ask_kiocb(asker, owner, completion_of(owner));
}

/* The task that sleeps until its bio ends: the first on the list of the completion. */
static __always_inline void ask_waiter(struct asker *asker, uint64_t completion)
{
	uint64_t head = completion + bpf_core_field_offset(struct completion, wait.task_list), first = 0, task = 0;

	bpf_probe_read_kernel(&first, sizeof(first), (void *)head);
	if (!first || first == head)
		return;
	first -= bpf_core_field_offset(struct swait_queue, task_list);
	read_field(&task, struct swait_queue, first, task);
	ask_task(asker, task);
}

static __always_inline void ask_bio(struct asker *asker, uint64_t bio, uint64_t end)
{
	uint64_t private = 0;

	if (is_symbol(end, SYMBOL_IOMAP)) {
		read_field(&private, struct bio, bio, bi_private);
		ask_iomap(asker, private);
	} else if (is_symbol(end, SYMBOL_BLKDEV_ASYNC) || is_symbol(end, SYMBOL_BLKDEV)) {
		ask_blkdev(asker, bio);
	} else if (is_symbol(end, SYMBOL_WAIT) || is_symbol(end, SYMBOL_WAIT_NEW)) {
		read_field(&private, struct bio, bio, bi_private);
		ask_waiter(asker, private);
	}
}

/* --- a request to a server, which may be sent by any thread --- */

__noinline int io_of_kiocb(uint64_t kiocb)
{
	uint64_t complete = completion_of(kiocb), file = 0;
	struct asker asker = {};

	read_field(&file, struct kiocb, kiocb, ki_filp);
	if (!is_followed(file))
		return 0;
	if (complete)
		ask_kiocb(&asker, kiocb, complete);
	else if (stack_size)
		asker.id = (struct io_key){kiocb & -stack_size, CONTEXT_STACK};
	return asker.id.key ? io_find(asker.id) : 0;
}

/* --- Q --- */

/*
 * Stamps Q with the first bio; a further one makes the I/O larger. A bio of a layer below the one that the I/O came in
 * by is part of what happened there.
 */
static __always_inline bool stamp_queued(struct io_slot *slot, const struct arrival *arrival)
{
	struct io_record *record = &slot->record;

	if (!record->boundary[BOUNDARY_QUEUE]) {
		record->boundary[BOUNDARY_QUEUE] = arrival->now;
		record->layer = arrival->layer;
		record->sector = arrival->sector;
	} else if (config.layer[arrival->layer & (MAX_LAYERS - 1)].above & 1u << record->layer) {
		return false;
	}
	record->bytes += arrival->size;
	return true;
}

static __always_inline void note(struct io_slot *slot, enum io_note note)
{
	slot->record.notes |= 1u << note;
}

/* Not queued by the task that asked: a worker of io_uring did, or a limit had held the bio back. */
static __always_inline void note_who(struct io_slot *slot)
{
	struct task_struct *task;

	if (slot->task == bpf_get_current_task() && slot->record.boundary[BOUNDARY_CALL])
		return;
	task = bpf_get_current_task_btf();
	if (task->flags & TASK_URING_WORKER)
		note(slot, IO_NOTE_WORKER);
	else if (is_kernel_thread(task))
		note(slot, IO_NOTE_THROTTLED);
}

/* IOCB_DSYNC (include/linux/fs.h) is RWF_DSYNC, which is part of the kernel's interface; O_SYNC sets it, too. */
#define IOCB_DSYNC 2

static __always_inline bool is_synchronous(uint64_t kiocb)
{
	uint32_t flags = 0;

	if (!config.syncs || !kiocb)
		return false;
	read_field(&flags, struct kiocb, kiocb, ki_flags);
	return flags & IOCB_DSYNC;
}

/*
 * An I/O of libaio gets its slot here, as no tracepoint tells of it before. One with its key may be there: this I/O
 * itself, in several bios or held back since its call; or one before it, whose iocb the program had back without asking
 * the kernel for it.
 */
static __always_inline uint32_t find_libaio(const struct asker *asker, struct task_state *state, uint32_t op)
{
	uint64_t called = is_own(state) && state->inside == CALL_SUBMIT + 1 ? state->entered : 0;
	uint32_t number = io_find(asker->id);
	struct beginning beginning = {
		.id = asker->id,
		.called = called,
		.kiocb = asker->kiocb,
		.op = op,
		.way = IO_WAY_LIBAIO,
	};
	struct io_slot *slot = number ? io_at(number) : 0;

	if (slot) {
		uint64_t begun = slot->record.boundary[BOUNDARY_CALL];

		if (called ? begun == called : !slot->kiocb || slot->kiocb == asker->kiocb) {
			slot->kiocb = asker->kiocb;
			return number;
		}
		io_fold_self_reaped(number);
	}
	/* Somebody else's; but what a kernel thread queues for others may be ours, and is claimed when its call ends. */
	if (!called && !is_kernel_thread(bpf_get_current_task_btf()))
		return 0;
	/* Also where there is no room: it was queued, and is counted. */
	if (state && called)
		state->queued++;
	return io_begin(&beginning);
}

static __always_inline uint32_t find_asked(const struct asker *asker, struct task_state *state, uint32_t op)
{
	if (asker->way != IO_WAY_LIBAIO)
		return io_find(asker->id);
	return find_libaio(asker, state, op);
}

/* Of a synchronous call everything that its thread queues is the call's, but for the file system's own blocks. */
static __always_inline bool belongs_to_call(const struct io_slot *slot, uint32_t flags)
{
	enum op op = op_of_flags(flags);

	return (uint32_t)op == slot->record.op && !is_metadata(flags);
}

static __always_inline bool is_in_own_call(const struct task_state *state)
{
	return state && state->io && state->inside && state->inside <= CALLS;
}

__noinline int io_queued(const struct arrival *arrival, struct task_state *state)
{
	struct asker asker = {};
	struct io_slot *slot;
	uint32_t number;

	if (!arrival)
		return 0;
	if (is_in_own_call(state)) {
		slot = io_at(state->io);
		if (!slot || !belongs_to_call(slot, arrival->flags))
			return 0;
		return stamp_queued(slot, arrival) ? state->io : 0;
	}
	ask_bio(&asker, arrival->bio, arrival->end);
	if (!asker.id.key) {
		if (state && !is_metadata(arrival->flags)) {
			state->unknown++;
			strange_bios = 1;
		}
		return 0;
	}
	number = find_asked(&asker, state, arrival->op == OP_READ ? IO_OP_READ : IO_OP_WRITE);
	slot = number ? io_at(number) : 0;
	if (!slot)
		return 0;
	if (asker.polled)
		note(slot, IO_NOTE_POLLED);
	if (slot->record.op == IO_OP_WRITE && is_synchronous(asker.kiocb))
		note(slot, IO_NOTE_SYNCHRONOUS);
	note_who(slot);
	return stamp_queued(slot, arrival) ? number : 0;
}
