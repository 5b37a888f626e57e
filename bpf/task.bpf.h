/* SPDX-License-Identifier: GPL-2.0 */
/* Whose task is it, and whose bio. */
#ifndef BPF_TASK_H
#define BPF_TASK_H

#include <asm/fcntl.h> /* O_DIRECT, O_DSYNC */

#include "io.bpf.h"
#include "trace.bpf.h"

/* Inodes of files that the workload wrote through the page cache, by address. */
struct inode_map {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 8192);
	__type(key, uint64_t);
	__type(value, uint8_t);
};
extern struct inode_map own_inodes SEC(".maps");

static __always_inline bool is_kernel_thread(struct task_struct *task)
{
	return task->flags & TASK_KERNEL;
}

/*
 * Whether a task without a state of its own is the workload's all the same. Threads that the kernel makes for a process
 * (io-wq, SQPOLL) are never seen by sched_process_fork, nor could user space mark threads before 6.9: ask the leader.
 */
static __always_inline bool is_adopted(struct task_struct *task)
{
	struct task_state *leader;

	if (config.own == OWN_EVERYONE)
		return true;
	if (config.own == OWN_CGROUP && bpf_get_current_ancestor_cgroup_id(config.cgroup_level) == config.cgroup)
		return true;
	leader = bpf_task_storage_get(&tasks, task->group_leader, 0, 0);
	return leader && leader->mark == MARK_WORKLOAD;
}

static __always_inline bool is_own(const struct task_state *state)
{
	return state && state->mark == MARK_WORKLOAD;
}

/* The state of the current task, or NULL. It is the workload's when its mark is set; workers have one without. */
static __always_inline struct task_state *current_state(struct task_struct *task)
{
	struct task_state *state = bpf_task_storage_get(&tasks, task, 0, 0);

	if (state || is_kernel_thread(task) || !is_adopted(task))
		return state;
	state = bpf_task_storage_get(&tasks, task, 0, BPF_LOCAL_STORAGE_GET_F_CREATE);
	if (state)
		state->mark = MARK_WORKLOAD;
	return state;
}

/* A thread waits for a page of a mapped file since it queued a read outside of any system call, until it runs again. */
int begin_fault(struct task_state *state, uint64_t bytes, uint64_t now);
int end_fault(struct task_state *state);
int leave_fault(struct task_state *state);

/* enum owner of a bio that no task of the workload queued, nor for one of its I/Os. */
int owner_of(const struct arrival *arrival);

/* Counts a bio that is not the workload's by the name of who queued it. */
int count_foreigner(const struct arrival *arrival, uint32_t owner);

/* The journal of xfs is written by whoever needs it. */
static __always_inline bool is_xfs_log(const struct arrival *arrival)
{
	return config.symbol[SYMBOL_XFS_LOG] && arrival->end == config.symbol[SYMBOL_XFS_LOG];
}

/* Whether the current task is in a system call, not in a fault or an interrupt. */
static __always_inline bool is_in_call(void)
{
	struct pt_regs *regs = (struct pt_regs *)bpf_task_pt_regs(bpf_get_current_task_btf());

	return IS_IN_CALL(regs);
}

/* Whether I/O on this file (its address) is followed, and the flags that it was opened with. */
int is_followed(uint64_t file);
int flags_of(uint64_t file);

/* Whether it is on a file system that has a server and no device. */
int is_remote(uint64_t file);

#endif
