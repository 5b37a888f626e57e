// SPDX-License-Identifier: GPL-2.0
/* The same on every system call's entry and exit, for tests/vm: what these cost a program that nobody looks at. */
#include <linux/bpf.h>

#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

SEC("tp_btf/sys_enter")
int empty_enter(unsigned long long *ctx)
{
	return 0;
}

SEC("tp_btf/sys_exit")
int empty_exit(unsigned long long *ctx)
{
	return 0;
}

char LICENSE[] SEC("license") = "GPL";
