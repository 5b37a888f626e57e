/* SPDX-License-Identifier: GPL-2.0 */
/* Which of the tracepoints that the programs stand on this kernel has, and whether it hands them what they expect. */
#ifndef TRACE_AVAILABLE_H
#define TRACE_AVAILABLE_H

#include <stdbool.h>
#include <stddef.h>

struct btf;

enum tracepoint_state {
	TRACEPOINT_UNDERSTOOD, /* there, with the arguments that its program reads */
	TRACEPOINT_UNCHECKED,  /* there; what its program reads is not written down */
	TRACEPOINT_STRANGE,    /* there, with other arguments: its program would read something else */
	TRACEPOINT_MISSING,
};

struct tracepoint {
	char *name;
	enum tracepoint_state state;
	char *arguments;  /* as the kernel has them: "request *, int, unsigned int"; NULL where it is missing */
	char *module;	  /* that has it; NULL: the kernel itself */
	const char *lost; /* what cannot be seen without it, a phrase; NULL: nothing can be traced at all */
	bool optional;	  /* many kernels have none, or only in a module that is not loaded: it is not missed */
};

struct tracepoints {
	struct tracepoint *row;
	size_t rows;
};

/*
 * Looks up the tracepoint of every program in the types that the kernel describes, or the module that may have it. Of
 * two of which either will do, the one that is there. 0, or -errno where the kernel does not describe its types.
 */
int tracepoints_look(struct tracepoints *tracepoints);
void tracepoints_free(struct tracepoints *tracepoints);

/* One tracepoint, looked up in `btf`; `name` is copied. */
void tracepoint_look(struct tracepoint *tracepoint, const struct btf *btf, const char *name);

/* Whether what its program reads is written down. */
bool tracepoint_is_known(const char *name);

#endif
