/* SPDX-License-Identifier: GPL-2.0 */
/* What the pauses of the whole machine (struct pause) did to single I/Os. */
#ifndef RESULT_PAUSES_H
#define RESULT_PAUSES_H

#include "result.h"

/* What of an I/O's time, from call to return, the machine stood still; ns. */
struct standstill {
	uint64_t at;	 /* of the first pause in it: since the recording began, as the I/O's own times are */
	uint64_t length; /* the part of all pauses that lies in it; 0: there was none, or none is known */
};

/*
 * That of one of the run's records. An I/O that was on its way and took no longer than half of those of its op do was
 * not slowed down by the pause, as where all wait for seconds: it has none.
 */
struct standstill pauses_of_record(const struct run *run, const struct io_record *record);

/* How many of the run's slowest I/Os have one. */
size_t pauses_in_slowest(const struct run *run);

#endif
