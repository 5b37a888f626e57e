// SPDX-License-Identifier: GPL-2.0
#include "child.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "signals.h"

static void close_pipe(int ends[2])
{
	close(ends[0]);
	close(ends[1]);
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

static void __attribute__((noreturn)) run_child(char *const argv[], int gate, int fault, int output, const int *keep,
						int keeps)
{
	char byte;
	int err;

	setpgid(0, 0);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	signals_restore();
	err = redirect(output, keep, keeps);
	if (read_pipe(gate, &byte, 1) != 1)
		_exit(127);
	if (!err) {
		execvp(argv[0], argv);
		err = -errno;
	}
	if (write(fault, &err, sizeof(err)) < 0)
		_exit(126);
	_exit(127);
}

/* Outlives us by just as long as it takes to kill the group. */
static void __attribute__((noreturn)) run_keeper(int life[2], pid_t group)
{
	char byte;

	setpgid(0, 0);
	prctl(PR_SET_NAME, "iostrata-keeper");
	/* It must hold nothing of ours: not the device that we claimed, and not its own lifeline. */
	dup2(life[0], 0);
	closefrom(1);
	while (read_pipe(0, &byte, 1) > 0)
		;
	kill(-group, SIGKILL);
	_exit(0);
}

static int start_keeper(struct child *child)
{
	int life[2];

	if (pipe2(life, O_CLOEXEC))
		return -errno;
	child->keeper = fork();
	if (child->keeper < 0) {
		int err = -errno;

		close_pipe(life);
		return err;
	}
	if (!child->keeper)
		run_keeper(life, child->pid);
	close(life[0]);
	child->life = life[1];
	return 0;
}

int child_start(struct child *child, char *const argv[], int output, const int *keep, int keeps)
{
	int gate[2], fault[2], err;

	*child = (struct child){.pid = -1, .keeper = -1, .gate = -1, .life = -1, .fault = -1};
	if (pipe2(gate, O_CLOEXEC))
		return -errno;
	if (pipe2(fault, O_CLOEXEC)) {
		err = -errno;
		close_pipe(gate);
		return err;
	}
	child->pid = fork();
	if (!child->pid) {
		close(gate[1]);
		run_child(argv, gate[0], fault[1], output, keep, keeps);
	}
	err = child->pid < 0 ? -errno : 0;
	close(gate[0]);
	close(fault[1]);
	child->gate = gate[1];
	child->fault = fault[0];
	if (!err) {
		/* Both sides do it, so that neither can be too early. */
		setpgid(child->pid, child->pid);
		err = start_keeper(child);
	}
	if (err)
		child_finish(child);
	return err;
}

int child_release(struct child *child)
{
	int err = 0;

	if (write(child->gate, "", 1) != 1)
		return -errno;
	close(child->gate);
	child->gate = -1;
	/* Ends without a byte when exec closes the pipe. */
	read_pipe(child->fault, &err, sizeof(err));
	return err;
}

void child_kill(const struct child *child, int signal)
{
	if (child->pid > 0)
		kill(-child->pid, signal);
}

int child_ended(const struct child *child, int *status)
{
	return waitpid(child->pid, status, WNOHANG) == child->pid;
}

static void close_end(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

void child_finish(struct child *child)
{
	child_kill(child, SIGKILL);
	if (child->keeper > 0) {
		kill(child->keeper, SIGKILL);
		waitpid(child->keeper, NULL, 0);
	}
	if (child->pid > 0)
		waitpid(child->pid, NULL, 0);
	child->pid = child->keeper = -1;
	close_end(&child->gate);
	close_end(&child->life);
	close_end(&child->fault);
}
