// SPDX-License-Identifier: GPL-2.0
#include "trace_subject.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "base/text.h"
#include "command.h"
#include "host/cgroup.h"
#include "host/processes.h"

/* Walks through the processes until none is new that was not born marked. */
#define MAX_WALKS 10

/* --- what the options name --- */

static bool has_ended(int pidfd)
{
	struct pollfd end = {.fd = pidfd, .events = POLLIN};

	return poll(&end, 1, 0) > 0;
}

static int open_process(struct watched *watched, pid_t pid)
{
	pid_t process = process_of(pid);

	watched->pid = pid;
	watched->ended = -1;
	if (process > 0 && process != pid)
		return log_failure(-EINVAL, "-p %d: a thread of process %d; name that one, whose threads all count",
				   pid, process);
	watched->ended = process < 0 ? process : process_open(pid);
	if (watched->ended == -ESRCH)
		return log_failure(-EINVAL, "-p %d: there is no such process", pid);
	if (watched->ended < 0)
		return log_failure(-EINVAL, "-p %d: cannot be watched: %s", pid, strerror(-watched->ended));
	if (has_ended(watched->ended))
		return log_failure(-EINVAL, "-p %d: has ended already, and its parent has not noticed", pid);
	return 0;
}

static int open_processes(struct subject *subject)
{
	const struct trace_options *options = subject->options;
	int err = 0;

	subject->watched = xcalloc(options->pids, sizeof(*subject->watched));
	for (size_t i = 0; i < options->pids && !err; i++)
		err = open_process(&subject->watched[subject->watches++], options->pid[i]);
	subject->living = subject->watches;
	return err;
}

static int open_cgroup(struct subject *subject)
{
	const char *given = subject->options->cgroup;
	int err = given ? cgroup_directory(given, &subject->cgroup) : 0;

	if (err == -ENODEV)
		return log_failure(-EINVAL, "-g %s: no cgroup v2 hierarchy is mounted here", given);
	if (err)
		return log_failure(-EINVAL, "-g %s: no such cgroup in the v2 hierarchy", given);
	return 0;
}

int subject_find(struct subject *subject, const struct trace_options *options)
{
	*subject = (struct subject){.options = options};
	program_init(&subject->program);
	if (options->user && identity_find(options->user, &subject->identity))
		return log_failure(-EINVAL, "-u %s: there is no such user", options->user);
	return open_processes(subject) || open_cgroup(subject) ? -EINVAL : 0;
}

void subject_clear(struct subject *subject)
{
	if (!subject->options)
		return;
	program_close(&subject->program);
	for (size_t i = 0; i < subject->watches; i++)
		close_once(&subject->watched[i].ended);
	identity_clear(&subject->identity);
	free(subject->watched);
	free(subject->cgroup);
	*subject = (struct subject){0};
}

char *subject_in_words(const struct subject *subject)
{
	const struct trace_options *options = subject->options;
	char *name, *words;

	if (options->program)
		return xstrdup(options->program[0]);
	if (options->cgroup)
		return xasprintf("cgroup %s", options->cgroup);
	if (options->pids != 1)
		return options->pids ? xasprintf("%zu processes", options->pids) : xstrdup("all I/O");
	name = process_name(options->pid[0]);
	words = xasprintf("process %d%s%s%s", options->pid[0], name ? " (" : "", name ? name : "", name ? ")" : "");
	free(name);
	return words;
}

/* --- the program --- */

/* Before the probes are loaded: of them, and of what loading needs, nothing is passed on to it. */
int subject_start(struct subject *subject)
{
	const struct trace_options *options = subject->options;
	int err;

	if (!options->program)
		return EXIT_DONE;
	err = program_start(&subject->program, options->program, options->user ? &subject->identity : NULL);
	if (err == -EPERM && options->user)
		return log_failure(EXIT_OURS, "-u %s: only root may run a program as another user", options->user);
	if (err)
		return log_failure(EXIT_OURS, "no process can be started for '%s': %s", options->program[0],
				   strerror(-err));
	return EXIT_DONE;
}

int subject_release(struct subject *subject)
{
	const char *name = subject->options->program ? subject->options->program[0] : NULL;
	int err = name ? program_release(&subject->program) : 0;

	if (err == -ENOENT)
		return log_failure(EXIT_NOT_FOUND, "cannot run '%s': %s", name,
				   strchr(name, '/') && !access(name, F_OK) ? "what should interpret it is not there"
									    : "there is no such program");
	if (err)
		return log_failure(EXIT_NOT_EXECUTABLE, "cannot run '%s': %s", name, strerror(-err));
	return EXIT_DONE;
}

/* --- marks --- */

static int compare_pids(const void *a, const void *b)
{
	const pid_t *first = a, *second = b;

	return (*first > *second) - (*first < *second);
}

/*
 * What the processes have started already. From when its parent is marked, a child is born so; but a process that is
 * not marked yet may start another between our look at all of them and its mark. So we look again until none is new.
 */
static void mark_descendants(const struct subject *subject, struct tracer *tracer)
{
	pid_t *known = NULL, *found;
	size_t knowns = 0, count, news = 1;

	for (int walk = 0; walk < MAX_WALKS && news; walk++) {
		count = processes_below(subject->options->pid, subject->options->pids, &found);
		news = 0;
		for (size_t i = 0; i < count; i++) {
			/* We may be one of them ourselves. */
			if (found[i] == getpid() ||
			    (knowns && bsearch(&found[i], known, knowns, sizeof(*known), compare_pids)))
				continue;
			news++;
			/* It may have ended by now. */
			tracer_mark(tracer, found[i]);
		}
		free(known);
		known = found;
		knowns = count;
	}
	free(known);
}

int subject_mark(const struct subject *subject, struct tracer *tracer)
{
	int err = subject->program.pid ? tracer_mark(tracer, subject->program.pid) : 0;

	if (err)
		return log_failure(EXIT_OURS, "the program cannot be marked as the one to trace: %s", strerror(-err));
	for (size_t i = 0; i < subject->watches; i++) {
		err = tracer_mark(tracer, subject->watched[i].pid);
		if (err && !has_ended(subject->watched[i].ended))
			return log_failure(EXIT_OURS, "process %d cannot be marked as one to trace: %s",
					   subject->watched[i].pid, strerror(-err));
	}
	if (subject->watches && !subject->options->no_children)
		mark_descendants(subject, tracer);
	return EXIT_DONE;
}

/* --- the end --- */

bool subject_is_gone(struct subject *subject)
{
	if (subject->options->program)
		return !subject->program.pid;
	if (subject->cgroup)
		return access(subject->cgroup, F_OK);
	for (size_t i = 0; i < subject->watches; i++) {
		if (subject->watched[i].ended < 0 || !has_ended(subject->watched[i].ended))
			continue;
		close_once(&subject->watched[i].ended);
		subject->living--;
	}
	return subject->watches && !subject->living;
}
