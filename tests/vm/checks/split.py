# SPDX-License-Identifier: GPL-2.0
"""
A guest's device time, divided with the help of its host, whose iostrata follows QEMU meanwhile. A delay that is known
lies where it was made: in QEMU, in the host's kernel, in the host's device, or in the guest above its device. Behind
the host's page cache nothing is divided.

It is a tenth of a second for each I/O, as 10 of them in a second are let through, or as dm-delay has it. Everything
else takes some milliseconds, by the emulation and by what else the host does.
"""

import contextlib
import importlib.util
import json
import subprocess
import time

import home
import machine
import results

MACHINE = machine.Machine(seconds=900)
PACKAGES = ()
TREE = machine.GUEST.parents[2]
DISK_BYTES = 32 << 20
RATE, DELAY = 10, 100e6
IOS = {"read": 40, "write": 40}
PARTS = results.SPLIT_PARTS

# Where the delay of each disk is; none of it is at the device where it is in the guest's stack.
DELAYED = {"plain": None, "vmm": "transport", "kernel": "host_kernel", "device": "host_device", "stack": None}
CACHED = "cached"

# Of the delay, the least that must be in its part, and the most in another: a busy host delays, too, and where that takes
# a part of a period, the limit takes less.
LEAST, MOST = 0.5, 0.5


# --- the host ---


def prepare(out):
    home.build(out, "reader", "clock")


def load_disks():
    """The end-to-end tests' loop devices and limits; their module has the name of ours."""
    spec = importlib.util.spec_from_file_location("disks", TREE / "tests/end-to-end/machine.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def image(scratch, name):
    """Written whole, so that nothing is allocated later."""
    path = scratch / f"{name}.raw"
    subprocess.run(["dd", "if=/dev/urandom", f"of={path}", "bs=1M", f"count={DISK_BYTES >> 20}", "conv=fsync",
                    "status=none"], check=True)
    return path


def drive(name, path, options="cache=none,aio=native"):
    """QEMU's arguments; the guest finds the disk by its serial number."""
    return ("-drive", f"file={path},if=none,id={name},format=raw,{options}",
            "-device", f"virtio-blk-pci,drive={name},serial={name},request-merging=off")


class Recording:
    """iostrata beside QEMU, until that is gone."""

    def __init__(self, out, iostrata):
        self.out, self.iostrata, self.folder, self.process = out, iostrata, out / "host", None

    def start(self, pid):
        self.folder.mkdir()
        with open(self.folder / "words", "wb") as words:
            self.process = subprocess.Popen([self.iostrata, "trace", "-p", str(pid), "-o", self.folder], stdout=words,
                                            stderr=words)
        deadline = time.monotonic() + 60
        # It says so once the probes are live.
        while "tracing process" not in home.words(self.folder):
            if self.process.poll() is not None or time.monotonic() > deadline:
                return
            time.sleep(0.05)
        (self.out / "recording").touch()

    def end(self):
        if not self.process:
            return
        try:
            (self.folder / "status").write_text(str(self.process.wait(60)))
        finally:
            self.process.kill()
        for name in (*DELAYED, CACHED):
            with contextlib.suppress(ValueError):
                compare(self.iostrata, found(self.folder), self.out / name)


def found(folder):
    (path,) = folder.glob("iostrata_*.json")
    return path


def compare(iostrata, host_file, folder):
    with open(folder / "compared", "wb") as to, open(folder / "complaint", "wb") as complaint:
        subprocess.run([iostrata, "compare", "--host", host_file, found(folder), "--json"], stdout=to,
                       stderr=complaint, check=False)


@contextlib.contextmanager
def host(scratch, out, iostrata):
    disks = load_disks()
    with contextlib.ExitStack() as stack:
        def keep(thing):
            stack.callback(thing.close)
            return thing

        slow, below = (keep(disks.Loop(image(scratch, name), "--direct-io=on")) for name in ("kernel", "device"))
        above = keep(disks.Loop(below.path, "--direct-io=on"))
        limit = keep(disks.Limit(slow))
        limit.set(RATE)
        # What the loop device above asks for is done for QEMU.
        keep(disks.Limit(below, within=limit)).set(RATE)
        recording = Recording(out, iostrata)
        stack.callback(recording.end)
        images = {name: image(scratch, name) for name in ("plain", "vmm", CACHED)}
        yield machine.Host(
            arguments=(*drive("plain", images["plain"]), *drive("kernel", slow), *drive("device", above),
                       *drive("vmm", images["vmm"], f"cache=none,aio=threads,throttling.iops-total={RATE}"),
                       *drive(CACHED, images[CACHED], "cache=writeback,aio=threads")),
            prefix=limit.prefix, started=recording.start)


# --- what must hold ---


def compared(folder):
    """The rows by operation, and what was complained of."""
    text = (folder / "compared").read_text() if (folder / "compared").exists() else ""
    if not text:
        return {}, "there is no comparison"
    comparison = json.loads(text)
    return ({row.op: row for row in results.split_rows(comparison)},
            results.obstacle(comparison) or (folder / "complaint").read_text())


def same_ios(guest, row):
    """The guest's own result says how many there were and how long they took."""
    histogram = results.histogram(results.view_of(results.program(guest), row.op))
    mean = results.mean(histogram)
    yield (row.guest_requests == histogram["count"] >= IOS[row.op] and abs(row.device - mean) <= 1,
           "it is about the guest's own requests", f"{row}, {histogram['count']}, {mean}")
    yield row.overlap == 1, "the host recorded all of it", str(row.overlap)


def divided(name, row):
    yield not row.refused, "their time is divided", row.refused
    if row.refused:
        return
    shown = f"device {row.device / 1e6:.2f} ms: " + ", ".join(f"{part} {row.parts[part] / 1e6:.2f}" for part in PARTS)
    yield (all(value >= 0 for value in row.parts.values())
           and abs(sum(row.parts.values()) - row.device) <= 0.1 * row.device, "the parts add up to it", shown)
    where = DELAYED[name]
    if where:
        yield row.parts[where] >= LEAST * DELAY, f"the delay is in {where}", shown
    yield (all(value <= MOST * DELAY for part, value in row.parts.items() if part != where),
           "and in no other part" if where else "no part has a delay", shown)


def above_the_device(guest):
    """dm-delay's is seen from the top alone."""
    for op, view in results.ios(results.program(guest)).items():
        mean = results.mean(results.io_stage(view, "through"))
        yield mean >= LEAST * DELAY, f"{op}: the delay is in the guest's stack", f"{mean}"


def behind_a_cache(rows):
    for op, row in rows.items():
        yield "page cache" in (row.refused or ""), f"{op}: it is said that the page cache lies in between", str(row)


def judge_disk(name, folder, say):
    rows, complaint = compared(folder)
    yield set(rows) == set(IOS), "reads and writes are compared", f"{rows} {complaint}"
    for op, row in rows.items():
        say(f"{name}, {op}: {row.guest_requests} requests, {row.host_ios} host I/Os, device {row.device / 1e6:.3f} ms"
            + "".join(f", {part} {value / 1e6:.3f}" for part, value in row.parts.items()))
        for passed, text, detail in (*same_ios(home.result(folder), row),
                                     *(divided(name, row) if name != CACHED else ())):
            yield passed, f"{op}: {text}", detail
    if name == CACHED:
        yield from behind_a_cache(rows)
    if name == "stack":
        yield from above_the_device(home.result(folder))


def judge(out, say):
    yield home.status(out / "host") == 0, "the host's recording ended well", home.words(out / "host")
    for name in (*DELAYED, CACHED):
        yield home.status(out / name) == 0, f"{name}: it ended well", home.words(out / name)
        if home.status(out / name):
            continue
        for passed, text, detail in judge_disk(name, out / name, say):
            yield passed, f"{name}: {text}", detail
