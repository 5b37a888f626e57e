/* SPDX-License-Identifier: GPL-2.0 */
/* What the reports begin with. */
#ifndef REPORT_HEADING_H
#define REPORT_HEADING_H

#include "view.h"

/* What the targets of the result are to be warned of. */
void print_warnings(const struct view *view);

/* "iostrata 0.1", without the commit that follows the release: the result's file has it. */
void add_version(struct text *text, const struct result *result);

/* What the machine is and the container on it, each behind a dot; nothing where neither is known. */
void add_machine(struct text *text, const struct machine *machine);

#endif
