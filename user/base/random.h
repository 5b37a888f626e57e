/* SPDX-License-Identifier: GPL-2.0 */
/* Numbers without a pattern, for places and contents on a disk: fast, and no secret. */
#ifndef BASE_RANDOM_H
#define BASE_RANDOM_H

#include <stddef.h>
#include <stdint.h>

/* A state to begin with, another one each time. */
uint64_t random_seed(void);

/* The next `count` numbers of 64 bits. */
void random_fill(uint64_t *numbers, size_t count, uint64_t *state);

/* The next number from 0 to `limit` - 1; `limit` is not 0. */
uint64_t random_below(uint64_t limit, uint64_t *state);

#endif
