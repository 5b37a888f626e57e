# SPDX-License-Identifier: GPL-2.0
"""
Is every I/O of the program followed from its call to its return? fio says how many there were, and the parts of each must
add up to its total, whatever engine made it and whatever file system it went through.
"""

import pathlib
import shutil

import pytest

import machine as m
import witness as w
from results import (balanced, between, check, directions, ends, io_of, io_stage, ios, mean, notes, parts, rows, runs,
                     slowest, total_of, ways)

JOINED, UNSEEN = "joined", "completion not seen"

TESTS = ("RND4K-Q1T1-Read,RND4K-Q32T4-Write,RND4K-Q32T16-Mix50,RND4K-Q1T4-Mix50,SEQ1M-Q8T1-Read,SEQ1M-Q32T4-Write,"
         "SEQ1M-Q1T1-Mix50")

WAYS = {"libaio": "libaio", "io_uring": "io_uring", "psync": "system call", "pvsync2": "system call"}

# One reading of the clock on both sides, ns; and fio's own clock is the CPU's counter, whose rate it measures as it starts.
RESOLUTION, RATE = 1000, 0.0005


def assert_exact(run, way=None):
    """Called, returned and reported are the same number; what has all of its parts adds up to its total."""
    for op, figures in directions(run).items():
        view, where = io_of(run, op), (run["test"], op)
        assert view["called"] == sum(ends(view).values()) == figures["ios"], where
        assert balanced(view) and not view["unbegun"] and not view["in_flight_at_end"] and not view["left"], where
        assert set(ends(view)) <= {JOINED, UNSEEN}, where
        assert ends(view).get(UNSEEN, 0) <= max(w.UNSEEN_BURST, view["called"] * w.UNSEEN_AT_MOST), where
        assert view["bytes"] == figures["bytes"], where
        assert way is None or ways(view) == {way: view["called"]}, where
        assert_parts(view, figures, where)
    assert check(run, "ios") in ("passed", "warning") and check(run, "outer sum") == "passed", run["checks"]


def assert_parts(view, figures, where):
    joined, total = ends(view)[JOINED], io_stage(view, "total")
    assert total["count"] == figures["ios"], where
    assert sum(count for _, count, _ in rows(view)) == joined, where
    for part, spent in parts(view).items():
        assert sum(sums.get(part, 0) for _, _, sums in rows(view)) == spent, (where, part)
    if joined == view["called"]:
        assert sum(parts(view).values()) == total["sum"], where
    for part in ("submit", "deliver"):
        assert io_stage(view, part)["count"] == joined, (where, part)
    # What is left is the program's own, and can't be less than nothing.
    assert figures["latency"]["lat"]["mean"] - mean(total) >= -RESOLUTION - RATE * mean(total), where


def measure(bench, target, engine, tests=TESTS, *options):
    destroy = ["--destroy-data", target, "--yes"] if str(target).startswith("/dev/") else []
    outcome = bench(target, "--ioengine", engine, "--tests", tests, "--duration", "0.3", "--size", "32M", *destroy,
                    *options)
    if outcome.status == 5 and engine == "io_uring" and "not permitted" in outcome.stdout + outcome.stderr:
        pytest.skip("absent: io_uring is switched off here")
    assert outcome.done, outcome
    return runs(outcome.result)


@pytest.fixture(params=["ext4", "xfs", "raw", "own"])
def target(request, machine):
    if request.param == "ext4":
        yield machine.ext4(machine.loop(128 << 20))
    elif request.param == "xfs":
        yield w.xfs(machine, machine.loop(400 << 20))
    elif request.param == "raw":
        yield machine.loop(64 << 20)
    else:
        with w.own_folder() as folder:
            yield folder


@pytest.mark.parametrize("engine", WAYS)
def test_every_io(bench, target, engine):
    for run in measure(bench, target, engine):
        assert_exact(run, WAYS[engine])


@pytest.mark.parametrize("engine", WAYS)
def test_durable_writes(bench, machine, engine):
    """Through ext4 and on the device itself: after the data comes a flush, and the program waits for that."""
    device = machine.loop(128 << 20)
    for target in (machine.ext4(device), machine.loop(64 << 20)):
        for run in measure(bench, target, engine, "RND4K-Q1T1-Write,RND4K-Q8T2-Write", "--write-through"):
            view = io_of(run, "write")
            assert_exact(run)
            assert notes(view)["flushed"] >= 0.98 * view["called"], (target, run["test"], notes(view))
            assert io_stage(view, "sync")["count"] == notes(view)["flushed"]


@pytest.mark.parametrize("engine", WAYS)
def test_pieces_of_a_split(bench, device, engine):
    """1 MiB in 16 requests: D is the last issue, C the last completion, and what lies between the issues is spread."""
    with w.queue_setting(device.name, "max_sectors_kb", 64):
        (run,) = measure(bench, device, engine, "SEQ1M-Q8T1-Mix50")
    assert_exact(run)
    for op, figures in directions(run).items():
        view = io_of(run, op)
        assert view["requests"] == 16 * ends(view)[JOINED]
        assert notes(view)["split"] == figures["ios"]
        assert io_stage(view, "spread")["count"] == ends(view)[JOINED]
        assert io_stage(view, "spread")["sum"] < io_stage(view, "queue")["sum"]


def test_bios_of_one_io(bench, device):
    """4 MiB are several bios of one I/O."""
    for engine in WAYS:
        (run,) = measure(bench, device, engine, "SEQ4M-Q4T1-Mix50")
        assert_exact(run)


def test_merged_ios(bench, machine, device):
    """Batches of 32 neighbours are one request each, and 32 I/Os all the same."""
    witness = w.Witness(machine, device.name,
                        arguments="--iodepth_batch_submit=32 --iodepth_batch_complete_min=32")
    ((run, _),) = w.measure(bench, witness, device, "SEQ4K-Q32T1-Mix50", "--duration", "0.3")
    assert_exact(run)


def test_shared_doorbells(bench, machine, device):
    """The driver is told once of what one call submits: eight I/Os share that, or each has its own."""
    together = w.Witness.in_turn('set -- "$@" --iodepth_batch_submit=8 --iodepth_batch_complete_min=8', ":")
    witness = w.Witness(machine, device.name, before=together)
    with w.queue_setting(device.name, "scheduler", "none"):
        measured = w.measure(bench, witness, device, "RND4K-Q8T1-Read", "--iterations", "2", "--duration", "0.3")
    for (run, _), sharing in zip(measured, (8, 1)):
        assert_exact(run)
        view = io_of(run, "read")
        bells = io_stage(view, "doorbell")["count"]
        assert bells and sharing * bells * 0.95 <= view["rung"] <= sharing * bells, (bells, view["rung"])


def test_bio_based_device(bench, machine):
    """zram has no requests: Q to C is one part."""
    device = w.zram(machine, 64 << 20)
    for engine in ("libaio", "psync"):
        (run,) = measure(bench, device, engine, "RND4K-Q8T2-Mix50")
        assert_exact(run)
        for op in directions(run):
            view = io_of(run, op)
            assert io_stage(view, "through")["count"] == ends(view)[JOINED]
            assert not io_stage(view, "device") and not io_stage(view, "queue")


@pytest.mark.parametrize("arguments", ["--fixedbufs=1 --registerfiles=1", "--sqthread_poll=1", "--force_async=1",
                                       "--nonvectored=0", "--sqthread_poll=1 --registerfiles=1"])
def test_ways_of_io_uring(bench, machine, device, arguments):
    """Fixed buffers and files, a kernel thread that submits, workers that submit: the workload's, all of it."""
    witness = w.Witness(machine, device.name, arguments=arguments)
    ((run, _),) = w.measure(bench, witness, device, "RND4K-Q8T2-Mix50", "--ioengine", "io_uring", "--duration", "0.3")
    assert_exact(run, "io_uring")
    for op, figures in directions(run).items():
        assert run["trace"]["queued"]["workload"][op]["bytes"] == figures["bytes"]
        if "sqthread" in arguments:
            assert notes(io_of(run, op))["from the ring"] == figures["ios"]
        if "force_async" in arguments:
            assert notes(io_of(run, op))["by a worker"] == figures["ios"]


def test_retries_of_io_uring(bench, machine, device):
    """An attempt that may not wait fails where 1 MiB must be split; a worker queues it again: one I/O each."""
    with w.queue_setting(device.name, "max_sectors_kb", 64):
        (run,) = measure(bench, device, "io_uring", "SEQ1M-Q4T1-Read")
    view = io_of(run, "read")
    assert_exact(run)
    assert notes(view)["retried"] == notes(view)["by a worker"] == view["called"]


def test_rings_reaped_by_the_program(bench, machine, device):
    """With userspace_reap no system call returns the result: S to C is kept, and counted under that name."""
    witness = w.Witness(machine, device.name, arguments="--userspace_reap --iodepth_batch_complete_min=0")
    ((run, _),) = w.measure(bench, witness, device, "RND4K-Q4T1-Read", "--duration", "0.3")
    view, reported = io_of(run, "read"), directions(run)["read"]["ios"]
    assert view["called"] == reported and balanced(view)
    # Some are waited for in the kernel; the last ones of all are never asked for.
    known = ends(view).get("reaped in user space", 0)
    assert known > 0.5 * reported, ends(view)
    assert io_stage(view, "device")["count"] >= known
    assert view["in_flight_at_end"] <= 8


@pytest.fixture
def overlay(machine):
    point = machine.ext4(machine.loop(128 << 20))
    for name in ("lower", "upper", "work"):
        (point / name).mkdir()
    if "\toverlay\n" not in pathlib.Path("/proc/filesystems").read_text():
        pytest.skip("absent: this kernel has no overlay")
    return machine.mount("-t", "overlay", "-o", f"lowerdir={point}/lower,upperdir={point}/upper,workdir={point}/work",
                         "overlay")


@pytest.fixture
def btrfs(machine):
    if "\tbtrfs\n" not in pathlib.Path("/proc/filesystems").read_text():
        pytest.skip("absent: this kernel has no btrfs")
    if not shutil.which("mkfs.btrfs"):
        pytest.skip("absent: mkfs.btrfs isn't installed")
    device = machine.loop(256 << 20)
    m.command("mkfs.btrfs", "-q", "-f", str(device))
    return machine.mount(str(device))


@pytest.mark.parametrize("kind", ["overlay", "btrfs"])
@pytest.mark.parametrize("engine", WAYS)
def test_other_file_systems(bench, request, kind, engine):
    """
    Their bios are of their own kinds. Those of a synchronous call are told by its thread; what libaio and io_uring asked
    for is counted, with its total, as not joined.
    """
    (run,) = measure(bench, request.getfixturevalue(kind), engine, "RND4K-Q4T2-Mix50")
    for op, figures in directions(run).items():
        view = io_of(run, op)
        assert view["called"] == sum(ends(view).values()) == figures["ios"] == io_stage(view, "total")["count"]
        assert balanced(view)
        if WAYS[engine] == "system call":
            assert ends(view)[JOINED] >= 0.99 * view["called"], ends(view)
        else:
            # One whose bio a worker of the file system queued before any of ours was seen is not told from one without.
            assert ends(view).get("not joined", 0) + ends(view).get(JOINED, 0) >= 0.99 * view["called"], ends(view)
            assert set(ends(view)) <= {"not joined", JOINED, "not queued"}, ends(view)
            assert check(run, "ios") == ("warning" if "not joined" in ends(view) else "passed")


def test_slowest(bench, device):
    """Whole, sorted, their boundaries in order, and no slower one is known to the histogram."""
    (run,) = measure(bench, device, "libaio", "RND4K-Q4T2-Mix50")
    kept = slowest(run)
    totals = [total_of(record) for record in kept]
    assert len(kept) == 64 and totals == sorted(totals, reverse=True)
    assert totals[0] == max(io_stage(view, "total")["max"] for view in ios(run).values())
    for record in kept:
        at = record["boundaries"]
        order = [at[name] for name in ("S", "Q", "D", "C", "C'", "R") if name in at]
        assert order == sorted(order), record
        assert record["bytes"] == 4096 and record["requests"] >= 1
        assert record["end"] in (JOINED, UNSEEN)
        if record["end"] == JOINED:
            assert between(record, "S", "R") == sum(
                between(record, a, b) for a, b in (("S", "Q"), ("Q", "D"), ("D", "C"), ("C", "R")))


def test_stages_can_be_left_out(bench, device):
    for stages in ("device", "device,queue"):
        outcome = bench(device, "--tests", "RND4K-Q1T1-Read", "--stages", stages)
        assert outcome.done, outcome
        (run,) = runs(outcome.result)
        assert ios(run) is None


def test_faults_are_named(faulty_bench, device):
    """A build that drops every 1000th completion: those I/Os have an end, a total, and no parts."""
    (run,) = measure(faulty_bench, device, "libaio", "RND4K-Q8T4-Read")
    view, dropped = io_of(run, "read"), sum(one["faults"] for _, one in
                                             [(0, leaf["ops"]["read"]) for leaf in run["trace"]["leaves"]
                                              + run["trace"].get("above", []) if "read" in leaf["ops"]])
    assert dropped > 0
    assert view["called"] == directions(run)["read"]["ios"] and balanced(view)
    assert ends(view)[UNSEEN] >= 0.9 * dropped / max(1, len(run["trace"]["leaves"] + run["trace"].get("above", [])))
    assert io_stage(view, "total")["count"] == view["called"]
    assert io_stage(view, "device")["count"] == ends(view)[JOINED]
