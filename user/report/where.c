// SPDX-License-Identifier: GPL-2.0
#include "where.h"

#include <string.h>

#include "base/format.h"
#include "doorbell.h"
#include "places.h"

/* A doorbell is worth a word where it takes this part of the latency, and is known of this part of the I/Os. */
#define LONG_DOORBELL 0.1
#define MOST_IOS      0.5

struct sentence {
	struct text text;
	const struct test *last; /* that it speaks of */
	bool deeper;		 /* there are tests that it does not speak of */
};

const char *test_noun(const struct test *test)
{
	return test->access == ACCESS_READ ? "read" : test->access == ACCESS_WRITE ? "write" : "I/O";
}

const char *test_name_after(const struct test *test, const struct test *last)
{
	const char *end = strrchr(test->name, '-');

	if (!last || !end || strncmp(last->name, test->name, (size_t)(end - test->name) + 1))
		return test->name;
	return end;
}

bool is_single(const struct test *test)
{
	return test->depth == 1 && test->jobs == 1;
}

/* Of a latency that is given in µs, parts are given in them without saying so again. */
static void add_amount(struct text *text, double ns, double lat)
{
	char amount[FORMAT_LENGTH], whole[FORMAT_LENGTH];

	if (strstr(format_latency(whole, lat), "µs"))
		format_fixed(amount, ns / 1000, lat < 10000 ? 2 : 1);
	else
		keep_together(format_latency(amount, ns), sizeof(amount));
	text_addf(text, KEEP "%s", amount);
}

static bool has_long_doorbell(const struct io_summary *summary)
{
	double known = (double)summary->sum->stage[IO_STAGE_DOORBELL].count;

	return known >= MOST_IOS * (double)summary->sum->counts.end[IO_END_JOINED] &&
	       summary->mean[IO_STAGE_DOORBELL] >= LONG_DOORBELL * summary->lat;
}

/* In full for the first test, in short for those after it. */
static void add_places(struct text *text, const struct io_summary *summary, const struct machine *machine, bool first)
{
	const char *const *name = first ? place_in_words : place_name;

	for (int place = 0; place < PLACES; place++) {
		double mean = place_mean(summary, place);

		if (place == PLACE_SYNC && mean <= 0)
			continue;
		text_addf(text, "%s %s", place ? "," : ":",
			  place == PLACE_DEVICE ? io_stage_name[device_stage(summary)] : name[place]);
		add_amount(text, mean, summary->lat);
		if (place != PLACE_DEVICE || !has_long_doorbell(summary))
			continue;
		text_addf(text, " (doorbell");
		add_amount(text, summary->mean[IO_STAGE_DOORBELL], summary->lat);
		text_addf(text, "%s)", doorbell_has_exit(summary, machine) ? " with a VM" KEEP "exit" : "");
	}
}

static void add_single(struct sentence *sentence, const struct test *test, const struct io_summary *summary,
		       const struct machine *machine)
{
	char size[FORMAT_LENGTH] = "", latency[FORMAT_LENGTH];
	bool first = !sentence->last;

	if (first || sentence->last->block_size != test->block_size) {
		format_size(size, test->block_size);
		keep_together(strcat(size, " "), sizeof(size));
	}
	keep_together(format_latency(latency, summary->lat), sizeof(latency));
	text_addf(&sentence->text, "%s a %s%s %s%s", first ? "At depth" KEEP "1" : ";", size, test_noun(test),
		  first ? "takes " : "", latency);
	add_places(&sentence->text, summary, machine, first);
	sentence->last = test;
}

static void add_test(struct sentence *sentence, const struct view *view, size_t target, size_t test)
{
	const struct test *of = &view->result->test[test];
	struct io_summary summary;

	io_summary_of_runs(&summary, view->runs, view_pick(view, target, test), test_io_ops(of));
	if (summary.runs && summary.sum->counts.end[IO_END_JOINED]) {
		if (!is_single(of))
			sentence->deeper = true;
		else if (summary.lat > 0 && total_fits(summary.total, summary.lat))
			add_single(sentence, of, &summary, &view->result->machine);
	}
	io_summary_clear(&summary);
}

/* Behind other sentences in short: the whole report is to fit one screen. */
static void add_reading(struct sentence *sentence, enum latency_kind kind)
{
	struct text *text = &sentence->text;

	if (sentence->deeper)
		text_addf(text, "%s",
			  text->length ? " Deeper, shares show queues, not limits."
				       : "At depths above" KEEP "1 shares show where the queue stands, "
					 "not what limits.");
	if (kind != LATENCY_LAT)
		text_addf(text, "%sShares are of lat: %s is only a part of it.", text->length ? " " : "",
			  latency_name[kind]);
}

void print_where(const struct view *view, size_t target, bool explain)
{
	struct sentence sentence = {0};

	for (size_t i = 0; i < view->result->tests; i++)
		add_test(&sentence, view, target, i);
	if (sentence.last)
		text_addf(&sentence.text, ".");
	if (explain)
		add_reading(&sentence, view->result->options.latency);
	if (sentence.text.length)
		screen_paragraph(&view->screen, STYLE_PLAIN, 0, sentence.text.data);
	text_free(&sentence.text);
}
