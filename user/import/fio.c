// SPDX-License-Identifier: GPL-2.0
#include "fio.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "base/clock.h"
#include "base/text.h"
#include "base/utf8.h"
#include "result/json_type.h"

#define NS_PER_US     1000u
#define BYTES_PER_KIB 1024u
#define MAX_BLOCK     (1u << 30)

/* A value in the document and the way to it, for messages. */
struct node {
	json_t *json; /* NULL: not there */
	const struct node *parent;
	const char *key; /* NULL: an element of an array */
	size_t index;
};

struct reader {
	char *error;
	bool kib_by_version; /* io_bytes is in KiB, unless its rate says otherwise */
};

enum presence { OPTIONAL, REQUIRED };

static const char *const latency_ns_name[] = {
	[LATENCY_SLAT] = "slat_ns", [LATENCY_CLAT] = "clat_ns", [LATENCY_LAT] = "lat_ns"};
_Static_assert(ARRAY_SIZE(latency_ns_name) == LATENCY_KINDS, "one key for each kind of latency");

static const char *const direction_name[] = {[OP_READ] = "read", [OP_WRITE] = "write"};
_Static_assert(ARRAY_SIZE(direction_name) == DIRECTIONS, "one key for each direction");

static void add_path(struct text *text, const struct node *node)
{
	if (!node->parent)
		return;
	add_path(text, node->parent);
	if (node->key)
		text_addf(text, "%s%s", text->length ? "." : "", node->key);
	else
		text_addf(text, "[%zu]", node->index);
}

static __attribute__((format(printf, 3, 4))) int fail(struct reader *reader, const struct node *node,
						      const char *format, ...)
{
	struct text text = {0};
	va_list arguments;
	char reason[256];

	va_start(arguments, format);
	vsnprintf(reason, sizeof(reason), format, arguments);
	va_end(arguments);
	add_path(&text, node);
	text_addf(&text, "%s%s", text.length ? ": " : "", reason);
	reader->error = text_take(&text);
	return -EINVAL;
}

static struct node find(const struct node *parent, const char *key)
{
	return (struct node){.json = json_object_get(parent->json, key), .parent = parent, .key = key};
}

static int find_object(struct reader *reader, const struct node *parent, const char *key, struct node *child)
{
	*child = find(parent, key);
	if (child->json && !json_is_object(child->json))
		return fail(reader, child, "expected an object, found %s", json_type_in_words(child->json));
	return 0;
}

static int node_real(struct reader *reader, const struct node *node, double scale, double *value)
{
	if (!json_is_number(node->json))
		return fail(reader, node, "expected a number, found %s", json_type_in_words(node->json));
	if (json_number_value(node->json) < 0)
		return fail(reader, node, "%g cannot be: expected 0 or more", json_number_value(node->json));
	*value = json_number_value(node->json) * scale;
	return 0;
}

/* Whole numbers do not pass through a double, which would round those above 2^53. */
static int node_count(struct reader *reader, const struct node *node, uint64_t scale, uint64_t *value)
{
	double real;
	int error;

	if (json_is_integer(node->json) && json_integer_value(node->json) >= 0) {
		if ((uint64_t)json_integer_value(node->json) > UINT64_MAX / scale)
			return fail(reader, node, "%" JSON_INTEGER_FORMAT " is too large",
				    json_integer_value(node->json));
		*value = (uint64_t)json_integer_value(node->json) * scale;
		return 0;
	}
	error = node_real(reader, node, (double)scale, &real);
	if (error)
		return error;
	if (real >= 0x1p63)
		return fail(reader, node, "%g is too large", real);
	*value = (uint64_t)llround(real);
	return 0;
}

/* Leave *value alone where the key is not there. */
static int read_count(struct reader *reader, const struct node *parent, const char *key, enum presence presence,
		      uint64_t scale, uint64_t *value)
{
	struct node node = find(parent, key);

	if (node.json)
		return node_count(reader, &node, scale, value);
	return presence == REQUIRED ? fail(reader, &node, "is missing") : 0;
}

static int read_real(struct reader *reader, const struct node *parent, const char *key, enum presence presence,
		     double scale, double *value)
{
	struct node node = find(parent, key);

	if (node.json)
		return node_real(reader, &node, scale, value);
	return presence == REQUIRED ? fail(reader, &node, "is missing") : 0;
}

static uint64_t rounded_product(double mean, uint64_t count)
{
	double product = mean * (double)count;

	return product < 0x1p63 ? (uint64_t)llround(product) : 0;
}

/*
 * fio knows the exact maximum and mean, so they replace those of the buckets' middles. The bins of 2.x are of whole
 * microseconds, so a histogram made of them is no finer than that.
 */
static int read_bins(struct reader *reader, const struct node *parent, uint64_t scale, struct latency *latency)
{
	uint64_t value, count;
	struct node bins;
	const char *key;
	json_t *json;
	int error = find_object(reader, parent, "bins", &bins);

	if (error || !json_object_size(bins.json))
		return error;
	latency->hist = hist_new();
	json_object_foreach (bins.json, key, json) {
		struct node bin = {.json = json, .parent = &bins, .key = key};
		char *end;

		errno = 0;
		value = strtoull(key, &end, 10);
		if (!isdigit((unsigned char)*key) || *end || errno || value > UINT64_MAX / scale)
			return fail(reader, &bin, "the key is not a latency");
		error = node_count(reader, &bin, 1, &count);
		if (error)
			return error;
		hist_add(latency->hist, value * scale, count);
	}
	latency->hist->max = latency->max;
	latency->hist->sum = rounded_product(latency->mean, latency->hist->count);
	return 0;
}

static int read_percentiles(struct reader *reader, const struct node *parent, uint64_t scale, struct latency *latency)
{
	struct node list;
	const char *key;
	json_t *json;
	int error = find_object(reader, parent, "percentile", &list);

	if (error || !list.json)
		return error;
	json_object_foreach (list.json, key, json) {
		struct node node = {.json = json, .parent = &list, .key = key};
		double percent = strtod(key, NULL);

		for (int i = 0; i < PERCENTILES; i++) {
			if (fabs(percent - percentile_percent[i]) > 1e-6)
				continue;
			error = node_count(reader, &node, scale, &latency->percentile[i]);
			if (error)
				return error;
			latency->has_percentile[i] = true;
		}
	}
	return 0;
}

/* Before 3.18 there is no N: all of the direction's I/Os then, unless the latency was not measured at all. */
static int read_latency_count(struct reader *reader, const struct node *node, uint64_t ios, struct latency *latency)
{
	if (latency->max || latency->mean > 0)
		latency->count = ios;
	return read_count(reader, node, "N", OPTIONAL, 1, &latency->count);
}

static int read_latency(struct reader *reader, const struct node *direction, enum latency_kind kind, uint64_t ios,
			struct latency *latency)
{
	uint64_t scale = 1;
	struct node node;
	int error = find_object(reader, direction, latency_ns_name[kind], &node);

	if (!error && !node.json) {
		scale = NS_PER_US;
		error = find_object(reader, direction, latency_name[kind], &node);
	}
	if (error || !node.json)
		return error;
	error = read_count(reader, &node, "min", REQUIRED, scale, &latency->min);
	if (!error)
		error = read_count(reader, &node, "max", REQUIRED, scale, &latency->max);
	if (!error)
		error = read_real(reader, &node, "mean", REQUIRED, (double)scale, &latency->mean);
	if (!error)
		error = read_real(reader, &node, "stddev", OPTIONAL, (double)scale, &latency->stddev);
	if (!error)
		error = read_latency_count(reader, &node, ios, latency);
	if (error || !latency->count)
		return error;
	error = read_percentiles(reader, &node, scale, latency);
	return error ? error : read_bins(reader, &node, scale, latency);
}

/*
 * io_bytes was in KiB until io_kbytes came (2.21). Files without a version, or with that of a development build, are
 * about, so where there is a rate it decides: io_bytes / (rate x time) is about 1 for KiB and about 1024 for bytes, the
 * rate being in whole KiB/s.
 */
static uint64_t io_bytes_unit(const struct reader *reader, const struct node *node, uint64_t io_bytes,
			      uint64_t kib_rate, uint64_t runtime_ms)
{
	double kib = (double)kib_rate * (double)runtime_ms / 1000;
	bool in_kib = kib > 0 ? (double)io_bytes < 32 * kib : reader->kib_by_version;

	return in_kib && !find(node, "io_kbytes").json ? BYTES_PER_KIB : 1;
}

static int read_bytes(struct reader *reader, const struct node *node, struct direction *direction)
{
	uint64_t io_bytes = 0, kib_rate = 0, runtime_ms = 0;
	int error = read_count(reader, node, "io_bytes", REQUIRED, 1, &io_bytes);

	if (!error)
		error = read_count(reader, node, "runtime", REQUIRED, 1, &runtime_ms);
	if (!error)
		error = read_count(reader, node, "runtime", REQUIRED, NS_PER_MS, &direction->runtime);
	if (!error)
		error = read_count(reader, node, "bw", REQUIRED, 1, &kib_rate);
	if (!error)
		error = read_count(reader, node, "bw", REQUIRED, BYTES_PER_KIB, &direction->bytes_per_second);
	if (!error)
		error = read_count(reader, node, "bw_bytes", OPTIONAL, 1, &direction->bytes_per_second);
	if (error)
		return error;
	return read_count(reader, node, "io_bytes", REQUIRED,
			  io_bytes_unit(reader, node, io_bytes, kib_rate, runtime_ms), &direction->bytes);
}

/*
 * fio 2.1 has no total_ios and cuts iops to a whole number, which leaves a range of counts. Of those the one is taken
 * that goes with a block size of a power of two.
 */
static uint64_t guess_ios(const struct direction *direction)
{
	double seconds = (double)direction->runtime / NS_PER_SECOND;
	double least = direction->ios_per_second * seconds, above = least + seconds;

	for (uint64_t block = 512; block <= MAX_BLOCK; block *= 2) {
		double count = (double)direction->bytes / (double)block;

		if (count >= least && count < above && direction->bytes % block == 0)
			return direction->bytes / block;
	}
	return rounded_product(direction->ios_per_second / NS_PER_SECOND, direction->runtime);
}

static int read_direction(struct reader *reader, const struct node *job, enum op op, struct direction *direction)
{
	struct node node;
	int error = find_object(reader, job, direction_name[op], &node);

	if (error || !node.json)
		return error;
	error = read_bytes(reader, &node, direction);
	if (!error)
		error = read_real(reader, &node, "iops", REQUIRED, 1, &direction->ios_per_second);
	if (error)
		return error;
	direction->ios = guess_ios(direction);
	error = read_count(reader, &node, "total_ios", OPTIONAL, 1, &direction->ios);
	for (int kind = 0; kind < LATENCY_KINDS && !error; kind++)
		error = read_latency(reader, &node, kind, direction->ios, &direction->latency[kind]);
	return error;
}

static int read_job_error(struct reader *reader, const struct node *job, struct engine_figures *figures)
{
	struct node node = find(job, "error");

	if (!node.json)
		return 0;
	if (!json_is_integer(node.json))
		return fail(reader, &node, "expected a whole number, found %s", json_type_in_words(node.json));
	figures->error = (int)json_integer_value(node.json);
	return 0;
}

static int read_job(struct reader *reader, const struct node *job, struct engine_figures *figures)
{
	int error;

	if (!json_is_object(job->json))
		return fail(reader, job, "expected an object, found %s", json_type_in_words(job->json));
	if (find(job, "mixed").json && !find(job, "read").json && !find(job, "write").json)
		return fail(reader, job,
			    "reads and writes are reported as one (unified_rw_reporting) and cannot be separated");
	error = read_job_error(reader, job, figures);
	if (!error)
		error = read_real(reader, job, "usr_cpu", OPTIONAL, 1, &figures->user_percent);
	if (!error)
		error = read_real(reader, job, "sys_cpu", OPTIONAL, 1, &figures->system_percent);
	for (int op = 0; op < DIRECTIONS && !error; op++)
		error = read_direction(reader, job, op, &figures->direction[op]);
	return error;
}

static void merge_moments(struct latency *into, const struct latency *from)
{
	double n = (double)into->count, m = (double)from->count, distance = from->mean - into->mean;
	double squares = into->stddev * into->stddev * (n - 1) + from->stddev * from->stddev * (m - 1) +
			 distance * distance * n * m / (n + m);

	into->mean += distance * m / (n + m);
	into->stddev = sqrt(squares / (n + m - 1));
	into->count += from->count;
	if (from->min < into->min)
		into->min = from->min;
	if (from->max > into->max)
		into->max = from->max;
}

/* The percentiles of two jobs say nothing about their sum; their histograms do. Takes from->hist over. */
static void merge_latency(struct latency *into, struct latency *from)
{
	bool histograms = into->hist && from->hist;

	if (!from->count)
		return;
	if (!into->count) {
		*into = *from;
		from->hist = NULL;
		return;
	}
	merge_moments(into, from);
	if (histograms) {
		hist_merge(into->hist, from->hist);
	} else {
		free(into->hist);
		into->hist = NULL;
	}
	for (int i = 0; i < PERCENTILES; i++) {
		into->has_percentile[i] = histograms;
		into->percentile[i] = histograms ? hist_percentile(into->hist, percentile_percent[i]) : 0;
	}
}

static void merge_figures(struct engine_figures *into, struct engine_figures *from)
{
	if (!into->error)
		into->error = from->error;
	into->user_percent += from->user_percent;
	into->system_percent += from->system_percent;
	for (int op = 0; op < DIRECTIONS; op++) {
		struct direction *sum = &into->direction[op], *part = &from->direction[op];

		sum->ios += part->ios;
		sum->bytes += part->bytes;
		sum->bytes_per_second += part->bytes_per_second;
		sum->ios_per_second += part->ios_per_second;
		if (part->runtime > sum->runtime)
			sum->runtime = part->runtime;
		for (int kind = 0; kind < LATENCY_KINDS; kind++)
			merge_latency(&sum->latency[kind], &part->latency[kind]);
	}
}

static int read_jobs(struct reader *reader, const struct node *root, struct engine_figures *figures)
{
	struct node jobs = find(root, "jobs");
	int error = 0;

	if (!jobs.json)
		return fail(reader, root, "fio's JSON has no \"jobs\"");
	if (!json_is_array(jobs.json))
		return fail(reader, &jobs, "expected an array, found %s", json_type_in_words(jobs.json));
	if (!json_array_size(jobs.json))
		return fail(reader, &jobs, "is empty: fio ran no job");
	for (size_t i = 0; i < json_array_size(jobs.json) && !error; i++) {
		struct node job = {.json = json_array_get(jobs.json, i), .parent = &jobs, .index = i};
		struct engine_figures *part = xcalloc(1, sizeof(*part));

		error = read_job(reader, &job, part);
		if (!error)
			merge_figures(figures, part);
		engine_figures_free(part);
	}
	return error;
}

/* Without a version fio is taken for one that is newer than 2.20. */
static int read_version(struct reader *reader, const struct node *root, struct engine_figures *figures)
{
	struct node node = find(root, "fio version");
	unsigned major, minor;

	if (!node.json)
		return 0;
	if (!json_is_string(node.json))
		return fail(reader, &node, "expected a string, found %s", json_type_in_words(node.json));
	figures->version = xstrdup(json_string_value(node.json));
	if (sscanf(figures->version, "fio%*[- ]%u.%u", &major, &minor) == 2)
		reader->kib_by_version = major < 2 || (major == 2 && minor < 21);
	return 0;
}

/*
 * The start of the first line that is "{" and nothing else; where there is none, text that begins with "{" (a document
 * that somebody put on one line). NULL: no document.
 */
static const char *find_document(const char *text, size_t length)
{
	const char *end = text + length, *line = text, *first = text;

	while (line < end) {
		const char *next = memchr(line, '\n', (size_t)(end - line));
		size_t size = (size_t)((next ? next : end) - line);

		if (size && line[0] == '{' && (size == 1 || (size == 2 && line[1] == '\r')))
			return line;
		line = next ? next + 1 : end;
	}
	while (first < end && isspace((unsigned char)*first))
		first++;
	return first < end && *first == '{' ? first : NULL;
}

static void add_trimmed(struct text *text, const char *start, const char *end)
{
	while (start < end && isspace((unsigned char)*start))
		start++;
	while (start < end && isspace((unsigned char)end[-1]))
		end--;
	if (start == end)
		return;
	if (text->length)
		text_add(text, "\n", 1);
	text_add(text, start, (size_t)(end - start));
}

/* What stands before the document and, up to a second one, after it; NULL when nothing does. */
static char *read_message(const char *text, const char *start, const char *after, const char *end)
{
	const char *second = find_document(after, (size_t)(end - after));
	struct text message = {0};

	add_trimmed(&message, text, start);
	add_trimmed(&message, after, second ? second : end);
	return message.length ? text_take(&message) : NULL;
}

static char *no_document(const char *text, size_t length)
{
	struct text all = {0};
	char *string, *error;

	add_trimmed(&all, text, text + length);
	if (!all.length)
		return xstrdup("fio wrote nothing");
	string = text_take(&all);
	string[strcspn(string, "\r\n")] = '\0';
	error = xasprintf("not JSON: fio's output begins with \"%.120s\"", string);
	free(string);
	return error;
}

static char *broken_document(const char *text, const char *start, const json_error_t *broken)
{
	int line = broken->line;

	for (const char *byte = text; byte < start; byte++)
		line += *byte == '\n';
	if (json_error_code(broken) == json_error_premature_end_of_input)
		return xasprintf("line %d: fio's JSON ends in the middle", line);
	return xasprintf("line %d: fio's JSON is broken: %s", line, broken->text);
}

/* Keys and fio's own text are part of some messages. */
static char *one_line(char *string)
{
	char *printable = utf8_printable(string);

	free(string);
	return printable;
}

static int read_document(json_t *json, struct engine_figures *figures, char **error)
{
	struct node root = {.json = json};
	struct reader reader = {0};
	int code = read_version(&reader, &root, figures);

	if (!code)
		code = read_jobs(&reader, &root, figures);
	if (code)
		*error = reader.error;
	return code;
}

int fio_read(const char *text, size_t length, struct engine_figures **figures, char **error)
{
	const char *start = find_document(text, length), *end = text + length;
	struct engine_figures *read;
	json_error_t broken;
	json_t *json;
	int code;

	if (!start) {
		*error = one_line(no_document(text, length));
		return -EINVAL;
	}
	json = json_loadb(start, (size_t)(end - start), JSON_DISABLE_EOF_CHECK, &broken);
	if (!json) {
		*error = one_line(broken_document(text, start, &broken));
		return -EINVAL;
	}
	read = xcalloc(1, sizeof(*read));
	code = read_document(json, read, error);
	json_decref(json);
	if (code) {
		engine_figures_free(read);
		*error = one_line(*error);
		return code;
	}
	read->message = read_message(text, start, start + broken.position, end);
	*figures = read;
	return 0;
}
