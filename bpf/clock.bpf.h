/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What is in flight at a disk, by class, and for how long: how much else an I/O met when it was issued, and what a call
 * that waits for the disk waited for (group commit lets many calls wait for one journal write, so nothing can be joined).
 */
#ifndef BPF_CLOCK_H
#define BPF_CLOCK_H

#include "trace.bpf.h"

/* Requests in flight, 16 bits for each class, so that one exchange changes a count and tells all of them. */
struct flight {
	uint64_t requests;
	uint64_t idle_since; /* when the last one ended */
};

struct flight_map {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, MAX_LAYERS);
	__type(key, uint32_t);
	__type(value, struct flight);
};
extern struct flight_map flights SEC(".maps");

/* Runs for one class at a time, the highest that has anything in flight on any of the disks. */
struct clock {
	struct bpf_spin_lock lock;
	uint32_t padding;
	uint64_t requests; /* as of struct flight */
	uint64_t since;	   /* the last change */
	uint64_t total[CLASSES];
	uint64_t synced;   /* when a flush or a write of the journal last ended */
};

struct clock_map {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, uint32_t);
	__type(value, struct clock);
};
extern struct clock_map clocks SEC(".maps");

struct clock_reading {
	uint64_t total[CLASSES]; /* ns that each ran */
	uint64_t synced;
};

static __always_inline uint64_t lane(uint32_t class)
{
	return 1ull << 16 * (class & (CLASSES - 1));
}

/* A request of `class` was issued (`sign` 1) or has ended (-1) at `now`. */
int clock_change(uint32_t class, int sign, uint64_t now);

/* The clocks as they stand at `now`. */
int clock_read(struct clock_reading *reading, uint64_t now);

#endif
