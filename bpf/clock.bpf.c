// SPDX-License-Identifier: GPL-2.0
#include "clock.bpf.h"

struct clock_map clocks SEC(".maps");

/* The class that the clock runs for, or CLASSES when nothing is in flight. */
static __always_inline uint32_t running(uint64_t requests)
{
	if (requests >> 48)
		return 3;
	if (requests >> 32)
		return 2;
	if (requests >> 16)
		return 1;
	return requests ? 0 : CLASSES;
}

_Static_assert(CLASSES == 4, "running() tells four apart");

__noinline int clock_change(uint32_t class, int sign, uint64_t now)
{
	uint64_t change = sign > 0 ? lane(class) : -lane(class);
	uint32_t key = 0, was;
	struct clock *clock = bpf_map_lookup_elem(&clocks, &key);

	if (!clock)
		return 0;
	bpf_spin_lock(&clock->lock);
	was = running(clock->requests);
	if (now > clock->since) {
		if (was < CLASSES)
			clock->total[was] += now - clock->since;
		clock->since = now;
	}
	clock->requests += change;
	if (sign < 0 && class >= CLASS_JOURNAL)
		clock->synced = now;
	bpf_spin_unlock(&clock->lock);
	return 0;
}

__noinline int clock_read(struct clock_reading *reading, uint64_t now)
{
	uint32_t key = 0, is;
	struct clock *clock = bpf_map_lookup_elem(&clocks, &key);

	if (!clock || !reading)
		return 0;
	bpf_spin_lock(&clock->lock);
	for (int i = 0; i < CLASSES; i++)
		reading->total[i] = clock->total[i];
	is = running(clock->requests);
	if (is < CLASSES && now > clock->since)
		reading->total[is] += now - clock->since;
	reading->synced = clock->synced;
	bpf_spin_unlock(&clock->lock);
	return 0;
}
