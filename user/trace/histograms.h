/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Per-CPU maps of struct stage_counts. They are read as a whole while they go on growing, and what grew is added to
 * histograms of user space, whose buckets do not wrap. Private to trace/.
 */
#ifndef TRACE_HISTOGRAMS_H
#define TRACE_HISTOGRAMS_H

#include <stddef.h>

#include "result/result.h"

struct bpf_map;

/* Where one key of the map is gathered. */
struct gathered {
	struct hist *hist;
	struct course *course; /* NULL: none is kept */
};

struct histograms {
	int map;
	int cpus;
	size_t keys;
	struct gathered *to;	   /* of each key, set by who opened it */
	struct stage_counts *last; /* of each key and CPU, as they were read last */
	char *values;		   /* room for one reading of all of them */
};

/* Of a loaded map. All zero is closed. */
void histograms_open(struct histograms *histograms, const struct bpf_map *map, int cpus);
void histograms_close(struct histograms *histograms);

/* Forgets what was read; the map's own values are zero now. */
void histograms_clear(struct histograms *histograms);

/* Adds what grew since the last time to the histograms and, as one second that ends at `at`, to the courses. */
void histograms_read(struct histograms *histograms, uint64_t at);

#endif
