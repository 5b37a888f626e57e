// SPDX-License-Identifier: GPL-2.0
#include "format.h"

#include "text.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#define MAX_PLACES 9

static double power_of_ten(int places)
{
	double power = 1;

	while (places-- > 0)
		power *= 10;
	return power;
}

static int clamp_places(int places)
{
	return places < 0 ? 0 : places > MAX_PLACES ? MAX_PLACES : places;
}

/*
 * |value| × 10^places as a whole number, half up. What counts is the decimal number that was meant: 1.005 is stored a
 * little below it, and 1.005 * 100 is 100.49999999999999. So what is within four units in the last place of a half
 * counts as the half, up to where those units would be figures that matter.
 */
static double round_scaled(double value, int places)
{
	double scaled = fabs(value) * power_of_ten(places);

	return floor(scaled + fmin(scaled * 4 * DBL_EPSILON, 0.001) + 0.5);
}

char *format_fixed(char out[FORMAT_LENGTH], double value, int places)
{
	uint64_t scaled, power;
	const char *sign;

	places = clamp_places(places);
	if (!isfinite(value) || fabs(value) >= 1e18) {
		snprintf(out, FORMAT_LENGTH, "%.15g", value);
		return out;
	}
	if (round_scaled(value, places) >= 0x1p52) { /* doubles have no halves there */
		snprintf(out, FORMAT_LENGTH, "%.*f", places, value);
		return out;
	}
	scaled = (uint64_t)round_scaled(value, places);
	power = (uint64_t)power_of_ten(places);
	sign = value < 0 && scaled ? "-" : "";
	if (places)
		snprintf(out, FORMAT_LENGTH, "%s%" PRIu64 ".%0*" PRIu64, sign, scaled / power, places, scaled % power);
	else
		snprintf(out, FORMAT_LENGTH, "%s%" PRIu64, sign, scaled);
	return out;
}

struct unit {
	const char *name;
	double worth;
	int places[3]; /* below 10, below 100, above */
};

static int unit_places(const struct unit *unit, double amount)
{
	return unit->places[amount < 10 ? 0 : amount < 100 ? 1 : 2];
}

/* What is left of `amount` after rounding for this unit: 999.96 becomes 1000, which belongs to the next unit. */
static double unit_round(const struct unit *unit, double amount)
{
	int places = unit_places(unit, amount);

	return round_scaled(amount, places) / power_of_ten(places);
}

/* The first unit in which `value` has at most three digits before the point (four for sizes, up to 1023). */
static const struct unit *unit_for(const struct unit *units, size_t count, double value, double limit)
{
	size_t i = 0;

	while (i + 1 < count && unit_round(&units[i], fabs(value) / units[i].worth) >= limit)
		i++;
	return &units[i];
}

static void add_unit(char out[FORMAT_LENGTH], const char *name)
{
	size_t length = strlen(out);

	snprintf(out + length, FORMAT_LENGTH - length, " %s", name);
}

char *format_latency(char out[FORMAT_LENGTH], double ns)
{
	static const struct unit units[] = {
		{"ns", 1, {0, 0, 0}},
		{"\u00b5s", 1e3, {2, 1, 1}},
		{"ms", 1e6, {3, 2, 1}},
		{"s", 1e9, {2, 2, 1}},
	};
	const struct unit *unit = unit_for(units, ARRAY_SIZE(units), ns, 1000);
	double rounded = unit_round(unit, fabs(ns) / unit->worth);

	format_fixed(out, ns / unit->worth, unit_places(unit, rounded));
	add_unit(out, unit->name);
	return out;
}

static void drop_trailing_zeros(char *number)
{
	size_t length = strlen(number);

	if (!strchr(number, '.'))
		return;
	while (number[length - 1] == '0')
		length--;
	if (number[length - 1] == '.')
		length--;
	number[length] = '\0';
}

char *format_size(char out[FORMAT_LENGTH], uint64_t bytes)
{
	static const struct unit units[] = {
		{"B", 1, {0, 0, 0}},	    {"KiB", 0x1p10, {2, 1, 1}}, {"MiB", 0x1p20, {2, 1, 1}},
		{"GiB", 0x1p30, {2, 1, 1}}, {"TiB", 0x1p40, {2, 1, 1}}, {"PiB", 0x1p50, {2, 1, 1}},
		{"EiB", 0x1p60, {2, 1, 1}},
	};
	const struct unit *unit = unit_for(units, ARRAY_SIZE(units), (double)bytes, 1024);
	double amount = (double)bytes / unit->worth;

	format_fixed(out, amount, unit_places(unit, amount));
	drop_trailing_zeros(out);
	add_unit(out, unit->name);
	return out;
}

char *format_span(char out[FORMAT_LENGTH], uint64_t ns)
{
	uint64_t seconds = ns / 1000000000 + (ns % 1000000000 >= 500000000);
	unsigned in_minute = seconds % 60, in_hour = seconds / 60 % 60;

	if (seconds < 60)
		snprintf(out, FORMAT_LENGTH, "%" PRIu64 " s", seconds);
	else if (seconds < 3600)
		snprintf(out, FORMAT_LENGTH, "%" PRIu64 ":%02u min", seconds / 60, in_minute);
	else
		snprintf(out, FORMAT_LENGTH, "%" PRIu64 ":%02u:%02u h", seconds / 3600, in_hour, in_minute);
	return out;
}

char *format_exact_span(char out[FORMAT_LENGTH], uint64_t ns)
{
	uint64_t ms = ns / 1000000 + (ns % 1000000 >= 500000);

	if (ms % 1000 == 0)
		return format_span(out, ms * 1000000);
	snprintf(out, FORMAT_LENGTH, "%.12g s", (double)ms / 1000);
	return out;
}

char *format_count(char out[FORMAT_LENGTH], uint64_t count)
{
	char digits[FORMAT_LENGTH];
	int length = snprintf(digits, sizeof(digits), "%" PRIu64, count);
	char *at = out;

	for (int i = 0; i < length; i++) {
		if (i && (length - i) % 3 == 0)
			*at++ = ',';
		*at++ = digits[i];
	}
	*at = '\0';
	return out;
}
