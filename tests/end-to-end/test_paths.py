# SPDX-License-Identifier: GPL-2.0
"""Of what kind the path to the medium is, and what is said of it before the figures."""

import pathlib
import re
import shutil
import subprocess
import threading

import pytest

import machine as m
import witness as w
from results import check, directions, queued, run_of, validate

READ, WRITE = "RND4K-Q1T1-Read", "RND4K-Q4T1-Write"


def told(outcome):
    """(name, driver, path) of each layer of the only target, and the heading in one line."""
    assert outcome.done, outcome
    validate(outcome.result)
    (target,) = outcome.result["targets"]
    layers = [(layer["name"], layer.get("driver"), layer.get("path")) for layer in target["layers"]]
    return target, layers, re.sub(r"\s+", " ", outcome.stdout)


def test_loop_on_memory(bench, filesystem):
    """The image is in a tmpfs: there is no disk, and nothing that `device` would include."""
    _, ((name, driver, path),), heading = told(bench(filesystem, "--tests", READ))
    assert (driver, path) == ("loop", "loop-memory")
    assert f"ext4 on {name} (file " in heading and "what follows as" not in heading


def test_loop_on_loop(bench, machine):
    upper, lower = w.loop_on_loop(machine)
    _, layers, heading = told(bench(upper, "--tests", READ))
    assert layers == [(upper.name, "loop", "loop"), (lower.name, "loop", "loop-memory")]
    assert "what follows as" not in heading


def test_zram(bench, machine):
    device = w.zram(machine, 64 << 20)
    _, layers, _ = told(bench(device, "--tests", READ))
    assert layers == [(device.name, "zram", "zram")]


def test_tmpfs(bench, machine):
    target, layers, heading = told(bench(machine.tmpfs("128m"), "--tests", READ, "--no-trace"))
    assert target["access"] == "memory" and not layers
    assert "tmpfs without a block device" in heading


def test_disk_of_this_machine(trace):
    """A virtio disk: its driver as sysfs links it, and in the heading what else `device` includes."""
    disks = [disk for disk in pathlib.Path("/sys/block").glob("vd*") if (disk / "device/driver").exists()]
    if not disks:
        pytest.skip("absent: this machine has no virtio disk")
    name, driver = disks[0].name, (disks[0] / "device/driver").resolve().name
    outcome = trace("-D", name, "-d", "0.5")
    _, layers, heading = told(outcome)
    assert layers == [(name, driver, "virtio-blk")]
    assert f"{name}, a virtio disk: what follows as `device` includes the hypervisor" in heading \
        or f"`device` of {name} (a virtio disk) includes the hypervisor" in heading, heading


@pytest.fixture
def mirror(machine):
    """A btrfs that has everything on both of its disks; and these."""
    if "\tbtrfs\n" not in pathlib.Path("/proc/filesystems").read_text():
        pytest.skip("absent: this kernel has no btrfs")
    if not shutil.which("mkfs.btrfs"):
        pytest.skip("absent: mkfs.btrfs isn't installed")
    disks = [machine.loop(256 << 20), machine.loop(256 << 20)]
    m.command("mkfs.btrfs", "-q", "-f", "-d", "raid1", "-m", "raid1", *map(str, disks))
    return machine.mount(str(disks[0])), disks


def test_btrfs_of_two_disks(bench, mirror):
    """Both are watched: what is written comes to the two of them, and that is no imbalance."""
    point, disks = mirror
    outcome = bench(point, "--tests", f"{READ},{WRITE}")
    target, layers, heading = told(outcome)
    names = [disk.name for disk in disks]
    assert sorted(layers) == sorted((name, "loop", "loop-memory") for name in names) and target["members"] == 2
    assert f"btrfs on {layers[0][0]} (file " in heading and f", {layers[1][0]} (file " in heading, heading
    run = run_of(outcome.result, WRITE)
    written = directions(run)["write"]["bytes"]
    assert queued(run, "workload", "write") + queued(run, "others", "write") >= 2 * written
    assert check(run, "balance") == "not applicable"
    assert {leaf["device"] for leaf in run["trace"]["leaves"] if leaf["ops"].get("write")} == set(names)


@pytest.fixture
def served(machine):
    """A file system that ntfs-3g serves, and its disk."""
    for tool in ("ntfs-3g", "mkntfs"):
        if not shutil.which(tool):
            pytest.skip(f"absent: {tool} isn't installed")
    if not pathlib.Path("/dev/fuse").exists():
        pytest.skip("absent: this kernel has no FUSE")
    disk, point = machine.loop(128 << 20), machine.directory()
    m.command("mkntfs", "-q", "-f", "-F", str(disk))
    # in the foreground, so that its end is ours to see
    server = subprocess.Popen(["ntfs-3g", "-o", "no_detach", str(disk), str(point)], stdout=subprocess.DEVNULL,
                              stderr=subprocess.DEVNULL)
    machine.stack.callback(server.wait, 10)
    machine.stack.callback(m.command, "umount", str(point))
    m.wait_until(point.is_mount, 10, "a mounted ntfs-3g")
    return point, disk, server.pid


def test_served_file_system(bench, served):
    """What its server reads of the disk is the workload's; that its page cache answers is told, and no other cause."""
    point, disk, server = served
    over = threading.Event()

    def forget():
        while not over.wait(0.02):
            subprocess.run(["blockdev", "--flushbufs", str(disk)], check=False)

    thread = threading.Thread(target=forget)
    thread.start()
    try:
        outcome = bench(point, "--tests", READ, "--duration", "1")
    finally:
        over.set()
        thread.join()
    target, layers, _ = told(outcome)
    assert target["filesystem"] == "fuseblk" and layers == [(disk.name, "loop", "loop-memory")]
    assert any(f"(ntfs-3g, process {server})" in warning for warning in target["warnings"]), target["warnings"]
    run = run_of(outcome.result, READ)
    assert queued(run, "workload", "read") > 0
    assert queued(run, "others", "read") <= queued(run, "workload", "read") / 10
    assert check(run, "layout") != "failed"
