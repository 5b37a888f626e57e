// SPDX-License-Identifier: GPL-2.0
#include "cpuid.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>
#endif

#include "files.h"

#define LEAVES_OF_ONE 0x100 /* each hypervisor's leaves begin at a multiple of it */

static int execute(uint32_t leaf, struct cpuid *registers)
{
#if defined(__x86_64__) || defined(__i386__)
	__cpuid_count(leaf, 0, registers->eax, registers->ebx, registers->ecx, registers->edx);
	return 0;
#else
	(void)leaf, (void)registers;
	return -EOPNOTSUPP;
#endif
}

static int look_up(const char *recorded, uint32_t leaf, struct cpuid *registers)
{
	struct cpuid found;
	const char *line;
	uint32_t number;

	for (line = recorded; *line; line += strcspn(line, "\n"), line += *line == '\n') {
		if (sscanf(line, "%x %x %x %x %x", &number, &found.eax, &found.ebx, &found.ecx, &found.edx) == 5 &&
		    number == leaf) {
			*registers = found;
			return 0;
		}
	}
	return -ENOENT;
}

int cpuid_read(uint32_t leaf, struct cpuid *registers)
{
	char *recorded;
	int error;

	if (!host_has_root())
		return execute(leaf, registers);
	recorded = host_read("/cpuid");
	if (!recorded)
		return -ENOENT;
	error = look_up(recorded, leaf, registers);
	free(recorded);
	return error;
}

/* Zeros fill up what is shorter; blanks do, too, but some begin with one. */
static bool is_text(const char *signature)
{
	size_t length = strlen(signature);

	for (size_t i = 0; i < length; i++)
		if (!isprint((unsigned char)signature[i]))
			return false;
	for (size_t i = length; i < CPUID_SIGNATURE_LENGTH; i++)
		if (signature[i])
			return false;
	return length >= 3;
}

bool cpuid_signature(uint32_t base, char signature[CPUID_SIGNATURE_LENGTH])
{
	struct cpuid leaf;
	size_t length;

	memset(signature, 0, CPUID_SIGNATURE_LENGTH);
	if (cpuid_read(base, &leaf))
		return false;
	memcpy(signature, &leaf.ebx, 4);
	memcpy(signature + 4, &leaf.ecx, 4);
	memcpy(signature + 8, &leaf.edx, 4);
	/* EAX is the highest leaf; KVM's was 0 in its first years (Documentation/virt/kvm/x86/cpuid.rst) */
	if (!is_text(signature) || (leaf.eax && leaf.eax - base >= LEAVES_OF_ONE)) {
		*signature = '\0';
		return false;
	}
	for (length = strlen(signature); length && signature[length - 1] == ' '; length--)
		signature[length - 1] = '\0';
	return true;
}
