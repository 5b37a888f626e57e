# SPDX-License-Identifier: GPL-2.0
"""
Is every I/O there, and counted once? The program is compared with what fio says, with what the kernel counts, and with
I/O of our own whose amount is known.
"""

import mmap
import os
import time

import pytest

from matrices import SIX
from results import (NOT_SEEN, check, directions, histogram, losses, queued, run_of, runs, started, started_bytes,
                     states, view_of, views)

SECTOR = 512

# A program is skipped when it interrupts itself, and this comes in bursts.
UNSEEN_AT_MOST = 0.005


def assert_identity(run):
    """Starts = completions + in flight + losses, each counted where it happens, per leaf and op."""
    assert views(run)
    for leaf, op, view in views(run):
        where = f"{run['test']}: {leaf} {op}"
        counted = sum(count for _, count in histogram(view)["buckets"])
        assert counted == histogram(view)["count"] == view["completions"], where
        assert started(view) == view["completions"] + view["in_flight_at_end"] + sum(losses(view).values()), where


def assert_nothing_lost(run):
    for leaf, op, view in views(run):
        assert set(losses(view)) <= {NOT_SEEN}, (run["test"], losses(view))
        assert losses(view).get(NOT_SEEN, 0) <= max(1, started(view) * UNSEEN_AT_MOST), (run["test"], op)
        assert view["in_flight_at_end"] == 0 and view["errors"] == {}


@pytest.mark.parametrize("test", SIX)
def test_identity(matrix, test):
    assert_identity(run_of(matrix.result, test))


@pytest.mark.parametrize("test", SIX)
def test_no_other_loss(matrix, test):
    """Among the six: 16 jobs at depth 32."""
    assert_nothing_lost(run_of(matrix.result, test))


@pytest.mark.parametrize("target", ["ext4", "raw", "own"])
@pytest.mark.parametrize("test", SIX)
def test_own_bytes_are_fios(request, target, test):
    """What the workload queued on the target's disk is what fio says it moved, to the byte."""
    run = run_of(request.getfixturevalue(f"matrix_{target}").result, test)
    # fio itself lies on the machine's own disk, and is read from there when it isn't in memory.
    slack = 16 << 20 if target == "own" else 0
    for op, figures in directions(run).items():
        assert 0 <= queued(run, "workload", op) - figures["bytes"] <= slack, op


@pytest.mark.parametrize("test", SIX)
def test_raw_device_gets_fios_bytes(matrix_raw, test):
    """Nobody else uses it: what was started is what fio moved, and nothing of the other kind."""
    run = run_of(matrix_raw.result, test)
    for op in ("read", "write"):
        moved = directions(run).get(op, {"bytes": 0})["bytes"]
        assert started_bytes(view_of(run, op)) == moved, op
        assert queued(run, "others", op) == 0, op
    assert check(run, "diskstats") == "passed"


@pytest.mark.parametrize("target", ["ext4", "own"])
@pytest.mark.parametrize("test", SIX)
def test_file_system_adds_only_what_others_queued(request, target, test):
    """The rest is metadata, the journal, and on the machine's own disk whatever else goes on there."""
    run = run_of(request.getfixturevalue(f"matrix_{target}").result, test)
    for op, figures in directions(run).items():
        more = started_bytes(view_of(run, op)) - figures["bytes"]
        # A bio queued before the recording may be issued in it and the other way round, up to a queue full of them.
        slack = 0 if target == "ext4" else 16 << 20
        others = sum(queued(run, owner, op) for owner in ("others", "writeback", "journal"))
        assert -slack <= more <= others + slack, (op, more, others)
    assert check(run, "diskstats") in ("passed", "not applicable")


@pytest.mark.parametrize("test", SIX)
def test_kernel_time_lies_between(matrix, test):
    """diskstats' time begins when the request is allocated: after the call, before the device."""
    run = run_of(matrix.result, test)
    assert check(run, "await") in ("passed", "not applicable")


@pytest.mark.parametrize("test", SIX)
def test_kernel_time_lies_between_by_our_own_sums(matrix_raw, test):
    run = run_of(matrix_raw.result, test)
    (leaf,) = run["trace"]["leaves"]
    for op, figures in directions(run).items():
        stat, view = leaf["diskstats"][op], view_of(run, op)
        device = histogram(view)["sum"] / view["completions"]
        # diskstats shows whole milliseconds of the sum over all I/Os.
        slack = 2e6 / stat["ios"]
        waited = stat["time"] / stat["ios"]
        # Completions not seen are missing from one of the two means.
        assert device <= waited * 1.01 + slack, op
        assert waited <= figures["latency"]["lat"]["mean"] * 1.01 + slack, op


def test_diskstats_before_and_after(bench, device):
    """Our own reading around a whole invocation: what was laid out and what was measured, and nothing else."""
    before = device.stat()
    outcome = bench(device, "--tests", "SEQ1M-Q8T1-Write,RND4K-Q32T16-Write", "--destroy-data", device, "--yes",
                    "--size", "32M")
    after = device.stat()
    assert outcome.done, outcome
    written = (after["written_sectors"] - before["written_sectors"]) * SECTOR
    assert written == (32 << 20) + sum(started_bytes(view_of(run, "write")) for run in runs(outcome.result))


def test_diskstats_before_and_after_reading(bench, device):
    """Reads need no layout; looking at what is on the device takes a few blocks."""
    before = device.stat()
    outcome = bench(device, "--tests", "SEQ1M-Q8T1-Read,RND4K-Q32T16-Read")
    after = device.stat()
    assert outcome.done, outcome
    assert after["written_sectors"] == before["written_sectors"]
    read = (after["read_sectors"] - before["read_sectors"]) * SECTOR
    more = read - sum(started_bytes(view_of(run, "read")) for run in runs(outcome.result))
    assert 0 <= more <= 8 << 20


def test_foreign_io_is_counted_as_such(bench, device):
    """8 MiB that we read ourselves in the middle of the run are others' to the byte, and fio's stay fio's."""
    block = 1 << 20
    with bench.start(device, "--tests", "RND4K-Q1T1-Read", "--duration", "3") as running:
        running.fio()
        time.sleep(1)
        fd = os.open(device.path, os.O_RDONLY | os.O_DIRECT)
        with mmap.mmap(-1, block) as buffer:
            for number in range(8):
                assert os.preadv(fd, [buffer], number * block) == block
        os.close(fd)
        outcome = running.end()
    assert outcome.done, outcome
    (run,) = runs(outcome.result)
    assert queued(run, "others", "read") == 8 * block
    assert queued(run, "workload", "read") == directions(run)["read"]["bytes"]
    assert started_bytes(view_of(run, "read")) == directions(run)["read"]["bytes"] + 8 * block
    assert_identity(run)
    assert_nothing_lost(run)
    assert check(run, "diskstats") == "passed"
    assert check(run, "balance") == "passed"


def test_both_directions_at_once(bench, device):
    outcome = bench(device, "--tests", "RND4K-Q8T4-Mix70", "--destroy-data", device, "--yes")
    assert outcome.done, outcome
    (run,) = runs(outcome.result)
    assert set(directions(run)) == {"read", "write"}
    for op, figures in directions(run).items():
        assert started_bytes(view_of(run, op)) == figures["bytes"] == queued(run, "workload", op)
    share = directions(run)["read"]["ios"] / sum(one["ios"] for one in directions(run).values())
    assert 0.6 < share < 0.8
    assert_identity(run)
    assert_nothing_lost(run)
    assert check(run, "diskstats") == "passed"


def test_flushes_are_kept_apart(bench, device):
    """A loop device has no FUA: every synchronous write is followed by a flush, which moves no bytes."""
    outcome = bench(device, "--tests", "RND4K-Q1T1-Write", "--write-through", "--destroy-data", device, "--yes")
    assert outcome.done, outcome
    (run,) = runs(outcome.result)
    figures, flush = directions(run)["write"], view_of(run, "flush")
    assert started_bytes(view_of(run, "write")) == figures["bytes"]
    assert started(flush) > 0 and flush["issued_bytes"] == 0
    assert started(flush) >= 0.9 * figures["ios"]
    assert_identity(run)
    assert_nothing_lost(run)
    assert check(run, "diskstats") == "passed"


@pytest.mark.parametrize("options", [("--thread",), ("--ioengine", "psync"), ("--ioengine", "io_uring")],
                         ids=["threads", "psync", "io_uring"])
def test_other_ways_to_make_the_io(bench, device, options):
    """Whoever submits it - a thread, a plain system call, a worker of io_uring - it is the workload's."""
    outcome = bench(device, "--tests", "RND4K-Q8T4-Read,SEQ1M-Q8T1-Read", *options)
    if outcome.status == 5 and "io_uring" in options and "not permitted" in outcome.stdout + outcome.stderr:
        pytest.skip("absent: io_uring is switched off here")
    assert outcome.done, outcome
    for run in runs(outcome.result):
        figures = directions(run)["read"]
        assert queued(run, "workload", "read") == figures["bytes"] == started_bytes(view_of(run, "read"))
        assert_identity(run)
        assert_nothing_lost(run)


def test_faults_are_found(matrix_faulty):
    """A build that drops every 1000th completion: the identity names exactly those."""
    assert states(matrix_faulty.result) == ["done", "done"], matrix_faulty
    for run in runs(matrix_faulty.result):
        assert_identity(run)
        dropped = sum(view["faults"] for _, _, view in views(run))
        assert dropped > 0, "too few I/Os for a fault"
        for _, op, view in views(run):
            assert view["faults_found"] == view["faults"], op
            assert losses(view).get(NOT_SEEN, 0) >= view["faults"], op
            natural = losses(view).get(NOT_SEEN, 0) - view["faults"]
            assert natural <= max(1, started(view) * UNSEEN_AT_MOST), op
            assert abs(view["faults"] - started(view) / 1000) <= max(8, started(view) / 10000), op
            assert set(losses(view)) <= {NOT_SEEN}, op
        assert check(run, "identity") == "passed"


def test_no_faults_in_a_real_build(matrix_raw):
    for run in runs(matrix_raw.result):
        assert all(view["faults"] == 0 for _, _, view in views(run))
