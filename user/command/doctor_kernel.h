/* SPDX-License-Identifier: GPL-2.0 */
/* Section "kernel" of doctor: what tracing and fio need of this kernel, and whether they get it. */
#ifndef COMMAND_DOCTOR_KERNEL_H
#define COMMAND_DOCTOR_KERNEL_H

#include <stdbool.h>
#include <stdint.h>

#include "result/diagnosis.h"
#include "trace/available.h"

/* What no file tells, but trying does; of a recorded machine it is made up. */
struct kernel_answers {
	struct tracepoints tracepoints;
	bool described;	      /* `tracepoints` are known; else the kernel does not describe its types */
	bool tried;	      /* to load and attach the probes */
	int error;	      /* what came of it: 0 or -errno */
	uint64_t startup;     /* ns that it took */
	int fio_error;	      /* 0, or the -errno of starting fio */
	char *fio, *fio_path; /* what it calls itself: "fio-3.33"; and where it lies. NULL: not known */
	char *engines;	      /* what --enghelp says */
};

/* Asks this kernel and the fio on PATH. Probes are loaded only where nothing speaks against it. */
void kernel_ask(struct kernel_answers *answers);
void kernel_answers_free(struct kernel_answers *answers);

/* Adds the section, from the answers and the files of host/. */
void doctor_kernel(struct diagnosis *diagnosis, const struct kernel_answers *answers);

#endif
