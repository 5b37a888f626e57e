// SPDX-License-Identifier: GPL-2.0
#include "platform.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "clues.h"

/*
 * VIRTUAL: somebody stands between this kernel and its devices. GUEST: of another system, whose own machine the
 * processor and the firmware describe.
 */
enum sort { VIRTUAL, REAL, GUEST };

/* What a machine can be. Of two that are as well attested, the first. */
static const struct kind {
	const char *key, *name;
	const char *like; /* keys, divided by blanks, by which its processor and firmware may call it, too */
	enum sort sort;
} kinds[] = {
	{"wsl1", "WSL 1", "", GUEST},
	{"uml", "User Mode Linux", "", GUEST},
	{"wsl2", "WSL 2", "hyperv", VIRTUAL},
	{"azure", "Microsoft Azure", "hyperv", VIRTUAL},
	{"hyperv-root", "Hyper-V's root partition", "hyperv", VIRTUAL},
	{"ec2-metal", "Amazon EC2, bare metal", "bare-metal", REAL},
	{"gce-metal", "Google Compute Engine, bare metal", "bare-metal", REAL},
	{"ec2", "Amazon EC2", "kvm xen", VIRTUAL},
	{"gce", "Google Compute Engine", "kvm", VIRTUAL},
	{"firecracker", "Firecracker microVM", "kvm", VIRTUAL},
	{"cloud-hypervisor", "Cloud Hypervisor virtual machine", "kvm hyperv", VIRTUAL},
	{"openstack", "OpenStack virtual machine", "kvm xen vmware hyperv", VIRTUAL},
	{"kubevirt", "KubeVirt virtual machine", "kvm", VIRTUAL},
	{"nutanix", "Nutanix AHV virtual machine", "kvm", VIRTUAL},
	{"virtualbox", "VirtualBox virtual machine", "kvm hyperv", VIRTUAL},
	{"parallels", "Parallels virtual machine", "hyperv", VIRTUAL},
	{"xen-dom0", "Xen's dom0", "xen", VIRTUAL},
	{"kvm", "KVM virtual machine", "qemu", VIRTUAL},
	{"qemu-tcg", "QEMU virtual machine (emulated)", "qemu", VIRTUAL},
	{"qemu", "QEMU virtual machine", "", VIRTUAL},
	{"xen", "Xen virtual machine", "qemu", VIRTUAL},
	{"vmware", "VMware virtual machine", "", VIRTUAL},
	{"bhyve", "bhyve virtual machine", "", VIRTUAL},
	{"acrn", "ACRN virtual machine", "", VIRTUAL},
	{"qnx", "QNX virtual machine", "", VIRTUAL},
	{"apple", "Apple virtual machine", "", VIRTUAL},
	{"hyperv", "Hyper-V virtual machine", "", VIRTUAL},
	{"bare-metal", "bare metal", "", REAL},
	{"virtual", "virtual machine", "", VIRTUAL},
};

static const struct kind *find_kind(const char *key)
{
	for (size_t i = 0; key && i < ARRAY_SIZE(kinds); i++)
		if (strcmp(kinds[i].key, key) == 0)
			return &kinds[i];
	return NULL;
}

static bool is_any_virtual(const struct kind *kind)
{
	return strcmp(kind->key, "virtual") == 0;
}

/* Whether `kind` is expected to be called `name`, too. */
static bool goes_by(const struct kind *kind, const struct kind *name)
{
	char *list, *save = NULL;
	bool does = kind == name;

	list = xstrdup(kind->like);
	for (char *key = strtok_r(list, " ", &save); key && !does; key = strtok_r(NULL, " ", &save))
		does = goes_by(find_kind(key), name);
	free(list);
	return does;
}

static bool agree(const struct kind *one, const struct kind *other)
{
	if (one->sort == GUEST || other->sort == GUEST || goes_by(one, other) || goes_by(other, one))
		return true;
	return (is_any_virtual(one) && other->sort != REAL) || (is_any_virtual(other) && one->sort != REAL);
}

/* --- the witnesses --- */

struct support {
	unsigned for_it, against;
	unsigned witnesses; /* for it */
	bool conclusive;
};

/* That it is virtual at all, a clue of its own, does not make it this kind of virtual machine. */
static bool confirms(const struct clue *clue, const struct kind *kind)
{
	const struct kind *said = find_kind(clue->says);

	return said && goes_by(kind, said);
}

static bool denies(const struct clue *clue, const struct kind *kind)
{
	const struct kind *said = find_kind(clue->says);

	return said && !agree(kind, said);
}

/* What needs no other witness weighs no more against one that says otherwise. */
static unsigned heavier(unsigned than, enum weight weight)
{
	unsigned now = weight == WEIGHT_CONCLUSIVE ? WEIGHT_DIRECT : weight;

	return now > than ? now : than;
}

static void ask(const struct clues *clues, enum witness witness, const struct kind *kind, struct support *support)
{
	unsigned for_it = 0, against = 0;

	for (size_t i = 0; i < clues->count; i++) {
		const struct testimony *testimony = &clues->testimony[i];

		if (testimony->witness != witness)
			continue;
		if (confirms(&clues->clue[i], kind)) {
			for_it = heavier(for_it, testimony->weight);
			support->conclusive |=
				testimony->weight == WEIGHT_CONCLUSIVE && find_kind(clues->clue[i].says) == kind;
		} else if (denies(&clues->clue[i], kind)) {
			against = heavier(against, testimony->weight);
		}
	}
	support->for_it += for_it;
	support->against += against;
	support->witnesses += for_it > 0;
}

static struct support weigh(const struct clues *clues, const struct kind *kind)
{
	struct support support = {0};

	for (enum witness witness = 0; witness < WITNESSES; witness++)
		if (witness != WITNESS_CONTAINER)
			ask(clues, witness, kind, &support);
	return support;
}

/* --- the verdict --- */

static bool was_said(const struct clues *clues, const struct kind *kind)
{
	for (size_t i = 0; i < clues->count; i++)
		if (find_kind(clues->clue[i].says) == kind)
			return true;
	return false;
}

static const struct kind *most_likely(const struct clues *clues)
{
	const struct kind *best = NULL;
	int most = 0;

	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++) {
		struct support support = weigh(clues, &kinds[i]);
		int balance = (int)support.for_it - (int)support.against;

		if (best && best->sort != REAL && is_any_virtual(&kinds[i]))
			continue;
		if (was_said(clues, &kinds[i]) && (!best || balance > most)) {
			best = &kinds[i];
			most = balance;
		}
	}
	return best;
}

static const char *how_sure(const struct support *support)
{
	if (support->against)
		return "a guess";
	return support->conclusive || support->witnesses > 1 ? "certain" : "likely";
}

static void forget(struct clues *clues, size_t i)
{
	free(clues->clue[i].says);
	clues->clue[i].says = NULL;
	clues->testimony[i].weight = WEIGHT_NONE;
}

/* Whether anything but the processor, or its leaf of another hypervisor, says that it is something else. */
static bool is_imitated(const struct clues *clues, const struct kind *kind)
{
	for (size_t i = 0; i < clues->count; i++) {
		const struct kind *said = find_kind(clues->clue[i].says);

		if (said && said->sort != REAL && !agree(said, kind))
			return true;
	}
	return false;
}

/*
 * KVM, Xen and others answer as Hyper-V where Windows is to feel at home, so that what the processor says of Hyper-V
 * counts only where no other hypervisor shows.
 */
static void discount_imitations(struct clues *clues)
{
	const struct kind *hyperv = find_kind("hyperv");

	if (!is_imitated(clues, hyperv))
		return;
	for (size_t i = 0; i < clues->count; i++) {
		const struct kind *said = find_kind(clues->clue[i].says);

		if (clues->testimony[i].witness == WITNESS_CPU && said && goes_by(said, hyperv))
			forget(clues, i);
	}
}

/* "virtual machine (SomeHypervisor)" where nothing here knows who signs so. */
static char *name_of(const struct kind *kind, const struct clues *clues)
{
	for (size_t i = 0; i < clues->count && is_any_virtual(kind); i++)
		if (strcmp(clues->clue[i].source, "CPUID 0x40000000") == 0 && !clues->clue[i].says)
			return xasprintf("%s (%s)", kind->name, clues->clue[i].value);
	for (size_t i = 0; i < clues->count && is_any_virtual(kind); i++)
		if (strcmp(clues->clue[i].source, "/sys/class/dmi/id/sys_vendor") == 0)
			return xasprintf("%s (%s)", kind->name, clues->clue[i].value);
	return xstrdup(kind->name);
}

/* The outermost first; one that is not known here comes before what just lives in namespaces. */
static unsigned container_rank(const char *key)
{
	static const char *const order[] = {"openvz", "proot",	"kubernetes", "systemd-nspawn",
					    "lxc",    "podman", "docker"};
	unsigned rank = 0;

	while (rank < ARRAY_SIZE(order) && strcmp(order[rank], key) != 0)
		rank++;
	return rank == ARRAY_SIZE(order) && strcmp(key, "container") == 0 ? rank + 1 : rank;
}

static char *container_of(const struct clues *clues)
{
	const char *first = NULL;

	for (size_t i = 0; i < clues->count; i++) {
		const char *says = clues->clue[i].says;

		if (clues->testimony[i].witness == WITNESS_CONTAINER && says &&
		    (!first || container_rank(says) < container_rank(first)))
			first = says;
	}
	return first ? xstrdup(first) : NULL;
}

void platform_detect(struct platform *platform)
{
	struct clues clues = {0};
	const struct kind *kind;
	struct support support;

	clues_of_processor(&clues);
	clues_of_firmware(&clues);
	clues_of_kernel(&clues);
	discount_imitations(&clues);
	kind = most_likely(&clues);
	*platform = (struct platform){0};
	if (kind) {
		support = weigh(&clues, kind);
		platform->key = xstrdup(kind->key);
		platform->name = name_of(kind, &clues);
		platform->certainty = xstrdup(how_sure(&support));
	}
	clues_of_containers(&clues, platform_wsl(platform));
	platform->container = container_of(&clues);
	platform->clue = clues.clue;
	platform->clues = clues.count;
	free(clues.testimony);
}

bool platform_is_virtual(const struct platform *platform)
{
	const struct kind *kind = find_kind(platform->key);

	return kind && kind->sort != REAL;
}

const char *platform_wsl(const struct platform *platform)
{
	if (!platform->key)
		return NULL;
	if (strcmp(platform->key, "wsl1") == 0)
		return "1";
	return strcmp(platform->key, "wsl2") == 0 ? "2" : NULL;
}
