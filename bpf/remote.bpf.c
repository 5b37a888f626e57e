// SPDX-License-Identifier: GPL-2.0
/*
 * File systems without a block device: each request to the server is followed until its answer, by kind, and is part of
 * the I/O that it is sent for. 9p sends and gets in the thread that asks, or in a worker of io_uring. FUSE sends in
 * that thread, or in the one that finds room for one more, and is answered in the server's; its direct reads and writes
 * know their kiocb.
 */
#include <iostrata/remote.h>

#include "io.bpf.h"
#include "task.bpf.h"
#include "trace.bpf.h"

/* Mapped by user space, to find what is left at the end. Sized by it, as those below. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1);
	__type(key, uint32_t);
	__type(value, struct remote_set);
} remote_sets SEC(".maps");

/* Indexed by row. */
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, uint32_t);
	__type(value, struct remote_counts);
} remote_ops SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, uint32_t);
	__type(value, struct stage_counts);
} remote_times SEC(".maps");

/* The row of each name (remote_name()); 0: it has none yet. And the rows that are taken. */
volatile uint32_t remote_row[REMOTE_NAMES] = {};
volatile uint32_t remote_rows = 0;

static __always_inline struct remote_counts *remote_counts_of(uint32_t row)
{
	return bpf_map_lookup_elem(&remote_ops, &row);
}

/* Row 0 when there is none left. */
static __always_inline uint32_t row_of(uint32_t name)
{
	uint32_t row, fresh;

	if (name >= REMOTE_NAMES)
		return 0;
	row = remote_row[name];
	if (row || remote_rows >= REMOTE_ROWS - 1)
		return row;
	fresh = __sync_fetch_and_add(&remote_rows, 1) + 1;
	if (fresh >= REMOTE_ROWS)
		return 0;
	row = __sync_val_compare_and_swap(&remote_row[name], 0, fresh);
	return row ? row : fresh;
}

/* --- a request --- */

struct sending {
	uint64_t key;
	uint32_t name;
	uint32_t io;
	uint32_t bytes;
	uint32_t padding;
};

static __always_inline struct remote_set *set_of_request(uint64_t key)
{
	uint32_t at = (key ^ key >> 16) * 0x9e3779b97f4a7c15ull >> 32 & config.remote_set_mask;

	return bpf_map_lookup_elem(&remote_sets, &at);
}

static __always_inline struct remote_slot *find_request(struct remote_set *set, uint64_t key)
{
	for (int i = 0; i < TABLE_WAYS; i++)
		if (set->way[i].key == key)
			return &set->way[i];
	return 0;
}

/* Another request has its name now: it was given up, or its answer came while no program could run. */
static __always_inline void count_unanswered(struct remote_slot *slot)
{
	struct remote_counts *counts = remote_counts_of(slot->row);

	if (counts)
		counts->unseen++;
	slot->key = 0;
}

static __always_inline bool remember(struct remote_set *set, const struct sending *sending, uint32_t row, uint64_t now)
{
	for (int i = 0; i < TABLE_WAYS; i++) {
		struct remote_slot *slot = &set->way[i];

		if (slot->key || __sync_val_compare_and_swap(&slot->key, 0, sending->key))
			continue;
		slot->sent = now;
		slot->io = sending->io;
		slot->row = row;
		slot->bytes = sending->bytes;
		return true;
	}
	return false;
}

__noinline int request_sent(const struct sending *sending)
{
	struct remote_slot *before;
	struct remote_counts *counts;
	struct remote_set *set;
	uint64_t now;
	uint32_t row;

	if (!sending)
		return 0;
	row = row_of(sending->name);
	counts = remote_counts_of(row);
	set = set_of_request(sending->key);
	if (!counts || !set)
		return 0;
	before = find_request(set, sending->key);
	if (before)
		count_unanswered(before);
	now = since_epoch();
	counts->sent++;
	if (sending->io)
		io_sent(sending->io, now);
	if (!remember(set, sending, row, now))
		counts->table_full++;
	return 0;
}

struct answer {
	uint64_t key;
	int64_t error;	/* 0, or -errno */
	uint32_t bytes; /* that it brought */
	uint32_t padding;
};

__noinline int request_answered(const struct answer *answer)
{
	struct remote_set *set = answer ? set_of_request(answer->key) : 0;
	struct remote_slot *slot = set ? find_request(set, answer->key) : 0;
	struct remote_counts *counts;
	uint64_t now, sent;
	uint32_t io, row;

	if (!slot)
		return 0;
	now = since_epoch();
	sent = slot->sent;
	io = slot->io;
	row = slot->row;
	counts = remote_counts_of(row);
	if (counts) {
		counts->answered++;
		counts->failed += answer->error < 0;
		if (answer->error >= 0)
			counts->bytes += slot->bytes + answer->bytes;
	}
	slot->key = 0;
	if (io)
		io_answered(io, sent, now);
	add_to(bpf_map_lookup_elem(&remote_times, &row), now > sent ? now - sent : 0);
	return 0;
}

/* --- for which I/O the current thread sends --- */

/* The I/O of a request of io_uring that the current thread does, or 0. */
__noinline int io_of_uring(uint64_t req, uint32_t notes)
{
	uint32_t number = io_find(uring_key(req));
	struct io_slot *slot;
	uint64_t file = 0;

	read_field(&file, struct io_kiocb, req, file);
	if (!number || !is_followed(file))
		return 0;
	slot = io_at(number);
	if (!slot || !slot->key)
		return 0;
	slot->remote = 1;
	slot->record.notes |= notes;
	if (slot->record.op != IO_OP_SYNC && !(flags_of(file) & O_DIRECT))
		slot->record.end = IO_END_BUFFERED;
	return number;
}

/* A worker does one at a time, for whoever asked. */
static __always_inline uint32_t io_of_worker(struct task_struct *task)
{
	uint64_t worker = uring_worker(task), work = 0;
	struct io_worker *type = 0;

	if (!worker || !bpf_core_field_exists(type->cur_work))
		return 0;
	read_field(&work, struct io_worker, worker, cur_work);
	return work ? io_of_uring(work - bpf_core_field_offset(struct io_kiocb, work), 1u << IO_NOTE_WORKER) : 0;
}

static __always_inline uint32_t io_of_submitter(const struct task_state *state)
{
	struct io_slot *slot = state->submitting ? io_at(state->submitting) : 0;

	if (!slot)
		return 0;
	return slot->record.way == IO_WAY_URING ? io_of_uring(slot->kiocb, 0) : 0;
}

static __always_inline uint32_t io_of_thread(struct task_struct *task, const struct task_state *state)
{
	if (task->flags & TASK_URING_WORKER)
		return io_of_worker(task);
	/* The thread of a ring that polls for what is submitted is in no call. */
	if (!state->inside || state->inside == CALL_URING + 1)
		return io_of_submitter(state);
	return state->inside <= CALL_SUBMIT + 1 ? state->io : 0;
}

/* --- 9p --- */

/* Tags are of 16 bits, and one is used once at a time by a client. */
static __always_inline uint64_t key_of_9p(const void *ctx)
{
	return address_of(ctx, 0) << 16 | (address_of(ctx, 2) & 0xffff);
}

__noinline int send_9p(uint64_t key, uint32_t type)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct task_state *state = current_state(task);
	struct sending sending = {.key = key};

	if (!is_own(state))
		return 0;
	sending.name = remote_name(0, REMOTE_9P, type / 2);
	sending.io = io_of_thread(task, state);
	request_sent(&sending);
	return 0;
}

/* (client, type, tag) */
SEC("tp_btf/9p_client_req")
int BPF_PROG(on_9p_request)
{
	if (recording && (!target_client || target_client == address_of(ctx, 0)))
		send_9p(key_of_9p(ctx), address_of(ctx, 1) & 127);
	return 0;
}

/* (client, type, tag, error) */
SEC("tp_btf/9p_client_res")
int BPF_PROG(on_9p_response)
{
	struct answer answer = {.key = key_of_9p(ctx)};

	answer.error = (int32_t)address_of(ctx, 3);
	request_answered(&answer);
	return 0;
}

/* --- FUSE --- */

/* enum fuse_opcode (include/uapi/linux/fuse.h), which never changes. */
#define FUSE_READ  15
#define FUSE_WRITE 16

/* struct fuse_in_header and struct fuse_write_in before the data, struct fuse_out_header before that of an answer. */
#define FUSE_WRITE_HEAD (40 + 40)
#define FUSE_OUT_HEAD	16

static __always_inline bool is_followed_mount(uint64_t req)
{
	uint64_t mount = 0, super = 0;
	uint32_t device = 0;

	read_field(&mount, struct fuse_req, req, fm);
	if (mount)
		read_field(&super, struct fuse_mount, mount, sb);
	if (super)
		read_field(&device, struct super_block, super, s_dev);
	return is_on_layers(device);
}

static __always_inline bool is_ended_by(uint64_t end, enum symbol symbol)
{
	return end && config.symbol[symbol] == end;
}

static __always_inline uint32_t io_of_direct(uint64_t args)
{
	uint64_t io = args - bpf_core_field_offset(struct fuse_io_args, ap.args), kiocb = 0, priv = 0;

	read_field(&priv, struct fuse_io_args, io, io);
	if (priv)
		read_field(&kiocb, struct fuse_io_priv, priv, iocb);
	return kiocb ? io_of_kiocb(kiocb) : 0;
}

/* The inode that pages are read for; the list of them has pages, or folios, which begin alike. */
static __always_inline uint64_t inode_read(uint64_t args)
{
	uint64_t pages = args - bpf_core_field_offset(struct fuse_args_pages, args), page = 0, mapping = 0, inode = 0;
	struct fuse_args_pages___folios *folios = 0;
	uint32_t offset = bpf_core_field_exists(folios->folios)
				  ? bpf_core_field_offset(struct fuse_args_pages___folios, folios)
				  : bpf_core_field_offset(struct fuse_args_pages, pages);

	bpf_probe_read_kernel(&pages, sizeof(pages), (void *)pages + offset);
	if (pages)
		bpf_probe_read_kernel(&page, sizeof(page), (void *)pages);
	if (page)
		read_field(&mapping, struct page, page, mapping);
	if (mapping)
		read_field(&inode, struct address_space, mapping, host);
	return inode;
}

static __always_inline uint64_t inode_written(uint64_t args)
{
	uint64_t inode = 0;

	read_field(&inode, struct fuse_writepage_args,
		   args - bpf_core_field_offset(struct fuse_writepage_args, ia.ap.args), inode);
	return inode;
}

static __always_inline bool is_own_inode(uint64_t inode)
{
	return inode && bpf_map_lookup_elem(&own_inodes, &inode);
}

/* Pages that are written back: of a file that the workload wrote by calls, or by the workload itself in a sync. */
static __always_inline bool is_own_writeback(uint64_t args)
{
	return is_own_inode(inode_written(args)) || is_own(current_state(bpf_get_current_task_btf()));
}

/* Whether the workload sends it, or somebody for it, and for which I/O. */
static __always_inline bool find_sender(struct sending *sending, uint64_t args, uint64_t end)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct task_state *state;

	if (is_ended_by(end, SYMBOL_FUSE_DIRECT)) {
		sending->io = io_of_direct(args);
		if (sending->io)
			return true;
	}
	state = current_state(task);
	if (is_own(state)) {
		if (!is_ended_by(end, SYMBOL_FUSE_DIRECT))
			sending->io = io_of_thread(task, state);
		return true;
	}
	return is_ended_by(end, SYMBOL_FUSE_READAHEAD) && is_own_inode(inode_read(args));
}

__noinline int send_fuse(uint64_t req)
{
	struct sending sending = {.key = req};
	uint32_t opcode = 0, length = 0;
	uint64_t args = 0, end = 0;
	bool written_back;

	read_field(&opcode, struct fuse_req, req, in.h.opcode);
	read_field(&length, struct fuse_req, req, in.h.len);
	read_field(&args, struct fuse_req, req, args);
	if (args)
		read_field(&end, struct fuse_args, args, end);
	if (!is_followed_mount(req))
		return 0;
	written_back = is_ended_by(end, SYMBOL_FUSE_WRITEBACK);
	if (written_back ? !is_own_writeback(args) : !find_sender(&sending, args, end))
		return 0;
	sending.name = remote_name(written_back, REMOTE_FUSE, opcode);
	if (opcode == FUSE_WRITE && length > FUSE_WRITE_HEAD)
		sending.bytes = length - FUSE_WRITE_HEAD;
	request_sent(&sending);
	return 0;
}

SEC("tp_btf/fuse_request_send")
int BPF_PROG(on_fuse_send)
{
	if (recording)
		send_fuse(address_of(ctx, 0));
	return 0;
}

__noinline int end_fuse(uint64_t req)
{
	struct answer answer = {.key = req};
	uint32_t opcode = 0, length = 0;
	int32_t error = 0;

	read_field(&opcode, struct fuse_req, req, in.h.opcode);
	read_field(&length, struct fuse_req, req, out.h.len);
	read_field(&error, struct fuse_req, req, out.h.error);
	answer.error = error;
	if (opcode == FUSE_READ && length > FUSE_OUT_HEAD)
		answer.bytes = length - FUSE_OUT_HEAD;
	request_answered(&answer);
	return 0;
}

SEC("tp_btf/fuse_request_end")
int BPF_PROG(on_fuse_end)
{
	end_fuse(address_of(ctx, 0));
	return 0;
}
