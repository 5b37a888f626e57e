// SPDX-License-Identifier: GPL-2.0
#include "base/utf8.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#define BAD "\xef\xbf\xbd" /* U+FFFD */

static void decodes(void **state)
{
	(void)state;
	uint32_t code = 1;

	assert_int_equal(utf8_decode("A", &code), 1);
	assert_int_equal(code, 'A');
	assert_int_equal(utf8_decode("\xc2\xb5s", &code), 2);
	assert_int_equal(code, 0xb5);
	assert_int_equal(utf8_decode("\xe2\x82\xac", &code), 3);
	assert_int_equal(code, 0x20ac);
	assert_int_equal(utf8_decode("\xf0\x9f\x92\xbe", &code), 4);
	assert_int_equal(code, 0x1f4be);
}

static void refuses(void **state)
{
	static const char *const bad[] = {
		"\x80",			    /* a follower without a lead */
		"\xc2",			    /* cut off */
		"\xe2\x82",		    /* cut off later */
		"\xc0\xaf",		    /* overlong '/' */
		"\xe0\x80\xaf",		    /* overlong in three */
		"\xed\xa0\x80",		    /* a surrogate */
		"\xf4\x90\x80\x80",	    /* beyond U+10FFFF */
		"\xf8\x88\x80\x80\x80\xff", /* five bytes */
		"\xff",
	};
	uint32_t code = 7;

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_int_equal(utf8_decode(bad[i], &code), 0);
	assert_int_equal(code, 7);
}

static void check(char *found, const char *expected)
{
	assert_string_equal(found, expected);
	free(found);
}

static void repairs(void **state)
{
	(void)state;
	check(utf8_repair(""), "");
	check(utf8_repair("tab\tand \xc2\xb5 stay"), "tab\tand \xc2\xb5 stay");
	check(utf8_repair("a\xff\xc3(b\xe2\x82"), "a" BAD BAD "(b" BAD BAD);
}

static void disarms(void **state)
{
	(void)state;
	check(utf8_printable("\033[31mred\033[0m"), BAD "[31mred" BAD "[0m");
	check(utf8_printable("one\ntwo\tthree\r"), "one two three ");
	check(utf8_printable("\xc2\x9b"
			     "31m"),
	      BAD "31m");					      /* CSI as one C1 character */
	check(utf8_printable("abc\xe2\x80\xaegpj"), "abc" BAD "gpj"); /* right-to-left override */
	check(utf8_printable("\x7f\xe2\x80\x8b\xff"), BAD BAD BAD);
	check(utf8_printable("\xc3\xa9 \xe2\x82\xac"), "\xc3\xa9 \xe2\x82\xac");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(decodes),
		cmocka_unit_test(refuses),
		cmocka_unit_test(repairs),
		cmocka_unit_test(disarms),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
