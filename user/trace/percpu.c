// SPDX-License-Identifier: GPL-2.0
#include "percpu.h"

#include <stdlib.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "base/text.h"

size_t percpu_stride(size_t value_size)
{
	return (value_size + 7) / 8 * 8;
}

void percpu_each(const struct bpf_map *map, int cpus, uint32_t key, void (*take)(void *context, const void *value),
		 void *context)
{
	size_t stride = percpu_stride(bpf_map__value_size(map));
	char *values = xcalloc(cpus, stride);

	if (!bpf_map_lookup_elem(bpf_map__fd(map), &key, values))
		for (int cpu = 0; cpu < cpus; cpu++)
			take(context, values + cpu * stride);
	free(values);
}

struct counters {
	uint64_t *sum;
	size_t count;
};

static void add_counters(void *context, const void *value)
{
	const struct counters *counters = context;
	const uint64_t *counter = value;

	for (size_t i = 0; i < counters->count; i++)
		counters->sum[i] += counter[i];
}

void percpu_add(const struct bpf_map *map, int cpus, uint32_t key, void *sum)
{
	struct counters counters = {sum, bpf_map__value_size(map) / sizeof(uint64_t)};

	percpu_each(map, cpus, key, add_counters, &counters);
}

void percpu_clear(const struct bpf_map *map, int cpus)
{
	void *zeros = xcalloc(cpus, percpu_stride(bpf_map__value_size(map)));

	for (uint32_t key = 0; key < bpf_map__max_entries(map); key++)
		bpf_map_update_elem(bpf_map__fd(map), &key, zeros, BPF_ANY);
	free(zeros);
}
