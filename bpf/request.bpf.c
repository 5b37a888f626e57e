// SPDX-License-Identifier: GPL-2.0
/*
 * D and C of requests: from the last issue to the driver until the driver completes the whole; and by their bios, Q to D.
 *
 * Counters are per CPU and not atomic: tracepoint programs run with preemption off, and the kernel does not let a
 * program interrupt itself (it counts that as a miss), so no two writers meet in one field. A bio's slot may be written
 * by several CPUs at once, where its pieces complete on them: there it is atomic.
 */
#include "trace.bpf.h"
#include "walk.bpf.h"

/* Sized by user space. Mapped there too, to find what is left at the end. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1);
	__type(key, uint32_t);
	__type(value, struct request_set);
} requests SEC(".maps");

/*
 * A request is a static object, one for each tag, so its address is unique while it is in flight, and it survives what a
 * tag does not: a requeue gives the tag back before the tracepoint fires, and the flush request borrows one.
 */
static __always_inline struct request_slot *find(struct request_set *set, uint64_t address)
{
	for (int i = 0; i < TABLE_WAYS; i++)
		if (set->way[i].request == address)
			return &set->way[i];
	return 0;
}

/* Two CPUs may want the same free way at once: the exchange decides. */
static __always_inline struct request_slot *claim(struct request_set *set, uint64_t address)
{
	for (int i = 0; i < TABLE_WAYS; i++)
		if (!set->way[i].request && !__sync_val_compare_and_swap(&set->way[i].request, 0, address))
			return &set->way[i];
	return 0;
}

static __always_inline struct request_set *request_set_of(uint64_t address)
{
	uint32_t key = set_of(address);

	return bpf_map_lookup_elem(&requests, &key);
}

/* The counts of the target's own partition, for what went to it; else NULL. */
static __always_inline struct op_counts *partition_counts(uint64_t stamp)
{
	return stamp & STAMP_PARTITION ? counts_of(0, stamp_op(stamp)) : 0;
}

static __always_inline uint32_t partition_mark(struct request *rq, uint32_t layer)
{
	if (!(config.flags & LAYER_PARTITION) || config.layer[0].disk != layer)
		return 0;
	return rq->part && rq->part->bd_dev == config.layer[0].number ? STAMP_PARTITION : 0;
}

/* --- bios of a request --- */

/*
 * The walks stand in functions of their own, not static: the verifier goes through those once, by themselves, and not
 * again for each state of their callers and for each of the 256 bios. They take addresses as numbers and read by
 * bpf_probe_read_kernel().
 */

static __always_inline uint64_t first_bio(uint64_t rq)
{
	uint64_t bio = 0;

	bpf_probe_read_kernel(&bio, sizeof(bio), (void *)rq + bpf_core_field_offset(struct request, bio));
	return bio;
}

static __always_inline uint64_t next_bio(uint64_t bio)
{
	uint64_t next = 0;

	bpf_probe_read_kernel(&next, sizeof(next), (void *)bio + bpf_core_field_offset(struct bio, bi_next));
	return next;
}

static __always_inline uint32_t bio_size(uint64_t bio)
{
	uint32_t size = 0;

	bpf_probe_read_kernel(&size, sizeof(size), (void *)bio + bpf_core_field_offset(struct bio, bi_iter.bi_size));
	return size;
}

/* 1 when the bio's Q was recorded. */
__noinline int bio_issued(uint64_t bio, uint32_t layer, uint64_t now)
{
	struct bio_slot *slot = queued_slot(bio, layer);

	if (!slot)
		return 0;
	slot->issued = now;
	__sync_fetch_and_add(&slot->requests, 1);
	return 1;
}

__noinline int bio_requeued(uint64_t bio, uint32_t layer)
{
	struct bio_slot *slot = queued_slot(bio, layer);

	if (!slot)
		return 0;
	__sync_fetch_and_add(&slot->requests, -1);
	return 1;
}

/* All bytes of a bio are complete. */
static __always_inline void finish(struct bio_slot *slot)
{
	uint32_t layer = stamp_layer(slot->queued), op = stamp_op(slot->queued);
	uint64_t queued = stamp_time(slot->queued), issued = slot->issued;
	struct op_counts *counts = counts_of(layer, op);

	if (counts && issued >= queued) {
		counts->finished++;
		counts->pieces += slot->requests;
		count_stage(layer, op, STAGE_QUEUE, issued - queued);
		/* Before 6.12 nothing else tells of the end of a bio at the head of NVMe multipath. */
		if (config.layer[layer & (MAX_LAYERS - 1)].flags & LAYER_BIOS) {
			counts->completions++;
			count_stage(layer, op, STAGE_THROUGH, since_epoch() - queued);
		}
	} else if (counts) {
		/* Its issue is missing, or older than its queuing. */
		counts->bio_loss[issued ? LOSS_CLOCK : LOSS_UNSEEN]++;
	}
	slot->bio = 0;
}

/*
 * Of the bytes that are complete those are the bio's that are its, and are taken off. By pointer: the verifier would
 * follow each value of a number through the whole loop.
 */
__noinline int bio_completed(uint64_t bio, uint32_t layer, uint32_t *bytes)
{
	struct bio_slot *slot;
	uint32_t size = bio_size(bio);

	if (!bytes)
		return 0;
	if (size > *bytes)
		size = *bytes;
	*bytes -= size;
	slot = queued_slot(bio, layer);
	if (slot && __sync_fetch_and_add(&slot->left, -size) == size)
		finish(slot);
	return 0;
}

static __always_inline uint32_t queue_of(uint32_t layer)
{
	return config.layer[layer & (MAX_LAYERS - 1)].queued_on;
}

__noinline int walk_issued(uint64_t rq, uint32_t layer, uint32_t op, uint64_t now)
{
	struct op_counts *counts = counts_of(layer, op);
	uint32_t queued_on = queue_of(layer);
	uint64_t bio = first_bio(rq);

	if (!counts)
		return 0;
	for (int i = 0; i < MAX_WALK && bio; i++) {
		counts->walked++;
		if (!bio_issued(bio, queued_on, now))
			counts->unqueued++;
		bio = next_bio(bio);
	}
	if (bio)
		counts->walk_over++;
	return 0;
}

__noinline int walk_requeued(uint64_t rq, uint32_t layer, uint32_t op)
{
	struct op_counts *counts = counts_of(layer, op);
	uint32_t queued_on = queue_of(layer);
	uint64_t bio = first_bio(rq);

	if (!counts)
		return 0;
	for (int i = 0; i < MAX_WALK && bio; i++) {
		counts->walked--;
		if (!bio_requeued(bio, queued_on))
			counts->unqueued--;
		bio = next_bio(bio);
	}
	if (bio)
		counts->walk_over--;
	return 0;
}

__noinline int walk_completed(uint64_t rq, uint32_t layer, uint32_t bytes)
{
	uint32_t queued_on = queue_of(layer);
	uint64_t bio = first_bio(rq);

	for (int i = 0; i < MAX_WALK && bio; i++) {
		bio_completed(bio, queued_on, &bytes);
		if (!bytes)
			break;
		bio = next_bio(bio);
	}
	return 0;
}

/* --- D --- */

/* The request came round again, so it ended before, and nobody saw it. */
static __always_inline void count_unseen(struct request_slot *slot)
{
	uint64_t stamp = slot->issued;
	struct op_counts *counts = counts_of(stamp_layer(stamp), stamp_op(stamp)), *partition = partition_counts(stamp);

	if (counts) {
		counts->loss[LOSS_UNSEEN]++;
		counts->faults_found += stamp & STAMP_FAULTED;
	}
	if (partition)
		partition->loss[LOSS_UNSEEN]++;
	slot->request = 0;
}

SEC("tp_btf/block_rq_issue")
int BPF_PROG(on_issue, struct request *rq)
{
	int layer = layer_of(rq->q->disk);
	struct op_counts *counts, *partition;
	struct request_slot *slot;
	struct request_set *set;
	uint64_t address, stamp;
	enum op op;

	if (layer < 0)
		return 0;
	op = op_of_flags(rq->cmd_flags);
	counts = counts_of(layer, op);
	if (!counts)
		return 0;
	address = number_of(&counts->issuing, rq);
	set = request_set_of(address);
	if (!set)
		return 0;
	slot = find(set, address);
	if (slot)
		count_unseen(slot);
	if (!recording)
		return 0;

	stamp = stamp_pack(since_epoch(), layer, op, partition_mark(rq, layer));
	counts->issues++;
	counts->issued_bytes += rq->__data_len;
	partition = partition_counts(stamp);
	if (partition) {
		partition->issues++;
		partition->issued_bytes += rq->__data_len;
	}
	if (config.queue)
		walk_issued(address, layer, op, stamp_time(stamp));
	slot = claim(set, address);
	if (slot) {
		slot->issued = stamp;
		return 0;
	}
	counts->loss[LOSS_TABLE_FULL]++;
	if (partition)
		partition->loss[LOSS_TABLE_FULL]++;
	return 0;
}

/* The driver gave the request back (its ring was full, say): the issue does not count, the next one does. */
SEC("tp_btf/block_rq_requeue")
int BPF_PROG(on_requeue, struct request *rq)
{
	int layer = layer_of(rq->q->disk);
	struct op_counts *counts, *partition;
	struct request_slot *slot;
	struct request_set *set;
	uint64_t address;

	if (layer < 0)
		return 0;
	address = address_of(ctx, 0);
	set = request_set_of(address);
	slot = set ? find(set, address) : 0;
	if (!slot)
		return 0;
	if (slot->issued & STAMP_FAULTED) {
		count_unseen(slot);
		return 0;
	}
	counts = counts_of(stamp_layer(slot->issued), stamp_op(slot->issued));
	partition = partition_counts(slot->issued);
	if (counts) {
		counts->requeues++;
		counts->requeued_bytes += rq->__data_len;
		if (config.queue)
			walk_requeued(address, stamp_layer(slot->issued), stamp_op(slot->issued));
	}
	if (partition) {
		partition->requeues++;
		partition->requeued_bytes += rq->__data_len;
	}
	slot->request = 0;
	return 0;
}

/* --- C --- */

/* A completion whose issue is not in the table; outside a recording that says nothing. */
static __always_inline void count_unissued(struct op_counts *counts, unsigned int bytes)
{
	if (!recording)
		return;
	if (bytes)
		counts->unissued++;
	else
		counts->flush_ends++;
}

/* Whether this completion shall be lost on purpose. Per CPU, so that the count is exact. */
static __always_inline bool fault(struct op_counts *counts, struct request_slot *slot)
{
#ifdef IOSTRATA_FAULT
	if ((counts->completions + counts->faults) % 1000 == 999) {
		counts->faults++;
		slot->issued |= STAMP_FAULTED;
		return true;
	}
#endif
	return false;
}

static __always_inline void count_completed(struct op_counts *counts, unsigned int bytes, unsigned int status)
{
	counts->completions++;
	counts->completed_bytes += bytes;
	if (status)
		counts->errors[status & (STATUSES - 1)]++;
}

SEC("tp_btf/block_rq_complete")
int BPF_PROG(on_complete, struct request *rq, int error, unsigned int bytes)
{
	int layer = layer_of(rq->q->disk);
	struct op_counts *counts, *partition;
	struct request_slot *slot;
	struct request_set *set;
	uint64_t address, now, issued;
	enum op op;

	if (layer < 0)
		return 0;
	op = op_of_flags(rq->cmd_flags);
	counts = counts_of(layer, op);
	if (!counts)
		return 0;
	address = number_of(&counts->completing, rq);
	set = request_set_of(address);
	if (!set)
		return 0;
	slot = find(set, address);
	if (!slot) {
		count_unissued(counts, bytes);
		return 0;
	}
	if (bytes < rq->__data_len) {
		counts->partial++;
		counts->completed_bytes += bytes;
		if (config.queue)
			walk_completed(address, layer, bytes);
		return 0;
	}
	if (fault(counts, slot))
		return 0;

	now = since_epoch();
	issued = stamp_time(slot->issued);
	partition = partition_counts(slot->issued);
	slot->request = 0;
	if (config.queue)
		walk_completed(address, layer, bytes);
	if (now < issued) {
		counts->loss[LOSS_CLOCK]++;
		if (partition)
			partition->loss[LOSS_CLOCK]++;
		return 0;
	}
	count_completed(counts, bytes, error & 0xff);
	add_to_stage(layer, op, STAGE_DEVICE, now - issued);
	if (partition) {
		count_completed(partition, bytes, error & 0xff);
		count_stage(0, op, STAGE_DEVICE, now - issued);
	}
	return 0;
}
