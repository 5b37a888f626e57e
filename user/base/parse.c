// SPDX-License-Identifier: GPL-2.0
#include "parse.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include <strings.h>

/* Own digits instead of strtod(): no locale, no exponent, no "0x", no "nan", and 0.1 stays exact. */
#define FRACTION_DIGITS 18
struct decimal {
	uint64_t whole;
	uint64_t fraction; /* in units of 10^-18 */
	bool has_fraction;
	bool too_large;
};

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static const char *read_whole(const char *at, uint64_t *whole, bool *too_large)
{
	*whole = 0;
	*too_large = false;
	for (; is_digit(*at); at++) {
		if (__builtin_mul_overflow(*whole, 10, whole) || __builtin_add_overflow(*whole, *at - '0', whole))
			*too_large = true;
	}
	return at;
}

static const char *read_fraction(const char *at, uint64_t *fraction)
{
	int digits = 0;

	*fraction = 0;
	for (; is_digit(*at); at++) {
		if (digits == FRACTION_DIGITS)
			continue;
		*fraction = *fraction * 10 + (*at - '0');
		digits++;
	}
	while (digits++ < FRACTION_DIGITS)
		*fraction *= 10;
	return at;
}

/* Returns where the number ends, or NULL when there is none: "8", "1.5" and ".5" are numbers, "." and "8." aren't. */
static const char *read_decimal(const char *string, struct decimal *number)
{
	const char *at = read_whole(string, &number->whole, &number->too_large);

	number->fraction = 0;
	number->has_fraction = *at == '.';
	if (!number->has_fraction)
		return at == string ? NULL : at;
	string = at + 1;
	at = read_fraction(string, &number->fraction);
	return at == string ? NULL : at;
}

/* number × unit, rounded to the nearest whole. */
static int scale(const struct decimal *number, uint64_t unit, uint64_t *value)
{
	const uint64_t one = 1000000000000000000;
	unsigned __int128 part = (unsigned __int128)number->fraction * unit;
	unsigned __int128 sum = (unsigned __int128)number->whole * unit + (part + one / 2) / one;

	if (number->too_large || sum > UINT64_MAX)
		return -ERANGE;
	*value = (uint64_t)sum;
	return 0;
}

/* "", "B", "k", "KB", "KiB", ...; 0 when it is none of them. */
static uint64_t size_unit(const char *suffix)
{
	static const char prefixes[] = "KMGTPE";
	const char *prefix = NULL;
	uint64_t unit = 1;

	for (const char *at = prefixes; *at && *suffix; at++) {
		if (!strncasecmp(at, suffix, 1))
			prefix = at;
	}
	if (prefix) {
		unit <<= 10 * (prefix - prefixes + 1);
		suffix++;
	}
	if (*suffix && strcasecmp(suffix, "B") && (!prefix || strcasecmp(suffix, "iB")))
		return 0;
	return unit;
}

int parse_size(const char *string, uint64_t *bytes)
{
	struct decimal number;
	const char *suffix = read_decimal(string, &number);
	uint64_t unit = suffix ? size_unit(suffix) : 0;

	if (!unit || (unit == 1 && number.has_fraction))
		return -EINVAL;
	return scale(&number, unit, bytes);
}

int parse_gib(const char *string, uint64_t *bytes)
{
	struct decimal number;
	const char *end = read_decimal(string, &number);

	if (!end || *end)
		return -EINVAL;
	return scale(&number, UINT64_C(1) << 30, bytes);
}

static uint64_t duration_unit(const char *suffix)
{
	const uint64_t second = 1000000000;

	if (!*suffix || !strcmp(suffix, "s"))
		return second;
	if (!strcmp(suffix, "ms"))
		return second / 1000;
	if (!strcmp(suffix, "m") || !strcmp(suffix, "min"))
		return 60 * second;
	if (!strcmp(suffix, "h"))
		return 3600 * second;
	return 0;
}

int parse_duration(const char *string, uint64_t *ns)
{
	struct decimal number;
	const char *suffix = read_decimal(string, &number);
	uint64_t unit = suffix ? duration_unit(suffix) : 0;

	if (!unit)
		return -EINVAL;
	return scale(&number, unit, ns);
}

/* The micro sign comes as two characters of Unicode, U+00B5 and U+03BC. */
static uint64_t latency_unit(const char *suffix)
{
	if (!strcmp(suffix, "ns"))
		return 1;
	if (!strcmp(suffix, "us") || !strcmp(suffix, "\u00b5s") || !strcmp(suffix, "\u03bcs"))
		return 1000;
	if (!strcmp(suffix, "ms"))
		return 1000000;
	return strcmp(suffix, "s") ? 0 : 1000000000;
}

int parse_latency(const char *string, uint64_t *ns)
{
	struct decimal number;
	const char *suffix = read_decimal(string, &number);
	uint64_t unit = suffix ? latency_unit(suffix) : 0;

	if (!unit || (unit == 1 && number.has_fraction))
		return -EINVAL;
	return scale(&number, unit, ns);
}

int parse_number(const char *string, double *value)
{
	struct decimal number;
	const char *end = read_decimal(string, &number);

	if (!end || *end)
		return -EINVAL;
	if (number.too_large)
		return -ERANGE;
	*value = (double)number.whole + (double)number.fraction / 1e18;
	return 0;
}

int parse_count(const char *string, unsigned low, unsigned high, unsigned *count)
{
	uint64_t whole;
	bool too_large;
	const char *end = read_whole(string, &whole, &too_large);

	if (end == string || *end)
		return -EINVAL;
	if (too_large || whole < low || whole > high)
		return -ERANGE;
	*count = (unsigned)whole;
	return 0;
}
