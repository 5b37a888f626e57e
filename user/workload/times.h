/* SPDX-License-Identifier: GPL-2.0 */
#ifndef WORKLOAD_TIMES_H
#define WORKLOAD_TIMES_H

#include "result/result.h"

/* Sums `count` times up, which are sorted on the way; all of it is 0 where there are none. */
struct read_times times_sum_up(uint64_t *time, size_t count);

#endif
