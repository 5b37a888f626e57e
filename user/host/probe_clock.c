// SPDX-License-Identifier: GPL-2.0
#include "probe.h"

#include <time.h>

#include "base/clock.h"

#define EACH	      64
#define READINGS      20000
#define STEPS_LONGEST (30 * NS_PER_MS)

void probe_clock(struct sampling *sampling)
{
	uint64_t begin = clock_now(), end;

	do {
		for (int i = 1; i < EACH; i++)
			clock_now();
		end = clock_now();
		if (!sampling_add(sampling, (double)(end - begin) / EACH))
			break;
		begin = clock_now();
	} while (end < sampling->until);
}

/* That two readings are the same shows that the clock's steps are longer than a reading, and so are seen one by one. */
uint64_t probe_clock_step(void)
{
	uint64_t begin = clock_now(), last = begin, least = UINT64_MAX;
	size_t readings = 0, same = 0;

	while ((readings < READINGS || least == UINT64_MAX) && last - begin < STEPS_LONGEST) {
		uint64_t now = clock_now();

		readings++;
		same += now == last;
		if (now != last && now - last < least)
			least = now - last;
		last = now;
	}
	return same && least != UINT64_MAX ? least : 0;
}
