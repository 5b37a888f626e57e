// SPDX-License-Identifier: GPL-2.0
/*
 * Hops: what the kernel shows of the way between D and C of a SCSI command, and of Hyper-V's channel below it. The
 * tracepoints may be in modules, so they are attached by name and not by type: all that is read of their arguments is
 * an address.
 */
#include "hop.bpf.h"
#include "request.bpf.h"

/* What happened on this CPU. */
struct cpu_hops {
	uint64_t task;	      /* that handed a command over last, and has not signalled the host since; 0: none */
	uint64_t request;     /* of that command */
	uint64_t interrupted; /* when the host's interrupt came last, since the epoch */
};

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, uint32_t);
	__type(value, struct cpu_hops);
} cpu_hops SEC(".maps");

static __always_inline struct cpu_hops *this_cpu_hops(void)
{
	uint32_t key = 0;

	return bpf_map_lookup_elem(&cpu_hops, &key);
}

/* A command lies right behind its request (blk_mq_rq_from_pdu() in include/linux/blk-mq.h; since 5.15 there is no other
 * way from one to the other). */
static __always_inline uint64_t request_of_command(uint64_t command)
{
	return command - bpf_core_type_size(struct request);
}

/* Those of a request that is on its way, or NULL. */
static __always_inline struct request_hops *hops_on_way(uint64_t request)
{
	struct request_set *set = request_set_of(request);

	for (int i = 0; set && i < TABLE_WAYS; i++)
		if (set->way[i].request == request)
			return hops_of(request, i);
	return 0;
}

SEC("raw_tp/scsi_dispatch_cmd_start")
int on_scsi_start(struct bpf_raw_tracepoint_args *ctx)
{
	uint64_t request = request_of_command(ctx->args[0]);
	struct request_hops *hops = hops_on_way(request);
	struct cpu_hops *cpu = this_cpu_hops();

	if (!hops || !cpu)
		return 0;
	hops->handed = since_epoch();
	cpu->task = bpf_get_current_task();
	cpu->request = request;
	return 0;
}

SEC("raw_tp/scsi_dispatch_cmd_done")
int on_scsi_done(struct bpf_raw_tracepoint_args *ctx)
{
	struct request_hops *hops = hops_on_way(request_of_command(ctx->args[0]));
	struct cpu_hops *cpu = this_cpu_hops();

	if (!hops || !cpu || !hops->handed)
		return 0;
	hops->done = since_epoch();
	/* Of several channels: the interrupt that this CPU handles is the last that it got. */
	if (cpu->interrupted > hops->handed)
		hops->interrupted = cpu->interrupted;
	return 0;
}

/* The first signal that a thread gives after it has handed a command over is for that one. */
SEC("raw_tp/vmbus_setevent")
int on_vmbus_signal(struct bpf_raw_tracepoint_args *ctx)
{
	struct cpu_hops *cpu = this_cpu_hops();
	struct request_hops *hops;

	if (!cpu || !cpu->task || cpu->task != bpf_get_current_task())
		return 0;
	cpu->task = 0;
	hops = hops_on_way(cpu->request);
	if (hops && !hops->done)
		hops->kicked = since_epoch();
	return 0;
}

SEC("raw_tp/vmbus_chan_sched")
int on_vmbus_interrupt(struct bpf_raw_tracepoint_args *ctx)
{
	struct cpu_hops *cpu = this_cpu_hops();

	if (cpu)
		cpu->interrupted = since_epoch();
	return 0;
}

/* --- what request.bpf.c tells --- */

__noinline int hops_begin(uint64_t request, uint32_t way)
{
	struct request_hops *hops = hops_of(request, way);

	if (hops)
		*hops = (struct request_hops){};
	return 0;
}

/* Not inline, so that the verifier goes through the branches of a bucket once. */
__noinline int count_hop(uint64_t stamp, uint32_t hop, uint64_t from, uint64_t to)
{
	uint32_t key = (stamp_layer(stamp) * OPS + stamp_op(stamp)) * HOPS + hop;

	if (from && to >= from)
		add_to(bpf_map_lookup_elem(&hop_times, &key), to - from);
	return 0;
}

__noinline int hops_end(uint64_t request, uint32_t way, uint64_t stamp, uint64_t now)
{
	struct request_hops *hops = hops_of(request, way);

	if (!hops || !hops->done)
		return 0;
	count_hop(stamp, HOP_DISPATCH, stamp_time(stamp), hops->handed);
	count_hop(stamp, HOP_COMMAND, hops->handed, hops->done);
	count_hop(stamp, HOP_FINISH, hops->done, now);
	count_hop(stamp, HOP_KICK, hops->handed, hops->kicked);
	count_hop(stamp, HOP_INTERRUPT, hops->interrupted, hops->done);
	return 0;
}
