// SPDX-License-Identifier: GPL-2.0
#include "child.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "signals.h"

/* How long we wait for the keeper once all should be dead. A process that hangs in a device cannot be killed. */
#define PATIENCE (10 * NS_PER_SECOND)

/* --- pipes --- */

static void close_end(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

static void close_pipe(int ends[2])
{
	close_end(&ends[0]);
	close_end(&ends[1]);
}

/* Reads until something comes or the other end is closed. */
static ssize_t read_pipe(int fd, void *data, size_t length)
{
	ssize_t got;

	do {
		got = read(fd, data, length);
	} while (got < 0 && errno == EINTR);
	return got;
}

/* The four pipes between us, the keeper and the program; [0] is read, [1] written. */
struct pipes {
	int gate[2], life[2], fault[2], report[2];
};

static void pipes_close(struct pipes *pipes)
{
	close_pipe(pipes->gate);
	close_pipe(pipes->life);
	close_pipe(pipes->fault);
	close_pipe(pipes->report);
}

static int pipes_open(struct pipes *pipes)
{
	int err;

	*pipes = (struct pipes){{-1, -1}, {-1, -1}, {-1, -1}, {-1, -1}};
	if (!pipe2(pipes->gate, O_CLOEXEC) && !pipe2(pipes->life, O_CLOEXEC) && !pipe2(pipes->fault, O_CLOEXEC) &&
	    !pipe2(pipes->report, O_CLOEXEC))
		return 0;
	err = -errno;
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
	char byte;
	int err;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	/* Held open here, these would hide that we have died. */
	close_end(&pipes->gate[1]);
	close_end(&pipes->life[1]);
	err = redirect(output, keep, keeps);
	if (read_pipe(pipes->gate[0], &byte, 1) != 1)
		_exit(127);
	signals_restore();
	if (!err) {
		execvp(argv[0], argv);
		err = -errno;
	}
	if (write(pipes->fault[1], &err, sizeof(err)) < 0)
		_exit(126);
	_exit(127);
}

/* --- the keeper --- */

/* The parent in /proc/PID/stat: the second field after the name, which may hold anything and ends at the last ')'. */
static pid_t parent_of(const char *pid)
{
	char path[64], line[512], *end;
	int fd, parent = -1;
	ssize_t length;

	snprintf(path, sizeof(path), "/proc/%.20s/stat", pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -1;
	length = read(fd, line, sizeof(line) - 1);
	close(fd);
	line[length > 0 ? length : 0] = '\0';
	end = strrchr(line, ')');
	if (!end || sscanf(end + 1, " %*c %d", &parent) != 1)
		return -1;
	return parent;
}

static void kill_children(void)
{
	DIR *processes = opendir("/proc");
	struct dirent *entry;

	while (processes && (entry = readdir(processes))) {
		pid_t pid = atoi(entry->d_name);

		if (pid > 0 && parent_of(entry->d_name) == getpid())
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

	*child = (struct child){.pid = -1, .keeper = -1, .gate = -1, .life = -1, .fault = -1, .report = -1};
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
	child->gate = pipes.gate[1];
	child->life = pipes.life[1];
	child->fault = pipes.fault[0];
	child->report = pipes.report[0];
	pipes.gate[1] = pipes.life[1] = pipes.fault[0] = pipes.report[0] = -1;
	pipes_close(&pipes);
	if (read_pipe(child->report, &child->pid, sizeof(child->pid)) == sizeof(child->pid) && child->pid > 0)
		return 0;
	child_finish(child);
	return -EAGAIN;
}

int child_release(struct child *child)
{
	int err = 0;

	if (write(child->gate, "", 1) != 1)
		return -errno;
	close_end(&child->gate);
	/* Ends without a byte when exec closes the pipe. */
	read_pipe(child->fault, &err, sizeof(err));
	return err;
}

void child_ask_to_end(const struct child *child)
{
	if (child->pid > 0)
		kill(child->pid, SIGTERM);
}

void child_kill(struct child *child)
{
	close_end(&child->life);
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
	read_pipe(child->report, status, sizeof(*status));
	return 1;
}

int child_finish(struct child *child)
{
	uint64_t begin = clock_now();
	int err = 0;

	close_end(&child->life);
	close_end(&child->gate);
	while (!err && child->keeper > 0 && waitpid(child->keeper, NULL, WNOHANG) != child->keeper) {
		if (clock_now() - begin > PATIENCE)
			err = -EBUSY;
		signals_wait(10 * NS_PER_MS);
	}
	child->pid = child->keeper = -1;
	close_end(&child->fault);
	close_end(&child->report);
	return err;
}
