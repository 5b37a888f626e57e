// SPDX-License-Identifier: GPL-2.0
/* The part of section "kernel" that has to be tried. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/text.h"
#include "doctor_kernel.h"
#include "host/block.h"
#include "host/mounts.h"
#include "host/privilege.h"
#include "result/remote.h"
#include "trace/tracer.h"
#include "workload/fio.h"

/* As many as bench's smallest test has at once: what is tried is whether they load, not how large they may be. */
#define IN_FLIGHT 64

/* --- the probes --- */

/* As trace does, which follows whatever is mounted. */
static int load_once(const struct layer *layer, uint64_t *startup)
{
	const struct trace_wish wish = {
		.layer = layer,
		.layers = 1,
		.in_flight = IN_FLIGHT,
		.queue = true,
		.ios = true,
		.clocks = true,
		.syncs = true,
		.remote = mounts_have(filesystem_is_remote),
		.file = -1,
		.own = OWN_MARKED,
	};
	uint64_t begin = clock_now();
	struct tracer *tracer = NULL;
	int err = tracer_open(&tracer, &wish);

	tracer_close(tracer);
	*startup = clock_now() - begin;
	return err;
}

/* One disk will do. Without any there is nothing to try, and nothing to trace either. */
static void load_probes(struct kernel_answers *answers)
{
	struct layer *layer = NULL;
	size_t layers = 0, leaf = 0;

	block_disks(false, &layer, &layers);
	while (leaf < layers && (!layer[leaf].leaf || !layer[leaf].has_requests))
		leaf++;
	if (layers) {
		answers->tried = true;
		answers->error = load_once(&layer[leaf < layers ? leaf : 0], &answers->startup);
	}
	for (size_t i = 0; i < layers; i++)
		layer_clear(&layer[i]);
	free(layer);
}

/* --- fio --- */

/* Where the shell would find it; NULL: nowhere. */
static char *find_on_path(const char *name)
{
	char *path = xstrdup(getenv("PATH") ? getenv("PATH") : ""), *rest = path, *folder, *found = NULL;

	while (!found && (folder = strsep(&rest, ":"))) {
		found = xasprintf("%s/%s", *folder ? folder : ".", name);
		if (access(found, X_OK)) {
			free(found);
			found = NULL;
		}
	}
	free(path);
	return found;
}

static void ask_fio(struct kernel_answers *answers)
{
	char *answer;

	answers->fio_error = fio_ask(NULL, "--version", &answer);
	if (answers->fio_error) {
		free(answer);
		return;
	}
	answer[strcspn(answer, "\r\n")] = '\0';
	answers->fio = answer;
	answers->fio_path = find_on_path("fio");
	if (fio_ask(NULL, "--enghelp", &answers->engines)) {
		free(answers->engines);
		answers->engines = NULL;
	}
}

/* --- all of it --- */

void kernel_ask(struct kernel_answers *answers)
{
	char *obstacle = trace_obstacle();

	*answers = (struct kernel_answers){0};
	answers->described = tracepoints_look(&answers->tracepoints) == 0;
	if (!obstacle)
		load_probes(answers);
	free(obstacle);
	ask_fio(answers);
}

void kernel_answers_free(struct kernel_answers *answers)
{
	tracepoints_free(&answers->tracepoints);
	free(answers->fio);
	free(answers->fio_path);
	free(answers->engines);
	*answers = (struct kernel_answers){0};
}
