// SPDX-License-Identifier: GPL-2.0
#include "probe.h"

#include <stdlib.h>

#include "base/clock.h"
#include "base/text.h"
#include "pinned.h"

#define MOST_SAMPLES 4000

/* What a probe may take; together with the clock's steps 0.6 s. */
#define LONGEST (110 * NS_PER_MS)

struct job {
	void (*probe)(struct sampling *sampling);
	struct sampling *sampling;
};

static void *run_job(void *argument)
{
	struct job *job = argument;

	job->probe(job->sampling);
	return NULL;
}

static struct sampling sampling_begin(void)
{
	return (struct sampling){
		.sample = xcalloc(MOST_SAMPLES, sizeof(double)),
		.room = MOST_SAMPLES,
		.until = clock_now() + LONGEST,
	};
}

static struct spread sampling_end(struct sampling *sampling)
{
	struct spread spread = spread_of(sampling->sample, sampling->count);

	free(sampling->sample);
	return spread;
}

static struct spread measure_on(size_t cpu, void (*probe)(struct sampling *sampling))
{
	struct sampling sampling = sampling_begin();
	struct job job = {.probe = probe, .sampling = &sampling};
	pthread_t thread;

	if (!pinned_start(&thread, cpu, run_job, &job))
		pthread_join(thread, NULL);
	return sampling_end(&sampling);
}

static struct spread measure_wake(size_t first_cpu, size_t second_cpu)
{
	struct sampling sampling = sampling_begin();

	probe_wake(&sampling, first_cpu, second_cpu);
	return sampling_end(&sampling);
}

void probes_measure(struct probes *probes)
{
	size_t cpu[2], cpus = pinned_cpus(cpu, ARRAY_SIZE(cpu));

	*probes = (struct probes){.hypervisor = probe_hypervisor()};
	if (!cpus)
		return;
	probes->cpu = (unsigned)cpu[0];
	probes->exit = measure_on(cpu[0], probe_exit);
	probes->clock = measure_on(cpu[0], probe_clock);
	probes->clock_step = probe_clock_step();
	probes->timer = measure_on(cpu[0], probe_timer);
	probes->same = measure_wake(cpu[0], cpu[0]);
	if (cpus < 2)
		return;
	probes->other = (unsigned)cpu[1];
	probes->across = measure_wake(cpu[0], cpu[1]);
}
