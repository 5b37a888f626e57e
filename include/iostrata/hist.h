/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The geometry of every latency histogram, in the kernel and in user space: fio's, so that a histogram made by BPF and
 * the bins of fio's json+ line up bucket by bucket (fio 3.33, stat.h: FIO_IO_U_PLAT_BITS 6, FIO_IO_U_PLAT_GROUP_NR 29).
 *
 * Values below 128 ns have a bucket each; above, every doubling has 64 buckets, so a bucket is never wider than 1/64
 * of its lower bound. What lies beyond the last bucket (17 s) is counted in the last one.
 */
#ifndef IOSTRATA_HIST_H
#define IOSTRATA_HIST_H

#include <stdint.h>

#define HIST_BITS 6
#define HIST_PER_DOUBLING (1u << HIST_BITS)
#define HIST_DOUBLINGS 29
#define HIST_BUCKETS (HIST_DOUBLINGS * HIST_PER_DOUBLING)

/* Position of the highest set bit; 0 for 0. Without a loop or a builtin: BPF has no instruction for it. */
static inline __attribute__((always_inline)) uint32_t hist_highest_bit(uint64_t value)
{
	uint32_t bit = 0;

	if (value >> 32) {
		bit += 32;
		value >>= 32;
	}
	if (value >> 16) {
		bit += 16;
		value >>= 16;
	}
	if (value >> 8) {
		bit += 8;
		value >>= 8;
	}
	if (value >> 4) {
		bit += 4;
		value >>= 4;
	}
	if (value >> 2) {
		bit += 2;
		value >>= 2;
	}
	return bit + (uint32_t)(value >> 1);
}

/* The bucket, 0 to HIST_BUCKETS - 1, that counts a latency of `value` ns. */
static inline __attribute__((always_inline)) uint32_t hist_bucket(uint64_t value)
{
	uint32_t bit = hist_highest_bit(value), shift, bucket;

	if (bit <= HIST_BITS)
		return (uint32_t)value;
	shift = bit - HIST_BITS;
	bucket = (shift + 1) * HIST_PER_DOUBLING + ((value >> shift) & (HIST_PER_DOUBLING - 1));
	return bucket < HIST_BUCKETS ? bucket : HIST_BUCKETS - 1;
}

/* Lowest value, in ns, that falls into `bucket`. */
static inline uint64_t hist_lower(uint32_t bucket)
{
	uint32_t shift;

	if (bucket < 2 * HIST_PER_DOUBLING)
		return bucket;
	shift = bucket / HIST_PER_DOUBLING - 1;
	return (uint64_t)(HIST_PER_DOUBLING + bucket % HIST_PER_DOUBLING) << shift;
}

/* How many values, in ns, `bucket` covers. */
static inline uint64_t hist_width(uint32_t bucket)
{
	return bucket < 2 * HIST_PER_DOUBLING ? 1 : 1ull << (bucket / HIST_PER_DOUBLING - 1);
}

/* The value, in ns, that stands for `bucket`: its middle. fio prints its percentiles and keys its bins the same way. */
static inline uint64_t hist_value(uint32_t bucket)
{
	return hist_lower(bucket) + hist_width(bucket) / 2;
}

#endif
