// SPDX-License-Identifier: GPL-2.0
#include "maps.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "base/text.h"

#include "percpu.h"

/*
 * Sets of four, for an expected overflow of about 4e-8 for each request and 6e-7 for each I/O: those are larger, and
 * are split into several requests, which `in_flight` counts.
 */
#define SETS_PER_REQUEST 32
#define SETS_PER_IO	 16

#define MIN_SETS    4096u
#define MAX_SETS    (1u << 18)
#define MIN_IO_SETS 1024u
#define MAX_IO_SETS (1u << 16)

/* The next power of two from `wanted` on, within the limits. */
static uint32_t sets_for(uint64_t wanted, uint32_t least, uint32_t most)
{
	uint32_t sets = least;

	while (sets < wanted && sets < most)
		sets *= 2;
	return sets;
}

#ifdef IOSTRATA_FAULT
/* Tables that are too small on purpose, to see that what finds no room in them is named. 0: as many as are needed. */
static uint32_t forced_sets(void)
{
	const char *text = getenv("IOSTRATA_TABLE_SETS");
	unsigned long sets = text ? strtoul(text, NULL, 10) : 0;

	return sets ? sets_for(sets, 1, MAX_SETS) : 0;
}
#else
static uint32_t forced_sets(void)
{
	return 0;
}
#endif

void maps_plan(struct tracer *tracer, struct trace_config *config, uint64_t in_flight)
{
	uint32_t forced = forced_sets();

	tracer->sets = forced ? forced : sets_for(SETS_PER_REQUEST * in_flight, MIN_SETS, MAX_SETS);
	tracer->io_sets = 1;
	if (tracer->ios)
		tracer->io_sets = forced ? forced : sets_for(SETS_PER_IO * in_flight, MIN_IO_SETS, MAX_IO_SETS);
	tracer->remote_sets = config->remote ? tracer->io_sets : 1;
	config->set_mask = tracer->sets - 1;
	config->io_set_mask = tracer->io_sets - 1;
	config->remote_set_mask = tracer->remote_sets - 1;
}

static uint32_t at_least_one(size_t entries)
{
	return entries ? entries : 1;
}

int maps_size(struct tracer *tracer)
{
	struct iostrata_bpf *skel = tracer->skel;
	const struct {
		struct bpf_map *map;
		uint32_t entries;
	} sized[] = {
		{skel->maps.requests, tracer->sets},
		{skel->maps.hop_sets, tracer->hops ? tracer->sets : 1},
		{skel->maps.hop_times, tracer->hops ? tracer->layers * OPS * HOPS : 1},
		{skel->maps.bio_sets, tracer->sets},
		{skel->maps.io_sets, tracer->io_sets},
		{skel->maps.ops, at_least_one(tracer->layers * OPS)},
		{skel->maps.stages, at_least_one(tracer->layers * OPS * STAGES)},
		{skel->maps.slowest, at_least_one(tracer->slowest)},
		{skel->maps.slow_log, at_least_one(tracer->slow_records)},
		/* These are whole in the object; a value for each possible CPU is much where nothing is asked of them.
		 */
		{skel->maps.io_stages, tracer->ios ? IO_OPS * IO_STAGES : 1},
		{skel->maps.io_rows, tracer->ios ? IO_OPS * 2 : 1},
		{skel->maps.call_times, tracer->ios ? CALLS : 1},
		{skel->maps.remote_sets, tracer->remote_sets},
		{skel->maps.remote_ops, tracer->remote_sets > 1 ? REMOTE_ROWS : 1},
		{skel->maps.remote_times, tracer->remote_sets > 1 ? REMOTE_ROWS : 1},
	};
	int err = 0;

	for (size_t i = 0; i < ARRAY_SIZE(sized) && !err; i++)
		err = bpf_map__set_max_entries(sized[i].map, sized[i].entries);
	return err;
}

static void *map_table(const struct bpf_map *map)
{
	size_t bytes = (size_t)bpf_map__value_size(map) * bpf_map__max_entries(map);
	void *table = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, bpf_map__fd(map), 0);

	return table == MAP_FAILED ? NULL : table;
}

int maps_map(struct tracer *tracer)
{
	tracer->request_set = map_table(tracer->skel->maps.requests);
	if (tracer->request_set)
		tracer->bio_set = map_table(tracer->skel->maps.bio_sets);
	if (tracer->bio_set)
		tracer->io_set = map_table(tracer->skel->maps.io_sets);
	if (tracer->io_set)
		tracer->remote_set = map_table(tracer->skel->maps.remote_sets);
	return tracer->remote_set ? 0 : -errno;
}

static void unmap_table(void *table, size_t bytes)
{
	if (table)
		munmap(table, bytes);
}

void maps_unmap(struct tracer *tracer)
{
	unmap_table(tracer->request_set, tracer->sets * sizeof(*tracer->request_set));
	unmap_table(tracer->bio_set, tracer->sets * sizeof(*tracer->bio_set));
	unmap_table(tracer->io_set, tracer->io_sets * sizeof(*tracer->io_set));
	unmap_table(tracer->remote_set, tracer->remote_sets * sizeof(*tracer->remote_set));
	tracer->request_set = NULL;
	tracer->bio_set = NULL;
	tracer->io_set = NULL;
	tracer->remote_set = NULL;
}

static void clear_array(const struct bpf_map *map)
{
	void *zeros = xcalloc(1, bpf_map__value_size(map));

	for (uint32_t key = 0; key < bpf_map__max_entries(map); key++)
		bpf_map_update_elem(bpf_map__fd(map), &key, zeros, BPF_ANY);
	free(zeros);
}

/* The tables first: what still ends while nothing is recorded is counted if it is found there. */
void maps_clear(struct tracer *tracer)
{
	struct bpf_map *map;

	memset(tracer->request_set, 0, tracer->sets * sizeof(*tracer->request_set));
	memset(tracer->bio_set, 0, tracer->sets * sizeof(*tracer->bio_set));
	memset(tracer->io_set, 0, tracer->io_sets * sizeof(*tracer->io_set));
	memset(tracer->remote_set, 0, tracer->remote_sets * sizeof(*tracer->remote_set));
	bpf_object__for_each_map(map, tracer->skel->obj)
	{
		if (bpf_map__type(map) == BPF_MAP_TYPE_PERCPU_ARRAY)
			percpu_clear(map, tracer->cpus);
	}
	clear_array(tracer->skel->maps.clocks);
	clear_array(tracer->skel->maps.flights);
}

/* Hash maps keep the key with the value; what the kernel adds to that for each entry is not counted. */
static uint64_t bytes_of(const struct bpf_map *map, int cpus)
{
	uint64_t value = percpu_stride(bpf_map__value_size(map));

	switch (bpf_map__type(map)) {
	case BPF_MAP_TYPE_PERCPU_ARRAY:
		return cpus * value * bpf_map__max_entries(map);
	case BPF_MAP_TYPE_HASH:
	case BPF_MAP_TYPE_LRU_HASH:
		return (percpu_stride(bpf_map__key_size(map)) + value) * bpf_map__max_entries(map);
	case BPF_MAP_TYPE_ARRAY:
		return value * bpf_map__max_entries(map);
	default:
		return 0; /* task storage grows with the tasks */
	}
}

uint64_t maps_memory(const struct tracer *tracer)
{
	const struct bpf_map *map;
	uint64_t bytes = 0;

	bpf_object__for_each_map(map, tracer->skel->obj) bytes += bytes_of(map, tracer->cpus);
	return bytes;
}
