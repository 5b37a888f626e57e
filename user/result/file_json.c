// SPDX-License-Identifier: GPL-2.0
#include "file_json.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "base/utf8.h"

const char *const access_name[ACCESSES] = {[ACCESS_READ] = "read", [ACCESS_WRITE] = "write", [ACCESS_MIX] = "mix"};

const char *const percentile_key[PERCENTILES] = {"p50", "p90", "p95", "p99", "p99.9", "p99.99"};

const char *const layer_kind_name[LAYER_KINDS] = {
	[LAYER_KIND_REQUESTS] = "requests",
	[LAYER_KIND_BIOS] = "bios",
	[LAYER_KIND_PARTITION] = "partition",
};

const char *status_key(char key[STATUS_KEY_LENGTH], unsigned status)
{
	const char *name = status_errno(status) ? strerrorname_np(status_errno(status)) : NULL;

	if (name)
		snprintf(key, STATUS_KEY_LENGTH, "%s", name);
	else
		snprintf(key, STATUS_KEY_LENGTH, "status %u", status);
	return key;
}

static void *allocate(size_t size)
{
	return xcalloc(size, 1);
}

void file_json_init(void)
{
	json_set_alloc_funcs(allocate, free);
}

json_t *text_to_json(const char *text)
{
	char *clean = utf8_repair(text);
	json_t *json = json_string(clean);

	free(clean);
	return json;
}

/* jansson's integers are signed. Nothing that large is a count of anything; rounded it says more than negative. */
json_t *count_to_json(uint64_t count)
{
	return count <= INT64_MAX ? json_integer((json_int_t)count) : json_real((double)count);
}

void put(json_t *object, const char *key, json_t *value)
{
	if (value)
		json_object_set_new(object, key, value);
}

void put_text(json_t *object, const char *key, const char *text)
{
	if (text)
		put(object, key, text_to_json(text));
}

void put_texts(json_t *object, const char *key, char *const *texts)
{
	json_t *array;

	if (!texts)
		return;
	array = json_array();
	for (; *texts; texts++)
		json_array_append_new(array, text_to_json(*texts));
	put(object, key, array);
}

void put_count(json_t *object, const char *key, uint64_t count)
{
	put(object, key, count_to_json(count));
}

void put_known(json_t *object, const char *key, uint64_t count)
{
	if (count)
		put_count(object, key, count);
}

void put_fraction(json_t *object, const char *key, double value)
{
	if (isfinite(value))
		put(object, key, json_real(value));
}

void put_boolean(json_t *object, const char *key, bool value)
{
	put(object, key, json_boolean(value));
}

json_t *bio_counts_to_json(const struct bio_counts *counts, size_t count, bool all)
{
	json_t *ops = json_object();

	for (size_t op = 0; op < count; op++) {
		json_t *object;

		if (!all && !counts[op].bios && !counts[op].bytes)
			continue;
		object = json_object();
		put_count(object, "bios", counts[op].bios);
		put_count(object, "bytes", counts[op].bytes);
		put(ops, op_name[op], object);
	}
	return ops;
}
