// SPDX-License-Identifier: GPL-2.0
#include "pinned.h"

#include <sched.h>
#include <signal.h>

/* 8192 CPUs: the kernel refuses to tell a part of what it has. */
#define SETS 8

/* The threads need little; what is not used of the usual 8 MiB might be filled by a huge page. */
#define STACK (256u << 10)

size_t pinned_cpus(size_t *cpu, size_t most)
{
	size_t wanted, index = 0, chosen = 0, count;
	cpu_set_t allowed[SETS];

	CPU_ZERO_S(sizeof(allowed), allowed);
	if (sched_getaffinity(0, sizeof(allowed), allowed))
		return 0;
	count = (size_t)CPU_COUNT_S(sizeof(allowed), allowed);
	wanted = count < most ? count : most;
	for (size_t i = 0; i < sizeof(allowed) * 8 && chosen < wanted; i++) {
		if (!CPU_ISSET_S(i, sizeof(allowed), allowed))
			continue;
		if (index++ == chosen * count / wanted)
			cpu[chosen++] = i;
	}
	return chosen;
}

static int start(pthread_t *thread, size_t cpu, void *(*run)(void *), void *argument)
{
	cpu_set_t where[SETS];
	pthread_attr_t attributes;
	int err;

	CPU_ZERO_S(sizeof(where), where);
	CPU_SET_S(cpu, sizeof(where), where);
	err = pthread_attr_init(&attributes);
	if (err)
		return -err;
	err = pthread_attr_setstacksize(&attributes, STACK);
	if (!err)
		err = pthread_attr_setaffinity_np(&attributes, sizeof(where), where);
	if (!err)
		err = pthread_create(thread, &attributes, run, argument);
	pthread_attr_destroy(&attributes);
	return -err;
}

int pinned_start(pthread_t *thread, size_t cpu, void *(*run)(void *), void *argument)
{
	sigset_t all, before;
	int err;

	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, &before);
	err = start(thread, cpu, run, argument);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return err;
}
