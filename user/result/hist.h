/* SPDX-License-Identifier: GPL-2.0 */
/* Arithmetic on latency histograms. All values are ns; the geometry is that of iostrata/hist.h. */
#ifndef RESULT_HIST_H
#define RESULT_HIST_H

#include <iostrata/hist.h>

struct hist {
	uint64_t count;
	uint64_t sum;
	uint64_t max; /* exact; 0 when nothing was counted */
	uint64_t bucket[HIST_BUCKETS];
};

/* An empty histogram; never NULL. The caller frees it with free(). */
struct hist *hist_new(void);

/* Counts `count` values that fall into the bucket of `value`; sum and max follow. */
void hist_add(struct hist *hist, uint64_t value, uint64_t count);

/* Adds all of `from` to `into`. */
void hist_merge(struct hist *into, const struct hist *from);

/* 0 when nothing was counted. */
double hist_mean(const struct hist *hist);

/*
 * The middle of the first bucket at which at least `percent` (0 to 100) of the values are counted, as fio reports its
 * percentiles, but never more than the exact maximum; 0 when nothing was counted.
 */
uint64_t hist_percentile(const struct hist *hist, double percent);

#endif
