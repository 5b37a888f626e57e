// SPDX-License-Identifier: GPL-2.0
#include "result/limiter.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "limited.h"

static struct limits limits;
static struct cap cap;

/* 133 of 512 are at the device: nothing says why. */
static int make(void **state)
{
	(void)state;
	limited_make(SATURATED);
	limited_device(430000);
	for (int part = 0; part < IO_PARTS; part++)
		limited_part((enum io_stage)part, 0);
	limited_part(IO_STAGE_DELIVER, 200000);
	return 0;
}

static enum limiter look(void)
{
	limits_of_run(&limits, &checking);
	cap_of_run(&cap, &checking, &limits);
	return limiter_of(&limits, &cap);
}

static void assert_limit(enum limiter limiter, const char *words)
{
	enum limiter found = look();
	char *clause = limiter_clause(found, &limits, &cap, &checking);

	assert_int_equal(found, limiter);
	assert_string_equal(clause, words);
	free(clause);
}

static void test_unseen(void **state)
{
	(void)state;
	assert_limit(LIMITER_UNSEEN, "not visible from inside");
}

static void test_device(void **state)
{
	(void)state;
	limited_device(1537000);
	assert_limit(LIMITER_DEVICE, "the device: 477.1 of 512 I/Os were at nvme0n1p2 on average");
	limited_cpus(95, 50);
	run->trace->io[OP_READ]->counts.requests *= 4;
	assert_limit(LIMITER_DEVICE,
		     "the device: 477.1 of 512 I/Os were at nvme0n1p2 on average, each in 4.00 requests; "
		     "beside it CPU 0 was 95 % busy (all 2: 73 %)");
}

static void test_full_queue(void **state)
{
	(void)state;
	limited_disk()->tags = 136;
	assert_limit(LIMITER_TAGS,
		     "the queue of nvme0n1, full with 133.5 of the 136 requests that its driver takes at once");
	limited_disk()->tags = 0;
	limited_disk()->queue_requests = 140;
	assert_limit(LIMITER_TAGS, "the queue of nvme0n1, full with 133.5 of the 140 requests that it may have "
				   "(queue/nr_requests)");
}

/* A loop device's queue is full because its own threads find no CPU. */
static void test_software_needs_the_cpus(void **state)
{
	(void)state;
	limited_disk()->tags = 136;
	limited_cpus(98, 97);
	assert_int_equal(look(), LIMITER_TAGS);
	limited_disk()->backing_file = xstrdup("/var/img");
	assert_limit(LIMITER_ALL_CPUS, "the CPU: CPU 0 was 98 % busy (all 2: 98 %)");
}

static void test_cpu(void **state)
{
	(void)state;
	limited_cpus(20, 92);
	assert_limit(LIMITER_CPU, "the CPU: CPU 1 was 92 % busy (all 2: 56 %)");
	limited_cpus(60, 60);
	run->engine->system_percent = 80;
	assert_limit(LIMITER_CPU, "the CPU: a job of the engine used 90 % of one");
	run->engine->system_percent = 10;
	limited_inner(IO_STAGE_RUNQ, 400000, run->trace->io[OP_READ]->stage[IO_STAGE_TOTAL].count);
	assert_limit(LIMITER_CPU, "the CPU: a woken thread waited 400.0 \u00b5s for one, 25 % of an I/O's time");
}

static void test_queue(void **state)
{
	(void)state;
	limited_part(IO_STAGE_QUEUE, 1000000);
	limited_cpus(20, 92);
	assert_limit(LIMITER_QUEUE, "the queue of nvme0n1, in which an I/O waited 1.000 ms on average for a tag or for "
				    "room at its driver");
	free(limited_disk()->scheduler);
	limited_disk()->scheduler = xstrdup("bfq");
	assert_limit(LIMITER_QUEUE, "the I/O scheduler of nvme0n1 (bfq), in which an I/O waited 1.000 ms on average");
	limited_cpus(95, 98);
	assert_int_equal(look(), LIMITER_CPU);
}

static void test_flushes(void **state)
{
	(void)state;
	limited_part(IO_STAGE_SYNC, 1000000);
	assert_limit(LIMITER_FLUSHES, "flushes: 310.4 of 512 I/Os waited for one on average");
}

/* However busy the CPUs are. */
static void test_flushes_come_first(void **state)
{
	(void)state;
	limited_cpus(100, 100);
	limited_part(IO_STAGE_SYNC, 830000);
	assert_int_equal(look(), LIMITER_FLUSHES);
	limited_part(IO_STAGE_SYNC, 810000);
	assert_int_equal(look(), LIMITER_CPU);
}

/* Jobs that wait for a tag, of fewer than what was asked for, wait for no CPU. */
static void test_jobs_wait_for_tags(void **state)
{
	(void)state;
	limited_cpus(100, 100);
	limited_part(IO_STAGE_QUEUE, 30000); /* 9.3 I/Os, of 16 jobs */
	assert_int_equal(look(), LIMITER_CPU);
	limited_disk()->queue_requests = 256;
	assert_int_equal(look(), LIMITER_QUEUE);
	limited_part(IO_STAGE_QUEUE, 25000); /* 7.8 */
	assert_int_equal(look(), LIMITER_CPU);
	limited_part(IO_STAGE_QUEUE, 30000);
	limited_disk()->queue_requests = 136;
	limited_disk()->backing_file = xstrdup("/var/img");
	/* a loop device's queue fills where its own work keeps the CPUs busy, too */
	assert_int_equal(look(), LIMITER_ALL_CPUS);
	run->engine->user_percent = run->engine->system_percent = 0.1;
	assert_limit(LIMITER_TAGS, "the queue of nvme0n1, full with 133.5 of the 136 requests that it may have "
				   "(queue/nr_requests)");
}

static void test_cpus_are_taken(void **state)
{
	(void)state;
	limited_cpus(100, 99);
	assert_limit(LIMITER_CPU, "the CPU: CPU 0 was 100 % busy (all 2: 100 %)");
	run->engine->user_percent = 1;
	run->engine->system_percent = 5.1; /* of 16 jobs: 98 of 199 */
	free(limited->engine);
	limited->engine = xstrdup("fio");
	assert_limit(LIMITER_CPU, "the CPU: both were 100 % busy, fio's jobs with 98 % of one: other programs take "
				  "them. Repeat it with the machine at rest");
	run->engine->system_percent = 5.3;
	look();
	assert_false(limiter_cpus_are_taken(&limits));
	/* kernel threads do a loop device's work */
	limited_disk()->backing_file = xstrdup("/var/img");
	run->engine->system_percent = 1;
	look();
	assert_false(limiter_cpus_are_taken(&limits));
	run->engine->system_percent = 0.4;
	look();
	assert_true(limiter_cpus_are_taken(&limits));
	/* one of them was free, or what the engine used is not known */
	limited_cpus(100, 60);
	look();
	assert_false(limiter_cpus_are_taken(&limits));
	limited_cpus(100, 100);
	run->engine->system_percent = run->engine->user_percent = 0;
	look();
	assert_false(limiter_cpus_are_taken(&limits));
}

/* Whether it waited in its calls or worked tells the CPU that it used. */
static void test_program(void **state)
{
	(void)state;
	limited_part(IO_STAGE_UNREAPED, 1000000);
	assert_int_equal(look(), LIMITER_UNSEEN);
	run->engine->system_percent = 60;
	assert_int_equal(look(), LIMITER_PROGRAM);
}

static void test_synchronous_engine(void **state)
{
	(void)state;
	free(limited->options.ioengine);
	limited->options.ioengine = xstrdup("psync");
	assert_limit(LIMITER_ENGINE, "the engine: psync has one I/O in flight for each job, whatever the depth. Use "
				     "libaio or io_uring, or more jobs (T512)");
	limited->test[SATURATED].depth = 1;
	limited_device(50000);
	assert_limit(LIMITER_DEVICE, "the device: 15.5 of 16 I/Os were at nvme0n1p2 on average");
}

static void test_link(void **state)
{
	(void)state;
	limited_disk()->link_bytes_per_second = 1300000000;
	limited_disk()->link = xstrdup("PCIe 8.0 GT/s x1");
	assert_limit(LIMITER_LINK, "the link of nvme0n1 (PCIe 8.0 GT/s x1), 98 % full");
}

static void test_caps(void **state)
{
	static const double fallen[] = {5100, 4900, 5000, 3000, 3000, 3001, 3000};
	struct io_view *view = run->trace->io[OP_READ];

	(void)state;
	limited_seconds(fallen, ARRAY_SIZE(fallen), 4096);
	assert_limit(LIMITER_CAP, "a cap, it seems, as the rate was flat at 3,000 IOPS");
	limited_inner(IO_STAGE_THROTTLED, 1000000, view->stage[IO_STAGE_TOTAL].count);
	view->counts.note[IO_NOTE_THROTTLED] = io_ended(view);
	assert_limit(LIMITER_CGROUP, "a cgroup's limit, which held 100.0 % of the I/Os back");
	limited_inner(IO_STAGE_THROTTLED, 20000000, io_ended(view) / 40);
	view->counts.note[IO_NOTE_THROTTLED] = io_ended(view) / 40;
	view->stage[IO_STAGE_TOTAL].sum = io_ended(view) * 1000000;
	assert_limit(LIMITER_CGROUP, "a cgroup's limit, which held 2.5 % of the I/Os back; that took 50.0 % of all "
				     "I/Os' time");
}

#define WITH(test) cmocka_unit_test_setup_teardown(test, make, limited_free)

int main(void)
{
	const struct CMUnitTest tests[] = {
		WITH(test_unseen),
		WITH(test_device),
		WITH(test_full_queue),
		WITH(test_software_needs_the_cpus),
		WITH(test_cpu),
		WITH(test_queue),
		WITH(test_flushes),
		WITH(test_flushes_come_first),
		WITH(test_jobs_wait_for_tags),
		WITH(test_cpus_are_taken),
		WITH(test_program),
		WITH(test_synchronous_engine),
		WITH(test_link),
		WITH(test_caps),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
