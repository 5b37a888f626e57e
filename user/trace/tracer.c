// SPDX-License-Identifier: GPL-2.0
#include "tracer.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/text.h"
#include "host/block.h"
#include "host/files.h"

#include "iostrata.skel.h"

#define MIN_SETS 4096u
#define MAX_SETS (1u << 18)

/* One disk whose requests are timed, and its kernel counters at the edges of the recording. */
struct leaf {
	char *name;
	bool counted; /* the kernel keeps statistics for it (queue/iostats) */
	bool quiet;   /* nothing was in flight at either edge */
	bool drained; /* nothing was in flight at some moment after the recording */
	struct block_stat before, after;
};

struct tracer {
	struct iostrata_bpf *skel;
	struct request_set *set; /* the table of requests, mapped */
	size_t sets;
	char *top;
	struct leaf *leaf;
	size_t leaves;
	int cpus; /* possible ones: per-CPU maps are sized by them */
	uint64_t startup;
	uint64_t started; /* of the recording */
	uint64_t misses_before;
};

/* libbpf is one level quieter than we are: what it calls a warning is a detail to our users. */
__attribute__((format(printf, 2, 0)))
static int print_libbpf(enum libbpf_print_level level, const char *format, va_list args)
{
	char *message = NULL;

	if (level == LIBBPF_DEBUG || vasprintf(&message, format, args) < 0)
		return 0;
	message[strcspn(message, "\n")] = '\0';
	log_detail("%s", message);
	free(message);
	return 0;
}

/* --- load --- */

static uint32_t kernel_number(dev_t device)
{
	return major(device) << 20 | minor(device);
}

/* Sets for an expected overflow of about 4e-8 per I/O: 32 times what is in flight, in sets of four. */
static uint32_t sets_for(uint64_t in_flight)
{
	uint32_t sets = MIN_SETS;

	while (sets < 32 * in_flight && sets < MAX_SETS)
		sets *= 2;
	return sets;
}

static int add_leaf(struct tracer *tracer, struct trace_config *config, const char *name)
{
	uint64_t iostats;
	struct leaf *leaf;
	dev_t device;
	int err = block_number(name, &device);

	if (err)
		return err;
	if (tracer->leaves == MAX_LEAVES)
		return -E2BIG;
	config->leaf[config->leaves++] = kernel_number(device);
	tracer->leaf = xreallocarray(tracer->leaf, tracer->leaves + 1, sizeof(*tracer->leaf));
	leaf = &tracer->leaf[tracer->leaves++];
	memset(leaf, 0, sizeof(*leaf));
	leaf->name = xstrdup(name);
	leaf->counted = !host_read_number(&iostats, "/sys/class/block/%s/queue/iostats", name) && iostats;
	return 0;
}

static int choose_devices(struct tracer *tracer, struct trace_config *config, const struct layer *layers, size_t count)
{
	dev_t device;
	int err;

	if (!count)
		return -ENODEV;
	tracer->top = block_disk(layers[0].name);
	err = block_number(tracer->top, &device);
	if (err)
		return err;
	config->top = kernel_number(device);
	for (size_t i = 0; i < count && !err; i++)
		if (layers[i].leaf && layers[i].has_requests)
			err = add_leaf(tracer, config, layers[i].name);
	return err ? err : tracer->leaves ? 0 : -ENODEV;
}

static int load(struct tracer *tracer, struct trace_config *config, uint64_t in_flight)
{
	struct iostrata_bpf *skel = tracer->skel;
	void *table;
	int err;

	tracer->sets = sets_for(in_flight);
	config->set_mask = tracer->sets - 1;
	config->epoch = clock_now();
	skel->rodata->config = *config;
	err = bpf_map__set_max_entries(skel->maps.requests, tracer->sets);
	if (!err)
		err = bpf_map__set_max_entries(skel->maps.ops, tracer->leaves * OPS);
	if (!err)
		err = iostrata_bpf__load(skel);
	if (err)
		return err;
	table = mmap(NULL, tracer->sets * sizeof(*tracer->set), PROT_READ | PROT_WRITE, MAP_SHARED,
		     bpf_map__fd(skel->maps.requests), 0);
	if (table == MAP_FAILED)
		return -errno;
	tracer->set = table;
	return iostrata_bpf__attach(skel);
}

int tracer_open(struct tracer **out, const struct layer *layers, size_t count, uint64_t in_flight)
{
	struct trace_config config = {0};
	struct tracer *tracer = xcalloc(1, sizeof(*tracer));
	uint64_t begin = clock_now();
	int err = choose_devices(tracer, &config, layers, count);

	if (!err) {
		libbpf_set_print(print_libbpf);
		tracer->cpus = libbpf_num_possible_cpus();
		tracer->skel = iostrata_bpf__open();
		err = tracer->cpus < 0 ? tracer->cpus : tracer->skel ? load(tracer, &config, in_flight) : -errno;
	}
	if (err) {
		tracer_close(tracer);
		return err;
	}
	tracer->startup = clock_now() - begin;
	*out = tracer;
	return 0;
}

void tracer_close(struct tracer *tracer)
{
	if (!tracer)
		return;
	if (tracer->set)
		munmap(tracer->set, tracer->sets * sizeof(*tracer->set));
	iostrata_bpf__destroy(tracer->skel);
	for (size_t i = 0; i < tracer->leaves; i++)
		free(tracer->leaf[i].name);
	free(tracer->leaf);
	free(tracer->top);
	free(tracer);
}

int tracer_mark(struct tracer *tracer, pid_t pid)
{
	int pidfd = syscall(SYS_pidfd_open, pid, 0), err;
	uint32_t mark = 1;

	if (pidfd < 0)
		return -errno;
	err = bpf_map_update_elem(bpf_map__fd(tracer->skel->maps.owners), &pidfd, &mark, BPF_ANY);
	close(pidfd);
	return err < 0 ? -errno : 0;
}

/* --- edges --- */

/* Whether nothing is in flight and nothing ended between two readings. */
static bool is_quiet(const struct block_stat *a, const struct block_stat *b)
{
	return !a->in_flight && !b->in_flight && !memcmp(a->group, b->group, sizeof(a->group));
}

static void read_stats(struct tracer *tracer, bool after)
{
	for (size_t i = 0; i < tracer->leaves; i++) {
		struct leaf *leaf = &tracer->leaf[i];

		if (leaf->counted && block_read_stat(leaf->name, after ? &leaf->after : &leaf->before))
			leaf->counted = false;
	}
}

static bool anything_in_flight(struct tracer *tracer)
{
	for (size_t i = 0; i < tracer->leaves; i++) {
		struct block_stat stat;

		if (!block_read_stat(tracer->leaf[i].name, &stat) && stat.in_flight)
			return true;
	}
	return false;
}

/* Switches recording on or off between two readings of the kernel's counters, which shows whether the edge was quiet. */
static bool switch_recording(struct tracer *tracer, bool on)
{
	struct block_stat *first = xcalloc(tracer->leaves, sizeof(*first));
	bool quiet = true;

	for (size_t i = 0; i < tracer->leaves; i++)
		block_read_stat(tracer->leaf[i].name, &first[i]);
	__atomic_store_n(&tracer->skel->bss->recording, on, __ATOMIC_SEQ_CST);
	read_stats(tracer, !on);
	for (size_t i = 0; i < tracer->leaves; i++) {
		struct leaf *leaf = &tracer->leaf[i];
		bool leaf_quiet = is_quiet(&first[i], on ? &leaf->before : &leaf->after);

		leaf->quiet = leaf_quiet && (on || leaf->quiet);
		quiet &= leaf_quiet;
	}
	free(first);
	return quiet;
}

static uint64_t program_misses(struct tracer *tracer)
{
	struct bpf_program *program;
	uint64_t misses = 0;

	bpf_object__for_each_program(program, tracer->skel->obj) {
		struct bpf_prog_info info = {0};
		uint32_t length = sizeof(info);

		if (!bpf_obj_get_info_by_fd(bpf_program__fd(program), &info, &length))
			misses += info.recursion_misses;
	}
	return misses;
}

/* --- record --- */

static size_t percpu_stride(size_t value_size)
{
	return (value_size + 7) / 8 * 8;
}

static void clear_percpu(struct tracer *tracer, struct bpf_map *map)
{
	void *zeros = xcalloc(tracer->cpus, percpu_stride(bpf_map__value_size(map)));

	for (uint32_t key = 0; key < bpf_map__max_entries(map); key++)
		bpf_map_update_elem(bpf_map__fd(map), &key, zeros, BPF_ANY);
	free(zeros);
}

static void clear(struct tracer *tracer)
{
	clear_percpu(tracer, tracer->skel->maps.ops);
	clear_percpu(tracer, tracer->skel->maps.bios);
	memset(tracer->set, 0, tracer->sets * sizeof(*tracer->set));
}

void tracer_start(struct tracer *tracer)
{
	tracer->misses_before = program_misses(tracer);
	for (int attempt = 0; attempt < 20; attempt++) {
		clear(tracer);
		tracer->started = clock_now();
		if (switch_recording(tracer, true) || attempt == 19)
			return;
		__atomic_store_n(&tracer->skel->bss->recording, 0, __ATOMIC_SEQ_CST);
		clock_sleep(5 * NS_PER_MS);
	}
}

/* --- collect --- */

static struct op_view *view_of(struct leaf_view *view, uint32_t op)
{
	if (!view->op[op])
		view->op[op] = xcalloc(1, sizeof(*view->op[op]));
	return view->op[op];
}

static void add_counts(struct op_view *view, const struct op_counts *counts)
{
	view->issues += counts->issues;
	view->issued_bytes += counts->issued_bytes;
	view->requeues += counts->requeues;
	view->requeued_bytes += counts->requeued_bytes;
	view->completions += counts->completions;
	view->completed_bytes += counts->completed_bytes;
	view->partial += counts->partial;
	view->errors += counts->errors;
	view->unissued += counts->unissued;
	view->flush_ends += counts->flush_ends;
	for (int loss = 0; loss < LOSSES; loss++)
		view->loss[loss] += counts->loss[loss];
	view->faults += counts->faults;
	view->faults_found += counts->faults_found;
	for (int stage = 0; stage < STAGES; stage++) {
		struct hist *hist = &view->stage[stage];

		hist->sum += counts->stage_sum[stage];
		if (counts->stage_max[stage] > hist->max)
			hist->max = counts->stage_max[stage];
		for (uint32_t i = 0; i < HIST_BUCKETS; i++) {
			hist->bucket[i] += counts->stage_bucket[stage][i];
			hist->count += counts->stage_bucket[stage][i];
		}
	}
}

static bool saw_something(const struct op_counts *counts)
{
	return counts->issues || counts->completions || counts->unissued || counts->flush_ends ||
	       counts->loss[LOSS_UNSEEN];
}

static void collect_ops(struct tracer *tracer, struct trace_view *view)
{
	struct bpf_map *map = tracer->skel->maps.ops;
	size_t stride = percpu_stride(sizeof(struct op_counts));
	char *values = xcalloc(tracer->cpus, stride);

	for (uint32_t key = 0; key < tracer->leaves * OPS; key++) {
		if (bpf_map_lookup_elem(bpf_map__fd(map), &key, values))
			continue;
		for (int cpu = 0; cpu < tracer->cpus; cpu++) {
			const struct op_counts *counts = (const void *)(values + cpu * stride);

			if (saw_something(counts))
				add_counts(view_of(&view->leaf[key / OPS], key % OPS), counts);
		}
	}
	free(values);
}

static void collect_bios(struct tracer *tracer, struct trace_view *view)
{
	struct bio_counts *values = xcalloc(tracer->cpus, sizeof(*values));

	for (uint32_t key = 0; key < OWNERS * OPS; key++) {
		struct bio_counts *sum = &view->queued[key / OPS][key % OPS];

		if (bpf_map_lookup_elem(bpf_map__fd(tracer->skel->maps.bios), &key, values))
			continue;
		for (int cpu = 0; cpu < tracer->cpus; cpu++) {
			sum->bios += values[cpu].bios;
			sum->bytes += values[cpu].bytes;
		}
	}
	free(values);
}

/*
 * What is left in the table after the drain. Where the device had a moment without anything in flight, the request has
 * ended and its completion was not seen; otherwise it may still be on its way.
 */
static void collect_table(struct tracer *tracer, struct trace_view *view)
{
	for (size_t i = 0; i < tracer->sets * TABLE_WAYS; i++) {
		struct request_slot slot = tracer->set[i / TABLE_WAYS].way[i % TABLE_WAYS];
		uint32_t leaf = slot_leaf(slot.issued);
		struct op_view *op;

		if (!slot.request || leaf >= tracer->leaves || slot_op(slot.issued) >= OPS)
			continue;
		op = view_of(&view->leaf[leaf], slot_op(slot.issued));
		if (!tracer->leaf[leaf].drained && !(slot.issued & SLOT_FAULTED)) {
			op->in_flight_at_end++;
			continue;
		}
		op->loss[LOSS_UNSEEN]++;
		op->faults_found += slot.issued & SLOT_FAULTED;
	}
}

static void collect_stats(struct leaf *leaf, struct leaf_view *view)
{
	struct block_stat delta = block_stat_between(&leaf->before, &leaf->after);

	view->device = xstrdup(leaf->name);
	view->has_stat = leaf->counted && leaf->quiet;
	if (view->has_stat)
		memcpy(view->stat, delta.group, sizeof(view->stat));
}

static bool table_is_empty(struct tracer *tracer)
{
	for (size_t i = 0; i < tracer->sets * TABLE_WAYS; i++)
		if (__atomic_load_n(&tracer->set[i / TABLE_WAYS].way[i % TABLE_WAYS].request, __ATOMIC_RELAXED))
			return false;
	return true;
}

/* Whether every leaf had its moment without I/O. Once nothing is recorded any more, that empties its part of the table. */
static bool all_drained(struct tracer *tracer)
{
	bool all = true;

	for (size_t i = 0; i < tracer->leaves; i++) {
		struct leaf *leaf = &tracer->leaf[i];
		struct block_stat stat;

		if (!leaf->drained)
			leaf->drained = leaf->counted && !block_read_stat(leaf->name, &stat) && !stat.in_flight;
		all &= leaf->drained;
	}
	return all;
}

static void drain(struct tracer *tracer)
{
	for (size_t i = 0; i < tracer->leaves; i++)
		tracer->leaf[i].drained = false;
	for (int attempt = 0; attempt < 200 && !all_drained(tracer) && !table_is_empty(tracer); attempt++)
		clock_sleep(10 * NS_PER_MS);
}

struct trace_view *tracer_stop(struct tracer *tracer)
{
	struct trace_view *view = xcalloc(1, sizeof(*view));

	for (int attempt = 0; attempt < 20 && anything_in_flight(tracer); attempt++)
		clock_sleep(5 * NS_PER_MS);
	switch_recording(tracer, false);
	view->recorded = clock_now() - tracer->started;
	drain(tracer);

	view->top = xstrdup(tracer->top);
	view->leaves = tracer->leaves;
	view->leaf = xcalloc(tracer->leaves, sizeof(*view->leaf));
	for (size_t i = 0; i < tracer->leaves; i++)
		collect_stats(&tracer->leaf[i], &view->leaf[i]);
	collect_ops(tracer, view);
	collect_bios(tracer, view);
	collect_table(tracer, view);
	view->program_misses = program_misses(tracer) - tracer->misses_before;
	return view;
}

static uint64_t map_memory(const struct bpf_map *map, int cpus)
{
	uint64_t copies = bpf_map__type(map) == BPF_MAP_TYPE_PERCPU_ARRAY ? cpus : 1;

	return copies * percpu_stride(bpf_map__value_size(map)) * bpf_map__max_entries(map);
}

void tracer_observe(const struct tracer *tracer, struct observer *observer)
{
	struct bpf_map *map;

	observer->startup = tracer->startup;
	observer->map_bytes = 0;
	bpf_object__for_each_map(map, tracer->skel->obj)
		observer->map_bytes += map_memory(map, tracer->cpus);
}
