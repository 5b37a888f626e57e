// SPDX-License-Identifier: GPL-2.0
/*
 * io_uring: an I/O begins when its request is taken from the submission ring, which may be long before it is queued (the
 * second of a linked pair waits for the first), and ends when its result is in the completion ring.
 */
#include "io.bpf.h"
#include "task.bpf.h"
#include "trace.bpf.h"

/* enum io_uring_op (include/uapi/linux/io_uring.h), which never changes. */
#define URING_READV	      1
#define URING_WRITEV	      2
#define URING_FSYNC	      3
#define URING_READ_FIXED      4
#define URING_WRITE_FIXED     5
#define URING_SYNC_FILE_RANGE 8
#define URING_READ	      22
#define URING_WRITE	      23
#define URING_READV_FIXED     58
#define URING_WRITEV_FIXED    59

/* IO_OPS for what is no I/O on a disk. */
static __always_inline uint32_t op_of_uring(uint8_t opcode)
{
	switch (opcode) {
	case URING_READV:
	case URING_READ_FIXED:
	case URING_READ:
	case URING_READV_FIXED:
		return IO_OP_READ;
	case URING_WRITEV:
	case URING_WRITE_FIXED:
	case URING_WRITE:
	case URING_WRITEV_FIXED:
		return IO_OP_WRITE;
	case URING_FSYNC:
	case URING_SYNC_FILE_RANGE:
		return IO_OP_SYNC;
	default:
		return IO_OPS;
	}
}

static __always_inline uint64_t called_at(const struct task_state *state)
{
	/* The kernel's own thread takes them under SQPOLL, and a link may be begun at the end of any call. */
	return state->inside == CALL_URING + 1 ? state->entered : since_epoch();
}

/*
 * Its request is used again, and nothing told of its end: the completion ring overflowed, or it asked for no entry. One
 * that never reached a disk may have been of any file.
 */
static __always_inline void end_untold(uint32_t number)
{
	struct io_slot *slot = io_at(number);
	struct ending ending = {};

	if (!slot)
		return;
	if (!slot->record.boundary[BOUNDARY_QUEUE]) {
		io_forget(number);
		return;
	}
	slot->record.boundary[BOUNDARY_QUEUE] = 0;
	slot->record.end = IO_END_CQE_LOST;
	io_fold(number, &ending);
}

static __always_inline uint32_t begin(const struct task_state *state, uint64_t req, uint32_t op)
{
	struct beginning beginning = {
		.id = uring_key(req),
		.called = called_at(state),
		.kiocb = req,
		.op = op,
		.way = IO_WAY_URING,
	};

	return io_begin(&beginning);
}

/* IOSQE_IO_LINK and IOSQE_IO_HARDLINK (include/uapi/linux/io_uring.h), which a request keeps as its own flags. */
#define LINKS (4 | 8)

/*
 * Older kernels take file systems without a device for ones that do not wait, and do all of it in the thread that
 * submits, at once: then what this sends is for the request that it submitted last. Of a chain that is not known.
 */
static __always_inline bool is_alone(struct task_state *state, uint64_t req)
{
	uint32_t flags = 0, linked = state->linked;

	read_field(&flags, struct io_kiocb, req, flags);
	state->linked = flags & LINKS;
	return !linked && !state->linked;
}

__noinline int uring_begin(uint64_t req)
{
	struct task_state *state = current_state(bpf_get_current_task_btf());
	uint8_t opcode = 0;
	uint32_t number, op;
	bool alone;

	if (!is_own(state))
		return 0;
	alone = config.remote && is_alone(state, req);
	state->submitting = 0;
	read_field(&opcode, struct io_kiocb, req, opcode);
	op = op_of_uring(opcode);
	if (op == IO_OPS)
		return 0;
	number = io_find(uring_key(req));
	if (number)
		end_untold(number);
	number = begin(state, req, op);
	if (alone)
		state->submitting = number;
	return 0;
}

SEC("tp_btf/io_uring_submit_req")
int BPF_PROG(on_uring_submit)
{
	if (recording)
		uring_begin(address_of(ctx, config.uring_submit_argument));
	return 0;
}

/* The same before 6.3. */
SEC("tp_btf/io_uring_submit_sqe")
int BPF_PROG(on_uring_submit_sqe)
{
	if (recording)
		uring_begin(address_of(ctx, config.uring_submit_argument));
	return 0;
}

/*
 * One that never reached a disk: of another file, answered by the page cache, or on a file system with bios of its own
 * kind. Returns whether it is followed.
 */
static __always_inline bool judge_unqueued(struct io_slot *slot, uint64_t req)
{
	uint64_t file = 0;

	read_field(&file, struct io_kiocb, req, file);
	if (!is_followed(file))
		return false;
	if (config.remote && is_remote(file)) {
		slot->remote = 1;
		slot->record.end = slot->record.op == IO_OP_SYNC || flags_of(file) & O_DIRECT ? IO_END_UNJOINED
											  : IO_END_BUFFERED;
		return true;
	}
	if (slot->record.op == IO_OP_SYNC)
		return true;
	if (!(flags_of(file) & O_DIRECT))
		slot->record.end = IO_END_BUFFERED;
	else if (strange_bios)
		slot->record.end = IO_END_UNJOINED;
	return true;
}

/* Its result is in the ring. `req` is 0 where the kernel does not tell the request. */
__noinline int uring_end(uint32_t number, uint64_t req)
{
	struct task_state *state = bpf_task_storage_get(&tasks, bpf_get_current_task_btf(), 0, 0);
	struct io_slot *slot = number ? io_at(number) : 0;
	struct ending ending = {};

	if (!slot)
		return 0;
	if (req && !slot->record.boundary[BOUNDARY_QUEUE] && !judge_unqueued(slot, req)) {
		io_forget(number);
		return 0;
	}
	slot->result = req ? uring_result(req) : slot->record.bytes;
	if (state && state->inside == CALL_URING + 1) {
		slot->next = state->posted;
		state->posted = number;
		return 0;
	}
	slot->record.notes |= 1u << IO_NOTE_RING;
	ending.returned = since_epoch();
	ending.result = slot->result;
	io_fold(number, &ending);
	return 0;
}

/* (ring, request, ...), before 5.16 (ring, user_data, ...); there is no request for entries of the kernel's own. */
SEC("tp_btf/io_uring_complete")
int BPF_PROG(on_uring_complete)
{
	uint64_t named = address_of(ctx, 1);

	if (config.uring_by_data)
		uring_end(io_find((struct io_key){named + 1, address_of(ctx, 0)}), 0);
	else if (named)
		uring_end(io_find((struct io_key){named, CONTEXT_URING}), named);
	return 0;
}
