// SPDX-License-Identifier: GPL-2.0
#include "available.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <bpf/btf.h>
#include <bpf/libbpf.h>

#include "base/text.h"

#include "programs.h"

#include "iostrata.skel.h"

#define MOST_ARGUMENTS 4

#define POINTER "*" /* an argument that is one, to whatever */
#define NUMBER	"#" /* one that is none */

/* What a program reads of its tracepoint. What the kernel appends later does not matter. */
struct expectation_row {
	const char *tracepoint;
	const char *argument[MOST_ARGUMENTS]; /* POINTER, NUMBER, or the structure that it points to */
	const char *lost;		      /* as in struct tracepoint */
	const char *instead;		      /* a tracepoint that does as well */
	const char *module;		      /* that may have it instead of the kernel itself: many have none at all */
};

static const char io_lost[] = "I/Os cannot be followed from call to return";
static const char wake_lost[] = "wake-ups and doorbells stay unknown";
static const char work_lost[] = "the flush that an asynchronous write-through write waits for stays unknown";
static const char uring_lost[] = "I/Os of io_uring cannot be followed";
static const char remote_lost[] = "round trips to the server of a remote file system stay unknown";
static const char hop_lost[] = "the hops between the block layer and the hypervisor stay unknown";

/*
 * Kernels before 5.11 have a queue before the request, and 5.18 for a while had a state before the tasks of a switch.
 * What io_uring's arguments are in which kernel is found out when they are used: programs_read_uring().
 */
static const struct expectation_row expected[] = {
	/* clang-format off */
	{"block_rq_issue", {"request"}, NULL, NULL, NULL},
	{"block_rq_requeue", {"request"}, NULL, NULL, NULL},
	{"block_rq_complete", {"request", NUMBER, NUMBER}, NULL, NULL, NULL},
	{"block_bio_queue", {"bio"}, NULL, NULL, NULL},
	{"block_bio_complete", {"request_queue", "bio"}, NULL, NULL, NULL},
	{"sched_process_fork", {"task_struct", "task_struct"}, NULL, NULL, NULL},
	{"sys_enter", {"pt_regs", NUMBER}, io_lost, NULL, NULL},
	{"sys_exit", {"pt_regs", NUMBER}, io_lost, NULL, NULL},
	{"sched_switch", {NUMBER, "task_struct", "task_struct"}, wake_lost, NULL, NULL},
	{"sched_waking", {"task_struct"}, wake_lost, NULL, NULL},
	{"workqueue_execute_start", {"work_struct"}, work_lost, NULL, NULL},
	{"workqueue_execute_end", {NULL}, work_lost, NULL, NULL},
	{"io_uring_submit_req", {POINTER}, uring_lost, "io_uring_submit_sqe", NULL},
	{"io_uring_submit_sqe", {POINTER}, uring_lost, "io_uring_submit_req", NULL},
	{"io_uring_complete", {POINTER}, uring_lost, NULL, NULL},
	{"9p_client_req", {"p9_client", NUMBER, NUMBER}, remote_lost, NULL, "9pnet"},
	{"9p_client_res", {"p9_client", NUMBER, NUMBER, NUMBER}, remote_lost, NULL, "9pnet"},
	{"fuse_request_send", {"fuse_req"}, remote_lost, NULL, "fuse"},
	{"fuse_request_end", {"fuse_req"}, remote_lost, NULL, "fuse"},
	{"scsi_dispatch_cmd_start", {"scsi_cmnd"}, hop_lost, NULL, "scsi_mod"},
	{"scsi_dispatch_cmd_done", {"scsi_cmnd"}, hop_lost, NULL, "scsi_mod"},
	{"vmbus_setevent", {"vmbus_channel"}, hop_lost, NULL, "hv_vmbus"},
	{"vmbus_chan_sched", {"vmbus_channel"}, hop_lost, NULL, "hv_vmbus"},
	/* clang-format on */
};

static const struct expectation_row *expectation_of(const char *tracepoint)
{
	for (size_t i = 0; i < ARRAY_SIZE(expected); i++)
		if (!strcmp(expected[i].tracepoint, tracepoint))
			return &expected[i];
	return NULL;
}

bool tracepoint_is_known(const char *name)
{
	return expectation_of(name);
}

/* --- arguments --- */

static const struct btf_type *without_qualifiers(const struct btf *btf, unsigned id)
{
	const struct btf_type *type = btf__type_by_id(btf, id);

	while (type && btf_is_mod(type))
		type = btf__type_by_id(btf, type->type);
	return type;
}

/* The type behind typedefs, too. */
static const struct btf_type *plain(const struct btf *btf, unsigned id)
{
	const struct btf_type *type = without_qualifiers(btf, id);

	while (type && btf_is_typedef(type))
		type = without_qualifiers(btf, type->type);
	return type;
}

static const char *name_of(const struct btf *btf, const struct btf_type *type)
{
	const char *name = type ? btf__name_by_offset(btf, type->name_off) : NULL;

	return name && *name ? name : "void";
}

static bool is_as(const struct btf *btf, unsigned id, const char *wanted)
{
	const struct btf_type *type = plain(btf, id);
	bool pointer = type && btf_is_ptr(type);

	if (!strcmp(wanted, NUMBER))
		return type && !pointer;
	if (!pointer || !strcmp(wanted, POINTER))
		return pointer;
	return !strcmp(name_of(btf, plain(btf, type->type)), wanted);
}

/* The first parameter of a prototype is the program's data. */
static bool is_expected(const struct btf *btf, const struct btf_type *prototype, const struct expectation_row *row)
{
	const struct btf_param *parameter = btf_params(prototype);

	for (size_t i = 0; i < MOST_ARGUMENTS && row->argument[i]; i++)
		if (i + 1 >= btf_vlen(prototype) || !is_as(btf, parameter[i + 1].type, row->argument[i]))
			return false;
	return true;
}

static char *arguments_in_words(const struct btf *btf, const struct btf_type *prototype)
{
	struct text text = {0};

	for (unsigned i = 1; i < btf_vlen(prototype); i++) {
		const struct btf_type *type = without_qualifiers(btf, btf_params(prototype)[i].type);
		bool pointer = type && btf_is_ptr(type);

		if (pointer)
			type = without_qualifiers(btf, type->type);
		text_addf(&text, "%s%s%s", i > 1 ? ", " : "", name_of(btf, type), pointer ? " *" : "");
	}
	return text_take(&text);
}

void tracepoint_look(struct tracepoint *tracepoint, const struct btf *btf, const char *name)
{
	const struct btf_type *prototype = programs_prototype(btf, name);
	const struct expectation_row *row = expectation_of(name);

	*tracepoint = (struct tracepoint){
		.name = xstrdup(name),
		.state = TRACEPOINT_MISSING,
		.lost = row ? row->lost : "what its program adds cannot be seen",
		.optional = row && row->module,
	};
	if (!prototype)
		return;
	tracepoint->arguments = arguments_in_words(btf, prototype);
	if (!row)
		tracepoint->state = TRACEPOINT_UNCHECKED;
	else if (is_expected(btf, prototype, row))
		tracepoint->state = TRACEPOINT_UNDERSTOOD;
	else
		tracepoint->state = TRACEPOINT_STRANGE;
}

/* --- all of them --- */

static void tracepoint_clear(struct tracepoint *tracepoint)
{
	free(tracepoint->name);
	free(tracepoint->arguments);
	free(tracepoint->module);
}

void tracepoints_free(struct tracepoints *tracepoints)
{
	for (size_t i = 0; i < tracepoints->rows; i++)
		tracepoint_clear(&tracepoints->row[i]);
	free(tracepoints->row);
	*tracepoints = (struct tracepoints){0};
}

/*
 * Looks at one that the kernel itself does not have in the types of the module that may have it. Only there: a search
 * goes through all types of the kernel, too, and hundreds of modules would take seconds.
 */
static void look_in_module(struct tracepoint *tracepoint, struct btf *kernel)
{
	const struct expectation_row *row = expectation_of(tracepoint->name);
	struct btf *btf = row && row->module ? btf__load_module_btf(row->module, kernel) : NULL;
	char *name = tracepoint->name;

	if (!btf || libbpf_get_error(btf))
		return;
	if (programs_has_tracepoint(btf, name)) {
		tracepoint_look(tracepoint, btf, name);
		tracepoint->module = xstrdup(row->module);
		free(name);
	}
	btf__free(btf);
}

static bool is_there(const struct tracepoints *tracepoints, const char *name)
{
	for (size_t i = 0; i < tracepoints->rows; i++)
		if (!strcmp(tracepoints->row[i].name, name))
			return tracepoints->row[i].state != TRACEPOINT_MISSING;
	return false;
}

static bool is_in(const struct tracepoints *tracepoints, const char *name)
{
	for (size_t i = 0; i < tracepoints->rows; i++)
		if (!strcmp(tracepoints->row[i].name, name))
			return true;
	return false;
}

/* Drops those that are missing where another one does as well; of two that are missing, the second. */
static void drop_superseded(struct tracepoints *tracepoints)
{
	size_t kept = 0;

	for (size_t i = 0; i < tracepoints->rows; i++) {
		struct tracepoint *row = &tracepoints->row[i];
		const struct expectation_row *expectation = expectation_of(row->name);
		const char *instead = expectation ? expectation->instead : NULL;
		struct tracepoints before = {tracepoints->row, kept};

		if (instead && row->state == TRACEPOINT_MISSING &&
		    (is_there(tracepoints, instead) || is_in(&before, instead)))
			tracepoint_clear(row);
		else
			tracepoints->row[kept++] = *row;
	}
	tracepoints->rows = kept;
}

static void look_at_all(struct tracepoints *tracepoints, const struct iostrata_bpf *skel, struct btf *btf)
{
	struct bpf_program *program = NULL;

	while ((program = bpf_object__next_program(skel->obj, program))) {
		const char *section = bpf_program__section_name(program), *slash = strchr(section, '/');

		if (!slash || is_in(tracepoints, slash + 1))
			continue;
		tracepoints->row = xreallocarray(tracepoints->row, tracepoints->rows + 1, sizeof(*tracepoints->row));
		tracepoint_look(&tracepoints->row[tracepoints->rows], btf, slash + 1);
		if (tracepoints->row[tracepoints->rows].state == TRACEPOINT_MISSING)
			look_in_module(&tracepoints->row[tracepoints->rows], btf);
		tracepoints->rows++;
	}
	drop_superseded(tracepoints);
}

/* Whatever is wrong is told by what is returned. */
int tracepoints_look(struct tracepoints *tracepoints)
{
	libbpf_print_fn_t print = libbpf_set_print(NULL);
	struct btf *btf = btf__load_vmlinux_btf();
	struct iostrata_bpf *skel;
	int err = libbpf_get_error(btf);

	*tracepoints = (struct tracepoints){0};
	if (err) {
		libbpf_set_print(print);
		return err;
	}
	skel = iostrata_bpf__open();
	if (skel)
		look_at_all(tracepoints, skel, btf);
	else
		err = -errno;
	iostrata_bpf__destroy(skel);
	btf__free(btf);
	libbpf_set_print(print);
	return err;
}
