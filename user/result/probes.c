// SPDX-License-Identifier: GPL-2.0
#include "probes.h"

#include <math.h>
#include <stdlib.h>

#include "base/format.h"
#include "base/text.h"

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* The smallest sample that at least `percent` of all are not above. */
static double percentile_of(const double *sorted, size_t count, double percent)
{
	size_t rank = (size_t)ceil(percent / 100 * (double)count);

	return sorted[rank ? rank - 1 : 0];
}

struct spread spread_of(double *samples, size_t count)
{
	if (!count)
		return (struct spread){0};
	qsort(samples, count, sizeof(*samples), compare);
	return (struct spread){
		.samples = count,
		.p5 = percentile_of(samples, count, 5),
		.p50 = percentile_of(samples, count, 50),
		.p99 = percentile_of(samples, count, 99),
	};
}

char *spread_in_words(const struct spread *spread)
{
	char low[FORMAT_LENGTH], middle[FORMAT_LENGTH], high[FORMAT_LENGTH];

	if (!spread->samples)
		return xstrdup("not measured");
	return xasprintf("p5 %s, median %s, p99 %s", format_latency(low, spread->p5),
			 format_latency(middle, spread->p50), format_latency(high, spread->p99));
}
