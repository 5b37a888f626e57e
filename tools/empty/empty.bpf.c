// SPDX-License-Identifier: GPL-2.0
/* Two programs that do nothing, on the tracepoints of D and C: what being called costs, for tools/cost to compare with. */
#include <linux/bpf.h>

#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

SEC("tp_btf/block_rq_issue")
int empty_issue(unsigned long long *ctx)
{
	return 0;
}

SEC("tp_btf/block_rq_complete")
int empty_complete(unsigned long long *ctx)
{
	return 0;
}

char LICENSE[] SEC("license") = "GPL";
