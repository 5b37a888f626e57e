/* SPDX-License-Identifier: GPL-2.0 */
/* The maps as a whole: how large they are, and what is in them at the start. Private to trace/. */
#ifndef TRACE_MAPS_H
#define TRACE_MAPS_H

#include "collect.h"

/* Decides how many sets the tables have, before anything is loaded, and tells `config`. */
void maps_plan(struct tracer *tracer, struct trace_config *config, uint64_t in_flight);

/* Gives the maps their sizes, before they are loaded. 0 or -errno. */
int maps_size(struct tracer *tracer);

/* Maps the tables into this process, once they are loaded. 0 or -errno. */
int maps_map(struct tracer *tracer);
void maps_unmap(struct tracer *tracer);

/* Sets all counters to zero and empties the tables. */
void maps_clear(struct tracer *tracer);

/* Bytes that they take. */
uint64_t maps_memory(const struct tracer *tracer);

#endif
