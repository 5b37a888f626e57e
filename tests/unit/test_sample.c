// SPDX-License-Identifier: GPL-2.0
#include "tree.h"

#include <time.h>

#include "host/sample.h"

static int make_disk(void **state)
{
	tree_setup(state);
	tree_disk(*state, "/sys/devices/pci0000:00/ata1/block", "sda", "8:0", "8\n");
	tree_partition(*state, "/sys/devices/pci0000:00/ata1/block", "sda", "sda1", "8:1", "1\n", "4\n");
	return 0;
}

static void wait_ms(long ms)
{
	nanosleep(&(struct timespec){.tv_nsec = ms * 1000000}, NULL);
}

/* Of two readings, with /proc/stat as given. */
static double cpu_between(const struct tree *tree, const char *before, const char *after)
{
	struct sampler *sampler;
	struct sample sample;

	tree_write(tree, "/proc/stat", before);
	sampler = sampler_start(NULL);
	tree_write(tree, "/proc/stat", after);
	sampler_take(sampler, &sample);
	sampler_stop(sampler);
	return sample.cpu_percent;
}

/*                                                user nice system idle iowait irq softirq steal guest guest_nice */
static void cpu_is_all_but_idle_and_iowait(void **state)
{
	/* 10 + 5 + 20 + 3 + 2 + 10 of 100; the guest's 8 are within the 10 of user */
	assert_float_equal(cpu_between(*state, "cpu  1000 100 500 9000 300 50 60 70 400 0\ncpu0 1 1 1 1 1 1 1 1 1 1\n",
				       "cpu  1010 105 520 9030 320 53 62 80 408 0\ncpu0 9 9 9 9 9 9 9 9 9 9\n"),
			   50, 1e-9);
	assert_float_equal(cpu_between(*state, "cpu  0 0 0 0 0 0 0 0 0 0\n", "cpu  0 0 0 700 300 0 0 0 0 0\n"), 0,
			   1e-9);
	assert_float_equal(cpu_between(*state, "cpu  0 0 0 0 0 0 0 0 0 0\n", "cpu  200 0 0 0 0 0 0 0 0 0\n"), 100,
			   1e-9);
}

static void iowait_that_goes_back_adds_nothing(void **state)
{
	assert_float_equal(cpu_between(*state, "cpu  0 0 0 1000 500 0 0 0 0 0\n", "cpu  25 0 0 1075 480 0 0 0 0 0\n"),
			   25, 1e-9);
}

static void without_time_nothing_was_used(void **state)
{
	assert_float_equal(cpu_between(*state, "cpu  7 0 0 9 0 0 0 0 0 0\n", "cpu  7 0 0 9 0 0 0 0 0 0\n"), 0, 1e-9);
}

static void memory_is_what_is_not_available(void **state)
{
	const struct tree *tree = *state;
	struct sampler *sampler;
	struct sample sample;

	tree_write(tree, "/proc/meminfo",
		   "MemTotal:        8000000 kB\nMemFree:          100000 kB\nMemAvailable:    6000000 kB\n");
	sampler = sampler_start(NULL);
	sampler_take(sampler, &sample);
	sampler_stop(sampler);
	assert_float_equal(sample.mem_percent, 25, 1e-9);
	assert_false(sample.has_disk);
}

/*                        reads          writes         in flight, busy, weighted  discards     flushes */
#define STAT_BEFORE "100 0 1000 50   200 0 2000 60   1 5000 9000               10 0 80 5    7 3\n"

static struct sample disk_between(const struct tree *tree, const char *after, long ms)
{
	struct sampler *sampler;
	struct sample sample;

	tree_attribute(tree, "sda1", "stat", STAT_BEFORE);
	sampler = sampler_start("sda1");
	tree_attribute(tree, "sda1", "stat", after);
	wait_ms(ms);
	sampler_take(sampler, &sample);
	sampler_stop(sampler);
	return sample;
}

static void disk_counts_reads_writes_and_discards(void **state)
{
	struct sample sample =
		disk_between(*state, "103 0 1024 51   205 0 2008 66   0 5100 9100   11 0 96 6   907 3\n", 200);

	assert_true(sample.has_disk);
	assert_int_equal(sample.disk_ios, 3 + 5 + 1);
	assert_int_equal(sample.disk_bytes, (24 + 8 + 16) * 512);
	assert_true(sample.at >= 200000000);
	assert_float_equal(sample.disk_percent, 100.0 * 100e6 / (double)sample.at, 1e-9);
}

static void disk_is_never_busier_than_always(void **state)
{
	struct sample sample =
		disk_between(*state, "100 0 1000 50   200 0 2000 60   0 9000 9000   10 0 80 5   7 3\n", 1);

	assert_float_equal(sample.disk_percent, 100, 1e-9);
	sample = disk_between(*state, STAT_BEFORE, 1);
	assert_float_equal(sample.disk_percent, 0, 1e-9);
}

static void each_sample_begins_where_the_last_ended(void **state)
{
	const struct tree *tree = *state;
	struct sampler *sampler;
	struct sample first, second;

	tree_write(tree, "/proc/stat", "cpu  0 0 0 0 0 0 0 0 0 0\n");
	tree_attribute(tree, "sda", "stat", "0 0 0 0 0 0 0 0 0 0 0\n");
	sampler = sampler_start("sda");
	tree_write(tree, "/proc/stat", "cpu  100 0 0 0 0 0 0 0 0 0\n");
	tree_attribute(tree, "sda", "stat", "10 0 80 0 0 0 0 0 0 0 0\n");
	sampler_take(sampler, &first);
	tree_write(tree, "/proc/stat", "cpu  100 0 0 100 0 0 0 0 0 0\n");
	tree_attribute(tree, "sda", "stat", "15 0 96 0 0 0 0 0 0 0 0\n");
	wait_ms(2);
	sampler_take(sampler, &second);
	sampler_stop(sampler);
	assert_float_equal(first.cpu_percent, 100, 1e-9);
	assert_float_equal(second.cpu_percent, 0, 1e-9);
	assert_int_equal(first.disk_ios, 10);
	assert_int_equal(second.disk_ios, 5);
	assert_int_equal(second.disk_bytes, 16 * 512);
	assert_true(second.at >= first.at + 2000000);
}

static void disk_that_disappears_is_not_sampled(void **state)
{
	struct sampler *sampler = sampler_start("no-such-disk");
	struct sample sample;

	(void)state;
	sampler_take(sampler, &sample);
	sampler_stop(sampler);
	assert_false(sample.has_disk);
	assert_int_equal(sample.disk_ios, 0);
	sampler_stop(NULL);
}

static void this_machine(void **state)
{
	struct sampler *sampler = sampler_start(NULL);
	struct sample sample;

	(void)state;
	wait_ms(100);
	sampler_take(sampler, &sample);
	sampler_stop(sampler);
	assert_true(sample.cpu_percent >= 0 && sample.cpu_percent <= 100);
	assert_true(sample.mem_percent > 0 && sample.mem_percent < 100);
	assert_in_range(sample.at, 100000000, 60000000000);
}

#define WITH_DISK(test) cmocka_unit_test_setup_teardown(test, make_disk, tree_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		IN_TREE(cpu_is_all_but_idle_and_iowait),
		IN_TREE(iowait_that_goes_back_adds_nothing),
		IN_TREE(without_time_nothing_was_used),
		IN_TREE(memory_is_what_is_not_available),
		WITH_DISK(disk_counts_reads_writes_and_discards),
		WITH_DISK(disk_is_never_busier_than_always),
		WITH_DISK(each_sample_begins_where_the_last_ended),
		IN_TREE(disk_that_disappears_is_not_sampled),
		cmocka_unit_test(this_machine),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
