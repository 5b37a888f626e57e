# SPDX-License-Identifier: GPL-2.0
"""
The kernel's own counters, read by us in the middle of the recording: right before fio starts and right after it ended.
On a device that nobody else uses they are the truth that the program's counts are held against.
"""

import contextlib
import dataclasses
import os
import pathlib
import re
import shutil
import tempfile

import pytest

import machine as m
import matrices
from program import fake_fio
from results import NOT_SEEN, check, losses, runs, started, started_bytes

SECTOR = 512

# Where they stand in a line of the kernel's counters (Documentation/admin-guide/iostats.rst).
GROUPS = {"read": (0, 2), "write": (4, 6), "discard": (11, 13), "flush": (15, None)}

# Completions that no program saw come in bursts, and more of them where one disk's interrupt completes requests of two
# layers.
UNSEEN_AT_MOST = 0.01
UNSEEN_BURST = 32

RUN = """
look() {{
	cat /proc/diskstats
	for disk in {disks}; do
		echo "stat $disk $(cat /sys/class/block/$disk/stat)"
	done
}}
for word; do
	case "$word" in
	--name=*) name=${{word#--name=}} ;;
	esac
done
number=$(ls {folder} | wc -l)
look >{folder}/$((number / 2)).$name.before
{before}
$real "$@" {arguments} &
fio=$!
{beside}
wait $fio
status=$?
{after}
look >{folder}/$((number / 2)).$name.after
exit $status
"""


@dataclasses.dataclass
class Count:
    ios: int
    sectors: int

    def __sub__(self, other):
        return Count(self.ios - other.ios, self.sectors - other.sectors)


def group_counts(words):
    field = [int(word) for word in words]
    return {name: Count(field[ios], field[sectors] if sectors else 0) for name, (ios, sectors) in GROUPS.items()}


def parse(text):
    """The counters of all disks; those of the witness's own disks were read in two places, which must agree."""
    counts = {}
    for line in text.splitlines():
        words = line.split()
        if words[0] == "stat":
            assert counts[words[1]] == group_counts(words[2:]), f"not at rest: {words[1]}"
        else:
            counts[words[2]] = group_counts(words[3:])
    return counts


def now():
    return parse(pathlib.Path("/proc/diskstats").read_text())


def between(before, after):
    return {disk: {group: after[disk][group] - before[disk][group] for group in GROUPS}
            for disk in after if disk in before}


class Witness:
    """
    A fio that looks at the counters of `disks`. `before`, `beside` and `after` are shell code that runs before fio,
    while it runs, and after it has ended, all of it between the two looks; `arguments` are more words for fio.
    """

    def __init__(self, machine, *disks, before="", beside="", after="", arguments=""):
        self.folder = machine.directory()
        self.fio = fake_fio(machine.directory(), RUN.format(folder=self.folder, disks=" ".join(disks), before=before,
                                                            beside=beside, after=after, arguments=arguments))

    @staticmethod
    def in_turn(*pieces):
        """Shell code of which each run does the next piece."""
        cases = "\n".join(f"{number}) {piece} ;;" for number, piece in enumerate(pieces))
        return f"case $((number / 2 % {len(pieces)})) in\n{cases}\nesac"

    def counts(self, number, test):
        """What the kernel counted in the witness's run `number`, from 0 on."""
        before, after = ((self.folder / f"{number}.{test}.{when}").read_text() for when in ("before", "after"))
        return between(parse(before), parse(after))


# --- the layers of a run ---


def layers(run):
    """{device: layer}: whatever lies on top, its own leaves last."""
    return {layer["device"]: layer for layer in run["trace"].get("above", []) + run["trace"]["leaves"]}


def ended(view):
    """Requests that completed, or did so while no program could run: few, and never none for certain."""
    return view["completions"] + sum(view["losses"].values())


def bios_ended(view):
    return view["bios"]["finished"] + sum(view["bios"]["losses"].values())


def op_of(layer, op, key):
    """A counter of an op, 0 where the op did not occur."""
    view = layer["ops"].get(op)
    return view[key] if view else 0


def bios_of(layer, op, key):
    view = layer["ops"].get(op)
    return view["bios"][key] if view else 0


def requests_started(layer, *ops):
    """Issues less requeues, and their sectors."""
    views = [layer["ops"][op] for op in ops if op in layer["ops"]]
    return Count(sum(started(view) for view in views), sum(started_bytes(view) for view in views) // SECTOR)


def bios_queued(layer, op):
    return Count(bios_of(layer, op, "queued"), bios_of(layer, op, "queued_bytes") // SECTOR)


def seen(layer):
    """What the probes saw, in the kernel's own groups."""
    if layer["kind"] == "bios":
        # Such a driver counts for itself; none of them counts flushes, and zram no discards.
        return {"read": bios_queued(layer, "read"), "write": bios_queued(layer, "write")}
    counts = {"read": requests_started(layer, "read"), "write": requests_started(layer, "write", "write-zeroes"),
              "discard": requests_started(layer, "discard"), "flush": requests_started(layer, "flush")}
    # A bio that only asks for a flush is a write to the kernel, though it never reaches the driver.
    counts["write"].ios += bios_of(layer, "flush", "empty")
    if layer["kind"] == "partition":
        # The kernel counts flushes on whole disks.
        del counts["flush"]
    return counts


def assert_equal(layer, kernel, where=""):
    """The probes saw what the kernel counted."""
    for group, count in seen(layer).items():
        assert count == kernel[group], (where, layer["device"], group)


def assert_closed(run, lossless=True):
    """Both identities on every layer: requests from issue on, and bios from queuing on."""
    for device, layer in layers(run).items():
        for op, view in layer["ops"].items():
            where, bios = (run["test"], device, op), view["bios"]
            for stage in view["stages"].values():
                assert sum(count for _, count in stage["buckets"]) == stage["count"], where
            if layer["kind"] == "bios":
                assert bios["queued"] == (view["completions"] + bios["in_flight_at_end"]
                                          + sum(bios["losses"].values())), where
            else:
                assert started(view) == (view["completions"] + view["in_flight_at_end"]
                                         + sum(view["losses"].values())), where
            if layer["kind"] == "requests" and run["trace"].get("top"):
                assert bios["queued"] == (bios["finished"] + bios["empty"] + bios["ended_early"]
                                          + bios["in_flight_at_end"] + sum(bios["losses"].values())), where
            if lossless:
                assert_no_other_loss(view, where)
    states = {check["state"] for check in run["checks"] if check["name"] == "identity"}
    assert states == {"passed"}, run["checks"]


def assert_no_other_loss(view, where):
    for total, lost in ((started(view), losses(view)), (view["bios"]["queued"], losses(view["bios"]))):
        assert set(lost) <= {NOT_SEEN}, where
        assert lost.get(NOT_SEEN, 0) <= max(UNSEEN_BURST, total * UNSEEN_AT_MOST), where


def words_for(witness, target, tests, *options):
    writes = "Write" in tests or "Mix" in tests
    write = ["--destroy-data", target, "--yes"] if writes and str(target).startswith("/dev/") else []
    return [target, "--fio-path", witness.fio, "--tests", tests, *write, *options]


def witnessed(witness, outcome):
    """(run, the kernel's counts) of each run."""
    assert outcome.done, outcome
    return [(run, witness.counts(number, run["test"])) for number, run in enumerate(runs(outcome.result))]


def measure(bench, witness, target, tests, *options, during=None):
    """Runs tests on a target. `during` is called while fio is at work, with the bench that runs."""
    with bench.start(*words_for(witness, target, tests, *options)) as running:
        if during:
            running.fio()
            during(running)
        outcome = running.end()
    return witnessed(witness, outcome)


# --- the machine's own disk, which others use, too ---


@contextlib.contextmanager
def own_folder():
    folder = matrices.own_disk()
    if not folder:
        pytest.skip("absent: no file system here has a block device of its own")
    with tempfile.TemporaryDirectory(prefix="iostrata-test-", dir=folder) as path:
        yield pathlib.Path(path)


def disk_of(folder):
    number = os.stat(folder).st_dev
    return pathlib.Path(f"/sys/dev/block/{os.major(number)}:{os.minor(number)}").resolve().name


def assert_between(layer, inside, outside):
    """The recording is longer than the witness, by moments, and shorter than the whole invocation."""
    # Requests that others have in flight at an edge.
    slack = 512
    for group, count in seen(layer).items():
        assert inside[group].ios - slack <= count.ios <= outside[group].ios + slack, group


def assert_own_disk(run, kernel, whole):
    (leaf,) = run["trace"]["leaves"]
    assert_between(leaf, kernel[leaf["device"]], whole[leaf["device"]])
    assert check(run, "diskstats") in ("passed", "not applicable"), run["checks"]
    if "diskstats" in leaf:
        assert_equal(leaf, {group: Count(stat["ios"], stat["sectors"])
                              for group, stat in leaf["diskstats"].items()}, run["test"])
    assert_closed(run)
    return leaf


# --- devices ---


class Zram:
    """A compressed disk in memory, of its own."""

    def __init__(self, size):
        control = pathlib.Path("/sys/class/zram-control/hot_add")
        if not control.exists():
            pytest.skip("absent: this kernel has no zram")
        self.number = control.read_text().strip()
        self.name, self.path = f"zram{self.number}", f"/dev/zram{self.number}"
        pathlib.Path(f"/sys/block/{self.name}/disksize").write_text(f"{size}")

    def close(self):
        pathlib.Path("/sys/class/zram-control/hot_remove").write_text(self.number)

    def __str__(self):
        return self.path


def zram(machine, size):
    device = Zram(size)
    machine.stack.callback(device.close)
    return device


def xfs(machine, device, *options):
    if "\txfs\n" not in pathlib.Path("/proc/filesystems").read_text():
        pytest.skip("absent: this kernel has no xfs")
    if not shutil.which("mkfs.xfs"):
        pytest.skip("mkfs.xfs isn't installed")
    m.command("mkfs.xfs", "-q", "-f", "-K", str(device))
    return machine.mount(*options, str(device))


def loop_on_loop(machine, *options):
    """
    A loop device over a file on a loop device; both. With --direct-io=on, what a cgroup's processes ask of the upper
    one, the kernel asks of the lower one in their name: a limit on that is a slow device to them.
    """
    lower = machine.loop(96 << 20)
    image = machine.ext4(lower, "-o", "noatime,commit=300") / "image"
    image.write_bytes(os.urandom(32 << 20))
    m.command("sync", image)
    upper = m.Loop(image, *options)
    machine.stack.callback(upper.close)
    return upper, lower


@contextlib.contextmanager
def queue_setting(disk, name, value):
    """A setting of the disk's queue, for as long as it is needed."""
    path = pathlib.Path(f"/sys/block/{disk}/queue/{name}")
    text = path.read_text()
    before = re.search(r"\[(.*)\]", text)
    path.write_text(f"{value}")
    try:
        yield
    finally:
        path.write_text(before[1] if before else text)


def memory_of(pid):
    """Resident bytes of a process, and those of the BPF maps that it has open."""
    status = pathlib.Path(f"/proc/{pid}/status").read_text()
    resident = int(re.search(r"^VmRSS:\s+(\d+) kB$", status, re.M)[1]) << 10
    maps = {}
    for file in os.listdir(f"/proc/{pid}/fdinfo"):
        with contextlib.suppress(OSError):
            text = pathlib.Path(f"/proc/{pid}/fdinfo/{file}").read_text()
            if number := re.search(r"^map_id:\s+(\d+)$", text, re.M):
                maps[number[1]] = int(re.search(r"^memlock:\s+(\d+)$", text, re.M)[1])
    return resident, sum(maps.values())
