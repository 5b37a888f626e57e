// SPDX-License-Identifier: GPL-2.0
/* What the firmware says, which is the hypervisor's own: DMI, ACPI and, where it is not x86, the device tree. */
#include "clues.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "files.h"

#define DMI "/sys/class/dmi/id/"

static const char *const dmi_attributes[] = {"sys_vendor",   "product_name", "product_version",
					     "board_vendor", "bios_vendor",  "chassis_asset_tag"};

/*
 * Of the hypervisors' and clouds' own documents. An attribute begins so. Vendors that build computers, too (Microsoft,
 * Google, Oracle, Apple, Nutanix), are told by the product.
 */
static const struct dmi {
	const char *attribute, *begin, *key;
	enum weight weight;
} dmi_table[] = {
	{"sys_vendor", "Amazon EC2", "ec2", WEIGHT_CONCLUSIVE},
	{"bios_vendor", "Amazon EC2", "ec2", WEIGHT_CONCLUSIVE},
	{"board_vendor", "Amazon EC2", "ec2", WEIGHT_CONCLUSIVE},
	{"product_name", "Google Compute Engine", "gce", WEIGHT_CONCLUSIVE},
	{"chassis_asset_tag", "7783-7084-3265-9085-8269-3286-77", "azure", WEIGHT_CONCLUSIVE},
	{"product_name", "OpenStack", "openstack", WEIGHT_DIRECT},
	{"sys_vendor", "OpenStack", "openstack", WEIGHT_DIRECT},
	{"product_name", "KubeVirt", "kubevirt", WEIGHT_DIRECT},
	{"sys_vendor", "KubeVirt", "kubevirt", WEIGHT_DIRECT},
	{"product_name", "AHV", "nutanix", WEIGHT_DIRECT},
	{"product_version", "Hyper-V", "hyperv", WEIGHT_DIRECT},
	{"sys_vendor", "Cloud Hypervisor", "cloud-hypervisor", WEIGHT_DIRECT},
	{"sys_vendor", "QEMU", "qemu", WEIGHT_DIRECT},
	{"sys_vendor", "Bochs", "qemu", WEIGHT_DIRECT},
	{"bios_vendor", "Bochs", "qemu", WEIGHT_DIRECT},
	{"product_name", "KVM", "kvm", WEIGHT_DIRECT},
	{"product_name", "RHEV Hypervisor", "kvm", WEIGHT_DIRECT},
	{"product_name", "oVirt", "kvm", WEIGHT_DIRECT},
	{"sys_vendor", "VMware", "vmware", WEIGHT_DIRECT},
	{"product_name", "VMware", "vmware", WEIGHT_DIRECT},
	{"bios_vendor", "VMW", "vmware", WEIGHT_DIRECT},
	{"sys_vendor", "innotek GmbH", "virtualbox", WEIGHT_DIRECT},
	{"bios_vendor", "innotek GmbH", "virtualbox", WEIGHT_DIRECT},
	{"product_name", "VirtualBox", "virtualbox", WEIGHT_DIRECT},
	{"sys_vendor", "Xen", "xen", WEIGHT_DIRECT},
	{"product_name", "HVM domU", "xen", WEIGHT_DIRECT},
	{"sys_vendor", "Parallels", "parallels", WEIGHT_DIRECT},
	{"product_name", "Parallels", "parallels", WEIGHT_DIRECT},
	{"bios_vendor", "BHYVE", "bhyve", WEIGHT_DIRECT},
	{"product_name", "BHYVE", "bhyve", WEIGHT_DIRECT},
	{"product_name", "Apple Virtualization", "apple", WEIGHT_DIRECT},
};

static bool begins(const char *text, const char *begin)
{
	return strncmp(text, begin, strlen(begin)) == 0;
}

static const struct dmi *find_dmi(const char *attribute, const char *value)
{
	for (size_t i = 0; i < ARRAY_SIZE(dmi_table); i++)
		if (strcmp(dmi_table[i].attribute, attribute) == 0 && begins(value, dmi_table[i].begin))
			return &dmi_table[i];
	return NULL;
}

/* Two clouds let whole computers as well, which call themselves almost the same. */
static const char *whole_computer(const struct clues *clues, const char *key)
{
	char *product = host_read_line(DMI "product_name");
	bool metal = product && strstr(product, ".metal");

	free(product);
	if (strcmp(key, "ec2") == 0 && metal)
		return "ec2-metal";
	if (strcmp(key, "gce") == 0 && clues_weight(clues, WITNESS_CPU, "bare-metal"))
		return "gce-metal";
	return key;
}

/* Hyper-V's computers of both generations, which Microsoft's own are not called. */
static bool is_hyperv(const char *attribute, const char *value)
{
	char *vendor;
	bool is;

	if (strcmp(attribute, "product_name") != 0 || strcmp(value, "Virtual Machine") != 0)
		return false;
	vendor = host_read_line(DMI "sys_vendor");
	is = vendor && begins(vendor, "Microsoft");
	free(vendor);
	return is;
}

static void add_dmi(struct clues *clues)
{
	for (size_t i = 0; i < ARRAY_SIZE(dmi_attributes); i++) {
		char *value = host_read_line(DMI "%s", dmi_attributes[i]);
		char *source = xasprintf(DMI "%s", dmi_attributes[i]);
		const struct dmi *dmi = value ? find_dmi(dmi_attributes[i], value) : NULL;

		if (dmi)
			clues_add(clues, WITNESS_FIRMWARE, dmi->weight, whole_computer(clues, dmi->key), source, value);
		else
			clues_add(clues, WITNESS_FIRMWARE, WEIGHT_DIRECT,
				  value && is_hyperv(dmi_attributes[i], value) ? "hyperv" : NULL, source, value);
		free(value), free(source);
	}
}

#define OEM	   10 /* ACPI specification, system description table header: where the maker stands, */
#define OEM_LENGTH 6  /* filled up with blanks or zeros */

/* Readable for root alone. Who makes these tables is in the sources of the hypervisors. */
static void add_acpi(struct clues *clues)
{
	static const struct {
		const char *oem, *key;
		enum weight weight;
	} makers[] = {
		{"FIRECK", "firecracker", WEIGHT_CONCLUSIVE},
		{"CLOUDH", "cloud-hypervisor", WEIGHT_CONCLUSIVE},
		{"VRTUAL", "hyperv", WEIGHT_DIRECT},
		{"BOCHS", "qemu", WEIGHT_DIRECT},
		{"VBOX", "virtualbox", WEIGHT_DIRECT},
		{"BHYVE", "bhyve", WEIGHT_DIRECT},
		{"Xen", "xen", WEIGHT_DIRECT},
		{"PRLS", "parallels", WEIGHT_DIRECT},
	};
	static const char source[] = "/sys/firmware/acpi/tables/FACP";
	size_t length, end = OEM_LENGTH, row = 0;
	char *table = host_read_bytes(&length, source), oem[OEM_LENGTH + 1] = "";

	if (table && length >= OEM + OEM_LENGTH)
		memcpy(oem, table + OEM, OEM_LENGTH);
	free(table);
	while (end && (oem[end - 1] == ' ' || oem[end - 1] == '\0'))
		oem[--end] = '\0';
	if (!end)
		return;
	while (row < ARRAY_SIZE(makers) && strcmp(makers[row].oem, oem) != 0)
		row++;
	if (row < ARRAY_SIZE(makers))
		clues_add(clues, WITNESS_FIRMWARE, makers[row].weight, makers[row].key, source, oem);
	else
		clues_add(clues, WITNESS_FIRMWARE, WEIGHT_NONE, NULL, source, oem);
}

/* Where /proc/device-tree stands: not on x86. Strings end with a zero. */
static void add_device_tree(struct clues *clues)
{
	static const char source[] = "/proc/device-tree/hypervisor/compatible";
	char *compatible = host_read(source), **node;
	const char *key = NULL;

	if (compatible && strcmp(compatible, "linux,kvm") == 0)
		key = "kvm";
	else if (compatible && begins(compatible, "xen"))
		key = "xen";
	else if (compatible && begins(compatible, "vmware"))
		key = "vmware";
	clues_add(clues, WITNESS_FIRMWARE, WEIGHT_DIRECT, key ? key : "virtual", source, compatible);
	free(compatible);
	node = host_list("/proc/device-tree");
	for (size_t i = 0; node && node[i]; i++)
		if (begins(node[i], "fw-cfg@")) /* QEMU's way to hand things over */
			clues_add(clues, WITNESS_FIRMWARE, WEIGHT_DIRECT, "qemu", "/proc/device-tree", node[i]);
	strings_free(node);
}

static bool names_platform(const struct clues *clues)
{
	for (size_t i = 0; i < clues->count; i++)
		if (clues->clue[i].says)
			return true;
	return false;
}

/* Without CPUID, a computer that its maker has named and that knows of no hypervisor is taken for a real one. */
static void add_real(struct clues *clues)
{
	char *model = host_read_line(DMI "sys_vendor");
	const char *source = DMI "sys_vendor";

	if (!model) {
		source = "/proc/device-tree/model";
		model = host_read_line("%s", source);
	}
	if (!names_platform(clues))
		clues_add(clues, WITNESS_FIRMWARE, WEIGHT_HINT, "bare-metal", source, model);
	free(model);
}

void clues_of_firmware(struct clues *clues)
{
	add_dmi(clues);
	add_acpi(clues);
	add_device_tree(clues);
	add_real(clues);
}
