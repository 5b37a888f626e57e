// SPDX-License-Identifier: GPL-2.0
#include "program.h"

#include <errno.h>
#include <grp.h>
#include <limits.h>
#include <pwd.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/parse.h"
#include "base/text.h"
#include "host/files.h"

/* --- whom it runs as --- */

static const struct passwd *find_user(const char *name)
{
	const struct passwd *user = getpwnam(name);
	unsigned number;

	if (!user && !parse_count(name, 0, UINT_MAX - 1, &number))
		user = getpwuid(number);
	return user;
}

int identity_find(const char *name, struct identity *identity)
{
	const struct passwd *user = find_user(name);

	*identity = (struct identity){0};
	if (!user)
		return -ENOENT;
	identity->user = user->pw_uid;
	identity->group = user->pw_gid;
	/* Tells how many there are when they don't fit. */
	getgrouplist(user->pw_name, user->pw_gid, NULL, &identity->count);
	identity->groups = xcalloc((size_t)identity->count, sizeof(*identity->groups));
	if (getgrouplist(user->pw_name, user->pw_gid, identity->groups, &identity->count) >= 0)
		return 0;
	identity_clear(identity);
	return -ENOENT;
}

void identity_clear(struct identity *identity)
{
	free(identity->groups);
	*identity = (struct identity){0};
}

static int become(const struct identity *identity)
{
	if (!identity)
		return 0;
	if (setgroups((size_t)identity->count, identity->groups) ||
	    setresgid(identity->group, identity->group, identity->group) ||
	    setresuid(identity->user, identity->user, identity->user))
		return -errno;
	return 0;
}

/* --- the program --- */

void program_init(struct program *program)
{
	*program = (struct program){.gate = gate_none};
}

int program_start(struct program *program, char *const argv[], const struct identity *identity)
{
	int err;

	program_init(program);
	err = gate_make(&program->gate);
	if (err)
		return err;
	program->pid = fork();
	if (!program->pid)
		gate_pass(&program->gate, become(identity), argv);
	if (program->pid < 0) {
		err = -errno;
		program->pid = 0;
		return err;
	}
	return gate_guard(&program->gate);
}

int program_release(struct program *program)
{
	int err = gate_release(&program->gate);

	if (err) {
		waitpid(program->pid, NULL, 0);
		program->pid = 0;
	}
	return err;
}

void program_signal(const struct program *program, int signal)
{
	if (program->pid > 0)
		kill(program->pid, signal);
}

bool program_catches(const struct program *program, int signal)
{
	char *status = host_read("/proc/%d/status", program->pid);
	char *caught = status ? host_field(status, "SigCgt") : NULL;
	uint64_t signals = caught ? strtoull(caught, NULL, 16) : 0;

	free(caught);
	free(status);
	return signals >> (signal - 1) & 1;
}

int program_ended(struct program *program, int *status)
{
	int its;

	if (program->pid <= 0 || waitpid(program->pid, &its, WNOHANG) != program->pid)
		return 0;
	program->pid = 0;
	*status = WIFSIGNALED(its) ? 128 + WTERMSIG(its) : WEXITSTATUS(its);
	return 1;
}

void program_close(struct program *program)
{
	bool held = program->gate.open[1] >= 0;

	gate_close(&program->gate);
	/* It sees the gate go. */
	if (program->pid > 0 && held)
		waitpid(program->pid, NULL, 0);
	program->pid = 0;
}
