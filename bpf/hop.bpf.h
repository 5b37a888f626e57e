/* SPDX-License-Identifier: GPL-2.0 */
/* The way of a request between D and C, where its layer shows it; hop.bpf.c. */
#ifndef BPF_HOP_H
#define BPF_HOP_H

#include "trace.bpf.h"

/* Sized by user space: as many as there are sets of requests, or one where nothing is followed. */
struct hop_table {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, uint32_t);
	__type(value, struct hop_set);
};
extern struct hop_table hop_sets SEC(".maps");

/* Indexed (layer * OPS + op) * HOPS + hop. */
struct hop_map {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, uint32_t);
	__type(value, struct stage_counts);
};
extern struct hop_map hop_times SEC(".maps");

static __always_inline struct request_hops *hops_of(uint64_t request, uint32_t way)
{
	uint32_t key = set_of(request);
	struct hop_set *set = bpf_map_lookup_elem(&hop_sets, &key);

	return set ? &set->way[way & (TABLE_WAYS - 1)] : 0;
}

/* A request has got its slot: the way that was gone in it was another's. */
int hops_begin(uint64_t request, uint32_t way);

/* What is known of the request that was issued at `issued` and is complete at `now` goes to its layer's histograms. */
int hops_end(uint64_t request, uint32_t way, uint64_t stamp, uint64_t now);

#endif
