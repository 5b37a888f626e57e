// SPDX-License-Identifier: GPL-2.0
#include "privilege.h"

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "files.h"
#include "machine.h"

/* Bits of CapEff (linux/capability.h, whose names older headers lack). */
#define BIT_SYS_ADMIN (1ull << 21)
#define BIT_PERFMON   (1ull << 38)
#define BIT_BPF	      (1ull << 39)

#define SECCOMP_FILTERED 2 /* of the Seccomp: line; a filter decides */

#define ENOTSUPP 524 /* the kernel's own, which libc has no text for */

/* What runs this process, as far as the words for the cure depend on it. */
enum runtime { NO_CONTAINER, DOCKER, PODMAN, KUBERNETES };

static enum runtime find_runtime(void)
{
	if (getenv("KUBERNETES_SERVICE_HOST"))
		return KUBERNETES; /* first, as its containers have the others' marks too */
	if (host_exists("/.dockerenv"))
		return DOCKER;
	return host_exists("/run/.containerenv") ? PODMAN : NO_CONTAINER;
}

/* A number of /proc/self/status; `absent` where it has none. */
static uint64_t status_number(const char *key, int base, uint64_t absent)
{
	char *status = host_read("/proc/self/status");
	char *value = status ? host_field(status, key) : NULL;
	uint64_t number = value ? strtoull(value, NULL, base) : absent;

	free(value);
	free(status);
	return number;
}

/* The effective user: the second of real, effective, saved and file system's. */
static bool is_root(void)
{
	char *status = host_read("/proc/self/status");
	char *users = status ? host_field(status, "Uid") : NULL;
	size_t real = users ? strcspn(users, "\t ") : 0;
	bool root = users && strtoull(users + real, NULL, 10) == 0;

	free(users);
	free(status);
	return root;
}

static bool is_enough(uint64_t capabilities)
{
	return capabilities & BIT_SYS_ADMIN || (capabilities & BIT_BPF && capabilities & BIT_PERFMON);
}

static const char *missing_capabilities(void)
{
	uint64_t effective = status_number("CapEff", 16, UINT64_MAX);

	if (is_enough(effective))
		return NULL;
	if (effective & BIT_BPF)
		return "CAP_PERFMON is missing (or CAP_SYS_ADMIN)";
	if (effective & BIT_PERFMON)
		return "CAP_BPF is missing (or CAP_SYS_ADMIN)";
	return "CAP_BPF and CAP_PERFMON are missing (or CAP_SYS_ADMIN)";
}

/* What the bounding set lacks, root can't get either. */
static bool root_would_have_them(void)
{
	return !is_root() && is_enough(status_number("CapBnd", 16, UINT64_MAX));
}

/* A user that isn't root in a container gets none of the capabilities that are added to it. */
static char *capability_cure(void)
{
	enum runtime runtime = find_runtime();
	bool root = is_root();

	if (root_would_have_them())
		return xstrdup("run sudo iostrata ...");
	switch (runtime) {
	case DOCKER:
	case PODMAN:
		return xasprintf(
			"start the container with %s run%s --privileged, or with --cap-add BPF --cap-add PERFMON "
			"--cap-add SYS_RESOURCE",
			runtime == DOCKER ? "docker" : "podman", root ? "" : " --user root");
	case KUBERNETES:
		return xasprintf(
			"give the container securityContext.capabilities.add: [BPF, PERFMON, SYS_RESOURCE], or "
			"securityContext.privileged: true%s",
			root ? "" : ", and runAsUser: 0");
	case NO_CONTAINER:
		break;
	}
	return xstrdup("a container or a service's CapabilityBoundingSet keeps them from root too: run it outside");
}

static char *capability_obstacle(void)
{
	const char *missing = missing_capabilities();
	char *cure, *sentence;

	if (!missing)
		return NULL;
	cure = capability_cure();
	sentence = xasprintf("%s: %s", missing, cure);
	free(cure);
	return sentence;
}

static char *btf_obstacle(void)
{
	if (host_exists("/sys/kernel/btf/vmlinux"))
		return NULL;
	if (!host_exists("/sys/kernel"))
		return xstrdup("/sys is not mounted, where the kernel describes its types: mount -t sysfs sysfs /sys");
	if (machine_wsl())
		return xstrdup(
			"this kernel does not describe its types (no /sys/kernel/btf/vmlinux): run wsl --update in "
			"Windows, or build your own with CONFIG_DEBUG_INFO_BTF=y");
	return xstrdup(
		"this kernel does not describe its types (no /sys/kernel/btf/vmlinux): use one that is built with "
		"CONFIG_DEBUG_INFO_BTF=y, as the distributions' are");
}

static char *lockdown_obstacle(void)
{
	char *line = host_read_line("/sys/kernel/security/lockdown");
	bool confidential = line && strstr(line, "[confidentiality]");

	free(line);
	if (!confidential)
		return NULL;
	return xstrdup(
		"the kernel is locked down to [confidentiality], which forbids BPF to read its memory: boot with "
		"lockdown=integrity");
}

/* The first user namespace maps all users onto themselves; in any other, capabilities end at its border. */
static bool in_user_namespace(void)
{
	char *map = host_read_line("/proc/self/uid_map");
	unsigned long long inside, outside, count;
	bool first = !map || (sscanf(map, "%llu %llu %llu", &inside, &outside, &count) == 3 && inside == 0 &&
			      outside == 0 && count == UINT32_MAX);

	free(map);
	return !first;
}

static char *namespace_obstacle(void)
{
	if (!in_user_namespace())
		return NULL;
	return xstrdup("this is a user namespace (a rootless container), whose capabilities don't reach BPF: run it as "
		       "the machine's root, with sudo iostrata ..., sudo docker or sudo podman");
}

static char *kernel_obstacle(void)
{
	const char *wsl = machine_wsl();

	if (!wsl || strcmp(wsl, "1") != 0)
		return NULL;
	return xstrdup("WSL 1 has no Linux kernel that could run BPF programs: convert the distribution in Windows "
		       "with wsl --set-version NAME 2");
}

char *trace_obstacle_in(enum trace_need need)
{
	static char *(*const find[TRACE_NEEDS])(void) = {
		[NEED_KERNEL] = kernel_obstacle,	   [NEED_BTF] = btf_obstacle,
		[NEED_NO_LOCKDOWN] = lockdown_obstacle,	   [NEED_NO_NAMESPACE] = namespace_obstacle,
		[NEED_CAPABILITIES] = capability_obstacle,
	};

	return find[need]();
}

char *trace_obstacle(void)
{
	char *obstacle = NULL;

	for (enum trace_need need = 0; need < TRACE_NEEDS && !obstacle; need++)
		obstacle = trace_obstacle_in(need);
	return obstacle;
}

char *trace_capabilities(void)
{
	static const struct {
		uint64_t bit;
		const char *name;
	} wanted[] = {{BIT_BPF, "CAP_BPF"}, {BIT_PERFMON, "CAP_PERFMON"}, {BIT_SYS_ADMIN, "CAP_SYS_ADMIN"}};
	char *status = host_read("/proc/self/status"), *value = status ? host_field(status, "CapEff") : NULL;
	uint64_t effective = value ? strtoull(value, NULL, 16) : 0;
	struct text text = {0};

	for (size_t i = 0; value && i < ARRAY_SIZE(wanted); i++)
		if (effective & wanted[i].bit)
			text_addf(&text, "%s%s", text.length ? ", " : "", wanted[i].name);
	if (value && !text.length)
		text_addf(&text, "none of CAP_BPF, CAP_PERFMON, CAP_SYS_ADMIN");
	free(status);
	if (!value)
		return NULL;
	free(value);
	return text_take(&text);
}

static const char *seccomp_cure(void)
{
	switch (find_runtime()) {
	case DOCKER:
		return "start the container with docker run --privileged, or add --security-opt seccomp=unconfined";
	case PODMAN:
		return "start the container with podman run --privileged, or add --security-opt seccomp=unconfined";
	case KUBERNETES:
		return "give the container securityContext.seccompProfile.type: Unconfined, or "
		       "securityContext.privileged: true";
	case NO_CONTAINER:
		break;
	}
	return "run it outside that sandbox";
}

static char *permission_refusal(void)
{
	if (status_number("Seccomp", 10, 0) == SECCOMP_FILTERED)
		return xasprintf(
			"a seccomp filter seems to forbid bpf() (EPERM, although the capabilities are there): %s",
			seccomp_cure());
	return xstrdup("the kernel refused the BPF programs (EPERM, although the capabilities are there): a security "
		       "module, lockdown or the limit on locked memory may forbid them; dmesg may name it");
}

char *trace_refusal(int error)
{
	char *release, *sentence;

	error = abs(error);
	sentence = trace_obstacle();
	if (sentence)
		return sentence;
	if (error == EPERM)
		return permission_refusal();
	if (error == EACCES)
		return xstrdup(
			"the kernel's verifier or a security module refused the BPF programs (EACCES): -v shows what "
			"libbpf says, dmesg what SELinux does");
	if (error == EMFILE)
		return xstrdup("too few files may be open for the BPF maps and programs: raise the limit (ulimit -n)");
	if (error == ENOSYS)
		return xstrdup("this kernel has no bpf(): use one that is built with CONFIG_BPF_SYSCALL=y");
	release = host_read_line("/proc/sys/kernel/osrelease");
	sentence = xasprintf(
		"the kernel%s%s did not take the BPF programs (%s): Linux 5.15 or later with CONFIG_BPF_JIT=y is "
		"needed, and -v shows what libbpf says",
		release ? " " : "", release ? release : "", error == ENOTSUPP ? "not supported" : strerror(error));
	free(release);
	return sentence;
}
