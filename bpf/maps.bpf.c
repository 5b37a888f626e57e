// SPDX-License-Identifier: GPL-2.0
/* What several programs use; trace.bpf.h and io.bpf.h say what each is. */
#include "hop.bpf.h"
#include "io.bpf.h"
#include "request.bpf.h"
#include "task.bpf.h"
#include "trace.bpf.h"

const volatile struct trace_config config = {.set_mask = 1};
volatile uint32_t recording = 0;
volatile uint64_t target_inode = 0;
volatile uint64_t interval = 0;
volatile uint32_t strange_bios = 0;
volatile uint64_t told = 0;
volatile uint64_t target_client = 0;
volatile uint64_t stack_size = 0;
volatile uint64_t durable_since = 0;

struct task_map tasks SEC(".maps");
struct op_map ops SEC(".maps");
struct stage_map stages SEC(".maps");
struct request_table requests SEC(".maps");
struct hop_table hop_sets SEC(".maps");
struct hop_map hop_times SEC(".maps");
struct bio_table bio_sets SEC(".maps");
struct io_table io_sets SEC(".maps");
struct io_op_map io_ops SEC(".maps");
struct cpu_map cpus SEC(".maps");

struct inode_map own_inodes SEC(".maps");

__noinline int count_stage(uint32_t layer, uint32_t op, uint32_t stage, uint64_t elapsed)
{
	add_to_stage(layer, op, stage, elapsed);
	return 0;
}

char LICENSE[] SEC("license") = "GPL";
