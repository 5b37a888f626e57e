// SPDX-License-Identifier: GPL-2.0
#include "result/json_type.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void every_type_has_its_words(void **state)
{
	static const char *const words[] = {"an object", "an array", "a string",      "a number",
					    "a number",	 "null",     "true or false", "true or false"};
	json_t *values = json_loads("[{},[],\"\",0,0.5,null,true,false]", 0, NULL);

	(void)state;
	assert_int_equal(json_array_size(values), 8);
	for (size_t i = 0; i < 8; i++)
		assert_string_equal(json_type_in_words(json_array_get(values, i)), words[i]);
	json_decref(values);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(every_type_has_its_words)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
