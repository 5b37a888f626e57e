# SPDX-License-Identifier: GPL-2.0
"""
What limits a run is known because we set it: each limit is named, and a run without it says nothing of the kind. What
is slow without using a CPU is a device whose lower one is held back by a cgroup: it does so many I/Os a second.
"""

import os
import re

import pytest

import witness as w
from results import check, runs, sentence, total

TAGS = 4


@pytest.fixture
def slow(machine):
    """(device, limit on what lies below it): seen from the device, a slow disk."""
    device, lower = w.loop_on_loop(machine, "--direct-io=on")
    machine.stack.enter_context(w.queue_setting(device.name, "scheduler", "none"))
    return device, machine.limit(lower)


def limited(bench, machine, target, tests, *options, before="", beside="", limit=None):
    """Runs in the limit's cgroup."""
    join = limit.join if limit else ":"
    witness = w.Witness(machine, before=f"{join}\n{before}", beside=beside)
    outcome = bench(target, "--fio-path", witness.fio, "--tests", tests, "--read-only", *options)
    assert outcome.done, outcome
    return outcome


def undisturbed(measure, suits=lambda run: True):
    """
    The run of whatever `measure` does, once no CPU was busy: where other programs keep them all at work, those that do
    a loop device's I/O have to wait for one, and that is what limits.
    """
    for _ in range(3):
        all_of_it = runs(measure().result)
        if all(check(run, "cpu") == "passed" and "the CPU was a limit" not in sentence(run, "cpu") and suits(run)
               for run in all_of_it):
            return all_of_it[-1]
    pytest.skip("absent: a CPU that nothing else keeps busy")


def even(run):
    """Whether its seconds, but the first and the last, are of the same length: a late sample has more I/Os."""
    counts = [sample["disk_ios"] for sample in run["samples"][1:-1]]
    return max(counts) - min(counts) <= 0.02 * max(counts)


def what_limits(run):
    text = sentence(run, "limit")
    return (text[:1].lower() + text[1:]).removesuffix(".")


def found(run, name):
    (one,) = [one for one in run["checks"] if one["name"] == name]
    return one["found"]


# --- depth ---


def test_few_requests(bench, machine, slow):
    device, limit = slow
    machine.stack.enter_context(w.queue_setting(device.name, "nr_requests", TAGS))
    run = undisturbed(lambda: limited(bench, machine, device, "RND4K-Q32T1-Read", "--duration", "2",
                                      before=limit.words(400), limit=limit))
    reached = re.fullmatch(rf"([\d.]+) at {device.name}", found(run, "depth"))
    assert 3 <= float(reached[1]) <= TAGS, found(run, "depth")
    assert re.fullmatch(rf"the queue of {device.name}, full with [\d.]+ of the {TAGS} requests that it may have "
                        r"\(queue/nr_requests\)", what_limits(run)), what_limits(run)
    assert check(run, "depth") == check(run, "limit") == "passed"


def test_depth_is_reached(bench, machine, slow):
    """The same with room for all: what limits is the device."""
    device, limit = slow
    machine.stack.enter_context(w.queue_setting(device.name, "nr_requests", 128))
    run = undisturbed(lambda: limited(bench, machine, device, "RND4K-Q32T1-Read", "--duration", "2",
                                      before=limit.words(400), limit=limit))
    assert what_limits(run).startswith("the device: "), what_limits(run)


def test_one_at_a_time(bench, device):
    outcome = bench(device, "--tests", "RND4K-Q32T1-Read", "--read-only", "--ioengine", "psync")
    (run,) = runs(outcome.result)
    assert what_limits(run) == ("the engine: psync has one I/O in flight for each job, whatever the depth. Use libaio "
                                "or io_uring, or more jobs (T32)")


# --- size ---


@pytest.mark.parametrize("size, requests", [("1M", 4), ("256K", 1)])
def test_cut_by_size(bench, machine, device, size, requests):
    machine.stack.enter_context(w.queue_setting(device.name, "max_sectors_kb", 256))
    outcome = bench(device, "--tests", f"SEQ{size}-Q1T1-Read", "--read-only")
    (run,) = runs(outcome.result)
    if requests == 1:
        assert sentence(run, "splits").startswith("One I/O is one request"), sentence(run, "splits")
    else:
        assert sentence(run, "splits") == (f"4.00 requests per I/O: {device.name} takes 256 KiB at once "
                                           "(queue/max_sectors_kb).")


# --- the CPU ---


BUSY = r"the CPU: CPU \d+ was \d+ % busy"


def test_all_cpus(bench, device):
    """In memory each I/O is work of the CPU, and there is always another one."""
    if os.cpu_count() > 8:
        pytest.skip("absent: 16 jobs may not keep so many CPUs busy")
    # fio's start and end are part of a run, too: they must not be a tenth of it. And on a shared machine the CPUs may not
    # be had for all of it: what limits then is not to be seen from here.
    for _ in range(5):
        outcome = bench(device, "--tests", "RND4K-Q32T16-Read", "--read-only", "--duration", "8")
        (run,) = runs(outcome.result)
        if re.match(BUSY, what_limits(run)):
            break
    assert re.match(BUSY, what_limits(run)), what_limits(run)
    assert check(run, "cpu") in ("passed", "warning") and re.search(r"CPU \d+ was \d+ % busy", sentence(run, "cpu"))


# --- a cap ---

LONG, AT = 12, 4


def second_of(text):
    return int(re.search(r"From second (\d+) on throughput was \d+ % lower\.", text)[1])


def test_cap_of_a_cgroup(bench, machine, device):
    limit = machine.limit(device)
    outcome = limited(bench, machine, device, "RND4K-Q8T1-Read", "--duration", "2", before=limit.words(300),
                      limit=limit)
    (run,) = runs(outcome.result)
    assert check(run, "cap") == "warning"
    assert sentence(run, "cap").startswith("A cgroup's limit (io.max, or blkio.throttle) held ")
    assert what_limits(run).startswith("a cgroup's limit, which held ")


def test_cap_below(bench, machine, slow):
    """It can't be seen, but blocks of another size would have another rate if it were the disk's own."""
    device, limit = slow
    run = undisturbed(lambda: limited(bench, machine, device, "RND4K-Q8T1-Read,RND64K-Q8T1-Read", "--duration", "8",
                                      before=limit.words(500), limit=limit), even)
    assert check(run, "cap") == "warning", sentence(run, "cap")
    assert sentence(run, "cap").startswith("The rate was flat at 500 IOPS, and that of RND4K-Q8T1-Read is the same: ")


@pytest.mark.parametrize("where", ["on it", "below it"])
def test_cliff(bench, machine, slow, where):
    device, below = slow
    limit = machine.limit(device) if where == "on it" else below
    # Both begin with as much as the machine can.
    outcome = limited(bench, machine, device, "RND4K-Q8T1-Read", "--duration", LONG,
                      beside=f"sleep {AT}; {limit.words(500)}", limit=limit)
    (run,) = runs(outcome.result)
    assert check(run, "cap") == "warning", sentence(run, "cap")
    assert abs(second_of(sentence(run, "cap")) - AT) <= 1, sentence(run, "cap")
    assert check(run, "steady") == "not applicable", sentence(run, "steady")


def test_no_cliff(bench, machine, slow):
    device, _ = slow
    outcome = limited(bench, machine, device, "RND4K-Q8T1-Read", "--duration", LONG)
    (run,) = runs(outcome.result)
    assert check(run, "cap") == "passed", sentence(run, "cap")
    assert "second" not in sentence(run, "steady"), sentence(run, "steady")


# --- a sweep ---


def test_knee_of_a_cap(bench, machine, device):
    """The same at each depth: the first one is the knee."""
    limit = machine.limit(device)
    witness = w.Witness(machine, before=f"{limit.join}\n{limit.words(500)}")
    outcome = bench(device, "--fio-path", witness.fio, "--read-only", "--sweep", "1,2,4,8", "--duration", "2")
    assert outcome.done, outcome
    rates = [total(run, "ios_per_second") for run in runs(outcome.result)]
    assert max(rates) <= 1.1 * min(rates), rates
    assert "The knee is at depth 1: " in " ".join(outcome.stdout.split()), outcome
