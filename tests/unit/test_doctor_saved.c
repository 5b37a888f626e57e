// SPDX-License-Identifier: GPL-2.0
#include "doctored.h"

#include "command/doctor_saved.h"

static struct result *saved(void)
{
	struct result *result = result_new();

	result->version = xstrdup("0.1-5-gabc");
	result->machine.host = xstrdup("box");
	result->machine.kernel = xstrdup("6.6.87.2-microsoft-standard-WSL2");
	result->machine.cpus = 8;
	result->machine.memory = 16ull << 30;
	result->machine.wsl = xstrdup("2");
	result->target = xcalloc(1, sizeof(*result->target));
	result->targets = 1;
	result->target[0].given = xstrdup("/mnt/c");
	result->target[0].filesystem = xstrdup("9p");
	target_warn(&result->target[0], "this is %s", "no disk");
	target_warn(&result->target[0], "nor %s", "is that");
	return result;
}

static void assert_value(const struct diagnosis *diagnosis, const char *title, const char *name, const char *value)
{
	assert_string_equal(found(diagnosis, title, name)->value, value);
}

static void its_machine(void **state)
{
	struct result *result = saved();
	struct diagnosis *diagnosis = doctor_saved(result);

	(void)state;
	result_free(result);
	assert_string_equal(diagnosis->machine.host, "box");
	assert_int_equal(diagnosis->targets, 1);
	assert_null(diagnosis_verdict_name(diagnosis));
	assert_value(diagnosis, "machine", "platform", "WSL 2");
	assert_value(diagnosis, "machine", "kernel", "6.6.87.2-microsoft-standard-WSL2");
	assert_value(diagnosis, "machine", "CPUs", "8");
	assert_value(diagnosis, "machine", "memory", "16 GiB");
	assert_value(diagnosis, "machine", "CPU", "unknown");
	assert_value(diagnosis, "machine", "clock source", "unknown");
	assert_value(diagnosis, "/mnt/c", "stands on", "9p without a block device");
	assert_value(diagnosis, "/mnt/c", "warning", "this is no disk");
	assert_value(diagnosis, "/mnt/c", "warning 2", "nor is that");
	diagnosis_free(diagnosis);
}

static void platforms(void **state)
{
	struct result *result = saved();
	struct diagnosis *diagnosis;

	(void)state;
	result->machine.platform = (struct platform){
		.key = xstrdup("ec2"),
		.name = xstrdup("Amazon EC2"),
		.certainty = xstrdup("certain"),
		.container = xstrdup("docker"),
	};
	diagnosis = doctor_saved(result);
	result_free(result);
	assert_value(diagnosis, "machine", "platform", "Amazon EC2, in a container: docker, certain");
	diagnosis_free(diagnosis);
}

static void names(void **state)
{
	const struct tree *tree = *state;
	char *json = tree_path(tree, "/result.json"), *other = tree_path(tree, "/result.csv");
	char *folder = tree_path(tree, "/folder.json");

	tree_write(tree, "/result.json", "{}");
	tree_write(tree, "/result.csv", "");
	tree_directory(tree, "/folder.json");
	assert_true(is_saved(json));
	assert_false(is_saved(other));
	assert_false(is_saved(folder));
	assert_false(is_saved(".json"));
	assert_false(is_saved("/nonexistent/result.json"));
	free(json), free(other), free(folder);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(its_machine), cmocka_unit_test(platforms), IN_TREE(names)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
