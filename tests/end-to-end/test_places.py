# SPDX-License-Identifier: GPL-2.0
"""What is measured as it is: files that exist, and what they and read-only devices have in them."""

import hashlib
import os
import re

import pytest

from program import assert_refused
from results import runs, states

READ, WRITE = "RND4K-Q1T1-Read", "RND4K-Q1T1-Write"
BOTH = f"{READ},{WRITE}"
SIZE = 32 << 20


def make(path, size=SIZE):
    """A file with something in each block, on its disk."""
    with open(path, "xb") as file:
        file.write(os.urandom(1 << 20) * (size >> 20))
        os.fsync(file.fileno())
    return path


def state_of(path):
    """All of it that a measurement must leave as it is."""
    status = path.stat()
    return (status.st_ino, status.st_size, status.st_blocks, status.st_mtime_ns, status.st_ctime_ns, status.st_mode,
            status.st_nlink, hashlib.sha256(path.read_bytes()).hexdigest())


@pytest.fixture
def measure(bench):
    """Measures an existing file, which must be the same afterwards; the outcome and its target."""

    def measure(path, *arguments):
        before = state_of(path)
        outcome = bench(path, "--read-only", "-v", *(arguments or ("--tests", READ)))
        assert state_of(path) == before, f"written to\n{outcome}"
        assert outcome.done, outcome
        return outcome, outcome.result["targets"][0]

    return measure


def parts(target):
    """(written, unwritten, holes) of a file."""
    layout = target["layout"]
    assert "elsewhere" not in layout or not layout["elsewhere"], layout
    return tuple(layout.get(part, 0) for part in ("written", "unwritten", "holes"))


# --- files that exist ---


def test_existing_file_is_only_read(filesystem, measure):
    outcome, target = measure(make(filesystem / "precious"), "--tests", BOTH)
    assert states(outcome.result) == ["done", "skipped"] and runs(outcome.result)[1]["reason"] == "--read-only"
    assert target["kind"] == "file" and target["path"] == f"{filesystem}/precious"
    assert target["filesystem"] == "ext4" and "laid_out_in" not in target
    assert parts(target) == (SIZE, 0, 0) and target["layout"]["extents"] >= 1
    for words in ("nothing is written to a target", "is only read", "32 MiB written, in "):
        assert words in outcome.stderr, outcome
    assert "removed" not in outcome.stderr and "laying out" not in outcome.stderr, outcome


def test_existing_file_through_a_link(filesystem, machine, bench):
    file = make(machine.directory() / "precious")
    (filesystem / "link").symlink_to(file)
    before = state_of(file)
    outcome = bench(filesystem / "link", "--read-only", "--tests", READ)
    assert states(outcome.result) == ["done"] or "fio" in runs(outcome.result)[0]["reason"], outcome
    assert (filesystem / "link").is_symlink() and state_of(file) == before
    assert outcome.result["targets"][0]["path"] == str(file)


def test_existing_file_needs_read_only(bench, filesystem):
    file = make(filesystem / "precious")
    before = state_of(file)
    assert_refused(bench(file), file, "exists", "--read-only")
    assert state_of(file) == before


def test_existing_file_is_smaller(bench, filesystem):
    file = make(filesystem / "precious", 8 << 20)
    assert_refused(bench(file, "--read-only"), file, "the file has 8 MiB", "--size 8M")
    assert bench(file, "--read-only", "--size", "8M", "--tests", READ).done


def test_existing_file_twice(bench, filesystem):
    """Two names of one file are one file."""
    file = make(filesystem / "precious")
    os.link(file, filesystem / "other")
    assert_refused(bench(file, filesystem / "other", "--read-only"), "given twice")


def test_part_of_an_existing_file(filesystem, measure):
    """What lies behind the part that is measured doesn't matter."""
    file = make(filesystem / "precious", 16 << 20)
    os.truncate(file, 64 << 20)
    _, target = measure(file, "--tests", READ, "--size", "16M")
    assert parts(target) == (16 << 20, 0, 0)


# --- what is in them ---


def test_sparse_file(filesystem, measure):
    file = filesystem / "sparse"
    with open(file, "xb") as sparse:
        sparse.truncate(SIZE)
        for place in (4 << 20, 20 << 20):
            sparse.seek(place)
            sparse.write(os.urandom(1 << 20))
        os.fsync(sparse.fileno())
    _, target = measure(file)
    assert parts(target) == (2 << 20, 0, 30 << 20)


def test_file_of_nothing(filesystem, measure):
    file = filesystem / "nothing"
    file.touch()
    os.truncate(file, SIZE)
    _, target = measure(file)
    assert parts(target) == (0, 0, SIZE) and not target["layout"].get("extents")
    assert "nearness" not in target or not target["nearness"].get("reads"), "nothing was there to be near"


def test_reserved_file(filesystem, measure):
    """posix_fallocate on ext4 reserves; nothing is written."""
    with open(filesystem / "reserved", "xb") as file:
        os.posix_fallocate(file.fileno(), 0, SIZE)
        os.pwrite(file.fileno(), os.urandom(1 << 20), 8 << 20)
        os.fsync(file.fileno())
    _, target = measure(filesystem / "reserved")
    assert parts(target) == (1 << 20, 31 << 20, 0)


def test_dirty_file(filesystem, measure):
    """What only the page cache has is written before it is looked at."""
    with open(filesystem / "dirty", "xb") as file:
        file.write(os.urandom(1 << 20) * 32)
    _, target = measure(filesystem / "dirty")
    assert parts(target) == (SIZE, 0, 0)


def test_own_file(bench, filesystem):
    """Every block that iostrata lays out is on the device."""
    outcome = bench(filesystem, "--tests", READ)
    assert parts(outcome.result["targets"][0]) == (SIZE, 0, 0), outcome


def test_file_in_memory(bench, machine):
    """tmpfs has no FIEMAP, and old ones take no direct I/O, which fio tells of."""
    folder = machine.tmpfs("128m")
    file = make(folder / "precious", 16 << 20)
    os.truncate(file, SIZE)
    before = state_of(file)
    outcome = bench(file, "--read-only", "--tests", READ)
    assert state_of(file) == before
    assert parts(outcome.result["targets"][0]) == (16 << 20, 0, 16 << 20), outcome


# --- devices that are only read ---


def sample(bench, device, *arguments):
    outcome = bench(device, "--tests", READ, "-v", *arguments)
    assert outcome.done, outcome
    layout = outcome.result["targets"][0]["layout"]
    assert re.search(rf"^{layout.get('zeros', 0)} of {layout['sampled']} blocks read at random are all zeros$",
                     outcome.stderr.replace(f"{device}: ", ""), re.M), outcome
    return layout["sampled"], layout.get("zeros", 0)


def test_blank_device(bench, device):
    sampled, zeros = sample(bench, device)
    assert zeros == sampled > 0


def test_full_device(bench, device):
    with open(device.path, "r+b") as file:
        file.write(os.urandom(1 << 20) * 64)
    sampled, zeros = sample(bench, device)
    assert sampled > 0 and zeros == 0


def test_only_the_measured_part_is_sampled(bench, device):
    with open(device.path, "r+b") as file:
        file.write(os.urandom(1 << 20) * 8)
    sampled, zeros = sample(bench, device, "--size", "8M")
    assert sampled > 0 and zeros == 0


def test_device_that_is_written_is_not_sampled(bench, device):
    outcome = bench(device, "--tests", READ, "--destroy-data", device, "--yes")
    layout = outcome.result["targets"][0].get("layout", {})
    assert outcome.done and not layout.get("sampled"), outcome


def test_blocks_larger_than_a_page(bench, machine):
    """A device with logical blocks of 4096 bytes takes no smaller ones."""
    sampled, zeros = sample(bench, machine.loop(64 << 20, "-b", "4096"))
    assert zeros == sampled > 0


# --- how near the answers come from ---


def test_nearness(bench, filesystem):
    """Known in a virtual machine, and only there."""
    outcome = bench(filesystem, "--tests", READ)
    nearness = outcome.result["targets"][0].get("nearness", {})
    if not outcome.result["machine"].get("hypervisor"):
        assert not nearness.get("reads"), outcome
        return
    assert 0 < nearness["reads"] <= 200 and nearness["random"] > 0 and nearness["same"] > 0
