// SPDX-License-Identifier: GPL-2.0
#include "load.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/text.h"
#include "result/file.h"

/* Far above any result: a file without an end must not take all memory. */
#define MAX_LENGTH (1u << 28)

/* The whole of `stream`. 0 or -errno. */
static int read_stream(FILE *stream, struct text *text)
{
	char part[65536];
	size_t length;

	while ((length = fread(part, 1, sizeof(part), stream))) {
		if (text->length + length > MAX_LENGTH)
			return -EFBIG;
		text_add(text, part, length);
	}
	return ferror(stream) ? -errno : 0;
}

static int read_file(const char *path, struct text *text)
{
	FILE *stream = fopen(path, "re");
	int err;

	if (!stream)
		return -errno;
	err = read_stream(stream, text);
	fclose(stream);
	return err;
}

struct result *load_result(const char *path)
{
	struct result *result = NULL;
	struct text text = {0};
	char *reason;
	int err = read_file(path, &text);

	if (err) {
		log_error("%s: cannot be read: %s", path, strerror(-err));
	} else if (result_from_json(text.data ? text.data : "", text.length, &result, &reason)) {
		log_error("%s: %s", path, reason);
		free(reason);
	}
	text_free(&text);
	return result;
}
