// SPDX-License-Identifier: GPL-2.0
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "limited.h"

static int make_saturated(void **state)
{
	(void)state;
	limited_make(SATURATED);
	return 0;
}

static int make_one(void **state)
{
	(void)state;
	limited_make(ONE);
	return 0;
}

static struct latency *own_lat(void)
{
	return &run->engine->direction[OP_READ].latency[LATENCY_LAT];
}

/* --- Little's law --- */

static void test_little_holds(void **state)
{
	(void)state;
	check_little(&checking);
	assert_check("little", CHECK_PASSED, false,
		     "I/Os per second times their latency give the depth (Little's law).");
	assert_string_equal(limited_check("little")->found, "511.8 in flight");
}

static void test_little_is_broken(void **state)
{
	(void)state;
	own_lat()->mean *= 1.06;
	check_little(&checking);
	assert_check("little", CHECK_WARNING, false,
		     "I/Os per second times their latency give 542.5 in flight, and there can't be more than 512: the "
		     "engine's clock or its counts are wrong. Do not rely on this run's figures; try another clock "
		     "source.");
}

/* What was in flight at the end of a short run counts whole. */
static void test_little_of_slow_ios(void **state)
{
	(void)state;
	own_lat()->mean *= 1.06;
	run->engine->direction[OP_READ].runtime = 100000000;
	check_little(&checking);
	assert_int_equal(limited_check("little")->state, CHECK_PASSED);
}

static void test_engine_is_busy_itself(void **state)
{
	(void)state;
	own_lat()->mean *= 0.75;
	check_little(&checking);
	assert_check("little", CHECK_PASSED, true,
		     "The engine kept 383.9 of 512 I/Os in flight: for the rest of the time it was busy itself.");
}

static void test_little_of_one(void **state)
{
	(void)state;
	own_lat()->mean *= 0.5;
	check_little(&checking);
	assert_int_equal(limited_check("little")->state, CHECK_PASSED);
	assert_false(limited_check("little")->finding);
}

static void test_little_of_a_synchronous_engine(void **state)
{
	(void)state;
	free(limited->options.ioengine);
	limited->options.ioengine = xstrdup("psync");
	own_lat()->mean /= 32;
	check_little(&checking);
	assert_int_equal(limited_check("little")->state, CHECK_PASSED);
	assert_false(limited_check("little")->finding);
	assert_string_equal(limited_check("little")->expected, "16 or less");
}

static void test_little_of_a_mix(void **state)
{
	struct direction *direction = run->engine->direction;

	(void)state;
	limited->test[SATURATED].access = ACCESS_MIX;
	direction[OP_READ].ios_per_second = 100000;
	direction[OP_READ].latency[LATENCY_LAT].mean = 2000000;
	direction[OP_WRITE].ios_per_second = 100000;
	direction[OP_WRITE].latency[LATENCY_LAT].mean = 3000000;
	check_little(&checking);
	assert_string_equal(limited_check("little")->found, "500.0 in flight");
	assert_false(limited_check("little")->finding);
}

static void test_little_is_unknown(void **state)
{
	(void)state;
	own_lat()->mean = 0;
	check_little(&checking);
	assert_int_equal(limited_check("little")->state, CHECK_UNKNOWN);
}

/* --- trends and cliffs --- */

/* A cliff needs 6 values, a trend 8. */
static void test_steady_as_far_as_it_was_looked_at(void **state)
{
	static const double noisy[] = {3000, 3300, 2700, 3100, 2900, 3000, 3200};

	(void)state;
	limited_seconds(noisy, ARRAY_SIZE(noisy), 4096);
	check_trend(&checking);
	assert_check("steady", CHECK_PASSED, false, "Throughput had no cliff; the run is too short to tell a trend.");
}

static void test_steady(void **state)
{
	static const double noisy[] = {3000, 3300, 2700, 3100, 2900, 3000, 3200, 2800};

	(void)state;
	limited_seconds(noisy, ARRAY_SIZE(noisy), 4096);
	check_trend(&checking);
	assert_check("steady", CHECK_PASSED, false, "Throughput had no trend and no cliff.");
	assert_string_equal(limited_check("steady")->found, "+-6.7 %");
}

static void test_cliff(void **state)
{
	static const double fallen[] = {5000, 5100, 4900, 5000, 3000, 2700, 3300, 3000};

	(void)state;
	limited_seconds(fallen, ARRAY_SIZE(fallen), 4096);
	check_trend(&checking);
	assert_check(
		"steady", CHECK_WARNING, false,
		"From second 5 on throughput was 40 % lower: the figures are a mean of two states. Measure for longer, "
		"and look for what began then.");
	assert_string_equal(limited_check("steady")->found, "20.48 MB/s, then 12.29 MB/s");
}

static void test_trend(void **state)
{
	static const double rising[] = {2600, 2700, 2750, 2850, 2900, 3000, 3100, 3150, 3250};

	(void)state;
	limited_seconds(rising, ARRAY_SIZE(rising), 4096);
	check_trend(&checking);
	assert_check("steady", CHECK_WARNING, false,
		     "Throughput rose by 22 % over the run: it was not steady yet. Measure for longer, or warm up for "
		     "longer.");
}

static void test_too_short_to_tell(void **state)
{
	static const double fallen[] = {5000, 5000, 1000, 1000, 1000};

	(void)state;
	limited_seconds(fallen, ARRAY_SIZE(fallen), 4096);
	check_trend(&checking);
	assert_check("steady", CHECK_NOT_APPLICABLE, false, "The run is too short to tell a change from noise.");
}

static void test_rates_are_unknown(void **state)
{
	(void)state;
	run->sample[0].has_disk = false;
	check_trend(&checking);
	assert_int_equal(limited_check("steady")->state, CHECK_UNKNOWN);
}

static void test_program_has_phases(void **state)
{
	(void)state;
	checking.test = NULL;
	check_trend(&checking);
	check_little(&checking);
	check_iterations(&checking);
	assert_int_equal(run->checks, 0);
}

/* --- iterations --- */

/* Three runs, the last of which is looked at. */
static void make_iterations(double second, double third)
{
	limited->options.iterations = 3;
	made_up_run(limited, 0, SATURATED, 2, second);
	made_up_run(limited, 0, SATURATED + 1, 3, 9);
	run = checking.run = made_up_run(limited, 0, SATURATED, 3, third);
	made_up_run(limited, 0, SATURATED, 2, 9)->target = 7;
	run = checking.run = &limited->run[3];
}

static void test_iterations_agree(void **state)
{
	(void)state;
	make_iterations(1.02, 0.98);
	check_iterations(&checking);
	assert_check("iterations", CHECK_PASSED, false, "The 3 iterations gave 304,192 to 316,608 IOPS, 4.0 % apart.");
}

static void test_iterations_differ(void **state)
{
	(void)state;
	make_iterations(1.06, 0.94);
	check_iterations(&checking);
	assert_check(
		"iterations", CHECK_WARNING, false,
		"The 3 iterations gave 291,776 to 329,024 IOPS, 12.0 % apart. Look for what else used the disk or the "
		"CPUs, and measure for longer.");
	assert_string_equal(limited_check("iterations")->found, "291,776 to 329,024 IOPS, 12.0 %");
}

static void test_iterations_are_not_over(void **state)
{
	(void)state;
	check_iterations(&checking);
	assert_int_equal(run->checks, 0); /* one run, as asked */
	make_iterations(1.06, 0.5);
	run = checking.run = &limited->run[1];
	check_iterations(&checking);
	assert_int_equal(limited_check("iterations")->state, CHECK_NOT_APPLICABLE);
}

static void test_one_iteration_is_left(void **state)
{
	(void)state;
	make_iterations(1.06, 0.5);
	made_up_not_done(&limited->run[0], RUN_FAILED, "broken");
	made_up_not_done(&limited->run[1], RUN_FAILED, "broken");
	check_iterations(&checking);
	assert_int_equal(limited_check("iterations")->state, CHECK_NOT_APPLICABLE);
}

/* --- arrays --- */

static void add_array(const char *device, const char *action, uint64_t degraded)
{
	struct conditions *conditions = run->conditions;

	conditions->array = xreallocarray(conditions->array, conditions->arrays + 1, sizeof(*conditions->array));
	conditions->array[conditions->arrays++] =
		(struct array_state){xstrdup(device), xstrdup("raid1"), action ? xstrdup(action) : NULL, degraded};
}

static void test_array_is_well(void **state)
{
	(void)state;
	check_array(&checking);
	assert_int_equal(run->checks, 0);
	add_array("md0", "idle", 0);
	add_array("md1", "frozen", 0);
	add_array("md2", NULL, 0); /* striped: it has nothing to sync */
	check_array(&checking);
	assert_int_equal(limited_check("array")->state, CHECK_PASSED);
}

static void test_array_is_busy(void **state)
{
	(void)state;
	add_array("md0", "idle", 0);
	add_array("md1", "recover", 1);
	check_array(&checking);
	assert_check("array", CHECK_WARNING, false,
		     "md1 (raid1) lacks 1 of its members. md1 (raid1) was busy with itself (recover). It is slower "
		     "then: repeat the run when /proc/mdstat shows it whole and idle.");
}

/* --- clock --- */

static void add_pause(uint64_t at, uint64_t length)
{
	struct conditions *conditions = run->conditions;

	conditions->has_heartbeat = true;
	conditions->pause = xreallocarray(conditions->pause, conditions->pauses + 1, sizeof(*conditions->pause));
	conditions->pause[conditions->pauses++] = (struct pause){at, length};
}

static void test_clock_is_unknown(void **state)
{
	(void)state;
	check_clock(&checking);
	assert_int_equal(limited_check("clock")->state, CHECK_UNKNOWN);
}

static void test_clock_is_right(void **state)
{
	(void)state;
	run->conditions->has_heartbeat = run->conditions->has_drift = true;
	run->conditions->drift = -999;
	check_clock(&checking);
	assert_int_equal(limited_check("clock")->state, CHECK_PASSED);
	assert_false(limited_check("clock")->finding);
	assert_string_equal(limited_check("clock")->found, "0 pauses, 0 ns; drift -999.0 ppm; steal not known");
}

static void test_short_pauses_are_told(void **state)
{
	(void)state;
	add_pause(12300000000, 40000000);
	check_clock(&checking);
	assert_check("clock", CHECK_PASSED, true,
		     "The whole machine stood still for 40.00 ms, 12.3 s after the start.");
}

static void test_long_pauses_are_a_warning(void **state)
{
	(void)state;
	add_pause(1000000000, 100000000);
	add_pause(12300000000, 250000000);
	check_clock(&checking);
	assert_check(
		"clock", CHECK_WARNING, false,
		"The whole machine stood still 2 times, for 350.0 ms together; the longest time was 250.0 ms, 12.3 s "
		"after the start.");
}

/* One of its slowest I/Os begins at 2.1 s, as made_up_ios() has it; the next one 90 ms later. */
static void test_slow_ios_in_a_pause_are_counted(void **state)
{
	size_t slowest = run->trace->slowest_count;

	(void)state;
	assert_true(slowest > 2);
	for (size_t i = 0; i < slowest; i++)
		run->trace->slowest[i].boundary[BOUNDARY_RETURN] = run->trace->slowest[i].boundary[BOUNDARY_CALL] + 70000000;
	add_pause(run->trace->slowest[0].boundary[BOUNDARY_CALL] + 5000000, 60000000);
	check_clock(&checking);
	assert_check("clock", CHECK_PASSED, true,
		     "The whole machine stood still for 60.00 ms, 2.1 s after the start. 1 of the 8 slowest I/Os was "
		     "on its way then: that time is not the disk's.");
	add_pause(run->trace->slowest[1].boundary[BOUNDARY_CALL] + 5000000, 60000000);
	check_clock(&checking);
	assert_string_equal(run->check[run->checks - 1].sentence,
			    "The whole machine stood still 2 times, for 120.0 ms together; the longest time was 60.00 "
			    "ms, 2.1 s after the start. 2 of the 8 slowest I/Os were on their way then: that time is "
			    "not the disk's.");
}

/* Of a short time or of few ticks it says nothing. */
static void test_steal_of_a_tick_is_none(void **state)
{
	static const struct {
		uint64_t elapsed;
		double percent;
		enum check_state state;
	} of[] = {
		{76000000, 12, CHECK_PASSED},  {999000000, 50, CHECK_PASSED},	{1000000000, 5.1, CHECK_WARNING},
		{1000000000, 5, CHECK_PASSED}, {30000000000, 6, CHECK_WARNING},
	};

	(void)state;
	run->conditions->has_steal = true;
	for (size_t i = 0; i < ARRAY_SIZE(of); i++) {
		run->elapsed = of[i].elapsed;
		run->conditions->steal_percent = of[i].percent;
		check_clock(&checking);
		assert_int_equal(run->check[run->checks - 1].state, of[i].state);
	}
	/* one CPU: 60 ms */
	run->conditions->cpus = 1;
	run->elapsed = 1000000000;
	check_clock(&checking);
	assert_int_equal(run->check[run->checks - 1].state, CHECK_PASSED);
}

static void test_drift_and_steal(void **state)
{
	(void)state;
	run->conditions->has_drift = run->conditions->has_steal = true;
	run->conditions->drift = -1500;
	run->conditions->steal_percent = 12;
	check_clock(&checking);
	assert_check(
		"clock", CHECK_WARNING, false,
		"The clock ran 1500 ppm too slow against the hardware's: times and rates are off by as much. Look at "
		"the clock source and at what sets the time. The hypervisor gave 12.0 % of the CPUs' time to others. "
		"Repeat the run when the host is less busy.");
	assert_string_equal(limited_check("clock")->found, "drift -1500.0 ppm; steal 12.0 %");
}

/* --- power --- */

static void test_power_is_unknown(void **state)
{
	(void)state;
	check_power(&checking);
	assert_int_equal(limited_check("power")->state, CHECK_UNKNOWN);
}

static void test_power_is_well(void **state)
{
	struct conditions *conditions = run->conditions;

	(void)state;
	conditions->has_power = conditions->has_throttling = conditions->has_temperature = true;
	conditions->coldest = 38;
	conditions->hottest = 61;
	check_power(&checking);
	assert_int_equal(limited_check("power")->state, CHECK_PASSED);
	assert_string_equal(limited_check("power")->found, "on mains; 0 slowed down by heat; disk 38 to 61 degrees C");
}

static void test_battery(void **state)
{
	(void)state;
	run->conditions->has_power = run->conditions->on_battery = true;
	check_power(&checking);
	assert_check("power", CHECK_WARNING, false,
		     "The machine ran on its battery, which makes many slower: plug it in, and repeat the run.");
}

static void test_heat(void **state)
{
	(void)state;
	run->conditions->has_throttling = true;
	run->conditions->throttlings = 1234;
	check_power(&checking);
	assert_check("power", CHECK_WARNING, false,
		     "CPUs were slowed down by their heat 1,234 times. Let the machine cool down, and repeat the run.");
}

#define WITH(make, test) cmocka_unit_test_setup_teardown(test, make, limited_free)

int main(void)
{
	const struct CMUnitTest tests[] = {
		WITH(make_saturated, test_little_holds),
		WITH(make_saturated, test_little_is_broken),
		WITH(make_saturated, test_little_of_slow_ios),
		WITH(make_saturated, test_engine_is_busy_itself),
		WITH(make_one, test_little_of_one),
		WITH(make_saturated, test_little_of_a_synchronous_engine),
		WITH(make_saturated, test_little_of_a_mix),
		WITH(make_saturated, test_little_is_unknown),
		WITH(make_saturated, test_steady),
		WITH(make_saturated, test_steady_as_far_as_it_was_looked_at),
		WITH(make_saturated, test_cliff),
		WITH(make_saturated, test_trend),
		WITH(make_saturated, test_too_short_to_tell),
		WITH(make_saturated, test_rates_are_unknown),
		WITH(make_saturated, test_program_has_phases),
		WITH(make_saturated, test_iterations_agree),
		WITH(make_saturated, test_iterations_differ),
		WITH(make_saturated, test_iterations_are_not_over),
		WITH(make_saturated, test_one_iteration_is_left),
		WITH(make_saturated, test_array_is_well),
		WITH(make_saturated, test_array_is_busy),
		WITH(make_one, test_clock_is_unknown),
		WITH(make_one, test_clock_is_right),
		WITH(make_one, test_short_pauses_are_told),
		WITH(make_one, test_long_pauses_are_a_warning),
		WITH(make_one, test_slow_ios_in_a_pause_are_counted),
		WITH(make_one, test_drift_and_steal),
		WITH(make_one, test_steal_of_a_tick_is_none),
		WITH(make_one, test_power_is_unknown),
		WITH(make_one, test_power_is_well),
		WITH(make_one, test_battery),
		WITH(make_one, test_heat),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
