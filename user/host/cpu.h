/* SPDX-License-Identifier: GPL-2.0 */
/* The time of CPUs, as /proc/stat counts it (the kernel's Documentation/filesystems/proc.rst). */
#ifndef HOST_CPU_H
#define HOST_CPU_H

#include <stdint.h>

/* The columns that make up a CPU's time; what guests used is within the first two. */
enum cpu_column { CPU_USER, CPU_NICE, CPU_SYSTEM, CPU_IDLE, CPU_IOWAIT, CPU_IRQ, CPU_SOFTIRQ, CPU_STEAL, CPU_COLUMNS };

/* Since the machine started, in ticks of USER_HZ. */
struct cpu_times {
	uint64_t column[CPU_COLUMNS];
};

/* What passed between two readings, in ticks. */
struct cpu_span {
	uint64_t total;
	uint64_t busy; /* all but idle and iowait */
	uint64_t stolen;
};

/* From what follows the name in a line of /proc/stat; columns that are not there are 0. */
void cpu_times_parse(struct cpu_times *times, const char *columns);

/* idle and iowait may go backwards (proc.rst says so); then nothing was added. */
struct cpu_span cpu_span_between(const struct cpu_times *before, const struct cpu_times *after);

#endif
