/* SPDX-License-Identifier: GPL-2.0 */
/* What the checks of accounts have in common: sides that must be equal, in words. For check_*.c alone. */
#ifndef RESULT_ACCOUNT_H
#define RESULT_ACCOUNT_H

#include "base/text.h"
#include "result.h"

/* Percent of what was started that must have a time. */
#define ACCOUNT_MIN_COVERAGE 99.5

uint64_t account_distance(uint64_t a, uint64_t b);

/* Adds whether all that was started is accounted for; `thing` is what was started, such as "request". */
void account_add_closure(struct text *text, const char *thing, uint64_t started, uint64_t ends);

/* Adds what to do where the account is open. `times` are those that nothing is to be concluded from then. */
void account_add_advice(struct text *text, bool closed, const char *times);

/* Adds the check "identity" to the run, with `found` and the sentence, which it frees. */
void account_add_identity(struct run *run, bool closed, char *found, struct text *sentence);

#endif
