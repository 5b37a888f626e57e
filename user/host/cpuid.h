/* SPDX-License-Identifier: GPL-2.0 */
/* What an x86 processor, or the hypervisor in its place, says of itself by the instruction CPUID. */
#ifndef HOST_CPUID_H
#define HOST_CPUID_H

#include <stdbool.h>
#include <stdint.h>

struct cpuid {
	uint32_t eax, ebx, ecx, edx;
};

/*
 * One leaf. 0; -EOPNOTSUPP where there is no such instruction (not x86). Below host_set_root() it is never executed:
 * the file /cpuid is read instead, lines of leaf, EAX, EBX, ECX and EDX in hexadecimal; -ENOENT where the leaf is not
 * in it. Basic leaves above the highest that leaf 0 names are answered by nonsense on Intel's; the caller has to look.
 */
int cpuid_read(uint32_t leaf, struct cpuid *registers);

#define CPUID_SIGNATURE_LENGTH 13

/*
 * Who answers at `base`, one of 0x40000000, 0x40000100, ...: up to 12 characters in EBX, ECX and EDX, without zeros and
 * blanks at their end. False, and `signature` is empty, where that is no text or no leaves follow: Intel's processors,
 * and KVM for them, answer leaves that don't exist by what another one holds.
 */
bool cpuid_signature(uint32_t base, char signature[CPUID_SIGNATURE_LENGTH]);

#endif
