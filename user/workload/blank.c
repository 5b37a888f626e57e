// SPDX-License-Identifier: GPL-2.0
#include "blank.h"

#include "base/clock.h"
#include "signals.h"

#define SAMPLES	   256
#define TIME_LIMIT (2 * NS_PER_SECOND)

int blank_sample(struct reader *reader, struct layout *layout)
{
	uint64_t begin = clock_now();

	for (int i = 0; i < SAMPLES && !signals_stopped() && clock_now() - begin < TIME_LIMIT; i++) {
		int err = reader_read(reader, reader_pick(reader));

		if (err)
			return err;
		layout->sampled++;
		layout->zeros += reader_is_blank(reader);
	}
	return 0;
}
