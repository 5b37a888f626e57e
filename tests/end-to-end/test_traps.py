# SPDX-License-Identifier: GPL-2.0
"""
What makes requests hard to count: each happens here, as often as we want it to, and is counted under its name. Those
that this kind of machine can't make are listed at the end.
"""

import errno
import mmap
import os

import pytest

import machine as m
import witness as w
from results import check, directions, started

READ = "RND4K-Q1T1-Read"
BLOCK = 4096

# Time enough for what a test does while fio runs, on a busy machine, too.
BUSY = ("--duration", "1.2")


def measure_one(bench, machine, device, test=READ, *options, during=None, **more):
    """One run on a quiet device, held against the kernel's count; its only layer."""
    witness = w.Witness(machine, device.name, **more)
    ((run, kernel),) = w.measure(bench, witness, device, test, *(options or ("--duration", "0.3")), during=during)
    layer = w.layers(run)[device.name]
    w.assert_equal(layer, kernel[device.name])
    w.assert_closed(run)
    assert check(run, "diskstats") == "passed", run["checks"]
    return run, layer


def read_blocks(device, offsets):
    """Reads one block at each offset; how often that failed, by errno."""
    failures = {}
    fd = os.open(str(device), os.O_RDONLY | os.O_DIRECT)
    try:
        with mmap.mmap(-1, BLOCK) as buffer:
            for offset in offsets:
                try:
                    assert os.preadv(fd, [buffer], offset) in (512, BLOCK)
                except OSError as error:
                    failures[error.errno] = failures.get(error.errno, 0) + 1
    finally:
        os.close(fd)
    return failures


# --- one bio, several requests, and the other way round ---


def test_splits(bench, machine, device):
    """1 MiB in pieces of 64 KiB: 16 requests each, all of which find their way back to the bio."""
    with w.queue_setting(device.name, "max_sectors_kb", 64):
        run, layer = measure_one(bench, machine, device, "SEQ1M-Q8T1-Mix50")
    for op, figures in directions(run).items():
        view, bios = layer["ops"][op], layer["ops"][op]["bios"]
        assert bios["queued"] == w.bios_ended(view) == figures["ios"]
        assert bios["requests"] == 16 * bios["finished"]
        assert started(view) == bios["walked"] == 16 * figures["ios"]
        assert bios["unqueued"] == bios["walk_over"] == bios["ended_early"] == 0
        assert view["stages"]["queue"]["count"] == bios["finished"]


def test_splits_below_a_file_system(bench, machine):
    device = machine.loop(128 << 20)
    point = machine.ext4(device, "-o", "noatime,commit=300")
    witness = w.Witness(machine, device.name)
    with w.queue_setting(device.name, "max_sectors_kb", 64):
        ((run, kernel),) = w.measure(bench, witness, point, "SEQ1M-Q8T1-Read", "--duration", "0.3")
    layer = w.layers(run)[device.name]
    w.assert_equal(layer, kernel[device.name])
    w.assert_closed(run)
    # Where the file isn't in one piece, an I/O is several bios, each cut for itself.
    view, bios = layer["ops"]["read"], layer["ops"]["read"]["bios"]
    assert directions(run)["read"]["ios"] <= bios["queued"] == w.bios_ended(view)
    assert 16 * directions(run)["read"]["ios"] <= started(view) == bios["walked"]
    assert bios["finished"] < bios["requests"] <= bios["walked"]
    assert bios["unqueued"] == bios["walk_over"] == 0


def test_merges(bench, machine, device):
    """Batches of 32 neighbours: one request each, whose bios are all found."""
    run, layer = measure_one(bench, machine, device, "SEQ4K-Q32T1-Write",
                             arguments="--iodepth_batch_submit=32 --iodepth_batch_complete_min=32")
    for op, figures in directions(run).items():
        view, bios = layer["ops"][op], layer["ops"][op]["bios"]
        assert bios["queued"] == bios["walked"] == w.bios_ended(view) == figures["ios"]
        assert bios["requests"] == bios["finished"]
        assert started(view) == w.ended(view) <= figures["ios"] / 16
        assert bios["unqueued"] == bios["walk_over"] == 0
        assert view["stages"]["queue"]["count"] == bios["finished"]


@pytest.mark.parametrize("scheduler", ["mq-deadline", "bfq", "kyber"])
def test_schedulers(bench, machine, device, scheduler):
    """Four tags for 32 I/Os at once: they wait and are sorted, and none is lost."""
    with open(f"/sys/block/{device.name}/queue/scheduler") as file:
        if scheduler not in file.read():
            pytest.skip(f"absent: this kernel has no {scheduler}")
    with w.queue_setting(device.name, "scheduler", scheduler), w.queue_setting(device.name, "nr_requests", 4):
        run, layer = measure_one(bench, machine, device, "RND4K-Q16T2-Mix70", "--write-through", "--duration", "0.3")
    for op, figures in directions(run).items():
        view, bios = layer["ops"][op], layer["ops"][op]["bios"]
        assert bios["queued"] == bios["walked"] == w.bios_ended(view) == figures["ios"]
        assert started(view) <= figures["ios"]
        assert bios["unqueued"] == 0


# --- requests that come round again ---


def test_partial_completions(bench, machine, device):
    """
    A read across the end of the loop device's file: its first sector completes, the request goes back to the queue with
    the rest, is issued again and fails. Behind it there is nothing to be read: it fails at once.
    """
    os.truncate(device.image, (48 << 20) + 512)
    offsets = [48 << 20] * 5 + list(range(49 << 20, (49 << 20) + 32 * BLOCK, BLOCK))
    failures = []
    run, layer = measure_one(bench, machine, device, READ, *BUSY,
                             during=lambda _: failures.append(read_blocks(device, offsets)))
    assert failures == [{errno.EIO: len(offsets)}]
    view, ends = layer["ops"]["read"], directions(run)["read"]["ios"] + len(offsets)
    assert set(view["errors"]) == {"EIO"}
    assert len(offsets) - sum(view["losses"].values()) <= view["errors"]["EIO"] <= len(offsets)
    assert view["partial"] == view["requeues"] == 5
    assert view["requeued_bytes"] == 5 * (BLOCK - 512)
    assert view["issues"] - 5 == w.ended(view) == ends
    assert view["bios"]["walked"] == w.bios_ended(view) == ends
    assert view["bios"]["requests"] == view["bios"]["finished"]


def test_requeues(bench, machine):
    """More at once than the ring of the machine's own disk holds: what the driver gives back counts once."""
    with w.own_folder() as folder:
        witness = w.Witness(machine, arguments="--iodepth_batch_submit=256 --iodepth_batch_complete_min=256")
        before = w.now()
        ((run, kernel),) = w.measure(bench, witness, folder, "RND4K-Q256T2-Read", "--size", "8M", "--duration", "0.6")
        leaf = w.assert_own_disk(run, kernel, w.between(before, w.now()))
    view = leaf["ops"]["read"]
    assert view["issues"] - view["requeues"] == (view["completions"] + view["in_flight_at_end"]
                                                 + sum(view["losses"].values()))
    assert view["issued_bytes"] - view["requeued_bytes"] >= directions(run)["read"]["bytes"]
    if not view["requeues"]:
        pytest.skip(f"absent: {leaf['device']} took all that it was given")


# --- errors ---


def test_unsupported(bench, machine, device):
    """A file in memory can't zero a range and keep it, so that the kernel writes zeroes after one failure."""
    zero = ("blkdiscard", "-f", "-z", "-o", "40M", "-l", "1M", "--step", "64K", str(device))
    _, layer = measure_one(bench, machine, device, READ, *BUSY, during=lambda _: m.command(*zero))
    zeroes = layer["ops"].get("write-zeroes")
    if not zeroes or not zeroes["errors"]:
        pytest.skip("absent: this kernel's loop devices zero ranges of files in memory, or never try to")
    assert zeroes["errors"] == {"EOPNOTSUPP": 1} and zeroes["completions"] == zeroes["issues"] == 1
    assert w.requests_started(layer, "write") == w.Count(16, (1 << 20) // w.SECTOR)
    assert layer["ops"]["write"]["errors"] == {}


def test_a_program_that_fails(bench, machine, device):
    """The file is cut under fio itself: a clear end."""
    with bench.start(*w.words_for(w.Witness(machine, device.name), device, READ, "--duration", "20")) as running:
        running.fio()
        os.truncate(device.image, 1 << 20)
        outcome = running.end()
    assert outcome.status == 5, outcome
    assert outcome.result["runs"][0]["state"] != "done"
    assert os.strerror(errno.EIO) in outcome.stdout + outcome.stderr, outcome


# --- flushes ---


def test_empty_flushes(bench, machine, device):
    """Each fsync is a bio without data and a flush request; the bio itself is never issued, and ends with 0 bytes."""

    def sync(_):
        fd = os.open(str(device), os.O_RDONLY)
        for _ in range(7):
            os.fsync(fd)
        os.close(fd)

    _, layer = measure_one(bench, machine, device, READ, *BUSY, during=sync)
    flush = layer["ops"]["flush"]
    assert flush["bios"]["queued"] == flush["bios"]["empty"] == 7
    assert flush["issues"] == w.ended(flush) == 7
    assert flush["issued_bytes"] == 0 and "queue" not in flush["stages"]
    assert sum(view["flush_ends"] for view in layer["ops"].values()) == 7
    assert all(view["unissued"] == 0 for view in layer["ops"].values())


def test_emulated_fua(bench, machine, device):
    """A synchronous write to a device without FUA completes twice, the second time with 0 bytes, after a flush."""
    run, layer = measure_one(bench, machine, device, "RND4K-Q1T1-Write", "--write-through", "--duration", "0.3")
    ios, write, flush = directions(run)["write"]["ios"], layer["ops"]["write"], layer["ops"]["flush"]
    assert write["issues"] == w.ended(write) == ios
    assert ios - w.UNSEEN_BURST <= write["flush_ends"] <= ios
    assert flush["issues"] == w.ended(flush) == ios and flush["flush_ends"] == 0
    for view in (write, flush):
        assert view["stages"]["device"]["count"] == view["completions"]
    # The flush is a request that the block layer makes, of no bio.
    assert flush["bios"]["queued"] == flush["bios"]["walked"] == 0


def test_journal_commits(bench, machine):
    """ext4 writes its commit block with a flush before it and FUA."""
    device = machine.loop(128 << 20)
    point = machine.ext4(device, "-o", "noatime,commit=300")
    commit = f"touch {point}/new; sync -f {point}; rm {point}/new; sync -f {point}"
    witness = w.Witness(machine, device.name, beside=commit)
    ((run, kernel),) = w.measure(bench, witness, point, READ, "--duration", "0.6")
    layer = w.layers(run)[device.name]
    w.assert_equal(layer, kernel[device.name])
    w.assert_closed(run)
    write, flush = layer["ops"]["write"], layer["ops"]["flush"]
    # Two commits, each a flush before and one behind its block.
    assert flush["issues"] == w.ended(flush) == kernel[device.name]["flush"].ios >= 4
    assert write["flush_ends"] >= 2 and w.ended(write) == write["issues"]


# --- what needs another machine ---


ABSENT = {
    "NVMe multipath": "NVMe with two controllers of one subsystem",
    "passthrough": "NVMe or SCSI, whose drivers send commands of their own",
    "tags shared by a host": "several SCSI disks behind one host",
    "bio-based md and its split children": "a kernel with md and dm",
    "native FUA": "a disk with FUA: NVMe, SCSI",
}


@pytest.mark.parametrize("trap", ABSENT)
def test_elsewhere(trap):
    pytest.skip(f"absent: {trap} needs a virtual machine that has {ABSENT[trap]}: tests/vm")
