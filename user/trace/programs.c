// SPDX-License-Identifier: GPL-2.0
#include "programs.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <bpf/libbpf.h>

#include "base/log.h"
#include "base/text.h"
#include "host/files.h"

#include "iostrata.skel.h"

/* The kernel describes each tracepoint's arguments by "typedef void (*btf_trace_NAME)(void *, ...)". */
const struct btf_type *programs_prototype(const struct btf *btf, const char *tracepoint)
{
	char *name = xasprintf("btf_trace_%s", tracepoint);
	int id = btf__find_by_name_kind(btf, name, BTF_KIND_TYPEDEF);
	const struct btf_type *type = id > 0 ? btf__type_by_id(btf, id) : NULL;

	free(name);
	if (type)
		type = btf__type_by_id(btf, type->type);
	if (type && btf_is_ptr(type))
		type = btf__type_by_id(btf, type->type);
	return type && btf_is_func_proto(type) ? type : NULL;
}

bool programs_has_tracepoint(const struct btf *btf, const char *tracepoint)
{
	return programs_prototype(btf, tracepoint);
}

/* Whether the tracepoint's own argument `index` is a pointer; the prototype's first one is the program's data. */
static bool is_pointer(const struct btf *btf, const char *tracepoint, unsigned index)
{
	const struct btf_type *type = programs_prototype(btf, tracepoint);

	if (!type || index + 1 >= btf_vlen(type))
		return false;
	type = btf__type_by_id(btf, btf_params(type)[index + 1].type);
	while (type && (btf_is_typedef(type) || btf_is_mod(type)))
		type = btf__type_by_id(btf, type->type);
	return type && btf_is_ptr(type);
}

/*
 * io_uring_submit_req(req) and io_uring_submit_sqe(req, bool) have it first, io_uring_submit_sqe(ctx, req, ...) of
 * older kernels second. io_uring_complete(ctx, req, ...) names it, io_uring_complete(ctx, user_data, ...) does not.
 */
void programs_read_uring(const struct btf *btf, struct trace_config *config)
{
	config->uring_submit_argument =
		!programs_has_tracepoint(btf, "io_uring_submit_req") && is_pointer(btf, "io_uring_submit_sqe", 1);
	config->uring_by_data =
		programs_has_tracepoint(btf, "io_uring_complete") && !is_pointer(btf, "io_uring_complete", 1);
}

/* The part of "tp_btf/NAME" that names the tracepoint. */
static const char *tracepoint_of(const struct bpf_program *program)
{
	const char *slash = strchr(bpf_program__section_name(program), '/');

	return slash ? slash + 1 : "";
}

/*
 * These are attached by programs_attach_hops(): where SCSI or Hyper-V's channels are no part of the kernel, that is found
 * out by trying.
 */
static void choose_for_hops(struct iostrata_bpf *skel, bool hops)
{
	struct bpf_program *const hop[] = {skel->progs.on_scsi_start, skel->progs.on_scsi_done,
					   skel->progs.on_vmbus_signal, skel->progs.on_vmbus_interrupt};
	bool vmbus = host_exists("/sys/bus/vmbus");

	for (size_t i = 0; i < ARRAY_SIZE(hop); i++) {
		bpf_program__set_autoload(hop[i], hops && (i < 2 || vmbus));
		bpf_program__set_autoattach(hop[i], false);
	}
}

/* Turns off what only I/Os need, but for what is asked for and there. */
static void choose_for_ios(struct iostrata_bpf *skel, const struct trace_wish *wish, const struct btf *btf)
{
	bool works = wish->clocks || wish->syncs;
	bool requests = btf && programs_has_tracepoint(btf, "io_uring_submit_req");
	const struct {
		struct bpf_program *program;
		bool asked;
	} optional[] = {
		/* clang-format off */
		{skel->progs.on_sys_enter, true},
		{skel->progs.on_sys_exit, true},
		{skel->progs.on_switch, true},
		{skel->progs.on_waking, true},
		{skel->progs.on_work_start, works},
		{skel->progs.on_work_end, works},
		{skel->progs.on_uring_submit, true},
		{skel->progs.on_uring_submit_sqe, !requests},
		{skel->progs.on_uring_complete, true},
		/* clang-format on */
	};

	for (size_t i = 0; i < ARRAY_SIZE(optional); i++)
		bpf_program__set_autoload(optional[i].program,
					  btf && optional[i].asked &&
						  programs_has_tracepoint(btf, tracepoint_of(optional[i].program)));
}

void programs_attach_hops(struct iostrata_bpf *skel)
{
	struct {
		struct bpf_program *program;
		struct bpf_link **link;
	} hop[] = {
		{skel->progs.on_scsi_start, &skel->links.on_scsi_start},
		{skel->progs.on_scsi_done, &skel->links.on_scsi_done},
		{skel->progs.on_vmbus_signal, &skel->links.on_vmbus_signal},
		{skel->progs.on_vmbus_interrupt, &skel->links.on_vmbus_interrupt},
	};

	for (size_t i = 0; i < ARRAY_SIZE(hop); i++) {
		if (!bpf_program__autoload(hop[i].program))
			continue;
		*hop[i].link = bpf_program__attach(hop[i].program);
		if (!*hop[i].link)
			log_detail("there is no %s here: its hop is not known", tracepoint_of(hop[i].program));
	}
}

/* Those of a module that is loaded, with the kernel's own, for btf__free(); NULL where they can't be had. */
static struct btf *types_of(struct btf *btf, const char *module)
{
	struct btf *types = btf__load_module_btf(module, btf);

	return types && !libbpf_get_error(types) ? types : NULL;
}

/* Of the kernel itself, or of a module that is loaded. */
static bool has_tracepoint_of(struct btf *btf, const char *module, const char *tracepoint)
{
	struct btf *types;
	bool has;

	if (programs_has_tracepoint(btf, tracepoint))
		return true;
	types = types_of(btf, module);
	has = types && programs_has_tracepoint(types, tracepoint);
	btf__free(types);
	return has;
}

/* Bytes from the start of a structure to one of its members; 0: it is the first, or not there. */
static uint32_t offset_of(const struct btf *btf, const char *structure, const char *member)
{
	int id = btf__find_by_name_kind(btf, structure, BTF_KIND_STRUCT);
	const struct btf_type *type = id > 0 ? btf__type_by_id(btf, id) : NULL;

	for (unsigned i = 0; type && i < btf_vlen(type); i++)
		if (!strcmp(btf__name_by_offset(btf, btf_members(type)[i].name_off), member))
			return btf_member_bit_offset(type, i) / 8;
	return 0;
}

static uint32_t find_session_client(struct btf *btf)
{
	uint32_t offset = offset_of(btf, "v9fs_session_info", "clnt");
	struct btf *types = offset ? NULL : types_of(btf, "9p");

	if (types)
		offset = offset_of(types, "v9fs_session_info", "clnt");
	btf__free(types);
	return offset;
}

/* Turns off what follows round trips, but where that is asked for and told. Returns whether it is of any protocol. */
static bool choose_for_remote(struct iostrata_bpf *skel, struct trace_config *config, struct btf *btf)
{
	bool asked = config->remote;
	bool has_9p = asked && has_tracepoint_of(btf, "9pnet", "9p_client_req");
	bool has_fuse = asked && has_tracepoint_of(btf, "fuse", "fuse_request_send");

	config->session_client = has_9p ? find_session_client(btf) : 0;
	bpf_program__set_autoload(skel->progs.on_9p_request, has_9p);
	bpf_program__set_autoload(skel->progs.on_9p_response, has_9p);
	bpf_program__set_autoload(skel->progs.on_fuse_send, has_fuse);
	bpf_program__set_autoload(skel->progs.on_fuse_end, has_fuse);
	return has_9p || has_fuse;
}

/* Where there is no disk to be watched. */
static void turn_off_disks(struct iostrata_bpf *skel)
{
	bpf_program__set_autoload(skel->progs.on_queue, false);
	bpf_program__set_autoload(skel->progs.on_bio_complete, false);
	bpf_program__set_autoload(skel->progs.on_issue, false);
	bpf_program__set_autoload(skel->progs.on_requeue, false);
	bpf_program__set_autoload(skel->progs.on_complete, false);
}

int programs_choose(struct iostrata_bpf *skel, struct trace_config *config, const struct trace_wish *wish, bool queue)
{
	struct btf *btf = NULL;
	bool remote;

	bpf_program__set_autoload(skel->progs.on_queue, queue);
	bpf_program__set_autoload(skel->progs.on_bio_complete, queue);
	bpf_program__set_autoload(skel->progs.on_fork, queue && wish->own == OWN_MARKED);
	choose_for_hops(skel, config->hops);
	if (wish->ios) {
		btf = btf__load_vmlinux_btf();
		if (libbpf_get_error(btf))
			return libbpf_get_error(btf);
		programs_read_uring(btf, config);
	}
	choose_for_ios(skel, wish, btf);
	remote = choose_for_remote(skel, config, btf);
	btf__free(btf);
	if (!config->layers)
		turn_off_disks(skel);
	return remote || config->layers ? 0 : -ENODEV;
}
