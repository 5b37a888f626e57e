// SPDX-License-Identifier: GPL-2.0
#include "tree.h"

#include <errno.h>

#include "host/cpuid.h"

static void leaf_of_a_tree(void **state)
{
	struct cpuid leaf;

	tree_write(*state, "/cpuid",
		   "0x00000001 000906a2 00020800 fffafbff 1f8bfbff\n0x40000001 01007efb 00000000 00000000 00000007\n");
	assert_int_equal(cpuid_read(1, &leaf), 0);
	assert_int_equal(leaf.eax, 0x906a2);
	assert_int_equal(leaf.ebx, 0x20800);
	assert_int_equal(leaf.ecx, 0xfffafbff);
	assert_int_equal(leaf.edx, 0x1f8bfbff);
	assert_int_equal(cpuid_read(0x40000001, &leaf), 0);
	assert_int_equal(leaf.edx, 7);
	assert_int_equal(cpuid_read(0x40000000, &leaf), -ENOENT);
}

static void signatures(void **state)
{
	static const struct {
		const char *leaf, *signature;
	} known[] = {
		{"0x40000000 40000001 4b4d564b 564b4d56 0000004d\n", "KVMKVMKVM"},
		{"0x40000000 00000000 4b4d564b 564b4d56 0000004d\n", "KVMKVMKVM"},
		{"0x40000000 4000000b 7263694d 666f736f 76482074\n", "Microsoft Hv"},
		{"0x40000000 40000001 76796862 68622065 20657679\n", "bhyve bhyve"},
		{"0x40000000 40000000 70726c20 65707968 72762020\n", " lrphype  vr"},
		/* another leaf's numbers, as Intel's processors answer */
		{"0x40000000 00000007 00000340 00000340 00000000\n", NULL},
		{"0x40000000 00000834 41414141 41414141 41414141\n", NULL},
		{"0x40000000 40000200 41414141 41414141 41414141\n", NULL},
		{"0x40000000 00000000 00000000 00000000 00000000\n", NULL},
		{"0x40000000 40000001 00414141 41000000 00000000\n", NULL},
	};
	char signature[CPUID_SIGNATURE_LENGTH];

	for (size_t i = 0; i < ARRAY_SIZE(known); i++) {
		tree_write(*state, "/cpuid", known[i].leaf);
		assert_int_equal(cpuid_signature(0x40000000, signature), known[i].signature != NULL);
		assert_string_equal(signature, known[i].signature ? known[i].signature : "");
	}
}

/* Nothing of the machine below shows where a tree stands in for it. */
static void nothing_without_a_tree_s_own(void **state)
{
	struct cpuid leaf;

	(void)state;
	assert_int_equal(cpuid_read(0, &leaf), -ENOENT);
	assert_int_equal(cpuid_read(1, &leaf), -ENOENT);
	assert_int_equal(cpuid_read(0x40000000, &leaf), -ENOENT);
}

/* The processor's maker, as the kernel has it, too. */
static void this_machine(void **state)
{
	struct cpuid leaf;
	char maker[13] = "", *cpuinfo = host_read("/proc/cpuinfo"), *vendor = host_field(cpuinfo, "vendor_id");

	(void)state;
#if defined(__x86_64__) || defined(__i386__)
	assert_int_equal(cpuid_read(0, &leaf), 0);
	memcpy(maker, &leaf.ebx, 4);
	memcpy(maker + 4, &leaf.edx, 4);
	memcpy(maker + 8, &leaf.ecx, 4);
	assert_string_equal(maker, vendor);
#else
	assert_int_equal(cpuid_read(0, &leaf), -EOPNOTSUPP);
	assert_string_equal(maker, "");
#endif
	free(vendor), free(cpuinfo);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		IN_TREE(leaf_of_a_tree),
		IN_TREE(signatures),
		IN_TREE(nothing_without_a_tree_s_own),
		cmocka_unit_test(this_machine),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
