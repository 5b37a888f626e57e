/* SPDX-License-Identifier: GPL-2.0 */
/* The commands: each takes its own argv and returns the exit status. */
#ifndef COMMAND_COMMAND_H
#define COMMAND_COMMAND_H

enum exit_status {
	EXIT_DONE = 0,
	EXIT_FAILED = 1,
	EXIT_UNFIT = 1, /* of doctor: it cannot work here */
	EXIT_USAGE = 2,
	EXIT_NOT_REAL = 3,	   /* of bench: done, but the figures of a run are none of the disk */
	EXIT_LIMITED = 3,	   /* of doctor: it works, with limits */
	EXIT_UNMET = 4,		   /* of bench: done, but not as --expect has it */
	EXIT_INCOMPLETE = 5,	   /* a test failed, or it can't be told whether it did as --expect has it */
	EXIT_OURS = 125,	   /* of trace, whose other ones are the program's: we failed */
	EXIT_NOT_EXECUTABLE = 126, /* of trace: the program was found and cannot be run */
	EXIT_NOT_FOUND = 127,	   /* of trace */
	EXIT_SIGNALLED = 128,	   /* plus the signal: 130 for Ctrl-C */
};

int command_bench(int argc, char **argv);
int command_trace(int argc, char **argv);
int command_compare(int argc, char **argv);
int command_report(int argc, char **argv);
int command_doctor(int argc, char **argv);

#endif
