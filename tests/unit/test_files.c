// SPDX-License-Identifier: GPL-2.0
#include "tree.h"

#include <errno.h>

static void paths_lie_below_the_root(void **state)
{
	const struct tree *tree = *state;
	char *path = host_path("/sys/block/%s/size", "sda"), *expected = xasprintf("%s/sys/block/sda/size", tree->root);

	assert_string_equal(path, expected);
	free(path), free(expected);
	host_set_root(NULL);
	path = host_path("/sys/block/%s/size", "sda");
	assert_string_equal(path, "/sys/block/sda/size");
	free(path);
}

static void whole_files_are_read(void **state)
{
	static char long_content[10001];
	char *content;
	size_t length;

	memset(long_content, 'x', sizeof(long_content) - 1);
	tree_write(*state, "/long", long_content);
	tree_write(*state, "/empty", "");
	tree_write_bytes(*state, "/binary", "a\0b\0", 4);
	content = host_read("/%s", "long");
	assert_string_equal(content, long_content);
	free(content);
	content = host_read("/empty");
	assert_string_equal(content, "");
	free(content);
	content = host_read_bytes(&length, "/binary");
	assert_int_equal(length, 4);
	assert_memory_equal(content, "a\0b\0", 4);
	free(content);
	errno = 0;
	assert_null(host_read("/missing"));
	assert_int_equal(errno, ENOENT);
	assert_null(host_read("/"));
	assert_int_equal(errno, EISDIR);
}

static void lines_lose_their_blanks(void **state)
{
	char *line;

	tree_write(*state, "/line", "  two words \t\nsecond\n");
	tree_write(*state, "/open", "no end of line");
	tree_write(*state, "/blank", " \t\nsecond\n");
	line = host_read_line("/line");
	assert_string_equal(line, "two words");
	free(line);
	line = host_read_line("/open");
	assert_string_equal(line, "no end of line");
	free(line);
	assert_null(host_read_line("/blank"));
	assert_null(host_read_line("/missing"));
}

static void numbers_are_digits_alone(void **state)
{
	static const char *const refused[] = {
		"-1\n", "+1\n", "1 2\n", "0x10\n", "12kB\n", "\n", "99999999999999999999\n"};
	uint64_t number = 42;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(refused); i++) {
		tree_write(*state, "/number", refused[i]);
		assert_true(host_read_number(&number, "/number") < 0);
		assert_int_equal(number, 42);
	}
	assert_int_equal(host_read_number(&number, "/missing"), -ENOENT);
	tree_write(*state, "/number", "18446744073709551615\n");
	assert_int_equal(host_read_number(&number, "/number"), 0);
	assert_true(number == UINT64_MAX);
	tree_write(*state, "/number", "0");
	assert_int_equal(host_read_number(&number, "/number"), 0);
	assert_int_equal(number, 0);
}

static void links_and_directories(void **state)
{
	char *name, **names;

	tree_link(*state, "/dir/link", "../../devices/block/sda");
	tree_link(*state, "/dir/short", "alone");
	tree_write(*state, "/dir/sda10", "x");
	tree_write(*state, "/dir/sda9", "x");
	name = host_link_name("/dir/link");
	assert_string_equal(name, "sda");
	free(name);
	name = host_link_name("/dir/short");
	assert_string_equal(name, "alone");
	free(name);
	assert_null(host_link_name("/dir/sda9"));
	name = host_link("/dir/link");
	assert_string_equal(name, "../../devices/block/sda");
	free(name);
	assert_null(host_link("/dir/sda9"));
	assert_true(host_exists("/dir/link"));
	assert_false(host_exists("/dir/missing"));
	names = host_list("/dir");
	assert_string_equal(names[0], "link");
	assert_string_equal(names[1], "sda9");
	assert_string_equal(names[2], "sda10");
	assert_string_equal(names[3], "short");
	assert_null(names[4]);
	strings_free(names);
	assert_null(host_list("/missing"));
}

static void fields_by_their_keys(void **state)
{
	static const char content[] = "SwapMem:  1 kB\nMem: \t 2 kB \nMem:3\nempty:\nlast word\t: x y";
	char *value = host_field(content, "Mem");

	(void)state;
	assert_string_equal(value, "2 kB");
	free(value);
	value = host_field(content, "last word");
	assert_string_equal(value, "x y");
	free(value);
	assert_null(host_field(content, "empty"));
	assert_null(host_field(content, "Me"));
	assert_null(host_field(content, "absent"));
	assert_null(host_field("", "Mem"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		IN_TREE(paths_lie_below_the_root), IN_TREE(whole_files_are_read),  IN_TREE(lines_lose_their_blanks),
		IN_TREE(numbers_are_digits_alone), IN_TREE(links_and_directories), IN_TREE(fields_by_their_keys),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
