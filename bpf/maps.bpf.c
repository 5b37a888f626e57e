// SPDX-License-Identifier: GPL-2.0
/* What several programs use; trace.bpf.h says what each is. */
#include "trace.bpf.h"

const volatile struct trace_config config = {.set_mask = 1};
volatile uint32_t recording = 0;

struct owner_map owners SEC(".maps");
struct op_map ops SEC(".maps");
struct stage_map stages SEC(".maps");
struct bio_table bio_sets SEC(".maps");

__noinline int count_stage(uint32_t layer, uint32_t op, uint32_t stage, uint64_t elapsed)
{
	uint32_t key = (layer * OPS + op) * STAGES + stage, bucket = hist_bucket(elapsed);
	struct stage_counts *counts = bpf_map_lookup_elem(&stages, &key);

	if (!counts || bucket >= HIST_BUCKETS)
		return 0;
	counts->sum += elapsed;
	if (elapsed > counts->max)
		counts->max = elapsed;
	counts->bucket[bucket]++;
	return 0;
}

char LICENSE[] SEC("license") = "GPL";
