/* SPDX-License-Identifier: GPL-2.0 */
/* What the machine itself costs: times that were measured on the spot. They are widely spread, so none is one number.
 */
#ifndef RESULT_PROBES_H
#define RESULT_PROBES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ns; 5, 50 and 99 % of the samples are not above these. */
struct spread {
	size_t samples; /* 0: it was not measured */
	double p5, p50, p99;
};

struct probes {
	bool hypervisor;      /* CPUID tells of one: then `exit` contains an exit of the virtual machine */
	struct spread exit;   /* one CPUID instruction, which a hypervisor must answer (x86 alone) */
	struct spread clock;  /* one reading of CLOCK_MONOTONIC, by which all times here are taken */
	uint64_t clock_step;  /* ns, the smallest step of that clock; 0: finer than a reading takes, or not known */
	struct spread timer;  /* how much later than asked for a sleep of 50 us ends, with a timer slack of 1 ns */
	struct spread same;   /* from waking a thread until it runs, both on CPU `cpu` */
	struct spread across; /* the same from CPU `cpu` to `other` and back; there may be no other */
	unsigned cpu, other;
};

/* Sorts `count` samples, and tells of them; of none, that nothing was measured. */
struct spread spread_of(double *samples, size_t count);

/* "p5 6.31 us, median 6.52 us, p99 9.80 us" with the micro sign, or "not measured"; the caller frees it. */
char *spread_in_words(const struct spread *spread);

#endif
