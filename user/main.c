// SPDX-License-Identifier: GPL-2.0
#include <stdio.h>
#include <string.h>

#include "base/log.h"
#include "version.h"

int main(int argc, char **argv)
{
	if (argc == 2 && (!strcmp(argv[1], "-V") || !strcmp(argv[1], "--version"))) {
		puts("iostrata " IOSTRATA_VERSION);
		return 0;
	}
	log_error("no commands yet: try iostrata --version");
	return 2;
}
