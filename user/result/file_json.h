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
extern const char *const owner_name[OWNERS];
extern const char *const percentile_key[PERCENTILES];

enum layer_kind { LAYER_KIND_REQUESTS, LAYER_KIND_BIOS, LAYER_KIND_PARTITION, LAYER_KINDS };

extern const char *const layer_kind_name[LAYER_KINDS];

/* The errno that a status is to the program; "status N" where none is known. Returns `key`. */
#define STATUS_KEY_LENGTH 24
const char *status_key(char key[STATUS_KEY_LENGTH], unsigned status);

/* Bytes that are not UTF-8, which jansson refuses, become U+FFFD. */
json_t *text_to_json(const char *text);
json_t *count_to_json(uint64_t count);

/* One run with all that it holds, or with what a summary shows of it. */
json_t *run_to_json(const struct run *run, bool summary);

#endif
