/* SPDX-License-Identifier: GPL-2.0 */
/* A run's throughput second by second, and what such a series says: a line, a cliff, a round figure. */
#ifndef RESULT_SERIES_H
#define RESULT_SERIES_H

#include "result.h"

/*
 * Rates of the target's own device in the whole seconds of a run. Those in which the engine starts and ends are left
 * out, as it makes no I/O in a part of them.
 */
struct rates {
	double *ios, *bytes; /* per second */
	uint64_t *since;     /* when each of these seconds began; ns since the start of the run */
	size_t count;	     /* 0: nothing is known */
};

/* rates_clear() frees what it holds. */
void rates_of_run(struct rates *rates, const struct run *run);
void rates_clear(struct rates *rates);

/* 0 of none. */
double series_mean(const double *value, size_t count);

/* Standard deviation of the values as a sample, over their mean; 0 where it has no meaning. */
double series_variation(const double *value, size_t count);

struct cliff {
	size_t at;	      /* index of the first value after it */
	double before, after; /* means */
};

/*
 * Whether the series is at two levels, the second from one moment on: 3 values or more on each side, means that differ
 * by 30 % or more of the first and by more than 4 times the deviation within the two parts. Or the second level is flat
 * (within 2 %), and each value before it was 1.5 times as high or more.
 */
bool series_cliff(struct cliff *cliff, const double *value, size_t count);

/* Index of the first value that is of the second level alone, where enough are left: it hardly ever begins with one. */
size_t series_settled(const struct cliff *cliff, size_t count);

/* Fewer values have no trend that can be told. */
#define SERIES_LEAST_TREND 8

/*
 * Whether the series goes one way all the time: that many values or more, a straight line that explains 80 % of their
 * variance (R squared) and changes by 20 % of the mean or more. *change is that change over the whole series, over the
 * mean.
 */
bool series_trend(double *change, const double *value, size_t count);

/* The round figure (as caps have) that lies within 0.5 % of the value; 0: none does. */
double series_round(double value);

#endif
