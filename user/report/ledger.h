/* SPDX-License-Identifier: GPL-2.0 */
/* What was asked to be durable, and what each layer got for it. */
#ifndef REPORT_LEDGER_H
#define REPORT_LEDGER_H

#include "view.h"

/*
 * The ledger of each of `runs` that has one, under an empty line: of a test where something was asked to be durable, of
 * a traced program also where it only wrote.
 */
void print_ledgers(const struct view *view, const struct run *const *runs, size_t count);

/* Just the conclusions of the runs on `target` in which something was asked to be durable, each once. */
void print_durability(const struct view *view, size_t target);

#endif
