// SPDX-License-Identifier: GPL-2.0
/*
 * Whose task is it; and what becomes of its threads while an I/O is on its way: B, W, and the worker that syncs for them.
 *
 * User space marks the program that it starts, by pidfd, while that still waits; whatever the program forks is the
 * workload's too. Pids would not do: they differ between namespaces, and WSL nests those.
 */
#include "clock.bpf.h"
#include "io.bpf.h"
#include "task.bpf.h"
#include "trace.bpf.h"

SEC("tp_btf/sched_process_fork")
int BPF_PROG(on_fork, struct task_struct *parent, struct task_struct *child)
{
	struct task_state *state = bpf_task_storage_get(&tasks, parent, 0, 0), *inherited;

	if (!state || state->mark != MARK_WORKLOAD || (config.no_children && child->tgid != parent->tgid))
		return 0;
	inherited = bpf_task_storage_get(&tasks, child, 0, BPF_LOCAL_STORAGE_GET_F_CREATE);
	if (inherited)
		inherited->mark = MARK_WORKLOAD;
	return 0;
}

/* --- B and W --- */

/* The current thread is about to sleep: in a fault, or in a system call, before which its fault was over. */
static __always_inline void fall_asleep(struct task_state *state)
{
	if (!state || !state->faulted)
		return;
	if (is_in_call())
		leave_fault(state);
	else
		state->slept = 1;
}

SEC("tp_btf/sched_switch")
int BPF_PROG(on_switch, bool preempt, struct task_struct *prev, struct task_struct *next)
{
	struct cpu_state *cpu = this_cpu();
	struct task_state *state;

	if (cpu && cpu->submitter && cpu->submitter == bpf_get_current_task())
		ring_doorbell(cpu, since_epoch());
	if (!config.clocks)
		return 0;
	if (!preempt && prev->__state)
		fall_asleep(bpf_task_storage_get(&tasks, prev, 0, 0));
	state = bpf_task_storage_get(&tasks, next, 0, 0);
	if (state && state->faulted && state->slept)
		end_fault(state);
	return 0;
}

SEC("tp_btf/sched_waking")
int BPF_PROG(on_waking, struct task_struct *task)
{
	struct task_state *state = bpf_task_storage_get(&tasks, task, 0, 0);
	struct cpu_state *cpu;

	if (!state || !state->inside)
		return 0;
	cpu = this_cpu();
	state->woken = since_epoch();
	state->woken_by = cpu ? cpu->completed : 0;
	return 0;
}

/* --- C' of asynchronous writes --- */

/* The I/O whose direct write a worker is about to make durable. */
static __always_inline uint32_t io_of_work(uint64_t work)
{
	uint64_t kiocb = 0, complete = 0;

	read_field(&kiocb, struct iomap_dio, work - bpf_core_field_offset(struct iomap_dio, aio.work), iocb);
	read_field(&complete, struct kiocb, kiocb, ki_complete);
	if (config.symbol[SYMBOL_AIO] && complete == config.symbol[SYMBOL_AIO])
		return io_find(aio_key(kiocb));
	return io_find(uring_key(kiocb));
}

__noinline int work_begins(uint64_t work)
{
	uint32_t number = io_of_work(work);
	struct task_state *state;

	if (!number)
		return 0;
	state = bpf_task_storage_get(&tasks, bpf_get_current_task_btf(), 0, BPF_LOCAL_STORAGE_GET_F_CREATE);
	if (state)
		state->io = number;
	return 0;
}

SEC("tp_btf/workqueue_execute_start")
int BPF_PROG(on_work_start, struct work_struct *work)
{
	if (config.symbol[SYMBOL_DIO_WORK] && (uint64_t)work->func == config.symbol[SYMBOL_DIO_WORK])
		work_begins(address_of(ctx, 0));
	return 0;
}

/*
 * Where the sync went through a journal, the worker itself queued nothing: the last that ended of journal and flush is
 * what it waited for. The I/O may have been reaped by now, and its slot be another's: that one has no C yet.
 */
static __always_inline void sync_by_journal(uint32_t number)
{
	struct clock_reading reading = {};

	clock_read(&reading, since_epoch());
	io_synced(number, reading.synced);
}

SEC("tp_btf/workqueue_execute_end")
int BPF_PROG(on_work_end)
{
	struct task_state *state = bpf_task_storage_get(&tasks, bpf_get_current_task_btf(), 0, 0);

	if (!state || !state->io || state->mark)
		return 0;
	if (config.clocks)
		sync_by_journal(state->io);
	state->io = 0;
	return 0;
}
