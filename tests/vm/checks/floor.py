# SPDX-License-Identifier: GPL-2.0
"""
The floor where it is known: null_blk completes by a timer, and the clock counts instructions, so that neither the
host's load nor its speed is in it. A device that takes 5 ms for each block has its floor there, and random reads on it
too. One whose first block lies on a device of 0.1 ms, by dm-linear, has it there, and random reads take 4.9 ms more: a
call, timer and interrupt are the same for both.
"""

import home
import machine
import results

# Without a hypervisor, as far as it knows: in a virtual machine a block is also read twice in a row, which is no faster
# here, and then nothing is concluded.
MACHINE = machine.Machine(icount=1, cpus=1, cpu="max,-hypervisor", seconds=900)
# What a call, the timer and the interrupt add to a read, at the most.
ADDED = 60_000
TOLERANCE = 0.005


def prepare(out):
    home.build(out, "idler")


def takes(times, known):
    return known <= times["median"] <= known + ADDED


def is_near(value, known):
    return abs(value - known) <= TOLERANCE * known


def shown(times):
    return (f"{times['reads']} reads, least {times['least']}, median {times['median']}, p99 {times['p99']}, "
            f"mean {times['mean']:.0f}")


def of_case(out, say, name):
    folder = out / name
    same, random, asked, reached = results.floor(home.result(folder))
    say(f"{name}: the same block: {shown(same)}; random ones: {shown(random)}; {reached} of {asked} at a disk")
    yield home.done(folder), f"{name}: it ended well", home.words(folder)
    yield min(same["reads"], random["reads"]) >= 50, f"{name}: there were reads", f"{shown(same)}, {shown(random)}"
    yield asked - 2 <= reached <= asked, f"{name}: all of them reached a disk", f"{reached} of {asked}"


def level(out):
    same, random, _, _ = results.floor(home.result(out / "level"))
    words = home.words(out / "level")
    yield takes(same, 5_000_000), "level: the same block takes 5 ms", shown(same)
    yield takes(random, 5_000_000), "level: so does a random one", shown(random)
    yield is_near(random["mean"], same["mean"]), "level: their means are the same", f"{shown(same)}, {shown(random)}"
    yield "nothing of the medium shows" in " ".join(words.split()), "level: that is said", words


def near(out):
    same, random, _, _ = results.floor(home.result(out / "near"))
    words = " ".join(home.words(out / "near").split())
    yield takes(same, 100_000), "near: the first block takes 0.1 ms", shown(same)
    yield takes(random, 5_000_000), "near: a random one takes 5 ms", shown(random)
    # A random one may be the first, too: one of 4096.
    yield (is_near(random["median"] - same["median"], 4_900_000), "near: they lie 4.9 ms apart",
           f"{shown(same)}, {shown(random)}")
    yield 0.97 < (random["mean"] - same["mean"]) / 4_900_000 < 1.01, "near: so do the means, nearly", \
        f"{shown(same)}, {shown(random)}"
    bound = random["mean"] - same["mean"]
    yield f"at most {bound / 1e6:.3f} ms the medium" in words, "near: that is the bound that is told", words


def judge(out, say):
    for name in ("level", "near"):
        yield from of_case(out, say, name)
    yield from level(out)
    yield from near(out)
