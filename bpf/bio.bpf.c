// SPDX-License-Identifier: GPL-2.0
/*
 * Q: bios that enter the block layer, on every layer, and on the target's own disk by owner; and C of bio-based layers.
 * A bio that is split or requeued is queued once (the kernel traces it only the first time), and an attempt that failed
 * is taken back, so the workload's bytes here are the bytes that it asked for.
 */
#include "trace.bpf.h"
#include "walk.bpf.h"

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

static __always_inline void count_owner(enum op op, uint64_t bytes, int64_t sign)
{
	uint32_t key = owner_of(bpf_get_current_task_btf()) * OPS + op;
	struct bio_counts *counts = bpf_map_lookup_elem(&bios, &key);

	if (counts) {
		counts->bios += sign;
		counts->bytes += sign * bytes;
	}
}

/* The bio is queued anew, so it ended before, and nobody saw it. */
static __always_inline void count_unseen(struct bio_slot *slot)
{
	struct op_counts *counts = counts_of(stamp_layer(slot->queued), stamp_op(slot->queued));

	if (counts)
		counts->bio_loss[LOSS_UNSEEN]++;
	slot->bio = 0;
}

static __always_inline void remember(struct op_counts *counts, uint64_t bio, uint32_t layer, enum op op, uint32_t size)
{
	uint32_t key = set_of(bio);
	struct bio_set *set = bpf_map_lookup_elem(&bio_sets, &key);

	if (!set)
		return;
	for (int i = 0; i < TABLE_WAYS; i++) {
		struct bio_slot *slot = &set->way[i];

		if (slot->bio || __sync_val_compare_and_swap(&slot->bio, 0, bio))
			continue;
		slot->queued = stamp_pack(since_epoch(), layer, op, 0);
		slot->issued = 0;
		slot->left = size;
		slot->requests = 0;
		return;
	}
	counts->bio_loss[LOSS_TABLE_FULL]++;
}

static __always_inline void count_queued(struct op_counts *counts, uint32_t size)
{
	counts->bios++;
	counts->bio_bytes += size;
	counts->empty += !size;
}

static __always_inline void count_partition(struct bio *bio, uint32_t layer, enum op op, uint32_t size)
{
	struct op_counts *counts;

	if (!(config.flags & LAYER_PARTITION) || config.layer[0].disk != layer ||
	    config.layer[0].number != bio->bi_bdev->bd_dev)
		return;
	counts = counts_of(0, op);
	if (counts)
		count_queued(counts, size);
}

SEC("tp_btf/block_bio_queue")
int BPF_PROG(on_queue, struct bio *bio)
{
	struct gendisk *disk = bio->bi_bdev->bd_disk;
	int layer = layer_of(disk);
	struct op_counts *counts;
	struct bio_slot *slot;
	uint64_t address;
	unsigned int size;
	enum op op;

	if (layer < 0)
		return 0;
	address = address_of(ctx, 0);
	if (config.queue) {
		slot = bio_find(address, layer);
		if (slot)
			count_unseen(slot);
	}
	if (!recording)
		return 0;

	size = bio->bi_iter.bi_size;
	op = op_of_bio(bio, size);
	counts = counts_of(layer, op);
	if (!counts)
		return 0;
	count_queued(counts, size);
	count_partition(bio, layer, op, size);
	if (disk_number(disk) == config.top)
		count_owner(op, size, 1);
	/* A flush without data has no request that would be issued with it; a bio-based layer completes it all the same. */
	if (config.queue && (size || config.layer[layer].flags & LAYER_BIOS))
		remember(counts, address, layer, op, size);
	return 0;
}

static __always_inline void complete_bio(struct op_counts *counts, struct bio_slot *slot, uint32_t layer, uint8_t status)
{
	uint64_t now = since_epoch(), queued = stamp_time(slot->queued);
	uint32_t op = stamp_op(slot->queued), size = slot->left;

	slot->bio = 0;
	if (now < queued) {
		counts->bio_loss[LOSS_CLOCK]++;
		return;
	}
	/* Only the head of NVMe multipath has requests below that are looked up here. */
	if (slot->issued >= queued) {
		counts->pieces += slot->requests;
		count_stage(layer, op, STAGE_QUEUE, slot->issued - queued);
	}
	counts->finished += size != 0;
	counts->completions++;
	counts->completed_bytes += size;
	if (status)
		counts->errors[status & (STATUSES - 1)]++;
	count_stage(layer, op, STAGE_THROUGH, now - queued);
}

/*
 * The end of a bio on a bio-based layer: of the whole, for the pieces of a split end here, too. On a request-based one
 * it comes only for bios that never became a request (a request's end is traced as the request's): io_uring first tries
 * without waiting, and where that would have to wait the bio ends at once, in the same task, with BLK_STS_AGAIN, and
 * comes again by a worker: it is one I/O, and counts once.
 */
SEC("tp_btf/block_bio_complete")
int BPF_PROG(on_bio_complete, struct request_queue *queue, struct bio *bio)
{
	struct gendisk *disk = queue->disk;
	int layer = layer_of(disk);
	struct op_counts *counts;
	struct bio_slot *slot;
	unsigned int size;
	uint64_t address;
	enum op op;

	if (layer < 0)
		return 0;
	address = address_of(ctx, 1);
	slot = config.queue ? bio_find(address, layer) : 0;
	size = bio->bi_iter.bi_size;
	op = slot ? stamp_op(slot->queued) : op_of_bio(bio, size);
	counts = counts_of(layer, op);
	if (!counts)
		return 0;
	if (config.layer[layer].flags & LAYER_BIOS) {
		if (slot)
			complete_bio(counts, slot, layer, bio->bi_status);
		else if (recording && is_piece(address))
			counts->children++;
		else if (recording)
			counts->unissued++;
		return 0;
	}
	if (recording && bio->bi_status == STATUS_AGAIN && disk_number(disk) == config.top)
		count_owner(op, size, -1);
	if (slot)
		slot->bio = 0;
	if (recording)
		counts->ended_early++;
	return 0;
}
