// SPDX-License-Identifier: GPL-2.0
#include "reasons.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "cells.h"
#include "result/check.h"
#include "result/verdict.h"
#include "where.h"

/* What a check says of one run or of several. */
struct reason {
	const struct run *run, *last; /* the first and the last of them */
	const struct check *check;    /* the first's */
	size_t runs;
	bool *test; /* of the result's: whether one of the runs is of it */
};

struct reasons {
	struct reason *reason;
	size_t count;
};

/* --- which sentences say the same --- */

/* What numbers in sentences are followed by. */
static bool is_unit(const char *word, size_t length)
{
	static const char *const unit[] = {"B",	 "KiB", "MiB", "GiB", "TiB", "ns",   "us",    "µs",
					   "ms", "s",	"min", "h",   "%",   "byte", "bytes", "MB/s"};

	for (size_t i = 0; i < ARRAY_SIZE(unit); i++)
		if (strlen(unit[i]) == length && !strncmp(word, unit[i], length))
			return true;
	return false;
}

static bool is_figure(const char *word, size_t length)
{
	return isdigit((unsigned char)word[strspn(word, "(+-")]) || is_unit(word, length);
}

/* The next word that is no figure, without what tells one from several of it. NULL: there is none. */
static const char *next_word(const char **rest, size_t *length)
{
	const char *word;

	do {
		word = *rest + strspn(*rest, " ");
		*rest = word + strcspn(word, " ");
		*length = (size_t)(*rest - word);
		while (*length && strchr(".,;:)", word[*length - 1]))
			(*length)--;
		if (*rest == word)
			return NULL;
	} while (is_figure(word, *length));
	if (*length > 1 && word[*length - 1] == 's')
		(*length)--;
	return word;
}

/* Reads and writes are told of by the same sentence. */
static const char *either_way(const char *word, size_t *length)
{
	static const char *const ways[] = {"write", "written"};

	for (size_t i = 0; i < ARRAY_SIZE(ways); i++) {
		if (*length == strlen(ways[i]) && !strncmp(word, ways[i], *length)) {
			*length = strlen("read");
			return "read";
		}
	}
	return word;
}

bool sentences_alike(const char *a, const char *b)
{
	for (;;) {
		size_t a_length, b_length;
		const char *a_word = next_word(&a, &a_length), *b_word = next_word(&b, &b_length);

		if (!a_word || !b_word)
			return !a_word && !b_word;
		a_word = either_way(a_word, &a_length);
		b_word = either_way(b_word, &b_length);
		if (a_length != b_length || strncmp(a_word, b_word, a_length) != 0)
			return false;
	}
}

/* --- collecting them --- */

static const char *sentence_of(const struct check *check)
{
	return check->sentence ? check->sentence : "no reason is known";
}

static bool is_expectation(const struct check *check)
{
	return !strcmp(check->name, "expectation");
}

static bool did_not_pass(const struct check *check)
{
	return check->state == CHECK_FAILED || check->state == CHECK_WARNING;
}

static bool is_limit(const struct check *check)
{
	return check->finding && !strcmp(check->name, "limit");
}

/* What one run says twice is not the same, and each expectation counts by itself. */
static bool belongs(const struct reason *reason, const struct run *run, const struct check *check)
{
	return reason->run != run && reason->check->state == check->state &&
	       !strcmp(reason->check->name, check->name) && !is_expectation(check) &&
	       sentences_alike(sentence_of(reason->check), sentence_of(check));
}

static void add_check(struct reasons *reasons, const struct result *result, const struct run *run,
		      const struct check *check)
{
	struct reason *reason = NULL;

	for (size_t i = 0; i < reasons->count && !reason; i++)
		if (belongs(&reasons->reason[i], run, check))
			reason = &reasons->reason[i];
	if (!reason) {
		reasons->reason = xreallocarray(reasons->reason, reasons->count + 1, sizeof(*reasons->reason));
		reason = &reasons->reason[reasons->count++];
		*reason = (struct reason){.run = run, .check = check, .test = xcalloc(result->tests + 1, sizeof(bool))};
	}
	reason->runs += reason->last != run;
	reason->last = run;
	if (run->test != NO_TEST)
		reason->test[run->test] = true;
}

static struct reasons collect(const struct view *view, size_t target, bool (*wanted)(const struct check *check))
{
	struct reasons reasons = {0};

	for (size_t i = 0; i < view->result->runs; i++) {
		const struct run *run = &view->result->run[i];

		for (size_t c = 0; run->target == target && c < run->checks; c++)
			if (wanted(&run->check[c]))
				add_check(&reasons, view->result, run, &run->check[c]);
	}
	return reasons;
}

static void reasons_free(struct reasons *reasons)
{
	for (size_t i = 0; i < reasons->count; i++)
		free(reasons->reason[i].test);
	free(reasons->reason);
}

/* --- whose they are --- */

static size_t count_tests(const struct reason *reason, const struct result *result)
{
	size_t count = 0;

	for (size_t i = 0; i < result->tests; i++)
		count += reason->test[i];
	return count;
}

static size_t count_done(const struct view *view, size_t target)
{
	size_t count = 0;

	for (size_t test = 0; test < view->result->tests; test++) {
		bool done = false;

		for (size_t i = 0; i < view->result->runs && !done; i++)
			done = view->result->run[i].target == target && view->result->run[i].test == test &&
			       view->result->run[i].state == RUN_DONE;
		count += done;
	}
	return count;
}

/* "all 6 tests" where it is all that are done; false where it is not, or there is but one. */
static bool add_all(struct text *text, const struct view *view, const struct reason *reason)
{
	size_t tests = count_tests(reason, view->result);

	if (tests < 2 || tests < count_done(view, reason->run->target))
		return false;
	if (tests == 2)
		text_addf(text, "both tests");
	else
		text_addf(text, "all %zu tests", tests);
	return true;
}

/* The first run, and how many more. */
static void add_first(struct text *text, const struct view *view, const struct reason *reason)
{
	if (reason->run->test == NO_TEST || add_all(text, view, reason))
		return;
	text_addf(text, "%s", view->result->test[reason->run->test].name);
	if (view->result->options.iterations > 1)
		text_addf(text, " #%u", reason->run->iteration);
	if (reason->runs > 1)
		text_addf(text, " and %zu more", reason->runs - 1);
}

/* The names of all tests. */
static void add_names(struct text *text, const struct view *view, const struct reason *reason)
{
	const struct test *last = NULL;

	if (add_all(text, view, reason))
		return;
	for (size_t i = 0; i < view->result->tests; i++) {
		const struct test *test = &view->result->test[i];

		if (!reason->test[i])
			continue;
		text_addf(text, "%s%s", last ? ", " : "", test_name_after(test, last));
		last = test;
	}
}

/* --- what lowers the verdict, and what else did not pass --- */

/* REAL: it does not lower that of its run, be it because there is none. */
static enum verdict lowers_to(const struct reason *reason)
{
	enum verdict verdict = verdict_of_check(reason->check);

	return verdict > VERDICT_REAL && reason->run->verdict >= verdict ? verdict : VERDICT_REAL;
}

/* The lower, the earlier it is told. */
enum rank { RANK_NOT_REAL, RANK_FAILED, RANK_SUSPECT, RANK_WARNING, RANKS };

static enum rank rank_of(const struct reason *reason)
{
	enum verdict verdict = lowers_to(reason);

	if (verdict == VERDICT_NOT_REAL)
		return RANK_NOT_REAL;
	if (reason->check->state == CHECK_FAILED)
		return RANK_FAILED;
	return verdict == VERDICT_SUSPECT ? RANK_SUSPECT : RANK_WARNING;
}

/* How much of the sentence is said where the one before it, of the same run, ended with the same advice. */
static size_t length_to_say(const struct reason *reason, const struct reason *before)
{
	const char *sentence = sentence_of(reason->check), *own = strstr(sentence, CHECK_ADVICE);
	const char *said =
		before && before->run == reason->run ? strstr(sentence_of(before->check), CHECK_ADVICE) : NULL;

	if (own && said && !strcmp(own, said))
		return (size_t)(own - sentence);
	return strlen(sentence);
}

/* Of all iterations of its test together. */
static void print_expectation(const struct view *view, const struct reason *reason)
{
	const struct check *check = reason->check;
	const char *name = reason->run->test == NO_TEST ? "I/O" : view->result->test[reason->run->test].name;

	if (check->found && check->expected)
		screen_paragraphf(&view->screen, STYLE_FAILED, 2, "Expected: %s: %s, found %s.", name, check->expected,
				  check->found);
	else
		screen_paragraphf(&view->screen, STYLE_FAILED, 2, "Expected: %s: %s", name, sentence_of(check));
}

static void print_reason(const struct view *view, const struct reason *reason, const struct reason *before)
{
	bool failed = reason->check->state == CHECK_FAILED;
	enum verdict verdict = lowers_to(reason);
	enum style style = verdict > VERDICT_REAL ? verdict_style(verdict) : failed ? STYLE_FAILED : STYLE_WARNING;
	const char *word = verdict > VERDICT_REAL ? verdict_name[verdict] : failed ? "Failed" : "Warning";
	struct text where = {0};

	add_first(&where, view, reason);
	screen_paragraphf(&view->screen, style, 2, "%s: %s%s%s: %.*s", word, where.length ? where.data : "",
			  where.length ? ", " : "", reason->check->name, (int)length_to_say(reason, before),
			  sentence_of(reason->check));
	text_free(&where);
}

void print_reasons(const struct view *view, size_t target)
{
	struct reasons reasons = collect(view, target, did_not_pass);
	const struct reason *before = NULL;

	for (int rank = 0; rank < RANKS; rank++) {
		for (size_t i = 0; i < reasons.count; i++) {
			const struct reason *reason = &reasons.reason[i];

			if (rank_of(reason) != (enum rank)rank)
				continue;
			if (is_expectation(reason->check))
				print_expectation(view, reason);
			else
				print_reason(view, reason, before);
			before = reason;
		}
	}
	reasons_free(&reasons);
}

/* --- what was at its limit --- */

void print_limits(const struct view *view, size_t target)
{
	struct reasons reasons = collect(view, target, is_limit);

	for (size_t i = 0; i < reasons.count; i++) {
		struct text where = {0};

		add_names(&where, view, &reasons.reason[i]);
		screen_paragraphf(&view->screen, STYLE_PLAIN, 2, "Limit%s%s: %s", where.length ? " of " : "",
				  where.length ? where.data : "", sentence_of(reasons.reason[i].check));
		text_free(&where);
	}
	reasons_free(&reasons);
}
