// SPDX-License-Identifier: GPL-2.0
#include "tree.h"

#include "command/doctor_place.h"

/* The only finding on a target at `path`; diagnosis_free() frees both. */
static const struct finding *judged(struct diagnosis *diagnosis, enum target_kind kind, const char *path,
				    const char *device)
{
	struct layer layer = {.name = (char *)device};
	struct target target = {
		.kind = kind, .path = (char *)path, .layer = device ? &layer : NULL, .layers = device ? 1 : 0};
	struct section *section = diagnosis_add_section(diagnosis, path);

	doctor_place(section, &target);
	assert_int_equal(section->findings, 1);
	return section->finding;
}

static void usable(void **state)
{
	struct diagnosis *diagnosis = diagnosis_new();
	const struct tree *tree = *state;
	const struct finding *finding;
	char *file = tree_path(tree, "/file");

	tree_write(tree, "/file", "x");
	assert_int_equal(truncate(file, 1 << 20), 0);
	finding = judged(diagnosis, TARGET_DIRECTORY, tree->root, NULL);
	assert_int_equal(finding->fitness, FITNESS_FINE);
	assert_string_equal(finding->value, "makes its test file here");
	finding = judged(diagnosis, TARGET_FILE, file, NULL);
	assert_int_equal(finding->fitness, FITNESS_FINE);
	assert_string_equal(finding->value, "reads it, with --read-only");
	finding = judged(diagnosis, TARGET_DEVICE, file, NULL);
	assert_int_equal(finding->fitness, FITNESS_FINE);
	assert_string_equal(finding->value, "reads it; writes only with --destroy-data");
	diagnosis_free(diagnosis);
	free(file);
}

static void used_device(void **state)
{
	struct diagnosis *diagnosis = diagnosis_new();
	const struct finding *finding;

	tree_disk(*state, "/sys/devices/virtual/block", "sdx", "8:240", "2048000\n");
	tree_write(*state, "/proc/self/mountinfo", "30 1 8:240 / /data rw - ext4 /dev/sdx rw\n");
	finding = judged(diagnosis, TARGET_DEVICE, "/dev/sdx", "sdx");
	assert_int_equal(finding->fitness, FITNESS_LIMITED);
	assert_string_equal(finding->value, "no: in use: mounted at /data");
	assert_non_null(strstr(finding->problem, "mounted at /data"));
	assert_non_null(strstr(finding->cure, "name a directory on it"));
	diagnosis_free(diagnosis);
}

static void not_usable(void **state)
{
	struct diagnosis *diagnosis = diagnosis_new();
	const struct finding *finding;

	(void)state;
	finding = judged(diagnosis, TARGET_FILE, "/nonexistent", NULL);
	assert_int_equal(finding->fitness, FITNESS_LIMITED);
	assert_string_equal(finding->value, "no: it cannot be read");
	finding = judged(diagnosis, TARGET_DIRECTORY, "/nonexistent", NULL);
	assert_int_equal(finding->fitness, FITNESS_LIMITED);
	assert_string_equal(finding->value, "no: nothing can be made here");
	diagnosis_free(diagnosis);
}

static void too_small(void **state)
{
	struct diagnosis *diagnosis = diagnosis_new();
	const struct finding *finding;
	char *file = tree_path(*state, "/file");

	tree_write(*state, "/file", "");
	assert_int_equal(truncate(file, (1 << 20) - 1), 0);
	finding = judged(diagnosis, TARGET_FILE, file, NULL);
	assert_int_equal(finding->fitness, FITNESS_LIMITED);
	assert_string_equal(finding->value, "no: it is too small");
	diagnosis_free(diagnosis);
	free(file);
}

/* Of sysfs, which has not one block. */
static void no_room(void **state)
{
	struct diagnosis *diagnosis = diagnosis_new();
	const struct finding *finding;

	(void)state;
	if (access("/sys", W_OK | X_OK)) {
		diagnosis_free(diagnosis);
		skip();
		return;
	}
	finding = judged(diagnosis, TARGET_DIRECTORY, "/sys", NULL);
	assert_int_equal(finding->fitness, FITNESS_LIMITED);
	assert_string_equal(finding->value, "no: there is no room for a test file");
	diagnosis_free(diagnosis);
}

int main(void)
{
	const struct CMUnitTest tests[] = {IN_TREE(usable), IN_TREE(used_device), IN_TREE(not_usable),
					   IN_TREE(too_small), IN_TREE(no_room)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
