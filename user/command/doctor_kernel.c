// SPDX-License-Identifier: GPL-2.0
#include "doctor_kernel.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/format.h"
#include "base/text.h"
#include "doctor_parts.h"
#include "host/files.h"
#include "host/machine.h"
#include "host/mounts.h"
#include "host/privilege.h"
#include "trace/symbols.h"
#include "workload/fio.h"

/* The oldest kernel whose tracepoints the programs know. */
#define OLDEST_MAJOR 5
#define OLDEST_MINOR 15

/* What the matrix has in flight at most, RND4K-Q32T16; libaio counts it against fs.aio-max-nr. */
#define MATRIX_IN_FLIGHT 512

#define BTF_FILE "/sys/kernel/btf/vmlinux"

/* --- helpers --- */

/* Of "none [integrity] confidentiality" the word that is chosen; NULL where none is. */
static char *chosen_word(const char *line)
{
	const char *open = line ? strchr(line, '[') : NULL;

	return open ? xasprintf("%.*s", (int)strcspn(open + 1, "]"), open + 1) : NULL;
}

static bool probes_work(const struct kernel_answers *answers)
{
	return answers->tried && !answers->error;
}

/* Blames it for what host/privilege.h says of this need, or says that it is fine. */
static void judge_need(struct finding *finding, enum trace_need need)
{
	char *obstacle = trace_obstacle_in(need);

	if (obstacle)
		finding_blame_sentence(finding, FITNESS_LIMITED, obstacle, false);
	else
		finding_is_fine(finding);
}

static bool is_wsl1(void)
{
	const char *wsl = machine_wsl();

	return wsl && !strcmp(wsl, "1");
}

/* --- what kernel it is --- */

static bool is_too_old(const char *release)
{
	unsigned major, minor;

	return sscanf(release, "%u.%u", &major, &minor) == 2 &&
	       (major < OLDEST_MAJOR || (major == OLDEST_MAJOR && minor < OLDEST_MINOR));
}

/* An old one that takes the probes all the same is no problem. */
static void add_release(struct section *section, const struct kernel_answers *answers)
{
	char *release = host_read_line("/proc/sys/kernel/osrelease");
	struct finding *finding =
		section_add(section, "release", "/proc/sys/kernel/osrelease", "%s", release ? release : "unknown");

	if (is_wsl1())
		judge_need(finding, NEED_KERNEL);
	else if (release && is_too_old(release) && !probes_work(answers))
		finding_blame(
			finding, FITNESS_LIMITED,
			"The probes are made for Linux 5.15 and later; what an older kernel hands them is not known.",
			machine_wsl() ? "wsl --update (in Windows)" : "boot Linux 5.15 or later");
	else if (release)
		finding_is_fine(finding);
	free(release);
}

static size_t modules_with_btf(void)
{
	char **names = host_list("/sys/kernel/btf");
	size_t count = 0;

	for (size_t i = 0; names && names[i]; i++)
		count += strcmp(names[i], "vmlinux") != 0;
	strings_free(names);
	return count;
}

static char *btf_in_words(void)
{
	char *path = host_path(BTF_FILE), size[FORMAT_LENGTH];
	size_t modules = modules_with_btf();
	struct text text = {0};
	struct stat st;
	bool there = !stat(path, &st);

	free(path);
	if (!there)
		return xstrdup("none");
	text_addf(&text, "%s of types", format_size(size, (uint64_t)st.st_size));
	if (modules)
		text_addf(&text, ", and those of %zu module%s", modules, modules > 1 ? "s" : "");
	return text_take(&text);
}

/* In WSL 1 there is no kernel to blame. */
static void add_btf(struct section *section)
{
	struct finding *finding = add_value(section, "BTF", BTF_FILE, btf_in_words());

	if (!is_wsl1())
		judge_need(finding, NEED_BTF);
}

/* --- tracepoints --- */

static void blame_missing(struct finding *finding, const struct tracepoint *tracepoint)
{
	char *problem = tracepoint->lost ? xasprintf("This kernel has no %s: %s.", tracepoint->name, tracepoint->lost)
					 : xasprintf("This kernel has no %s: nothing can be traced.", tracepoint->name);

	finding_blame(finding, FITNESS_LIMITED, problem, "use a kernel with the tracepoints of Linux 5.15 or later");
	free(problem);
}

static void blame_strange(struct finding *finding, const struct tracepoint *tracepoint)
{
	char *problem = xasprintf(
		"%s hands over (%s), which is not what its program reads: what is traced there would be wrong.",
		tracepoint->name, tracepoint->arguments);

	finding_blame(finding, FITNESS_LIMITED, problem, "use a kernel with the tracepoints of Linux 5.15 or later");
	free(problem);
}

static void add_tracepoint(struct section *section, const struct tracepoint *tracepoint)
{
	static const char *const state[] = {
		[TRACEPOINT_UNDERSTOOD] = "understood",
		[TRACEPOINT_UNCHECKED] = "there",
		[TRACEPOINT_STRANGE] = "other arguments",
		[TRACEPOINT_MISSING] = "missing",
	};
	char *source = tracepoint->module ? xasprintf("/sys/kernel/btf/%s", tracepoint->module) : NULL;
	struct text value = {0};
	struct finding *finding;

	text_addf(&value, "%s", state[tracepoint->state]);
	if (tracepoint->arguments)
		text_addf(&value, ": (%s)", tracepoint->arguments);
	finding = add_value(section, tracepoint->name, source, text_take(&value));
	finding->detail = true;
	if (tracepoint->state == TRACEPOINT_MISSING && !tracepoint->optional)
		blame_missing(finding, tracepoint);
	else if (tracepoint->state == TRACEPOINT_STRANGE)
		blame_strange(finding, tracepoint);
	else if (tracepoint->state == TRACEPOINT_UNDERSTOOD)
		finding_is_fine(finding);
	free(source);
}

static bool is_missed(const struct tracepoint *tracepoint)
{
	return tracepoint->state > TRACEPOINT_UNCHECKED &&
	       !(tracepoint->optional && tracepoint->state == TRACEPOINT_MISSING);
}

/* Those that a kernel need not have count where it has them. */
static void add_sum(struct section *section, const struct tracepoints *tracepoints)
{
	size_t good = 0, missed = 0;
	struct finding *finding;

	for (size_t i = 0; i < tracepoints->rows; i++) {
		good += tracepoints->row[i].state <= TRACEPOINT_UNCHECKED;
		missed += is_missed(&tracepoints->row[i]);
	}
	finding = section_add(section, "tracepoints", BTF_FILE, "%zu of %zu there, with the arguments that are read",
			      good, good + missed);
	if (!missed)
		finding_is_fine(finding);
}

/* The sum first, then each of them. */
static void add_tracepoints(struct section *section, const struct kernel_answers *answers)
{
	const struct tracepoints *tracepoints = &answers->tracepoints;

	if (!answers->described) {
		section_add(section, "tracepoints", NULL, "unknown without BTF");
		return;
	}
	add_sum(section, tracepoints);
	for (size_t i = 0; i < tracepoints->rows; i++)
		add_tracepoint(section, &tracepoints->row[i]);
}

/* --- functions --- */

static size_t count_known(const uint64_t address[SYMBOLS])
{
	size_t count = 0;

	for (int i = 0; i < SYMBOLS; i++)
		count += address[i] != 0;
	return count;
}

/* Some belong to modules, and of some a kernel has only the new name or the old one: those that miss are no fault. */
static void add_unknown(struct section *section, const uint64_t address[SYMBOLS])
{
	struct text names = {0};

	for (int i = 0; i < SYMBOLS; i++)
		if (!address[i])
			text_addf(&names, "%s%s", names.length ? ", " : "", symbols_name(i));
	add_value(section, "other functions", "/proc/kallsyms", xasprintf("not here: %s", names.data))->detail = true;
	text_free(&names);
}

static void add_functions(struct section *section)
{
	uint64_t address[SYMBOLS];
	char *obstacle = trace_obstacle(), *hidden;
	struct finding *finding;
	size_t known;

	symbols_read(address);
	hidden = symbols_hidden(address);
	known = count_known(address);
	finding = section_add(section, "kernel functions", "/proc/kallsyms", "%zu of %d known by their addresses",
			      known, SYMBOLS);
	/* Who may not trace may not see them either. */
	if (!hidden)
		finding_is_fine(finding);
	else if (!obstacle)
		finding_blame_sentence(finding, FITNESS_LIMITED, xstrdup(hidden), true);
	if (known && known < SYMBOLS)
		add_unknown(section, address);
	free(hidden);
	free(obstacle);
}

/* --- what we may do --- */

static void add_capabilities(struct section *section)
{
	struct finding *finding = add_value(section, "capabilities", "/proc/self/status", trace_capabilities());

	if (!is_wsl1())
		judge_need(finding, NEED_CAPABILITIES);
}

static void add_namespace(struct section *section)
{
	char *obstacle = trace_obstacle_in(NEED_NO_NAMESPACE);
	struct finding *finding = section_add(section, "user namespace", "/proc/self/uid_map", "%s",
					      obstacle ? "one of its own" : "the machine's own");

	finding->detail = true;
	free(obstacle);
	judge_need(finding, NEED_NO_NAMESPACE);
}

static void add_lockdown(struct section *section)
{
	static const char file[] = "/sys/kernel/security/lockdown";
	char *line = host_read_line(file), *word = chosen_word(line);
	struct finding *finding;

	free(line);
	if (!word) {
		section_add(section, "lockdown", file, "unknown")->detail = true;
		return;
	}
	finding = add_value(section, "lockdown", file, word);
	finding->detail = true;
	judge_need(finding, NEED_NO_LOCKDOWN);
}

static char *seccomp_in_words(void)
{
	static const char *const word[] = {"none", "strict", "a filter"};
	char *status = host_read("/proc/self/status"), *value = status ? host_field(status, "Seccomp") : NULL;
	unsigned long mode = value ? strtoul(value, NULL, 10) : ARRAY_SIZE(word);

	free(value);
	free(status);
	return mode < ARRAY_SIZE(word) ? xstrdup(word[mode]) : NULL;
}

static char *unprivileged_in_words(void)
{
	static const char *const word[] = {"allowed to everybody", "forbidden until the next boot", "forbidden"};
	uint64_t mode = ARRAY_SIZE(word);

	host_read_number(&mode, "/proc/sys/kernel/unprivileged_bpf_disabled");
	return mode < ARRAY_SIZE(word) ? xstrdup(word[mode]) : NULL;
}

/* BPF's memory counts against it up to 5.10 alone, and libbpf raises it there. */
static char *locked_memory_in_words(void)
{
	static const char key[] = "Max locked memory";
	char *limits = host_read("/proc/self/limits"), *line = limits ? strstr(limits, key) : NULL;
	char size[FORMAT_LENGTH], *words = NULL;
	unsigned long long bytes;

	if (line && sscanf(line + strlen(key), "%llu", &bytes) == 1)
		words = xstrdup(format_size(size, bytes));
	else if (line)
		words = xstrdup("unlimited");
	free(limits);
	return words;
}

static void add_details(struct section *section)
{
	add_value(section, "seccomp", "/proc/self/status", seccomp_in_words())->detail = true;
	add_value(section, "unprivileged BPF", "/proc/sys/kernel/unprivileged_bpf_disabled", unprivileged_in_words())
		->detail = true;
	add_value(section, "locked memory", "/proc/self/limits", locked_memory_in_words())->detail = true;
}

/* Only trace -g needs it. */
static void add_cgroups(struct section *section)
{
	char **points = mounts_of_type("cgroup2");

	section_add(section, "cgroup v2", "/proc/self/mountinfo", "%s",
		    points[0] ? points[0] : "not mounted, which only trace -g needs")
		->detail = true;
	strings_free(points);
}

/* --- whether the probes load --- */

static void add_probes(struct section *section, const struct kernel_answers *answers)
{
	char *obstacle = trace_obstacle(), span[FORMAT_LENGTH];
	struct finding *finding;

	if (probes_work(answers)) {
		format_latency(span, (double)answers->startup);
		finding_is_fine(section_add(section, "probes", "bpf()", "load and attach, in %s", span));
	} else if (answers->tried) {
		finding = section_add(section, "probes", "bpf()", "the kernel refuses them");
		finding_blame_sentence(finding, FITNESS_LIMITED, trace_refusal(answers->error), false);
	} else if (obstacle) {
		section_add(section, "probes", NULL, "not tried: bench shows fio's figures alone, trace nothing");
	} else {
		section_add(section, "probes", NULL, "not tried: there is no disk to be seen");
	}
	free(obstacle);
}

/* --- fio --- */

/* Without it there is nothing left where nothing can be traced either. */
static enum fitness without_fio(const struct kernel_answers *answers)
{
	return probes_work(answers) ? FITNESS_LIMITED : FITNESS_UNFIT;
}

static void add_no_fio(struct section *section, const struct kernel_answers *answers)
{
	bool absent = answers->fio_error == -ENOENT;
	struct finding *finding = section_add(section, "fio", "PATH", "%s", absent ? "none" : "cannot be started");
	char *problem = absent ? xstrdup("There is no fio on PATH, which bench needs.")
			       : xasprintf("The fio on PATH cannot be started: %s.", strerror(-answers->fio_error));

	finding_blame(finding, without_fio(answers), problem, "sudo apt install fio (or dnf install fio)");
	free(problem);
}

static void add_fio(struct section *section, const struct kernel_answers *answers)
{
	const char *path = answers->fio_path ? answers->fio_path : "PATH";
	enum fio_age age;
	struct finding *finding;

	if (answers->fio_error || !answers->fio) {
		add_no_fio(section, answers);
		return;
	}
	age = fio_age(answers->fio);
	finding = section_add(section, "fio", path, "%s%s", answers->fio,
			      age == FIO_WITHOUT_DSYNC ? ", too old for --write-through (3.24)" : "");
	if (age == FIO_OF_NO_AGE)
		finding_blame(finding, without_fio(answers), "What PATH leads to as fio is another program.",
			      "name the right one with bench --fio-path");
	else if (age == FIO_TOO_OLD)
		finding_blame(
			finding, without_fio(answers),
			"This fio is older than 3.18, and does not report the percentiles of all latencies together.",
			"install a newer one and name it with bench --fio-path");
	else
		finding_is_fine(finding);
}

static void add_engines(struct section *section, const struct kernel_answers *answers)
{
	bool libaio, io_uring;
	struct finding *finding;

	if (!answers->engines)
		return;
	/* fio lists one engine a line, below a heading */
	libaio = text_has_word(answers->engines, "libaio");
	io_uring = text_has_word(answers->engines, "io_uring");
	finding = section_add(section, "fio's engines", "fio --enghelp", "%s%s%s", libaio ? "libaio" : "",
			      libaio && io_uring ? ", " : "",
			      io_uring ? "io_uring"
			      : libaio ? ""
				       : "neither libaio nor io_uring");
	if (libaio)
		finding_is_fine(finding);
	else
		finding_blame(finding, FITNESS_LIMITED, "This fio is built without libaio, bench's default.",
			      io_uring ? "bench --ioengine io_uring"
				       : "bench --ioengine psync (one I/O in flight a job)");
}

static void add_aio(struct section *section)
{
	static const char file[] = "/proc/sys/fs/aio-max-nr";
	uint64_t most = 0, used = 0;
	char cure[64];
	struct finding *finding;

	if (host_read_number(&most, file) || host_read_number(&used, "/proc/sys/fs/aio-nr")) {
		section_add(section, "libaio's I/Os", file, "unknown")->detail = true;
		return;
	}
	finding = section_add(section, "libaio's I/Os", file, "%llu of at most %llu are taken",
			      (unsigned long long)used, (unsigned long long)most);
	finding->detail = true;
	if (used + MATRIX_IN_FLIGHT <= most) {
		finding_is_fine(finding);
		return;
	}
	snprintf(cure, sizeof(cure), "sudo sysctl -w fs.aio-max-nr=%llu", (unsigned long long)used + (1 << 20));
	finding_blame(finding, FITNESS_LIMITED, "libaio has no room for the 512 I/Os of RND4K-Q32T16.", cure);
}

static void add_uring(struct section *section)
{
	static const char *const word[] = {"allowed to everybody", "allowed to the privileged alone", "forbidden"};
	uint64_t mode = ARRAY_SIZE(word);

	host_read_number(&mode, "/proc/sys/kernel/io_uring_disabled");
	section_add(section, "io_uring", "/proc/sys/kernel/io_uring_disabled", "%s",
		    mode < ARRAY_SIZE(word) ? word[mode] : "unknown")
		->detail = true;
}

/* --- the section --- */

void doctor_kernel(struct diagnosis *diagnosis, const struct kernel_answers *answers)
{
	struct section *section = diagnosis_add_section(diagnosis, "kernel");

	add_release(section, answers);
	add_btf(section);
	add_tracepoints(section, answers);
	add_functions(section);
	add_capabilities(section);
	add_namespace(section);
	add_lockdown(section);
	add_details(section);
	add_cgroups(section);
	add_probes(section, answers);
	add_fio(section, answers);
	add_engines(section, answers);
	add_aio(section);
	add_uring(section);
}
