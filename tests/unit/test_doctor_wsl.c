// SPDX-License-Identifier: GPL-2.0
#include "tree.h"

#include "command/doctor_wsl.h"
#include "host/machine.h"
#include "report/screen.h"

/* What is said of a recorded machine, as the report prints it: a line each, paragraphs apart. */
static char *advice(const struct tree *tree, const char *name, const char *container)
{
	struct diagnosis *diagnosis = diagnosis_new();
	struct text out = {0};
	const struct screen screen = {.out = &out};

	tree_load(tree, name);
	machine_describe(&diagnosis->machine);
	if (container && !diagnosis->machine.platform.container)
		diagnosis->machine.platform.container = xstrdup(container);
	doctor_advise_wsl(diagnosis);
	for (size_t i = 0; i < diagnosis->advices; i++) {
		screen_empty_line(&screen);
		screen_lines(&screen, STYLE_PLAIN, diagnosis->advice[i]);
	}
	diagnosis_free(diagnosis);
	return text_take(&out);
}

/* That all of them are in `said`, one after the other, each on a line of its own. */
static void assert_lines(const char *said, const char *const *line, size_t lines)
{
	const char *at = said;

	for (size_t i = 0; i < lines; i++) {
		char *whole = xasprintf("\n%s\n", line[i]);

		at = strstr(at, whole);
		if (!at)
			fail_msg("missing, or too early: %s in:\n%s", line[i], said);
		at += strlen(whole) - 1;
		free(whole);
	}
}

static void assert_fits(const char *said)
{
	for (const char *line = said; *line; line += strcspn(line, "\n") + 1)
		assert_true(strcspn(line, "\n") <= 80);
}

#define GIVE                                                                                                           \
	"    GET-CimInstance -query \"SELECT * from Win32_DiskDrive\"", "    Set-Disk -Number N -IsOffline $true",     \
		"    wsl --mount \\\\.\\PHYSICALDRIVEN --bare"
#define GIVE_BACK "    wsl --unmount \\\\.\\PHYSICALDRIVEN", "    Set-Disk -Number N -IsOffline $false"

static void with_virtual_disks_alone(void **state)
{
	static const char *const lines[] = {
		"WSL 2: sda, sdb and sdc are disks in files of Windows (VHDX). What is measured",
		GIVE,
		"    lsblk -d -o NAME,MODEL,SERIAL,SIZE",
		"    sudo tools/prepare-disk SERIAL",
		"    sudo iostrata bench /mnt/iostrata-SERIAL",
		"    sudo tools/prepare-disk --release SERIAL",
		GIVE_BACK,
	};
	char *said = advice(*state, "wsl2-5.15-vhdx", NULL);

	assert_lines(said, lines, ARRAY_SIZE(lines));
	assert_fits(said);
	assert_non_null(strstr(said, "\nThen Linux has one disk more than sda, sdb and sdc."));
	assert_non_null(strstr(said, "\n/mnt/c is no disk: each request goes to a server in Windows, over 9p,"));
	assert_null(strstr(said, "/usr/lib/wsl"));
	free(said);
}

static void with_a_disk_that_is_given(void **state)
{
	static const char *const lines[] = {
		"WSL 2: sda, sdb and sdc are disks in files of Windows (VHDX). What is measured",
		"    sudo tools/prepare-disk sdd",
		"    sudo iostrata bench /mnt/iostrata-sdd",
		"    sudo tools/prepare-disk --release sdd",
		GIVE_BACK,
	};
	char *said = advice(*state, "wsl2-6.6-passthrough", NULL);

	assert_lines(said, lines, ARRAY_SIZE(lines));
	assert_fits(said);
	assert_non_null(strstr(said, "\nsdd (NVMe SAMSUNG MZ1L21T9, 1.75 TiB) is a whole disk"));
	assert_non_null(strstr(said, "(mounted at /mnt/wsl/PHYSICALDRIVE1p1 (sdd1)),"));
	assert_null(strstr(said, "--mount"));
	free(said);
}

#define SDD                                                                                                            \
	"/sys/devices/LNXSYSTM:00/LNXSYBUS:00/ACPI0004:00/MSFT1000:00/fd1d2cbd-ce7c-535c-966b-eb5f811c95f0/"           \
	"host0/target0:0:0/0:0:0:3"

/* It goes by its serial number where it shows one, in SCSI's page of it. */
static void a_disk_with_a_serial_number(void **state)
{
	static const char *const lines[] = {
		"    sudo tools/prepare-disk S6PTNM0T",
		"    sudo iostrata bench /mnt/iostrata-S6PTNM0T",
		"    sudo tools/prepare-disk --release S6PTNM0T",
	};
	char *said;

	tree_write_bytes(*state, SDD "/vpd_pg80", "\0\x80\0\x08S6PTNM0T", 12);
	said = advice(*state, "wsl2-6.6-passthrough", NULL);
	assert_lines(said, lines, ARRAY_SIZE(lines));
	free(said);
}

static void a_serial_number_that_a_shell_would_run(void **state)
{
	static const char *const lines[] = {
		"    sudo tools/prepare-disk sdd",
		"    sudo iostrata bench /mnt/iostrata-1__reboot",
		"    sudo tools/prepare-disk --release sdd",
	};
	char *said;

	tree_write_bytes(*state, SDD "/vpd_pg80",
			 "\0\x80\0\x09"
			 "1; reboot",
			 13);
	said = advice(*state, "wsl2-6.6-passthrough", NULL);
	assert_lines(said, lines, ARRAY_SIZE(lines));
	free(said);
}

static void with_drives_over_virtiofs(void **state)
{
	char *said = advice(*state, "wsl2-6.18-virtiofs", NULL);

	assert_fits(said);
	assert_non_null(strstr(said,
			       "\n/mnt/c and /mnt/d are no disks: each request goes to a server in Windows, over\n"
			       "virtiofs,"));
	assert_null(strstr(said, "over 9p"));
	free(said);
}

static void in_wsl_1(void **state)
{
	static const char *const lines[] = {"    wsl --list --verbose", "    wsl --set-version NAME 2"};
	char *said = advice(*state, "wsl1", NULL);

	assert_lines(said, lines, ARRAY_SIZE(lines));
	assert_fits(said);
	assert_non_null(strstr(said, "nothing to trace"));
	assert_null(strstr(said, "Set-Disk"));
	free(said);
}

static void in_a_container_of_wsl_2(void **state)
{
	char *said = advice(*state, "docker-on-wsl2", "docker");

	assert_non_null(strstr(said, "run doctor in a distribution"));
	assert_null(strstr(said, "    "));
	free(said);
}

static void elsewhere_nothing(void **state)
{
	static const char *const machines[] = {"azure",	      "bare-metal", "container", "ec2",
					       "firecracker", "hyperv-vm",  "kvm"};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(machines); i++) {
		struct tree tree;
		char *said;

		tree_make(&tree);
		said = advice(&tree, machines[i], NULL);
		assert_string_equal(said, "");
		free(said);
		tree_remove(&tree);
	}
}

/* What the platform is counts for more than what the kernel calls itself. */
static void the_platform_decides(void **state)
{
	struct diagnosis *diagnosis = diagnosis_new();

	(void)state;
	diagnosis->machine.wsl = xstrdup("2");
	diagnosis->machine.platform.key = xstrdup("hyperv");
	doctor_advise_wsl(diagnosis);
	assert_int_equal(diagnosis->advices, 0);
	free(diagnosis->machine.platform.key);
	diagnosis->machine.platform.key = xstrdup("wsl1");
	doctor_advise_wsl(diagnosis);
	assert_int_equal(diagnosis->advices, 1);
	assert_non_null(strstr(diagnosis->advice[0], "WSL 1"));
	diagnosis_free(diagnosis);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		IN_TREE(with_virtual_disks_alone),	IN_TREE(with_a_disk_that_is_given),
		IN_TREE(a_disk_with_a_serial_number),	IN_TREE(a_serial_number_that_a_shell_would_run),
		IN_TREE(with_drives_over_virtiofs),	IN_TREE(in_wsl_1),
		IN_TREE(in_a_container_of_wsl_2),	cmocka_unit_test(elsewhere_nothing),
		cmocka_unit_test(the_platform_decides),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
