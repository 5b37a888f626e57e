// SPDX-License-Identifier: GPL-2.0
#include "base/output.h"

#include "base/text.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

static char directory[] = "/tmp/test_output-XXXXXX";

static int make_directory(void **state)
{
	(void)state;
	memcpy(strrchr(directory, '-'), "-XXXXXX", 7);
	unsetenv("SUDO_UID");
	unsetenv("SUDO_GID");
	umask(022);
	return mkdtemp(directory) ? 0 : -1;
}

static int is_entry(const struct dirent *entry)
{
	return strcmp(entry->d_name, ".") && strcmp(entry->d_name, "..");
}

/* The directory's names in order, hidden ones too: "a.json;b.json;". The caller frees it. */
static char *listing(void)
{
	struct text text = {0};
	struct dirent **entries;
	int count = scandir(directory, &entries, is_entry, alphasort);

	for (int i = 0; i < count; i++) {
		text_addf(&text, "%s;", entries[i]->d_name);
		free(entries[i]);
	}
	if (count >= 0)
		free(entries);
	return text_take(&text);
}

static char *in_directory(const char *name)
{
	return xasprintf("%s/%s", directory, name);
}

static int remove_directory(void **state)
{
	char *names = listing();

	(void)state;
	for (char *rest = names, *name; (name = strsep(&rest, ";")) && *name;) {
		char *path = in_directory(name);

		remove(path);
		free(path);
	}
	free(names);
	return rmdir(directory);
}

static void assert_listing(const char *expected)
{
	char *names = listing();

	assert_string_equal(names, expected);
	free(names);
}

static void assert_content(const char *name, const char *expected)
{
	char *path = in_directory(name), content[64] = "";
	FILE *stream = fopen(path, "r");

	assert_non_null(stream);
	content[fread(content, 1, sizeof(content) - 1, stream)] = '\0';
	fclose(stream);
	assert_string_equal(content, expected);
	free(path);
}

static void put_content(const char *name, const char *content)
{
	char *path = in_directory(name);
	FILE *stream = fopen(path, "w");

	assert_non_null(stream);
	assert_true(fputs(content, stream) >= 0);
	assert_int_equal(fclose(stream), 0);
	free(path);
}

static struct stat status_of(const char *name)
{
	char *path = in_directory(name);
	struct stat status;

	assert_int_equal(lstat(path, &status), 0);
	free(path);
	return status;
}

static void assert_path(const struct output_file *file, const char *name)
{
	char *path = in_directory(name);

	assert_string_equal(output_path(file), path);
	free(path);
}

static int kept_stderr = -1, messages = -1;

static void catch_messages(void)
{
	kept_stderr = dup(STDERR_FILENO);
	messages = memfd_create("stderr", MFD_CLOEXEC);
	assert_int_equal(dup2(messages, STDERR_FILENO), STDERR_FILENO);
}

static void assert_message(const char *format, const char *argument)
{
	char text[1024] = "", *start = xasprintf("iostrata: cannot write %s'%s", format, argument);
	ssize_t length = pread(messages, text, sizeof(text) - 1, 0);

	dup2(kept_stderr, STDERR_FILENO);
	close(kept_stderr);
	close(messages);
	assert_true(length > 0);
	if (strncmp(text, start, strlen(start)) || strchr(text, '\n') != text + length - 1)
		fail_msg("'%s' does not start with '%s' or is not one line", text, start);
	free(start);
}

static void writes_and_rewrites(void **state)
{
	struct output_file *file = output_open(directory, "a.json");

	(void)state;
	assert_non_null(file);
	assert_null(output_path(file));
	assert_listing("");
	assert_int_equal(output_write(file, "first", 5), 0);
	assert_path(file, "a.json");
	assert_content("a.json", "first");
	assert_int_equal(status_of("a.json").st_mode, S_IFREG | 0644);
	assert_int_equal(output_write(file, "2nd", 3), 0);
	assert_content("a.json", "2nd");
	assert_int_equal(output_write(file, NULL, 0), 0);
	assert_content("a.json", "");
	assert_listing("a.json;");
	output_close(file);
	output_close(NULL);
}

static void respects_the_umask(void **state)
{
	struct output_file *file = output_open(directory, "a");

	(void)state;
	umask(077);
	assert_int_equal(output_write(file, "x", 1), 0);
	assert_int_equal(status_of("a").st_mode, S_IFREG | 0600);
	output_close(file);
}

static void leaves_existing_files_alone(void **state)
{
	struct output_file *file = output_open(directory, "r_1.5.json");

	(void)state;
	put_content("r_1.5.json", "theirs");
	put_content("r_1.5_2.json", "theirs too");
	assert_int_equal(output_write(file, "ours", 4), 0);
	assert_path(file, "r_1.5_3.json");
	assert_int_equal(output_write(file, "again", 5), 0); /* and not under a fourth name */
	assert_content("r_1.5.json", "theirs");
	assert_content("r_1.5_2.json", "theirs too");
	assert_content("r_1.5_3.json", "again");
	assert_listing("r_1.5.json;r_1.5_2.json;r_1.5_3.json;");
	output_close(file);
}

static void numbers_names_without_suffix(void **state)
{
	struct output_file *file = output_open(directory, "name"), *hidden = output_open(directory, ".name");

	(void)state;
	put_content("name", "");
	put_content(".name", "");
	assert_int_equal(output_write(file, "x", 1), 0);
	assert_path(file, "name_2");
	assert_int_equal(output_write(hidden, "x", 1), 0);
	assert_path(hidden, ".name_2");
	output_close(file);
	output_close(hidden);
}

/* Neither followed nor replaced, whether it leads anywhere or not. */
static void does_not_follow_symlinks(void **state)
{
	char *to_file = in_directory("a.csv"), *to_nothing = in_directory("a_2.csv");
	struct output_file *file = output_open(directory, "a.csv");

	(void)state;
	put_content("victim", "theirs");
	assert_int_equal(symlink("victim", to_file), 0);
	assert_int_equal(symlink("nowhere", to_nothing), 0);
	assert_int_equal(output_write(file, "ours", 4), 0);
	assert_path(file, "a_3.csv");
	assert_content("victim", "theirs");
	assert_true(S_ISLNK(status_of("a.csv").st_mode));
	assert_listing("a.csv;a_2.csv;a_3.csv;victim;");
	output_close(file);
	free(to_file);
	free(to_nothing);
}

static void does_not_follow_a_planted_temporary(void **state)
{
	char *name = xasprintf(".a.tmp-%d", getpid()), *path = in_directory(name);
	struct output_file *file = output_open(directory, "a");

	(void)state;
	put_content("victim", "theirs");
	assert_int_equal(symlink("victim", path), 0);
	catch_messages();
	assert_int_equal(output_write(file, "ours", 4), -EEXIST);
	assert_message("", directory);
	assert_content("victim", "theirs");
	assert_null(output_path(file));
	output_close(file);
	free(name);
	free(path);
}

static void refuses_directories_that_are_none(void **state)
{
	char *missing = in_directory("missing"), *plain = in_directory("plain");

	(void)state;
	put_content("plain", "");
	catch_messages();
	assert_null(output_open(missing, "a"));
	assert_message("files to ", missing);
	catch_messages();
	assert_null(output_open(plain, "a"));
	assert_message("files to ", plain);
	catch_messages();
	assert_null(output_open("", "a"));
	assert_message("files to ", "");
	free(missing);
	free(plain);
}

static void refuses_names_that_are_none(void **state)
{
	char long_name[256];

	(void)state;
	memset(long_name, 'a', sizeof(long_name) - 1);
	long_name[255] = '\0';
	catch_messages();
	assert_null(output_open(directory, "a/b"));
	assert_message("", "a/b");
	catch_messages();
	assert_null(output_open(directory, ""));
	assert_message("", "");
	catch_messages();
	assert_null(output_open(directory, long_name));
	assert_message("", long_name);
	assert_listing("");
}

/* The longest name that is accepted can also be written, with a number in it. */
static void writes_long_names(void **state)
{
	char name[256];
	struct output_file *file;

	(void)state;
	memset(name, 'a', sizeof(name));
	name[255 - 24] = '\0';
	put_content(name, "");
	file = output_open(directory, name);
	assert_non_null(file);
	assert_int_equal(output_write(file, "x", 1), 0);
	output_close(file);
}

static void paths_are_short(void **state)
{
	char *slash = in_directory("");
	struct output_file *here, *there;

	(void)state;
	assert_int_equal(chdir(directory), 0);
	here = output_open(".", "here");
	there = output_open(slash, "there");
	assert_int_equal(output_write(here, "x", 1), 0);
	assert_int_equal(output_write(there, "x", 1), 0);
	assert_string_equal(output_path(here), "here");
	assert_path(there, "there");
	assert_int_equal(chdir("/"), 0);
	assert_int_equal(output_write(here, "xy", 2), 0); /* the directory is held, wherever we go */
	assert_content("here", "xy");
	output_close(here);
	output_close(there);
	free(slash);
}

static void assert_owner(const char *uid, const char *gid, unsigned expected_uid, unsigned expected_gid)
{
	struct output_file *file = output_open(directory, "owned");
	struct stat status;

	setenv("SUDO_UID", uid, 1);
	setenv("SUDO_GID", gid, 1);
	assert_int_equal(output_write(file, "x", 1), 0);
	status = status_of("owned");
	assert_int_equal(status.st_uid, expected_uid);
	assert_int_equal(status.st_gid, expected_gid);
	assert_int_equal(unlink(output_path(file)), 0);
	output_close(file);
}

static void files_belong_to_the_caller_of_sudo(void **state)
{
	(void)state;
	if (geteuid())
		skip();
	assert_owner("1234", "567", 1234, 567);
	assert_owner("1234x", "567", 0, 0);
	assert_owner("1234", "", 0, 0);
	assert_owner("-1", "567", 0, 0);
	assert_owner("4294967295", "567", 0, 0); /* (uid_t)-1 */
}

/* The limit stands for any error in the middle of writing: EFBIG after 4 of 10 KB. */
static void a_failed_write_leaves_the_old_content(void **state)
{
	struct output_file *file = output_open(directory, "a.json");
	struct rlimit kept, limit;
	char data[10000] = "";
	int error;

	(void)state;
	assert_int_equal(output_write(file, "whole", 5), 0);
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &kept), 0);
	limit = (struct rlimit){4096, kept.rlim_max};
	signal(SIGXFSZ, SIG_IGN);
	catch_messages();
	setrlimit(RLIMIT_FSIZE, &limit);
	error = output_write(file, data, sizeof(data));
	setrlimit(RLIMIT_FSIZE, &kept);
	signal(SIGXFSZ, SIG_DFL);
	assert_message("", output_path(file));
	assert_int_equal(error, -EFBIG);
	assert_content("a.json", "whole");
	assert_listing("a.json;");
	output_close(file);
}

/* A mount of our own that nobody else sees and that is gone with the process. */
static bool mount_small_tmpfs(void)
{
	return !unshare(CLONE_NEWNS) && !mount("none", "/", "none", MS_REC | MS_PRIVATE, NULL) &&
	       !mount("tmpfs", directory, "tmpfs", 0, "size=16k");
}

static void a_full_or_read_only_file_system(void **state)
{
	struct output_file *file, *second;
	char data[20000] = "", *path = in_directory("b.json");

	(void)state;
	if (!mount_small_tmpfs()) {
		free(path);
		skip();
	}
	file = output_open(directory, "a.json");
	second = output_open(directory, "b.json");
	assert_int_equal(output_write(file, "whole", 5), 0);
	catch_messages();
	assert_int_equal(output_write(second, data, sizeof(data)), -ENOSPC);
	assert_message("", path);
	assert_null(output_path(second));
	assert_listing("a.json;");

	output_close(second);
	assert_int_equal(mount("none", directory, "none", MS_REMOUNT | MS_RDONLY, NULL), 0);
	catch_messages();
	assert_null(output_open(directory, "c.json"));
	assert_message("files to ", directory);
	catch_messages();
	assert_int_equal(output_write(file, "again", 5), -EROFS);
	assert_message("", output_path(file));
	assert_content("a.json", "whole");
	output_close(file);
	assert_int_equal(umount(directory), 0);
	free(path);
}

#define FAILS_WITH(number, error)                                                                                      \
	BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, number, 0, 1), BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | (error))

/* As on a file system that knows neither RENAME_NOREPLACE nor, if asked for, hard links. */
static bool forbid(bool links_too)
{
	struct sock_filter filter[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		FAILS_WITH(__NR_renameat2, EINVAL),
		FAILS_WITH(links_too ? __NR_linkat : ~0u, EPERM),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = {ARRAY_SIZE(filter), filter};

	return !prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) && !prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

static int write_twice_without(bool links_too)
{
	struct output_file *file = output_open(directory, "a.json");
	int error;

	if (!forbid(links_too))
		return 77;
	error = output_write(file, "first", 5) || output_write(file, "second", 6);
	output_close(file);
	return error;
}

static void check_without(bool links_too)
{
	int status;
	pid_t child;

	put_content("a.json", "theirs");
	child = fork();
	if (!child)
		_exit(write_twice_without(links_too));
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFEXITED(status));
	if (WEXITSTATUS(status) == 77)
		skip();
	assert_int_equal(WEXITSTATUS(status), 0);
	assert_content("a.json", "theirs");
	assert_content("a_2.json", "second");
	assert_listing("a.json;a_2.json;");
}

static void works_without_noreplace(void **state)
{
	(void)state;
	check_without(false);
}

static void works_without_hard_links(void **state)
{
	(void)state;
	check_without(true);
}

static void safe_names(void **state)
{
	static const char *const samples[][2] = {
		{"NonRAID", "NonRAID"},
		{"RAID 0", "RAID_0"},
		{"a-b_c.9", "a-b_c.9"},
		{"../../etc/passwd", ".._.._etc_passwd"},
		{"x'\"\n;$(id)", "x______id_"},
		{"caf\xc3\xa9 \xe2\x82\xac", "caf___"}, /* one for each character, whatever its bytes */
		{"\xa9\xff", "__"},
		{"", ""},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(samples); i++) {
		char *name = output_safe_name(samples[i][0]);

		assert_string_equal(name, samples[i][1]);
		free(name);
	}
}

#define IN_DIRECTORY(test) cmocka_unit_test_setup_teardown(test, make_directory, remove_directory)

int main(void)
{
	const struct CMUnitTest tests[] = {
		IN_DIRECTORY(writes_and_rewrites),
		IN_DIRECTORY(respects_the_umask),
		IN_DIRECTORY(leaves_existing_files_alone),
		IN_DIRECTORY(numbers_names_without_suffix),
		IN_DIRECTORY(does_not_follow_symlinks),
		IN_DIRECTORY(does_not_follow_a_planted_temporary),
		IN_DIRECTORY(refuses_directories_that_are_none),
		IN_DIRECTORY(refuses_names_that_are_none),
		IN_DIRECTORY(writes_long_names),
		IN_DIRECTORY(paths_are_short),
		IN_DIRECTORY(files_belong_to_the_caller_of_sudo),
		IN_DIRECTORY(a_failed_write_leaves_the_old_content),
		IN_DIRECTORY(works_without_noreplace),
		IN_DIRECTORY(works_without_hard_links),
		IN_DIRECTORY(a_full_or_read_only_file_system),
		cmocka_unit_test(safe_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
