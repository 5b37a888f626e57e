/* SPDX-License-Identifier: GPL-2.0 */
/* The requests that are on their way; request.bpf.c. */
#ifndef BPF_REQUEST_H
#define BPF_REQUEST_H

#include "trace.bpf.h"

/* Sized by user space. Mapped there too, to find what is left at the end. */
struct request_table {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1);
	__type(key, uint32_t);
	__type(value, struct request_set);
};
extern struct request_table requests SEC(".maps");

static __always_inline struct request_set *request_set_of(uint64_t address)
{
	uint32_t key = set_of(address);

	return bpf_map_lookup_elem(&requests, &key);
}

#endif
