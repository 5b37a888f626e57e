// SPDX-License-Identifier: GPL-2.0
#include "trace/protocols.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

static void assert_named(uint32_t name, const char *protocol, const char *kind, bool written_back, bool has_bytes)
{
	struct remote_view view;

	protocol_describe(&view, name);
	assert_string_equal(view.protocol, protocol);
	assert_string_equal(view.kind, kind);
	assert_int_equal(view.written_back, written_back);
	assert_int_equal(view.has_bytes, has_bytes);
	assert_int_equal(view.sent, 0);
	free(view.protocol);
	free(view.kind);
}

/* As the kernel numbers them: half of a 9p message's type, and FUSE's opcode. */
static void names(void **state)
{
	(void)state;
	assert_named(remote_name(0, REMOTE_9P, 116 / 2), "9p", "Tread", false, false);
	assert_named(remote_name(0, REMOTE_9P, 118 / 2), "9p", "Twrite", false, false);
	assert_named(remote_name(0, REMOTE_9P, 50 / 2), "9p", "Tfsync", false, false);
	assert_named(remote_name(0, REMOTE_FUSE, 15), "fuse", "FUSE_READ", false, true);
	assert_named(remote_name(1, REMOTE_FUSE, 16), "fuse", "FUSE_WRITE", true, true);
	assert_named(remote_name(0, REMOTE_FUSE, 52), "fuse", "FUSE_STATX", false, true);
}

static void numbers_without_a_name(void **state)
{
	(void)state;
	assert_named(remote_name(0, REMOTE_9P, 34 / 2), "9p", "34", false, false);
	assert_named(remote_name(0, REMOTE_FUSE, 60), "fuse", "60", false, true);
	/* what is beyond all kinds is the last one */
	assert_named(remote_name(0, REMOTE_FUSE, 4096), "fuse", "63", false, true);
}

static void each_has_its_own(void **state)
{
	bool seen[REMOTE_NAMES] = {false};

	(void)state;
	for (uint32_t back = 0; back < REMOTE_OWNERS; back++)
		for (uint32_t protocol = 0; protocol < REMOTE_PROTOCOLS; protocol++)
			for (uint32_t kind = 0; kind < REMOTE_KINDS; kind++) {
				uint32_t name = remote_name(back, protocol, kind);

				assert_true(name < REMOTE_NAMES && !seen[name]);
				seen[name] = true;
			}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names),
		cmocka_unit_test(numbers_without_a_name),
		cmocka_unit_test(each_has_its_own),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
