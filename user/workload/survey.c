// SPDX-License-Identifier: GPL-2.0
#include "survey.h"

#include <errno.h>
#include <string.h>

#include "base/format.h"
#include "base/log.h"
#include "base/text.h"
#include "blank.h"
#include "extents.h"
#include "nearness.h"

static void add_part(struct text *text, uint64_t bytes, const char *what)
{
	char size[FORMAT_LENGTH];

	if (bytes)
		text_addf(text, "%s%s %s", text->length ? ", " : "", format_size(size, bytes), what);
}

static void survey_file(const struct place *place, struct target *target)
{
	struct layout *layout = &target->layout;
	int err = extents_read(place->fd, target->file_size, layout);
	struct text text = {0};

	if (err) {
		log_detail("%s: which of its blocks are written is not known: %s", target->given, strerror(-err));
		return;
	}
	add_part(&text, layout->written, "written");
	add_part(&text, layout->unwritten, "never written");
	add_part(&text, layout->holes, "of holes");
	add_part(&text, layout->elsewhere, "compressed, inline or not placed yet");
	if (layout->extents)
		text_addf(&text, ", in %llu extent%s", (unsigned long long)layout->extents,
			  layout->extents == 1 ? "" : "s");
	log_detail("%s: %s", target->given, text.data);
	text_free(&text);
}

static void survey_device(struct reader *reader, struct target *target)
{
	int err = blank_sample(reader, &target->layout);

	if (err)
		log_detail("%s: a block could not be read: %s", target->given, strerror(-err));
	log_detail("%s: %llu of %llu blocks read at random are all zeros", target->given,
		   (unsigned long long)target->layout.zeros, (unsigned long long)target->layout.sampled);
}

static void survey_nearness(struct reader *reader, struct target *target)
{
	struct nearness *nearness = &target->nearness;
	char random[FORMAT_LENGTH], same[FORMAT_LENGTH];
	int err = nearness_measure(reader, nearness);

	if (err)
		log_detail("%s: single blocks could not be timed: %s", target->given, strerror(-err));
	else if (!nearness->reads)
		log_detail("%s: no block with anything in it was found to be timed", target->given);
	else
		log_detail("%s: a random block takes %s, the same one again %s (medians of %llu)", target->given,
			   format_latency(random, nearness->random), format_latency(same, nearness->same),
			   (unsigned long long)nearness->reads);
}

void survey_target(const struct place *place, bool guest, struct target *target)
{
	bool sample = target->kind == TARGET_DEVICE && !place->writable;
	struct reader reader;
	int err;

	if (target->kind != TARGET_DEVICE)
		survey_file(place, target);
	if (!sample && !guest)
		return;
	err = reader_open_target(&reader, place, target->file_size, target);
	if (err) {
		log_detail("%s: no single blocks were read: %s", target->given,
			   err == -EINVAL ? "it takes no direct I/O" : strerror(-err));
		return;
	}
	if (sample)
		survey_device(&reader, target);
	if (guest)
		survey_nearness(&reader, target);
	reader_close(&reader);
}
