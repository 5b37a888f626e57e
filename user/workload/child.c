// SPDX-License-Identifier: GPL-2.0
#include "child.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "host/processes.h"
#include "signals.h"

/* How long we wait for the keeper once all should be dead. A process that hangs in a device cannot be killed. */
#define PATIENCE (10 * NS_PER_SECOND)

/* --- pipes --- */

/* What is between us, the keeper and the program; of each pipe [0] is read, [1] written. */
struct pipes {
	struct gate gate;
	int life[2], report[2];
};

static void pipes_close(struct pipes *pipes)
{
	gate_close(&pipes->gate);
	for (int end = 0; end < 2; end++) {
		close_once(&pipes->life[end]);
		close_once(&pipes->report[end]);
	}
}

static int pipes_open(struct pipes *pipes)
{
	int err;

	*pipes = (struct pipes){.life = {-1, -1}, .report = {-1, -1}};
	err = gate_make(&pipes->gate);
	if (!err && (pipe2(pipes->life, O_CLOEXEC) || pipe2(pipes->report, O_CLOEXEC)))
		err = -errno;
	if (err)
		pipes_close(pipes);
	return err;
}

/* --- the program --- */

/* Everything is close-on-exec except what was asked for. */
static int redirect(int output, const int *keep, int keeps)
{
	int null = open("/dev/null", O_RDONLY);

	if (null < 0 || dup2(null, STDIN_FILENO) < 0 || dup2(output, STDOUT_FILENO) < 0 ||
	    dup2(output, STDERR_FILENO) < 0)
		return -errno;
	for (int i = 0; i < keeps; i++)
		if (keep[i] >= 0 && fcntl(keep[i], F_SETFD, 0) < 0)
			return -errno;
	return 0;
}

static void __attribute__((noreturn))
run_program(char *const argv[], struct pipes *pipes, int output, const int *keep, int keeps)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	/* Held open here, it would hide that we have died. */
	close_once(&pipes->life[1]);
	gate_pass(&pipes->gate, redirect(output, keep, keeps), argv);
}

/* --- the keeper --- */

static void kill_children(void)
{
	DIR *processes = opendir("/proc");
	struct dirent *entry;

	while (processes && (entry = readdir(processes))) {
		pid_t pid = atoi(entry->d_name);

		if (pid > 0 && process_parent(pid) == getpid())
			kill(pid, SIGKILL);
	}
	if (processes)
		closedir(processes);
}

static bool reap(pid_t program, int *status)
{
	bool ended = false;
	pid_t pid;
	int its;

	while ((pid = waitpid(-1, &its, WNOHANG)) > 0) {
		if (pid == program) {
			*status = its;
			ended = true;
		}
	}
	return ended;
}

/* Children of the killed become ours, so it goes on until there are none, even if we are long gone by then. */
static void end_all(pid_t program, int *status)
{
	for (int i = 0;; i++) {
		kill_children();
		reap(program, status);
		if (waitpid(-1, NULL, WNOHANG) < 0 && errno == ECHILD)
			return;
		poll(NULL, 0, i < 10 ? 5 : 100);
	}
}

/* Waits until the program has ended or we have. */
static void watch(pid_t program, int life, int *status)
{
	struct pollfd wait[2] = {{.fd = life, .events = POLLIN}, {.events = POLLIN}};
	struct signalfd_siginfo info;
	sigset_t child;

	sigemptyset(&child);
	sigaddset(&child, SIGCHLD);
	wait[1].fd = signalfd(-1, &child, SFD_CLOEXEC);
	while (!reap(program, status)) {
		poll(wait, 2, -1);
		if (wait[0].revents)
			return;
		if (wait[1].revents && read(wait[1].fd, &info, sizeof(info)) < 0)
			return;
	}
}

static void __attribute__((noreturn))
run_keeper(char *const argv[], struct pipes *pipes, int output, const int *keep, int keeps)
{
	int life, report, status = SIGKILL;
	pid_t program;
	sigset_t all;

	/* Out of the terminal's reach: Ctrl-C is ours to answer. */
	setpgid(0, 0);
	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, NULL);
	prctl(PR_SET_NAME, "iostrata-keeper");
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	program = fork();
	if (!program)
		run_program(argv, pipes, output, keep, keeps);

	/* It must hold nothing of ours: not the device that we claimed, and not its own lifeline. */
	life = dup2(pipes->life[0], 0);
	report = dup2(pipes->report[1], 1);
	closefrom(2);
	if (write(report, &program, sizeof(program)) == sizeof(program) && program > 0) {
		watch(program, life, &status);
		end_all(program, &status);
		if (write(report, &status, sizeof(status)) < 0)
			_exit(1);
	}
	_exit(0);
}

/* --- for us --- */

int child_start(struct child *child, char *const argv[], int output, const int *keep, int keeps)
{
	struct pipes pipes;
	int err = pipes_open(&pipes);

	*child = (struct child){.pid = -1, .keeper = -1, .gate = gate_none, .life = -1, .report = -1};
	if (err)
		return err;
	child->keeper = fork();
	if (!child->keeper)
		run_keeper(argv, &pipes, output, keep, keeps);
	if (child->keeper < 0) {
		err = -errno;
		pipes_close(&pipes);
		return err;
	}
	child->gate = pipes.gate;
	child->life = pipes.life[1];
	child->report = pipes.report[0];
	pipes.gate = gate_none;
	pipes.life[1] = pipes.report[0] = -1;
	pipes_close(&pipes);
	err = gate_guard(&child->gate);
	if (pipe_read(child->report, &child->pid, sizeof(child->pid)) != sizeof(child->pid) || child->pid <= 0)
		err = -EAGAIN;
	if (err)
		child_finish(child);
	return err;
}

int child_release(struct child *child)
{
	return gate_release(&child->gate);
}

void child_ask_to_end(const struct child *child)
{
	if (child->pid > 0)
		kill(child->pid, SIGTERM);
}

void child_kill(struct child *child)
{
	close_once(&child->life);
}

int child_ended(struct child *child, int *status)
{
	if (child->keeper > 0) {
		if (waitpid(child->keeper, NULL, WNOHANG) != child->keeper)
			return 0;
		child->keeper = -1;
	}
	child->pid = -1;
	*status = SIGKILL; /* of a keeper that was killed itself, and its program with it */
	pipe_read(child->report, status, sizeof(*status));
	return 1;
}

int child_finish(struct child *child)
{
	uint64_t begin = clock_now();
	int err = 0;

	close_once(&child->life);
	gate_close(&child->gate);
	while (!err && child->keeper > 0 && waitpid(child->keeper, NULL, WNOHANG) != child->keeper) {
		if (clock_now() - begin > PATIENCE)
			err = -EBUSY;
		signals_wait(10 * NS_PER_MS);
	}
	child->pid = child->keeper = -1;
	close_once(&child->report);
	return err;
}
