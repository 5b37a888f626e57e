/* SPDX-License-Identifier: GPL-2.0 */
/* What the time between the issue and the way out of the driver says. */
#ifndef REPORT_DOORBELL_H
#define REPORT_DOORBELL_H

#include "result/result.h"
#include "result/summary.h"

/*
 * A sentence on the doorbell of these I/Os: how long it takes, for how many at once, and on a virtual machine whether
 * an exit to the hypervisor is in it. NULL where the figure says all that there is; the caller frees it.
 */
char *doorbell_in_words(const struct io_summary *summary, const struct machine *machine);

/* Whether it is so long that an exit to the hypervisor must be part of it; and worth a word on its own. */
bool doorbell_has_exit(const struct io_summary *summary, const struct machine *machine);

#endif
