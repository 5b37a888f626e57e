// SPDX-License-Identifier: GPL-2.0
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "result/file_diagnosis.h"

static struct diagnosis *made_up(void)
{
	struct diagnosis *diagnosis = diagnosis_new();
	struct section *section = diagnosis_add_section(diagnosis, "kernel");
	struct finding *finding;

	diagnosis->version = xstrdup("0.1-5-gabc");
	diagnosis->timestamp = xstrdup("2026-01-31 12:34:56");
	diagnosis->machine.host = xstrdup("box");
	section_add(section, "release", "/proc/sys/kernel/osrelease", "6.12");
	finding = section_add(section, "lockdown", NULL, "integrity \xff");
	finding->detail = true;
	finding_is_fine(finding);
	finding = section_add(section, "capabilities", "/proc/self/status", "none");
	finding_blame(finding, FITNESS_LIMITED, "They are missing.", "run sudo iostrata");
	diagnosis->probes.hypervisor = true;
	diagnosis->probes.exit = (struct spread){.samples = 100, .p5 = 1200.5, .p50 = 1300, .p99 = 9000};
	diagnosis->probes.clock_step = 100;
	diagnosis_advise(diagnosis, "Give it a disk.");
	return diagnosis;
}

static const char *text_of(const json_t *object, const char *key)
{
	return json_string_value(json_object_get(object, key));
}

static void all_of_it(void **state)
{
	struct diagnosis *diagnosis = made_up();
	char *text = diagnosis_to_json(diagnosis);
	json_t *object = json_loads(text, 0, NULL), *findings, *finding, *probes;

	(void)state;
	assert_non_null(object);
	assert_int_equal(text[strlen(text) - 1], '\n');
	assert_int_equal(json_integer_value(json_object_get(object, "doctor_schema_version")), 1);
	assert_string_equal(text_of(object, "verdict"), "limited");
	assert_string_equal(text_of(object, "timestamp"), "2026-01-31 12:34:56");
	assert_string_equal(text_of(json_object_get(object, "machine"), "host"), "box");
	assert_string_equal(json_string_value(json_array_get(json_object_get(object, "advice"), 0)), "Give it a disk.");
	assert_int_equal(json_array_size(json_object_get(object, "targets")), 0);
	probes = json_object_get(object, "probes");
	assert_int_equal(json_object_size(probes), 2);
	assert_int_equal(json_integer_value(json_object_get(probes, "clock_step")), 100);
	assert_true(json_real_value(json_object_get(json_object_get(probes, "vm_exit"), "p5")) == 1200.5);
	findings = json_object_get(json_array_get(json_object_get(object, "sections"), 0), "findings");
	assert_int_equal(json_array_size(findings), 3);
	finding = json_array_get(findings, 0);
	assert_string_equal(text_of(finding, "source"), "/proc/sys/kernel/osrelease");
	assert_null(json_object_get(finding, "fitness"));
	assert_null(json_object_get(finding, "detail"));
	finding = json_array_get(findings, 1);
	assert_string_equal(text_of(finding, "value"), "integrity \uFFFD");
	assert_string_equal(text_of(finding, "fitness"), "fine");
	assert_true(json_is_true(json_object_get(finding, "detail")));
	assert_null(json_object_get(finding, "source"));
	finding = json_array_get(findings, 2);
	assert_string_equal(text_of(finding, "problem"), "They are missing.");
	assert_string_equal(text_of(finding, "cure"), "run sudo iostrata");
	json_decref(object);
	free(text);
	diagnosis_free(diagnosis);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(all_of_it)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
