// SPDX-License-Identifier: GPL-2.0
#include "sample.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/text.h"
#include "block.h"
#include "cpu.h"
#include "files.h"

#define SECTOR 512

struct reading {
	uint64_t taken; /* CLOCK_MONOTONIC, ns */
	struct cpu_times cpu;
	bool has_disk;
	struct block_stat disk;
};

struct sampler {
	char *device;
	uint64_t started;
	struct reading last;
};

static uint64_t now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (uint64_t)time.tv_sec * 1000000000ull + (uint64_t)time.tv_nsec;
}

static void read_cpu(struct cpu_times *cpu)
{
	char *line = host_read_line("/proc/stat");

	if (line)
		cpu_times_parse(cpu, line + strcspn(line, " "));
	free(line);
}

static struct reading take_reading(const char *device)
{
	struct reading reading = {.taken = now()};

	read_cpu(&reading.cpu);
	reading.has_disk = device && block_read_stat(device, &reading.disk) == 0;
	return reading;
}

struct sampler *sampler_start(const char *device)
{
	struct sampler *sampler = xcalloc(1, sizeof(*sampler));

	sampler->device = device ? xstrdup(device) : NULL;
	sampler->last = take_reading(device);
	sampler->started = sampler->last.taken;
	return sampler;
}

static double cpu_percent(const struct reading *before, const struct reading *after)
{
	struct cpu_span span = cpu_span_between(&before->cpu, &after->cpu);

	return span.total ? 100.0 * (double)span.busy / (double)span.total : 0;
}

static double meminfo_kilobytes(const char *meminfo, const char *key)
{
	char *value = host_field(meminfo, key);
	double kilobytes = value ? strtod(value, NULL) : 0;

	free(value);
	return kilobytes;
}

static double mem_percent(void)
{
	char *meminfo = host_read("/proc/meminfo");
	double total = 0, available = 0;

	if (meminfo) {
		total = meminfo_kilobytes(meminfo, "MemTotal");
		available = meminfo_kilobytes(meminfo, "MemAvailable");
	}
	free(meminfo);
	return total > 0 ? 100.0 * (total - available) / total : 0;
}

static void disk_between(const struct reading *before, const struct reading *after, struct sample *sample)
{
	static const enum stat_group counted[] = {STAT_READ, STAT_WRITE, STAT_DISCARD};
	struct block_stat delta = block_stat_between(&before->disk, &after->disk);
	uint64_t wall = after->taken - before->taken;
	size_t i;

	sample->has_disk = true;
	for (i = 0; i < ARRAY_SIZE(counted); i++) {
		sample->disk_ios += delta.group[counted[i]].ios;
		sample->disk_bytes += delta.group[counted[i]].sectors * SECTOR;
	}
	sample->disk_percent = wall ? 100.0 * (double)delta.busy / (double)wall : 0;
	if (sample->disk_percent > 100) /* busy time advances by whole ticks of the kernel */
		sample->disk_percent = 100;
}

void sampler_take(struct sampler *sampler, struct sample *sample)
{
	struct reading reading = take_reading(sampler->device);

	*sample = (struct sample){
		.at = reading.taken - sampler->started,
		.cpu_percent = cpu_percent(&sampler->last, &reading),
		.mem_percent = mem_percent(),
	};
	if (sampler->last.has_disk && reading.has_disk)
		disk_between(&sampler->last, &reading, sample);
	sampler->last = reading;
}

void sampler_stop(struct sampler *sampler)
{
	if (!sampler)
		return;
	free(sampler->device);
	free(sampler);
}
