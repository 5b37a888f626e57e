# SPDX-License-Identifier: GPL-2.0
"""
What is said of a number where the truth is known. null_blk that takes eight commands at once, each for 20 ms, has its
knee at depth 8, and that is what limits it. Disks that QEMU emulates have a volatile cache, and NVMe knows FUA; what
each of them got for synchronous writes is what the guest's kernel counted.
"""

import home
import machine
import results
import witness

# The clock counts instructions, so that a busy host makes nothing slower that the guest does. Its CPU must be idle
# while the device works, or that CPU would be a limit, too; then the clock is the host's, and a timer may be late.
MACHINE = machine.Machine(disks=("virtio-blk", "virtio-scsi", "nvme"), icount=1, cpus=1, seconds=900)
DISKS = {"vda": "virtio-blk", "sda": "virtio-scsi", "nvme0n1": "NVMe"}
WITH_FUA = {"nvme0n1"}
COMMANDS, EACH = 8, 0.020
DEPTHS = (1, 2, 4, 8, 16, 32)
WRITES, BLOCK = 100, 4096
TOLERANCE = 0.15


def is_near(value, known):
    return abs(value - known) <= TOLERANCE * known


# --- the sweep ---


def reached(run):
    """Mean in flight at the device, while the engine was at work."""
    device, engine = results.histogram(results.view_of(run, "read")), results.directions(run)["read"]
    return device["sum"] / engine["runtime"]


def points(result):
    for depth in DEPTHS:
        run = results.run_of(result, f"RND4K-Q{depth}T1-Read")
        rate, expected = results.directions(run)["read"]["ios_per_second"], min(depth, COMMANDS) / EACH
        yield is_near(rate, expected), f"{depth}: {expected:.0f} I/Os a second", f"{rate}"
        yield is_near(reached(run), min(depth, COMMANDS)), f"{depth}: the depth reached", f"{reached(run)}"
        if depth > COMMANDS:
            said = results.sentence(run, "limit")
            yield f"of the {COMMANDS} requests" in said, f"{depth}: what limits is that it takes {COMMANDS}", said


def sweep(folder, say):
    say(home.words(folder))
    yield home.done(folder), "sweep: it ended well", home.words(folder)
    if home.done(folder):
        for passed, text, detail in points(home.result(folder)):
            yield passed, f"sweep: depth {text}", detail
        words = " ".join(home.words(folder).split())
        yield f"The knee is at depth {COMMANDS}: " in words, f"sweep: the knee is at {COMMANDS}", words


# --- the ledger ---


def counted(layer):
    """The guest's kernel counted the same, where nothing was on its way at an edge."""
    yield "diskstats" in layer, "the kernel's counts are known", str(layer)
    for group, count in witness.seen(layer).items():
        stat = layer.get("diskstats", {}).get(group, {"ios": None, "sectors": None})
        yield ((count.ios, count.sectors) == (stat["ios"], stat["sectors"]), f"{group}: what the kernel counted",
               f"{count}, {stat}")


def durable(run, layer, device):
    flushes, fua = witness.requests_started(layer, "flush").ios, witness.op_of(layer, "write", "fua")
    asked_flush, asked_fua = results.asked(layer)
    asked = f"asked {asked_flush} flushes, {asked_fua} FUA; got {flushes}, {fua}"
    if device in WITH_FUA:
        yield flushes == asked_flush and fua == asked_fua, "it got each flush and each FUA write asked for", asked
    else:
        yield flushes == asked_flush + asked_fua and not fua, "a flush took the place of each FUA", asked
    said = results.sentence(run, "durability")
    yield f"flushed to the virtual disk {device}" in said, "that is the conclusion", said
    yield results.check(run, "durability") == "passed", "and it passes", said


def of_dd(run, layer, device):
    yield results.synchronous(run) == (WRITES, WRITES * BLOCK), "each write is synchronous", str(results.calls(run))
    yield results.flushed(run, "write") == WRITES, "each contains a flush", str(results.calls(run))


def of_bench(run, layer, device):
    ios = results.total(run, "ios")
    got = witness.op_of(layer, "write", "fua") if device in WITH_FUA else witness.requests_started(layer, "flush").ios
    yield got == ios, "one flush or FUA for each write", f"{got}, {ios}"


def ledger(folder, title, device, part, say):
    yield home.done(folder), f"{title}: it ended well", home.words(folder)
    if not home.done(folder):
        return
    (run,) = results.runs(home.result(folder))
    layer = witness.layers(run)[device]
    say(f"{title}: {results.sentence(run, 'durability')}")
    for found in (counted(layer), durable(run, layer, device), part(run, layer, device)):
        for passed, text, detail in found:
            yield passed, f"{title}: {text}", detail


def judge(out, say):
    yield from sweep(out / "sweep", say)
    for device, kind in DISKS.items():
        yield from ledger(out / f"dd-{device}", f"{kind}, dd oflag=dsync", device, of_dd, say)
        yield from ledger(out / f"bench-{device}", f"{kind}, --write-through", device, of_bench, say)
