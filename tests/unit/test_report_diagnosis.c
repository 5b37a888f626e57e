// SPDX-License-Identifier: GPL-2.0
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "report/diagnosis.h"
#include "shown.h"

static struct diagnosis *made_up(void)
{
	struct diagnosis *diagnosis = diagnosis_new();
	struct section *section = diagnosis_add_section(diagnosis, "kernel");

	diagnosis->version = xstrdup("0.1-5-gabc");
	diagnosis->timestamp = xstrdup("2026-01-31 12:34:56");
	diagnosis->machine.host = xstrdup("box");
	finding_is_fine(section_add(section, "release", "/proc/sys/kernel/osrelease", "6.12"));
	finding_is_fine(section_add(section, "lockdown", "/sys/kernel/security/lockdown", "none"));
	section->finding[1].detail = true;
	section = diagnosis_add_section(diagnosis, "machine");
	section_add(section, "clock source", NULL, "tsc, which is a clock that %s",
		    "the processor itself counts, quickly");
	return diagnosis;
}

static char *shown(const struct diagnosis *diagnosis, bool colour, bool verbose)
{
	struct text text = {0};

	report_diagnosis(diagnosis, colour, verbose, &text);
	if (!colour)
		assert_fits(text.data);
	return text_take(&text);
}

static struct finding *blame(struct diagnosis *diagnosis, size_t section, const char *name, enum fitness fitness,
			     const char *problem, const char *cure)
{
	struct finding *finding = section_add(&diagnosis->section[section], name, NULL, "bad");

	finding_blame(finding, fitness, problem, cure);
	return finding;
}

static void sections_in_line(void **state)
{
	struct diagnosis *diagnosis = made_up();
	char *text = shown(diagnosis, false, false);

	(void)state;
	assert_string_equal(text, "iostrata 0.1 · doctor · box · 2026-01-31 12:34:56\n"
				  "\n"
				  "kernel\n"
				  "  release       6.12\n"
				  "\n"
				  "machine\n"
				  "  clock source  tsc, which is a clock that the processor itself counts, quickly\n"
				  "\n"
				  "fit\n");
	free(text);
	text = shown(diagnosis, false, true);
	assert_has(text, "  release       6.12 [/proc/sys/kernel/osrelease]\n");
	assert_has(text, "  lockdown      none [/sys/kernel/security/lockdown]\n");
	free(text);
	diagnosis_free(diagnosis);
}

/* What has a problem is shown, detail or not; what makes it unfit first. */
static void problems(void **state)
{
	struct diagnosis *diagnosis = made_up();
	char *text;

	(void)state;
	blame(diagnosis, 0, "aio", FITNESS_LIMITED, "There is no room.", "sudo sysctl -w fs.aio-max-nr=65536")->detail =
		true;
	text = shown(diagnosis, false, false);
	assert_has(text, "! aio           bad\n");
	assert_has(text, "What to fix\n"
			 "! kernel, aio: There is no room.\n"
			 "    → sudo sysctl -w fs.aio-max-nr=65536\n"
			 "\n"
			 "usable with limits: 1\n");
	free(text);
	blame(diagnosis, 1, "fio", FITNESS_UNFIT, "There is no fio.", NULL);
	text = shown(diagnosis, false, false);
	assert_has(text, "What to fix\n"
			 "x machine, fio: There is no fio.\n"
			 "! kernel, aio: There is no room.\n");
	assert_has(text, "\nnot usable: 1 thing to fix first (x), more to fix then (!)\n");
	free(text);
	text = shown(diagnosis, true, false);
	assert_has(text, "\033[31mx fio           bad\033[0m\n");
	assert_has(text, "\033[33m! aio           bad\033[0m\n");
	free(text);
	diagnosis_free(diagnosis);
}

static void add_clue(struct platform *platform, const char *source, const char *value, const char *says)
{
	platform->clue = xreallocarray(platform->clue, platform->clues + 1, sizeof(*platform->clue));
	platform->clue[platform->clues++] = (struct clue){
		.source = xstrdup(source),
		.value = xstrdup(value),
		.says = says ? xstrdup(says) : NULL,
	};
}

static void clues(void **state)
{
	struct diagnosis *diagnosis = made_up();
	struct platform *platform = &diagnosis->machine.platform;
	char *text;

	(void)state;
	*platform = (struct platform){
		.key = xstrdup("kvm"),
		.name = xstrdup("KVM virtual machine"),
		.certainty = xstrdup("certain"),
		.container = xstrdup("docker"),
	};
	add_clue(platform, "CPUID 0x40000000", "KVMKVMKVM", "kvm");
	add_clue(platform, "/.dockerenv", "there", "docker");
	add_clue(platform, "/sys/hypervisor/type", "absent", NULL);
	add_clue(platform, "/sys/class/dmi/id/sys_vendor", "Xen\033[31m", "xen");
	text = shown(diagnosis, false, false);
	assert_says(text,
		    "Platform: KVM virtual machine, in a container (docker); certain, by CPUID 0x40000000 (KVMKVMKVM), "
		    "/.dockerenv (there).");
	assert_lacks(text, "hypervisor/type");
	free(text);
	text = shown(diagnosis, false, true);
	assert_has(text, "  CPUID 0x40000000: KVMKVMKVM → kvm\n");
	assert_has(text, "  /sys/hypervisor/type: absent\n");
	assert_harmless(text);
	free(text);
	diagnosis_free(diagnosis);
}

/* Options of mounts are one word, and words are not broken. */
static void long_words(void **state)
{
	struct diagnosis *diagnosis = made_up();
	char *text;

	(void)state;
	section_add(&diagnosis->section[0], "options", NULL,
		    "ext4 at /, rw,relatime,discard,errors=remount-ro,data=ordered,and,many,others,that,do,not,fit,in");
	section_add(&diagnosis->section[0], "few", NULL, "rw,relatime");
	text = shown(diagnosis, false, false);
	assert_has(text, "  options       ext4 at /, rw, relatime, discard, errors=remount-ro,");
	assert_has(text, "not, fit, in\n");
	assert_has(text, "rw,relatime\n");
	free(text);
	diagnosis_free(diagnosis);
}

static void advice(void **state)
{
	struct diagnosis *diagnosis = made_up();
	char *text;

	(void)state;
	diagnosis_advise(diagnosis, "Give it a disk.\n  mount /dev/sdb /mnt");
	blame(diagnosis, 0, "aio", FITNESS_LIMITED, "There is no room.", NULL);
	text = shown(diagnosis, false, false);
	assert_has(text, "\n\nGive it a disk.\n  mount /dev/sdb /mnt\n\nWhat to fix\n");
	free(text);
	diagnosis_free(diagnosis);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sections_in_line), cmocka_unit_test(problems), cmocka_unit_test(clues),
		cmocka_unit_test(long_words),	    cmocka_unit_test(advice),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
