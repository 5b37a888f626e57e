// SPDX-License-Identifier: GPL-2.0
/*
 * S, P and R: the system calls that programs wait in. These programs run for every system call of the machine, so they
 * look at the number before anything else.
 */
#include "clock.bpf.h"
#include "io.bpf.h"
#include "task.bpf.h"
#include "trace.bpf.h"

/* Indexed by enum call. */
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, CALLS);
	__type(key, uint32_t);
	__type(value, struct call_counts);
} call_ops SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, CALLS);
	__type(key, uint32_t);
	__type(value, struct stage_counts);
} call_times SEC(".maps");

/* --- files --- */

/* S_IFMT and three of its values (include/uapi/linux/stat.h). */
#define MODE_MASK      0170000
#define MODE_FILE      0100000
#define MODE_BLOCK     0060000
#define MODE_DIRECTORY 0040000

static __always_inline uint64_t file_of(struct task_struct *task, uint32_t descriptor)
{
	struct fdtable *table = task->files->fdt;
	uint64_t file = 0;

	if (descriptor >= table->max_fds)
		return 0;
	bpf_probe_read_kernel(&file, sizeof(file), (void *)table->fd + 8ull * descriptor);
	return file;
}

static __always_inline uint64_t inode_of(uint64_t file)
{
	uint64_t inode = 0;

	if (file)
		read_field(&inode, struct file, file, f_inode);
	return inode;
}

static __always_inline bool is_of_layers(uint64_t inode)
{
	uint32_t device = 0;
	uint64_t super = 0;
	uint16_t mode = 0;

	read_field(&mode, struct inode, inode, i_mode);
	if ((mode & MODE_MASK) == MODE_BLOCK) {
		read_field(&device, struct inode, inode, i_rdev);
	} else if ((mode & MODE_MASK) == MODE_FILE || (mode & MODE_MASK) == MODE_DIRECTORY) {
		/* A directory can be synced, and is: a new file's name is durable only then. */
		read_field(&super, struct inode, inode, i_sb);
		read_field(&device, struct super_block, super, s_dev);
	} else {
		return false;
	}
	return is_on_layers(device);
}

/* Whether I/O on this file is followed. */
__noinline int is_followed(uint64_t file)
{
	uint64_t inode = inode_of(file);

	if (!inode)
		return 0;
	return config.one_file ? inode == target_inode : is_of_layers(inode);
}

/* V9FS_MAGIC and FUSE_SUPER_MAGIC (include/uapi/linux/magic.h, fs/fuse/inode.c); virtiofs is FUSE, too. */
#define MAGIC_9P   0x01021997
#define MAGIC_FUSE 0x65735546

__noinline int is_remote(uint64_t file)
{
	uint64_t inode = config.remote ? inode_of(file) : 0, super = 0, magic = 0;

	if (!inode)
		return 0;
	read_field(&super, struct inode, inode, i_sb);
	read_field(&magic, struct super_block, super, s_magic);
	return magic == MAGIC_9P || magic == MAGIC_FUSE;
}

/* How an I/O on such a file ends that no request is known to have been sent for. */
static __always_inline uint32_t end_of_unsent(uint64_t file)
{
	return flags_of(file) & O_DIRECT ? IO_END_UNJOINED : IO_END_BUFFERED;
}

/* The flags that it was opened with. */
__noinline int flags_of(uint64_t file)
{
	uint32_t flags = 0;

	read_field(&flags, struct file, file, f_flags);
	return flags;
}

/* S_SYNC and SB_SYNCHRONOUS (include/linux/fs.h): chattr +S and mount -o sync. */
#define INODE_SYNC 1
#define SUPER_SYNC 16

/* Whether a write to this file must be durable before it ends: what IS_SYNC() and the flags of the open file say. */
__noinline int is_synchronous(uint64_t file, uint32_t flags)
{
	uint64_t inode, super = 0, super_flags = 0;
	uint32_t inode_flags = 0;

	if (flags & O_DSYNC)
		return 1;
	inode = config.clocks ? inode_of(file) : 0;
	if (!inode)
		return 0;
	read_field(&inode_flags, struct inode, inode, i_flags);
	read_field(&super, struct inode, inode, i_sb);
	read_field(&super_flags, struct super_block, super, s_flags);
	return inode_flags & INODE_SYNC || super_flags & SUPER_SYNC;
}

/* --- synchronous calls: S --- */

static __always_inline bool has_file(uint32_t call)
{
	return call != CALL_MSYNC && call != CALL_SYNC;
}

/* What is written through the page cache is written to the disk by somebody else, later: remember whose it is. */
static __always_inline void remember_inode(uint64_t file)
{
	uint64_t mapping = 0, inode = 0;
	uint8_t one = 1;

	if (!config.clocks && !config.remote)
		return;
	/* Of a block device the pages belong to the inode of the device, and not to that of its name. */
	read_field(&mapping, struct file, file, f_mapping);
	read_field(&inode, struct address_space, mapping, host);
	if (inode)
		bpf_map_update_elem(&own_inodes, &inode, &one, BPF_ANY);
}

static __always_inline void begin_direct(struct task_state *state, uint32_t call)
{
	struct beginning beginning = {
		.id = {bpf_get_current_task(), CONTEXT_CALL},
		.called = state->entered,
		.op = call == CALL_READ ? IO_OP_READ : IO_OP_WRITE,
		.way = IO_WAY_CALL,
		.synchronous = state->synchronous,
	};

	state->io = io_begin(&beginning);
}

/* For the size of a kernel stack: a thread's registers lie at the end of its own. */
static __always_inline void learn_stack(uint64_t stack, uint64_t regs)
{
	uint64_t size = 4096;

	for (int i = 0; i < 8 && size <= regs - stack; i++)
		size *= 2;
	stack_size = size;
}

/*
 * Requests for a direct read or write of FUSE name a kiocb, and may be sent by any thread. That of a call lies on the
 * stack of its thread.
 */
static __always_inline void begin_remote(struct task_state *state, uint32_t call, uint64_t file, uint64_t regs)
{
	uint64_t stack = (uint64_t)bpf_get_current_task_btf()->stack;
	struct beginning beginning = {
		.id = {stack, CONTEXT_STACK},
		.called = state->entered,
		.op = call == CALL_READ ? IO_OP_READ : IO_OP_WRITE,
		.way = IO_WAY_CALL,
		.synchronous = state->synchronous,
		.remote = 1,
	};
	struct io_slot *slot;

	if (!stack_size)
		learn_stack(stack, regs);
	state->io = io_begin(&beginning);
	slot = state->io ? io_at(state->io) : 0;
	if (slot)
		slot->record.end = end_of_unsent(file);
	/* Its pages may be read or written by others. */
	remember_inode(file);
}

static __always_inline void begin_call(struct task_state *state, uint32_t call, uint64_t file, uint64_t regs)
{
	uint32_t flags = flags_of(file);

	if (call == CALL_WRITE && config.syncs)
		state->synchronous = is_synchronous(file, flags);
	if (config.remote && is_remote(file))
		begin_remote(state, call, file, regs);
	else if (flags & O_DIRECT)
		begin_direct(state, call);
	else if (call == CALL_WRITE)
		remember_inode(file);
}

__noinline int enter_call(struct task_state *state, uint32_t call, uint32_t descriptor, uint64_t regs)
{
	uint64_t file = 0;

	if (!state)
		return 0;
	state->io = 0;
	state->synchronous = 0;
	if (has_file(call)) {
		file = file_of(bpf_get_current_task_btf(), descriptor);
		if (!is_followed(file)) {
			state->inside = 0;
			return 0;
		}
	}
	if (call <= CALL_WRITE)
		begin_call(state, call, file, regs);
	else if (file)
		remember_inode(file);
	if (config.clocks) {
		struct clock_reading reading = {};

		clock_read(&reading, state->entered);
		__builtin_memcpy(state->clock, reading.total, sizeof(state->clock));
		__builtin_memset(state->bios, 0, sizeof(state->bios));
	}
	return 0;
}

/*
 * Where a session has its client is told by user space: libbpf would look for the structure, which is a module's, in the
 * types of all modules, and that needs CAP_SYS_ADMIN whether or not there is any 9p.
 */
static __always_inline void learn_client(uint64_t inode)
{
	uint64_t super = 0, magic = 0, session = 0, client = 0;

	if (!config.session_client)
		return;
	read_field(&super, struct inode, inode, i_sb);
	read_field(&magic, struct super_block, super, s_magic);
	if (magic != MAGIC_9P)
		return;
	read_field(&session, struct super_block, super, s_fs_info);
	bpf_probe_read_kernel(&client, sizeof(client), (void *)session + config.session_client);
	target_client = client;
}

/* The one file is read once by user space, so that its inode's address is known here. */
static __always_inline void learn(struct task_struct *task, uint32_t descriptor)
{
	uint64_t inode = inode_of(file_of(task, descriptor));

	target_inode = inode;
	if (config.remote && inode)
		learn_client(inode);
}

/* --- libaio --- */

/* Rings of a process that are looked through. */
#define FEW_RINGS 16

static __always_inline uint64_t kioctx_at(struct kioctx_table *table, uint32_t number)
{
	uint64_t kioctx = 0;

	bpf_probe_read_kernel(&kioctx, sizeof(kioctx),
			      (void *)table + bpf_core_field_offset(struct kioctx_table, table) + 8ull * number);
	return kioctx;
}

/* Before the first call of a process that was forked its memory cannot be read here: then the rings tell their ids. */
__noinline uint64_t search_kioctx(uint64_t ring)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct kioctx_table *table = task->mm->ioctx_table;
	uint32_t rings = table ? table->nr : 0;

	for (uint32_t i = 0; i < FEW_RINGS && i < rings; i++) {
		uint64_t kioctx = kioctx_at(table, i), id = 0;

		if (kioctx)
			read_field(&id, struct kioctx, kioctx, user_id);
		if (kioctx && id == ring)
			return kioctx;
	}
	return 0;
}

/* The kioctx of a ring, as fs/aio.c looks it up: the id is an address in the program where its number stands. */
static __always_inline uint64_t kioctx_of(struct task_struct *task, uint64_t ring)
{
	struct kioctx_table *table = task->mm->ioctx_table;
	uint32_t number = 0;

	if (!table)
		return 0;
	if (bpf_probe_read_user(&number, sizeof(number), (void *)ring))
		return search_kioctx(ring);
	return number < table->nr ? kioctx_at(table, number) : 0;
}

/* A loop over what one call brought or took. */
struct batch {
	uint64_t at;	  /* in the program's memory */
	uint64_t kioctx;
	struct ending ending;
	uint32_t unknown; /* bios in this call that no I/O was found for */
};

/*
 * struct iocb (include/uapi/linux/aio_abi.h): opcode at 16, descriptor at 20. IOCB_CMD_FSYNC is 2, FDSYNC 3; PWRITE 1,
 * PWRITEV 8.
 */
static __always_inline uint32_t op_of_iocb(uint64_t iocb, uint32_t *descriptor)
{
	uint16_t opcode = 0;

	bpf_probe_read_user(&opcode, sizeof(opcode), (void *)iocb + 16);
	bpf_probe_read_user(descriptor, sizeof(*descriptor), (void *)iocb + 20);
	if (opcode == 2 || opcode == 3)
		return IO_OP_SYNC;
	return opcode == 1 || opcode == 8 ? IO_OP_WRITE : IO_OP_READ;
}

static __always_inline void begin_unqueued(const struct batch *batch, uint64_t iocb)
{
	struct task_struct *task = bpf_get_current_task_btf();
	uint32_t descriptor = 0, number;
	struct beginning beginning = {
		.id = {iocb, batch->kioctx},
		.called = batch->ending.asked,
		.op = op_of_iocb(iocb, &descriptor),
		.way = IO_WAY_LIBAIO,
	};
	uint64_t file = file_of(task, descriptor);
	struct io_slot *slot;

	if (!is_followed(file))
		return;
	beginning.remote = config.remote && is_remote(file);
	number = io_begin(&beginning);
	slot = number ? io_at(number) : 0;
	if (slot && beginning.remote)
		slot->record.end = beginning.op == IO_OP_SYNC ? IO_END_UNJOINED : end_of_unsent(file);
	else if (slot && beginning.op != IO_OP_SYNC)
		slot->record.end = !(flags_of(file) & O_DIRECT) ? IO_END_BUFFERED
				   : batch->unknown || strange_bios ? IO_END_UNJOINED
								 : IO_END_NOT_QUEUED;
}

/*
 * On a file system without a device no bio tells of an I/O: each is begun where it is handed over. Where they are done
 * at once, by their own thread, its requests name none of them: if there is but one, they are that one's.
 */
static long begin_handed_over(uint32_t index, struct batch *batch)
{
	uint32_t descriptor = 0, number;
	uint64_t iocb = 0;

	if (bpf_probe_read_user(&iocb, sizeof(iocb), (void *)batch->at + 8ull * index))
		return 1;
	op_of_iocb(iocb, &descriptor);
	if (!is_remote(file_of(bpf_get_current_task_btf(), descriptor)))
		return 0;
	number = io_find((struct io_key){iocb, batch->kioctx});
	if (number)
		io_fold_self_reaped(number);
	begin_unqueued(batch, iocb);
	return 0;
}

/* What one call brings, where loops are bounded. */
#define FEW_RESULTS 64

/* The number of the one I/O that is handed over, if it is followed; of this call, as an earlier one may have its name. */
static __always_inline uint32_t find_handed_over(const struct batch *batch)
{
	uint64_t iocb = 0;
	struct io_slot *slot;
	uint32_t number;

	if (bpf_probe_read_user(&iocb, sizeof(iocb), (void *)batch->at))
		return 0;
	number = io_find((struct io_key){iocb, batch->kioctx});
	slot = number ? io_at(number) : 0;
	return slot && slot->record.boundary[BOUNDARY_CALL] == batch->ending.asked ? number : 0;
}

static __always_inline void enter_submit(struct pt_regs *regs, struct task_state *state, struct task_struct *task)
{
	struct batch batch = {.at = CALL_ARGUMENT3(regs), .ending.asked = state->entered};
	uint32_t count = CALL_ARGUMENT2(regs);

	batch.kioctx = kioctx_of(task, CALL_ARGUMENT1(regs));
	if (!batch.kioctx)
		return;
	repeat(count, FEW_RESULTS, begin_handed_over, &batch);
	if (count == 1)
		state->io = find_handed_over(&batch);
}

/* Apart from the program itself, which for a call that is not watched would only save and restore registers for it. */
static __noinline int enter(struct pt_regs *regs, uint32_t call, uint64_t registers)
{
	struct task_struct *task;
	struct task_state *state;

	task = bpf_get_current_task_btf();
	state = current_state(task);
	if (!is_own(state)) {
		if (state && state->mark == MARK_LEARN)
			learn(task, CALL_ARGUMENT1(regs));
		return 0;
	}
	if (!recording || IS_COMPAT_CALL(task))
		return 0;
	if (state->faulted)
		leave_fault(state);
	state->inside = call;
	state->entered = since_epoch();
	state->woken = 0;
	state->woken_by = 0;
	state->posted = 0;
	state->queued = 0;
	state->unknown = 0;
	state->io = 0;
	state->submitting = 0;
	if (call <= CALLS)
		enter_call(state, call - 1, CALL_ARGUMENT1(regs), registers);
	else if (config.remote && call - 1 == CALL_SUBMIT)
		enter_submit(regs, state, task);
	return 0;
}

SEC("tp_btf/sys_enter")
int BPF_PROG(on_sys_enter, struct pt_regs *regs, long number)
{
	uint32_t call;

	if ((unsigned long)number >= MAX_CALL_NUMBER)
		return 0;
	call = config.call[number];
	if (!call)
		return 0;
	return enter(regs, call, config.remote ? address_of(ctx, 0) : 0);
}

/* --- synchronous calls: R --- */

static __always_inline void count_call_time(uint32_t call, uint64_t elapsed)
{
	add_to(bpf_map_lookup_elem(&call_times, &call), elapsed);
}

static __always_inline void count_clocks(struct call_counts *counts, const struct task_state *state,
					 const struct clock_reading *now, bool slept)
{
	/* A call that never slept did not wait for what was in flight meanwhile. */
	for (int i = 0; i < CLASSES && slept; i++)
		counts->clock[i] += now->total[i] - state->clock[i];
	for (int op = 0; op < 2; op++) {
		counts->bios[op].bios += state->bios[op].bios;
		counts->bios[op].bytes += state->bios[op].bytes;
	}
}

/* A synchronous write through a journal sleeps until a commit that others may have begun: what ended last was that. */
static __always_inline void sync_by_journal(const struct task_state *state, const struct clock_reading *now)
{
	struct io_slot *slot = state->io ? io_at(state->io) : 0;

	if (slot && slot->synchronous && now->synced <= state->woken)
		io_synced(state->io, now->synced);
}

/*
 * What the ledger of durability needs: writes that must be durable, calls in which a flush or a write with FUA began and
 * ended, and when the program was told that what it wrote is taken or safe (of direct I/O that is after it completed).
 */
static __always_inline void count_durability(struct call_counts *counts, const struct task_state *state, uint32_t call,
					     const struct ending *ending)
{
	bool syncs = call > CALL_WRITE && call != CALL_FAULT;

	if (state->synchronous) {
		counts->synchronous++;
		if (ending->result > 0)
			counts->synchronous_bytes += ending->result;
	}
	if ((syncs || state->synchronous) && durable_since >= state->entered)
		counts->flushed++;
	if (syncs || (call == CALL_WRITE && !state->io))
		told = ending->returned;
}

/* Adds a call to its kind. */
__noinline int count_call(struct task_state *state, uint32_t call, const struct ending *ending)
{
	struct call_counts *counts = bpf_map_lookup_elem(&call_ops, &call);
	struct clock_reading reading = {};

	if (!state || !counts || !ending)
		return 0;
	counts->calls++;
	counts->direct += !!state->io;
	if (ending->result < 0)
		counts->failed++;
	else if (call <= CALL_WRITE)
		counts->bytes += ending->result;
	if (config.clocks) {
		clock_read(&reading, ending->returned);
		count_clocks(counts, state, &reading, state->woken != 0);
		count_durability(counts, state, call, ending);
		sync_by_journal(state, &reading);
	}
	count_call_time(call, ending->returned - state->entered);
	return 0;
}

static __always_inline void leave_call(struct task_state *state, uint32_t call, int64_t result)
{
	struct ending ending = {
		.asked = state->entered,
		.returned = since_epoch(),
		.woken = state->woken,
		.woken_by = state->woken_by,
		.result = result,
	};

	/* Where nobody asks for calls by kind, an I/O is counted as an I/O alone. */
	if (config.clocks || !state->io)
		count_call(state, call, &ending);
	if (state->io) {
		io_fold(state->io, &ending);
		state->io = 0;
	}
}

/*
 * A fault is over when its thread runs again after it slept. One whose page was there before the thread would have slept
 * (on zram all are) is found to be over by what the thread does next; how long it took is not known.
 */
__noinline int leave_fault(struct task_state *state)
{
	uint32_t call = CALL_FAULT;
	struct call_counts *counts = bpf_map_lookup_elem(&call_ops, &call);

	if (!state || !counts)
		return 0;
	counts->calls++;
	state->faulted = 0;
	return 0;
}

/* A read bio that a thread queued outside of any system call: a page of a mapped file, with what is read ahead. */
__noinline int begin_fault(struct task_state *state, uint64_t bytes, uint64_t now)
{
	uint64_t faults = bpf_get_current_task_btf()->maj_flt;
	uint32_t call = CALL_FAULT;
	struct call_counts *counts = bpf_map_lookup_elem(&call_ops, &call);
	struct clock_reading reading = {};

	if (!state || !counts)
		return 0;
	counts->bios[OP_READ].bios++;
	counts->bios[OP_READ].bytes += bytes;
	if (state->faulted && state->faults == faults)
		return 0;
	if (state->faulted)
		leave_fault(state);
	state->faulted = now;
	state->faults = faults;
	state->slept = 0;
	clock_read(&reading, now);
	__builtin_memcpy(state->clock, reading.total, sizeof(state->clock));
	__builtin_memset(state->bios, 0, sizeof(state->bios));
	return 0;
}

__noinline int end_fault(struct task_state *state)
{
	uint32_t call = CALL_FAULT;
	struct call_counts *counts = bpf_map_lookup_elem(&call_ops, &call);
	struct clock_reading reading = {};
	uint64_t now = since_epoch();

	if (!state || !counts)
		return 0;
	clock_read(&reading, now);
	counts->calls++;
	count_clocks(counts, state, &reading, true);
	count_call_time(call, now - state->faulted);
	state->faulted = 0;
	return 0;
}

/* --- libaio: what came of it --- */

/*
 * An I/O that was submitted and not queued: held back by a limit, or it will never be (the page cache took it, it is an
 * fsync, or the file system has a way of its own).
 */
static long announce(uint32_t index, struct batch *batch)
{
	uint64_t iocb = 0, begun;
	struct io_slot *slot;
	uint32_t number;

	if (bpf_probe_read_user(&iocb, sizeof(iocb), (void *)batch->at + 8ull * index))
		return 1;
	number = io_find((struct io_key){iocb, batch->kioctx});
	slot = number ? io_at(number) : 0;
	if (!slot) {
		begin_unqueued(batch, iocb);
		return 0;
	}
	begun = slot->record.boundary[BOUNDARY_CALL];
	if (!begun) {
		/* A worker queued it before this call was over. */
		io_claim(number, batch->ending.asked, bpf_get_current_task());
	} else if (begun != batch->ending.asked) {
		io_fold_self_reaped(number);
		begin_unqueued(batch, iocb);
	}
	return 0;
}

/* A result of an I/O whose call was not recorded; of one on a file that is followed, as far as its iocb still tells. */
static __always_inline void count_unbegun(uint64_t iocb)
{
	uint32_t descriptor = 0, op = op_of_iocb(iocb, &descriptor);
	struct io_counts *counts = io_counts_of(op);

	if (counts && is_followed(file_of(bpf_get_current_task_btf(), descriptor)))
		counts->unbegun++;
}

/* struct io_event (include/uapi/linux/aio_abi.h): obj at 8, res at 16; 32 bytes in all. */
static long reap(uint32_t index, struct batch *batch)
{
	uint64_t event[2];
	uint32_t number;

	if (bpf_probe_read_user(event, sizeof(event), (void *)batch->at + 32ull * index + 8))
		return 1;
	number = io_find((struct io_key){event[0], batch->kioctx});
	if (number) {
		batch->ending.result = event[1];
		io_fold(number, &batch->ending);
	} else if (recording) {
		count_unbegun(event[0]);
	}
	return 0;
}

static __always_inline void count_left(uint32_t count)
{
	struct io_counts *counts = io_counts_of(IO_OP_READ);

	if (counts && !has_loops() && count > FEW_RESULTS)
		counts->left += count - FEW_RESULTS;
}

/* It was handed over, and refused. */
static long take_back(uint32_t index, struct batch *batch)
{
	struct io_slot *slot;
	uint64_t iocb = 0;
	uint32_t number;

	if (bpf_probe_read_user(&iocb, sizeof(iocb), (void *)batch->at + 8ull * index))
		return 1;
	number = io_find((struct io_key){iocb, batch->kioctx});
	slot = number ? io_at(number) : 0;
	if (slot && slot->remote && slot->record.boundary[BOUNDARY_CALL] == batch->ending.asked)
		io_forget(number);
	return 0;
}

static __always_inline void take_back_refused(struct pt_regs *regs, struct task_state *state,
					      struct task_struct *task, long result)
{
	struct batch batch = {.ending.asked = state->entered};
	uint32_t handed_over = CALL_ARGUMENT2(regs), taken = result > 0 ? result : 0;

	if (taken >= handed_over)
		return;
	batch.at = CALL_ARGUMENT3(regs) + 8ull * taken;
	batch.kioctx = kioctx_of(task, CALL_ARGUMENT1(regs));
	if (batch.kioctx)
		repeat(handed_over - taken, FEW_RESULTS, take_back, &batch);
}

static __always_inline void end_submit(struct pt_regs *regs, struct task_state *state, struct task_struct *task,
				       long result)
{
	struct batch batch = {.at = CALL_ARGUMENT3(regs), .unknown = state->unknown};
	uint32_t count = result;

	state->io = 0;
	if (config.remote)
		take_back_refused(regs, state, task, result);
	if (result <= 0 || state->queued >= count)
		return;
	batch.kioctx = kioctx_of(task, CALL_ARGUMENT1(regs));
	batch.ending.asked = state->entered;
	if (batch.kioctx)
		repeat(count, FEW_RESULTS, announce, &batch);
}

static __always_inline void end_getevents(struct pt_regs *regs, struct task_state *state, struct task_struct *task,
					  long result)
{
	struct batch batch = {.at = CALL_ARGUMENT4(regs)};
	uint32_t count = result;

	if (result <= 0)
		return;
	batch.ending.returned = since_epoch();
	if (state->inside) {
		batch.ending.asked = state->entered;
		batch.ending.woken = state->woken;
		batch.ending.woken_by = state->woken_by;
	}
	batch.kioctx = kioctx_of(task, CALL_ARGUMENT1(regs));
	if (!batch.kioctx)
		return;
	if (count == 1) {
		reap(0, &batch);
		return;
	}
	repeat(count, FEW_RESULTS, reap, &batch);
	count_left(count);
}

/* --- io_uring --- */

/* The I/Os whose results came into the ring while the thread was inside. */
static long deliver(uint32_t index, struct batch *batch)
{
	struct task_state *state = bpf_task_storage_get(&tasks, bpf_get_current_task_btf(), 0, 0);
	struct io_slot *slot = state && state->posted ? io_at(state->posted) : 0;
	uint32_t number;

	if (!slot)
		return 1;
	number = state->posted;
	state->posted = slot->next;
	batch->ending.result = slot->result;
	io_fold(number, &batch->ending);
	return 0;
}

static __always_inline void end_uring(struct task_state *state)
{
	struct batch batch = {};

	state->submitting = 0;
	if (!state->posted)
		return;
	batch.ending.returned = since_epoch();
	batch.ending.asked = state->entered;
	batch.ending.woken = state->woken;
	batch.ending.woken_by = state->woken_by;
	repeat(1u << 16, FEW_RESULTS, deliver, &batch);
}

/* Whatever call it was in, the thread is out of the driver now. */
static __always_inline void leave_driver(void)
{
	struct cpu_state *cpu = this_cpu();

	if (cpu && cpu->submitter && cpu->submitter == bpf_get_current_task())
		ring_doorbell(cpu, since_epoch());
}

static __noinline int leave(struct pt_regs *regs, uint32_t call, long result)
{
	struct task_struct *task;
	struct task_state *state;

	task = bpf_get_current_task_btf();
	state = bpf_task_storage_get(&tasks, task, 0, 0);
	if (!state)
		return 0;
	leave_driver();
	if (call - 1 == CALL_GETEVENTS)
		end_getevents(regs, state, task, result);
	else if (!state->inside)
		return 0;
	else if (call - 1 == CALL_SUBMIT)
		end_submit(regs, state, task, result);
	else if (call - 1 == CALL_URING)
		end_uring(state);
	else
		leave_call(state, call - 1, result);
	state->inside = 0;
	return 0;
}

SEC("tp_btf/sys_exit")
int BPF_PROG(on_sys_exit, struct pt_regs *regs, long result)
{
	unsigned long number = CALL_NUMBER(regs);
	uint32_t call;

	if (number >= MAX_CALL_NUMBER)
		return 0;
	call = config.call[number];
	if (!call)
		return 0;
	return leave(regs, call, result);
}
