// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/text.h"
#include "workload/layout.h"
#include "workload/signals.h"

#define SIZE (9u << 20) /* more than two chunks, and not a multiple of one */

static void ignore(void *context, uint64_t done, uint64_t total)
{
	(void)context;
	(void)done;
	(void)total;
}

static int temporary(void)
{
	char name[] = "/tmp/iostrata-layout-XXXXXX";
	int fd = mkstemp(name);

	assert_true(fd >= 0);
	unlink(name);
	return fd;
}

/* Every block is written, and no two are alike. */
static void every_block_is_written(void **state)
{
	struct place place = {.fd = temporary(), .directory = -1, .disk = -1};
	uint64_t first, *seen = xcalloc(SIZE / 4096, sizeof(*seen));
	struct stat st;

	(void)state;
	assert_int_equal(layout_write(&place, SIZE, ignore, NULL), 0);
	assert_int_equal(fstat(place.fd, &st), 0);
	assert_int_equal(st.st_size, SIZE);
	assert_true((uint64_t)st.st_blocks * 512 >= SIZE);
	for (size_t block = 0; block < SIZE / 4096; block++) {
		assert_int_equal(pread(place.fd, &first, sizeof(first), block * 4096), sizeof(first));
		assert_true(first != 0);
		for (size_t earlier = 0; earlier < block; earlier++)
			assert_true(seen[earlier] != first);
		seen[block] = first;
	}
	free(seen);
	close(place.fd);
}

static void a_full_file_system_is_told(void **state)
{
	struct place place = {.fd = open("/dev/full", O_RDWR | O_CLOEXEC), .directory = -1, .disk = -1};

	(void)state;
	assert_int_equal(layout_write(&place, SIZE, ignore, NULL), -ENOSPC);
	close(place.fd);
}

static void a_signal_stops_it(void **state)
{
	struct place place = {.fd = temporary(), .directory = -1, .disk = -1};

	(void)state;
	assert_int_equal(signals_init(), 0);
	assert_int_equal(signals_stopped(), 0);
	raise(SIGTERM);
	assert_int_equal(layout_write(&place, SIZE, ignore, NULL), -EINTR);
	assert_int_equal(signals_stopped(), SIGTERM);
	assert_int_equal(signals_count(), 1);
	close(place.fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_block_is_written),
		cmocka_unit_test(a_full_file_system_is_told),
		cmocka_unit_test(a_signal_stops_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
