// SPDX-License-Identifier: GPL-2.0
#include "csv.h"

#include <stdlib.h>
#include <string.h>

#include "base/format.h"
#include "base/output.h"
#include "result/summary.h"

/* Enough for a size that is a whole number of bytes as GiB, and exact for a duration in ns. */
#define PLACES 9

static const char header[] = "Timestamp,Config,Drive,Test,Iteration,MBps,IOPS,AvgLat_ms,CPU_Avg_pct,CPU_Max_pct,"
			     "Mem_Avg_pct,Mem_Max_pct,Disk_Avg_pct,Disk_Max_pct,IsAdmin,SizeGB,Duration_sec\n";

static void add_field(struct text *out, const char *value)
{
	text_addf(out, "\"");
	for (; *value; value++) {
		if (*value == '"')
			text_add(out, value, 1);
		text_add(out, value, 1);
	}
	text_addf(out, "\",");
}

static void add_number(struct text *out, bool known, double value, int places)
{
	char number[FORMAT_LENGTH];

	add_field(out, known ? format_fixed(number, value, places) : "");
}

/* "8", "0.5" */
static void add_plain_number(struct text *out, double value)
{
	char number[FORMAT_LENGTH];
	size_t length;

	format_fixed(number, value, PLACES);
	for (length = strlen(number); number[length - 1] == '0'; length--)
		;
	number[number[length - 1] == '.' ? length - 1 : length] = '\0';
	add_field(out, number);
}

static void add_figures(struct text *out, const struct summary *summary)
{
	add_number(out, summary->runs, summary->bytes_per_second / 1e6, 2);
	add_number(out, summary->runs, summary->ios_per_second, 0);
	add_number(out, summary->runs && summary->mean > 0, summary->mean / 1e6, 3);
	add_number(out, summary->has_samples, summary->cpu_mean, 1);
	add_number(out, summary->has_samples, summary->cpu_max, 1);
	add_number(out, summary->has_samples, summary->mem_mean, 1);
	add_number(out, summary->has_samples, summary->mem_max, 1);
	add_number(out, summary->has_disk, summary->disk_mean, 1);
	add_number(out, summary->has_disk, summary->disk_max, 1);
}

static void add_row(struct text *out, const struct result *result, const struct run *run)
{
	const struct test *test = &result->test[run->test];
	struct summary summary;

	add_field(out, result->timestamp);
	add_field(out, result->config);
	add_field(out, result->target[run->target].given);
	add_field(out, test->name);
	add_number(out, true, run->iteration, 0);
	summary_of_runs(&summary, &run, 1, test, result->options.latency);
	add_figures(out, &summary);
	summary_clear(&summary);
	add_field(out, result->machine.admin ? "true" : "false");
	add_plain_number(out, (double)result->options.size / 0x1p30);
	add_plain_number(out, (double)result->options.duration / 1e9);
	out->data[out->length - 1] = '\n';
}

static int compare_runs(const void *left, const void *right)
{
	const struct run *a = *(const struct run *const *)left, *b = *(const struct run *const *)right;

	if (a->target != b->target)
		return a->target < b->target ? -1 : 1;
	if (a->test != b->test)
		return a->test < b->test ? -1 : 1;
	return a->iteration < b->iteration ? -1 : a->iteration > b->iteration;
}

void report_csv(const struct result *result, struct text *out)
{
	const struct run **rows = xcalloc(result->runs, sizeof(const struct run *));
	size_t count = 0;

	for (size_t i = 0; i < result->runs; i++)
		if (result->run[i].test != NO_TEST &&
		    (result->run[i].state == RUN_DONE || result->run[i].state == RUN_FAILED))
			rows[count++] = &result->run[i];
	qsort(rows, count, sizeof(*rows), compare_runs);
	text_addf(out, "%s", header);
	for (size_t i = 0; i < count; i++)
		add_row(out, result, rows[i]);
	free(rows);
}

char *report_csv_name(const struct result *result)
{
	char *label = output_safe_name(result->config);
	char *name = xasprintf("DiskBenchmark_%s_%s.csv", label, result->stamp);

	free(label);
	return name;
}
