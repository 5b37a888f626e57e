// SPDX-License-Identifier: GPL-2.0
/* What compare --host prints. */
#include "report/split.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "made_up_result.h"
#include "made_up_split.h"
#include "shown.h"

/* The report; frees the pair. */
static char *shown(struct pair *pair)
{
	struct split split = split_pair(pair);
	struct text text = {0};

	report_split(&split, false, &text);
	clear(pair, &split);
	assert_fits(text.data);
	assert_harmless(text.data);
	return text_take(&text);
}

static void test_a_run_that_is_divided(void **state)
{
	struct pair pair = made_up_pair();
	char *report = shown(&pair);

	(void)state;
	assert_begins(report, "iostrata 0.1 · bench1 (Linux 6.1.0-made-up) on its host metal (Linux");
	assert_has(report, "guest               requests host I/Os  device transport host kernel host device\n"
			   "RND4K-Q1T1-Read        9,000     9,000 68.1 µs   43.1 µs     5.00 µs     20.0 µs\n");
	assert_says(report,
		    "RND4K-Q1T1-Read: Of the 68.1 µs that a read is at nvme0n1 in the guest, 43.1 µs (63 %) are "
		    "the way through the virtual machine monitor and back, 5.00 µs (7 %) the host's kernel, and "
		    "20.0 µs (29 %) the host's nvme7n1.");
	assert_says(report, "The clocks of both machines are taken to agree within a second.");
	assert_lacks(report, "not divided");
	assert_lacks(report, "middle");
	assert_lacks(report, "not recorded");
	free(report);
}

/* A reason stands in place of figures. */
static void test_a_run_that_is_not(void **state)
{
	struct pair pair = made_up_pair_of(20 * RATE);
	char *report = shown(&pair);

	(void)state;
	assert_has(report, "RND4K-Q1T1-Read       20,000     9,000 68.1 µs         -           -           -\n");
	assert_says(report, "RND4K-Q1T1-Read: the time of its 20,000 requests is not divided: the host has 9,000 I/Os");
	assert_lacks(report, "Of the 68.1");
	free(report);
}

static void test_what_has_to_be_known_of_it(void **state)
{
	struct pair pair = made_up_pair();
	struct op_view *flush = xcalloc(1, sizeof(*flush));
	char *report;

	(void)state;
	pair.guest->run[0].iteration = 2;
	pair.guest->run[0].trace->leaf[0].op[OP_FLUSH] = flush;
	add_run(pair.guest, READ, SECONDS * NS_PER_SECOND, (SECONDS + 10) * NS_PER_SECOND, RATE);
	report = shown(&pair);
	assert_has(report, "\nRND4K-Q1T1-Read #2 ");
	assert_says(report, "1 more run was not recorded on the host, by the clocks of both.");
	assert_says(report, "Flushes are not divided");
	free(report);
}

/* Of a traced program, by operation; the host stopped first. */
static void test_a_part_of_a_program(void **state)
{
	struct pair pair = made_up_pair();
	char *report;

	(void)state;
	pair.guest->run[0].test = NO_TEST;
	pair.host->run[0].trace->recorded = 27300 * NS_PER_MS;
	pair.host->run[0].trace->io[IO_OP_READ]->seconds = 6;
	report = shown(&pair);
	assert_has(report, "\nread ");
	assert_says(report, "read: the host recorded 70 % of this run.");
	free(report);
}

/* 32 jobs of 16, again and again, with seven figures each. */
static void test_long_names_and_numbers(void **state)
{
	struct pair pair = made_up_pair_of(9123456);
	char *report;

	(void)state;
	pair.guest->run[0].iteration = 10;
	strcpy(pair.guest->test[READ].name, "RND4K-Q32T16-Write");
	report = shown(&pair);
	assert_has(report, "kernel  its disk\nRND4K-Q32T16-Write #10");
	free(report);
}

static void test_nothing_to_be_compared(void **state)
{
	struct pair pair = made_up_pair();
	char *report;

	(void)state;
	pair.guest->run[0].trace->started += 3600 * NS_PER_SECOND;
	report = shown(&pair);
	assert_says(report, "No run of the guest's lies in the time that was recorded on the host.");
	assert_lacks(report, "requests");
	free(report);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_run_that_is_divided),	   cmocka_unit_test(test_a_run_that_is_not),
		cmocka_unit_test(test_what_has_to_be_known_of_it), cmocka_unit_test(test_a_part_of_a_program),
		cmocka_unit_test(test_long_names_and_numbers),	   cmocka_unit_test(test_nothing_to_be_compared),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
