// SPDX-License-Identifier: GPL-2.0
/*
 * D and C of requests: from the last issue to the driver until the driver completes the whole; and by their bios, Q to D.
 *
 * Counters are per CPU and not atomic: tracepoint programs run with preemption off, and the kernel does not let a
 * program interrupt itself (it counts that as a miss), so no two writers meet in one field. A bio's slot may be written
 * by several CPUs at once, where its pieces complete on them: there it is atomic.
 */
#include "clock.bpf.h"
#include "hop.bpf.h"
#include "io.bpf.h"
#include "request.bpf.h"
#include "trace.bpf.h"
#include "walk.bpf.h"

struct flight_map flights SEC(".maps");

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
 * A request's bios. Addresses are numbers: written to the stack and read by a function that is verified by itself, they
 * are that to the verifier. Those functions are not static: it goes through them once, and not again for each state of
 * their callers and for each of the 256 bios.
 */
struct walk {
	uint64_t bio; /* the first; 0: none */
	uint64_t now; /* ns since the epoch */
	uint32_t single; /* there are no more */
	uint32_t layer;
	uint32_t op;
	uint32_t bytes; /* complete */
};

static __always_inline struct walk walk_of(struct request *rq, uint32_t layer, uint32_t op, uint64_t now)
{
	return (struct walk){
		.bio = (uint64_t)rq->bio,
		.now = now,
		.single = rq->bio == rq->biotail,
		.layer = layer,
		.op = op,
	};
}

static __always_inline uint64_t next_bio(uint64_t bio)
{
	uint64_t next = 0;

	read_field(&next, struct bio, bio, bi_next);
	return next;
}

static __always_inline uint32_t bio_size(uint64_t bio)
{
	uint32_t size = 0;

	read_field(&size, struct bio, bio, bi_iter.bi_size);
	return size;
}

static __always_inline uint32_t queue_of(uint32_t layer)
{
	return config.layer[layer & (MAX_LAYERS - 1)].queued_on;
}

static __always_inline void issue_slot(struct bio_slot *slot, uint64_t now)
{
	struct cpu_state *cpu = this_cpu();

	slot->issued = now;
	__sync_fetch_and_add(&slot->requests, 1);
	if (slot->io && cpu)
		io_issued(slot->io, cpu, now);
}

/* All bytes of a bio are complete. */
static __always_inline void finish(struct bio_slot *slot, uint64_t now)
{
	uint32_t layer = stamp_layer(slot->queued), op = stamp_op(slot->queued);
	uint64_t queued = stamp_time(slot->queued), issued = slot->issued;
	struct op_counts *counts = counts_of(layer, op);

	if (counts && issued >= queued) {
		counts->finished++;
		counts->pieces += slot->requests;
		count_stage(layer, op, STAGE_QUEUE, issued - queued);
		/* Before 6.12 nothing else tells of the end of a bio at the head of NVMe multipath. */
		if (layer_flags(layer) & LAYER_BIOS) {
			counts->completions++;
			count_stage(layer, op, STAGE_THROUGH, now - queued);
		}
	} else if (counts) {
		/* Its issue is missing, or older than its queuing. */
		counts->bio_loss[issued ? LOSS_CLOCK : LOSS_UNSEEN]++;
	}
	/* The kernel flushes now, and then ends it once more, with 0 bytes. */
	if (slot->role == BIO_FUA)
		slot->role = BIO_ENDING;
	else
		slot->bio = 0;
}

/* `size` bytes of a bio are complete. */
__noinline int bio_completed(uint64_t bio, uint32_t layer, uint32_t size, uint64_t now)
{
	struct bio_slot *slot = queued_slot(bio, layer);

	if (!slot)
		return 0;
	if (slot->io)
		io_completed(slot->io, false, size, now);
	if (__sync_fetch_and_add(&slot->left, -size) == size)
		finish(slot, now);
	return 0;
}

/* The 0 bytes at the end of a flush sequence: what an I/O may have waited for. */
__noinline int flush_ended(const struct walk *walk)
{
	struct bio_slot *slot = walk && walk->bio ? bio_find(walk->bio, queue_of(walk->layer)) : 0;

	if (!slot || (slot->role != BIO_FLUSH && slot->role != BIO_ENDING))
		return 0;
	if (slot->io)
		io_completed(slot->io, true, 0, walk->now);
	slot->bio = 0;
	return 0;
}

/* --- walks: each handles the bio at hand, and goes on to the next --- */

static long issue_next(uint32_t index, struct walk *walk)
{
	struct bio_slot *slot = queued_slot(walk->bio, queue_of(walk->layer));
	struct op_counts *counts = counts_of(walk->layer, walk->op);

	if (!counts)
		return 1;
	counts->walked++;
	if (slot)
		issue_slot(slot, walk->now);
	else
		counts->unqueued++;
	walk->bio = next_bio(walk->bio);
	return !walk->bio;
}

static long requeue_next(uint32_t index, struct walk *walk)
{
	struct bio_slot *slot = queued_slot(walk->bio, queue_of(walk->layer));
	struct op_counts *counts = counts_of(walk->layer, walk->op);

	if (!counts)
		return 1;
	counts->walked--;
	if (!slot) {
		counts->unqueued--;
	} else {
		__sync_fetch_and_add(&slot->requests, -1);
		if (slot->io)
			io_requeued(slot->io);
	}
	walk->bio = next_bio(walk->bio);
	return !walk->bio;
}

/* Of the bytes that are complete those are a bio's that are its, and are taken off. */
static long complete_next(uint32_t index, struct walk *walk)
{
	uint32_t size = bio_size(walk->bio);

	if (size > walk->bytes)
		size = walk->bytes;
	walk->bytes -= size;
	bio_completed(walk->bio, queue_of(walk->layer), size, walk->now);
	walk->bio = next_bio(walk->bio);
	return !walk->bio || !walk->bytes;
}

__noinline int walk_requeued(const struct walk *first)
{
	struct op_counts *counts = first ? counts_of(first->layer, first->op) : 0;
	struct walk walk;

	if (!counts || !first->bio)
		return 0;
	walk = *first;
	repeat(MAX_WALK, MAX_WALK, requeue_next, &walk);
	if (walk.bio)
		counts->walk_over--;
	return 0;
}

__noinline int walk_completed(const struct walk *first)
{
	struct walk walk;

	if (!first || !first->bio)
		return 0;
	if (first->single) {
		bio_completed(first->bio, queue_of(first->layer), first->bytes, first->now);
		return 0;
	}
	walk = *first;
	repeat(MAX_WALK, MAX_WALK, complete_next, &walk);
	return 0;
}

/* --- what is in flight --- */

/* A request takes off: how much else it meets is handed on to its I/Os. */
static __always_inline void take_off(uint32_t layer, uint32_t class, uint64_t now)
{
	struct flight *flight = bpf_map_lookup_elem(&flights, &layer);
	struct cpu_state *cpu = this_cpu();

	if (!flight || !cpu)
		return;
	cpu->company = __sync_fetch_and_add(&flight->requests, lane(class));
	cpu->idle = !cpu->company && flight->idle_since && now > flight->idle_since ? now - flight->idle_since : 0;
	if (config.clocks)
		clock_change(class, 1, now);
}

/*
 * All bios of a request that is issued. The request's class is that of its first bio; one whose Q was not recorded is
 * somebody else's, and one without any bio a flush of the cache. Returns the class.
 */
__noinline int walk_issued(const struct walk *first)
{
	struct op_counts *counts = first ? counts_of(first->layer, first->op) : 0;
	struct bio_slot *slot = 0;
	uint32_t class = CLASS_FLUSH;
	struct walk walk;

	if (!counts)
		return 0;
	if (first->bio) {
		slot = queued_slot(first->bio, queue_of(first->layer));
		class = slot ? stamp_class(slot->queued) : CLASS_OTHERS;
	}
	if (config.io && layer_flags(first->layer) & LAYER_TOP)
		take_off(first->layer, class, first->now);
	if (!first->bio)
		return class;
	counts->walked++;
	if (slot)
		issue_slot(slot, first->now);
	else
		counts->unqueued++;
	if (first->single)
		return class;
	walk = *first;
	walk.bio = next_bio(walk.bio);
	if (walk.bio)
		repeat(MAX_WALK - 1, MAX_WALK - 1, issue_next, &walk);
	if (walk.bio)
		counts->walk_over++;
	return class;
}

__noinline int land_at(uint64_t stamp, uint64_t now)
{
	uint32_t layer = stamp_layer(stamp), class = stamp_class(stamp);
	struct flight *flight;

	if (!(layer_flags(layer) & LAYER_TOP))
		return 0;
	flight = bpf_map_lookup_elem(&flights, &layer);
	if (flight && __sync_fetch_and_add(&flight->requests, -lane(class)) == lane(class))
		flight->idle_since = now;
	if (config.clocks)
		clock_change(class, -1, now);
	return 0;
}

/* And is down again, in whatever way. */
static __always_inline void land(uint64_t stamp, uint64_t now)
{
	if (config.io)
		land_at(stamp, now);
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
	land(stamp, since_epoch());
	slot->request = 0;
}

SEC("tp_btf/block_rq_issue")
int BPF_PROG(on_issue, struct request *rq)
{
	int layer = layer_of(rq->q->disk);
	struct op_counts *counts, *partition;
	struct request_slot *slot;
	struct request_set *set;
	uint64_t address, stamp, now;
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

	now = since_epoch();
	stamp = stamp_pack(now, layer, op, partition_mark(rq, layer));
	counts->issues++;
	counts->issued_bytes += rq->__data_len;
	partition = partition_counts(stamp);
	if (partition) {
		partition->issues++;
		partition->issued_bytes += rq->__data_len;
	}
	if (config.queue) {
		struct walk walk = walk_of(rq, layer, op, now);

		stamp |= walk_issued(&walk) << STAMP_CLASS_SHIFT;
		counts->fua += asks_fua(rq->cmd_flags);
	}
	slot = claim(set, address);
	if (slot) {
		slot->issued = stamp;
		if (config.hops)
			hops_begin(address, slot - set->way);
		return 0;
	}
	counts->loss[LOSS_TABLE_FULL]++;
	if (partition)
		partition->loss[LOSS_TABLE_FULL]++;
	land(stamp, now);
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
		if (config.queue) {
			struct walk walk = walk_of(rq, stamp_layer(slot->issued), stamp_op(slot->issued), 0);

			walk_requeued(&walk);
			counts->fua -= asks_fua(rq->cmd_flags);
		}
	}
	if (partition) {
		partition->requeues++;
		partition->requeued_bytes += rq->__data_len;
	}
	land(slot->issued, since_epoch());
	slot->request = 0;
	return 0;
}

/* --- C --- */

/* A completion whose issue is not in the table; outside a recording that says nothing. */
static __always_inline void count_unissued(struct op_counts *counts, unsigned int bytes, struct request *rq, uint32_t layer)
{
	if (!bytes && config.io) {
		struct walk walk = walk_of(rq, layer, 0, since_epoch());

		flush_ended(&walk);
	}
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
	count_reached(counts, bytes);
	if (status)
		counts->errors[status & (STATUSES - 1)]++;
}

static __always_inline void complete_bios(struct request *rq, uint32_t layer, uint32_t bytes, uint64_t now)
{
	struct walk walk = walk_of(rq, layer, 0, now);

	walk.bytes = bytes;
	if (config.queue)
		walk_completed(&walk);
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
		count_unissued(counts, bytes, rq, layer);
		return 0;
	}
	if (bytes < rq->__data_len) {
		counts->partial++;
		counts->completed_bytes += bytes;
		count_reached(counts, bytes);
		complete_bios(rq, layer, bytes, since_epoch());
		return 0;
	}
	if (fault(counts, slot))
		return 0;

	now = since_epoch();
	issued = stamp_time(slot->issued);
	partition = partition_counts(slot->issued);
	if (config.hops && layer_flags(layer) & LAYER_SCSI)
		hops_end(address, slot - set->way, slot->issued, now);
	land(slot->issued, now);
	slot->request = 0;
	if (config.clocks && (op == OP_FLUSH || asks_fua(rq->cmd_flags)))
		note_durable(layer, issued);
	complete_bios(rq, layer, bytes, now);
	if (now < issued) {
		counts->loss[LOSS_CLOCK]++;
		if (partition)
			partition->loss[LOSS_CLOCK]++;
		return 0;
	}
	count_completed(counts, bytes, error & 0xff);
	if (partition) {
		count_completed(partition, bytes, error & 0xff);
		count_stage(0, op, STAGE_DEVICE, now - issued);
	}
	/* Last, as it has many branches, and the verifier goes through what follows for each of them. */
	add_to_stage(layer, op, STAGE_DEVICE, now - issued);
	return 0;
}
