/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Whether something nearer than the medium answers, such as the cache of a virtual machine's host: the same block again
 * comes out of the nearest cache, so a random one that takes no longer comes out of one, too.
 */
#ifndef WORKLOAD_NEARNESS_H
#define WORKLOAD_NEARNESS_H

#include "reader.h"

/*
 * Reads a random block and then the same one as ever, in turn, up to 200 of each, for at most 2 s or until a signal
 * asks to stop. Blank ones don't count, as no medium is asked for what was never written; where it finds no others,
 * reads is 0. Returns 0; or -errno, also -ERANGE where there is just one block, with `nearness` untouched.
 */
int nearness_measure(struct reader *reader, struct nearness *nearness);

#endif
