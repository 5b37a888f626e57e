// SPDX-License-Identifier: GPL-2.0
#include "doctor_parts.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/format.h"
#include "base/text.h"
#include "host/cpu.h"
#include "host/files.h"
#include "host/sensors.h"

#define CPUS	 "/sys/devices/system/cpu"
#define POLICIES CPUS "/cpufreq"
#define GOVERNOR POLICIES "/policy*/scaling_governor"

static bool begins(const char *string, const char *start)
{
	return string && !strncmp(string, start, strlen(start));
}

/* --- stolen time --- */

/* False where it can't be read; `percent` of the CPUs' time since the start. */
static bool read_steal(double *percent)
{
	char *content = host_read("/proc/stat");
	bool known = begins(content, "cpu ");
	struct cpu_times times, none = {0};
	struct cpu_span span;

	if (known) {
		cpu_times_parse(&times, content + strlen("cpu "));
		span = cpu_span_between(&none, &times);
		known = span.total > 0;
		*percent = known ? 100.0 * (double)span.stolen / (double)span.total : 0;
	}
	free(content);
	return known;
}

/* Of all kernels' guests, only those of KVM, Xen and VMware are told of it (pv_steal_clock in the kernel's arch/). */
static bool is_never_told(const struct machine *machine)
{
	const char *key = machine->platform.key;

	return (machine->wsl && strcmp(machine->wsl, "1") != 0) || begins(key, "wsl2") || begins(key, "hyperv") ||
	       begins(key, "azure");
}

static void add_steal(struct section *section, const struct machine *machine)
{
	const char *key = machine->platform.key;
	char number[FORMAT_LENGTH];
	double percent;

	if (!read_steal(&percent))
		section_add(section, "stolen time", "/proc/stat", "unknown");
	else if (percent > 0)
		section_add(section, "stolen time", "/proc/stat", "%s %% of the CPUs' time since the start",
			    format_fixed(number, percent, percent < 0.1 ? 3 : 1));
	else if (is_never_told(machine))
		section_add(section, "stolen time", "/proc/stat", "unknown: Hyper-V does not tell it");
	else if (machine->hypervisor || !key || strcmp(key, "bare-metal"))
		section_add(section, "stolen time", "/proc/stat", "unknown: none was ever told");
	else
		section_add(section, "stolen time", "/proc/stat", "none: there is no hypervisor")->detail = true;
}

/* --- frequency --- */

struct policies {
	char **governor; /* that occur, each once */
	size_t governors;
	size_t slow;		   /* policies that do not keep their CPUs fast */
	char *driver, *preference; /* of the first */
};

static void add_once(char ***strings, size_t *count, const char *string)
{
	for (size_t i = 0; i < *count; i++)
		if (!strcmp((*strings)[i], string))
			return;
	strings_add(strings, count, string);
}

/* With intel_pstate and amd_pstate "powersave" is the usual one, and the preference says what it means. */
static void look_at_policy(const char *policy, struct policies *policies)
{
	char *governor = host_read_line(POLICIES "/%s/scaling_governor", policy);
	char *preference = host_read_line(POLICIES "/%s/energy_performance_preference", policy);

	if (governor) {
		add_once(&policies->governor, &policies->governors, governor);
		policies->slow +=
			strcmp(governor, "performance") && !(preference && !strcmp(preference, "performance"));
		if (!policies->driver)
			policies->driver = host_read_line(POLICIES "/%s/scaling_driver", policy);
		if (!policies->preference && preference)
			policies->preference = xstrdup(preference);
	}
	free(preference);
	free(governor);
}

static void policies_read(struct policies *policies)
{
	char **entry = host_list(POLICIES);

	*policies = (struct policies){.governor = xcalloc(1, sizeof(char *))};
	for (size_t i = 0; entry && entry[i]; i++)
		if (begins(entry[i], "policy"))
			look_at_policy(entry[i], policies);
	strings_free(entry);
}

static char *policies_in_words(const struct policies *policies)
{
	struct text text = {0};

	for (size_t i = 0; i < policies->governors; i++)
		text_addf(&text, "%s%s", i ? ", " : "", policies->governor[i]);
	if (policies->driver)
		text_addf(&text, " (%s", policies->driver);
	if (policies->preference)
		text_addf(&text, "%s%s", policies->driver ? ", preference " : " (preference ", policies->preference);
	if (policies->driver || policies->preference)
		text_addf(&text, ")");
	return text_take(&text);
}

static void policies_clear(struct policies *policies)
{
	strings_free(policies->governor);
	free(policies->driver);
	free(policies->preference);
}

static void add_governor(struct section *section, const struct machine *machine)
{
	struct policies policies;
	struct finding *finding;

	policies_read(&policies);
	if (policies.governors) {
		finding = add_value(section, "frequency governor", GOVERNOR, policies_in_words(&policies));
		if (policies.slow)
			finding_blame(
				finding, FITNESS_LIMITED,
				"The CPUs slow down while they wait for I/O, so latencies at low depth are longer "
				"and differ between runs.",
				"echo performance | sudo tee " GOVERNOR);
		else
			finding_is_fine(finding);
	} else {
		section_add(section, "frequency governor", GOVERNOR,
			    machine->hypervisor ? "unknown: the host has it"
						: "unknown: this kernel sets no frequency");
	}
	policies_clear(&policies);
}

static void add_boost(struct section *section)
{
	uint64_t value;

	if (!host_read_number(&value, CPUS "/intel_pstate/no_turbo"))
		section_add(section, "turbo", CPUS "/intel_pstate/no_turbo", value ? "off" : "on")->detail = true;
	else if (!host_read_number(&value, POLICIES "/boost"))
		section_add(section, "turbo", POLICIES "/boost", value ? "on" : "off")->detail = true;
}

/* --- sleep --- */

struct idle_state {
	char *name;
	uint64_t latency; /* us to get out of it */
};

/* The deepest of CPU 0 that is enabled; no name: there is none. */
static struct idle_state deepest_state(void)
{
	char **entry = host_list(CPUS "/cpu0/cpuidle");
	struct idle_state deepest = {0};
	uint64_t latency, disabled;

	for (size_t i = 0; entry && entry[i]; i++) {
		if (host_read_number(&latency, CPUS "/cpu0/cpuidle/%s/latency", entry[i]) ||
		    (!host_read_number(&disabled, CPUS "/cpu0/cpuidle/%s/disable", entry[i]) && disabled) ||
		    (deepest.name && latency < deepest.latency))
			continue;
		free(deepest.name);
		deepest.name = host_read_line(CPUS "/cpu0/cpuidle/%s/name", entry[i]);
		deepest.latency = latency;
	}
	strings_free(entry);
	return deepest;
}

static void add_idle(struct section *section)
{
	char *driver = host_read_line(CPUS "/cpuidle/current_driver"), latency[FORMAT_LENGTH];
	struct idle_state deepest = deepest_state();
	struct text text = {0};

	if (driver)
		text_addf(&text, "%s", strcmp(driver, "none") ? driver : "no driver: an idle CPU is halted");
	if (driver && deepest.name)
		text_addf(&text, ", deepest %s, which takes %s to leave", deepest.name,
			  format_latency(latency, 1000.0 * (double)deepest.latency));
	add_value(section, "idle CPUs", CPUS "/cpuidle/current_driver", text.length ? text_take(&text) : NULL);
	free(deepest.name);
	free(driver);
}

static bool is_haltpoll(const char *file)
{
	char *line = host_read_line(CPUS "/cpuidle/%s", file);
	bool is = line && !strcmp(line, "haltpoll");

	free(line);
	return is;
}

/* An idle CPU that polls for a while needs no exit and no interrupt to go on. */
static void add_polling(struct section *section, const struct machine *machine)
{
	static const char limit[] = "/sys/module/haltpoll/parameters/guest_halt_poll_ns";
	char span[FORMAT_LENGTH];
	uint64_t longest;

	if (booted_with("idle=poll"))
		section_add(section, "halt polling", "/proc/cmdline", "always (idle=poll)");
	else if ((is_haltpoll("current_driver") || is_haltpoll("current_governor") ||
		  is_haltpoll("current_governor_ro")) &&
		 !host_read_number(&longest, "%s", limit))
		section_add(section, "halt polling", limit, "by this guest, for %s at the most",
			    format_latency(span, (double)longest));
	else if (machine->hypervisor)
		section_add(section, "halt polling", CPUS "/cpuidle/current_driver",
			    "not by this guest; whether the host polls is not known");
}

/* --- power and heat --- */

static void add_power(struct section *section)
{
	struct finding *finding;
	uint64_t times;
	bool battery;

	if (!sensors_on_battery(&battery)) {
		section_add(section, "power", "/sys/class/power_supply", "unknown")->detail = true;
	} else {
		finding = section_add(section, "power", "/sys/class/power_supply", battery ? "battery" : "mains");
		if (battery)
			finding_blame(finding, FITNESS_LIMITED,
				      "The machine runs on its battery, which makes many slower.", "plug it in");
		else
			finding_is_fine(finding);
	}
	if (sensors_throttlings(&times))
		section_add(section, "slowed down by heat", CPUS "/cpu*/thermal_throttle",
			    "%" PRIu64 " times since the start", times)
			->detail = true;
}

static void add_profile(struct section *section)
{
	static const char path[] = "/sys/firmware/acpi/platform_profile";
	char *profile = host_read_line("%s", path);
	struct finding *finding;

	if (!profile)
		return;
	finding = section_add(section, "platform profile", path, "%s", profile);
	if (!strcmp(profile, "low-power") || !strcmp(profile, "quiet") || !strcmp(profile, "cool"))
		finding_blame(finding, FITNESS_LIMITED, "The firmware keeps the machine slow, to save power or noise.",
			      "echo performance | sudo tee /sys/firmware/acpi/platform_profile");
	free(profile);
}

void doctor_cpus(struct section *section, const struct machine *machine)
{
	add_steal(section, machine);
	add_governor(section, machine);
	add_boost(section);
	add_idle(section);
	add_polling(section, machine);
	add_power(section);
	add_profile(section);
}
