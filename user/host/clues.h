/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What tells what this machine is: gathered here, weighed by platform.c. Signs contradict each other in practice, so
 * all are kept, each with where it stands and what stood there, also those that say nothing.
 */
#ifndef HOST_CLUES_H
#define HOST_CLUES_H

#include <stdbool.h>
#include <stddef.h>

#include "result/result.h"

/* Who says so. What one witness says several times is said once: all of DMI's strings come from one place. */
enum witness {
	WITNESS_CPU,	      /* CPUID, /proc/cpuinfo, and what the kernel takes from them alone */
	WITNESS_FIRMWARE,     /* DMI, ACPI, device tree */
	WITNESS_KERNEL,	      /* its release */
	WITNESS_COMMAND_LINE, /* what it was started with */
	WITNESS_SUBSYSTEM,    /* what WSL's init leaves */
	WITNESS_MOUNTS,
	WITNESS_CLOCK,
	WITNESS_DEVICES, /* a bus or an interface that a hypervisor offers */
	WITNESS_CONTAINER,
	WITNESSES
};

/* How much a clue weighs. CONCLUSIVE: it needs no other witness. */
enum weight { WEIGHT_NONE, WEIGHT_HINT, WEIGHT_INDIRECT, WEIGHT_DIRECT, WEIGHT_CONCLUSIVE };

struct testimony {
	enum witness witness;
	enum weight weight;
};

/* `clue[i]` was given by `testimony[i]`. All zero is none. */
struct clues {
	struct clue *clue;
	struct testimony *testimony;
	size_t count;
};

/* Adds copies; `says` is the key of a platform, of a container or NULL. Nothing is added where `value` is NULL. */
void clues_add(struct clues *clues, enum witness witness, enum weight weight, const char *says, const char *source,
	       const char *value);

/* What `witness` has said of the platform `key`; 0 where nothing. */
enum weight clues_weight(const struct clues *clues, enum witness witness, const char *key);

/* CPUID, /proc/cpuinfo, the clock sources. Says "virtual" or "bare-metal" where it is x86. */
void clues_of_processor(struct clues *clues);

/* DMI, ACPI, device tree. To be called after the former. */
void clues_of_firmware(struct clues *clues);

/* Linux and what is around it: release, command line, WSL's files, mounts, VMBus, Xen. */
void clues_of_kernel(struct clues *clues);

/* "wsl1" or "wsl2" where the kernel's release or files of WSL's init say so; NULL elsewhere. */
const char *clue_of_wsl(void);

/* Markers of containers. `wsl`: whether the platform is a WSL, whose distributions live in namespaces, too. */
void clues_of_containers(struct clues *clues, bool wsl);

#endif
