/* SPDX-License-Identifier: GPL-2.0 */
/* Where the kernel's functions lie, as /proc/kallsyms tells. */
#ifndef TRACE_SYMBOLS_H
#define TRACE_SYMBOLS_H

#include <stdint.h>

#include <iostrata/shared.h>

/* "bio_chain_endio". */
const char *symbols_name(enum symbol symbol);

/* Fills the addresses in one pass; 0: not there, or hidden. */
void symbols_read(uint64_t symbol[SYMBOLS]);

/*
 * Why I/Os of libaio and io_uring cannot be joined, as a sentence with the cure, when none of the functions that their
 * bios lead to is known; NULL when one is. The caller frees it.
 */
char *symbols_hidden(const uint64_t symbol[SYMBOLS]);

#endif
