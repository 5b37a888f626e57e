// SPDX-License-Identifier: GPL-2.0
#include "tree.h"

#include "trace/symbols.h"

static uint64_t symbol[SYMBOLS];

static void addresses(void **state)
{
	tree_write(*state, "/proc/kallsyms",
		   "0000000000000000 A fixed_percpu_data\n"
		   "ffffffff81789480 t iomap_dio_complete_work\n"
		   "ffffffff8175ce60 t aio_complete_rw\n"
		   "ffffffff81b2d5b0 t blkdev_bio_end_io_async\n"
		   "ffffffff81b2d650 t blkdev_bio_end_io\n"
		   "ffffffff81b30cd0 t bio_chain_endio.llvm.1234567\n"
		   "ffffffff81b91700 t io_complete_rw_iopoll_not\n"
		   "ffffffff81b916a0 t io_complete_rw\n"
		   "ffffffffc0a01000 t xlog_bio_end_io\t[xfs]\n"
		   "ffffffffc0a02000 t xlog_bio_end_io\t[other]\n"
		   "no line\n");
	memset(symbol, 0xff, sizeof(symbol));
	symbols_read(symbol);
	assert_int_equal(symbol[SYMBOL_CHAIN], 0xffffffff81b30cd0);
	assert_int_equal(symbol[SYMBOL_IOMAP], 0); /* only its worker is there */
	assert_int_equal(symbol[SYMBOL_DIO_WORK], 0xffffffff81789480);
	assert_int_equal(symbol[SYMBOL_BLKDEV], 0xffffffff81b2d650);
	assert_int_equal(symbol[SYMBOL_BLKDEV_ASYNC], 0xffffffff81b2d5b0);
	assert_int_equal(symbol[SYMBOL_AIO], 0xffffffff8175ce60);
	assert_int_equal(symbol[SYMBOL_URING], 0xffffffff81b916a0);
	assert_int_equal(symbol[SYMBOL_URING_POLLED], 0);
	assert_int_equal(symbol[SYMBOL_XFS_LOG], 0xffffffffc0a01000);
	assert_null(symbols_hidden(symbol));
}

static void assert_hidden(const char *cure)
{
	char *why;

	symbols_read(symbol);
	why = symbols_hidden(symbol);
	assert_non_null(why);
	assert_non_null(strstr(why, cure));
	free(why);
}

static void hidden(void **state)
{
	assert_hidden("CONFIG_KALLSYMS=y");
	tree_write(*state, "/proc/kallsyms",
		   "0000000000000000 t aio_complete_rw\n0000000000000000 t io_complete_rw\n"
		   "0000000000000000 t iomap_dio_bio_end_io\n0000000000000000 t bio_chain_endio\n");
	tree_write(*state, "/proc/sys/kernel/kptr_restrict", "2\n");
	assert_hidden("sysctl kernel.kptr_restrict=1");
	tree_write(*state, "/proc/sys/kernel/kptr_restrict", "1\n");
	assert_hidden("CAP_SYSLOG");
	tree_write(*state, "/proc/kallsyms", "ffffffff81b30cd0 t bio_chain_endio\n");
	assert_hidden("does not have the functions");
}

int main(void)
{
	const struct CMUnitTest tests[] = {IN_TREE(addresses), IN_TREE(hidden)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
