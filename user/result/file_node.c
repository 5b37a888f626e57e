// SPDX-License-Identifier: GPL-2.0
#include "file_node.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "base/utf8.h"
#include "json_type.h"

/* No figure is larger, and every smaller one fits into an integer when a report rounds it. */
#define MAX_FRACTION 1e18

/* --- where and what --- */

static void add_place(struct text *text, const struct node *node)
{
	if (!node->up)
		return;
	add_place(text, node->up);
	if (node->key)
		text_addf(text, "%s%s", text->length ? "." : "", node->key);
	else
		text_addf(text, "[%zu]", node->index);
}

void node_refuse(const struct node *node, const char *format, ...)
{
	struct text text = {0};
	va_list arguments;
	char *message;

	if (node->reading->error)
		return;
	va_start(arguments, format);
	if (vasprintf(&message, format, arguments) < 0)
		message = xstrdup(format);
	va_end(arguments);
	add_place(&text, node);
	text_addf(&text, "%s%s", text.length ? ": " : "", message);
	free(message);
	node->reading->error = text_take(&text);
}

static void refuse_type(const struct node *node, const char *expected)
{
	node_refuse(node, "is %s, expected %s", json_type_in_words(node->json), expected);
}

/* --- objects and arrays --- */

struct node node_find(const struct node *object, const char *key)
{
	struct node node = {.reading = object->reading, .up = object, .key = key};

	if (json_is_object(object->json))
		node.json = json_object_get(object->json, key);
	else if (object->json)
		refuse_type(object, "an object");
	return node;
}

struct node node_get(const struct node *object, const char *key)
{
	struct node node = node_find(object, key);

	if (!node.json)
		node_refuse(&node, "is missing");
	return node;
}

bool node_is(const struct node *node)
{
	return node->json && !node->reading->error;
}

size_t node_elements(const struct node *array)
{
	if (!node_is(array))
		return 0;
	if (!json_is_array(array->json))
		refuse_type(array, "an array");
	return json_array_size(array->json);
}

size_t node_members(const struct node *object)
{
	if (!node_is(object))
		return 0;
	if (!json_is_object(object->json))
		refuse_type(object, "an object");
	return json_object_size(object->json);
}

struct node node_at(const struct node *array, size_t index)
{
	return (struct node){
		.json = json_array_get(array->json, index),
		.reading = array->reading,
		.up = array,
		.index = index,
	};
}

/* --- values --- */

/* Counts beyond what an integer of JSON holds were written as a real number. */
static uint64_t count_of_real(const struct node *node)
{
	double value = json_real_value(node->json);

	if (value < 0)
		node_refuse(node, "is negative");
	else if (value < 0x1p63)
		node_refuse(node, "is not a whole number");
	return value < 0x1p63 ? 0 : value < 0x1p64 ? (uint64_t)value : UINT64_MAX;
}

uint64_t node_count(const struct node *node)
{
	if (!node_is(node))
		return 0;
	if (json_is_real(node->json))
		return count_of_real(node);
	if (!json_is_integer(node->json))
		refuse_type(node, "a number");
	else if (json_integer_value(node->json) < 0)
		node_refuse(node, "is negative");
	else
		return (uint64_t)json_integer_value(node->json);
	return 0;
}

uint64_t node_count_to(const struct node *node, uint64_t highest)
{
	uint64_t count = node_count(node);

	if (count <= highest)
		return count;
	node_refuse(node, "is %" PRIu64 ", expected at most %" PRIu64, count, highest);
	return 0;
}

double node_signed(const struct node *node)
{
	double value;

	if (!node_is(node))
		return 0;
	if (!json_is_number(node->json))
		refuse_type(node, "a number");
	value = json_number_value(node->json);
	if (value <= MAX_FRACTION && value >= -MAX_FRACTION)
		return value;
	node_refuse(node, "is too large");
	return 0;
}

double node_fraction(const struct node *node)
{
	if (node_is(node) && json_number_value(node->json) < 0)
		node_refuse(node, "is negative");
	return node_signed(node);
}

bool node_boolean(const struct node *node)
{
	if (node_is(node) && !json_is_boolean(node->json))
		refuse_type(node, "true or false");
	return json_is_true(node->json);
}

const char *node_string(const struct node *node)
{
	if (node_is(node) && !json_is_string(node->json))
		refuse_type(node, "a string");
	return json_string_value(node->json);
}

/* `how` it is found there: "is". What is found may be anything, and the message must stay one line. */
static void refuse_choice(const struct node *node, const char *how, const char *found, const char *const *names,
			  size_t count)
{
	char *shown = utf8_printable(found);
	struct text list = {0};

	for (size_t i = 0; i < count; i++)
		text_addf(&list, "%s%s", i ? ", " : "", names[i]);
	node_refuse(node, "%s '%.40s', expected one of %s", how, shown, list.data);
	text_free(&list);
	free(shown);
}

size_t node_choice(const struct node *node, const char *const *names, size_t count)
{
	const char *found = node_string(node);

	if (!found)
		return 0;
	for (size_t i = 0; i < count; i++)
		if (!strcmp(found, names[i]))
			return i;
	refuse_choice(node, "is", found, names, count);
	return 0;
}

static bool is_one_of(const char *string, const char *const *names, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (!strcmp(string, names[i]))
			return true;
	return false;
}

void node_only(const struct node *object, const char *const *names, size_t count)
{
	const char *key;
	json_t *value;

	if (!node_members(object))
		return;
	json_object_foreach (object->json, key, value)
		if (!is_one_of(key, names, count))
			refuse_choice(object, "names", key, names, count);
}

/* --- members --- */

uint64_t get_count(const struct node *object, const char *key)
{
	struct node node = node_get(object, key);

	return node_count(&node);
}

uint64_t get_count_to(const struct node *object, const char *key, uint64_t highest)
{
	struct node node = node_get(object, key);

	return node_count_to(&node, highest);
}

uint64_t get_known(const struct node *object, const char *key)
{
	struct node node = node_find(object, key);

	return node_count(&node);
}

uint64_t get_known_to(const struct node *object, const char *key, uint64_t highest)
{
	struct node node = node_find(object, key);

	return node_count_to(&node, highest);
}

double get_fraction(const struct node *object, const char *key)
{
	struct node node = node_find(object, key);

	return node_fraction(&node);
}

bool get_boolean(const struct node *object, const char *key)
{
	struct node node = node_get(object, key);

	return node_boolean(&node);
}

size_t get_choice(const struct node *object, const char *key, const char *const *names, size_t count)
{
	struct node node = node_get(object, key);

	return node_choice(&node, names, count);
}

static char *copy(const struct node *node)
{
	const char *string = node_string(node);

	return string ? xstrdup(string) : NULL;
}

char *get_name(const struct node *object, const char *key)
{
	struct node node = node_get(object, key);

	return copy(&node);
}

char *get_text(const struct node *object, const char *key)
{
	struct node node = node_find(object, key);

	return copy(&node);
}

char **get_texts(const struct node *object, const char *key)
{
	struct node array = node_find(object, key);
	size_t count = node_elements(&array);
	char **texts;

	if (!node_is(&array))
		return NULL;
	texts = xcalloc(count + 1, sizeof(*texts));
	for (size_t i = 0; i < count; i++) {
		struct node text = node_at(&array, i);

		texts[i] = copy(&text);
		if (!texts[i])
			break;
	}
	return texts;
}
