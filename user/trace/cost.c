// SPDX-License-Identifier: GPL-2.0
/* What the probes take, as the kernel times its programs. */
#include <errno.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "collect.h"

static uint64_t time_of_programs(struct tracer *tracer)
{
	struct bpf_program *program;
	uint64_t time = 0;

	bpf_object__for_each_program(program, tracer->skel->obj)
	{
		struct bpf_prog_info info = {0};
		uint32_t length = sizeof(info);

		if (!bpf_obj_get_info_by_fd(bpf_program__fd(program), &info, &length))
			time += info.run_time_ns;
	}
	return time;
}

int tracer_cost_begin(struct tracer *tracer)
{
	int fd = bpf_enable_stats(BPF_STATS_RUN_TIME);

	if (fd < 0)
		return -errno;
	tracer->timing = fd;
	tracer->time_before = time_of_programs(tracer);
	return 0;
}

uint64_t tracer_cost_end(struct tracer *tracer)
{
	uint64_t time = time_of_programs(tracer) - tracer->time_before;

	close(tracer->timing);
	tracer->timing = -1;
	return time;
}
