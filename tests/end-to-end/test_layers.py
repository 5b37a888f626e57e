# SPDX-License-Identifier: GPL-2.0
"""Every layer under a target, against the kernel's own counters: requests, sectors and flushes are equal on each."""

import dataclasses

import pytest

import machine as m
import matrices
import witness as w
from results import check, directions, queued

READ, WRITE, MIX = "RND4K-Q8T2-Read", "RND4K-Q8T2-Write", "RND4K-Q8T2-Mix70"

# Behind the 32 MiB that the tests use; 16 requests.
DISCARD = "blkdiscard -f -o 40M -l 1M --step 64K"
DISCARDED = w.Count(16, (1 << 20) // w.SECTOR)

# What a file system does by a timer would come before or after the witness looks.
CALM = ("-o", "noatime,commit=300")


@dataclasses.dataclass
class Stack:
    target: object
    disks: list  # from the top down
    kinds: list
    discard: str
    sync: str
    discards: w.Count = None  # None: as many as the kernel says


def on_loop(machine):
    device = machine.loop(64 << 20)
    return Stack(device, [device.name], ["requests"], f"{DISCARD} {device}", f"sync {device}", DISCARDED)


def on_ext4(machine):
    device = machine.loop(128 << 20)
    point = machine.ext4(device, *CALM)
    return Stack(point, [device.name], ["requests"], f"fstrim {point}", f"sync -f {point}")


def on_xfs(machine):
    device = machine.loop(512 << 20)
    point = w.xfs(machine, device, "-o", "noatime")
    return Stack(point, [device.name], ["requests"], f"fstrim {point}", f"sync -f {point}")


def on_zram(machine):
    device = w.zram(machine, 64 << 20)
    return Stack(device, [device.name], ["bios"], f"{DISCARD} {device}", f"sync {device}", DISCARDED)


def on_loop_on_file(machine, *options):
    disk = machine.loop(256 << 20)
    point = machine.ext4(disk, *CALM)
    device = machine.loop(64 << 20, *options, folder=point)
    return Stack(device, [device.name, disk.name], ["requests", "requests"], f"{DISCARD} {device}",
                 f"sync {device}; sync -f {point}", DISCARDED)


def on_direct_loop_on_file(machine):
    return on_loop_on_file(machine, "--direct-io=on")


def on_partition(machine):
    m.need("addpart")
    disk = machine.loop(64 << 20, "-P")
    m.command("addpart", str(disk), "1", "2048", f"{48 << 11}")
    machine.stack.callback(m.command, "delpart", str(disk), "1")
    part = f"{disk}p1"
    # The disk's first sectors aren't the partition's.
    beside = f"dd if={disk} of=/dev/null bs=64K count=1 iflag=direct; {DISCARD} {part}"
    return Stack(part, [f"{disk.name}p1", disk.name], ["partition", "requests"], beside, f"sync {part}", DISCARDED)


STACKS = {"loop": on_loop, "ext4": on_ext4, "xfs": on_xfs, "zram": on_zram,
          "loop-on-file": on_loop_on_file, "direct-loop-on-file": on_direct_loop_on_file, "partition": on_partition}


@pytest.fixture(params=STACKS)
def stack(request, machine):
    return STACKS[request.param](machine)


def assert_stack(stack, run, kernel):
    found = w.layers(run)
    assert list(found) == stack.disks
    assert [layer["kind"] for layer in found.values()] == stack.kinds
    for disk, layer in found.items():
        w.assert_equal(layer, kernel[disk], run["test"])
    w.assert_closed(run)
    # Whether a bio-based driver counts discards as writes is its own affair, so that the program may not compare them.
    expected = ("passed", None) if "bios" in stack.kinds else ("passed",)
    assert check(run, "diskstats") in expected, run["checks"]


def test_counts(bench, stack, machine):
    """Reading, writing and both, each with discards beside it, and all of it made durable before the witness looks."""
    witness = w.Witness(machine, *stack.disks, beside=f"sleep 0.1; {stack.discard}", after=stack.sync)
    measured = w.measure(bench, witness, stack.target, f"{READ},{WRITE},{MIX}", "--duration", "0.3")
    assert [run["test"] for run, _ in measured] == [READ, WRITE, MIX]
    for run, kernel in measured:
        assert_stack(stack, run, kernel)
        top = w.layers(run)[stack.disks[0]]
        for op, figures in directions(run).items():
            assert w.bios_of(top, op, "queued_bytes") >= figures["bytes"]
            assert queued(run, "workload", op) >= figures["bytes"]
        if stack.discards:
            assert w.bios_queued(top, "discard") == stack.discards
    # Of ext4 only the first fstrim has anything to do.
    assert w.bios_of(top if stack.discards else w.layers(measured[0][0])[stack.disks[0]], "discard", "queued") > 0


@pytest.mark.parametrize("stack", [name for name in STACKS if name not in ("loop", "zram", "partition")], indirect=True)
def test_write_through(bench, stack, machine):
    """Each write is followed by a flush: by the file system's hand, or by the block layer's (there is no FUA here)."""
    witness = w.Witness(machine, *stack.disks, after=stack.sync)
    ((run, kernel),) = w.measure(bench, witness, stack.target, "RND4K-Q1T1-Write", "--write-through", "--duration",
                                 "0.3")
    assert_stack(stack, run, kernel)
    ios = directions(run)["write"]["ios"]
    disk = w.layers(run)[stack.disks[-1]]
    # Journals add a few, and each layer passes them on.
    assert w.requests_started(disk, "flush").ios >= ios


# --- the machine's own disk, which others use, too ---

# It may be a slow one.
SMALL = ("--size", "4M", "--duration", "0.3")


def test_own_disk(bench, machine):
    with w.own_folder() as folder:
        witness, before = w.Witness(machine), w.now()
        measured = w.measure(bench, witness, folder, f"{READ},{WRITE}", *SMALL, "--write-through")
        whole = w.between(before, w.now())
    for run, kernel in measured:
        leaf = w.assert_own_disk(run, kernel, whole)
        assert leaf["device"] == w.disk_of(matrices.own_disk())
        for op, figures in directions(run).items():
            assert w.bios_of(leaf, op, "queued_bytes") >= figures["bytes"]
            assert queued(run, "workload", op) >= figures["bytes"]


@pytest.mark.parametrize("direct", ["on", "off"])
def test_loop_on_own_disk(bench, machine, direct):
    """The loop device is ours alone and exact; what it passes to the disk is there, too."""
    folder = machine.stack.enter_context(w.own_folder())
    device = machine.loop(64 << 20, f"--direct-io={direct}", folder=folder)
    witness, before = w.Witness(machine, device.name, after=f"sync {device}"), w.now()
    measured = w.measure(bench, witness, device, f"{READ},{MIX}", *SMALL, "--write-through")
    whole = w.between(before, w.now())
    for run, kernel in measured:
        leaf = w.assert_own_disk(run, kernel, whole)
        found = w.layers(run)
        assert list(found) == [device.name, leaf["device"]]
        w.assert_equal(found[device.name], kernel[device.name], run["test"])
        flushes = w.requests_started(found[device.name], "flush").ios
        assert w.bios_of(leaf, "flush", "queued") >= flushes
        for op, figures in directions(run).items():
            assert w.requests_started(found[device.name], op).sectors * w.SECTOR == figures["bytes"]
            if direct == "on":
                assert w.bios_of(leaf, op, "queued_bytes") >= figures["bytes"]
