// SPDX-License-Identifier: GPL-2.0
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/random.h"
#include "base/text.h"

/* The first numbers of splitmix64 from this state, as they are published for checking an implementation. */
static void as_published(void **state)
{
	static const uint64_t published[] = {
		6457827717110365317ull, 3203168211198807973ull,	 9817491932198370423ull,
		4593380528125082431ull, 16408922859458223821ull,
	};
	uint64_t numbers[ARRAY_SIZE(published)], at = 1234567;

	(void)state;
	random_fill(numbers, ARRAY_SIZE(numbers), &at);
	for (size_t i = 0; i < ARRAY_SIZE(published); i++)
		assert_true(numbers[i] == published[i]);
}

static void all_below_the_limit(void **state)
{
	uint64_t at = 1, seen[5] = {0};

	(void)state;
	for (int i = 0; i < 1000; i++) {
		uint64_t number = random_below(ARRAY_SIZE(seen), &at);

		assert_true(number < ARRAY_SIZE(seen));
		seen[number]++;
	}
	for (size_t i = 0; i < ARRAY_SIZE(seen); i++)
		assert_in_range(seen[i], 140, 260); /* four standard deviations about 200; the seed is fixed */
	assert_true(random_below(1, &at) == 0);
	for (int i = 0; i < 100; i++)
		assert_true(random_below(UINT64_MAX, &at) < UINT64_MAX);
}

/* Large limits are reached into all parts of. */
static void large_limits(void **state)
{
	uint64_t at = 1, limit = 1ull << 50;
	bool low = false, high = false;

	(void)state;
	for (int i = 0; i < 100; i++) {
		uint64_t number = random_below(limit, &at);

		low |= number < limit / 4;
		high |= number >= limit / 4 * 3;
	}
	assert_true(low && high);
}

static void seeds_differ(void **state)
{
	(void)state;
	assert_true(random_seed() != random_seed());
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(as_published),
		cmocka_unit_test(all_below_the_limit),
		cmocka_unit_test(large_limits),
		cmocka_unit_test(seeds_differ),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
