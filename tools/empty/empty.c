// SPDX-License-Identifier: GPL-2.0
/* Loads and attaches the programs of the object that is named, says so on a line, and holds them until it is ended. */
#include <stdio.h>
#include <unistd.h>

#include <bpf/libbpf.h>

int main(int argc, char **argv)
{
	struct bpf_object *object = argc == 2 ? bpf_object__open(argv[1]) : NULL;
	struct bpf_program *program;

	if (!object || bpf_object__load(object)) {
		fprintf(stderr, "empty: cannot load %s\n", argc == 2 ? argv[1] : "(no object named)");
		return 1;
	}
	bpf_object__for_each_program(program, object) {
		if (!bpf_program__attach(program)) {
			fprintf(stderr, "empty: cannot attach %s\n", bpf_program__name(program));
			return 1;
		}
	}
	puts("attached");
	fflush(stdout);
	pause();
	return 0;
}
