/* SPDX-License-Identifier: GPL-2.0 */
/* Per-CPU maps, as the kernel hands them out. Private to trace/. */
#ifndef TRACE_PERCPU_H
#define TRACE_PERCPU_H

#include <stddef.h>
#include <stdint.h>

struct bpf_map;

/* Bytes between two CPUs' values. */
size_t percpu_stride(size_t value_size);

/* Hands the values of `key` of all CPUs to `take`, one after the other. */
void percpu_each(const struct bpf_map *map, int cpus, uint32_t key, void (*take)(void *context, const void *value),
		 void *context);

/* Adds the values of `key` of all CPUs to `sum`, where a value is nothing but counters of 64 bits. */
void percpu_add(const struct bpf_map *map, int cpus, uint32_t key, void *sum);

/* Sets all values of all keys to zero. */
void percpu_clear(const struct bpf_map *map, int cpus);

#endif
