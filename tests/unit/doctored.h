/* SPDX-License-Identifier: GPL-2.0 */
/* What the tests of doctor's sections share: answers of a kernel that is made up, and looking for what was found. */
#ifndef TEST_DOCTORED_H
#define TEST_DOCTORED_H

#include "tree.h"

#include <errno.h>

#include "command/doctor_kernel.h"

/* Root of the machine, without limits. */
static inline void be_root(const struct tree *tree)
{
	tree_write(tree, "/proc/self/status",
		   "Name:\tiostrata\nUid:\t0\t0\t0\t0\nCapEff:\t000001ffffffffff\nCapBnd:\t000001ffffffffff\n"
		   "Seccomp:\t0\n");
	tree_write(tree, "/proc/self/uid_map", "         0          0 4294967295\n");
	tree_write(tree, "/proc/self/limits",
		   "Limit                     Soft Limit           Hard Limit           Units     \n"
		   "Max locked memory         8388608              8388608              bytes     \n");
}

static inline void answer_tracepoint(struct kernel_answers *answers, const char *name, enum tracepoint_state state,
				     const char *arguments, const char *lost)
{
	struct tracepoints *tracepoints = &answers->tracepoints;

	tracepoints->row = xreallocarray(tracepoints->row, tracepoints->rows + 1, sizeof(*tracepoints->row));
	tracepoints->row[tracepoints->rows++] = (struct tracepoint){
		.name = xstrdup(name),
		.state = state,
		.arguments = arguments ? xstrdup(arguments) : NULL,
		.lost = lost,
	};
}

/* A kernel on which all is well, with a fio as Debian 12 has it. */
static inline void answer_well(struct kernel_answers *answers)
{
	*answers = (struct kernel_answers){
		.described = true,
		.tried = true,
		.startup = 412000000,
		.fio = xstrdup("fio-3.33"),
		.fio_path = xstrdup("/usr/bin/fio"),
		.engines = xstrdup("Available IO engines:\n\tpsync\n\tio_uring\n\tio_uring_cmd\n\tlibaio\n"),
	};
	answer_tracepoint(answers, "block_rq_issue", TRACEPOINT_UNDERSTOOD, "request *", NULL);
	answer_tracepoint(answers, "block_rq_complete", TRACEPOINT_UNDERSTOOD, "request *, blk_status_t, unsigned int",
			  NULL);
}

static inline const struct finding *found(const struct diagnosis *diagnosis, const char *title, const char *name)
{
	for (size_t i = 0; i < diagnosis->sections; i++)
		for (size_t j = 0; j < diagnosis->section[i].findings; j++)
			if (!strcmp(diagnosis->section[i].title, title) &&
			    !strcmp(diagnosis->section[i].finding[j].name, name))
				return &diagnosis->section[i].finding[j];
	fail_msg("no %s in section %s", name, title);
	return NULL;
}

#endif
