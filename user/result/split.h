/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What a guest calls `device`, divided with the help of its host. On the host `iostrata trace -p` follows the virtual
 * machine monitor meanwhile; what the monitor does for a request lies within the guest's request, so by operation
 *
 *   guest D -> C  =  transport  +  host S -> D (submit, queue)  +  host D -> C (device)
 *
 * where transport is the rest: the way to the monitor, its own work, and the interrupt. Only means can be subtracted,
 * and only those of the same I/Os: their number and size on both sides tell whether they are, else nothing is divided.
 * Times of day bring the two together; the clocks may differ by a second.
 */
#ifndef RESULT_SPLIT_H
#define RESULT_SPLIT_H

#include "result.h"

/* One operation of one of the guest's runs. */
struct split_row {
	const struct run *run;
	enum op op;	/* OP_READ or OP_WRITE */
	double overlap; /* the share of the guest's recording that lies in the host's, more than 0 and up to 1 */
	uint64_t guest_requests, guest_bytes;
	uint64_t host_ios, host_bytes; /* that they are compared with */
	bool middle;		       /* these are of the middle of the run alone, as others stood at its edges */
	double device;		       /* ns, means from here on; the guest's */
	char *refusal;		       /* a sentence: why it is not divided; NULL: it is, and what follows is known */
	double transport, kernel, host_device; /* they add up to `device` */
};

struct split {
	const struct result *host, *guest;
	struct split_row *row; /* in the order of the guest's runs */
	size_t rows;
	size_t apart;	/* runs that were not recorded on the host */
	char *obstacle; /* a sentence: why nothing can be compared; NULL: there are rows */
};

/* The results must outlive it; split_clear() frees what it holds. */
void split_of_results(struct split *split, const struct result *host, const struct result *guest);
void split_clear(struct split *split);

/* The only disk of a result's traced runs, with nothing on it but partitions; NULL: there is none, or more. */
const char *split_disk(const struct result *result);

/* As JSON text that the caller frees, described by tests/split.schema.json. */
char *split_to_json(const struct split *split);

#endif
