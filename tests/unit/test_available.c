// SPDX-License-Identifier: GPL-2.0
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <bpf/btf.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/text.h"
#include "trace/available.h"

/* Types of a kernel that is made up. */
struct kernel {
	struct btf *btf;
	int nothing, number, truth, request, queue, task;
};

static int pointer_to(struct btf *btf, const char *name)
{
	return btf__add_ptr(btf, btf__add_struct(btf, name, 0));
}

static struct kernel kernel_make(void)
{
	struct kernel kernel = {.btf = btf__new_empty()};
	int number;

	assert_non_null(kernel.btf);
	kernel.nothing = btf__add_ptr(kernel.btf, 0);
	number = btf__add_int(kernel.btf, "unsigned char", 1, 0);
	kernel.number = btf__add_typedef(kernel.btf, "blk_status_t", number);
	kernel.truth = btf__add_int(kernel.btf, "bool", 1, BTF_INT_BOOL);
	kernel.request = pointer_to(kernel.btf, "request");
	kernel.queue = pointer_to(kernel.btf, "request_queue");
	kernel.task = pointer_to(kernel.btf, "task_struct");
	return kernel;
}

/* A tracepoint with these arguments of its own; 0 ends them. */
static void add(const struct kernel *kernel, const char *name, const int *argument)
{
	int prototype = btf__add_func_proto(kernel->btf, 0);
	char *type = xasprintf("btf_trace_%s", name);

	assert_int_equal(btf__add_func_param(kernel->btf, "", kernel->nothing), 0);
	for (; *argument; argument++)
		assert_int_equal(btf__add_func_param(kernel->btf, "", *argument), 0);
	assert_true(btf__add_typedef(kernel->btf, type, btf__add_ptr(kernel->btf, prototype)) > 0);
	free(type);
}

static void assert_state(struct kernel *kernel, const char *name, enum tracepoint_state state, const char *arguments)
{
	struct tracepoints found = {.row = xcalloc(1, sizeof(struct tracepoint)), .rows = 1};

	tracepoint_look(found.row, kernel->btf, name);
	assert_string_equal(found.row->name, name);
	assert_int_equal(found.row->state, state);
	if (arguments)
		assert_string_equal(found.row->arguments, arguments);
	else
		assert_null(found.row->arguments);
	tracepoints_free(&found);
}

static void arguments(void **state)
{
	struct kernel kernel = kernel_make();

	(void)state;
	add(&kernel, "block_rq_issue", (int[]){kernel.request, 0});
	add(&kernel, "block_rq_complete", (int[]){kernel.request, kernel.number, kernel.number, 0});
	add(&kernel, "sched_switch", (int[]){kernel.truth, kernel.task, kernel.task, kernel.number, 0});
	add(&kernel, "workqueue_execute_end", (int[]){0});
	add(&kernel, "made_up", (int[]){kernel.nothing, 0});
	assert_state(&kernel, "block_rq_issue", TRACEPOINT_UNDERSTOOD, "request *");
	assert_state(&kernel, "block_rq_complete", TRACEPOINT_UNDERSTOOD, "request *, blk_status_t, blk_status_t");
	assert_state(&kernel, "sched_switch", TRACEPOINT_UNDERSTOOD,
		     "bool, task_struct *, task_struct *, blk_status_t");
	assert_state(&kernel, "workqueue_execute_end", TRACEPOINT_UNDERSTOOD, "");
	assert_state(&kernel, "made_up", TRACEPOINT_UNCHECKED, "void *");
	assert_state(&kernel, "sched_waking", TRACEPOINT_MISSING, NULL);
	btf__free(kernel.btf);
}

/* 5.10 has the queue first; 5.18 had a state before the tasks; and fewer arguments than are read. */
static void other_arguments(void **state)
{
	struct kernel kernel = kernel_make();

	(void)state;
	add(&kernel, "block_rq_issue", (int[]){kernel.queue, kernel.request, 0});
	add(&kernel, "sched_switch", (int[]){kernel.truth, kernel.number, kernel.task, kernel.task, 0});
	add(&kernel, "block_rq_complete", (int[]){kernel.request, kernel.number, 0});
	add(&kernel, "io_uring_complete", (int[]){kernel.number, 0});
	assert_state(&kernel, "block_rq_issue", TRACEPOINT_STRANGE, "request_queue *, request *");
	assert_state(&kernel, "sched_switch", TRACEPOINT_STRANGE, "bool, blk_status_t, task_struct *, task_struct *");
	assert_state(&kernel, "block_rq_complete", TRACEPOINT_STRANGE, "request *, blk_status_t");
	assert_state(&kernel, "io_uring_complete", TRACEPOINT_STRANGE, "blk_status_t");
	btf__free(kernel.btf);
}

/* Whoever adds a program writes down what it reads; and this kernel is one that the project is tested on. */
static void of_this_kernel(void **state)
{
	struct tracepoints found;

	(void)state;
	if (access("/sys/kernel/btf/vmlinux", R_OK)) {
		assert_true(tracepoints_look(&found) < 0);
		assert_int_equal(found.rows, 0);
		return;
	}
	assert_int_equal(tracepoints_look(&found), 0);
	assert_true(found.rows >= 12);
	for (size_t i = 0; i < found.rows; i++) {
		if (!tracepoint_is_known(found.row[i].name))
			fail_msg("what is read of %s has no row", found.row[i].name);
		assert_int_not_equal(found.row[i].state, TRACEPOINT_STRANGE);
		if (!found.row[i].lost)
			assert_int_equal(found.row[i].state, TRACEPOINT_UNDERSTOOD);
	}
	tracepoints_free(&found);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(arguments),
		cmocka_unit_test(other_arguments),
		cmocka_unit_test(of_this_kernel),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
