// SPDX-License-Identifier: GPL-2.0
/*
 * Programs that read what older kernels call by another name. These kernels are not at hand; but the types of this one
 * can be told with the names of then, and a program whose field is not found is refused.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <iostrata/remote.h>
#include <iostrata/shared.h>

#include "iostrata.skel.h"
#include "trace/programs.h"

#define KERNEL_TYPES "/sys/kernel/btf/vmlinux"

static char *read_types(size_t *length)
{
	FILE *file = fopen(KERNEL_TYPES, "re");
	size_t room = 64u << 20;
	char *types = malloc(room);

	assert_non_null(types);
	*length = file ? fread(types, 1, room, file) : 0;
	assert_true(*length < room);
	if (file)
		fclose(file);
	return types;
}

/* In the table of names; the new one is no longer. Returns how many were renamed. */
static int rename_in(char *types, size_t length, const char *from, const char *to)
{
	size_t size = strlen(from) + 1;
	char *end = types + length, *at = types;
	int count = 0;

	assert_true(strlen(to) < size);
	while ((at = memmem(at, (size_t)(end - at), from, size))) {
		if (at > types && at[-1] == '\0') {
			memset(at, 0, size);
			memcpy(at, to, strlen(to));
			count++;
		}
		at += size;
	}
	return count;
}

static bool is_remote(const struct bpf_program *program, const struct btf *kernel)
{
	const char *section = bpf_program__section_name(program), *slash = strchr(section, '/');
	const char *name = bpf_program__name(program);

	return slash && (!strncmp(name, "on_9p", strlen("on_9p")) || !strncmp(name, "on_fuse", strlen("on_fuse"))) &&
	       programs_has_tracepoint(kernel, slash + 1);
}

/* Loads those that follow round trips. Their number, or -errno. */
static int load(const char *types)
{
	LIBBPF_OPTS(bpf_object_open_opts, options, .btf_custom_path = types);
	struct iostrata_bpf *skel = iostrata_bpf__open_opts(&options);
	struct btf *kernel = btf__load_vmlinux_btf();
	struct bpf_program *program = NULL;
	int count = 0, err;

	assert_non_null(skel);
	assert_int_equal(libbpf_get_error(kernel), 0);
	while ((program = bpf_object__next_program(skel->obj, program))) {
		bool wanted = is_remote(program, kernel);

		bpf_program__set_autoload(program, wanted);
		count += wanted;
	}
	err = iostrata_bpf__load(skel);
	iostrata_bpf__destroy(skel);
	btf__free(kernel);
	return err ? err : count;
}

static void assert_loads(const char *from, const char *to, int expected)
{
	char path[] = "/tmp/iostrata-types-XXXXXX", *types;
	size_t length;
	int fd, loaded;

	types = read_types(&length);
	assert_int_equal(rename_in(types, length, from, to), 1);
	fd = mkstemp(path);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, types, length), length);
	close(fd);
	free(types);
	loaded = load(path);
	unlink(path);
	assert_int_equal(loaded, expected);
}

/* Who may not load any at all, or has a kernel that does not tell of round trips, cannot try. */
static int programs_here(void)
{
	return access(KERNEL_TYPES, R_OK) || geteuid() ? 0 : load(NULL);
}

static void workers_of_io_uring(void **state)
{
	int here = programs_here();

	(void)state;
	if (here <= 0)
		skip();
	else
		assert_loads("worker_private", "pf_io_worker", here); /* until 5.17 */
}

static int hush(enum libbpf_print_level level, const char *format, va_list arguments)
{
	(void)level, (void)format, (void)arguments;
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(workers_of_io_uring),
	};

	libbpf_set_print(hush);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
