// SPDX-License-Identifier: GPL-2.0
#include "tracer.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/text.h"
#include "host/block.h"
#include "host/files.h"

#include "calls.h"
#include "cgroup.h"
#include "collect.h"
#include "disks.h"
#include "maps.h"
#include "programs.h"
#include "symbols.h"

/* Of the verifier's log, which may be long, the end says what was wrong. */
#define LAST_LINES 6

static void print_end(const char *lines)
{
	const char *from = lines + strlen(lines);

	for (int line = 0; line <= LAST_LINES && from > lines; from--)
		line += from[-1] == '\n';
	for (from += *from == '\n'; *from; from += strcspn(from, "\n"), from += *from == '\n')
		log_detail("%.*s", (int)strcspn(from, "\n"), from);
}

/* libbpf is one level quieter than we are: what it calls a warning is a detail to our users. */
__attribute__((format(printf, 2, 0))) static int print_libbpf(enum libbpf_print_level level, const char *format,
							      va_list args)
{
	char *message, *rest;

	if (level == LIBBPF_DEBUG)
		return 0;
	message = xvasprintf(format, args);
	rest = message;
	log_detail("%s", strsep(&rest, "\n"));
	if (rest)
		print_end(rest);
	free(message);
	return 0;
}

/* --- what is asked of BPF --- */

/* What is bio-based counts by itself, and zram does so without setting queue/iostats. */
static bool is_counted(const struct layer *layer)
{
	const char *disk = layer->parent_disk ? layer->parent_disk : layer->name;
	uint64_t iostats;

	return !layer->has_requests ||
	       (!host_read_number(&iostats, "/sys/class/block/%s/queue/iostats", disk) && iostats);
}

static int choose_layers(struct tracer *tracer, struct trace_config *config, const struct trace_wish *wish)
{
	const struct layer *chosen[MAX_LAYERS];
	int err = disks_choose(config, wish, chosen);

	if (err)
		return err;
	tracer->top = config->layers ? disks_top(config) : NULL;
	tracer->layers = config->layers;
	tracer->layer = xcalloc(tracer->layers, sizeof(*tracer->layer));
	for (size_t i = 0; i < tracer->layers; i++)
		tracer->layer[i] = (struct traced_layer){
			.name = xstrdup(chosen[i]->name),
			.leaf = chosen[i]->leaf,
			.flags = config->layer[i].flags,
			.counted = is_counted(chosen[i]),
		};
	return 0;
}

static int choose_owner(struct trace_config *config, const struct trace_wish *wish)
{
	config->own = wish->own;
	config->no_children = wish->no_children;
	if (wish->own != OWN_CGROUP)
		return 0;
	return wish->cgroup ? cgroup_find(wish->cgroup, &config->cgroup, &config->cgroup_level) : -ENOENT;
}

static void choose_symbols(struct tracer *tracer, struct trace_config *config)
{
	if (tracer->queue)
		symbols_read(config->symbol);
	if (tracer->ios)
		tracer->hidden = symbols_hidden(config->symbol);
}

/* Fills all of `config` but what depends on the kernel's own types. 0 or -errno. */
static int choose(struct tracer *tracer, struct trace_config *config, const struct trace_wish *wish)
{
	int err = choose_layers(tracer, config, wish);

	if (!err)
		err = choose_owner(config, wish);
	if (err)
		return err;
	tracer->ios = wish->ios;
	tracer->rings = wish->ios && wish->rings;
	/* A bio-based layer has nothing but its bios to be timed by. */
	tracer->queue = wish->queue || wish->ios || config->flags & LAYER_BIOS;
	tracer->slowest = tracer->ios ? wish->slowest : 0;
	tracer->slow_records = tracer->ios && wish->slow_from ? wish->slow_records : 0;
	tracer->epoch = clock_now();
	config->queue = tracer->queue;
	config->io = tracer->ios;
	config->clocks = tracer->ios && wish->clocks;
	config->syncs = tracer->ios && wish->syncs;
	config->remote = tracer->ios && wish->remote;
	config->one_file = wish->file >= 0;
	config->slowest = tracer->slowest;
	config->slow_from = wish->slow_from;
	config->slow_records = tracer->slow_records;
	config->intervals = tracer->ios && wish->intervals;
	config->hops = tracer->hops = config->flags & LAYER_SCSI;
	config->epoch = tracer->epoch;
	calls_number(config->call);
	choose_symbols(tracer, config);
	maps_plan(tracer, config, wish->in_flight);
	return 0;
}

/* --- load --- */

static int load(struct tracer *tracer, struct trace_config *config, const struct trace_wish *wish)
{
	int err;

	tracer->skel = iostrata_bpf__open();
	if (!tracer->skel)
		return -errno;
	err = programs_choose(tracer->skel, config, wish, tracer->queue);
	if (!err)
		err = maps_size(tracer);
	tracer->skel->rodata->config = *config;
	if (!err)
		err = iostrata_bpf__load(tracer->skel);
	if (!err)
		err = maps_map(tracer);
	if (err)
		return err;
	collect_open(tracer);
	err = iostrata_bpf__attach(tracer->skel);
	if (!err && tracer->hops)
		programs_attach_hops(tracer->skel);
	return err;
}

/* Returns a descriptor of the process for the map of tasks, or -errno. */
static int open_process(pid_t pid)
{
	int pidfd = syscall(SYS_pidfd_open, pid, 0);

	return pidfd < 0 ? -errno : pidfd;
}

static int mark(struct tracer *tracer, int pidfd, enum task_mark what)
{
	struct task_state state = {.mark = what};

	return bpf_map_update_elem(bpf_map__fd(tracer->skel->maps.tasks), &pidfd, &state, BPF_ANY) ? -errno : 0;
}

/*
 * Tells BPF who iostrata is, and shows it the one file whose I/O counts (-1: there is none): while this process is marked
 * for that, a read of nothing from it enters the kernel. A pidfd means the process's first thread, so that must be the
 * one that is here. Whether BPF knows the file now.
 */
static bool introduce(struct tracer *tracer, int file)
{
	int pidfd = open_process(getpid()), err = pidfd < 0 ? pidfd : 0;
	char nothing;

	if (!err && file >= 0)
		err = mark(tracer, pidfd, MARK_LEARN);
	/* No other file may be used while it is marked, not even to log. */
	if (!err && file >= 0 && pread(file, &nothing, 0, 0) < 0)
		err = -errno;
	if (pidfd >= 0) {
		mark(tracer, pidfd, MARK_OBSERVER);
		close(pidfd);
	}
	if (err)
		log_detail("the measured file could not be shown to BPF: %s", strerror(-err));
	return tracer->skel->bss->target_inode;
}

static void unload(struct tracer *tracer)
{
	maps_unmap(tracer);
	iostrata_bpf__destroy(tracer->skel);
	tracer->skel = NULL;
	collect_close(tracer);
}

/*
 * Round trips and the hops of SCSI commands are followed beside all else: a kernel that refuses their programs, as none of
 * those that this was tried on does, must not take the rest with them.
 */
static int load_what_goes(struct tracer *tracer, struct trace_config *config, const struct trace_wish *wish)
{
	int err = load(tracer, config, wish);

	if (!err || err == -EPERM || !config->layers || (!config->remote && !config->hops))
		return err;
	log_warning("this kernel refuses the programs that follow round trips and SCSI commands: those stay "
		    "unknown, and -v shows what it says");
	unload(tracer);
	config->remote = config->hops = tracer->hops = false;
	maps_plan(tracer, config, wish->in_flight);
	return load(tracer, config, wish);
}

static int load_and_learn(struct tracer *tracer, struct trace_config *config, const struct trace_wish *wish)
{
	int err = load_what_goes(tracer, config, wish);

	if (err || !tracer->ios || introduce(tracer, wish->file) || wish->file < 0)
		return err;
	log_detail("BPF does not know which file is measured: any file on these devices counts");
	unload(tracer);
	config->one_file = 0;
	return load(tracer, config, wish);
}

int tracer_open(struct tracer **out, const struct trace_wish *wish)
{
	struct trace_config config = {0};
	struct tracer *tracer = xcalloc(1, sizeof(*tracer));
	uint64_t begin = clock_now();
	int err = choose(tracer, &config, wish);

	libbpf_set_print(print_libbpf);
	tracer->cpus = libbpf_num_possible_cpus();
	if (!err)
		err = tracer->cpus < 0 ? tracer->cpus : load_and_learn(tracer, &config, wish);
	if (err) {
		tracer_close(tracer);
		return err;
	}
	tracer->startup = clock_now() - begin;
	*out = tracer;
	return 0;
}

void tracer_close(struct tracer *tracer)
{
	if (!tracer)
		return;
	unload(tracer);
	for (size_t i = 0; i < tracer->layers; i++)
		free(tracer->layer[i].name);
	free(tracer->layer);
	free(tracer->top);
	free(tracer->hidden);
	free(tracer->told);
	free(tracer);
}

int tracer_mark(struct tracer *tracer, pid_t pid)
{
	int pidfd = open_process(pid), err;

	if (pidfd < 0)
		return pidfd;
	err = mark(tracer, pidfd, MARK_WORKLOAD);
	close(pidfd);
	return err;
}

void tracer_observe(const struct tracer *tracer, struct observer *observer)
{
	observer->startup = tracer->startup;
	observer->map_bytes = maps_memory(tracer);
}
