# SPDX-License-Identifier: GPL-2.0
"""
What the probes add to one I/O, in instructions: the gates of the cost.

The guest has one CPU, and its clock advances 1 ns with each instruction (-icount shift=0). null_blk with irqmode=0
completes in the call that issues, so nothing ever waits, and the time of a read is the number of its instructions, from
the system call to its return. A reader of our own, which reads as often each time, stands in for fio under `bench`, so
that it is the workload for the probes, and under `bench --no-trace`, alone and with biolatency beside it. It reads by
pread, and by libaio, where biolatency adds the same. What is compared is the median of 15 batches of 500 reads, as
timer interrupts and what runs once a second fall on some batches. Rounds differ by up to 2 instructions, of libaio by
up to 8, also on a busy host; what is added by up to 1 from boot to boot, and the reads themselves by up to 15.

The kernel's statistics of programs, of another run, divide what was added among ours. They know how long a program
itself takes; calling it takes about as much again for each of them, so the rest is divided evenly among the calls.

Programs on system calls run for everybody. What they add to one that has nothing to do with the workload is compared
with a pair of programs that do nothing.
"""

import json
import re
import shutil
import statistics
import subprocess

import home
import machine
import results

MACHINE = machine.Machine(icount=0, cpus=1, seconds=900)
TREE = machine.GUEST.parents[2]
TEST = "RND4K-Q1T1-Read"
ROUNDS = (1, 2)
READS = 500 * 16

# Of what biolatency adds. Device alone times what it times, from D to C.
MOST_OF_BIOLATENCY = {"pread": 2.6, "libaio": 3.4}
MOST_OF_BIOLATENCY_BY_DEVICE = 0.4
ISSUE_AND_COMPLETE = ("on_issue", "on_complete")

# Instructions that they add to another program's system call beyond what empty ones do.
MOST_BEYOND_EMPTY = 40

# All boundaries; from Q to D and C; from D to C.
OURS = {"pread": ("all", "queue", "device"), "libaio": ("all",)}
WHO = {"pread": ("none", *OURS["pread"], "biolatency"), "libaio": ("none", *OURS["libaio"]),
       "getppid": ("none", "empty", "all")}


def prepare(out):
    home.build(out, "reader")
    subprocess.run(["make", "-s", "-C", TREE, "build/empty"], stdout=subprocess.DEVNULL, check=True)
    for name in ("empty", "empty_calls.bpf.o"):
        shutil.copy2(TREE / "build" / name, out)


def instructions(out, who, way):
    """Of one read or call, in each round."""
    paths = [out / f"{who}-{way}-{number}.reads" for number in ROUNDS]
    return [statistics.median(float(line) for line in path.read_text().split()) for path in paths]


def by_program(path, added):
    """Instructions per read, by name of our programs, with their share of the calling."""
    programs = [program for program in json.loads(path.read_text()) if program.get("run_cnt", 0) >= READS]
    runs = {program["name"]: program["run_cnt"] / READS for program in programs}
    inside = {program["name"]: program["run_time_ns"] / READS for program in programs}
    calling = (added - sum(inside.values())) / sum(runs.values())
    return {name: value + calling * runs[name] for name, value in inside.items()}


def counted_by_biolatency(path):
    return sum(int(count) for count in re.findall(r"-> +\d+ +: (\d+)", path.read_text(errors="replace")))


def witnesses(out):
    """That the probes ran for these reads."""
    for number in ROUNDS:
        for who, way in ((who, way) for way in OURS for who in OURS[way]):
            run = results.run_of(home.result(out / f"{who}-{way}-{number}"), TEST)
            timed = results.histogram(results.view_of(run, "read"))["count"]
            yield timed >= READS, f"round {number}: {who}: iostrata timed all reads by {way}", f"{timed} of {READS}"
            if who == "all":
                joined = results.ends(results.io_of(run, "read")).get("joined", 0)
                yield joined == timed, f"round {number}: and followed them from call to return", f"{joined} of {timed}"
        counted = counted_by_biolatency(out / f"biolatency-{number}.table")
        yield counted >= READS, f"round {number}: biolatency counted all reads", f"{counted} of {READS}"


def say_table(say, way, figures, added, programs, unit):
    say(f"instructions per {way:<10}      all    added   of {unit}")
    for who, values in figures.items():
        say(f"{who:<20}{statistics.median(values):>13.0f}{added[who]:>9.0f}{added[who] / added[unit]:>12.2f}"
            f"    rounds: {', '.join(f'{value:.1f}' for value in values)}")
        for name, value in programs.get(who, {}).items():
            say(f"  {name:<31}{value:>9.0f}{value / added[unit]:>12.2f}")


def gates(added, programs):
    unit = added["pread"]["biolatency"]
    gate = sum(programs["pread"]["device"][name] for name in ISSUE_AND_COMPLETE)
    yield (gate <= MOST_OF_BIOLATENCY_BY_DEVICE * unit,
           f"issue and completion add at most {MOST_OF_BIOLATENCY_BY_DEVICE} of what biolatency adds",
           f"{gate:.0f} of {unit:.0f} instructions")
    for way, most in MOST_OF_BIOLATENCY.items():
        yield (added[way]["all"] <= most * unit, f"all boundaries of a {way} add at most {most} of that",
               f"{added[way]['all']:.0f} of {unit:.0f} instructions")
    ours, empty = added["getppid"]["all"], added["getppid"]["empty"]
    yield min(ours, empty) >= 40, "another program's system call meets the probes", f"{ours:.1f}, {empty:.1f}"
    yield (ours <= empty + MOST_BEYOND_EMPTY,
           f"they add at most {MOST_BEYOND_EMPTY} instructions more to it than an empty pair",
           f"{ours:.1f}, empty {empty:.1f}")


def judge(out, say):
    benches = sorted(path.parent for path in out.glob("*/status"))
    failed = [folder for folder in benches if not home.done(folder)]
    yield not failed, "bench always ended well", "".join(f"{one.name}: {home.words(one)}" for one in failed)
    if failed:
        return
    added, programs = {}, {}
    for way, all_who in WHO.items():
        figures = {who: instructions(out, who, way) for who in all_who}
        added[way] = {who: statistics.median(values) - statistics.median(figures["none"])
                      for who, values in figures.items()}
        programs[way] = {who: by_program(out / f"{who}-{way}-programs.reads.after", added[way][who])
                         for who in OURS.get(way, ())}
        # Of one that was not measured for this way, the figure of the other.
        added[way].setdefault("biolatency", added["pread"]["biolatency"])
        say_table(say, way, figures, added[way], programs[way], "empty" if way == "getppid" else "biolatency")
        for who, values in figures.items():
            yield max(values) <= 1.005 * min(values), f"{way}, {who}: the rounds agree within 0.5 %", str(values)
    yield from witnesses(out)
    yield from gates(added, programs)
