/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What reads of single blocks say of the way to the medium, and of the medium.
 *
 * A random read takes the way there and back, T, and what it is kept waiting at its end, M. The same block again takes
 * T, and what the nearest cache needs to find it, c. So the floor, T + c, is an upper bound for T, whoever answered.
 * A random read less the floor is M - c. Where a cache answered the floor, c is next to nothing, and M is the medium's
 * time and that of all that lies between it and the cache, such as a host's file system: an upper bound for the
 * medium's. Where no cache did, the medium is in both, and of its time the difference says nothing. Means, as they
 * alone may be subtracted; both of the same program, so that its own time falls out.
 *
 * The same holds for what this machine's kernel adds: it is in T.
 */
#ifndef RESULT_FLOOR_H
#define RESULT_FLOOR_H

#include "result.h"

enum floor_finding {
	FLOOR_UNKNOWN, /* it was not measured */
	FLOOR_LOCAL,   /* some of the reads did not leave this machine's memory: nothing is known of the way */
	FLOOR_ALONE, /* the floor bounds the way; what random reads add is not known, or findings contradict each other
		      */
	FLOOR_LEVEL, /* random reads are not clearly slower: nothing of the medium shows */
	FLOOR_LOWER, /* they are */
};

enum floor_finding floor_judge(const struct target *target);

/* Whether `same` is less than `random` by so much that it means something: a tenth. */
bool is_clearly_less(double same, double random);

/* Whether enough pairs were read to say something of them. */
bool nearness_is_known(const struct nearness *nearness);

#endif
