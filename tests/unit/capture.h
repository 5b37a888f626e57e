/* SPDX-License-Identifier: GPL-2.0 */
/* What is written to a standard stream meanwhile; and a command line taken apart into its words. */
#ifndef CAPTURE_H
#define CAPTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/text.h"

#define CAPTURE_WORDS 64

static int capture_kept = -1, capture_file = -1, capture_stream = -1;

static inline void capture(int stream)
{
	fflush(NULL);
	capture_stream = stream;
	capture_kept = dup(stream);
	capture_file = memfd_create("captured", MFD_CLOEXEC);
	assert_true(capture_kept >= 0 && capture_file >= 0);
	assert_int_equal(dup2(capture_file, stream), stream);
}

/* Ends it; the caller frees the text. */
static inline char *captured_text(void)
{
	struct text text = {0};
	char buffer[4096];
	ssize_t length;

	fflush(NULL);
	dup2(capture_kept, capture_stream);
	close(capture_kept);
	lseek(capture_file, 0, SEEK_SET);
	while ((length = read(capture_file, buffer, sizeof(buffer))) > 0)
		text_add(&text, buffer, length);
	close(capture_file);
	return text_take(&text);
}

/*
 * Takes `line` apart, which is written to. Words end at blanks; '_' stands for a blank within a word, "''" for an empty
 * word. Returns how many there are.
 */
static inline int split_words(char *line, char *argv[CAPTURE_WORDS])
{
	char *word;
	int argc = 0;

	while ((word = strsep(&line, " ")) && argc < CAPTURE_WORDS - 1) {
		if (!*word)
			continue;
		argv[argc++] = strcmp(word, "''") ? word : word + 2;
		for (; *word; word++)
			*word = *word == '_' ? ' ' : *word;
	}
	argv[argc] = NULL;
	return argc;
}

#endif
