// SPDX-License-Identifier: GPL-2.0
/*
 * Whose task is it. User space marks the program that it starts, by pidfd, while that still waits; whatever the program
 * forks is the workload's too. Pids would not do: they differ between namespaces, and WSL nests those.
 */
#include "trace.bpf.h"

SEC("tp_btf/sched_process_fork")
int BPF_PROG(on_fork, struct task_struct *parent, struct task_struct *child)
{
	uint32_t *mark = bpf_task_storage_get(&owners, parent, 0, 0);

	if (mark && *mark) {
		uint32_t *inherited = bpf_task_storage_get(&owners, child, 0, BPF_LOCAL_STORAGE_GET_F_CREATE);

		if (inherited)
			*inherited = *mark;
	}
	return 0;
}
