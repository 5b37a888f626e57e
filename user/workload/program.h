/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A program that the user wants to see traced: it has our terminal, our standard streams and our process group, so that
 * it behaves as if it had been started alone. Nothing that it leaves running is ended, and when we die it goes on,
 * unless it was still held at the gate.
 */
#ifndef WORKLOAD_PROGRAM_H
#define WORKLOAD_PROGRAM_H

#include <stdbool.h>
#include <sys/types.h>

#include "gate.h"

/* Whom a program runs as. */
struct identity {
	uid_t user;
	gid_t group;
	gid_t *groups; /* all of them */
	int count;
};

/* By name or number. 0 or -ENOENT; identity_clear() frees what it holds. */
int identity_find(const char *name, struct identity *identity);
void identity_clear(struct identity *identity);

struct program {
	pid_t pid; /* 0: none, or its status was taken */
	struct gate gate;
};

/* None that is started; program_close() may be called. */
void program_init(struct program *program);

/*
 * Forks; the program waits at the gate, as `identity` (NULL: as we are). 0 or -errno: -EPERM where that identity may
 * not be taken. program_close() in any case.
 */
int program_start(struct program *program, char *const argv[], const struct identity *identity);

/* Opens the gate. 0, or the -errno of exec. */
int program_release(struct program *program);

void program_signal(const struct program *program, int signal);

/* Whether it handles that signal itself. */
bool program_catches(const struct program *program, int signal);

/* 1 and *status (0 to 255, or 128 + the signal that killed it) when it has ended (SIGCHLD tells when), else 0. */
int program_ended(struct program *program, int *status);

/* Lets it go. It ends if it was not released. */
void program_close(struct program *program);

#endif
