/* SPDX-License-Identifier: GPL-2.0 */
/* All stages of the program's I/Os, by op: where the time went, of all of them and of the slowest. */
#ifndef REPORT_STAGES_H
#define REPORT_STAGES_H

#include "result/result.h"
#include "screen.h"

/* What iostrata/stages.h says of a stage. */
struct io_stage_row {
	enum boundary from, to;
	enum io_stage inside; /* IO_STAGE_TOTAL: it is a part of that */
	const char *meaning;
};

extern const struct io_stage_row io_stage_row[IO_STAGES];

/*
 * A block for each op of the done ones of `runs`, all of one test; none where one of them was not followed. Stages that
 * are shorter than what the probes take are marked. Returns the stages that occur in them, as bits by enum io_stage.
 */
unsigned print_stages(const struct screen *screen, const struct machine *machine, const struct run *const *runs,
		      size_t count);

/* What these stages are. */
void explain_stages(const struct screen *screen, unsigned stages);

#endif
