// SPDX-License-Identifier: GPL-2.0
#include "base/log.h"

#include "base/text.h"

#include <errno.h>
#include <fcntl.h>
#include <pty.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

static int kept_stderr = -1;
static int source = -1; /* what was written to stderr is read from here */

static void redirect(int fd)
{
	kept_stderr = dup(STDERR_FILENO);
	assert_true(kept_stderr >= 0);
	assert_int_equal(dup2(fd, STDERR_FILENO), STDERR_FILENO);
}

static void to_file(void)
{
	source = memfd_create("stderr", MFD_CLOEXEC);
	assert_true(source >= 0);
	redirect(source);
}

static void to_terminal(unsigned short columns)
{
	struct winsize size = {.ws_row = 24, .ws_col = columns};
	int terminal;

	assert_int_equal(openpty(&source, &terminal, NULL, NULL, &size), 0);
	redirect(terminal);
	close(terminal);
	assert_int_equal(fcntl(source, F_SETFL, O_NONBLOCK), 0);
}

/* All that was written since the redirection, which ends here. */
static char *written(void)
{
	struct text text = {0};
	char buffer[4096];
	ssize_t length;

	lseek(source, 0, SEEK_SET); /* no effect on a terminal */
	while ((length = read(source, buffer, sizeof(buffer))) > 0)
		text_add(&text, buffer, length);
	dup2(kept_stderr, STDERR_FILENO);
	close(kept_stderr);
	close(source);
	return text_take(&text);
}

static void assert_written(const char *expected)
{
	char *text = written();

	assert_string_equal(text, expected);
	free(text);
}

static int plain_setup(void **state)
{
	(void)state;
	unsetenv("NO_COLOR");
	setenv("TERM", "xterm", 1);
	log_set_verbosity(0);
	return 0;
}

static void lines_in_a_file(void **state)
{
	(void)state;
	to_file();
	log_error("no %s", "disk");
	log_warning("%d of %d", 1, 2);
	log_info("done");
	log_detail("unseen");
	log_progress("unseen");
	log_progress_end();
	log_set_verbosity(1);
	log_detail("seen");
	assert_false(log_on_terminal());
	assert_written("iostrata: no disk\niostrata: warning: 1 of 2\ndone\nseen\n");
}

static void failure_returns_the_code(void **state)
{
	int code;

	(void)state;
	to_file();
	errno = ENOENT;
	code = log_failure(-ENOENT, "open: %m");
	assert_int_equal(code, -ENOENT);
	assert_int_equal(errno, ENOENT);
	assert_written("iostrata: open: No such file or directory\n");
}

static void hostile_names_are_spelt_out(void **state)
{
	(void)state;
	to_file();
	log_info("%s", "a\033[31mb\rc\nd\x7f");
	log_info("%s", "\xc2\x9b"
		       "31m"); /* CSI as one character */
	log_info("%s", "\x9b"
		       "31m");			/* and as one byte */
	log_info("%s", "\xc0\x9b\xe0\x80\x9b"); /* and in forms that are too long */
	log_info("%s", "\xe2\x80\xae"
		       "gpj.exe"); /* right to left */
	log_info("%s", "cut \xe2\x82");
	log_info("%s", "13.8 \xc2\xb5s \xe2\x82\xac \xf0\x9f\x98\x80");
	assert_written("a\\x1b[31mb\\x0dc\\x0ad\\x7f\n"
		       "\\xc2\\x9b31m\n"
		       "\\x9b31m\n"
		       "\\xc0\\x9b\\xe0\\x80\\x9b\n"
		       "\\xe2\\x80\\xaegpj.exe\n"
		       "cut \\xe2\\x82\n"
		       "13.8 \xc2\xb5s \xe2\x82\xac \xf0\x9f\x98\x80\n");
}

/* "\r\n" is what the terminal's own line discipline makes of "\n". */
static void colours_on_a_terminal(void **state)
{
	(void)state;
	to_terminal(80);
	assert_true(log_on_terminal());
	log_error("a");
	log_warning("b");
	log_info("c");
	assert_written("\033[1;31miostrata: \033[0ma\r\n\033[1;33miostrata: warning: \033[0mb\r\nc\r\n");
}

static void no_color_is_respected(void **state)
{
	(void)state;
	setenv("NO_COLOR", "1", 1);
	to_terminal(80);
	log_error("a");
	assert_written("iostrata: a\r\n");
	setenv("NO_COLOR", "", 1); /* empty: as if it were not set */
	to_terminal(80);
	log_error("a");
	assert_written("\033[1;31miostrata: \033[0ma\r\n");
}

static void a_dumb_terminal_gets_plain_lines(void **state)
{
	(void)state;
	setenv("TERM", "dumb", 1);
	to_terminal(80);
	log_progress("10 %%");
	log_error("a");
	assert_written("iostrata: a\r\n");
}

static void progress_is_wiped_by_a_message(void **state)
{
	(void)state;
	to_terminal(80);
	log_progress("%d %%", 10);
	log_progress("%d %%", 20);
	log_info("x");
	log_info("y");
	log_progress("30 %%");
	log_progress_end();
	log_progress_end();
	assert_written("\r\033[K10 %\r\033[K20 %\r\033[Kx\r\ny\r\n\r\033[K30 %\r\033[K");
}

/* Ten columns: nine are used, counted in characters and not in bytes. */
static void progress_fits_the_terminal(void **state)
{
	(void)state;
	to_terminal(10);
	log_progress("123456789");
	log_progress("1234567890");
	log_progress("1234567\xc2\xb5\xc2\xb5\xc2\xb5");
	log_progress("%s", "");
	log_progress_end();
	assert_written("\r\033[K123456789\r\033[K123456789\r\033[K1234567\xc2\xb5\xc2\xb5\r\033[K\r\033[K");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(lines_in_a_file, plain_setup),
		cmocka_unit_test_setup(failure_returns_the_code, plain_setup),
		cmocka_unit_test_setup(hostile_names_are_spelt_out, plain_setup),
		cmocka_unit_test_setup(colours_on_a_terminal, plain_setup),
		cmocka_unit_test_setup(no_color_is_respected, plain_setup),
		cmocka_unit_test_setup(a_dumb_terminal_gets_plain_lines, plain_setup),
		cmocka_unit_test_setup(progress_is_wiped_by_a_message, plain_setup),
		cmocka_unit_test_setup(progress_fits_the_terminal, plain_setup),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
