/* SPDX-License-Identifier: GPL-2.0 */
/* Which programs are loaded, and what the kernel's own types say of their arguments. Private to trace/. */
#ifndef TRACE_PROGRAMS_H
#define TRACE_PROGRAMS_H

#include <stdbool.h>

#include <bpf/btf.h>

#include "tracer.h"

struct iostrata_bpf;

/*
 * Leaves in the skeleton the programs that are asked for: one that nothing is asked of would cost every I/O something
 * all the same. Of those for I/Os, the ones that this kernel has a tracepoint for. `queue`: bios are followed. Fills
 * what `config` says of arguments. 0 or -errno.
 */
int programs_choose(struct iostrata_bpf *skel, struct trace_config *config, const struct trace_wish *wish, bool queue);

/* Attaches those for hops, as far as this kernel has their tracepoints. */
void programs_attach_hops(struct iostrata_bpf *skel);

/* The type of the functions that may be attached to it, whose first argument is their own; NULL: it is not there. */
const struct btf_type *programs_prototype(const struct btf *btf, const char *tracepoint);

/* Whether the kernel that `btf` is of has that tracepoint. */
bool programs_has_tracepoint(const struct btf *btf, const char *tracepoint);

/* Finds out which arguments of io_uring's tracepoints name the request. */
void programs_read_uring(const struct btf *btf, struct trace_config *config);

#endif
