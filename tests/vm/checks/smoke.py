# SPDX-License-Identifier: GPL-2.0
"""Every request is accounted for, by the probes, by the kernel and by the engine, on a device of each kind."""

import home
import machine
import results

MACHINE = machine.Machine(disks=("virtio-blk", "virtio-scsi", "nvme"))
PACKAGES = ("mdadm",)
DEVICES = {"vda": "virtio-blk", "sda": "virtio-scsi", "nvme0n1": "NVMe", "nullb0": "null_blk",
           "md0": "RAID 0"}


def accounts(run):
    """Nothing can keep the probes from running here, so nothing may be lost."""
    views = results.views(run)
    if not views:
        yield False, "requests were seen", ""
    for device, op, view in views:
        started, ended = results.started(view), view["completions"] + view["in_flight_at_end"]
        yield (started == ended and not results.losses(view), f"{device} {op}: issued is completed or in flight",
               f"{view['issues']} issues - {view['requeues']} requeues, {view['completions']} completions, "
               f"{view['in_flight_at_end']} in flight, losses {results.losses(view)}")
    yield run["trace"]["program_misses"] == 0, "no program was kept from running", str(run["trace"]["program_misses"])


def hops(run, kind):
    """On a SCSI disk every request's way is known whole, and the hops add up to the device's time, to the nanosecond."""
    for device, op, view in results.views(run):
        found = results.hops(view)
        if kind != "virtio-scsi":
            yield not found, f"{device} {op}: it has no hops", str(list(found))
            continue
        parts = [found.get(name, {"count": 0, "sum": 0}) for name in ("dispatch", "command", "finish")]
        yield ([part["count"] for part in parts] == 3 * [view["completions"]],
               f"{device} {op}: each request has all hops", f"{view['completions']} completions, {parts}")
        yield (sum(part["sum"] for part in parts) == results.histogram(view)["sum"],
               f"{device} {op}: they add up to the stage device", str(parts))


def witnesses(run):
    yield results.check(run, "diskstats") == "passed", "the kernel's own counts are the same", str(run["checks"])
    for op, engine in results.directions(run).items():
        queued = results.queued(run, "workload", op)
        yield queued == engine["bytes"], f"{op}: bytes queued are the engine's", f"{queued}, {engine['bytes']}"


def judge(out, _say):
    for device, kind in DEVICES.items():
        folder = out / device
        yield home.done(folder), f"{kind}: it ended well", home.words(folder)
        if home.status(folder):
            continue
        for run in results.runs(home.result(folder)):
            yield results.total(run, "ios") > 0, f"{kind} {run['test']}: there was I/O", ""
            for part in (accounts(run), witnesses(run), hops(run, kind)):
                for passed, text, detail in part:
                    yield passed, f"{kind} {run['test']}: {text}", detail
