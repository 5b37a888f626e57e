// SPDX-License-Identifier: GPL-2.0
#include "fio.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/text.h"
#include "child.h"
#include "signals.h"

/* Percentiles of all three latencies at once came with fio 3.18 (axboe/fio pull request 920). */
#define OLDEST_MAJOR 3
#define OLDEST_MINOR 18

/* sync=dsync came with fio 3.24; before, sync=1 meant O_SYNC and nothing else could be said. */
#define DSYNC_MINOR 24

#define ANSWER_LIMIT  (60 * NS_PER_SECOND)
#define ANSWER_LENGTH 65536

int fio_scratch(void)
{
	int fd = memfd_create("iostrata", MFD_CLOEXEC);
	FILE *file;

	if (fd >= 0)
		return fd;
	/* WSL 1 and sandboxes may not know memfd_create. */
	file = tmpfile();
	if (!file)
		return -errno;
	fd = fcntl(fileno(file), F_DUPFD_CLOEXEC, 0);
	fclose(file);
	return fd < 0 ? -errno : fd;
}

char *fio_read_scratch(int fd, size_t limit, size_t *length)
{
	struct text text = {0};
	char buffer[65536];
	ssize_t got;

	while (text.length < limit && (got = pread(fd, buffer, sizeof(buffer), text.length)) > 0)
		text_add(&text, buffer, (size_t)got < limit - text.length ? (size_t)got : limit - text.length);
	*length = text.length;
	return text_take(&text);
}

/* --- finding it --- */

/* 0 when it ended well; -ETIMEDOUT; -EINTR; or the -errno of its start. */
static int ask(char *const argv[], int output)
{
	uint64_t begin = clock_now();
	struct child child;
	int status = 0, err = child_start(&child, argv, output, NULL, 0);

	if (err)
		return err;
	err = child_release(&child);
	while (!err && !child_ended(&child, &status)) {
		signals_wait(50 * NS_PER_MS);
		if (signals_stopped())
			err = -EINTR;
		else if (clock_now() - begin > ANSWER_LIMIT)
			err = -ETIMEDOUT;
	}
	child_finish(&child);
	return err ? err : status ? -ENOEXEC : 0;
}

int fio_ask(const char *path, const char *option, char **answer)
{
	char *argv[] = {xstrdup(path ? path : "fio"), xstrdup(option), NULL};
	int scratch = fio_scratch(), err = scratch < 0 ? scratch : ask(argv, scratch);
	size_t length;

	*answer = scratch < 0 ? xstrdup("") : fio_read_scratch(scratch, ANSWER_LENGTH, &length);
	if (scratch >= 0)
		close(scratch);
	free(argv[0]);
	free(argv[1]);
	return err;
}

enum fio_age fio_age(const char *version)
{
	unsigned major, minor;

	if (sscanf(version, "fio-%u.%u", &major, &minor) != 2)
		return FIO_OF_NO_AGE;
	if (major < OLDEST_MAJOR || (major == OLDEST_MAJOR && minor < OLDEST_MINOR))
		return FIO_TOO_OLD;
	return major == OLDEST_MAJOR && minor < DSYNC_MINOR ? FIO_WITHOUT_DSYNC : FIO_NEW;
}

static int refuse_fio(const char *path, bool named, int err, const char *output)
{
	char *message = xstrdup(output);

	message[strcspn(message, "\n")] = '\0';
	if (err == -ENOENT && named)
		log_error("--fio-path '%s': no such program", path);
	else if (err == -ENOENT)
		log_error("fio was not found on PATH: install it (apt install fio, dnf install fio) or name it with "
			  "--fio-path");
	else if (err == -ENOEXEC || err == -ETIMEDOUT)
		log_error("%s: not fio: '%s --version' answered '%s'", path, path, message);
	else if (err != -EINTR)
		log_error("%s: cannot be started: %s", path, strerror(-err));
	free(message);
	return err;
}

static int check_version(const struct fio *fio, const struct options *options)
{
	enum fio_age age = fio_age(fio->version);

	if (age == FIO_OF_NO_AGE)
		return refuse_fio(fio->path, true, -ENOEXEC, fio->version);
	if (age == FIO_TOO_OLD)
		return log_failure(
			-ENOTSUP,
			"%s is %s: iostrata needs 3.18 or newer, which reports the percentiles of slat, clat "
			"and lat together; name a newer one with --fio-path",
			fio->path, fio->version);
	if (options->write_through && age == FIO_WITHOUT_DSYNC)
		return log_failure(-ENOTSUP, "%s is %s: --write-through needs sync=dsync, which came with 3.24",
				   fio->path, fio->version);
	return 0;
}

int fio_find(struct fio *fio, const char *path, const struct options *options)
{
	char *name = xstrdup(path ? path : "fio"), *output;
	int err = fio_ask(path, "--version", &output);

	if (err) {
		refuse_fio(name, path, err, output);
		free(output);
		free(name);
		return err;
	}
	output[strcspn(output, "\r\n")] = '\0';
	fio->path = name;
	fio->version = output;
	return check_version(fio, options);
}

void fio_clear(struct fio *fio)
{
	free(fio->path);
	free(fio->version);
	*fio = (struct fio){0};
}

/* --- the command --- */

struct arguments {
	char **argv;
	size_t count;
};

static void __attribute__((format(printf, 2, 3))) add(struct arguments *arguments, const char *format, ...)
{
	char *argument = NULL;
	va_list args;

	va_start(args, format);
	if (vasprintf(&argument, format, args) < 0)
		abort();
	va_end(args);
	arguments->argv = xreallocarray(arguments->argv, arguments->count + 2, sizeof(char *));
	arguments->argv[arguments->count++] = argument;
	arguments->argv[arguments->count] = NULL;
}

static const char *rw_of(const struct test *test)
{
	static const char *const names[2][3] = {{"read", "write", "rw"}, {"randread", "randwrite", "randrw"}};

	return names[test->random][test->access];
}

/* fio takes fractions of a second only with a unit, and whole microseconds at that. */
static void add_runtime(struct arguments *arguments, uint64_t runtime)
{
	if (runtime % NS_PER_SECOND)
		add(arguments, "--runtime=%lluus", (unsigned long long)(runtime / 1000));
	else
		add(arguments, "--runtime=%llu", (unsigned long long)(runtime / NS_PER_SECOND));
}

char **fio_command(const struct fio *fio, const struct options *options, const struct test *test, const char *file,
		   bool buffered, uint64_t runtime, const char *output)
{
	struct arguments arguments = {0};

	add(&arguments, "%s", fio->path);
	add(&arguments, "--name=%s", test->name);
	add(&arguments, "--filename=%s", file);
	add(&arguments, "--rw=%s", rw_of(test));
	if (test->access == ACCESS_MIX)
		add(&arguments, "--rwmixread=%u", test->read_percent);
	add(&arguments, "--bs=%llu", (unsigned long long)test->block_size);
	add(&arguments, "--iodepth=%u", test->depth);
	add(&arguments, "--numjobs=%u", test->jobs);
	add(&arguments, "--direct=%d", !buffered);
	add(&arguments, "--ioengine=%s", options->ioengine);
	add(&arguments, "--size=%llu", (unsigned long long)options->size);
	add_runtime(&arguments, runtime);
	add(&arguments, "--time_based=1");
	add(&arguments, "--group_reporting=1");
	if (options->write_through)
		add(&arguments, "--sync=dsync");
	if (options->thread)
		add(&arguments, "--thread");
	if (test->access == ACCESS_READ)
		add(&arguments, "--readonly");
	/* The file is there, whole; a fio that wants to make one has been misled. */
	add(&arguments, "--allow_file_create=0");
	add(&arguments, "--lat_percentiles=1");
	add(&arguments, "--clat_percentiles=1");
	add(&arguments, "--slat_percentiles=1");
	add(&arguments, "--percentile_list=50:90:95:99:99.9:99.99");
	add(&arguments, "--output-format=json+");
	add(&arguments, "--output=%s", output);
	add(&arguments, "--eta=never");
	return arguments.argv;
}
