// SPDX-License-Identifier: GPL-2.0
/*
 * What doctor prints on every recorded machine, whole: tests/data/doctor/NAME.txt. What only a live machine tells (the
 * probes' times, whether BPF programs load, fio) is made up and the same everywhere.
 *
 *     IOSTRATA_UPDATE_GOLDEN=1 build/tests/test_doctor_golden     writes the files anew; look at the difference
 */
#include "doctored.h"

#include "command/doctor_kernel.h"
#include "command/doctor_machine.h"
#include "command/doctor_target.h"
#include "command/doctor_wsl.h"
#include "host/machine.h"
#include "host/mounts.h"
#include "host/path.h"
#include "host/privilege.h"
#include "report/diagnosis.h"

#define MOST_PLACES 4

#define BTF_SIZE (5 << 20)

static const struct recorded {
	const char *name;
	const char *point[MOST_PLACES]; /* mount points that are targets */
} machines[] = {
	{"wsl2-5.15-vhdx", {"/", "/mnt/c"}},
	{"wsl2-6.6-passthrough", {"/mnt/wsl/PHYSICALDRIVE1p1", "/mnt/c"}},
	{"wsl2-6.18-virtiofs", {"/", "/mnt/c", "/mnt/d"}},
	{"wsl1", {"/", "/mnt/c"}},
	{"docker-on-wsl2", {"/", "/data"}},
	{"hyperv-vm", {"/"}},
	{"azure", {"/", "/data", "/mnt"}},
	{"ec2", {"/", "/local"}},
	{"kvm", {"/", "/mnt/host", "/mnt/shared", "/data"}},
	{"firecracker", {"/", "/dev/shm"}},
	{"bare-metal", {"/", "/data", "/archive"}},
	{"container", {"/", "/data"}},
};

/* --- the machine --- */

/* A file of the size that the kernel's types have, and hidden or not as the kernel does by itself. */
static void enlarge_btf(void)
{
	char *path = host_path("/sys/kernel/btf/vmlinux");

	if (!access(path, F_OK))
		assert_int_equal(truncate(path, BTF_SIZE), 0);
	free(path);
}

/* What the recording has of the process that looks is not recorded: root, who sees the kernel's addresses. */
static void be_there(const struct tree *tree)
{
	be_root(tree);
	enlarge_btf();
	if (!host_exists("/proc/kallsyms"))
		tree_write(tree, "/proc/kallsyms",
			   "ffffffff81b30cd0 t bio_chain_endio\nffffffff8175ce60 t aio_complete_rw\n"
			   "ffffffff81b916a0 t io_complete_rw\nffffffff81789400 t iomap_dio_bio_end_io\n"
			   "ffffffff81789480 t iomap_dio_complete_work\nffffffff81b2d650 t blkdev_bio_end_io\n"
			   "ffffffff81b2d5b0 t blkdev_bio_end_io_async\nffffffff81b91700 t io_complete_rw_iopoll\n"
			   "ffffffff81b30000 t submit_bio_wait_endio\n");
}

static void make_up_probes(struct probes *probes, bool hypervisor)
{
	*probes = (struct probes){
		.hypervisor = hypervisor,
		.exit = {1000, hypervisor ? 1160 : 45, hypervisor ? 1280 : 46, hypervisor ? 1670 : 61},
		.clock = {1000, 30, 31, 40},
		.timer = {1000, 9220, 11400, 60100},
		.same = {1000, 3250, 3740, 22300},
		.across = {1000, 13800, 15400, 39600},
		.cpu = 0,
		.other = 1,
	};
}

static void answer_as_recorded(struct kernel_answers *answers)
{
	char *obstacle = trace_obstacle();

	answer_well(answers);
	answers->tried = !obstacle;
	answers->described = host_exists("/sys/kernel/btf/vmlinux");
	free(obstacle);
}

/* --- targets --- */

/* As workload/place.c describes a directory, from the recorded mounts alone. */
static void describe(struct target *target, const char *point)
{
	struct mount mount;

	assert_int_equal(mount_at(point, &mount), 0);
	target->given = xstrdup(point);
	target->path = xstrdup(point);
	target->kind = TARGET_DIRECTORY;
	target->filesystem = xstrdup(mount.filesystem);
	target->source = xstrdup(mount.source);
	target->mount_point = xstrdup(point);
	mount_stack(&mount, &target->layer, &target->layers);
	if (!target->layers)
		target->access = path_of_mount(&mount);
	mount_clear(&mount);
}

/* --- the text --- */

static void diagnose(struct diagnosis *diagnosis, const struct recorded *recorded)
{
	struct kernel_answers answers;

	diagnosis->version = xstrdup("0.1");
	diagnosis->timestamp = xstrdup("2026-01-31 12:34:56");
	machine_describe(&diagnosis->machine);
	make_up_probes(&diagnosis->probes, diagnosis->machine.hypervisor);
	answer_as_recorded(&answers);
	doctor_kernel(diagnosis, &answers);
	kernel_answers_free(&answers);
	doctor_machine(diagnosis);
	diagnosis->target = xcalloc(MOST_PLACES, sizeof(*diagnosis->target));
	while (diagnosis->targets < MOST_PLACES && recorded->point[diagnosis->targets]) {
		struct target *target = &diagnosis->target[diagnosis->targets];

		describe(target, recorded->point[diagnosis->targets++]);
		doctor_target(diagnosis, target);
	}
	doctor_advise_wsl(diagnosis);
}

/* Also with -v, below a line of its own. */
static char *printed(const struct recorded *recorded)
{
	struct diagnosis *diagnosis = diagnosis_new();
	struct text text = {0};

	diagnose(diagnosis, recorded);
	report_diagnosis(diagnosis, false, false, &text);
	text_addf(&text, "\n-------------------------------- with -v --------------------------------\n\n");
	report_diagnosis(diagnosis, false, true, &text);
	diagnosis_free(diagnosis);
	return text_take(&text);
}

static char *read_golden(const char *path)
{
	FILE *file = fopen(path, "r");
	struct text text = {0};
	char part[4096];
	size_t length;

	while (file && (length = fread(part, 1, sizeof(part), file)))
		text_add(&text, part, length);
	if (file)
		fclose(file);
	return text_take(&text);
}

static void write_golden(const char *path, const char *text)
{
	FILE *file = fopen(path, "w");

	assert_non_null(file);
	assert_true(fputs(text, file) >= 0);
	assert_int_equal(fclose(file), 0);
}

/* The first line that differs says more than two whole texts. */
static void assert_same(const char *name, const char *text, const char *golden)
{
	size_t line = 1, at = 0;

	while (text[at] && text[at] == golden[at])
		line += text[at++] == '\n';
	if (text[at] == golden[at])
		return;
	while (at && text[at - 1] != '\n')
		at--;
	fail_msg("%s, line %zu:\n  now:  %.*s\n  file: %.*s\nIOSTRATA_UPDATE_GOLDEN=1 writes it anew", name, line,
		 (int)strcspn(text + at, "\n"), text + at, (int)strcspn(golden + at, "\n"), golden + at);
}

static void as_in_its_file(void **state)
{
	const struct recorded *recorded = *state;
	char *path = xasprintf("tests/data/doctor/%s.txt", recorded->name), *text, *golden;
	struct tree tree;

	unsetenv("KUBERNETES_SERVICE_HOST");
	tree_make(&tree);
	tree_load(&tree, recorded->name);
	be_there(&tree);
	text = printed(recorded);
	tree_remove(&tree);
	if (getenv("IOSTRATA_UPDATE_GOLDEN"))
		write_golden(path, text);
	golden = read_golden(path);
	assert_same(recorded->name, text, golden);
	free(golden);
	free(text);
	free(path);
}

int main(void)
{
	struct CMUnitTest tests[ARRAY_SIZE(machines)];

	for (size_t i = 0; i < ARRAY_SIZE(machines); i++)
		tests[i] = (struct CMUnitTest){
			.name = machines[i].name,
			.test_func = as_in_its_file,
			.initial_state = (void *)&machines[i],
		};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
