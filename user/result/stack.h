/* SPDX-License-Identifier: GPL-2.0 */
/* Several runs of one test, layer by layer. */
#ifndef RESULT_STACK_H
#define RESULT_STACK_H

#include "result.h"

struct stack_layer {
	struct layer_view view;	     /* sums over the runs; without courses and diskstats; `device` is the run's */
	double mean[OPS][STAGES];    /* ns, each run weighing the same, as the engine's means are averaged */
	double in_flight;	     /* on average: time in the spanning stage over that in which there was I/O */
	double share[OPS][STAGES];   /* of the mean lat of the same direction, 0 to 1 */
	bool has_share[OPS][STAGES]; /* an I/O was one request or bio here, and its time is a part of the I/O's */
};

struct stack {
	size_t runs;		   /* done and traced ones; 0: there are no layers */
	double lat[DIRECTIONS];	   /* mean lat of these runs; 0 where there is none */
	struct stack_layer *layer; /* the target's own first, the leaves last */
	size_t layers;
};

/*
 * ns in which there was I/O, of a traced run: the engine's time. Recording also has the engine's start and end in it,
 * which matter in a short run; without an engine it is what is known.
 */
uint64_t run_io_time(const struct run *run);

/* Of those of the `count` runs that are done and traced. stack_clear() frees what it holds. */
void stack_of_runs(struct stack *stack, const struct run *const *runs, size_t count);
void stack_clear(struct stack *stack);

#endif
