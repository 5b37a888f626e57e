// SPDX-License-Identifier: GPL-2.0
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "blocks.h"
#include "workload/survey.h"

#define COUNT 64u
#define SIZE  (COUNT * READER_BLOCK)

static bool every_other(size_t number)
{
	return number % 2;
}

/* A file, half of it zeros, stands in for each kind of target. */
static struct target survey(enum target_kind kind, bool writable, bool guest)
{
	struct target target = {.given = (char *)"there", .kind = kind, .file_size = SIZE};
	struct blocks blocks;

	blocks_open(&blocks, COUNT, every_other);
	blocks.place.writable = writable;
	survey_target(&blocks.place, guest, &target);
	blocks_close(&blocks);
	return target;
}

/* A file is asked for its extents, whoever wrote it, and is not sampled. */
static void files(void **state)
{
	static const enum target_kind kinds[] = {TARGET_DIRECTORY, TARGET_FILE};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++) {
		struct target target = survey(kinds[i], i, false);

		if (!target.layout.has_extents)
			skip(); /* a file system that can't tell */
		assert_int_equal(target.layout.written + target.layout.elsewhere, SIZE);
		assert_int_equal(target.layout.sampled, 0);
		assert_int_equal(target.nearness.reads, 0);
	}
}

/* A device is sampled, unless it is about to be written whole. */
static void devices(void **state)
{
	struct target target = survey(TARGET_DEVICE, false, false);

	(void)state;
	assert_false(target.layout.has_extents);
	assert_true(target.layout.sampled > 0 && target.layout.zeros <= target.layout.sampled);
	assert_int_equal(target.nearness.reads, 0);
	target = survey(TARGET_DEVICE, true, false);
	assert_true(!target.layout.has_extents && !target.layout.sampled);
}

static void guests(void **state)
{
	struct target target = survey(TARGET_DEVICE, true, true);

	(void)state;
	assert_true(target.nearness.reads > 0 && target.nearness.random && target.nearness.same);
	assert_int_equal(target.layout.sampled, 0);
	target = survey(TARGET_FILE, true, true);
	assert_true(target.nearness.reads > 0);
	target = survey(TARGET_DEVICE, false, true);
	assert_true(target.nearness.reads > 0 && target.layout.sampled > 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(files),
		cmocka_unit_test(devices),
		cmocka_unit_test(guests),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
