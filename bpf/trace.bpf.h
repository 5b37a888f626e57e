/* SPDX-License-Identifier: GPL-2.0 */
/* What the programs share; it stands in maps.bpf.c. */
#ifndef BPF_TRACE_H
#define BPF_TRACE_H

#include <iostrata/shared.h>

#include "compat.bpf.h"
#include "kernel.bpf.h"

extern const volatile struct trace_config config;

/* Not 0 while a run is recorded; a store by user space turns it on and off. */
extern volatile uint32_t recording;

/* When the program was last told that what it wrote is taken or safe: a buffered write or a sync returned. ns since the
 * epoch; 0: it was not. */
extern volatile uint64_t told;

/* The connection of 9p that the one file is reached by (its address), with config.one_file; 0: it is not known. */
extern volatile uint64_t target_client;

/* When the latest flush, or write with FUA, of those that ended on a top disk had begun. */
extern volatile uint64_t durable_since;

struct task_map {
	__uint(type, BPF_MAP_TYPE_TASK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, struct task_state);
};
extern struct task_map tasks SEC(".maps");

/* What a CPU hands on from one program to the next. */
struct cpu_state {
	uint64_t submitter; /* the task that issued an I/O of its own last, and is still in the driver; 0: none */
	uint64_t issued;    /* when that was, since the epoch */
	uint32_t io;	    /* the I/O's number, plus 1 */
	uint32_t sharing;   /* I/Os that it has issued by now: they share the doorbell */
	uint64_t completed; /* when an I/O of the workload was last completed on this CPU */
	uint64_t company;   /* of the request that is being issued: see struct flight */
	uint64_t idle;
};

struct cpu_map {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, uint32_t);
	__type(value, struct cpu_state);
};
extern struct cpu_map cpus SEC(".maps");

/* Indexed layer * OPS + op. Sized by user space, as all below. */
struct op_map {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, uint32_t);
	__type(value, struct op_counts);
};
extern struct op_map ops SEC(".maps");

/* Indexed (layer * OPS + op) * STAGES + stage. */
struct stage_map {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, uint32_t);
	__type(value, struct stage_counts);
};
extern struct stage_map stages SEC(".maps");

/* Bios on their way. Mapped by user space, to find what is left at the end. */
struct bio_table {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1);
	__type(key, uint32_t);
	__type(value, struct bio_set);
};
extern struct bio_table bio_sets SEC(".maps");

static __always_inline struct cpu_state *this_cpu(void)
{
	uint32_t key = 0;

	return bpf_map_lookup_elem(&cpus, &key);
}

static __always_inline uint64_t since_epoch(void)
{
	return bpf_ktime_get_ns() - config.epoch;
}

/* enum layer_flags. The mask stays even where the compiler knows the bound: the verifier forgets it on the stack. */
static __always_inline uint32_t layer_flags(uint32_t layer)
{
	barrier_var(layer);
	return config.layer[layer & (MAX_LAYERS - 1)].flags;
}

static __always_inline struct op_counts *counts_of(uint32_t layer, uint32_t op)
{
	uint32_t key = layer * OPS + op;

	return bpf_map_lookup_elem(&ops, &key);
}

/* Adds a latency in ns to a histogram of this CPU, which may be NULL. */
static __always_inline void add_to(struct stage_counts *counts, uint64_t elapsed)
{
	uint32_t bucket = hist_bucket(elapsed);

	if (!counts || bucket >= HIST_BUCKETS)
		return;
	counts->sum += elapsed;
	if (elapsed > counts->max)
		counts->max = elapsed;
	counts->bucket[bucket]++;
}

static __always_inline void add_to_stage(uint32_t layer, uint32_t op, uint32_t stage, uint64_t elapsed)
{
	uint32_t key = (layer * OPS + op) * STAGES + stage;

	add_to(bpf_map_lookup_elem(&stages, &key), elapsed);
}

/*
 * Adds a latency in ns to the histogram of a stage. Not inline: the verifier goes through its branches once, and not
 * again for each way that leads to it.
 */
int count_stage(uint32_t layer, uint32_t op, uint32_t stage, uint64_t elapsed);

/*
 * The argument `index` of a tracepoint as a number, for a key: the verifier refuses arithmetic on the pointer that the
 * context holds.
 */
static __always_inline uint64_t address_of(const void *ctx, int index)
{
	uint64_t address = 0;

	bpf_probe_read_kernel(&address, sizeof(address), ctx + 8 * index);
	return address;
}

/* A field of a kernel structure whose address is a number. */
#define read_field(to, structure, address, field)                                                                      \
	bpf_probe_read_kernel(to, sizeof(*(to)), (void *)(address) + bpf_core_field_offset(structure, field))

static __always_inline uint32_t set_of(uint64_t address)
{
	return (address >> 6) * 0x9e3779b97f4a7c15ull >> 32 & config.set_mask;
}

/*
 * The same for a pointer at hand, where there is room in a map value for it: what is read back from there is a number to
 * the verifier, and bpf_probe_read_kernel() is saved. The room must be of this CPU and of this program alone.
 */
static __always_inline uint64_t number_of(uint64_t *room, const void *pointer)
{
	*(const void *volatile *)room = pointer;
	return *(volatile uint64_t *)room;
}

/* The number in `config.layer` of a hidden disk. */
static __always_inline int hidden_layer_of(struct gendisk *disk)
{
	uint64_t name[LAYER_NAME / 8];

	bpf_probe_read_kernel(name, sizeof(name), &disk->disk_name);
	for (uint32_t i = 0; i < MAX_LAYERS && i < config.layers; i++) {
		const volatile uint64_t *wanted = (const volatile uint64_t *)config.layer[i].name;

		if (config.layer[i].flags & LAYER_HIDDEN && wanted[0] == name[0] && wanted[1] == name[1])
			return i;
	}
	return -1;
}

/* A flush, or a write with FUA, that began at `begun` has ended on that layer. */
static __always_inline void note_durable(uint32_t layer, uint64_t begun)
{
	if (layer_flags(layer) & LAYER_TOP && begun > durable_since)
		durable_since = begun;
}

/* What was waiting when the program was told the last time has reached the device before that. */
static __always_inline void count_reached(struct op_counts *counts, uint32_t bytes)
{
	uint64_t moment;

	if (!config.clocks)
		return;
	moment = told;
	if (counts->told != moment) {
		counts->reached_bytes += counts->waiting_bytes;
		counts->waiting_bytes = 0;
		counts->told = moment;
	}
	counts->waiting_bytes += bytes;
}

/* Whether what lies on the device of that number, a file or a file system, is on what is traced. */
static __always_inline bool is_on_layers(uint32_t device)
{
	for (uint32_t i = 0; i < MAX_LAYERS && i < config.files_on; i++)
		if (config.file_on[i] == device)
			return true;
	return !config.files_on;
}

/* The layer of a disk, or -1 for one that is none of ours. */
static __always_inline int layer_of(struct gendisk *disk)
{
	uint32_t number = disk_number(disk);

	if (!number)
		return -1;
	if (config.layer[0].number == number)
		return 0;
	for (uint32_t i = 1; i < MAX_LAYERS && i < config.layers; i++)
		if (config.layer[i].number == number)
			return i;
	return config.flags & LAYER_HIDDEN ? hidden_layer_of(disk) : -1;
}

#endif
