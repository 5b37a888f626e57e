/* SPDX-License-Identifier: GPL-2.0 */
/* The system calls that are watched, by this architecture's numbers. Private to trace/. */
#ifndef TRACE_CALLS_H
#define TRACE_CALLS_H

#include <iostrata/shared.h>

/* Fills the table with enum call + 1 of each number; 0: not watched. */
void calls_number(uint8_t call[MAX_CALL_NUMBER]);

#endif
