// SPDX-License-Identifier: GPL-2.0
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/text.h"
#include "result/diagnosis.h"

static void test_worst(void **state)
{
	struct diagnosis *diagnosis = diagnosis_new();
	struct finding *finding;

	(void)state;
	assert_int_equal(diagnosis_fitness(diagnosis), FITNESS_PLAIN);
	assert_null(diagnosis_verdict_name(diagnosis));
	section_add(diagnosis_add_section(diagnosis, "kernel"), "release", NULL, "%d.%d", 6, 12);
	assert_string_equal(diagnosis->section[0].finding[0].value, "6.12");
	assert_null(diagnosis->section[0].finding[0].source);
	finding_is_fine(section_add(&diagnosis->section[0], "BTF", "/sys/kernel/btf/vmlinux", "present"));
	assert_int_equal(diagnosis_fitness(diagnosis), FITNESS_FINE);
	assert_string_equal(diagnosis_verdict_name(diagnosis), "fit");

	finding = section_add(diagnosis_add_section(diagnosis, "machine"), "fio", NULL, "none");
	finding_blame(finding, FITNESS_UNFIT, "There is no fio.", "apt-get install fio");
	section_add(&diagnosis->section[1], "CPUs", NULL, "2");
	assert_int_equal(diagnosis_fitness(diagnosis), FITNESS_UNFIT);
	assert_string_equal(diagnosis->section[1].finding[0].cure, "apt-get install fio");
	assert_string_equal(diagnosis_verdict_name(diagnosis), "unfit");
	assert_int_equal(diagnosis_count(diagnosis, FITNESS_UNFIT), 1);
	assert_int_equal(diagnosis_count(diagnosis, FITNESS_LIMITED), 0);
	diagnosis_advise(diagnosis, "Give it %s.", "sdb");
	assert_string_equal(diagnosis->advice[0], "Give it sdb.");
	diagnosis_free(diagnosis);
}

static void assert_blamed(const char *sentence, bool last, const char *problem, const char *cure)
{
	struct diagnosis *diagnosis = diagnosis_new();
	struct finding *finding = section_add(diagnosis_add_section(diagnosis, "kernel"), "it", NULL, "bad");

	finding_blame_sentence(finding, FITNESS_LIMITED, xstrdup(sentence), last);
	assert_int_equal(diagnosis_fitness(diagnosis), FITNESS_LIMITED);
	assert_string_equal(diagnosis_verdict_name(diagnosis), "limited");
	assert_string_equal(finding->problem, problem);
	if (cure)
		assert_string_equal(finding->cure, cure);
	else
		assert_null(finding->cure);
	diagnosis_free(diagnosis);
}

static void test_sentences(void **state)
{
	(void)state;
	assert_blamed("this is wrong: do that: [A, B]", false, "This is wrong.", "do that: [A, B]");
	assert_blamed("a is so: as b is: do that", true, "A is so: as b is.", "do that");
	assert_blamed("CAP_BPF is missing", false, "CAP_BPF is missing.", NULL);
	assert_blamed("CAP_BPF is missing", true, "CAP_BPF is missing.", NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_worst), cmocka_unit_test(test_sentences)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
