// SPDX-License-Identifier: GPL-2.0
#include "random.h"

#include <sys/random.h>
#include <unistd.h>

#include "clock.h"

uint64_t random_seed(void)
{
	uint64_t seed;

	if (getrandom(&seed, sizeof(seed), 0) != sizeof(seed))
		seed = clock_now() ^ getpid();
	return seed;
}

/* splitmix64 (Steele, Lea, Flood 2014): as fast as memory, and nothing that a disk could compress or deduplicate. */
static uint64_t next(uint64_t *state)
{
	uint64_t z = *state += 0x9e3779b97f4a7c15ull;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
	z = (z ^ z >> 27) * 0x94d049bb133111ebull;
	return z ^ z >> 31;
}

void random_fill(uint64_t *numbers, size_t count, uint64_t *state)
{
	for (size_t i = 0; i < count; i++)
		numbers[i] = next(state);
}

/* The high half of the product: without a division, and no number is likelier than another by more than limit / 2^64.
 */
uint64_t random_below(uint64_t limit, uint64_t *state)
{
	return (uint64_t)((unsigned __int128)next(state) * limit >> 64);
}
