/* SPDX-License-Identifier: GPL-2.0 */
/* Building blocks of the result's file. What is not known is not put in. */
#ifndef RESULT_FILE_JSON_H
#define RESULT_FILE_JSON_H

#include <jansson.h>

#include "result.h"

/* NULL is not put in. */
void put(json_t *object, const char *key, json_t *value);
void put_text(json_t *object, const char *key, const char *text);
void put_texts(json_t *object, const char *key, char *const *texts);

void put_count(json_t *object, const char *key, uint64_t count);
void put_known(json_t *object, const char *key, uint64_t count);  /* 0 stands for unknown */
void put_fraction(json_t *object, const char *key, double value); /* unless it is infinite or not a number */
void put_boolean(json_t *object, const char *key, bool value);

/* Makes jansson use allocation that does not fail: nothing can then be left half done. */
void file_json_init(void);

/* Names that are of the file alone. */
extern const char *const access_name[ACCESSES];
extern const char *const percentile_key[PERCENTILES];

enum layer_kind { LAYER_KIND_REQUESTS, LAYER_KIND_BIOS, LAYER_KIND_PARTITION, LAYER_KINDS };

extern const char *const layer_kind_name[LAYER_KINDS];

/* The errno that a status is to the program; "status N" where none is known. Returns `key`. */
#define STATUS_KEY_LENGTH 24
const char *status_key(char key[STATUS_KEY_LENGTH], unsigned status);

/* Bytes that are not UTF-8, which jansson refuses, become U+FFFD. */
json_t *text_to_json(const char *text);
json_t *count_to_json(uint64_t count);
json_t *pair_to_json(uint64_t first, uint64_t second);

/* All of a histogram, or what a summary shows of it. */
json_t *hist_to_json(const struct hist *hist, bool summary);

/* The same with its seconds; NULL where nothing was counted. */
json_t *stage_to_json(const struct hist *hist, const struct course *course, bool summary);

/* Bios of the first `count` ops, by op; unless `all`, of those alone of which there were any. */
json_t *bio_counts_to_json(const struct bio_counts *counts, size_t count, bool all);

/* The program's I/Os, its calls and who else was there, where they were followed. */
void put_ios(json_t *trace, const struct trace_view *view, bool summary);

/* What the machine was like; NULL where nothing of it is known. */
json_t *conditions_to_json(const struct conditions *conditions);

/*
 * What follows from the rest of a result, computed when it is written: nothing of it is read back. NULL where there is
 * none: the durability ledger of a run, the curves of a sweep, and the verdict on all runs.
 */
json_t *ledger_to_json(const struct result *result, const struct run *run);
void put_paused(json_t *trace, const struct run *run); /* in each record, ns that the machine stood still in it */
json_t *sweeps_to_json(const struct result *result);
json_t *verdict_to_json(const struct result *result);

/* A machine with all that is known of it, or with what a summary shows of it; and a target. */
json_t *machine_to_json(const struct machine *machine, bool summary);
json_t *target_to_json(const struct target *target);

/* One run with all that it holds, or with what a summary shows of it. */
json_t *run_to_json(const struct result *result, const struct run *run, bool summary);

#endif
