// SPDX-License-Identifier: GPL-2.0
#include "reasons.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "cells.h"
#include "result/check.h"
#include "result/expect.h"
#include "result/verdict.h"
#include "where.h"

/* What a check says of one run or of several. */
struct reason {
	const struct run *run, *last; /* the first and the last of them */
	const struct check *check;    /* the first's */
	size_t runs;
	bool *said;   /* of the result's runs: whether it is said of it */
	bool figures; /* they differ */
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

bool sentences_alike(const char *a, const char *b)
{
	for (;;) {
		size_t a_length, b_length;
		const char *a_word = next_word(&a, &a_length), *b_word = next_word(&b, &b_length);

		if (!a_word || !b_word)
			return !a_word && !b_word;
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
	return !strcmp(check->name, EXPECTATION_CHECK);
}

static bool did_not_pass(const struct check *check)
{
	return check->state == CHECK_FAILED || check->state == CHECK_WARNING;
}

/* What was expected and can't be told is as bad to those who wait for it. */
static bool is_worth_telling(const struct check *check)
{
	return did_not_pass(check) || (is_expectation(check) && check->state == CHECK_UNKNOWN);
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
		*reason = (struct reason){.run = run, .check = check, .said = xcalloc(result->runs, sizeof(bool))};
	}
	reason->runs += reason->last != run;
	reason->last = run;
	reason->said[run - result->run] = true;
	reason->figures |= strcmp(sentence_of(reason->check), sentence_of(check)) != 0;
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
		free(reasons->reason[i].said);
	free(reasons->reason);
}

/* --- whose they are --- */

static bool is_of_test(const struct reason *reason, const struct result *result, size_t test)
{
	for (size_t i = 0; i < result->runs; i++)
		if (reason->said[i] && result->run[i].test == test)
			return true;
	return false;
}

static size_t count_tests(const struct reason *reason, const struct result *result)
{
	size_t count = 0;

	for (size_t i = 0; i < result->tests; i++)
		count += is_of_test(reason, result, i);
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

static void add_run(struct text *text, const struct result *result, const struct run *run)
{
	text_addf(text, "%s", result->test[run->test].name);
	if (result->options.iterations > 1)
		text_addf(text, " #%u", run->iteration);
}

/* Of several sentences that differ in figures the first run's is said: those must not be taken for everyone's. */
static void add_whose_figures(struct text *text, const struct result *result, const struct reason *reason)
{
	if (!reason->figures)
		return;
	text_addf(text, " (figures of ");
	add_run(text, result, reason->run);
	text_addf(text, ")");
}

/* Who and what: the first run and how many more, and the check. */
static void add_subject(struct text *text, const struct view *view, const struct reason *reason)
{
	const char *name = reason->check->name;

	if (reason->run->test == NO_TEST) {
		text_addf(text, "%s", name);
	} else if (add_all(text, view, reason)) {
		text_addf(text, ", %s", name);
		add_whose_figures(text, view->result, reason);
	} else {
		add_run(text, view->result, reason->run);
		if (reason->runs > 1)
			text_addf(text, " and %zu more", reason->runs - 1);
		text_addf(text, ", %s%s", name, reason->figures ? " (figures of the first)" : "");
	}
}

/* Whether another one is of the same test: then it is not of all its iterations. */
static bool shares_test(const struct reasons *reasons, const struct reason *reason, const struct result *result,
			size_t test)
{
	for (size_t i = 0; i < reasons->count; i++)
		if (&reasons->reason[i] != reason && is_of_test(&reasons->reason[i], result, test))
			return true;
	return false;
}

static bool shares_any_test(const struct reasons *reasons, const struct reason *reason, const struct result *result)
{
	for (size_t test = 0; test < result->tests; test++)
		if (is_of_test(reason, result, test) && shares_test(reasons, reason, result, test))
			return true;
	return false;
}

/* " #1, #3" */
static void add_iterations(struct text *text, const struct reason *reason, const struct result *result, size_t test)
{
	bool first = true;

	for (size_t i = 0; i < result->runs; i++) {
		if (!reason->said[i] || result->run[i].test != test)
			continue;
		text_addf(text, "%s #%u", first ? "" : ",", result->run[i].iteration);
		first = false;
	}
}

/* The names of all tests. */
static void add_names(struct text *text, const struct view *view, const struct reasons *reasons,
		      const struct reason *reason)
{
	const struct result *result = view->result;
	const struct test *last = NULL;

	if (!shares_any_test(reasons, reason, result) && add_all(text, view, reason))
		return;
	for (size_t i = 0; i < result->tests; i++) {
		const struct test *test = &result->test[i];

		if (!is_of_test(reason, result, i))
			continue;
		text_addf(text, "%s%s", last ? ", " : "", test_name_after(test, last));
		if (result->options.iterations > 1 && shares_test(reasons, reason, result, i))
			add_iterations(text, reason, result, i);
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

/* Of all iterations of its test together, which its sentence names. */
static void print_expectation(const struct view *view, const struct check *check)
{
	if (check->state == CHECK_UNKNOWN)
		screen_paragraphf(&view->screen, STYLE_WARNING, 2, "Expected, and not known: %s", sentence_of(check));
	else
		screen_paragraphf(&view->screen, STYLE_FAILED, 2, "Not as expected: %s", sentence_of(check));
}

/* Where all is as expected; a test that was not done is not. */
static void print_met(const struct view *view, size_t target)
{
	size_t met = 0;

	for (size_t i = 0; i < view->result->runs; i++) {
		const struct run *run = &view->result->run[i];

		if (run->target != target)
			continue;
		if (run->state == RUN_FAILED || run->state == RUN_INTERRUPTED)
			return;
		for (size_t c = 0; c < run->checks; c++) {
			if (!is_expectation(&run->check[c]))
				continue;
			if (run->check[c].state != CHECK_PASSED)
				return;
			met++;
		}
	}
	if (met)
		screen_paragraphf(&view->screen, STYLE_PLAIN, 2, "Expected: %zu of %zu met.", met, met);
}

static void print_reason(const struct view *view, const struct reason *reason, const struct reason *before)
{
	bool failed = reason->check->state == CHECK_FAILED;
	enum verdict verdict = lowers_to(reason);
	enum style style = verdict > VERDICT_REAL ? verdict_style(verdict) : failed ? STYLE_FAILED : STYLE_WARNING;
	const char *word = verdict > VERDICT_REAL ? verdict_name[verdict] : failed ? "Failed" : "Warning";
	struct text subject = {0};

	add_subject(&subject, view, reason);
	screen_paragraphf(&view->screen, style, 2, "%s: %s: %.*s", word, subject.data,
			  (int)length_to_say(reason, before), sentence_of(reason->check));
	text_free(&subject);
}

void print_reasons(const struct view *view, size_t target)
{
	struct reasons reasons = collect(view, target, is_worth_telling);
	const struct reason *before = NULL;

	for (int rank = 0; rank < RANKS; rank++) {
		for (size_t i = 0; i < reasons.count; i++) {
			const struct reason *reason = &reasons.reason[i];

			if (rank_of(reason) != (enum rank)rank)
				continue;
			if (is_expectation(reason->check))
				print_expectation(view, reason->check);
			else
				print_reason(view, reason, before);
			before = reason;
		}
	}
	reasons_free(&reasons);
	print_met(view, target);
}

/* --- what was at its limit --- */

void print_limits(const struct view *view, size_t target)
{
	struct reasons reasons = collect(view, target, is_limit);

	for (size_t i = 0; i < reasons.count; i++) {
		struct text where = {0};

		add_names(&where, view, &reasons, &reasons.reason[i]);
		add_whose_figures(&where, view->result, &reasons.reason[i]);
		screen_paragraphf(&view->screen, STYLE_PLAIN, 2, "Limit%s%s: %s", where.length ? " of " : "",
				  where.length ? where.data : "", sentence_of(reasons.reason[i].check));
		text_free(&where);
	}
	reasons_free(&reasons);
}
