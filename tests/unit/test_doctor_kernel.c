// SPDX-License-Identifier: GPL-2.0
#include "doctored.h"

#include "host/privilege.h"

static struct kernel_answers answers;
static struct diagnosis *diagnosis;

/* A kernel of Debian 12, and nothing wrong. */
static int make_machine(void **state)
{
	unsetenv("KUBERNETES_SERVICE_HOST");
	tree_setup(state);
	be_root(*state);
	tree_write(*state, "/proc/sys/kernel/osrelease", "6.1.0-28-amd64\n");
	tree_write(*state, "/sys/kernel/btf/vmlinux", "types");
	tree_write(*state, "/sys/kernel/btf/xfs", "types");
	tree_write(*state, "/sys/kernel/security/lockdown", "[none] integrity confidentiality\n");
	tree_write(*state, "/proc/sys/kernel/unprivileged_bpf_disabled", "2\n");
	tree_write(*state, "/proc/sys/fs/aio-max-nr", "65536\n");
	tree_write(*state, "/proc/sys/fs/aio-nr", "1024\n");
	tree_write(*state, "/proc/kallsyms",
		   "ffffffff81b30cd0 t bio_chain_endio\nffffffff8175ce60 t aio_complete_rw\n"
		   "ffffffff81b916a0 t io_complete_rw\nffffffff81b916c0 t iomap_dio_bio_end_io\n");
	answer_well(&answers);
	diagnosis = diagnosis_new();
	return 0;
}

static int remove_machine(void **state)
{
	kernel_answers_free(&answers);
	diagnosis_free(diagnosis);
	return tree_teardown(state);
}

#define ON_MACHINE(test) cmocka_unit_test_setup_teardown(test, make_machine, remove_machine)

static const struct finding *find(const char *name)
{
	return found(diagnosis, "kernel", name);
}

static void assert_value(const char *name, const char *value)
{
	assert_string_equal(find(name)->value, value);
}

static void assert_blamed(const char *name, enum fitness fitness, const char *problem, const char *cure)
{
	const struct finding *finding = find(name);

	assert_int_equal(finding->fitness, fitness);
	assert_non_null(finding->problem);
	if (!strstr(finding->problem, problem))
		fail_msg("no '%s' in: %s", problem, finding->problem);
	if (!strstr(finding->cure ? finding->cure : "", cure))
		fail_msg("no '%s' in: %s", cure, finding->cure);
}

/* Nothing else than what a test asks about is blamed. */
static void assert_blames(size_t limited, size_t unfit)
{
	assert_int_equal(diagnosis_count(diagnosis, FITNESS_LIMITED), limited);
	assert_int_equal(diagnosis_count(diagnosis, FITNESS_UNFIT), unfit);
}

static void all_is_well(void **state)
{
	(void)state;
	doctor_kernel(diagnosis, &answers);
	assert_blames(0, 0);
	assert_value("release", "6.1.0-28-amd64");
	assert_value("BTF", "5 B of types, and those of 1 module");
	assert_value("tracepoints", "2 of 2 there, with the arguments that are read");
	assert_value("block_rq_complete", "understood: (request *, blk_status_t, unsigned int)");
	assert_true(find("block_rq_complete")->detail);
	assert_value("kernel functions", "4 of 14 known by their addresses");
	assert_value("other functions",
		     "not here: blkdev_bio_end_io, blkdev_bio_end_io_async, "
		     "io_complete_rw_iopoll, iomap_dio_complete_work, xlog_bio_end_io, submit_bio_wait_endio, "
		     "bio_wait_end_io, fuse_aio_complete_req, fuse_writepage_end, fuse_readpages_end");
	assert_value("capabilities", "CAP_BPF, CAP_PERFMON, CAP_SYS_ADMIN");
	assert_value("user namespace", "the machine's own");
	assert_value("lockdown", "none");
	assert_value("seccomp", "none");
	assert_value("unprivileged BPF", "forbidden");
	assert_value("locked memory", "8 MiB");
	assert_value("probes", "load and attach, in 412.0 ms");
	assert_value("fio", "fio-3.33");
	assert_string_equal(find("fio")->source, "/usr/bin/fio");
	assert_value("fio's engines", "libaio, io_uring");
	assert_value("libaio's I/Os", "1024 of at most 65536 are taken");
	assert_value("io_uring", "unknown");
}

/* What can't be read is unknown, and no reason for alarm. */
static void nothing_is_known(void **state)
{
	static const char *const names[] = {"capabilities",  "lockdown",      "seccomp", "unprivileged BPF",
					    "locked memory", "libaio's I/Os", "io_uring"};

	kernel_answers_free(&answers);
	answer_well(&answers);
	tree_remove(*state);
	tree_make(*state);
	tree_write(*state, "/sys/kernel/btf/vmlinux", "types");
	tree_write(*state, "/proc/kallsyms", "ffffffff8175ce60 t aio_complete_rw\n");
	doctor_kernel(diagnosis, &answers);
	assert_blames(0, 0);
	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		assert_value(names[i], "unknown");
	assert_value("release", "unknown");
}

static void tracepoints(void **state)
{
	(void)state;
	answer_tracepoint(&answers, "block_rq_requeue", TRACEPOINT_STRANGE, "request_queue *, request *", NULL);
	answer_tracepoint(&answers, "sys_enter", TRACEPOINT_MISSING, NULL, "I/Os cannot be followed");
	answer_tracepoint(&answers, "made_up", TRACEPOINT_UNCHECKED, "void *", NULL);
	answer_tracepoint(&answers, "9p_client_req", TRACEPOINT_MISSING, NULL, "round trips stay unknown");
	answers.tracepoints.row[answers.tracepoints.rows - 1].optional = true;
	doctor_kernel(diagnosis, &answers);
	assert_value("tracepoints", "3 of 5 there, with the arguments that are read");
	assert_value("made_up", "there: (void *)");
	assert_value("9p_client_req", "missing");
	assert_blamed("block_rq_requeue", FITNESS_LIMITED, "(request_queue *, request *)", "5.15");
	assert_blamed("sys_enter", FITNESS_LIMITED, "no sys_enter: I/Os cannot be followed.", "5.15");
	assert_blames(2, 0);
}

static void no_privileges(void **state)
{
	tree_write(*state, "/proc/self/status",
		   "Uid:\t1000\t1000\t1000\t1000\nCapEff:\t0000000000000000\nCapBnd:\t000001ffffffffff\n");
	tree_write(*state, "/proc/kallsyms", "0000000000000000 t aio_complete_rw\n");
	answers.tried = false;
	doctor_kernel(diagnosis, &answers);
	assert_blamed("capabilities", FITNESS_LIMITED, "CAP_BPF and CAP_PERFMON are missing (or CAP_SYS_ADMIN).",
		      "run sudo iostrata ...");
	assert_value("capabilities", "none of CAP_BPF, CAP_PERFMON, CAP_SYS_ADMIN");
	assert_value("probes", "not tried: bench shows fio's figures alone, trace nothing");
	assert_blames(1, 0); /* hidden addresses follow from that */
}

static void hidden_functions(void **state)
{
	tree_write(*state, "/proc/kallsyms", "0000000000000000 t aio_complete_rw\n");
	tree_write(*state, "/proc/sys/kernel/kptr_restrict", "2\n");
	doctor_kernel(diagnosis, &answers);
	assert_value("kernel functions", "0 of 14 known by their addresses");
	assert_blamed("kernel functions", FITNESS_LIMITED, "cannot be joined: the kernel hides its addresses.",
		      "sysctl kernel.kptr_restrict=1");
	assert_blames(1, 0);
}

static void locked_down(void **state)
{
	tree_write(*state, "/sys/kernel/security/lockdown", "none integrity [confidentiality]\n");
	answers.tried = false;
	doctor_kernel(diagnosis, &answers);
	assert_value("lockdown", "confidentiality");
	assert_blamed("lockdown", FITNESS_LIMITED, "forbids BPF", "lockdown=integrity");
	assert_blames(1, 0);
}

static void refused(void **state)
{
	tree_write(*state, "/proc/self/status",
		   "Uid:\t0\t0\t0\t0\nCapEff:\t000001ffffffffff\nCapBnd:\t000001ffffffffff\nSeccomp:\t2\n");
	answers.error = -EPERM;
	doctor_kernel(diagnosis, &answers);
	assert_value("seccomp", "a filter");
	assert_value("probes", "the kernel refuses them");
	assert_blamed("probes", FITNESS_LIMITED, "seccomp filter", "outside that sandbox");
	assert_blames(1, 0);
}

/* Before 5.15 what decides is whether the probes load. */
static void old_kernel(void **state)
{
	tree_write(*state, "/proc/sys/kernel/osrelease", "5.10.74.3-microsoft-standard-WSL2\n");
	doctor_kernel(diagnosis, &answers);
	assert_blames(0, 0);
	diagnosis_free(diagnosis);
	diagnosis = diagnosis_new();
	answers.error = -EINVAL;
	doctor_kernel(diagnosis, &answers);
	assert_blamed("release", FITNESS_LIMITED, "Linux 5.15", "wsl --update");
	tree_write(*state, "/proc/sys/kernel/osrelease", "4.19.0-27-amd64\n");
	diagnosis_free(diagnosis);
	diagnosis = diagnosis_new();
	doctor_kernel(diagnosis, &answers);
	assert_blamed("release", FITNESS_LIMITED, "Linux 5.15", "boot Linux 5.15");
}

/* One thing to do, not five. */
static void wsl_1(void **state)
{
	tree_remove(*state);
	tree_make(*state);
	tree_write(*state, "/proc/sys/kernel/osrelease", "4.4.0-19041-Microsoft\n");
	answers.tried = answers.described = false;
	doctor_kernel(diagnosis, &answers);
	assert_blamed("release", FITNESS_LIMITED, "WSL 1 has no Linux kernel", "wsl --set-version NAME 2");
	assert_value("BTF", "none");
	assert_value("tracepoints", "unknown without BTF");
	assert_blames(1, 0);
}

static void no_fio(void **state)
{
	(void)state;
	free(answers.fio);
	answers.fio = NULL;
	answers.fio_error = -ENOENT;
	doctor_kernel(diagnosis, &answers);
	assert_value("fio", "none");
	assert_blamed("fio", FITNESS_LIMITED, "no fio on PATH", "apt install fio");
	answers.tried = false;
	doctor_kernel(diagnosis, &answers);
	assert_blames(1, 1); /* neither fio nor probes: nothing is left */
}

static void other_fios(void **state)
{
	static const struct {
		const char *version, *problem, *cure;
	} cases[] = {
		{"fio-3.17", "older than 3.18", "--fio-path"},
		{"true (GNU coreutils) 9.1", "another program", "--fio-path"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		free(answers.fio);
		answers.fio = xstrdup(cases[i].version);
		diagnosis_free(diagnosis);
		diagnosis = diagnosis_new();
		doctor_kernel(diagnosis, &answers);
		assert_value("fio", cases[i].version);
		assert_blamed("fio", FITNESS_LIMITED, cases[i].problem, cases[i].cure);
		assert_blames(1, 0);
	}
	free(answers.fio);
	answers.fio = xstrdup("fio-3.19");
	diagnosis_free(diagnosis);
	diagnosis = diagnosis_new();
	doctor_kernel(diagnosis, &answers);
	assert_value("fio", "fio-3.19, too old for --write-through (3.24)");
	assert_blames(0, 0);
}

static void engines(void **state)
{
	(void)state;
	free(answers.engines);
	answers.engines = xstrdup("Available IO engines:\n\tpsync\n\tio_uring_cmd\n\tlibaio2\n");
	doctor_kernel(diagnosis, &answers);
	assert_value("fio's engines", "neither libaio nor io_uring");
	assert_blamed("fio's engines", FITNESS_LIMITED, "without libaio", "--ioengine psync");
	assert_blames(1, 0);
}

static void no_room_for_libaio(void **state)
{
	tree_write(*state, "/proc/sys/fs/aio-nr", "65025\n");
	tree_write(*state, "/proc/sys/kernel/io_uring_disabled", "2\n");
	doctor_kernel(diagnosis, &answers);
	assert_blamed("libaio's I/Os", FITNESS_LIMITED, "512", "sudo sysctl -w fs.aio-max-nr=1113601");
	assert_value("io_uring", "forbidden");
	assert_blames(1, 0);
}

/* Asking this machine does what bench does first, and must not depend on what it answers. */
static void asking(void **state)
{
	struct kernel_answers asked;
	char *obstacle;

	tree_remove(*state);
	obstacle = trace_obstacle();
	kernel_ask(&asked);
	assert_int_equal(asked.described, !access("/sys/kernel/btf/vmlinux", R_OK));
	if (obstacle)
		assert_false(asked.tried);
	if (asked.tried)
		assert_true(asked.startup > 0);
	assert_true(asked.fio || asked.fio_error);
	kernel_answers_free(&asked);
	free(obstacle);
	tree_make(*state);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		ON_MACHINE(all_is_well),
		ON_MACHINE(nothing_is_known),
		ON_MACHINE(tracepoints),
		ON_MACHINE(no_privileges),
		ON_MACHINE(hidden_functions),
		ON_MACHINE(locked_down),
		ON_MACHINE(refused),
		ON_MACHINE(old_kernel),
		ON_MACHINE(wsl_1),
		ON_MACHINE(no_fio),
		ON_MACHINE(other_fios),
		ON_MACHINE(engines),
		ON_MACHINE(no_room_for_libaio),
		ON_MACHINE(asking),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
