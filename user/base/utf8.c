// SPDX-License-Identifier: GPL-2.0
#include "utf8.h"

#include <stdbool.h>
#include <string.h>

#include "text.h"

size_t utf8_decode(const char *string, uint32_t *code)
{
	static const uint32_t lowest[] = {0, 0, 0x80, 0x800, 0x10000}; /* anything lower is an overlong form */
	unsigned char lead = (unsigned char)string[0];
	uint32_t value;
	size_t length;

	if (lead < 0x80)
		length = 1;
	else
		length = lead >> 5 == 6 ? 2 : lead >> 4 == 14 ? 3 : lead >> 3 == 30 ? 4 : 0;
	if (!length)
		return 0;
	value = length == 1 ? lead : lead & (0x7fu >> length);
	for (size_t i = 1; i < length; i++) {
		if ((string[i] & 0xc0) != 0x80) /* the NUL at the end, too */
			return 0;
		value = value << 6 | (string[i] & 0x3f);
	}
	if (value < lowest[length] || value > 0x10ffff || (value >= 0xd800 && value <= 0xdfff))
		return 0;
	*code = value;
	return length;
}

char *utf8_repair(const char *string)
{
	struct text text = {0};

	while (*string) {
		uint32_t code;
		size_t length = utf8_decode(string, &code);

		if (length)
			text_add(&text, string, length);
		else
			text_add(&text, UTF8_REPLACEMENT, strlen(UTF8_REPLACEMENT));
		string += length ? length : 1;
	}
	return text_take(&text);
}

static bool is_blank(uint32_t code)
{
	return code == ' ' || (code >= '\t' && code <= '\r') || code == 0x85 || code == 0x2028 || code == 0x2029;
}

/* C0, DEL, C1; what is invisible or turns the direction of the text. */
static bool is_control(uint32_t code)
{
	return code < 0x20 || (code >= 0x7f && code < 0xa0) || code == 0xad || code == 0x61c || code == 0x180e ||
	       (code >= 0x200b && code <= 0x200f) || (code >= 0x202a && code <= 0x202e) ||
	       (code >= 0x2060 && code <= 0x206f) || code == 0xfeff || (code >= 0xfff0 && code <= 0xfffb) ||
	       code >= 0xe0000;
}

char *utf8_printable(const char *string)
{
	struct text text = {0};

	while (*string) {
		uint32_t code = 0;
		size_t length = utf8_decode(string, &code);

		if (!length || (is_control(code) && !is_blank(code)))
			text_add(&text, UTF8_REPLACEMENT, strlen(UTF8_REPLACEMENT));
		else if (is_blank(code))
			text_add(&text, " ", 1);
		else
			text_add(&text, string, length);
		string += length ? length : 1;
	}
	return text_take(&text);
}
