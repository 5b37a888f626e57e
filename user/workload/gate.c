// SPDX-License-Identifier: GPL-2.0
#include "gate.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "signals.h"

/* Of a process that never became a program; nobody who could ask for it is there. */
#define NOT_STARTED 127

const struct gate gate_none = {.open = {-1, -1}, .fault = {-1, -1}};

void close_once(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

ssize_t pipe_read(int fd, void *data, size_t length)
{
	ssize_t got;

	do {
		got = read(fd, data, length);
	} while (got < 0 && errno == EINTR);
	return got;
}

int gate_make(struct gate *gate)
{
	int err;

	*gate = gate_none;
	if (!pipe2(gate->open, O_CLOEXEC) && !pipe2(gate->fault, O_CLOEXEC))
		return 0;
	err = -errno;
	gate_close(gate);
	return err;
}

void gate_close(struct gate *gate)
{
	for (int end = 0; end < 2; end++) {
		close_once(&gate->open[end]);
		close_once(&gate->fault[end]);
	}
}

static void tell(const struct gate *gate, int err)
{
	if (write(gate->fault[1], &err, sizeof(err)) != sizeof(err) || err)
		_exit(NOT_STARTED);
}

void gate_pass(struct gate *gate, int err, char *const argv[])
{
	char byte;

	/* Held open here, it would hide that we have died. */
	close_once(&gate->open[1]);
	tell(gate, err);
	if (pipe_read(gate->open[0], &byte, 1) != 1)
		_exit(NOT_STARTED);
	signals_restore();
	execvp(argv[0], argv);
	tell(gate, -errno);
	_exit(NOT_STARTED);
}

int gate_guard(struct gate *gate)
{
	int err;

	close_once(&gate->open[0]);
	close_once(&gate->fault[1]);
	return pipe_read(gate->fault[0], &err, sizeof(err)) == sizeof(err) ? err : -ECHILD;
}

int gate_release(struct gate *gate)
{
	int err = 0;

	if (write(gate->open[1], "", 1) != 1)
		return -errno;
	close_once(&gate->open[1]);
	/* Ends without a number when exec closes the pipe. */
	pipe_read(gate->fault[0], &err, sizeof(err));
	return err;
}
