// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/log.h"
#include "base/text.h"
#include "command.h"
#include "common.h"
#include "doctor_kernel.h"
#include "doctor_machine.h"
#include "doctor_options.h"
#include "doctor_place.h"
#include "doctor_probe.h"
#include "doctor_saved.h"
#include "doctor_target.h"
#include "doctor_wsl.h"
#include "host/machine.h"
#include "host/probe.h"
#include "load.h"
#include "report/diagnosis.h"
#include "result/file_diagnosis.h"
#include "version.h"
#include "workload/place.h"
#include "workload/signals.h"

static struct diagnosis *begin(void)
{
	struct diagnosis *diagnosis = diagnosis_new();
	char stamp[sizeof("2026-01-31 12:34:56")];
	time_t now = time(NULL);
	struct tm local;

	localtime_r(&now, &local);
	strftime(stamp, sizeof(stamp), "%Y-%m-%d %H:%M:%S", &local);
	diagnosis->version = xstrdup(IOSTRATA_VERSION);
	diagnosis->timestamp = xstrdup(stamp);
	machine_describe(&diagnosis->machine);
	return diagnosis;
}

static bool is_known(const struct diagnosis *diagnosis, const struct target *target)
{
	for (size_t i = 0; i < diagnosis->targets; i++)
		if (!strcmp(diagnosis->target[i].path, target->path))
			return true;
	return false;
}

/* All are looked at, so that one run tells of all that is wrong. */
static int find_targets(struct diagnosis *diagnosis, const struct doctor_options *options)
{
	int err = 0;

	diagnosis->target = xcalloc(options->targets, sizeof(*diagnosis->target));
	for (size_t i = 0; i < options->targets; i++) {
		struct target *target = &diagnosis->target[diagnosis->targets];
		int refused = place_look(target, options->target[i]);

		if (!refused && is_known(diagnosis, target))
			refused = log_failure(-EINVAL, "%s: given twice", target->given);
		if (refused)
			target_clear(target);
		else
			diagnosis->targets++;
		err = refused ? refused : err;
	}
	return err;
}

static void examine(struct diagnosis *diagnosis, const struct doctor_options *options)
{
	struct kernel_answers answers;

	probes_measure(&diagnosis->probes); /* first: what loading programs leaves behind in the kernel takes time */
	kernel_ask(&answers);
	doctor_kernel(diagnosis, &answers);
	kernel_answers_free(&answers);
	doctor_machine(diagnosis);
	for (size_t i = 0; i < diagnosis->targets; i++) {
		doctor_target(diagnosis, &diagnosis->target[i]);
		doctor_place(&diagnosis->section[diagnosis->sections - 1], &diagnosis->target[i]);
		if (options->probe && !signals_stopped())
			doctor_probe(&diagnosis->section[diagnosis->sections - 1], &diagnosis->target[i]);
	}
	doctor_advise_wsl(diagnosis);
}

static void print(const struct diagnosis *diagnosis, const struct doctor_options *options)
{
	struct text text = {0};
	char *json;

	if (options->json) {
		json = diagnosis_to_json(diagnosis);
		fputs(json, stdout);
		free(json);
		return;
	}
	report_diagnosis(diagnosis, log_colourful(STDOUT_FILENO), options->verbosity > 0, &text);
	fwrite(text.data, 1, text.length, stdout);
	text_free(&text);
}

static int status_of(const struct diagnosis *diagnosis)
{
	switch (diagnosis_fitness(diagnosis)) {
	case FITNESS_UNFIT:
		return EXIT_UNFIT;
	case FITNESS_LIMITED:
		return EXIT_LIMITED;
	default:
		return EXIT_DONE;
	}
}

/* The machine that measured then; nothing of this one. */
static int show_saved(const struct doctor_options *options)
{
	struct diagnosis *diagnosis;
	struct result *result;

	if (options->targets > 1 || options->probe)
		return log_failure(EXIT_USAGE, "%s: a saved result goes with no other target, nor with --probe",
				   options->target[0]);
	result = load_result(options->target[0]);
	if (!result)
		return EXIT_FAILED;
	diagnosis = doctor_saved(result);
	result_free(result);
	print(diagnosis, options);
	diagnosis_free(diagnosis);
	return EXIT_DONE;
}

static int diagnose(const struct doctor_options *options)
{
	struct diagnosis *diagnosis = begin();
	int status = EXIT_USAGE;

	if (!find_targets(diagnosis, options)) {
		examine(diagnosis, options);
		print(diagnosis, options);
		status = signals_stopped() ? EXIT_SIGNALLED + signals_stopped() : status_of(diagnosis);
	}
	diagnosis_free(diagnosis);
	return status;
}

int command_doctor(int argc, char **argv)
{
	struct doctor_options options;
	int err;

	if (doctor_options_parse(&options, argc, argv))
		return EXIT_USAGE;
	if (options.help) {
		doctor_options_print();
		return EXIT_DONE;
	}
	log_set_verbosity(options.verbosity);
	if (options.targets && is_saved(options.target[0]))
		return show_saved(&options);
	err = signals_init();
	if (err)
		return log_failure(EXIT_FAILED, "cannot block signals: %s", strerror(-err));
	return diagnose(&options);
}
