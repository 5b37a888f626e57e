// SPDX-License-Identifier: GPL-2.0
#include "workload/direct.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <fcntl.h>
#include <unistd.h>

#include "base/text.h"

/* Files of /proc take no O_DIRECT. */
static const char refusing[] = "/proc/self/status";

static char *ask(const char *path, const struct target *target)
{
	struct place place = {.fd = open(path, O_RDONLY | O_CLOEXEC), .directory = -1, .disk = -1};
	char *why;

	assert_true(place.fd >= 0);
	why = direct_refusal(&place, target);
	close(place.fd);
	return why;
}

static void refused(void **state)
{
	const struct target target = {.kind = TARGET_FILE, .filesystem = (char *)"proc"};
	char *why = ask(refusing, &target);

	(void)state;
	assert_string_equal(why, "proc refuses O_DIRECT when a file is opened (EINVAL)");
	free(why);
}

/* A file system on a device, and a device, are never measured through the page cache. */
static void never_with_a_device(void **state)
{
	struct target target = {.kind = TARGET_FILE, .layers = 1};

	(void)state;
	assert_null(ask(refusing, &target));
	target = (struct target){.kind = TARGET_DEVICE};
	assert_null(ask(refusing, &target));
}

/* What it has at its beginning it still has. */
static void taken(void **state)
{
	const struct target target = {.kind = TARGET_FILE};
	struct place place = {.directory = -1, .disk = -1, .writable = true};
	char name[] = "/var/tmp/iostrata-test-XXXXXX", data[4096], again[4096];

	(void)state;
	place.fd = mkostemp(name, O_CLOEXEC);
	assert_true(place.fd >= 0);
	unlink(name);
	memset(data, 'x', sizeof(data));
	assert_int_equal(pwrite(place.fd, data, sizeof(data), 0), sizeof(data));
	assert_null(direct_refusal(&place, &target));
	assert_int_equal(pread(place.fd, again, sizeof(again), 0), sizeof(again));
	assert_memory_equal(data, again, sizeof(data));
	close(place.fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(refused),
		cmocka_unit_test(never_with_a_device),
		cmocka_unit_test(taken),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
