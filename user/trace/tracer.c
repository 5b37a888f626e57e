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

#include "collect.h"

#define MIN_SETS 4096u
#define MAX_SETS (1u << 18)

/* libbpf is one level quieter than we are: what it calls a warning is a detail to our users. */
__attribute__((format(printf, 2, 0))) static int print_libbpf(enum libbpf_print_level level, const char *format,
							      va_list args)
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

static uint32_t flags_of(const struct layer *layer)
{
	uint32_t flags = layer->has_requests ? LAYER_REQUESTS : LAYER_BIOS;

	return layer->parent_disk ? flags | LAYER_PARTITION : flags;
}

/* A path of NVMe multipath has no number, and its bios come through the queue of the head. */
static int hide(struct trace_config *config, struct trace_layer *entry, const char *name)
{
	for (uint32_t i = 0; i < config->layers; i++) {
		if (!block_is_path_of(name, config->layer[i].name))
			continue;
		entry->flags |= LAYER_HIDDEN;
		entry->queued_on = i;
		return 0;
	}
	return -ENODEV;
}

static int add_layer(struct tracer *tracer, struct trace_config *config, const struct layer *layer)
{
	struct trace_layer *entry = &config->layer[config->layers];
	struct traced_layer *traced;
	uint64_t iostats;
	dev_t device;
	int err;

	if (config->layers == MAX_LAYERS)
		return -E2BIG;
	snprintf(entry->name, sizeof(entry->name), "%s", layer->name);
	entry->flags = flags_of(layer);
	entry->queued_on = config->layers;
	err = block_number(layer->name, &device);
	if (!err)
		entry->number = kernel_number(device);
	else if (hide(config, entry, layer->name))
		return err;
	config->flags |= entry->flags;
	config->layers++;

	tracer->layer = xreallocarray(tracer->layer, tracer->layers + 1, sizeof(*tracer->layer));
	traced = &tracer->layer[tracer->layers++];
	*traced = (struct traced_layer){.name = xstrdup(layer->name), .leaf = layer->leaf, .flags = entry->flags};
	/* What is bio-based counts by itself, and zram does so without setting this. */
	traced->counted = entry->flags & LAYER_BIOS ||
			  (!host_read_number(&iostats, "/sys/class/block/%s/queue/iostats",
					     layer->parent_disk ? layer->parent_disk : layer->name) &&
			   iostats);
	return 0;
}

static int number_of_disk(const char *name, uint32_t *number)
{
	dev_t device;
	int err = block_number(name, &device);

	if (!err)
		*number = kernel_number(device);
	return err;
}

/*
 * All layers but partitions further down (of md's members, say): those have no I/O of their own that their disk's layer
 * does not show.
 */
static int choose_layers(struct tracer *tracer, struct trace_config *config, const struct trace_wish *wish)
{
	int err = 0;

	if (!wish->layers)
		return -ENODEV;
	tracer->top = block_disk(wish->layer[0].name);
	err = number_of_disk(tracer->top, &config->top);
	for (size_t i = 0; i < wish->layers && !err; i++)
		if (!i || !wish->layer[i].parent_disk)
			err = add_layer(tracer, config, &wish->layer[i]);
	for (size_t i = 1; i < config->layers; i++)
		if (config->layer[i].number == config->top)
			config->layer[0].disk = i;
	return err;
}

/* The kernel's address of a symbol, or 0 where symbols are hidden (kernel.kptr_restrict) or it is not there. */
static uint64_t kernel_address(const char *symbol)
{
	char *path = host_path("/proc/kallsyms"), line[512], name[256];
	FILE *file = fopen(path, "re");
	unsigned long long address = 0, found = 0;

	free(path);
	while (file && !found && fgets(line, sizeof(line), file))
		if (sscanf(line, "%llx %*c %255s", &address, name) == 2 && !strcmp(name, symbol))
			found = address;
	if (file)
		fclose(file);
	return found;
}

/* A program that nothing is asked of would cost every I/O something all the same. */
static void choose_programs(struct tracer *tracer)
{
	struct iostrata_bpf *skel = tracer->skel;

	bpf_program__set_autoload(skel->progs.on_queue, tracer->queue);
	bpf_program__set_autoload(skel->progs.on_bio_complete, tracer->queue);
	bpf_program__set_autoload(skel->progs.on_fork, tracer->queue);
}

static int size_maps(struct tracer *tracer)
{
	struct iostrata_bpf *skel = tracer->skel;
	int err = bpf_map__set_max_entries(skel->maps.requests, tracer->sets);

	if (!err)
		err = bpf_map__set_max_entries(skel->maps.bio_sets, tracer->sets);
	if (!err)
		err = bpf_map__set_max_entries(skel->maps.ops, tracer->layers * OPS);
	if (!err)
		err = bpf_map__set_max_entries(skel->maps.stages, tracer->layers * OPS * STAGES);
	return err;
}

static void *map_table(const struct bpf_map *map, size_t bytes)
{
	void *table = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, bpf_map__fd(map), 0);

	return table == MAP_FAILED ? NULL : table;
}

static int load(struct tracer *tracer, struct trace_config *config, const struct trace_wish *wish)
{
	struct iostrata_bpf *skel = tracer->skel;
	int err;

	tracer->sets = sets_for(wish->in_flight);
	/* A bio-based layer has nothing but its bios to be timed by. */
	tracer->queue = wish->queue || config->flags & LAYER_BIOS;
	config->set_mask = tracer->sets - 1;
	config->queue = tracer->queue;
	config->epoch = clock_now();
	config->chain_end = tracer->queue ? kernel_address("bio_chain_endio") : 0;
	skel->rodata->config = *config;
	choose_programs(tracer);
	err = size_maps(tracer);
	if (!err)
		err = iostrata_bpf__load(skel);
	if (err)
		return err;
	tracer->request_set = map_table(skel->maps.requests, tracer->sets * sizeof(*tracer->request_set));
	tracer->bio_set = map_table(skel->maps.bio_sets, tracer->sets * sizeof(*tracer->bio_set));
	if (!tracer->request_set || !tracer->bio_set)
		return -errno;
	collect_open(tracer);
	return iostrata_bpf__attach(skel);
}

int tracer_open(struct tracer **out, const struct trace_wish *wish)
{
	struct trace_config config = {0};
	struct tracer *tracer = xcalloc(1, sizeof(*tracer));
	uint64_t begin = clock_now();
	int err = choose_layers(tracer, &config, wish);

	if (!err) {
		libbpf_set_print(print_libbpf);
		tracer->cpus = libbpf_num_possible_cpus();
		tracer->skel = iostrata_bpf__open();
		err = tracer->cpus < 0 ? tracer->cpus : tracer->skel ? load(tracer, &config, wish) : -errno;
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
	if (tracer->request_set)
		munmap(tracer->request_set, tracer->sets * sizeof(*tracer->request_set));
	if (tracer->bio_set)
		munmap(tracer->bio_set, tracer->sets * sizeof(*tracer->bio_set));
	iostrata_bpf__destroy(tracer->skel);
	collect_close(tracer);
	for (size_t i = 0; i < tracer->layers; i++)
		free(tracer->layer[i].name);
	free(tracer->layer);
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
	for (size_t i = 0; i < tracer->layers; i++) {
		struct traced_layer *layer = &tracer->layer[i];

		if (layer->counted && block_read_stat(layer->name, after ? &layer->after : &layer->before))
			layer->counted = false;
	}
}

static bool anything_in_flight(struct tracer *tracer)
{
	for (size_t i = 0; i < tracer->layers; i++) {
		struct block_stat stat;

		if (!block_read_stat(tracer->layer[i].name, &stat) && stat.in_flight)
			return true;
	}
	return false;
}

/* Switches recording on or off between two readings of the kernel's counters, which shows whether the edge was quiet.
 */
static bool switch_recording(struct tracer *tracer, bool on)
{
	struct block_stat *first = xcalloc(tracer->layers, sizeof(*first));
	bool quiet = true;

	for (size_t i = 0; i < tracer->layers; i++)
		block_read_stat(tracer->layer[i].name, &first[i]);
	__atomic_store_n(&tracer->skel->bss->recording, on, __ATOMIC_SEQ_CST);
	read_stats(tracer, !on);
	for (size_t i = 0; i < tracer->layers; i++) {
		struct traced_layer *layer = &tracer->layer[i];
		bool layer_quiet = is_quiet(&first[i], on ? &layer->before : &layer->after);

		layer->quiet = layer_quiet && (on || layer->quiet);
		quiet &= layer_quiet;
	}
	free(first);
	return quiet;
}

static uint64_t program_misses(struct tracer *tracer)
{
	struct bpf_program *program;
	uint64_t misses = 0;

	bpf_object__for_each_program(program, tracer->skel->obj)
	{
		struct bpf_prog_info info = {0};
		uint32_t length = sizeof(info);

		if (!bpf_obj_get_info_by_fd(bpf_program__fd(program), &info, &length))
			misses += info.recursion_misses;
	}
	return misses;
}

/* --- record --- */

static void clear_percpu(struct tracer *tracer, struct bpf_map *map)
{
	void *zeros = xcalloc(tracer->cpus, collect_stride(bpf_map__value_size(map)));

	for (uint32_t key = 0; key < bpf_map__max_entries(map); key++)
		bpf_map_update_elem(bpf_map__fd(map), &key, zeros, BPF_ANY);
	free(zeros);
}

static void clear(struct tracer *tracer)
{
	clear_percpu(tracer, tracer->skel->maps.ops);
	clear_percpu(tracer, tracer->skel->maps.stages);
	clear_percpu(tracer, tracer->skel->maps.bios);
	memset(tracer->request_set, 0, tracer->sets * sizeof(*tracer->request_set));
	memset(tracer->bio_set, 0, tracer->sets * sizeof(*tracer->bio_set));
	collect_clear(tracer);
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

void tracer_read(struct tracer *tracer)
{
	collect_stages(tracer);
}

static bool tables_are_empty(struct tracer *tracer)
{
	for (size_t i = 0; i < tracer->sets * TABLE_WAYS; i++)
		if (__atomic_load_n(&tracer->request_set[i / TABLE_WAYS].way[i % TABLE_WAYS].request,
				    __ATOMIC_RELAXED) ||
		    __atomic_load_n(&tracer->bio_set[i / TABLE_WAYS].way[i % TABLE_WAYS].bio, __ATOMIC_RELAXED))
			return false;
	return true;
}

/* Whether every layer had its moment without I/O. Once nothing is recorded any more, that empties its part of the
 * tables. */
static bool all_drained(struct tracer *tracer)
{
	bool all = true;

	for (size_t i = 0; i < tracer->layers; i++) {
		struct traced_layer *layer = &tracer->layer[i];
		struct block_stat stat;

		if (!layer->drained)
			layer->drained = layer->counted && !block_read_stat(layer->name, &stat) && !stat.in_flight;
		all &= layer->drained;
	}
	return all;
}

static void drain(struct tracer *tracer)
{
	for (size_t i = 0; i < tracer->layers; i++)
		tracer->layer[i].drained = false;
	for (int attempt = 0; attempt < 200 && !all_drained(tracer) && !tables_are_empty(tracer); attempt++)
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
	view->top = tracer->queue ? xstrdup(tracer->top) : NULL;
	collect_view(tracer, view);
	view->program_misses = program_misses(tracer) - tracer->misses_before;
	return view;
}

static uint64_t map_memory(const struct bpf_map *map, int cpus)
{
	uint64_t copies = bpf_map__type(map) == BPF_MAP_TYPE_PERCPU_ARRAY ? cpus : 1;

	return copies * collect_stride(bpf_map__value_size(map)) * bpf_map__max_entries(map);
}

void tracer_observe(const struct tracer *tracer, struct observer *observer)
{
	struct bpf_map *map;

	observer->startup = tracer->startup;
	observer->map_bytes = 0;
	bpf_object__for_each_map(map, tracer->skel->obj) observer->map_bytes += map_memory(map, tracer->cpus);
}
