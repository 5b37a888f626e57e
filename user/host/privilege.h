/* SPDX-License-Identifier: GPL-2.0 */
#ifndef HOST_PRIVILEGE_H
#define HOST_PRIVILEGE_H

/*
 * Why BPF programs can't be loaded and attached here, in one sentence with the cure (sudo; docker's --cap-add or
 * --privileged, kubectl's securityContext; a kernel with BTF), as far as can be told beforehand: WSL 1, no
 * /sys/kernel/btf/vmlinux, lockdown, missing capabilities (CAP_BPF and CAP_PERFMON, or CAP_SYS_ADMIN). NULL when
 * nothing speaks against it. The caller frees it.
 */
char *trace_obstacle(void);

/* What has to be so that BPF programs can be loaded, the first that fails being the one to mend first. */
enum trace_need {
	NEED_KERNEL, /* that it is Linux: not WSL 1 */
	NEED_BTF,
	NEED_NO_LOCKDOWN,
	NEED_NO_NAMESPACE, /* of users */
	NEED_CAPABILITIES,
	TRACE_NEEDS,
};

/* The same for one of them; the caller frees it. */
char *trace_obstacle_in(enum trace_need need);

/* Which of the capabilities for BPF this process has: "CAP_BPF, CAP_PERFMON"; NULL: not known; the caller frees it. */
char *trace_capabilities(void);

/* The sentence for a load that failed with `error` (errno) although nothing seemed to speak against it. */
char *trace_refusal(int error);

#endif
