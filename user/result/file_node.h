/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Reading JSON that may be anything. A node is a value and its place in the document. The first thing that is wrong is
 * kept in the reading, with its place; whoever reads on gets zeros, so only the end has to ask whether all went well.
 */
#ifndef RESULT_FILE_NODE_H
#define RESULT_FILE_NODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <jansson.h>

struct reading {
	char *error; /* "runs[3].state: ..."; NULL as long as all is well */
};

struct node {
	json_t *json; /* NULL: absent */
	struct reading *reading;
	const struct node *up; /* must outlive this one */
	const char *key;       /* in an object; NULL in an array */
	size_t index;
};

/* Notes what is wrong with the node (printf form), unless something was wrong before. */
void node_refuse(const struct node *node, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* A member of an object. node_find()'s may be absent; node_get() refuses that. */
struct node node_find(const struct node *object, const char *key);
struct node node_get(const struct node *object, const char *key);
bool node_is(const struct node *node);

/* Elements of an array or members of an object; 0 for an absent one, and once anything was wrong. */
size_t node_elements(const struct node *array);
size_t node_members(const struct node *object);
struct node node_at(const struct node *array, size_t index);

/* The value of an absent node is 0, false or NULL. */
uint64_t node_count(const struct node *node);
uint64_t node_count_to(const struct node *node, uint64_t highest);
double node_fraction(const struct node *node);
double node_signed(const struct node *node); /* a fraction that may be negative */
bool node_boolean(const struct node *node);
const char *node_string(const struct node *node);
size_t node_choice(const struct node *node, const char *const *names, size_t count);

/* Refuses an object that has members of other names. */
void node_only(const struct node *object, const char *const *names, size_t count);

/* The same of a member. A count, a truth value, a choice and a name must be there; a text and a fraction may be absent.
 */
uint64_t get_count(const struct node *object, const char *key);
uint64_t get_count_to(const struct node *object, const char *key, uint64_t highest);
uint64_t get_known(const struct node *object, const char *key); /* may be absent, too: 0 */
uint64_t get_known_to(const struct node *object, const char *key, uint64_t highest);
double get_fraction(const struct node *object, const char *key);
bool get_boolean(const struct node *object, const char *key);
size_t get_choice(const struct node *object, const char *key, const char *const *names, size_t count);

/* Copies that the caller frees. */
char *get_name(const struct node *object, const char *key);
char *get_text(const struct node *object, const char *key);
char **get_texts(const struct node *object, const char *key);

#endif
