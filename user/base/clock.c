// SPDX-License-Identifier: GPL-2.0
#include "clock.h"

#include <time.h>

static uint64_t read_clock(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return (uint64_t)now.tv_sec * NS_PER_SECOND + now.tv_nsec;
}

uint64_t clock_now(void)
{
	return read_clock(CLOCK_MONOTONIC);
}

uint64_t clock_wall(void)
{
	return read_clock(CLOCK_REALTIME);
}

void clock_sleep(uint64_t ns)
{
	struct timespec span = {.tv_sec = ns / NS_PER_SECOND, .tv_nsec = ns % NS_PER_SECOND};

	nanosleep(&span, NULL);
}
