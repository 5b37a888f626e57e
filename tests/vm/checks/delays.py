# SPDX-License-Identifier: GPL-2.0
"""
Delays that are known must lie in their stage, within 2 %, and in no other: those have to stay below 2 % of the delay.
The clock counts instructions, so neither the host's load nor its speed is in it.

null_blk completes by a timer of its own: 5 ms, or 10 ms. Four tags among sixteen readers let each of them wait for
three rounds. dm-delay counts in ticks of 4 ms, and an I/O that follows another begins just after one: 100 ms are 26
ticks. A limit of 200 I/Os a second is 5 ms for each that is in flight; blk-throttle lets some pass at once and holds
the next one back for them all, so that means are over all I/Os, not over those that were held back.
"""

import dataclasses

import home
import ios
import machine
import results

MACHINE = machine.Machine(icount=1, cpus=1, seconds=900)
PACKAGES = ("mdadm",)
TOLERANCE = 0.02


@dataclasses.dataclass
class Case:
    name: str  # of the script
    engine: str
    known: dict  # ms of the parts of an I/O whose length is known
    test: str = "RND4K-Q1T1-Read"
    inside: dict = dataclasses.field(default_factory=dict)  # the same of stages that lie inside of others


def of_both(name, known, test="RND4K-Q1T1-Read"):
    return [Case(name, engine, known, test) for engine in ("libaio", "psync")]


def limited(engine, test, depth):
    return Case("limit", engine, {"submit": 5 * depth}, test, {"throttled": 5 * depth})


WRITE = "RND4K-Q1T1-Write"

CASES = [
    *of_both("device", {"device": 5}),
    *of_both("tags", {"queue": 15, "device": 5}, "RND4K-Q1T16-Read"),
    *of_both("raid", {"through": 5}),
    Case("mapper", "psync", {"through": 104}),
    # libaio asks for FUA, of which the kernel makes a flush; a call that waits asks for another flush in the end.
    Case("fua", "libaio", {"device": 10, "sync": 10}, WRITE),
    Case("fua", "psync", {"device": 10, "sync": 20}, WRITE),
    *of_both("file", {"device": 10, "sync": 10}, WRITE),
    Case("flush", "psync", {"sync": 104}, WRITE),
    limited("libaio", "RND4K-Q1T1-Read", 1),
    limited("libaio", "RND4K-Q4T1-Read", 4),
    limited("psync", "RND4K-Q1T1-Read", 1),
    limited("psync", "RND4K-Q1T4-Read", 4),
]


def prepare(out):
    home.build(out, "idler")


def per_io(view, stage):
    """Its mean over all I/Os of the view, in ms."""
    return (results.io_stage(view, stage) or {"sum": 0})["sum"] / view["called"] / 1e6


def is_near(value, known):
    return abs(value - known) <= TOLERANCE * known


def delays(case, view):
    parts = {part: per_io(view, part) for part in results.PARTS}
    shown = ", ".join(f"{part} {value:.4f}" for part, value in parts.items())
    for part, known in case.known.items():
        yield is_near(parts[part], known), f"{part} takes {known} ms", shown
    for stage, known in case.inside.items():
        value = per_io(view, stage)
        yield is_near(value, known), f"{stage} takes {known} ms", f"{value:.4f}"
    limit = TOLERANCE * max(case.known.values())
    yield (all(value < limit for part, value in parts.items() if part not in case.known),
           f"no other part takes {limit:.2f} ms", shown)


def outer_sum(view, figures):
    inner, outer = results.mean(results.io_stage(view, "total")), figures["latency"]["lat"]["mean"]
    yield inner <= outer, "the engine's latency is no less than from call to return", f"{inner}, {outer}"


def judge(out, say):
    for case in CASES:
        title, folder = f"{case.name}, {case.engine}, {case.test}", out / f"{case.name}-{case.engine}"
        yield home.done(folder), f"{title}: it ended well", home.words(folder)
        if home.status(folder):
            continue
        run = results.run_of(home.result(folder), case.test)
        ((op, figures),) = results.directions(run).items()
        view = results.io_of(run, op)
        say(f"{title}: " + ", ".join(f"{part} {per_io(view, part):.4f}" for part in results.PARTS) + " ms")
        for part in (ios.counts(view, figures, ios.WAYS[case.engine]), ios.sums(view), outer_sum(view, figures),
                     delays(case, view)):
            for passed, text, detail in part:
                yield passed, f"{title}: {text}", detail
