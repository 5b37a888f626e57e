// SPDX-License-Identifier: GPL-2.0
#include "workload/program.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "base/clock.h"
#include "capture.h"
#include "workload/signals.h"

#define NOBODY 65534

static struct program program;

static void start(char *const argv[])
{
	assert_int_equal(program_start(&program, argv, NULL), 0);
}

static int wait_for_status(void)
{
	int status = -1;

	for (int i = 0; i < 1000 && !program_ended(&program, &status); i++)
		clock_sleep(10 * NS_PER_MS);
	assert_int_equal(program.pid, 0);
	assert_int_equal(program_ended(&program, &status), 0);
	program_close(&program);
	return status;
}

static int status_of(const char *script)
{
	char *argv[] = {"sh", "-c", (char *)script, NULL};

	start(argv);
	assert_int_equal(program_release(&program), 0);
	return wait_for_status();
}

/* What a script says on standard output, to its last line's end. */
static char *said_by(const char *script, const struct identity *identity)
{
	char *argv[] = {"sh", "-c", (char *)script, NULL};

	capture(STDOUT_FILENO);
	if (!program_start(&program, argv, identity) && !program_release(&program))
		wait_for_status();
	return captured_text();
}

static void assert_says(const char *script, const struct identity *identity, const char *expected)
{
	char *said = said_by(script, identity);

	assert_string_equal(said, expected);
	free(said);
}

static void it_waits_at_the_gate(void **state)
{
	char *argv[] = {"echo", "through", NULL};
	char *said;
	int status;

	(void)state;
	capture(STDOUT_FILENO);
	start(argv);
	clock_sleep(100 * NS_PER_MS);
	assert_int_equal(lseek(capture_file, 0, SEEK_END), 0);
	assert_int_equal(program_ended(&program, &status), 0);
	program_release(&program);
	wait_for_status();
	said = captured_text();
	assert_string_equal(said, "through\n");
	free(said);
}

static void its_status_is_told(void **state)
{
	(void)state;
	assert_int_equal(status_of("exit 0"), 0);
	assert_int_equal(status_of("exit 7"), 7);
	assert_int_equal(status_of("exit 255"), 255);
	assert_int_equal(status_of("kill -KILL $$"), 137);
	assert_int_equal(status_of("kill -TERM $$"), 143);
}

static void a_failed_exec_is_told(void **state)
{
	char *missing[] = {"/nonexistent/program", NULL}, *folder[] = {"/", NULL}, *nameless[] = {"", NULL};
	int status;

	(void)state;
	start(missing);
	assert_int_equal(program_release(&program), -ENOENT);
	assert_int_equal(program_ended(&program, &status), 0);
	program_close(&program);
	start(folder);
	assert_int_equal(program_release(&program), -EACCES);
	program_close(&program);
	start(nameless);
	assert_int_equal(program_release(&program), -ENOENT);
	program_close(&program);
}

/* Of the descriptors those that we were given as well, and none that we opened. */
static void it_has_our_streams_and_nothing_of_ours(void **state)
{
	int given = fcntl(STDERR_FILENO, F_DUPFD, 100), ours = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 100);
	int kept = dup(STDIN_FILENO), in[2];
	char *script = xasprintf("cat; [ -e /proc/$$/fd/%d ] && echo given; [ ! -e /proc/$$/fd/%d ] && echo not ours",
				 given, ours);

	(void)state;
	assert_int_equal(pipe2(in, O_CLOEXEC), 0);
	assert_int_equal(write(in[1], "hello\n", 6), 6);
	close(in[1]);
	dup2(in[0], STDIN_FILENO);
	assert_says(script, NULL, "hello\ngiven\nnot ours\n");
	dup2(kept, STDIN_FILENO);
	close(kept), close(in[0]), close(given), close(ours);
	free(script);
}

/* Ctrl-C reaches it as it would without us. */
static void it_stays_in_our_process_group(void **state)
{
	char *expected = xasprintf("%d\n", getpgrp());

	(void)state;
	assert_says("read -r line </proc/self/stat; set -- ${line##*)}; echo $3", NULL, expected);
	free(expected);
}

static void what_it_leaves_behind_lives_on(void **state)
{
	char *said = said_by("setsid sleep 1000 >/dev/null & echo $!", NULL);
	pid_t left = atoi(said);

	(void)state;
	assert_true(left > 0);
	assert_int_equal(kill(left, 0), 0);
	kill(left, SIGKILL);
	free(said);
}

/* A process of its own that starts a program, and ends with or without having let it go. */
static void die_before_its_end(bool released, const char *file)
{
	char *script = xasprintf("sleep 0.2; touch %s", file), *argv[] = {"sh", "-c", script, NULL};
	pid_t us = fork();

	if (!us) {
		if (program_start(&program, argv, NULL) || (released && program_release(&program)))
			_exit(1);
		raise(SIGKILL);
	}
	waitpid(us, NULL, 0);
	free(script);
}

static bool appears(const char *file)
{
	for (int i = 0; i < 100 && access(file, F_OK); i++)
		clock_sleep(10 * NS_PER_MS);
	return !unlink(file);
}

static void it_starts_only_if_it_is_let_go(void **state)
{
	char folder[] = "/tmp/iostrata-program-XXXXXX", *file;

	(void)state;
	assert_non_null(mkdtemp(folder));
	file = xasprintf("%s/started", folder);
	die_before_its_end(true, file);
	assert_true(appears(file));
	die_before_its_end(false, file);
	assert_false(appears(file));
	start((char *[]){"touch", file, NULL});
	program_close(&program);
	assert_false(appears(file));
	rmdir(folder);
	free(file);
}

/* In a process of its own, as what signals_init() does lasts. */
static void it_has_the_signals_that_we_were_started_with(void **state)
{
	unsigned long long ignored;
	char *said;
	pid_t us;
	int status;

	(void)state;
	capture(STDOUT_FILENO);
	us = fork();
	if (!us) {
		char *argv[] = {"grep", "-E", "^Sig(Blk|Ign)", "/proc/self/status", NULL};

		for (int i = 1; i < NSIG; i++)
			signal(i, SIG_DFL);
		signal(SIGPIPE, SIG_IGN);
		signal(SIGHUP, SIG_IGN);
		if (signals_init() || signals_add_quit() || program_start(&program, argv, NULL) ||
		    program_release(&program))
			_exit(1);
		waitpid(program.pid, &status, 0);
		_exit(WEXITSTATUS(status));
	}
	waitpid(us, &status, 0);
	said = captured_text();
	assert_int_equal(status, 0);
	assert_non_null(strstr(said, "SigBlk:\t0000000000000000\n"));
	ignored = strtoull(strstr(said, "SigIgn:") + sizeof("SigIgn:"), NULL, 16);
	/* 13 and 1; what lies above 31 is libc's own, and comes as it is from whoever starts us. */
	assert_int_equal(ignored & 0x7fffffff, 0x1001);
	free(said);
}

static void a_handler_is_seen(void **state)
{
	/* A shell cannot trap what it was started with ignored, as SIGINT is in the background. */
	char *argv[] = {"sh", "-c", "trap : USR1; trap '' TERM; echo; read -r line", NULL};
	int kept = dup(STDIN_FILENO), hold[2];

	(void)state;
	assert_int_equal(pipe2(hold, O_CLOEXEC), 0);
	dup2(hold[0], STDIN_FILENO);
	capture(STDOUT_FILENO);
	start(argv);
	dup2(kept, STDIN_FILENO);
	program_release(&program);
	for (int i = 0; i < 500 && !lseek(capture_file, 0, SEEK_END); i++)
		clock_sleep(10 * NS_PER_MS);
	free(captured_text());
	assert_true(program_catches(&program, SIGUSR1));
	assert_false(program_catches(&program, SIGTERM));
	assert_false(program_catches(&program, SIGQUIT));
	program_signal(&program, SIGKILL);
	assert_int_equal(wait_for_status(), 137);
	close(kept), close(hold[0]), close(hold[1]);
}

static void users(void **state)
{
	struct identity identity;

	(void)state;
	assert_int_equal(identity_find("no such user", &identity), -ENOENT);
	assert_int_equal(identity_find("", &identity), -ENOENT);
	assert_int_equal(identity_find("4294967295", &identity), -ENOENT);
	assert_int_equal(identity_find("root", &identity), 0);
	assert_int_equal(identity.user, 0);
	assert_int_equal(identity.group, 0);
	assert_true(identity.count > 0);
	identity_clear(&identity);
	assert_int_equal(identity_find("0", &identity), 0);
	assert_int_equal(identity.user, 0);
	identity_clear(&identity);
}

static void it_runs_as_somebody_else(void **state)
{
	gid_t groups[] = {4711, 4712};
	const struct identity identity = {.user = NOBODY, .group = 4711, .groups = groups, .count = 2};
	char *argv[] = {"true", NULL};

	(void)state;
	if (geteuid()) {
		assert_int_equal(program_start(&program, argv, &identity), -EPERM);
		program_close(&program);
		return;
	}
	assert_says("id -u; id -g; id -G; HOME=$HOME; echo ${HOME:+same}", &identity, "65534\n4711\n4711 4712\nsame\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(it_waits_at_the_gate),
		cmocka_unit_test(its_status_is_told),
		cmocka_unit_test(a_failed_exec_is_told),
		cmocka_unit_test(it_has_our_streams_and_nothing_of_ours),
		cmocka_unit_test(it_stays_in_our_process_group),
		cmocka_unit_test(what_it_leaves_behind_lives_on),
		cmocka_unit_test(it_starts_only_if_it_is_let_go),
		cmocka_unit_test(it_has_the_signals_that_we_were_started_with),
		cmocka_unit_test(a_handler_is_seen),
		cmocka_unit_test(users),
		cmocka_unit_test(it_runs_as_somebody_else),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
