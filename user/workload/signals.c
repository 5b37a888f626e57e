// SPDX-License-Identifier: GPL-2.0
#include "signals.h"

#include <errno.h>
#include <signal.h>
#include <time.h>

#include "base/clock.h"

static sigset_t stops, stops_and_child, before;
static int stopped_by;
static unsigned stops_seen;

/* nohup and background shells ignore a signal for us, and blocking it would bring it back. */
static void add_unless_ignored(int signal)
{
	struct sigaction action;

	if (!sigaction(signal, NULL, &action) && action.sa_handler != SIG_IGN)
		sigaddset(&stops, signal);
}

int signals_init(void)
{
	sigemptyset(&stops);
	add_unless_ignored(SIGINT);
	add_unless_ignored(SIGTERM);
	add_unless_ignored(SIGHUP);
	stops_and_child = stops;
	sigaddset(&stops_and_child, SIGCHLD);
	/* Writing beyond a file size limit shall be an error like any other, and so shall a reader that went away. */
	signal(SIGXFSZ, SIG_IGN);
	signal(SIGPIPE, SIG_IGN);
	return sigprocmask(SIG_BLOCK, &stops_and_child, &before) ? -errno : 0;
}

static int wait_for(const sigset_t *set, uint64_t ns)
{
	struct timespec span = {.tv_sec = ns / NS_PER_SECOND, .tv_nsec = ns % NS_PER_SECOND};
	int signal = sigtimedwait(set, NULL, &span);

	if (signal <= 0)
		return 0;
	if (signal != SIGCHLD) {
		stops_seen++;
		if (!stopped_by)
			stopped_by = signal;
	}
	return signal;
}

int signals_wait(uint64_t ns)
{
	return wait_for(&stops_and_child, ns);
}

int signals_stopped(void)
{
	while (wait_for(&stops, 0))
		;
	return stopped_by;
}

unsigned signals_count(void)
{
	return stops_seen;
}

void signals_restore(void)
{
	signal(SIGXFSZ, SIG_DFL);
	signal(SIGPIPE, SIG_DFL);
	sigprocmask(SIG_SETMASK, &before, NULL);
}
