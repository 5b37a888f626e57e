// SPDX-License-Identifier: GPL-2.0
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <signal.h>

#include "blocks.h"
#include "workload/blank.h"
#include "workload/signals.h"

#define COUNT	64u
#define SAMPLES 256

static bool all(size_t number)
{
	(void)number;
	return true;
}

static bool every_other(size_t number)
{
	return number % 2;
}

static struct layout sample(bool (*blank)(size_t number))
{
	struct layout layout = {.written = 5};
	struct blocks blocks;

	blocks_open(&blocks, COUNT, blank);
	assert_int_equal(blank_sample(&blocks.reader, &layout), 0);
	blocks_close(&blocks);
	assert_int_equal(layout.written, 5);
	assert_false(layout.has_extents);
	return layout;
}

static void written(void **state)
{
	struct layout layout = sample(NULL);

	(void)state;
	/* fewer only where 2 s were not enough */
	assert_in_range(layout.sampled, 1, SAMPLES);
	assert_int_equal(layout.zeros, 0);
}

static void blank(void **state)
{
	struct layout layout = sample(all);

	(void)state;
	assert_in_range(layout.sampled, 1, SAMPLES);
	assert_int_equal(layout.zeros, layout.sampled);
}

static void half_blank(void **state)
{
	struct layout layout = sample(every_other);

	(void)state;
	if (layout.sampled == SAMPLES)
		assert_in_range(layout.zeros, SAMPLES / 2 - 64, SAMPLES / 2 + 64); /* eight standard deviations */
}

/* One bit is not nothing, wherever it is. */
static void a_bit_at_the_end(void **state)
{
	struct layout layout = {0};
	struct blocks blocks;

	(void)state;
	blocks_open(&blocks, 1, all);
	assert_int_equal(pwrite(blocks.place.fd, "\x80", 1, READER_BLOCK - 1), 1);
	assert_int_equal(blank_sample(&blocks.reader, &layout), 0);
	assert_true(layout.sampled > 0);
	assert_int_equal(layout.zeros, 0);
	blocks_close(&blocks);
}

static void an_error_is_told(void **state)
{
	struct layout layout = {0};
	struct blocks blocks;

	(void)state;
	blocks_open(&blocks, COUNT, all);
	assert_int_equal(ftruncate(blocks.place.fd, 0), 0);
	assert_int_equal(blank_sample(&blocks.reader, &layout), -EIO);
	assert_int_equal(layout.sampled, 0);
	blocks_close(&blocks);
}

/* The last: it cannot be taken back. */
static void a_signal_stops_it(void **state)
{
	struct layout layout;

	(void)state;
	assert_int_equal(signals_init(), 0);
	raise(SIGTERM);
	layout = sample(all);
	assert_int_equal(layout.sampled, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(written),	    cmocka_unit_test(blank),
		cmocka_unit_test(half_blank),	    cmocka_unit_test(a_bit_at_the_end),
		cmocka_unit_test(an_error_is_told), cmocka_unit_test(a_signal_stops_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
