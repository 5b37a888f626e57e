// SPDX-License-Identifier: GPL-2.0
#include "result/file.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <jansson.h>

#include "file_tests.h"
#include "made_up_result.h"

/* One run in which all is known. */
static struct result *full_result(void)
{
	static const double busy[] = {99.5, -1, 0.25};
	struct result *result = made_up_result(1);
	struct conditions *conditions = xcalloc(1, sizeof(*conditions));

	made_up_run(result, 0, 0, 1, 1)->conditions = conditions;
	*conditions = (struct conditions){
		.cpu_busy = xcalloc(3, sizeof(*conditions->cpu_busy)),
		.cpus = 3,
		.has_steal = true,
		.steal_percent = 1.5,
		.has_heartbeat = true,
		.pause = xcalloc(2, sizeof(*conditions->pause)),
		.pauses = 2,
		.has_drift = true,
		.drift = -41.25,
		.has_power = true,
		.on_battery = true,
		.has_throttling = true,
		.throttlings = 17,
		.has_temperature = true,
		.coldest = -3.5,
		.hottest = 61.25,
		.array = xcalloc(2, sizeof(*conditions->array)),
		.arrays = 2,
		.has_interrupts = true,
		.interrupts = 123456,
		.has_kicks = true,
		.kicks = 5000000001,
	};
	memcpy(conditions->cpu_busy, busy, sizeof(busy));
	conditions->pause[0] = (struct pause){.at = 5000000000, .length = 200000000};
	conditions->pause[1] = (struct pause){.at = 7000000000, .length = 51000000};
	conditions->array[0] = (struct array_state){xstrdup("md0"), xstrdup("raid1"), xstrdup("resync"), 1};
	conditions->array[1] = (struct array_state){.device = xstrdup("md1")};
	return result;
}

static void all_of_it_comes_back(void **state)
{
	(void)state;
	check_round_trip(full_result());
}

static void the_keys(void **state)
{
	json_t *json = write_and_read(full_result(), false), *conditions = find(json, "runs/0/conditions");

	(void)state;
	assert_int_equal(json_object_size(conditions), 10);
	assert_int_equal(json_array_size(find(conditions, "cpu_busy")), 3);
	check_fraction(conditions, "cpu_busy/0", 99.5);
	assert_true(json_is_null(find(conditions, "cpu_busy/1")));
	check_fraction(conditions, "cpu_busy/2", 0.25);
	check_fraction(conditions, "steal_percent", 1.5);
	assert_int_equal(json_array_size(find(conditions, "heartbeat/pauses")), 2);
	check_count(conditions, "heartbeat/pauses/0/at", 5000000000);
	check_count(conditions, "heartbeat/pauses/1/length", 51000000);
	check_fraction(conditions, "drift", -41.25);
	assert_true(json_is_true(find(conditions, "on_battery")));
	check_count(conditions, "throttlings", 17);
	check_fraction(conditions, "temperature/coldest", -3.5);
	check_fraction(conditions, "temperature/hottest", 61.25);
	check_text(conditions, "arrays/0/device", "md0");
	check_text(conditions, "arrays/0/level", "raid1");
	check_text(conditions, "arrays/0/action", "resync");
	check_count(conditions, "arrays/0/degraded", 1);
	check_absent(conditions, "arrays/1/level");
	check_count(conditions, "arrays/1/degraded", 0);
	check_count(conditions, "interrupts", 123456);
	check_count(conditions, "kicks", 5000000001);
	json_decref(json);
}

static void where_they_stand(void **state)
{
	struct result *result = full_result(), *read;
	const struct conditions *conditions;
	char *json = result_to_json(result, false);

	(void)state;
	read = read_back(json);
	conditions = read->run[0].conditions;
	assert_int_equal(conditions->cpus, 3);
	assert_true(conditions->cpu_busy[0] == 99.5 && conditions->cpu_busy[1] < 0 && conditions->cpu_busy[2] == 0.25);
	assert_true(conditions->has_steal && conditions->has_heartbeat && conditions->has_drift);
	assert_true(conditions->has_power && conditions->has_throttling && conditions->has_temperature);
	assert_true(conditions->has_interrupts && conditions->has_kicks);
	assert_int_equal(conditions->kicks, 5000000001);
	assert_true(conditions->drift == -41.25 && conditions->coldest == -3.5 && conditions->hottest == 61.25);
	assert_int_equal(conditions->pause[1].at, 7000000000);
	assert_int_equal(conditions->throttlings, 17);
	assert_string_equal(conditions->array[0].action, "resync");
	free(json);
	result_free(read);
	result_free(result);
}

/* 0 is something that is known. */
static void none_is_not_unknown(void **state)
{
	struct result *result = made_up_result(1);
	struct conditions *conditions = made_up_run(result, 0, 0, 1, 1)->conditions = xcalloc(1, sizeof(*conditions));
	char *text;
	json_t *json;

	(void)state;
	text = result_to_json(result, false);
	json = json_loads(text, 0, NULL);
	assert_true(json_is_object(find(json, "runs/0/conditions")));
	assert_int_equal(json_object_size(find(json, "runs/0/conditions")), 0);
	json_decref(json);
	free(text);
	conditions->has_steal = conditions->has_heartbeat = conditions->has_drift = conditions->has_power = true;
	conditions->has_throttling = conditions->has_temperature = conditions->has_interrupts = true;
	conditions->has_kicks = true;
	text = result_to_json(result, false);
	json = json_loads(text, 0, NULL);
	check_fraction(json, "runs/0/conditions/steal_percent", 0);
	assert_int_equal(json_array_size(find(json, "runs/0/conditions/heartbeat/pauses")), 0);
	check_fraction(json, "runs/0/conditions/drift", 0);
	assert_true(json_is_false(find(json, "runs/0/conditions/on_battery")));
	check_count(json, "runs/0/conditions/throttlings", 0);
	check_fraction(json, "runs/0/conditions/temperature/coldest", 0);
	check_count(json, "runs/0/conditions/interrupts", 0);
	check_count(json, "runs/0/conditions/kicks", 0);
	check_absent(json, "runs/0/conditions/cpu_busy");
	check_absent(json, "runs/0/conditions/arrays");
	json_decref(json);
	free(text);
	check_round_trip(result);
}

/* The first `from` in the conditions becomes `to`. */
static void check_wrong(const char *from, const char *to, const char *wrong)
{
	char *expected = xasprintf("runs[0].conditions%s", wrong);

	check_replaced_in(full_result(), "\"conditions\"", from, to, expected);
	free(expected);
}

static void wrong_values(void **state)
{
	(void)state;
	check_wrong("\"conditions\":{", "\"conditions\":[],\"x\":{", ": is an array, expected an object");
	check_wrong("[99.5", "[-1", ".cpu_busy[0]: is negative");
	check_wrong("[99.5", "[\"busy\"", ".cpu_busy[0]: is a string, expected a number");
	check_wrong("\"cpu_busy\":[", "\"cpu_busy\":{},\"x\":[", ".cpu_busy: is an object, expected an array");
	check_wrong("\"steal_percent\":", "\"steal_percent\":-", ".steal_percent: is negative");
	check_wrong("\"drift\":", "\"drift\":1e30,\"x\":", ".drift: is too large");
	check_wrong("\"drift\":-", "\"drift\":-1e30,\"x\":-", ".drift: is too large");
	check_wrong("\"drift\":", "\"drift\":true,\"x\":", ".drift: is true or false, expected a number");
	check_wrong("\"pauses\":", "\"rests\":", ".heartbeat.pauses: is missing");
	check_wrong("\"at\":", "\"at\":-", ".heartbeat.pauses[0].at: is negative");
	check_wrong("\"length\":", "\"width\":", ".heartbeat.pauses[0].length: is missing");
	check_wrong("\"on_battery\":true", "\"on_battery\":null", ".on_battery: is null, expected true or false");
	check_wrong("\"throttlings\":", "\"throttlings\":0.", ".throttlings: is not a whole number");
	check_wrong("\"hottest\":", "\"warmest\":", ".temperature.hottest: is missing");
	check_wrong("\"coldest\":", "\"coldest\":\"-\",\"x\":", ".temperature.coldest: is a string, expected a number");
	check_wrong("\"device\":\"md0\",", "", ".arrays[0].device: is missing");
	check_wrong("\"degraded\":", "\"degraded\":-", ".arrays[0].degraded: is negative");
	check_wrong("\"interrupts\":", "\"interrupts\":[],\"x\":", ".interrupts: is an array, expected a number");
	check_wrong("\"kicks\":", "\"kicks\":-", ".kicks: is negative");
}

/* Whatever is accepted can be written. */
static void mutated_values(void **state)
{
	json_t *whole = write_and_read(full_result(), false);
	int accepted = 0;

	(void)state;
	for (int i = 0; i < mutations(); i++) {
		struct result *result = NULL;
		json_t *json = json_deep_copy(whole);
		char *mutated, *error = NULL;

		mutate_value(find(json, "runs/0/conditions"));
		mutated = json_dumps(json, JSON_COMPACT);
		if (result_from_json(mutated, strlen(mutated), &result, &error)) {
			assert_true(error && *error && !strchr(error, '\n'));
			free(error);
		} else {
			accepted++;
			check_round_trip(result);
		}
		free(mutated);
		json_decref(json);
	}
	assert_in_range(accepted, mutations() / 20, mutations() - 1);
	json_decref(whole);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_of_it_comes_back), cmocka_unit_test(the_keys),
		cmocka_unit_test(where_they_stand),	cmocka_unit_test(none_is_not_unknown),
		cmocka_unit_test(wrong_values),		cmocka_unit_test(mutated_values),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
