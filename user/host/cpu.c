// SPDX-License-Identifier: GPL-2.0
#include "cpu.h"

#include <stdlib.h>

void cpu_times_parse(struct cpu_times *times, const char *columns)
{
	char *next = (char *)columns;

	*times = (struct cpu_times){0};
	for (int i = 0; i < CPU_COLUMNS; i++)
		times->column[i] = strtoull(next, &next, 10);
}

struct cpu_span cpu_span_between(const struct cpu_times *before, const struct cpu_times *after)
{
	struct cpu_span span = {0};

	for (int i = 0; i < CPU_COLUMNS; i++) {
		uint64_t delta = after->column[i] > before->column[i] ? after->column[i] - before->column[i] : 0;

		span.total += delta;
		if (i != CPU_IDLE && i != CPU_IOWAIT)
			span.busy += delta;
		if (i == CPU_STEAL)
			span.stolen = delta;
	}
	return span;
}
