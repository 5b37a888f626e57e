/* SPDX-License-Identifier: GPL-2.0 */
/* What the programs share. The variables and maps stand in the file that is named beside each. */
#ifndef BPF_TRACE_H
#define BPF_TRACE_H

#include <iostrata/shared.h>

#include "kernel.bpf.h"

/* request.bpf.c */
extern const volatile struct trace_config config;

/* request.bpf.c. Not 0 while a run is recorded; a store by user space turns it on and off. */
extern volatile uint32_t recording;

/* thread.bpf.c: tasks of the workload. */
struct owner_map {
	__uint(type, BPF_MAP_TYPE_TASK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, uint32_t);
};
extern struct owner_map owners SEC(".maps");

#endif
