// SPDX-License-Identifier: GPL-2.0
/*
 * D and C of requests: from the last issue to the driver until the driver completes the whole.
 *
 * Counters are per CPU and not atomic: tracepoint programs run with preemption off, and the kernel does not let a
 * program interrupt itself (it counts that as a miss), so no two writers meet in one field.
 */
#include "compat.bpf.h"
#include "trace.bpf.h"

const volatile struct trace_config config = {.set_mask = 1};
volatile uint32_t recording = 0;

/* Sized by user space. Mapped there too, to find what is left at the end. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1);
	__type(key, uint32_t);
	__type(value, struct request_set);
} requests SEC(".maps");

/* Indexed leaf * OPS + op; sized by user space. */
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, OPS);
	__type(key, uint32_t);
	__type(value, struct op_counts);
} ops SEC(".maps");

static __always_inline int leaf_of(struct request *rq)
{
	uint32_t number = disk_number(rq->q->disk);

	for (uint32_t i = 0; i < MAX_LEAVES && i < config.leaves; i++)
		if (config.leaf[i] == number)
			return i;
	return -1;
}

static __always_inline struct op_counts *counts_of(uint32_t leaf, uint32_t op)
{
	uint32_t key = leaf * OPS + op;

	return bpf_map_lookup_elem(&ops, &key);
}

/*
 * The request's address as a number. A request is a static object, one for each tag, so the address is unique while it
 * is in flight, and it survives what a tag does not: a requeue gives the tag back before the tracepoint fires, and the
 * flush request borrows one. Read from the context because the verifier refuses arithmetic on the pointer itself.
 */
static __always_inline uint64_t address_of(const void *ctx)
{
	uint64_t address = 0;

	bpf_probe_read_kernel(&address, sizeof(address), ctx);
	return address;
}

static __always_inline struct request_set *set_of(uint64_t address)
{
	uint64_t hash = (address >> 6) * 0x9e3779b97f4a7c15ull;
	uint32_t key = hash >> 32 & config.set_mask;

	return bpf_map_lookup_elem(&requests, &key);
}

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

/* The request came round again, so it ended before, and nobody saw it. */
static __always_inline void count_unseen(struct request_slot *slot)
{
	struct op_counts *counts = counts_of(slot_leaf(slot->issued), slot_op(slot->issued));

	if (counts) {
		counts->loss[LOSS_UNSEEN]++;
		counts->faults_found += slot->issued & SLOT_FAULTED;
	}
	slot->request = 0;
}

SEC("tp_btf/block_rq_issue")
int BPF_PROG(on_issue, struct request *rq)
{
	int leaf = leaf_of(rq);
	struct op_counts *counts;
	struct request_slot *slot;
	struct request_set *set;
	uint64_t address;
	enum op op;

	if (leaf < 0)
		return 0;
	address = address_of(ctx);
	set = set_of(address);
	if (!set)
		return 0;
	slot = find(set, address);
	if (slot)
		count_unseen(slot);
	if (!recording)
		return 0;

	op = op_of_flags(rq->cmd_flags);
	counts = counts_of(leaf, op);
	if (!counts)
		return 0;
	counts->issues++;
	counts->issued_bytes += rq->__data_len;
	slot = claim(set, address);
	if (!slot) {
		counts->loss[LOSS_TABLE_FULL]++;
		return 0;
	}
	slot->issued = slot_pack(bpf_ktime_get_ns() - config.epoch, leaf, op);
	return 0;
}

/* The driver gave the request back (its ring was full, say): the issue does not count, the next one does. */
SEC("tp_btf/block_rq_requeue")
int BPF_PROG(on_requeue, struct request *rq)
{
	struct op_counts *counts;
	struct request_slot *slot;
	struct request_set *set;
	uint64_t address;

	if (leaf_of(rq) < 0)
		return 0;
	address = address_of(ctx);
	set = set_of(address);
	slot = set ? find(set, address) : 0;
	if (!slot)
		return 0;
	if (slot->issued & SLOT_FAULTED) {
		count_unseen(slot);
		return 0;
	}
	counts = counts_of(slot_leaf(slot->issued), slot_op(slot->issued));
	if (counts) {
		counts->requeues++;
		counts->requeued_bytes += rq->__data_len;
	}
	slot->request = 0;
	return 0;
}

static __always_inline void count_stage(struct op_counts *counts, enum stage stage, uint64_t elapsed)
{
	uint32_t bucket = hist_bucket(elapsed);

	counts->stage_sum[stage] += elapsed;
	if (elapsed > counts->stage_max[stage])
		counts->stage_max[stage] = elapsed;
	if (bucket < HIST_BUCKETS)
		counts->stage_bucket[stage][bucket]++;
}

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
		slot->issued |= SLOT_FAULTED;
		return true;
	}
#endif
	return false;
}

SEC("tp_btf/block_rq_complete")
int BPF_PROG(on_complete, struct request *rq, int error, unsigned int bytes)
{
	int leaf = leaf_of(rq);
	struct op_counts *counts;
	struct request_slot *slot;
	struct request_set *set;
	uint64_t address, now, issued;

	if (leaf < 0)
		return 0;
	address = address_of(ctx);
	set = set_of(address);
	if (!set)
		return 0;
	slot = find(set, address);
	counts = counts_of(leaf, op_of_flags(rq->cmd_flags));
	if (!counts)
		return 0;
	if (!slot) {
		count_unissued(counts, bytes);
		return 0;
	}
	if (bytes < rq->__data_len) {
		counts->partial++;
		counts->completed_bytes += bytes;
		return 0;
	}
	if (fault(counts, slot))
		return 0;

	now = bpf_ktime_get_ns() - config.epoch;
	issued = slot_time(slot->issued);
	slot->request = 0;
	if (now < issued) {
		counts->loss[LOSS_CLOCK]++;
		return 0;
	}
	counts->completions++;
	counts->completed_bytes += bytes;
	counts->errors += (error & 0xff) != 0;
	count_stage(counts, STAGE_DEVICE, now - issued);
	return 0;
}
