// SPDX-License-Identifier: GPL-2.0
#include "tree.h"

#include <errno.h>

#include "host/privilege.h"

#define ALL_CAPABILITIES "000001ffffffffff"
#define DOCKER_DEFAULT	 "00000000a80425fb"
#define NONE		 "0000000000000000"
#define BPF_PERFMON	 "000000c000000000"
#define ONLY_BPF	 "0000008000000000"
#define ONLY_PERFMON	 "0000004000000000"
#define ONLY_ADMIN	 "0000000000200000"

/* Whatever the tests run in must not answer for the tree. */
static int make_machine(void **state)
{
	unsetenv("KUBERNETES_SERVICE_HOST");
	tree_setup(state);
	tree_write(*state, "/sys/kernel/btf/vmlinux", "BTF");
	tree_write(*state, "/sys/kernel/security/lockdown", "[none] integrity confidentiality\n");
	tree_write(*state, "/proc/sys/kernel/osrelease", "6.1.0-28-amd64\n");
	tree_write(*state, "/proc/self/uid_map", "         0          0 4294967295\n");
	return 0;
}

/* `bounding` is what root could have. */
static void become(const struct tree *tree, unsigned user, const char *capabilities, const char *bounding,
		   unsigned seccomp)
{
	char *status = xasprintf("Name:\tiostrata\nUid:\t1000\t%u\t%u\t%u\nCapPrm:\t" ALL_CAPABILITIES
				 "\nCapEff:\t%s\nCapBnd:\t%s\nSeccomp:\t%u\nSeccomp_filters:\t0\n",
				 user, user, user, capabilities, bounding, seccomp);

	tree_write(tree, "/proc/self/status", status);
	free(status);
}

static void assert_says(char *sentence, const char *part)
{
	assert_non_null(sentence);
	if (!strstr(sentence, part))
		fail_msg("\"%s\" is not in \"%s\"", part, sentence);
	assert_null(strchr(sentence, '\n'));
	free(sentence);
}

static void assert_silent(const char *part, char *sentence)
{
	assert_non_null(sentence);
	if (strstr(sentence, part))
		fail_msg("\"%s\" is in \"%s\"", part, sentence);
	free(sentence);
}

static void capabilities_decide_and_not_the_user(void **state)
{
	static const char *const enough[] = {ALL_CAPABILITIES, BPF_PERFMON, ONLY_ADMIN};
	static const char *const too_little[] = {NONE, DOCKER_DEFAULT, ONLY_BPF, ONLY_PERFMON};
	unsigned user;
	size_t i;

	for (user = 0; user <= 1000; user += 1000) {
		for (i = 0; i < ARRAY_SIZE(enough); i++) {
			become(*state, user, enough[i], ALL_CAPABILITIES, 0);
			assert_null(trace_obstacle());
		}
		for (i = 0; i < ARRAY_SIZE(too_little); i++) {
			become(*state, user, too_little[i], ALL_CAPABILITIES, 0);
			assert_says(trace_obstacle(), "missing");
		}
	}
}

static void missing_capability_is_named(void **state)
{
	become(*state, 1000, NONE, ALL_CAPABILITIES, 0);
	assert_says(trace_obstacle(), "CAP_BPF and CAP_PERFMON are missing");
	become(*state, 1000, ONLY_BPF, ALL_CAPABILITIES, 0);
	assert_says(trace_obstacle(), "CAP_PERFMON is missing");
	become(*state, 1000, ONLY_PERFMON, ALL_CAPABILITIES, 0);
	assert_says(trace_obstacle(), "CAP_BPF is missing");
}

static void cure_on_a_plain_machine_is_sudo(void **state)
{
	become(*state, 1000, NONE, ALL_CAPABILITIES, 0);
	assert_says(trace_obstacle(), "sudo iostrata");
	become(*state, 0, NONE, ALL_CAPABILITIES, 0);
	assert_silent("sudo", trace_obstacle());
	become(*state, 0, NONE, NONE, 0);
	assert_says(trace_obstacle(), "CapabilityBoundingSet");
	assert_silent("sudo", trace_obstacle());
	become(*state, 1000, NONE, DOCKER_DEFAULT, 0);
	assert_silent("sudo", trace_obstacle());
}

static void cure_in_a_container_that_has_them(void **state)
{
	tree_write(*state, "/.dockerenv", "");
	become(*state, 1000, NONE, BPF_PERFMON, 2);
	assert_says(trace_obstacle(), "sudo iostrata");
}

static void cure_in_docker(void **state)
{
	tree_write(*state, "/.dockerenv", "");
	become(*state, 0, DOCKER_DEFAULT, DOCKER_DEFAULT, 2);
	assert_says(trace_obstacle(), "docker run --privileged");
	assert_says(trace_obstacle(), "--cap-add BPF --cap-add PERFMON --cap-add SYS_RESOURCE");
	assert_silent("sudo", trace_obstacle());
	become(*state, 1000, NONE, DOCKER_DEFAULT, 2);
	assert_says(trace_obstacle(), "docker run --user root");
}

static void cure_in_podman(void **state)
{
	tree_write(*state, "/run/.containerenv", "");
	become(*state, 0, DOCKER_DEFAULT, DOCKER_DEFAULT, 2);
	assert_says(trace_obstacle(), "podman run --privileged");
}

static void cure_in_kubernetes(void **state)
{
	tree_write(*state, "/.dockerenv", "");
	setenv("KUBERNETES_SERVICE_HOST", "10.96.0.1", 1);
	become(*state, 0, DOCKER_DEFAULT, DOCKER_DEFAULT, 2);
	assert_says(trace_obstacle(), "securityContext.capabilities.add: [BPF, PERFMON, SYS_RESOURCE]");
	assert_says(trace_obstacle(), "privileged: true");
	assert_silent("docker", trace_obstacle());
	assert_silent("runAsUser", trace_obstacle());
	become(*state, 1000, NONE, DOCKER_DEFAULT, 2);
	assert_says(trace_obstacle(), "runAsUser: 0");
}

static void wsl_1_comes_before_all_else(void **state)
{
	become(*state, 1000, NONE, ALL_CAPABILITIES, 0);
	tree_write(*state, "/proc/sys/kernel/osrelease", "4.4.0-19041-Microsoft\n");
	assert_says(trace_obstacle(), "wsl --set-version");
}

static void remove_btf(const struct tree *tree)
{
	char *path = tree_path(tree, "/sys/kernel/btf/vmlinux");

	assert_int_equal(unlink(path), 0);
	free(path);
}

static void kernel_without_btf(void **state)
{
	become(*state, 0, ALL_CAPABILITIES, ALL_CAPABILITIES, 0);
	remove_btf(*state);
	assert_says(trace_obstacle(), "CONFIG_DEBUG_INFO_BTF");
	assert_silent("wsl", trace_obstacle());
	tree_write(*state, "/proc/sys/kernel/osrelease", "5.10.16.3-microsoft-standard-WSL2\n");
	assert_says(trace_obstacle(), "wsl --update");
}

static void sys_is_not_mounted(void **state)
{
	char *from = tree_path(*state, "/sys"), *to = tree_path(*state, "/elsewhere");

	become(*state, 0, ALL_CAPABILITIES, ALL_CAPABILITIES, 0);
	assert_int_equal(rename(from, to), 0);
	assert_says(trace_obstacle(), "mount -t sysfs");
	free(from), free(to);
}

static void lockdown_matters_when_confidential(void **state)
{
	become(*state, 0, ALL_CAPABILITIES, ALL_CAPABILITIES, 0);
	tree_write(*state, "/sys/kernel/security/lockdown", "none [integrity] confidentiality\n");
	assert_null(trace_obstacle());
	tree_write(*state, "/sys/kernel/security/lockdown", "none integrity [confidentiality]\n");
	assert_says(trace_obstacle(), "lockdown=integrity");
}

static void capabilities_of_a_user_namespace_are_none(void **state)
{
	become(*state, 0, ALL_CAPABILITIES, ALL_CAPABILITIES, 0);
	tree_write(*state, "/proc/self/uid_map",
		   "         0       1000          1\n         1     100000      65536\n");
	assert_says(trace_obstacle(), "user namespace");
}

static void refusal_names_the_filter(void **state)
{
	become(*state, 0, ALL_CAPABILITIES, ALL_CAPABILITIES, 2);
	assert_null(trace_obstacle()); /* most filters let bpf() through */
	assert_says(trace_refusal(EPERM), "seccomp");
	assert_silent("docker", trace_refusal(EPERM));
	tree_write(*state, "/.dockerenv", "");
	assert_says(trace_refusal(-EPERM), "docker run --privileged, or add --security-opt seccomp=unconfined");
	setenv("KUBERNETES_SERVICE_HOST", "10.96.0.1", 1);
	assert_says(trace_refusal(EPERM), "seccompProfile.type: Unconfined");
	become(*state, 0, ALL_CAPABILITIES, ALL_CAPABILITIES, 0);
	assert_silent("seccomp", trace_refusal(EPERM));
}

static void refusal_tells_an_obstacle_first(void **state)
{
	become(*state, 1000, NONE, DOCKER_DEFAULT, 2);
	assert_says(trace_refusal(EPERM), "CAP_BPF and CAP_PERFMON are missing");
}

static void refusal_of_an_old_kernel(void **state)
{
	become(*state, 0, ALL_CAPABILITIES, ALL_CAPABILITIES, 2);
	tree_write(*state, "/proc/sys/kernel/osrelease", "5.4.0-200-generic\n");
	assert_says(trace_refusal(EINVAL), "5.4.0-200-generic");
	assert_says(trace_refusal(EINVAL), "5.15");
	assert_silent("seccomp", trace_refusal(EINVAL));
	assert_says(trace_refusal(524), "not supported");
	assert_says(trace_refusal(ENOSYS), "CONFIG_BPF_SYSCALL");
	assert_says(trace_refusal(EACCES), "verifier");
}

#define ON_MACHINE(test) cmocka_unit_test_setup_teardown(test, make_machine, tree_teardown)

/* Each need by itself, where several are not met at once. */
static void needs_by_themselves(void **state)
{
	char *names;

	become(*state, 1000, NONE, ALL_CAPABILITIES, 0);
	tree_write(*state, "/sys/kernel/security/lockdown", "none integrity [confidentiality]\n");
	assert_null(trace_obstacle_in(NEED_KERNEL));
	assert_null(trace_obstacle_in(NEED_BTF));
	assert_null(trace_obstacle_in(NEED_NO_NAMESPACE));
	assert_says(trace_obstacle_in(NEED_NO_LOCKDOWN), "lockdown=integrity");
	assert_says(trace_obstacle_in(NEED_CAPABILITIES), "sudo");
	assert_says(trace_capabilities(), "none of CAP_BPF, CAP_PERFMON, CAP_SYS_ADMIN");
	become(*state, 1000, BPF_PERFMON, ALL_CAPABILITIES, 0);
	names = trace_capabilities();
	assert_string_equal(names, "CAP_BPF, CAP_PERFMON");
	free(names);
	assert_null(trace_obstacle_in(NEED_CAPABILITIES));
	tree_write(*state, "/proc/self/status", "Name:\tiostrata\n");
	assert_null(trace_capabilities());
	tree_write(*state, "/proc/sys/kernel/osrelease", "4.4.0-19041-Microsoft\n");
	assert_says(trace_obstacle_in(NEED_KERNEL), "wsl --set-version");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		ON_MACHINE(capabilities_decide_and_not_the_user),
		ON_MACHINE(missing_capability_is_named),
		ON_MACHINE(cure_on_a_plain_machine_is_sudo),
		ON_MACHINE(cure_in_a_container_that_has_them),
		ON_MACHINE(cure_in_docker),
		ON_MACHINE(cure_in_podman),
		ON_MACHINE(cure_in_kubernetes),
		ON_MACHINE(wsl_1_comes_before_all_else),
		ON_MACHINE(kernel_without_btf),
		ON_MACHINE(sys_is_not_mounted),
		ON_MACHINE(lockdown_matters_when_confidential),
		ON_MACHINE(capabilities_of_a_user_namespace_are_none),
		ON_MACHINE(refusal_names_the_filter),
		ON_MACHINE(refusal_tells_an_obstacle_first),
		ON_MACHINE(refusal_of_an_old_kernel),
		ON_MACHINE(needs_by_themselves),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
