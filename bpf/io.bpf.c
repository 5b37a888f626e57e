// SPDX-License-Identifier: GPL-2.0
/* Begin and end of an I/O: its slot, and what becomes of it. Its parts are added to histograms once, at R. */
#include "io.bpf.h"
#include "clock.bpf.h"
#include "trace.bpf.h"

/* Indexed op * IO_STAGES + stage. */
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, IO_OPS *IO_STAGES);
	__type(key, uint32_t);
	__type(value, struct stage_counts);
} io_stages SEC(".maps");

/* Indexed op * 2 + which half of the rows. */
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, IO_OPS * 2);
	__type(key, uint32_t);
	__type(value, struct latency_table);
} io_rows SEC(".maps");

/* Of each CPU; user space merges them, which is exact. */
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, uint32_t);
	__type(value, struct io_record);
} slowest SEC(".maps");

/* Only an I/O that is slower than the fastest of those that are kept is looked at. */
struct slow_head {
	uint64_t threshold;
	uint32_t filled;
	uint32_t fastest; /* where that one stands */
};

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, uint32_t);
	__type(value, struct slow_head);
} slow_heads SEC(".maps");

/* By parity of the interval, so that the last one can be read while the next one is written. */
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 2);
	__type(key, uint32_t);
	__type(value, struct interval_record);
} interval_slowest SEC(".maps");

/* All I/Os of config.slow_from or longer, in the order in which they ended. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, uint32_t);
	__type(value, struct io_record);
} slow_log SEC(".maps");

volatile uint64_t slow_logged = 0;

__noinline int io_count_stage(uint32_t op, uint32_t stage, uint64_t elapsed)
{
	uint32_t key = op * IO_STAGES + stage;

	add_to(bpf_map_lookup_elem(&io_stages, &key), elapsed);
	return 0;
}

/* A part that an I/O does not have is not counted, rather than counted as 0. */
struct parts {
	uint64_t time[IO_PARTS];
	uint32_t has; /* bits */
	uint32_t op;
	uint64_t total;
};

/* Adds all parts to their histograms: in one loop, so that the verifier sees the branches of a bucket once. */
__noinline int count_parts(const struct parts *parts)
{
	if (!parts)
		return 0;
	for (uint32_t i = 0; i < IO_PARTS; i++) {
		uint32_t key = parts->op * IO_STAGES + i;

		if (parts->has & 1u << i)
			add_to(bpf_map_lookup_elem(&io_stages, &key), parts->time[i]);
	}
	return 0;
}

/* --- begin --- */

/* All but the key, which is taken before the rest is written. */
static __always_inline void fill(struct io_slot *slot, const struct beginning *beginning)
{
	struct io_record *record = &slot->record;

	slot->kiocb = beginning->kiocb;
	slot->task = bpf_get_current_task();
	slot->done = 0;
	slot->next = 0;
	slot->synchronous = beginning->synchronous;
	slot->remote = beginning->remote;
	record->boundary[BOUNDARY_CALL] = beginning->called;
	record->boundary[BOUNDARY_QUEUE] = 0;
	record->boundary[BOUNDARY_ISSUE] = 0;
	record->boundary[BOUNDARY_DOORBELL] = 0;
	record->boundary[BOUNDARY_COMPLETE] = 0;
	record->boundary[BOUNDARY_SYNCED] = 0;
	record->first_issue = 0;
	record->idle = 0;
	*(uint64_t *)record->company = 0;
	record->bytes = 0;
	record->requests = 0;
	record->call_cpu = bpf_get_smp_processor_id();
	record->notes = beginning->synchronous ? 1u << IO_NOTE_SYNCHRONOUS : 0;
	record->op = beginning->op;
	record->way = beginning->way;
	record->layer = 0;
	record->end = IO_END_NOT_QUEUED;
	slot->context = beginning->id.context;
}

static __always_inline void count_begun(uint32_t op, uint32_t way, bool has_room)
{
	struct io_counts *counts = io_counts_of(op);

	if (!counts)
		return;
	counts->called++;
	counts->way[way < IO_WAYS ? way : 0]++;
	if (!has_room)
		counts->table_full++;
}

static __always_inline void let_go(struct io_slot *slot)
{
	slot->context = 0;
	slot->key = 0;
}

/* How long a result may lie there, in a set that is full, until it is taken as nobody's; and an I/O be under way. */
#define ABANDONED_AFTER 1000000000ull
#define DEAD_AFTER	60000000000ull

static __always_inline bool is_abandoned(const struct io_slot *slot, uint64_t now)
{
	const uint64_t *at = slot->record.boundary;

	if (at[BOUNDARY_COMPLETE] && slot->done >= slot->record.bytes)
		return now > at[BOUNDARY_COMPLETE] + ABANDONED_AFTER;
	return now > at[BOUNDARY_CALL] + DEAD_AFTER;
}

/*
 * Programs end, and leave I/Os behind that nobody will ask for: nothing tells of that. They are found where their room is
 * needed.
 */
__noinline int make_room(uint32_t at)
{
	struct io_set *set = bpf_map_lookup_elem(&io_sets, &at);
	uint64_t now = since_epoch();

	if (!set)
		return 0;
	for (int i = 0; i < TABLE_WAYS; i++) {
		struct io_slot *slot = &set->way[i];
		struct io_counts *counts;

		if (!slot->key || !is_abandoned(slot, now))
			continue;
		counts = io_counts_of(slot->record.op);
		if (counts && slot->record.boundary[BOUNDARY_CALL])
			counts->end[IO_END_ABANDONED]++;
		let_go(slot);
	}
	return 0;
}

/* The way that it takes in its set, or -1. */
static __always_inline int claim(struct io_set *set, const struct beginning *beginning)
{
	for (int i = 0; i < TABLE_WAYS; i++) {
		struct io_slot *slot = &set->way[i];

		if (slot->key || __sync_val_compare_and_swap(&slot->key, 0, beginning->id.key))
			continue;
		fill(slot, beginning);
		return i;
	}
	return -1;
}

__noinline int io_begin(const struct beginning *beginning)
{
	struct io_set *set;
	uint32_t at;
	int way;

	if (!beginning)
		return 0;
	at = io_set_of(beginning->id);
	set = bpf_map_lookup_elem(&io_sets, &at);
	if (!set)
		return 0;
	way = claim(set, beginning);
	if (way < 0) {
		make_room(at);
		way = claim(set, beginning);
	}
	if (beginning->called)
		count_begun(beginning->op, beginning->way, way >= 0);
	return way < 0 ? 0 : at * TABLE_WAYS + way + 1;
}

__noinline int io_claim(uint32_t number, uint64_t called, uint64_t task)
{
	struct io_slot *slot = io_at(number);

	if (!slot || !slot->key)
		return 0;
	slot->record.boundary[BOUNDARY_CALL] = called;
	slot->task = task;
	count_begun(slot->record.op, slot->record.way, true);
	return 0;
}

__noinline int io_forget(uint32_t number)
{
	struct io_slot *slot = io_at(number);
	struct io_counts *counts;

	if (!slot || !slot->key)
		return 0;
	counts = io_counts_of(slot->record.op);
	if (counts) {
		counts->called--;
		counts->way[slot->record.way < IO_WAYS ? slot->record.way : 0]--;
	}
	let_go(slot);
	return 0;
}

/* A foreigner's, most likely; its room is needed. */
__noinline int io_unclaimed(uint32_t number)
{
	struct io_slot *slot = io_at(number);

	if (slot && slot->key && slot->done >= slot->record.bytes)
		let_go(slot);
	return 0;
}

/* --- the slowest --- */

/* Looks for the one that has to go next. */
static __always_inline void find_fastest(struct slow_head *head)
{
	uint64_t fastest = ~0ull;

	for (uint32_t i = 0; i < SLOWEST && i < config.slowest; i++) {
		uint32_t key = i;
		struct io_record *record = bpf_map_lookup_elem(&slowest, &key);
		uint64_t total;

		if (!record)
			break;
		total = record->boundary[BOUNDARY_RETURN] - record->boundary[BOUNDARY_CALL];
		if (total >= fastest)
			continue;
		fastest = total;
		head->fastest = i;
	}
	head->threshold = fastest;
}

__noinline int keep_among_slowest(const struct io_record *record)
{
	uint32_t zero = 0, key;
	struct slow_head *head = bpf_map_lookup_elem(&slow_heads, &zero);
	struct io_record *kept;

	if (!head || !record)
		return 0;
	key = head->filled < config.slowest ? head->filled : head->fastest;
	kept = bpf_map_lookup_elem(&slowest, &key);
	if (!kept)
		return 0;
	*kept = *record;
	if (head->filled < config.slowest)
		head->filled++;
	if (head->filled == config.slowest)
		find_fastest(head);
	return 0;
}

static __always_inline void keep_of_interval(const struct io_record *record, uint64_t total)
{
	uint64_t now = interval;
	uint32_t key = now & 1;
	struct interval_record *kept = bpf_map_lookup_elem(&interval_slowest, &key);

	if (!kept || (kept->interval == now &&
		      kept->record.boundary[BOUNDARY_RETURN] - kept->record.boundary[BOUNDARY_CALL] >= total))
		return;
	kept->interval = now;
	kept->record = *record;
}

static __always_inline void log_slow(const struct io_record *record)
{
	uint32_t key = __sync_fetch_and_add(&slow_logged, 1);
	struct io_record *logged = key < config.slow_records ? bpf_map_lookup_elem(&slow_log, &key) : 0;

	if (logged)
		*logged = *record;
}

/* Whether anything wants this I/O whole. */
static __always_inline bool is_slow(uint64_t total)
{
	uint32_t zero = 0;
	struct slow_head *head = bpf_map_lookup_elem(&slow_heads, &zero);

	return head && config.slowest && (head->filled < config.slowest || total > head->threshold);
}

static __always_inline void complete_record(struct io_record *record, const struct ending *ending)
{
	record->boundary[BOUNDARY_ASK] = ending->asked;
	record->boundary[BOUNDARY_WAKE] = ending->woken;
	record->boundary[BOUNDARY_RETURN] = ending->returned;
	record->last_complete = ending->woken_by;
	record->thread = bpf_get_current_pid_tgid();
	record->return_cpu = bpf_get_smp_processor_id();
	bpf_get_current_comm(record->command, sizeof(record->command));
}

static __always_inline void keep(struct io_slot *slot, const struct ending *ending, uint64_t total)
{
	bool slow = is_slow(total), logged = config.slow_records && total >= config.slow_from;

	if (!slow && !logged && !config.intervals)
		return;
	complete_record(&slot->record, ending);
	if (slow)
		keep_among_slowest(&slot->record);
	if (logged)
		log_slow(&slot->record);
	if (config.intervals)
		keep_of_interval(&slot->record, total);
}

/* --- end --- */

/* Whether it went a way that is watched: to a bio-based device, through requests, or to a server. */
static __always_inline bool has_way(const struct io_record *record)
{
	return record->boundary[BOUNDARY_ISSUE] || record->layer == LAYER_REMOTE ||
	       layer_flags(record->layer) & LAYER_BIOS;
}

/* Of an I/O through the page cache of such a file system the kernel may ask for more than the call waits for. */
static __always_inline uint32_t end_without_answer(const struct io_record *record)
{
	return record->layer == LAYER_REMOTE && record->end == IO_END_BUFFERED ? IO_END_BUFFERED : IO_END_UNSEEN;
}

/* What a program took from the ring itself has a result that is not known. */
#define TAKEN (~0ull)

/* Nothing was sent for it by a thread that is known to have done so for it; what moved nothing had no need to. */
static __always_inline uint32_t end_without_queue(const struct io_slot *slot, const struct ending *ending)
{
	if (slot->remote && ending->result <= 0 && ending->returned != TAKEN)
		return IO_END_NOT_QUEUED;
	return slot->record.end;
}

/* How it ended, by what is known of it. The order of its boundaries must hold: what follows subtracts them. */
static __always_inline uint32_t end_of(const struct io_slot *slot, const struct ending *ending)
{
	const uint64_t *at = slot->record.boundary;

	if (!at[BOUNDARY_QUEUE])
		return end_without_queue(slot, ending);
	if (!at[BOUNDARY_COMPLETE] || slot->done < slot->record.bytes || !has_way(&slot->record))
		return end_without_answer(&slot->record);
	if (at[BOUNDARY_QUEUE] < at[BOUNDARY_CALL] || at[BOUNDARY_COMPLETE] < at[BOUNDARY_QUEUE] ||
	    (at[BOUNDARY_ISSUE] &&
	     (at[BOUNDARY_ISSUE] < at[BOUNDARY_QUEUE] || at[BOUNDARY_COMPLETE] < at[BOUNDARY_ISSUE])) ||
	    ending->returned < at[BOUNDARY_COMPLETE])
		return IO_END_CLOCK;
	return IO_END_JOINED;
}

static __always_inline void set_part(struct parts *parts, uint32_t part, uint64_t time)
{
	parts->time[part] = time;
	parts->has |= 1u << part;
}

static __always_inline void split_to_completion(struct parts *parts, const struct io_record *record)
{
	const uint64_t *at = record->boundary;

	set_part(parts, IO_STAGE_SUBMIT, at[BOUNDARY_QUEUE] - at[BOUNDARY_CALL]);
	if (record->layer == LAYER_REMOTE) {
		set_part(parts, IO_STAGE_REMOTE, at[BOUNDARY_COMPLETE] - at[BOUNDARY_QUEUE]);
		return;
	}
	if (!at[BOUNDARY_ISSUE]) {
		set_part(parts, IO_STAGE_THROUGH, at[BOUNDARY_COMPLETE] - at[BOUNDARY_QUEUE]);
		return;
	}
	set_part(parts, IO_STAGE_QUEUE, at[BOUNDARY_ISSUE] - at[BOUNDARY_QUEUE]);
	set_part(parts, IO_STAGE_DEVICE, at[BOUNDARY_COMPLETE] - at[BOUNDARY_ISSUE]);
}

/* From C to R: the flush, the program, the way back. Returns where the way back begins. */
static __always_inline uint64_t split_to_return(struct parts *parts, struct io_record *record,
						const struct ending *ending)
{
	uint64_t ready = record->boundary[BOUNDARY_COMPLETE], synced = record->boundary[BOUNDARY_SYNCED];

	if (synced > ready && synced <= ending->returned) {
		set_part(parts, IO_STAGE_SYNC, synced - ready);
		record->notes |= 1u << IO_NOTE_FLUSHED;
		ready = synced;
	} else {
		record->boundary[BOUNDARY_SYNCED] = ready;
	}
	if (ending->asked > ready) {
		set_part(parts, IO_STAGE_UNREAPED, ending->asked - ready);
		ready = ending->asked;
	}
	set_part(parts, IO_STAGE_DELIVER, ending->returned - ready);
	return ready;
}

/* What lies inside of deliver, where the thread slept and was woken for it. */
static __always_inline void count_delivery(uint32_t op, uint64_t ready, const struct ending *ending)
{
	if (ending->woken < ready || ending->woken > ending->returned)
		return;
	if (ending->woken_by > ready && ending->woken_by <= ending->woken) {
		io_count_stage(op, IO_STAGE_BATCH, ending->woken_by - ready);
		ready = ending->woken_by;
	}
	io_count_stage(op, IO_STAGE_WAKE, ending->woken - ready);
	io_count_stage(op, IO_STAGE_RUNQ, ending->returned - ending->woken);
}

static __always_inline void count_inside(uint32_t op, const struct io_record *record)
{
	const uint64_t *at = record->boundary;

	if (record->notes & 1u << IO_NOTE_THROTTLED)
		io_count_stage(op, IO_STAGE_THROTTLED, at[BOUNDARY_QUEUE] - at[BOUNDARY_CALL]);
	if (record->requests > 1 && at[BOUNDARY_ISSUE] && at[BOUNDARY_ISSUE] >= record->first_issue)
		io_count_stage(op, IO_STAGE_SPREAD, at[BOUNDARY_ISSUE] - record->first_issue);
}

__noinline int add_to_row(const struct parts *parts)
{
	struct latency_table *table;
	struct latency_row *row;
	uint32_t half, at;

	if (!parts)
		return 0;
	at = latency_row_of(parts->total);
	half = parts->op * 2 + (at >= TABLE_ROWS);
	if (at >= TABLE_ROWS)
		at -= TABLE_ROWS;
	table = bpf_map_lookup_elem(&io_rows, &half);
	if (!table || at >= TABLE_ROWS)
		return 0;
	row = &table->row[at];
	row->count++;
	for (int i = 0; i < IO_PARTS; i++)
		row->sum[i] += parts->time[i];
	return 0;
}

static __always_inline void add_parts(struct io_slot *slot, const struct ending *ending, uint64_t total)
{
	struct parts parts = {.op = slot->record.op, .total = total};
	uint64_t ready;

	split_to_completion(&parts, &slot->record);
	ready = split_to_return(&parts, &slot->record, ending);
	count_parts(&parts);
	add_to_row(&parts);
	if (ending->woken)
		count_delivery(parts.op, ready, ending);
	if (slot->record.notes || slot->record.requests > 1)
		count_inside(parts.op, &slot->record);
}

static __always_inline void count_notes(struct io_counts *counts, uint32_t notes)
{
	for (int i = 0; i < IO_NOTES; i++)
		if (notes & 1u << i)
			counts->note[i]++;
}

static __always_inline void count_ended(struct io_slot *slot, const struct ending *ending, uint32_t end)
{
	struct io_record *record = &slot->record;
	struct io_counts *counts = io_counts_of(record->op);

	if (!counts || end >= IO_ENDS)
		return;
	record->end = end;
	/* Until now it counted requests. */
	if (record->layer == LAYER_REMOTE)
		record->bytes = ending->result > 0 ? ending->result : 0;
	if (ending->result < 0)
		record->notes |= 1u << IO_NOTE_FAILED;
	else
		counts->bytes += ending->result;
	if (record->requests > 1)
		record->notes |= 1u << IO_NOTE_SPLIT;
	counts->end[end]++;
	if (end == IO_END_JOINED)
		counts->requests += record->requests;
	if (end == IO_END_JOINED && record->layer == LAYER_REMOTE)
		counts->remote_bytes += record->bytes;
	if (record->notes)
		count_notes(counts, record->notes);
}

__noinline int io_fold(uint32_t number, const struct ending *ending)
{
	struct io_slot *slot = io_at(number);
	uint64_t total, called;
	uint32_t end;

	if (!slot || !ending || !slot->key)
		return 0;
	called = slot->record.boundary[BOUNDARY_CALL];
	total = called && ending->returned > called ? ending->returned - called : 0;
	end = end_of(slot, ending);
	if (end == IO_END_JOINED)
		add_parts(slot, ending, total);
	count_ended(slot, ending, end);
	if (total) {
		io_count_stage(slot->record.op, IO_STAGE_TOTAL, total);
		keep(slot, ending, total);
	}
	let_go(slot);
	return 0;
}

__noinline int io_fold_self_reaped(uint32_t number)
{
	struct io_slot *slot = io_at(number);
	struct ending ending = {};
	uint32_t end;

	if (!slot || !slot->key)
		return 0;
	ending.returned = TAKEN;
	end = end_of(slot, &ending);
	if (end == IO_END_JOINED) {
		struct parts parts = {.op = slot->record.op};

		split_to_completion(&parts, &slot->record);
		count_parts(&parts);
		end = IO_END_SELF_REAPED;
		/* How much a server gave is not known. */
		if (slot->record.layer != LAYER_REMOTE)
			ending.result = slot->record.bytes;
	}
	count_ended(slot, &ending, end);
	let_go(slot);
	return 0;
}

__noinline int io_synced(uint32_t number, uint64_t synced)
{
	struct io_slot *slot = io_at(number);
	uint64_t *at;

	/* A server does not tell what it flushes. */
	if (!slot || !slot->key || slot->record.layer == LAYER_REMOTE)
		return 0;
	at = slot->record.boundary;
	if (at[BOUNDARY_COMPLETE] && synced > at[BOUNDARY_COMPLETE] && synced > at[BOUNDARY_SYNCED])
		at[BOUNDARY_SYNCED] = synced;
	return 0;
}

/* --- a bio that ended without a request --- */

__noinline int io_ended_early(uint32_t number, uint32_t size, uint32_t again)
{
	struct io_slot *slot = io_at(number);
	struct io_record *record;

	if (!slot)
		return 0;
	record = &slot->record;
	record->bytes -= size;
	if (record->bytes)
		return 0;
	record->boundary[BOUNDARY_QUEUE] = 0;
	record->end = IO_END_NOT_QUEUED;
	if (again)
		record->notes |= 1u << IO_NOTE_RETRIED;
	return 0;
}

/* --- B --- */

__noinline int ring_doorbell(struct cpu_state *cpu, uint64_t now)
{
	struct io_counts *counts;
	struct io_slot *slot;

	if (!cpu)
		return 0;
	cpu->submitter = 0;
	slot = io_at(cpu->io);
	/* Known only before C: the I/O may have ended, and its slot may be another's. */
	if (!slot || !slot->key || slot->record.boundary[BOUNDARY_ISSUE] != cpu->issued ||
	    slot->record.boundary[BOUNDARY_COMPLETE] || now < cpu->issued)
		return 0;
	slot->record.boundary[BOUNDARY_DOORBELL] = now;
	counts = io_counts_of(slot->record.op);
	if (counts)
		counts->rung += cpu->sharing;
	io_count_stage(slot->record.op, IO_STAGE_DOORBELL, now - cpu->issued);
	return 0;
}
