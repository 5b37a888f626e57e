// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/text.h"
#include "workload/extents.h"

#define MIB  (1u << 20)
#define SIZE (8u * MIB)

/* An unlinked file in `folder`; skips the test where there is no such folder. */
static int make(const char *folder)
{
	char *name = xasprintf("%s/iostrata-extents-XXXXXX", folder);
	int fd = mkostemp(name, O_CLOEXEC);

	if (fd >= 0)
		unlink(name);
	free(name);
	if (fd < 0)
		skip();
	return fd;
}

static void write_at(int fd, uint64_t offset, size_t length)
{
	char *data = xcalloc(length, 1);

	memset(data, 'x', length);
	assert_int_equal(pwrite(fd, data, length, offset), length);
	free(data);
}

/* Of what the file system can tell; skips the test where it tells nothing. */
static struct layout read_layout(int fd, uint64_t size)
{
	struct layout layout = {.sampled = 3, .zeros = 2};
	int err = extents_read(fd, size, &layout);

	if (err == -EOPNOTSUPP) {
		close(fd);
		skip();
	}
	assert_int_equal(err, 0);
	assert_true(layout.has_extents);
	assert_true(layout.written + layout.unwritten + layout.holes + layout.elsewhere == size);
	/* what it does not find out stays */
	assert_true(layout.sampled == 3 && layout.zeros == 2);
	return layout;
}

static void check_written(const char *folder)
{
	int fd = make(folder);
	struct layout layout;

	write_at(fd, 0, SIZE);
	layout = read_layout(fd, SIZE);
	assert_true(layout.written == SIZE && layout.extents >= 1);
	/* of the part that is asked for, wherever the extent ends */
	assert_true(read_layout(fd, 3 * MIB).written == 3 * MIB);
	close(fd);
}

static void check_sparse(const char *folder)
{
	int fd = make(folder);
	struct layout layout;

	assert_int_equal(ftruncate(fd, SIZE), 0);
	layout = read_layout(fd, SIZE);
	assert_true(layout.holes == SIZE && layout.extents == 0);

	/* holes before, between and behind */
	write_at(fd, MIB, MIB);
	write_at(fd, 3 * MIB, 2 * MIB);
	layout = read_layout(fd, SIZE);
	assert_true(layout.holes == 5 * MIB && layout.written == 3 * MIB && layout.extents >= 2);
	layout = read_layout(fd, 4 * MIB);
	assert_true(layout.holes == 2 * MIB && layout.written == 2 * MIB);
	layout = read_layout(fd, MIB / 2);
	assert_true(layout.holes == MIB / 2 && !layout.written);
	close(fd);
}

/* What was only reserved is not written, whether the file system tells it from a hole or not. */
static void check_reserved(const char *folder)
{
	int fd = make(folder);
	struct layout layout;

	/* posix_fallocate would write where the file system cannot reserve */
	if (fallocate(fd, 0, 0, SIZE)) {
		assert_true(errno == EOPNOTSUPP || errno == ENOSYS);
		close(fd);
		skip();
	}
	write_at(fd, 2 * MIB, MIB);
	layout = read_layout(fd, SIZE);
	assert_true(layout.unwritten + layout.holes == 7 * MIB);
	assert_true(layout.written == MIB);
	close(fd);
}

#define ON(folder, name, what)                                                                                         \
	static void name(void **state)                                                                                 \
	{                                                                                                              \
		(void)state;                                                                                           \
		what(folder);                                                                                          \
	}

/* A disk, as a rule, and memory, which has no FIEMAP. */
ON("/var/tmp", written_on_disk, check_written)
ON("/var/tmp", sparse_on_disk, check_sparse)
ON("/var/tmp", reserved_on_disk, check_reserved)
ON("/dev/shm", written_in_memory, check_written)
ON("/dev/shm", sparse_in_memory, check_sparse)
ON("/dev/shm", reserved_in_memory, check_reserved)

/* More extents than are asked for at once. */
static void many_extents(void **state)
{
	const unsigned count = 1300, block = 4096;
	int fd = make("/var/tmp");
	struct layout layout;

	(void)state;
	assert_int_equal(ftruncate(fd, 2 * count * block), 0);
	for (unsigned i = 0; i < count; i++)
		write_at(fd, (uint64_t)(2 * i + 1) * block, block);
	layout = read_layout(fd, 2 * count * block);
	/* one with larger blocks has fewer holes */
	if (!layout.holes) {
		close(fd);
		skip();
	}
	assert_true(layout.written == count * block && layout.holes == count * block);
	assert_true(layout.extents == count);
	close(fd);
}

/* What knows neither map nor holes. */
static void not_a_file(void **state)
{
	struct layout layout = {.written = 7};
	int ends[2];

	(void)state;
	assert_int_equal(pipe(ends), 0);
	assert_true(extents_read(ends[0], SIZE, &layout) < 0);
	assert_true(!layout.has_extents && layout.written == 7 && !layout.holes);
	close(ends[0]);
	close(ends[1]);
}

/* sysfs was not made to be asked: the kernel says for it that all is data, though it has no blocks at all. */
static void data_without_blocks(void **state)
{
	int fd = open("/sys/kernel/btf/vmlinux", O_RDONLY | O_CLOEXEC);
	struct layout layout = {0};

	(void)state;
	if (fd < 0)
		skip();
	assert_int_equal(extents_read(fd, MIB, &layout), -EOPNOTSUPP);
	assert_false(layout.has_extents);
	close(fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(written_on_disk),     cmocka_unit_test(sparse_on_disk),
		cmocka_unit_test(reserved_on_disk),    cmocka_unit_test(written_in_memory),
		cmocka_unit_test(sparse_in_memory),    cmocka_unit_test(reserved_in_memory),
		cmocka_unit_test(many_extents),	       cmocka_unit_test(not_a_file),
		cmocka_unit_test(data_without_blocks),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
