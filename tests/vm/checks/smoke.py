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
            for part in (accounts, witnesses):
                for passed, text, detail in part(run):
                    yield passed, f"{kind} {run['test']}: {text}", detail
