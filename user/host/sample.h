/* SPDX-License-Identifier: GPL-2.0 */
/* CPU, memory and disk use between two readings, as the series of measurements defines them. */
#ifndef HOST_SAMPLE_H
#define HOST_SAMPLE_H

#include "result/result.h"

struct sampler; /* remembers the last reading */

/* `device` is the kernel name of the target's own device, or NULL where it has none. Never NULL. */
struct sampler *sampler_start(const char *device);

/* What happened since the last reading, or since the start. `sample->at` is since the start. */
void sampler_take(struct sampler *sampler, struct sample *sample);

void sampler_stop(struct sampler *sampler);

#endif
