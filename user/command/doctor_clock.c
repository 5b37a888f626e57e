// SPDX-License-Identifier: GPL-2.0
#include "doctor_parts.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/format.h"
#include "base/text.h"
#include "host/files.h"

#define FOLDER	  "/sys/devices/system/clocksource/clocksource0"
#define CURRENT	  FOLDER "/current_clocksource"
#define AVAILABLE FOLDER "/available_clocksource"

/* ns: a good clock is read in 20 to 60, by a system call in some hundreds. */
#define SLOW_READING 1000
#define COARSE_STEP  1000

/* --- the clock source --- */

struct clock_source {
	const char *name;
	enum fitness fitness;
	const char *problem; /* NULL: it is good */
};

#define IS_SLOW "each reading takes a microsecond or more, and an I/O has several"

/* Those of the kernel's drivers/clocksource and arch/x86. Where one is good, the better stands first. */
static const struct clock_source sources[] = {
	{"kvm-clock", FITNESS_FINE, NULL},
	{"hyperv_clocksource_tsc_page", FITNESS_FINE, NULL},
	{"tsc", FITNESS_FINE, NULL},
	{"xen", FITNESS_FINE, NULL},
	{"arch_sys_counter", FITNESS_FINE, NULL},
	{"hyperv_clocksource_msr", FITNESS_LIMITED,
	 "The clock is Hyper-V's register, and each reading of it leaves the virtual machine: " IS_SLOW "."},
	{"acpi_pm", FITNESS_LIMITED, "The clock is the ACPI timer, which is read over a port: " IS_SLOW "."},
	{"hpet", FITNESS_LIMITED, "The clock is the HPET, which is read over the bus: " IS_SLOW "."},
	{"pit", FITNESS_LIMITED, "The clock is the PIT, which is read over a port: " IS_SLOW "."},
	{"jiffies", FITNESS_UNFIT, "The clock goes in ticks of 1 to 10 ms: the time of an I/O can't be told by it."},
	{"refined-jiffies", FITNESS_UNFIT,
	 "The clock goes in ticks of 1 to 10 ms: the time of an I/O can't be told by it."},
};

/* NULL: nothing is known of it. */
static const struct clock_source *source_of(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(sources); i++)
		if (!strcmp(sources[i].name, name))
			return &sources[i];
	return NULL;
}

/* Another one that is good; where there is none, what says why. The caller frees it. */
static char *cure_of_source(const char *available)
{
	for (size_t i = 0; available && i < ARRAY_SIZE(sources) && !sources[i].problem; i++)
		if (text_has_word(available, sources[i].name))
			return xasprintf("echo %s | sudo tee " CURRENT, sources[i].name);
	return xstrdup("sudo dmesg | grep -i -e clocksource -e tsc   (why there is no better one)");
}

/* Whether something is wrong with it. */
static bool judge_source(struct finding *finding, const char *current, const char *available)
{
	const struct clock_source *source = current ? source_of(current) : NULL;
	char *cure;

	if (source && !source->problem)
		finding_is_fine(finding);
	if (!source || !source->problem)
		return false;
	cure = cure_of_source(available);
	finding_blame(finding, source->fitness, source->problem, cure);
	free(cure);
	return true;
}

static bool add_source(struct section *section)
{
	char *current = host_read_line(CURRENT), *available = host_read_line(AVAILABLE);
	struct finding *finding;
	bool wrong;

	finding = section_add(section, "clock source", CURRENT, "%s", current ? current : "unknown");
	wrong = judge_source(finding, current, available);
	if (available)
		section_add(section, "clock sources", AVAILABLE, "%s", available)->detail = true;
	free(available);
	free(current);
	return wrong;
}

/* --- what it costs --- */

static struct finding *add_spread(struct section *section, const char *name, const char *source,
				  const struct spread *spread)
{
	return add_value(section, name, source, spread_in_words(spread));
}

static void add_reading(struct section *section, const struct probes *probes, bool blamed)
{
	struct finding *finding =
		add_spread(section, "reading the clock", "clock_gettime(CLOCK_MONOTONIC)", &probes->clock);

	if (!probes->clock.samples || blamed)
		return;
	if (probes->clock.p50 > SLOW_READING)
		finding_blame(finding, FITNESS_LIMITED,
			      "Reading the clock takes more than a microsecond, and an I/O has several readings.",
			      "sudo dmesg | grep -i -e clocksource -e tsc   (why it is slow)");
	else
		finding_is_fine(finding);
}

/* Finer than a reading takes is as fine as can be used. */
static void add_steps(struct section *section, const struct probes *probes, bool blamed)
{
	char step[FORMAT_LENGTH];
	struct finding *finding;

	if (!probes->clock.samples)
		return;
	if (!probes->clock_step) {
		finding = section_add(section, "steps of the clock", "clock_gettime(CLOCK_MONOTONIC)",
				      "finer than a reading takes");
		finding_is_fine(finding);
		return;
	}
	finding = section_add(section, "steps of the clock", "clock_gettime(CLOCK_MONOTONIC)", "%s",
			      format_latency(step, (double)probes->clock_step));
	if (probes->clock_step >= COARSE_STEP && !blamed)
		finding_blame(finding, FITNESS_LIMITED,
			      "The clock goes in steps of a microsecond or more: shorter times can't be told apart.",
			      "sudo dmesg | grep -i -e clocksource -e tsc   (why there is no finer one)");
	else if (probes->clock_step < COARSE_STEP)
		finding_is_fine(finding);
}

void doctor_clock(struct section *section, const struct probes *probes)
{
	bool blamed = add_source(section);

	add_reading(section, probes, blamed);
	add_steps(section, probes, blamed);
}

/* --- what the CPU costs --- */

static void add_exit(struct section *section, const struct probes *probes)
{
	if (probes->hypervisor || !probes->exit.samples)
		add_spread(section, "exit of the VM", "CPUID 0x40000000", &probes->exit);
	else
		add_spread(section, "CPUID", "CPUID 0", &probes->exit)->detail = true;
}

static void add_wakes(struct section *section, const struct probes *probes)
{
	char *across = spread_in_words(&probes->across);

	add_spread(section, "wake-up, same CPU", "eventfd", &probes->same);
	if (probes->across.samples)
		section_add(section, "wake-up, other CPU", "eventfd", "%s (CPUs %u and %u)", across, probes->cpu,
			    probes->other);
	free(across);
}

void doctor_costs(struct section *section, const struct probes *probes)
{
	if (!probes->clock.samples)
		return;
	add_exit(section, probes);
	add_spread(section, "late timers", "clock_nanosleep(), 50 us", &probes->timer);
	add_wakes(section, probes);
}
