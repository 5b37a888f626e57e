/* SPDX-License-Identifier: GPL-2.0 */
/* What passed the layers of a traced run, in bytes, and by whom. For the checks alone. */
#ifndef RESULT_TRAFFIC_H
#define RESULT_TRAFFIC_H

#include "result.h"

/* Below this nothing is concluded: programs read a little of everything as they start. */
#define TRAFFIC_LEAST (1u << 20)

/* Bytes of one op that a layer was given: its requests' less those taken back, or its bios'. */
uint64_t traffic_of_layer(const struct layer_view *layer, enum op op);

/* The same of all leaves. */
uint64_t traffic_of_leaves(const struct trace_view *trace, enum op op);

/* Reads and writes that came in at the top, of one owner. */
struct bio_counts traffic_of_owner(const struct trace_view *trace, enum owner owner);

/* Bytes of one op at the top that the workload asked for: by its own tasks, or by the kernel from its pages. */
uint64_t traffic_of_workload(const struct trace_view *trace, enum op op);

/* The same of all others, at the least: loop devices whose bios come in once more at their file's disk are taken off.
 */
uint64_t traffic_of_others(const struct trace_view *trace, const struct target *target, enum op op);

/* Whether I/O comes in on several disks, so that "the top" is no single place. */
bool traffic_has_several_tops(const struct trace_view *trace);

/* Whether everyone's I/O was the workload, so that there are no others, and no program to hold anything against. */
bool traffic_is_of_everyone(const struct run *run);

/* What is known of a layer of that name; NULL: nothing. */
const struct layer *traffic_facts(const struct target *target, const char *device);

/*
 * A loop device of the target whose file can't be found by its path (deleted, or in another mount namespace), so that what
 * is under it is not known; NULL: there is none.
 */
const struct layer *traffic_hidden_file(const struct target *target);

#endif
