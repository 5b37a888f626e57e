// SPDX-License-Identifier: GPL-2.0
#include "symbols.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "host/files.h"

#define ROW(id, symbol) [SYMBOL_##id] = (symbol),
static const char *const symbol_name[SYMBOLS] = {IOSTRATA_SYMBOLS(ROW)};
#undef ROW

const char *symbols_name(enum symbol symbol)
{
	return symbol_name[symbol];
}

/* A kernel that clang linked as a whole appends ".llvm." and a number to the names of static functions. */
static bool is_named(const char *name, size_t length, const char *wanted)
{
	size_t whole = strlen(wanted);

	return length >= whole && !memcmp(name, wanted, whole) &&
	       (length == whole || !strncmp(name + whole, ".llvm.", strlen(".llvm.")));
}

/* "ffffffff81b30cd0 t bio_chain_endio", for those of modules with a tab and the module's name behind. */
static void read_line(const char *line, uint64_t symbol[SYMBOLS])
{
	char *end;
	uint64_t address = strtoull(line, &end, 16);
	size_t length;

	if (end[0] != ' ' || !end[1] || end[2] != ' ')
		return;
	end += 3;
	length = strcspn(end, " \t\n");
	for (int i = 0; i < SYMBOLS; i++)
		if (!symbol[i] && is_named(end, length, symbol_name[i]))
			symbol[i] = address;
}

void symbols_read(uint64_t symbol[SYMBOLS])
{
	char *path = host_path("/proc/kallsyms"), *line = NULL;
	FILE *file = fopen(path, "re");
	size_t room = 0;

	free(path);
	memset(symbol, 0, SYMBOLS * sizeof(*symbol));
	while (file && getline(&line, &room, file) > 0)
		read_line(line, symbol);
	free(line);
	if (file)
		fclose(file);
}

char *symbols_hidden(const uint64_t symbol[SYMBOLS])
{
	static const char what[] =
		"I/Os of libaio and io_uring, and direct ones through file systems, cannot be joined";
	uint64_t restricted = 0;

	if (symbol[SYMBOL_AIO] || symbol[SYMBOL_URING] || symbol[SYMBOL_IOMAP])
		return NULL;
	if (!host_exists("/proc/kallsyms"))
		return xasprintf("%s: this kernel has no /proc/kallsyms: use one that is built with CONFIG_KALLSYMS=y",
				 what);
	if (symbol[SYMBOL_CHAIN] || symbol[SYMBOL_BLKDEV])
		return xasprintf("%s: this kernel does not have the functions that they are known by", what);
	host_read_number(&restricted, "/proc/sys/kernel/kptr_restrict");
	if (restricted > 1)
		return xasprintf("%s: the kernel hides its addresses: sysctl kernel.kptr_restrict=1 shows them to root",
				 what);
	return xasprintf("%s: the kernel hides its addresses from who lacks CAP_SYSLOG: run it as root, or add that "
			 "capability",
			 what);
}
