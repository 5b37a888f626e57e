// SPDX-License-Identifier: GPL-2.0
#include "tree.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>

#include "host/processes.h"

static void add_process(const struct tree *tree, int pid, const char *name, int parent)
{
	char *stat = xasprintf("/proc/%d/stat", pid), *line = xasprintf("%d (%s) S %d 1 1 0 -1\n", pid, name, parent);

	tree_write(tree, stat, line);
	free(stat), free(line);
}

/* 100 ── 101 ── 103 ── 200, 102; 300; and 50, a child of 103 with a smaller number. */
static void make_family(const struct tree *tree)
{
	add_process(tree, 1, "init", 0);
	add_process(tree, 100, "sh", 1);
	add_process(tree, 101, "make", 100);
	add_process(tree, 102, "tee", 100);
	add_process(tree, 103, "cc", 101);
	add_process(tree, 200, "as", 103);
	add_process(tree, 50, "wrapped", 103);
	add_process(tree, 300, "cron", 1);
	tree_write(tree, "/proc/meminfo", "MemTotal: 1 kB\n");
}

/* By number, divided by blanks. */
static void assert_below(const pid_t *roots, size_t count, const char *expected)
{
	struct text text = {0};
	pid_t *found;
	size_t below = processes_below(roots, count, &found);
	char *list;

	for (size_t i = 0; i < below; i++)
		text_addf(&text, "%s%d", i ? " " : "", found[i]);
	list = text_take(&text);
	assert_string_equal(list, expected);
	free(list), free(found);
}

static void descendants(void **state)
{
	make_family(*state);
	assert_below((const pid_t[]){100}, 1, "50 101 102 103 200");
	assert_below((const pid_t[]){103}, 1, "50 200");
	assert_below((const pid_t[]){102}, 1, "");
	assert_below((const pid_t[]){1}, 1, "50 100 101 102 103 200 300");
	assert_below((const pid_t[]){4711}, 1, "");
	assert_below(NULL, 0, "");
}

static void add_open(const struct tree *tree, int pid, int fd, const char *file)
{
	char *link = xasprintf("/proc/%d/fd/%d", pid, fd);

	tree_link(tree, link, file);
	free(link);
}

/* 102 has the disk open, 103 the way to the kernel, 200 both; 50 another disk. */
static void who_serves_a_file_system(void **state)
{
	make_family(*state);
	add_open(*state, 102, 3, "/dev/sdb1");
	add_open(*state, 103, 3, "/dev/fuse");
	add_open(*state, 50, 3, "/dev/sdb");
	add_open(*state, 50, 4, "/dev/fuse");
	assert_int_equal(process_serving("sdb1"), 0);
	add_open(*state, 200, 3, "/dev/sdb1");
	add_open(*state, 200, 17, "/dev/fuse");
	assert_int_equal(process_serving("sdb1"), 200);
	assert_int_equal(process_serving("sdb"), 50);
	assert_int_equal(process_serving("sdb2"), 0);
}

/* Not below itself, nor below one that is named as well. */
static void several_roots(void **state)
{
	make_family(*state);
	assert_below((const pid_t[]){102, 103}, 2, "50 200");
	assert_below((const pid_t[]){100, 103}, 2, "50 101 102 200");
}

static void a_table_that_is_empty(void **state)
{
	(void)state;
	assert_below((const pid_t[]){1}, 1, "");
}

/* A name may look like the fields behind it. */
static void parents(void **state)
{
	const struct tree *tree = *state;

	add_process(tree, 7, "a) R 99 (b", 3);
	add_process(tree, 8, "x y", 7);
	tree_write(tree, "/proc/9/stat", "9 (cut");
	assert_int_equal(process_parent(7), 3);
	assert_int_equal(process_parent(8), 7);
	assert_int_equal(process_parent(9), -ESRCH);
	assert_int_equal(process_parent(10), -ESRCH);
}

static void processes_and_their_threads(void **state)
{
	const struct tree *tree = *state;
	char *name;

	tree_write(tree, "/proc/20/status", "Name:\tdd\nUmask:\t0022\nState:\tS (sleeping)\nTgid:\t20\nPid:\t20\n");
	tree_write(tree, "/proc/21/status", "Name:\tdd\nUmask:\t0022\nState:\tS (sleeping)\nTgid:\t20\nPid:\t21\n");
	tree_write(tree, "/proc/20/comm", "dd\n");
	assert_int_equal(process_of(20), 20);
	assert_int_equal(process_of(21), 20);
	assert_int_equal(process_of(22), -ESRCH);
	name = process_name(20);
	assert_string_equal(name, "dd");
	free(name);
	assert_null(process_name(21));
}

/* On the machine itself. */
static void the_end_of_a_process(void **state)
{
	struct pollfd end = {.events = POLLIN};
	pid_t pid = fork(), *found, us = getpid();
	size_t below;

	(void)state;
	if (!pid) {
		pause();
		_exit(0);
	}
	assert_int_equal(process_parent(pid), us);
	assert_int_equal(process_of(pid), pid);
	below = processes_below(&us, 1, &found);
	assert_int_equal(below, 1);
	assert_int_equal(found[0], pid);
	free(found);

	end.fd = process_open(pid);
	if (end.fd == -ENOSYS) { /* of valgrind */
		kill(pid, SIGKILL);
		waitpid(pid, NULL, 0);
		skip();
	}
	assert_true(end.fd >= 0);
	assert_int_equal(poll(&end, 1, 0), 0);
	kill(pid, SIGKILL);
	assert_int_equal(poll(&end, 1, 10000), 1);
	waitpid(pid, NULL, 0);
	assert_int_equal(process_open(pid), -ESRCH);
	assert_int_equal(process_parent(pid), -ESRCH);
	close(end.fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		IN_TREE(descendants),
		IN_TREE(several_roots),
		IN_TREE(who_serves_a_file_system),
		IN_TREE(a_table_that_is_empty),
		IN_TREE(parents),
		IN_TREE(processes_and_their_threads),
		cmocka_unit_test(the_end_of_a_process),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
