/* SPDX-License-Identifier: GPL-2.0 */
/* What requests to servers of file systems are called. Private to trace/. */
#ifndef TRACE_PROTOCOLS_H
#define TRACE_PROTOCOLS_H

#include <iostrata/remote.h>

#include "result/result.h"

/*
 * Begins a view of the requests with that name (remote_name()): their protocol, their kind, who sent them, and whether
 * their bytes are known. The strings are its own.
 */
void protocol_describe(struct remote_view *view, uint32_t name);

#endif
