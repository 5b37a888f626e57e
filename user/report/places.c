// SPDX-License-Identifier: GPL-2.0
#include "places.h"

#include "base/text.h"

const char *const place_name[PLACES] = {
	[PLACE_PROGRAM] = "program", [PLACE_DOWN] = "down", [PLACE_DEVICE] = "device",
	[PLACE_SYNC] = "sync",	     [PLACE_BACK] = "back",
};

const char *const place_in_words[PLACES] = {
	[PLACE_PROGRAM] = "program", [PLACE_DOWN] = "kernel down", [PLACE_DEVICE] = "device",
	[PLACE_SYNC] = "sync",	     [PLACE_BACK] = "kernel back",
};

/* One row for each part; a completion that waits for the program to ask is the program's time. */
static const struct {
	enum io_stage part;
	enum place place;
} parts[] = {
	{IO_STAGE_SUBMIT, PLACE_DOWN},	  {IO_STAGE_QUEUE, PLACE_DOWN},	   {IO_STAGE_DEVICE, PLACE_DEVICE},
	{IO_STAGE_THROUGH, PLACE_DEVICE}, {IO_STAGE_SYNC, PLACE_SYNC},	   {IO_STAGE_UNREAPED, PLACE_PROGRAM},
	{IO_STAGE_DELIVER, PLACE_BACK},	  {IO_STAGE_REMOTE, PLACE_DEVICE},
};

_Static_assert(ARRAY_SIZE(parts) == IO_PARTS, "every part has its place");

enum place place_of(enum io_stage part)
{
	for (size_t i = 0; i < ARRAY_SIZE(parts); i++)
		if (parts[i].part == part)
			return parts[i].place;
	return PLACES;
}

double place_mean(const struct io_summary *summary, enum place place)
{
	double mean = place == PLACE_PROGRAM && summary->lat > 0 ? io_summary_program(summary) : 0;

	if (mean < 0)
		mean = 0;
	for (int part = 0; part < IO_PARTS; part++)
		if (place_of(part) == place)
			mean += summary->part[part];
	return mean;
}

enum io_stage device_stage(const struct io_summary *summary)
{
	const struct hist *stage = summary->sum->stage;

	if (stage[IO_STAGE_DEVICE].count)
		return IO_STAGE_DEVICE;
	return stage[IO_STAGE_REMOTE].count ? IO_STAGE_REMOTE : IO_STAGE_THROUGH;
}
