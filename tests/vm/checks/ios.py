# SPDX-License-Identifier: GPL-2.0
"""
Every I/O of the program is followed from its call to its return, by each engine, on a device of each kind and on a
file. Nothing keeps the probes from running here, so all of it is exact: none is lost, and the parts of what was
followed are its total to the nanosecond.
"""

import home
import machine
import results

MACHINE = machine.Machine(disks=("virtio-blk", "nvme"), seconds=900)
PACKAGES = ("mdadm",)
WAYS = {"libaio": "libaio", "io_uring": "io_uring", "psync": "system call"}
TARGETS = {"/dev/vda": "virtio-blk", "/dev/nvme0n1": "NVMe", "/dev/nullb0": "null_blk", "/dev/md0": "RAID 0",
           "/run/tmp/ext4": "ext4 on virtio-blk"}
GROUPS = {"raw": 4, "file": 1}
TESTS = 2

# 1 MiB in requests of 64 KiB; RAID 0 has bios, which its chunks cut.
PIECES = 16


def counts(view, figures, way):
    """What was called, what ended and what the engine reports."""
    called, ios = view["called"], figures["ios"]
    yield (called == ios > 0 and results.ends(view) == {"joined": called},
           "called are the engine's I/Os, and all are joined", f"{ios} I/Os, {called} called, ended {view['ends']}")
    rest = {name: view[name] for name in ("table_full", "unbegun", "left", "in_flight_at_end")}
    yield not any(rest.values()), "none is left over", str(rest)
    yield view["bytes"] == figures["bytes"], "bytes are the engine's", f"{view['bytes']}, {figures['bytes']}"
    yield results.ways(view) == {way: called}, f"all are asked for by {way}", str(view["ways"])


def sums(view):
    """The total, its parts, and the table by latency, which has both again."""
    total, parts, rows = results.io_stage(view, "total"), results.parts(view), results.rows(view)
    yield (total["count"] == view["called"] and sum(parts.values()) == total["sum"] > 0,
           "the parts are the total to the nanosecond",
           f"{total['count']} of {view['called']}, {parts}, {total['sum']}")
    in_rows = {part: sum(sums.get(part, 0) for _, _, sums in rows) for part in parts}
    yield (sum(count for _, count, _ in rows) == view["called"] and in_rows == parts,
           "so are those of the table by latency", f"{in_rows}, {parts}")


def counted(view, stage):
    return (results.io_stage(view, stage) or {"count": 0})["count"]


def places(run, view, kind):
    """Each I/O has the stages that the device has, and is as many requests as it must be."""
    called = view["called"]
    has, has_not = (["through"], ["queue", "device"]) if kind == "RAID 0" else (["queue", "device"], ["through"])
    yield (all(counted(view, stage) == called for stage in ["submit", *has, "deliver"])
           and not any(counted(view, stage) for stage in has_not),
           f"each went through {' and '.join(has)}", str({stage: counted(view, stage) for stage in results.PARTS}))
    if kind != "RAID 0" and run["test"].startswith("SEQ1M"):
        split = results.notes(view).get("split", 0)
        yield (view["requests"] == PIECES * called and split == counted(view, "spread") == called,
               f"each was {PIECES} requests", f"{called} called, {view['requests']} requests, {split} split")
    elif kind != "RAID 0":
        yield view["requests"] == called, "each was one request", f"{called} called, {view['requests']} requests"


def of_run(run, engine, kind):
    for op, figures in results.directions(run).items():
        view = results.io_of(run, op)
        for part in (counts(view, figures, WAYS[engine]), sums(view), places(run, view, kind)):
            for passed, text, detail in part:
                yield passed, f"{op}: {text}", detail
    misses = run["trace"]["program_misses"]
    yield misses == 0, "no program was kept from running", str(misses)


def judge(out, _say):
    for group, targets in GROUPS.items():
        for engine in WAYS:
            folder = out / f"{group}-{engine}"
            yield home.done(folder), f"{group}, {engine}: it ended well", home.words(folder)
            if home.status(folder):
                continue
            result = home.result(folder)
            runs = results.runs(result)
            yield len(runs) == TESTS * targets, f"{group}, {engine}: all tests were run", str(len(runs))
            for run in runs:
                kind = TARGETS[result["targets"][run["target"]]["given"]]
                for passed, text, detail in of_run(run, engine, kind):
                    yield passed, f"{kind}, {engine}, {run['test']}: {text}", detail
