// SPDX-License-Identifier: GPL-2.0
#include "signals.h"

#include <errno.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/text.h"

/* What we take another way than those who started us. */
static const struct {
	int signal;
	void (*handler)(int);
} ours[] = {
	/* Writing beyond a file size limit shall be an error like any other, and so shall a reader that went away. */
	{SIGXFSZ, SIG_IGN},
	{SIGPIPE, SIG_IGN},
	{SIGCHLD, SIG_DFL}, /* where it is ignored, there is no status to wait for */
};

static struct sigaction theirs[ARRAY_SIZE(ours)];
static bool initialized;
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
	for (size_t i = 0; i < ARRAY_SIZE(ours); i++) {
		const struct sigaction action = {.sa_handler = ours[i].handler};

		if (sigaction(ours[i].signal, &action, &theirs[i]))
			return -errno;
	}
	if (sigprocmask(SIG_BLOCK, &stops_and_child, &before))
		return -errno;
	initialized = true;
	return 0;
}

int signals_add_quit(void)
{
	add_unless_ignored(SIGQUIT);
	stops_and_child = stops;
	sigaddset(&stops_and_child, SIGCHLD);
	return sigprocmask(SIG_BLOCK, &stops_and_child, NULL) ? -errno : 0;
}

static void remember(int signal)
{
	stops_seen++;
	if (!stopped_by)
		stopped_by = signal;
}

static int wait_for(const sigset_t *set, uint64_t ns)
{
	struct timespec span = {.tv_sec = ns / NS_PER_SECOND, .tv_nsec = ns % NS_PER_SECOND};
	int signal = sigtimedwait(set, NULL, &span);

	if (signal <= 0)
		return 0;
	if (signal != SIGCHLD)
		remember(signal);
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

int signals_open(void)
{
	int fd = signalfd(-1, &stops_and_child, SFD_CLOEXEC | SFD_NONBLOCK);

	return fd < 0 ? -errno : fd;
}

int signals_take(int fd, bool *typed)
{
	struct signalfd_siginfo info;

	do {
		if (read(fd, &info, sizeof(info)) != sizeof(info))
			return 0;
	} while (info.ssi_signo == SIGCHLD);
	remember(info.ssi_signo);
	*typed = info.ssi_code == SI_KERNEL;
	return info.ssi_signo;
}

void signals_restore(void)
{
	if (!initialized)
		return;
	for (size_t i = 0; i < ARRAY_SIZE(ours); i++)
		sigaction(ours[i].signal, &theirs[i], NULL);
	sigprocmask(SIG_SETMASK, &before, NULL);
}
