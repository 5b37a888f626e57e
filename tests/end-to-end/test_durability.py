# SPDX-License-Identifier: GPL-2.0
"""
What was asked to be durable, and what each layer got for it: a file system on a loop device of our own, whose file is
on the machine's disk. Nobody else uses the loop device, so there the kernel's own counts must be those of the ledger.
"""

import os
import pathlib
import re
import sys

import pytest

import machine as m
import witness as w
from results import (asked, call_of, check, flushed, foreign_bytes, foreigners, program, queued, reached, runs, sentence, started,
                     started_bytes, synchronous, validate)

PYTHON = sys.executable
BLOCK, MIB = 4096, 1 << 20
CACHED, UNCACHED = "write back", "write through"

# What a database does: its journal first, then the table.
DATABASE = """
import os, sys
table, journal = (os.open(sys.argv[1][7:] + name, os.O_RDWR | os.O_CREAT) for name in ("", ".journal"))
for i in range(int(sys.argv[2])):
    os.pwrite(journal, b"j" * 4096, 0)
    os.fdatasync(journal)
    os.pwrite(table, b"t" * 4096, 4096 * i)
    os.fsync(table)
"""


class Disk:
    """An ext4 that writes nothing by itself, on a loop device with direct I/O over a file on the machine's disk."""

    def __init__(self, machine, cache):
        folder = machine.stack.enter_context(w.own_folder())
        self.machine, self.cache = machine, cache
        self.below = w.disk_of(folder)
        self.loop = machine.loop(512 * MIB, "--direct-io=on", folder=folder)
        machine.stack.enter_context(w.queue_setting(self.loop.name, "write_cache", CACHED))
        self.set_cache(cache)
        self.point = machine.ext4(self.loop, "-o", "noatime,commit=300,noinit_itable")
        self.file = self.point / "file"

    def set_cache(self, cache):
        pathlib.Path(f"/sys/block/{self.loop.name}/queue/write_cache").write_text(cache)
        self.cache = cache

    def fill(self, size):
        self.file.write_bytes(os.urandom(size))

    def rest(self):
        m.command("sync", "-f", self.point)

    @property
    def disk_is_cached(self):
        return pathlib.Path(f"/sys/block/{self.below}/queue/write_cache").read_text().strip() == CACHED

    def dd(self, *words, size="4k", count=100):
        return ["dd", "if=/dev/zero", f"of={self.file}", f"bs={size}", f"count={count}", "status=none", *words]


@pytest.fixture(params=[CACHED, UNCACHED])
def disk(machine, request):
    return Disk(machine, request.param)


@pytest.fixture
def cached(machine):
    return Disk(machine, CACHED)


def traced(trace, disk, words):
    """(run, outcome) of a traced program, once its layers are held against the kernel's counts."""
    disk.rest()
    before = w.now()
    outcome = trace("-D", disk.loop, "--", *words)
    kernel = w.between(before, w.now())
    assert outcome.status == 0, outcome
    validate(outcome.result)
    run = program(outcome.result)
    assert_counted(run, disk, kernel)
    assert_shown(run, disk, outcome.stderr)
    return run, outcome


def assert_counted(run, disk, kernel):
    """Ours is what the kernel counted; the disk below serves others, too, and they may do so before and after."""
    layers = w.layers(run)
    assert list(layers) == [disk.loop.name, disk.below]
    # What is read, the file system may read by itself before the recording.
    for group in ("write", "flush", "discard"):
        assert w.seen(layers[disk.loop.name])[group] == kernel[disk.loop.name][group], group
    for layer in layers.values():
        if "diskstats" in layer:
            w.assert_equal(layer, {group: w.Count(stat["ios"], stat["sectors"])
                                   for group, stat in layer["diskstats"].items()})
    assert "diskstats" in layers[disk.loop.name]
    for group, count in w.seen(layers[disk.below]).items():
        assert count.ios <= kernel[disk.below][group].ios + 512, group
    assert written(layers[disk.below]) >= written(layers[disk.loop.name])


def assert_shown(run, disk, report):
    """The table's first row has the same counts."""
    (row,) = re.findall(rf"^{disk.loop.name} +([\d,]+) +[\d.]+ \w+ +([\d,]+) +([\d,]+) +([\d,]+) +([\d,]+) ", report,
                        re.M)
    shown = [int(cell.replace(",", "")) for cell in row]
    layer = w.layers(run)[disk.loop.name]
    assert shown == [w.requests_started(layer, "write").ios, flushes(layer), w.op_of(layer, "write", "fua"),
                     *asked(layer)], report


def top(run, disk):
    return w.layers(run)[disk.loop.name]


def flushes(layer):
    return w.requests_started(layer, "flush").ios


def written(layer):
    return w.requests_started(layer, "write").sectors * w.SECTOR


def concluded(run):
    """The whole sentence, without what a virtual machine adds to it."""
    return re.sub(r"the virtual disk |(:|;) what (the|its) host does (with it )?is not visible from here", "",
                  sentence(run, "durability"))


def assert_durable(run, disk, what):
    """What a flush must end for `what`, as far as the disk below it has a cache at all."""
    if not disk.disk_is_cached:
        assert concluded(run) == f"{disk.below} reports no volatile cache: no flush was needed."
        assert check(run, "durability") == "passed"
    elif disk.cache == CACHED:
        assert concluded(run) == f"{what} flushed to {disk.below}."
        assert check(run, "durability") == "passed"
    else:
        assert concluded(run).startswith(f"{disk.below} has a volatile cache and got none of the flushes, as "
                                         f"{disk.loop.name} above it reports that it needs none:")
        assert check(run, "durability") == "warning"


def assert_flushes(run, disk, count):
    """`count` calls each wait for a flush, where the loop device has a cache."""
    layer = top(run, disk)
    if disk.cache == UNCACHED:
        assert flushes(layer) == 0
        return
    # A journal's commit is another one, and its own FUA is made of a flush, too.
    assert flushes(layer) >= count and sum(asked(layer)) == flushes(layer)
    assert flushes(w.layers(run)[disk.below]) >= count / 2


# --- each write is synchronous ---


@pytest.mark.parametrize("flag", ["dsync", "sync"])
def test_appended(trace, disk, flag):
    run, _ = traced(trace, disk, disk.dd(f"oflag={flag}"))
    assert synchronous(run) == (100, 100 * BLOCK)
    assert flushed(run, "write") == (100 if disk.cache == CACHED else 0)
    assert_flushes(run, disk, 100)
    assert_durable(run, disk, "Each of the 100 synchronous writes was")
    assert reached(top(run, disk)) >= 100 * BLOCK


def test_overwritten(trace, disk):
    """Nothing but the data: one write and one flush each."""
    disk.fill(100 * BLOCK)
    run, _ = traced(trace, disk, disk.dd("oflag=dsync", "conv=notrunc"))
    assert synchronous(run) == (100, 100 * BLOCK)
    layer = top(run, disk)
    assert written(layer) == 100 * BLOCK == reached(layer)
    assert flushes(layer) == (100 if disk.cache == CACHED else 0)
    assert flushed(run, "write") == flushes(layer)
    assert_durable(run, disk, "Each of the 100 synchronous writes was")


def test_direct(trace, disk):
    disk.fill(100 * BLOCK)
    run, _ = traced(trace, disk, disk.dd("oflag=direct,dsync", "conv=notrunc"))
    assert synchronous(run) == (100, 100 * BLOCK)
    assert written(top(run, disk)) == 100 * BLOCK
    assert_flushes(run, disk, 100)
    assert_durable(run, disk, "Each of the 100 synchronous writes was")


@pytest.mark.parametrize("how", ["mount -o remount,sync", "chattr +S"])
def test_by_file_system(trace, cached, how):
    """The program knows nothing of it."""
    cached.file.touch()
    m.command(*how.split(), cached.point if "mount" in how else cached.file)
    run, _ = traced(trace, cached, cached.dd("conv=notrunc", count=20))
    assert synchronous(run) == (20, 20 * BLOCK)
    assert flushed(run, "write") == 20
    assert_flushes(run, cached, 20)
    assert_durable(run, cached, "Each of the 20 synchronous writes was")


def test_one(trace, cached):
    cached.fill(BLOCK)
    run, _ = traced(trace, cached, cached.dd("oflag=dsync", "conv=notrunc", count=1))
    assert_durable(run, cached, "The synchronous write was")


# --- synced later ---


@pytest.mark.parametrize("kind", ["fsync", "fdatasync"])
def test_synced_at_the_end(trace, disk, kind):
    run, _ = traced(trace, disk, disk.dd(f"conv={kind}"))
    assert synchronous(run) == (0, 0)
    assert call_of(run, kind)["calls"] == 1
    assert flushed(run, kind) == (disk.cache == CACHED)
    assert_flushes(run, disk, 1)
    assert_durable(run, disk, "The sync was")
    assert reached(top(run, disk)) >= 100 * BLOCK


def test_database(trace, cached):
    run, _ = traced(trace, cached, [PYTHON, "-c", DATABASE, f"--file={cached.file}", "20"])
    assert [call_of(run, kind)["calls"] for kind in ("fsync", "fdatasync")] == [20, 20]
    assert [flushed(run, kind) for kind in ("fsync", "fdatasync")] == [20, 20]
    assert_flushes(run, cached, 40)
    assert_durable(run, cached, "Each of the 40 syncs was")


# --- not synced ---


def test_not_synced(trace, disk):
    """Nothing leaves the page cache before the file system's own time, or ours."""
    run, _ = traced(trace, disk, disk.dd())
    assert flushes(top(run, disk)) == 0
    assert re.fullmatch(r"Nothing was synced\. The program was told that 400 KiB were written; none of them had reached "
                        rf"{disk.below} by then(?: \(what reached it was others'\))?: they were in the page cache\.",
                        concluded(run))
    assert check(run, "durability") == "not applicable"


def test_not_synced_in_part(trace, cached):
    """More than may be dirty: part of it has been written by the time at which the program is told."""
    keep_little(cached, 16 * MIB)
    run, _ = traced(trace, cached, cached.dd(size="1M", count=128))
    part = min(reached(top(run, cached)), queued(run, "workload", "write") + queued(run, "writeback", "write"))
    assert 32 * MIB <= part < 128 * MIB
    assert re.fullmatch(r"Nothing was synced\. The program was told that 128 MiB were written; ([\d.]+) MiB of them had "
                        rf"reached {cached.below} by then, and the rest was in the page cache\.", concluded(run))
    assert queued(run, "writeback", "write") > 0


# --- large ---


def keep_little(disk, size):
    """The page cache may hold so much for the device that has yet to be written: kworkers begin early."""
    number = os.stat(disk.loop.path).st_rdev
    folder = pathlib.Path(f"/sys/class/bdi/{os.major(number)}:{os.minor(number)}")
    if not (folder / "max_bytes").exists():
        pytest.skip("absent: this kernel can't limit what is dirty of one device")
    ratio, strict = (folder / "max_ratio_fine").read_text(), (folder / "strict_limit").read_text()
    disk.machine.stack.callback((folder / "max_ratio_fine").write_text, ratio)
    disk.machine.stack.callback((folder / "strict_limit").write_text, strict)
    (folder / "max_bytes").write_text(f"{size}")
    (folder / "strict_limit").write_text("1")


def assert_all_its_own(run, size):
    """By whichever thread it was written, it is told by its inode to be the program's."""
    assert queued(run, "workload", "write") + queued(run, "writeback", "write") == size
    # What kworkers write of the file system's own is little.
    assert sum(foreign_bytes(one) for one in foreigners(run) if one["kind"] == "writeback") < MIB


@pytest.mark.parametrize("dirty", ["much", "little"])
@pytest.mark.parametrize("where", ["appended", "overwritten"])
def test_large(trace, cached, dirty, where):
    if where == "overwritten":
        cached.fill(256 * MIB)
    if dirty == "little":
        keep_little(cached, 32 * MIB)
    run, outcome = traced(trace, cached, cached.dd("oflag=dsync", "conv=notrunc", size="64M", count=4))
    assert synchronous(run) == (4, 256 * MIB)
    assert_flushes(run, cached, 4)
    assert_durable(run, cached, "Each of the 4 synchronous writes was")
    assert written(top(run, cached)) >= reached(top(run, cached)) >= 256 * MIB
    assert_all_its_own(run, 256 * MIB)
    assert (queued(run, "writeback", "write") > 0) == (dirty == "little")
    words = " ".join(outcome.stderr.split())
    assert re.search(r"Of [\d.]+ m?s in these calls the disk was idle [\d.]+ \w+ \(\d+ %\): filling the page cache comes "
                     r"first\.", words), outcome


# --- bench ---


@pytest.mark.parametrize("engine", ["libaio", "psync"])
def test_bench(bench, disk, engine):
    """What it writes is laid out before the recording, so the counts are within those of the whole."""
    disk.rest()
    before = w.now()
    outcome = bench(disk.point, "--tests", "RND4K-Q1T1-Write", "--write-through", "--ioengine", engine)
    kernel = w.between(before, w.now())[disk.loop.name]
    assert outcome.done, outcome
    (run,) = runs(outcome.result)
    layer, ios = top(run, disk), run["engine"]["directions"]["write"]["ios"]
    w.assert_equal(layer, {group: w.Count(stat["ios"], stat["sectors"])
                           for group, stat in layer["diskstats"].items()})
    assert flushes(layer) <= kernel["flush"].ios
    assert written(layer) >= ios * BLOCK
    assert_flushes(run, disk, ios)
    if disk.cache == CACHED and disk.disk_is_cached:
        assert re.match(rf"(Each of the|The) [\d,]+ synchronous writes (was|were) flushed to {disk.below}\b",
                        concluded(run)), concluded(run)
    else:
        assert_durable(run, disk, "")
