// SPDX-License-Identifier: GPL-2.0
#include "clock.h"

#include <time.h>

uint64_t clock_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * NS_PER_SECOND + now.tv_nsec;
}

void clock_sleep(uint64_t ns)
{
	struct timespec span = {.tv_sec = ns / NS_PER_SECOND, .tv_nsec = ns % NS_PER_SECOND};

	nanosleep(&span, NULL);
}
