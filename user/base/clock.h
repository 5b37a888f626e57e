/* SPDX-License-Identifier: GPL-2.0 */
#ifndef BASE_CLOCK_H
#define BASE_CLOCK_H

#include <stdint.h>

#define NS_PER_MS 1000000ull
#define NS_PER_SECOND 1000000000ull

/* CLOCK_MONOTONIC in ns, the clock of bpf_ktime_get_ns(). */
uint64_t clock_now(void);

/* ns since 1970, as the time of day. */
uint64_t clock_wall(void);

/* Sleeps for `ns`, or until a signal that is not blocked arrives. */
void clock_sleep(uint64_t ns);

#endif
