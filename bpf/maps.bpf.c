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
	add_to_stage(layer, op, stage, elapsed);
	return 0;
}

char LICENSE[] SEC("license") = "GPL";
