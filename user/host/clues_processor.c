// SPDX-License-Identifier: GPL-2.0
/* What the processor says: CPUID, /proc/cpuinfo and the clock sources that hypervisors offer. */
#include "clues.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "cpuid.h"
#include "files.h"

#define FEATURES	 0x00000001
#define BIT_HYPERVISOR	 (1u << 31) /* of ECX: always 0 on a real processor, so hypervisors set it */
#define HYPERVISORS	 0x40000000
#define HYPERVISORS_END	 0x40010000
#define HYPERVISORS_STEP 0x100
#define BIT_CPU_MANAGEMENT                                                                                             \
	(1u << 12) /* of Hyper-V's privileges: the root partition's alone (the kernel's mshyperv.c) */

/* Who signs so: Documentation/virt and arch/x86/kernel/cpu of the kernel, and the hypervisors' own documents. */
static const struct {
	const char *signature, *key;
} hypervisors[] = {
	{"KVMKVMKVM", "kvm"},		{"Linux KVM Hv", "kvm"},       {"TCGTCGTCGTCG", "qemu-tcg"},
	{"Microsoft Hv", "hyperv"},	{"VMwareVMware", "vmware"},    {"XenVMMXenVMM", "xen"},
	{"VBoxVBoxVBox", "virtualbox"}, {" lrpepyh  vr", "parallels"}, {"prl hyperv", "parallels"},
	{"bhyve bhyve", "bhyve"},	{"QNXQVMBSQG", "qnx"},	       {"ACRNACRNACRN", "acrn"},
	{"Apple VZ", "apple"},
};

static const char *signer(const char *signature)
{
	for (size_t i = 0; i < ARRAY_SIZE(hypervisors); i++)
		if (strcmp(hypervisors[i].signature, signature) == 0)
			return hypervisors[i].key;
	return NULL;
}

static void add_leaf(struct clues *clues, uint32_t leaf, const char *says, char *value)
{
	char *name = xasprintf("CPUID 0x%08x", leaf);

	clues_add(clues, WITNESS_CPU, WEIGHT_DIRECT, says, name, value);
	free(name);
	free(value);
}

static char *interface(const struct cpuid *leaf)
{
	return xasprintf("%.4s", (const char *)&leaf->eax);
}

static char *version(const struct cpuid *leaf)
{
	return xasprintf("version %u.%u, build %u", leaf->ebx >> 16, leaf->ebx & 0xffff, leaf->eax);
}

static char *privileges(const struct cpuid *leaf)
{
	return xasprintf("privileges 0x%x, 0x%x, misc 0x%x", leaf->eax, leaf->ebx, leaf->edx);
}

static char *recommendations(const struct cpuid *leaf)
{
	return xasprintf("recommendations 0x%x", leaf->eax);
}

static char *nested(const struct cpuid *leaf)
{
	return xasprintf("nested features 0x%x", leaf->eax);
}

static char *isolation(const struct cpuid *leaf)
{
	return xasprintf("isolation 0x%x, 0x%x", leaf->eax, leaf->ebx);
}

/* Leaves of the "Hypervisor Top Level Functional Specification", as arch/x86/include/asm/hyperv-tlfs.h has them. */
static void add_hyperv(struct clues *clues)
{
	static const struct {
		uint32_t leaf;
		char *(*words)(const struct cpuid *leaf);
	} leaves[] = {
		{0x40000001, interface},       {0x40000002, version}, {0x40000003, privileges},
		{0x40000004, recommendations}, {0x4000000a, nested},  {0x4000000c, isolation},
	};
	struct cpuid leaf, first;

	if (cpuid_read(HYPERVISORS, &first))
		return;
	for (size_t i = 0; i < ARRAY_SIZE(leaves); i++) {
		bool root;

		if (leaves[i].leaf > first.eax || cpuid_read(leaves[i].leaf, &leaf))
			continue;
		root = leaves[i].words == privileges && leaf.ebx & BIT_CPU_MANAGEMENT;
		add_leaf(clues, leaves[i].leaf, root ? "hyperv-root" : NULL, leaves[i].words(&leaf));
	}
}

/* Whoever imitates another, as KVM does Hyper-V for Windows, signs as itself further up. */
static void add_signatures(struct clues *clues)
{
	char signature[CPUID_SIGNATURE_LENGTH];

	for (uint32_t base = HYPERVISORS; base <= HYPERVISORS_END; base += HYPERVISORS_STEP) {
		const char *key;

		if (!cpuid_signature(base, signature))
			continue;
		key = signer(signature);
		if (key || base == HYPERVISORS)
			add_leaf(clues, base, key, xstrdup(signature));
		if (base == HYPERVISORS && key && strcmp(key, "hyperv") == 0)
			add_hyperv(clues);
	}
}

/*
 * Those that a hypervisor offers, of a list divided by blanks. Whoever imitates Hyper-V's leaves offers its clocks,
 * too, so that they confirm nothing: they are the processor's word once more.
 */
static void add_clocks(struct clues *clues)
{
	static const struct {
		const char *name, *key;
		enum witness witness;
	} clocks[] = {
		{"kvm-clock", "kvm", WITNESS_CLOCK},
		{"xen", "xen", WITNESS_CLOCK},
		{"hyperv_clocksource_tsc_page", "hyperv", WITNESS_CPU},
		{"hyperv_clocksource_msr", "hyperv", WITNESS_CPU},
	};
	static const char source[] = "/sys/devices/system/clocksource/clocksource0/available_clocksource";
	char *list = host_read_line(source);

	for (size_t i = 0; list && i < ARRAY_SIZE(clocks); i++)
		if (text_has_word(list, clocks[i].name))
			clues_add(clues, clocks[i].witness, WEIGHT_INDIRECT, clocks[i].key, source, clocks[i].name);
	free(list);
}

enum answer { UNKNOWN, NO, YES };

/* The flags of x86 alone are called so. */
static enum answer ask_cpuinfo(struct clues *clues)
{
	char *cpuinfo = host_read("/proc/cpuinfo"), *flags, *maker;
	enum answer answer;

	if (!cpuinfo)
		return UNKNOWN;
	flags = host_field(cpuinfo, "flags");
	maker = host_field(cpuinfo, "vendor_id");
	if (maker && strcmp(maker, "User Mode Linux") == 0)
		clues_add(clues, WITNESS_KERNEL, WEIGHT_CONCLUSIVE, "uml", "/proc/cpuinfo vendor_id", maker);
	answer = !flags ? UNKNOWN : text_has_word(flags, "hypervisor") ? YES : NO;
	free(flags), free(maker), free(cpuinfo);
	return answer;
}

static enum answer ask_cpuid(void)
{
	struct cpuid features;

	if (cpuid_read(FEATURES, &features))
		return UNKNOWN;
	return features.ecx & BIT_HYPERVISOR ? YES : NO;
}

/* It is real where nothing says that it isn't: a hypervisor may hide the one or the other. */
static void add_answer(struct clues *clues, enum answer answer, enum answer other, const char *source,
		       const char *const value[])
{
	if (answer == YES)
		clues_add(clues, WITNESS_CPU, WEIGHT_CONCLUSIVE, "virtual", source, value[YES]);
	else if (answer == NO)
		clues_add(clues, WITNESS_CPU, WEIGHT_CONCLUSIVE, other == YES ? NULL : "bare-metal", source, value[NO]);
}

void clues_of_processor(struct clues *clues)
{
	static const char *const bit[] = {NULL, "hypervisor bit clear", "hypervisor bit set"};
	static const char *const flag[] = {NULL, "no hypervisor", "hypervisor"};
	enum answer cpuinfo = ask_cpuinfo(clues), cpuid = ask_cpuid();

	add_answer(clues, cpuid, cpuinfo, "CPUID 0x00000001", bit);
	add_answer(clues, cpuinfo, cpuid, "/proc/cpuinfo flags", flag);
	if (cpuid == YES || cpuinfo == YES)
		add_signatures(clues);
	add_clocks(clues);
}
