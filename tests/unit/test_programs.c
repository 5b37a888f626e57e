// SPDX-License-Identifier: GPL-2.0
#include "trace/programs.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* Types of a kernel that is made up: a number, a name for it, and pointers. */
struct kernel {
	struct btf *btf;
	int number, named_number, pointer, request;
};

static struct kernel kernel_make(void)
{
	struct kernel kernel = {.btf = btf__new_empty()};

	assert_non_null(kernel.btf);
	kernel.number = btf__add_int(kernel.btf, "unsigned long long", 8, 0);
	kernel.named_number = btf__add_typedef(kernel.btf, "u64", kernel.number);
	kernel.pointer = btf__add_ptr(kernel.btf, 0);
	kernel.request =
		btf__add_ptr(kernel.btf, btf__add_const(kernel.btf, btf__add_struct(kernel.btf, "io_kiocb", 0)));
	return kernel;
}

/* A tracepoint with two arguments of its own; 0: without the second. */
static void add_tracepoint(const struct kernel *kernel, const char *name, int first, int second)
{
	int prototype = btf__add_func_proto(kernel->btf, 0), pointer;

	assert_int_equal(btf__add_func_param(kernel->btf, "", kernel->pointer), 0);
	assert_int_equal(btf__add_func_param(kernel->btf, "", first), 0);
	if (second)
		assert_int_equal(btf__add_func_param(kernel->btf, "", second), 0);
	pointer = btf__add_ptr(kernel->btf, prototype);
	assert_true(btf__add_typedef(kernel->btf, name, pointer) > 0);
}

static struct trace_config config_of(const struct kernel *kernel)
{
	struct trace_config config = {0};

	programs_read_uring(kernel->btf, &config);
	btf__free(kernel->btf);
	return config;
}

/* 6.3 and later. */
static void submit_req(void **state)
{
	struct kernel kernel = kernel_make();
	struct trace_config config;

	(void)state;
	add_tracepoint(&kernel, "btf_trace_io_uring_submit_req", kernel.request, 0);
	add_tracepoint(&kernel, "btf_trace_io_uring_complete", kernel.pointer, kernel.pointer);
	assert_true(programs_has_tracepoint(kernel.btf, "io_uring_submit_req"));
	assert_false(programs_has_tracepoint(kernel.btf, "io_uring_submit_sqe"));
	config = config_of(&kernel);
	assert_int_equal(config.uring_submit_argument, 0);
	assert_int_equal(config.uring_by_data, 0);
}

/* 6.0 to 6.2: the second argument is no pointer. */
static void submit_sqe_by_request(void **state)
{
	struct kernel kernel = kernel_make();
	struct trace_config config;

	(void)state;
	add_tracepoint(&kernel, "btf_trace_io_uring_submit_sqe", kernel.request, kernel.number);
	add_tracepoint(&kernel, "btf_trace_io_uring_complete", kernel.pointer, kernel.request);
	config = config_of(&kernel);
	assert_int_equal(config.uring_submit_argument, 0);
	assert_int_equal(config.uring_by_data, 0);
}

/* 5.15. */
static void submit_sqe_by_context(void **state)
{
	struct kernel kernel = kernel_make();
	struct trace_config config;

	(void)state;
	add_tracepoint(&kernel, "btf_trace_io_uring_submit_sqe", kernel.pointer, kernel.pointer);
	add_tracepoint(&kernel, "btf_trace_io_uring_complete", kernel.pointer, kernel.named_number);
	config = config_of(&kernel);
	assert_int_equal(config.uring_submit_argument, 1);
	assert_int_equal(config.uring_by_data, 1);
}

/* A kernel without io_uring, and a name that is no tracepoint. */
static void without_uring(void **state)
{
	struct kernel kernel = kernel_make();
	struct trace_config config;

	(void)state;
	btf__add_typedef(kernel.btf, "btf_trace_io_uring_complete", kernel.number);
	assert_false(programs_has_tracepoint(kernel.btf, "io_uring_complete"));
	config = config_of(&kernel);
	assert_int_equal(config.uring_submit_argument, 0);
	assert_int_equal(config.uring_by_data, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(submit_req),
		cmocka_unit_test(submit_sqe_by_request),
		cmocka_unit_test(submit_sqe_by_context),
		cmocka_unit_test(without_uring),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
