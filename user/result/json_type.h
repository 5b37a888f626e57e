/* SPDX-License-Identifier: GPL-2.0 */
/* What a value of JSON is, for messages. */
#ifndef RESULT_JSON_TYPE_H
#define RESULT_JSON_TYPE_H

#include <jansson.h>

/* "an object", "a number", "true or false", "null" */
const char *json_type_in_words(const json_t *json);

#endif
