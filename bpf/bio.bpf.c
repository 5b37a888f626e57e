// SPDX-License-Identifier: GPL-2.0
/*
 * Q: bios that enter the block layer on the target's own disk, by owner. A bio that is split or requeued is seen once
 * (the kernel traces it only the first time), so the workload's bytes here are the bytes that it asked for.
 */
#include "compat.bpf.h"
#include "trace.bpf.h"

/* Indexed owner * OPS + op. */
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, OWNERS *OPS);
	__type(key, uint32_t);
	__type(value, struct bio_counts);
} bios SEC(".maps");

/* Threads that the kernel makes for a process (io-wq, SQPOLL) are never seen by sched_process_fork: ask the leader. */
static __always_inline enum owner owner_of(struct task_struct *task)
{
	uint32_t *mark = bpf_task_storage_get(&owners, task, 0, 0);

	if (!mark)
		mark = bpf_task_storage_get(&owners, task->group_leader, 0, 0);
	return mark && *mark ? OWNER_WORKLOAD : OWNER_OTHERS;
}

/* fsync and the like queue a write without data that only asks for a flush. */
static __always_inline enum op op_of_bio(const struct bio *bio, unsigned int size)
{
	enum op op = op_of_flags(bio->bi_opf);

	return op == OP_WRITE && !size && asks_preflush(bio->bi_opf) ? OP_FLUSH : op;
}

SEC("tp_btf/block_bio_queue")
int BPF_PROG(on_queue, struct bio *bio)
{
	struct bio_counts *counts;
	unsigned int size;
	uint32_t key;

	if (!recording || disk_number(bio->bi_bdev->bd_disk) != config.top)
		return 0;
	size = bio->bi_iter.bi_size;
	key = owner_of(bpf_get_current_task_btf()) * OPS + op_of_bio(bio, size);
	counts = bpf_map_lookup_elem(&bios, &key);
	if (counts) {
		counts->bios++;
		counts->bytes += size;
	}
	return 0;
}
