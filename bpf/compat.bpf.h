/* SPDX-License-Identifier: GPL-2.0 */
/* Every difference between kernels that the programs must know. Found by BTF, never by version. */
#ifndef BPF_COMPAT_H
#define BPF_COMPAT_H

#include <iostrata/shared.h>

#include "kernel.bpf.h"

/* The disk's number as the kernel keeps it (MKDEV); 0 where a request has no disk (passthrough to a controller). */
static __always_inline uint32_t disk_number(struct gendisk *disk)
{
	return disk ? (uint32_t)disk->major << 20 | (uint32_t)disk->first_minor : 0;
}

/* The low 8 bits of cmd_flags and bi_opf are the REQ_OP_ number; these five have been the same since 4.10. */
static __always_inline enum op op_of_flags(unsigned int flags)
{
	switch (flags & 0xff) {
	case 0:
		return OP_READ;
	case 1:
		return OP_WRITE;
	case 2:
		return OP_FLUSH;
	case 3:
		return OP_DISCARD;
	case 9:
		return OP_WRITE_ZEROES;
	default:
		return OP_OTHER;
	}
}

static __always_inline bool asks_preflush(unsigned int flags)
{
	return flags & 1u << bpf_core_enum_value(enum req_flag_bits, __REQ_PREFLUSH);
}

#endif
