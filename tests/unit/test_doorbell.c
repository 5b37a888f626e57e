// SPDX-License-Identifier: GPL-2.0
#include "report/doorbell.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

/* What is said of `bells` doorbells of `ns` each, for `rung` I/Os; the caller frees it. */
static char *said(uint64_t ns, uint64_t bells, uint64_t rung, bool virtual, bool *exit)
{
	struct machine machine = {.hypervisor = virtual};
	struct io_view *view = calloc(1, sizeof(*view));
	struct io_summary summary = {.sum = view};
	char *words;

	assert_non_null(view);
	if (bells)
		hist_add(&view->stage[IO_STAGE_DOORBELL], ns, bells);
	view->counts.rung = rung;
	summary.mean[IO_STAGE_DOORBELL] = (double)ns;
	words = doorbell_in_words(&summary, &machine);
	*exit = doorbell_has_exit(&summary, &machine);
	free(view);
	return words;
}

static void assert_said(uint64_t ns, uint64_t bells, uint64_t rung, bool virtual, const char *words, bool has_exit)
{
	bool exit;
	char *sentence = said(ns, bells, rung, virtual, &exit);

	assert_non_null(sentence);
	for (char *blank = sentence; (blank = strstr(blank, "\xc2\xa0"));)
		memmove(blank + 1, blank + 2, strlen(blank + 1)), *blank = ' ';
	assert_string_equal(sentence, words);
	assert_int_equal(exit, has_exit);
	free(sentence);
}

static void short_and_long(void **state)
{
	(void)state;
	assert_said(1700, 10, 10, true,
		    "The doorbell takes 1.70 µs for each I/O: too short for an exit to the hypervisor.", false);
	assert_said(5300, 10, 10, true,
		    "The doorbell takes 5.30 µs for each I/O: an exit to the hypervisor may be part of it.", false);
	assert_said(42700, 10, 10, true,
		    "The doorbell takes 42.7 µs for each I/O: an exit to the hypervisor is part of it.", true);
}

static void shared(void **state)
{
	(void)state;
	assert_said(42700, 10, 80, true,
		    "The doorbell takes 42.7 µs for every 8.00 I/Os: an exit to the hypervisor is part of it.", true);
	assert_said(1700, 10, 25, false, "The doorbell takes 1.70 µs for every 2.50 I/Os.", false);
	/* Of a file that was written before it was counted, nothing is said of that. */
	assert_said(1700, 10, 0, true, "The doorbell takes 1.70 µs: too short for an exit to the hypervisor.", false);
}

/* There is nothing to exit to. */
static void on_bare_metal(void **state)
{
	(void)state;
	assert_said(42700, 10, 10, false,
		    "The doorbell takes 42.7 µs for each I/O: the driver's own work, as this is no virtual machine.",
		    false);
}

static void absent(void **state)
{
	bool exit;

	(void)state;
	assert_null(said(0, 0, 0, true, &exit));
	assert_false(exit);
	/* On bare metal a short one of its own is no news. */
	assert_null(said(1700, 10, 10, false, &exit));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(short_and_long),
		cmocka_unit_test(shared),
		cmocka_unit_test(on_bare_metal),
		cmocka_unit_test(absent),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
