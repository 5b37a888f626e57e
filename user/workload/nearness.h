/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Whether something nearer than the medium answers, such as the cache of a virtual machine's host: a block that has just
 * been read comes out of the nearest cache, so where that takes no less, the first read came out of one, too.
 */
#ifndef WORKLOAD_NEARNESS_H
#define WORKLOAD_NEARNESS_H

#include "reader.h"

/*
 * Reads a random block and at once the same again, up to 200 times, for at most 2 s or until a signal asks to stop. Blank
 * ones don't count, as no medium is asked for what was never written; where it finds no others, reads is 0. Returns 0; or -errno, also -ERANGE where there is just one block, with `nearness` untouched.
 */
int nearness_measure(struct reader *reader, struct nearness *nearness);

#endif
