/* SPDX-License-Identifier: GPL-2.0 */
/* What the tests of the result's file share: looking into it, reading it back, breaking it. Include cmocka.h first. */
#ifndef TEST_FILE_TESTS_H
#define TEST_FILE_TESTS_H

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "base/text.h"
#include "result/file.h"

/* --- what is in it --- */

/* The JSON of `result`, which is freed. */
static inline json_t *write_and_read(struct result *result, bool summary)
{
	char *text = result_to_json(result, summary);
	json_error_t error;
	json_t *json = json_loads(text, JSON_REJECT_DUPLICATES, &error);

	if (!json)
		fail_msg("%s at line %d, column %d", error.text, error.line, error.column);
	assert_int_equal(text[strlen(text) - 1], '\n');
	free(text);
	result_free(result);
	return json;
}

/* "runs/0/engine/version"; NULL where there is no such thing. */
static inline json_t *find(json_t *json, const char *path)
{
	char *copy = xstrdup(path), *rest = copy, *key;

	while (json && (key = strsep(&rest, "/")))
		json = json_is_array(json) ? json_array_get(json, strtoul(key, NULL, 10)) : json_object_get(json, key);
	free(copy);
	return json;
}

static inline void check_text(json_t *json, const char *path, const char *expected)
{
	json_t *value = find(json, path);

	if (!json_is_string(value))
		fail_msg("%s is no string", path);
	assert_string_equal(json_string_value(value), expected);
}

static inline void check_count(json_t *json, const char *path, json_int_t expected)
{
	json_t *value = find(json, path);

	if (!json_is_integer(value))
		fail_msg("%s is no integer", path);
	assert_int_equal(json_integer_value(value), expected);
}

static inline void check_fraction(json_t *json, const char *path, double expected)
{
	json_t *value = find(json, path);

	if (!json_is_real(value))
		fail_msg("%s is no real number", path);
	assert_true(json_real_value(value) == expected);
}

static inline void check_absent(json_t *json, const char *path)
{
	if (find(json, path))
		fail_msg("%s is there", path);
}

/* Whether `key` is anywhere in it. */
static inline bool contains_key(json_t *json, const char *key)
{
	const char *name;
	json_t *value;
	size_t i;

	if (json_object_get(json, key))
		return true;
	json_object_foreach (json, name, value)
		if (contains_key(value, key))
			return true;
	json_array_foreach (json, i, value)
		if (contains_key(value, key))
			return true;
	return false;
}

/* --- there and back --- */

/* Numbers that are all different. */
static uint64_t next_number = 1000001;

static inline uint64_t number(void)
{
	return next_number += 7;
}

static inline struct result *read_back(const char *json)
{
	struct result *result = NULL;
	char *error = NULL;

	if (result_from_json(json, strlen(json), &result, &error))
		fail_msg("%s", error);
	return result;
}

static inline void check_round_trip(struct result *result)
{
	char *json = result_to_json(result, false), *again;
	struct result *read = read_back(json);

	again = result_to_json(read, false);
	assert_string_equal(again, json);
	result_free(read);
	result_free(result);
	free(again);
	free(json);
}

/* --- what is refused --- */

static inline void check_refused(const char *json, size_t length, const char *expected)
{
	struct result *result = NULL;
	char *error = NULL;

	if (!result_from_json(json, length, &result, &error))
		fail_msg("accepted, and expected: %s", expected);
	assert_null(result);
	assert_string_equal(error, expected);
	free(error);
}

/* The first `from` after `anchor` in the file of `result`, which is freed, is replaced. */
static inline void check_replaced_in(struct result *result, const char *anchor, const char *from, const char *to,
				     const char *expected)
{
	char *json = result_to_json(result, false), *at = strstr(json, anchor), *changed;

	assert_non_null(at);
	at = strstr(at, from);
	assert_non_null(at);
	changed = xasprintf("%.*s%s%s", (int)(at - json), json, to, at + strlen(from));
	check_refused(changed, strlen(changed), expected);
	free(changed);
	free(json);
	result_free(result);
}

/* --- anything at all --- */

#define MUTATIONS 1000

/* Under valgrind, where each takes a hundred times as long, fewer do: IOSTRATA_MUTATIONS. */
static inline int mutations(void)
{
	const char *fewer = getenv("IOSTRATA_MUTATIONS");

	return fewer ? atoi(fewer) : MUTATIONS;
}

static uint32_t dice = 20261130;

static inline uint32_t roll(uint32_t sides)
{
	dice = dice * 1664525 + 1013904223;
	return (uint32_t)((uint64_t)dice * sides >> 32);
}

static inline json_t *odd_value(void)
{
	switch (roll(11)) {
	case 0:
		return json_null();
	case 1:
		return json_integer(-1);
	case 2:
		return json_integer(0);
	case 3:
		return json_integer(INT64_MAX);
	case 4:
		return json_real(1.5e300);
	case 5:
		return json_real(0.25);
	case 6:
		return json_string("");
	case 7:
		return json_string("\u00e9\033[2J");
	case 8:
		return json_array();
	case 9:
		return json_object();
	default:
		return json_true();
	}
}

/* Goes down to a random value and replaces it, or takes it out. */
static inline void mutate_value(json_t *json)
{
	uint32_t index = 0;
	const char *key;
	json_t *value;

	if (json_is_array(json) && json_array_size(json)) {
		index = roll((uint32_t)json_array_size(json));
		value = json_array_get(json, index);
		if ((json_is_object(value) || json_is_array(value)) && roll(6))
			mutate_value(value);
		else if (roll(4))
			json_array_set_new(json, index, odd_value());
		else
			json_array_remove(json, index);
	}
	if (!json_is_object(json) || !json_object_size(json))
		return;
	index = roll((uint32_t)json_object_size(json));
	json_object_foreach (json, key, value) {
		if (index--)
			continue;
		if ((json_is_object(value) || json_is_array(value)) && roll(6))
			mutate_value(value);
		else if (roll(4))
			json_object_set_new(json, key, odd_value());
		else
			json_object_del(json, key);
		return;
	}
}

#endif
