// SPDX-License-Identifier: GPL-2.0
#include "blank.h"

#include "base/clock.h"
#include "signals.h"

#define SAMPLES	   256
#define TIME_LIMIT (2 * NS_PER_SECOND)

static bool is_blank(const uint64_t *words, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (words[i])
			return false;
	return true;
}

int blank_sample(struct reader *reader, struct layout *layout)
{
	uint64_t begin = clock_now();

	for (int i = 0; i < SAMPLES && !signals_stopped() && clock_now() - begin < TIME_LIMIT; i++) {
		int err = reader_read(reader, reader_pick(reader));

		if (err)
			return err;
		layout->sampled++;
		layout->zeros += is_blank(reader->data, reader->block / sizeof(*reader->data));
	}
	return 0;
}
