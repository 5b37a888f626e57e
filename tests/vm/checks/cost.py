# SPDX-License-Identifier: GPL-2.0
"""
What the probes add to one I/O, in instructions: the gate of the cost.

The guest has one CPU, and its clock advances 1 ns with each instruction (-icount shift=0). null_blk with irqmode=0
completes in the call that issues, so nothing ever waits, and the time of a read is the number of its instructions, from
the system call to its return. A reader of our own, which reads as often each time, stands in for fio under `bench`, so
that it is the workload for the probes, and under `bench --no-trace`, alone and with biolatency beside it. What is
compared is the median of 15 batches of 500 reads, as timer interrupts and what runs once a second fall on some batches.
In eight boots, also on a busy host, rounds differed by up to 0.2 instructions and what was added by up to 1, while the
reads themselves took up to 8 more from boot to boot.

The kernel's statistics of programs, of another run, divide what was added among ours. They know how long a program
itself takes; calling it takes about as much again for each of them, so the rest is divided evenly.
"""

import json
import re
import statistics
import subprocess

import home
import machine
import results

MACHINE = machine.Machine(icount=0, cpus=1, seconds=600)
TEST = "RND4K-Q1T1-Read"
ROUNDS = (1, 2)
READS = 500 * 16

# Of what biolatency adds; both time from D to C.
MOST_OF_BIOLATENCY = 0.4
ISSUE_AND_COMPLETE = ("on_issue", "on_complete")

# With all stages, and with the device's alone.
OURS = ("all", "device")


def prepare(out):
    subprocess.run(["gcc", "-O2", "-Wall", "-Wextra", "-Werror", "-D_GNU_SOURCE", "-o", out / "reader",
                    machine.GUEST / "reader.c"], check=True)


def instructions(out, who):
    """Of one read, in each round."""
    paths = [out / f"{who}-{number}.reads" for number in ROUNDS]
    return [statistics.median(float(line) for line in path.read_text().split()) for path in paths]


def by_program(path, added):
    """Instructions per read, by name of our programs, with their share of the calling."""
    programs = [program for program in json.loads(path.read_text()) if program.get("run_cnt", 0) >= READS]
    inside = {program["name"]: program["run_time_ns"] / READS for program in programs}
    calling = (added - sum(inside.values())) / len(inside)
    return {name: value + calling for name, value in inside.items()}


def counted_by_biolatency(path):
    return sum(int(count) for count in re.findall(r"-> +\d+ +: (\d+)", path.read_text(errors="replace")))


def witnesses(out):
    """That the probes ran for these reads."""
    for number in ROUNDS:
        for who in OURS:
            run = results.run_of(home.result(out / f"{who}-{number}"), TEST)
            timed = results.histogram(results.view_of(run, "read"))["count"]
            yield timed >= READS, f"round {number}: {who}: iostrata timed all reads", f"{timed} of {READS}"
        counted = counted_by_biolatency(out / f"biolatency-{number}.table")
        yield counted >= READS, f"round {number}: biolatency counted all reads", f"{counted} of {READS}"


def say_table(say, figures, added, programs):
    say("instructions per read         all    added   of biolatency")
    for who, values in figures.items():
        say(f"{who:<20}{statistics.median(values):>13.0f}{added[who]:>9.0f}{added[who] / added['biolatency']:>12.2f}"
            f"    rounds: {', '.join(f'{value:.1f}' for value in values)}")
        for name, value in programs.get(who, {}).items():
            say(f"  {name:<31}{value:>9.0f}{value / added['biolatency']:>12.2f}")


def judge(out, say):
    benches = sorted(path.parent for path in out.glob("*/status"))
    failed = [folder for folder in benches if home.status(folder)]
    yield not failed, "bench always ended with status 0", "".join(f"{one.name}: {home.words(one)}" for one in failed)
    if failed:
        return
    figures = {who: instructions(out, who) for who in ("none", *OURS, "biolatency")}
    added = {who: statistics.median(values) - statistics.median(figures["none"]) for who, values in figures.items()}
    programs = {who: by_program(out / f"{who}-programs.reads.after", added[who]) for who in OURS}
    say_table(say, figures, added, programs)
    yield from witnesses(out)
    for who, values in figures.items():
        yield max(values) <= 1.005 * min(values), f"{who}: the rounds agree within 0.5 %", str(values)
    gate = sum(programs["device"][name] for name in ISSUE_AND_COMPLETE)
    yield (gate <= MOST_OF_BIOLATENCY * added["biolatency"],
           f"issue and completion add at most {MOST_OF_BIOLATENCY} of what biolatency adds",
           f"{gate:.0f} of {added['biolatency']:.0f} instructions")
