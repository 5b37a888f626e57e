/* SPDX-License-Identifier: GPL-2.0 */
/* What follows from a ledger's numbers; for ledger.c alone. */
#ifndef RESULT_LEDGER_CONCLUSION_H
#define RESULT_LEDGER_CONCLUSION_H

#include "ledger.h"

/* Calls that ask for no flush, or may not: sync_file_range() never does, nor does msync() with MS_ASYNC. */
uint64_t ledger_weak_syncs(const struct trace_view *trace);

/* Sets the ledger's durability and conclusion. */
void ledger_conclude(struct ledger *ledger, const struct result *result, const struct run *run);

#endif
