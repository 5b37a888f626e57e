// SPDX-License-Identifier: GPL-2.0
/* What compare --host --json prints. */
#include "file_json.h"

#include "file.h"
#include "split.h"

static json_t *side_to_json(const struct result *result)
{
	json_t *object = json_object();

	put_text(object, "host", result->machine.host);
	put_text(object, "kernel", result->machine.kernel);
	put_texts(object, "command", result->command);
	put_count(object, "started", result->started);
	return object;
}

/* Where nothing is divided, the reason stands in place of the parts. */
static json_t *row_to_json(const struct split *split, const struct split_row *row)
{
	json_t *object = json_object();

	put_count(object, "run", (uint64_t)(row->run - split->guest->run));
	if (row->run->test != NO_TEST)
		put_text(object, "test", split->guest->test[row->run->test].name);
	put_count(object, "iteration", row->run->iteration);
	put_text(object, "op", op_name[row->op]);
	put_fraction(object, "overlap", row->overlap);
	put_count(object, "guest_requests", row->guest_requests);
	put_count(object, "guest_bytes", row->guest_bytes);
	put_count(object, "host_ios", row->host_ios);
	put_count(object, "host_bytes", row->host_bytes);
	if (row->middle)
		put_boolean(object, "middle", true);
	put_fraction(object, "device", row->device);
	put_text(object, "refused", row->refusal);
	if (row->refusal)
		return object;
	put_fraction(object, "transport", row->transport);
	put_fraction(object, "host_kernel", row->kernel);
	put_fraction(object, "host_device", row->host_device);
	return object;
}

char *split_to_json(const struct split *split)
{
	json_t *json, *rows;
	char *text;

	file_json_init();
	json = json_object();
	rows = json_array();
	put_count(json, "schema_version", RESULT_SCHEMA_VERSION);
	put(json, "host", side_to_json(split->host));
	put(json, "guest", side_to_json(split->guest));
	for (size_t i = 0; i < split->rows; i++)
		json_array_append_new(rows, row_to_json(split, &split->row[i]));
	put(json, "rows", rows);
	put_count(json, "apart", split->apart);
	put_text(json, "obstacle", split->obstacle);
	text = json_dumps(json, JSON_INDENT(2) | JSON_REAL_PRECISION(15));
	json_decref(json);
	return text;
}
