/* SPDX-License-Identifier: GPL-2.0 */
/* doctor of a saved result: what its machine was, as far as the file tells. */
#ifndef COMMAND_DOCTOR_SAVED_H
#define COMMAND_DOCTOR_SAVED_H

#include <stdbool.h>

#include "result/diagnosis.h"

/* Whether `given` is a file that is called as results are: *.json. */
bool is_saved(const char *given);

/* A diagnosis that takes its machine, targets and time from `result`, which it empties of them; never NULL. */
struct diagnosis *doctor_saved(struct result *result);

#endif
