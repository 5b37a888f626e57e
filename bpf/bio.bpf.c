// SPDX-License-Identifier: GPL-2.0
/*
 * Q: bios that enter the block layer on the target's own disk, by owner. A bio that is split or requeued is seen once
 * (the kernel traces it only the first time), and an attempt that failed is taken back, so the workload's bytes here
 * are the bytes that it asked for.
 */
#include "compat.bpf.h"
#include "trace.bpf.h"

/* BLK_STS_AGAIN (include/linux/blk_types.h, the same since 4.14). */
#define STATUS_AGAIN 12

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

static __always_inline struct bio_counts *counts_of(const struct bio *bio, unsigned int size)
{
	uint32_t key = owner_of(bpf_get_current_task_btf()) * OPS + op_of_bio(bio, size);

	return bpf_map_lookup_elem(&bios, &key);
}

SEC("tp_btf/block_bio_queue")
int BPF_PROG(on_queue, struct bio *bio)
{
	struct bio_counts *counts;
	unsigned int size;

	if (!recording || disk_number(bio->bi_bdev->bd_disk) != config.top)
		return 0;
	size = bio->bi_iter.bi_size;
	counts = counts_of(bio, size);
	if (counts) {
		counts->bios++;
		counts->bytes += size;
	}
	return 0;
}

/*
 * io_uring first tries without waiting (REQ_NOWAIT). Where that would have to wait the bio ends at once, in the same
 * task, with BLK_STS_AGAIN, and comes again by a worker of the same process: it is one I/O, and counts once. A request's
 * end does not come here; the kernel traces it as the request's.
 */
SEC("tp_btf/block_bio_complete")
int BPF_PROG(on_failed_attempt, struct request_queue *queue, struct bio *bio)
{
	struct bio_counts *counts;
	unsigned int size;

	if (!recording || bio->bi_status != STATUS_AGAIN || disk_number(queue->disk) != config.top)
		return 0;
	size = bio->bi_iter.bi_size;
	counts = counts_of(bio, size);
	if (counts) {
		counts->bios--;
		counts->bytes -= size;
	}
	return 0;
}
