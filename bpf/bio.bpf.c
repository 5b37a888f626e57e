// SPDX-License-Identifier: GPL-2.0
/*
 * Q: bios that enter the block layer, on every layer, and on the target's own disk by owner; and C of bio-based layers.
 * A bio that is split or requeued is queued once (the kernel traces it only the first time), and an attempt that failed
 * is taken back, so the workload's bytes here are the bytes that it asked for.
 */
#include "io.bpf.h"
#include "task.bpf.h"
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

/* fsync and the like queue a write without data that only asks for a flush. */
static __always_inline enum op op_of_bio(uint32_t flags, uint32_t size)
{
	enum op op = op_of_flags(flags);

	return op == OP_WRITE && !size && asks_preflush(flags) ? OP_FLUSH : op;
}

static __always_inline void count_owner(enum owner owner, enum op op, uint64_t bytes, int64_t sign)
{
	uint32_t key = owner * OPS + op;
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

	/* Where just the end of a flush went unseen, the bio itself was accounted for. */
	if (counts && (slot->role == BIO_DATA || slot->role == BIO_FUA))
		counts->bio_loss[LOSS_UNSEEN]++;
	slot->bio = 0;
}

static __always_inline void remember(struct op_counts *counts, const struct arrival *arrival, const struct bio_slot *its)
{
	uint32_t key = set_of(arrival->bio);
	struct bio_set *set = bpf_map_lookup_elem(&bio_sets, &key);

	if (!set)
		return;
	for (int i = 0; i < TABLE_WAYS; i++) {
		struct bio_slot *slot = &set->way[i];

		if (slot->bio || __sync_val_compare_and_swap(&slot->bio, 0, arrival->bio))
			continue;
		slot->queued = its->queued;
		slot->issued = 0;
		slot->left = arrival->size;
		slot->requests = 0;
		slot->io = its->io;
		slot->role = its->role;
		return;
	}
	if (its->role != BIO_FLUSH)
		counts->bio_loss[LOSS_TABLE_FULL]++;
}

static __always_inline void count_queued(struct op_counts *counts, uint32_t size, uint32_t flags)
{
	counts->bios++;
	counts->bio_bytes += size;
	counts->empty += !size;
	counts->asked_flush += asks_preflush(flags);
	counts->asked_fua += asks_fua(flags);
}

static __always_inline void count_partition(struct bio *bio, uint32_t layer)
{
	uint32_t size = bio->bi_iter.bi_size;
	struct op_counts *counts;

	if (!(config.flags & LAYER_PARTITION) || config.layer[0].disk != layer ||
	    config.layer[0].number != bio->bi_bdev->bd_dev)
		return;
	counts = counts_of(0, op_of_bio(bio->bi_opf, size));
	if (counts)
		count_queued(counts, size, bio->bi_opf);
}

static __always_inline uint32_t role_of(const struct arrival *arrival, uint32_t io)
{
	if (!io)
		return BIO_DATA;
	if (!arrival->size)
		return BIO_FLUSH;
	return asks_fua(arrival->flags) && layer_flags(arrival->layer) & LAYER_NO_FUA ? BIO_FUA : BIO_DATA;
}

static __always_inline uint32_t class_of(enum owner owner)
{
	switch (owner) {
	case OWNER_WORKLOAD:
	case OWNER_WRITEBACK:
		return CLASS_DATA;
	case OWNER_JOURNAL:
		return CLASS_JOURNAL;
	default:
		return CLASS_OTHERS;
	}
}

/* The other way round; writeback, which the kernel does not refuse, is of the same class as the workload's own. */
static __always_inline enum owner owner_by_class(uint32_t class)
{
	return class == CLASS_DATA ? OWNER_WORKLOAD : class == CLASS_JOURNAL ? OWNER_JOURNAL : OWNER_OTHERS;
}

/* Reads of the workload outside of any system call are page faults'; bios in a call are counted for its kind. */
static __always_inline void count_for_task(struct task_state *state, const struct arrival *arrival, uint32_t io)
{
	if (!state || arrival->op > OP_WRITE)
		return;
	if (state->inside) {
		state->bios[arrival->op & 1].bios++;
		state->bios[arrival->op & 1].bytes += arrival->size;
	} else if (!io && arrival->op == OP_READ && !is_in_call()) {
		begin_fault(state, arrival->size, arrival->now);
	}
}

/* Whose it is, on a disk where that is counted. */
static __always_inline enum owner judge(const struct arrival *arrival, struct task_state *state, uint32_t io)
{
	bool own = io || is_own(state);
	enum owner owner = is_xfs_log(arrival) ? OWNER_JOURNAL : own ? OWNER_WORKLOAD : owner_of(arrival);

	count_owner(owner, arrival->op, arrival->size, 1);
	if ((owner != OWNER_WORKLOAD && owner != OWNER_WRITEBACK) || config.own == OWN_EVERYONE)
		count_foreigner(arrival, owner);
	if (config.clocks && own)
		count_for_task(state, arrival, io);
	return owner;
}

/* On a disk where I/Os come in: which one it belongs to. A flush without data is asked for by a call, or a worker. */
static __always_inline uint32_t io_of(const struct arrival *arrival, struct task_state *state)
{
	if (!config.io)
		return 0;
	if (!arrival->size)
		return state ? state->io : 0;
	return io_queued(arrival, state);
}

__noinline int bio_arrives(struct arrival *arrival)
{
	struct bio_slot its = {}, *stale;
	enum owner owner = OWNER_OTHERS;
	struct op_counts *counts;

	if (!arrival)
		return 0;
	stale = config.queue ? bio_find(arrival->bio, arrival->layer) : 0;
	if (stale)
		count_unseen(stale);
	counts = recording ? counts_of(arrival->layer, arrival->op) : 0;
	if (!counts)
		return 0;
	arrival->now = since_epoch();
	count_queued(counts, arrival->size, arrival->flags);
	if (layer_flags(arrival->layer) & LAYER_TOP) {
		struct task_state *state = current_state(bpf_get_current_task_btf());

		its.io = io_of(arrival, state);
		owner = judge(arrival, state, its.io);
	}
	its.role = role_of(arrival, its.io);
	its.queued = stamp_pack(arrival->now, arrival->layer, arrival->op, class_of(owner) << STAMP_CLASS_SHIFT);
	/* A flush without data has no request that would be issued with it; a bio-based layer completes it all the same. */
	if (config.queue && (arrival->size || its.io || layer_flags(arrival->layer) & LAYER_BIOS))
		remember(counts, arrival, &its);
	return 0;
}

SEC("tp_btf/block_bio_queue")
int BPF_PROG(on_queue, struct bio *bio)
{
	int layer = layer_of(bio->bi_bdev->bd_disk);
	/* Written to the stack and read by a function that is verified by itself, an address is a number. */
	struct arrival arrival = {
		.bio = (uint64_t)bio,
		.end = (uint64_t)bio->bi_end_io,
		.sector = bio->bi_iter.bi_sector,
		.size = bio->bi_iter.bi_size,
		.flags = bio->bi_opf,
		.layer = layer,
	};

	if (layer < 0)
		return 0;
	arrival.op = op_of_bio(arrival.flags, arrival.size);
	if (recording)
		count_partition(bio, layer);
	bio_arrives(&arrival);
	return 0;
}

static __always_inline void complete_bio(struct op_counts *counts, struct bio_slot *slot, uint32_t layer, struct bio *bio)
{
	uint64_t now = since_epoch(), queued = stamp_time(slot->queued);
	uint32_t op = stamp_op(slot->queued), size = slot->left;

	slot->bio = 0;
	if (slot->io)
		io_completed(slot->io, slot->role == BIO_FLUSH, size, now);
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
	count_reached(counts, size);
	if (bio->bi_status)
		counts->errors[bio->bi_status & (STATUSES - 1)]++;
	if (config.clocks && (op == OP_FLUSH || asks_fua(bio->bi_opf)))
		note_durable(layer, queued);
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
	op = slot ? stamp_op(slot->queued) : op_of_bio(bio->bi_opf, size);
	counts = counts_of(layer, op);
	if (!counts)
		return 0;
	if (layer_flags(layer) & LAYER_BIOS) {
		if (slot)
			complete_bio(counts, slot, layer, bio);
		else if (recording && is_piece(address))
			counts->children++;
		else if (recording)
			counts->unissued++;
		return 0;
	}
	if (slot) {
		/* What was refused moved nothing. */
		if (recording && bio->bi_status && layer_flags(layer) & LAYER_TOP)
			count_owner(owner_by_class(stamp_class(slot->queued)), op, size, -1);
		if (slot->io)
			io_ended_early(slot->io, slot->left, bio->bi_status == STATUS_AGAIN);
		slot->bio = 0;
	}
	if (recording)
		counts->ended_early++;
	return 0;
}
