# SPDX-License-Identifier: GPL-2.0
"""The transport's floor: one block read again and again, in turns with random ones."""

import json
import os
import pathlib
import tempfile

import pytest

import matrices
from results import floor, no_floor, validate

READ, WRITE = "RND4K-Q1T1-Read", "RND4K-Q1T1-Write"
SENTENCE = "Floor: one block again and again takes "


def assert_sound(times):
    assert 50 <= times["reads"] <= 1000
    assert 0 < times["least"] <= times["median"] <= times["p99"]
    assert times["least"] <= times["mean"] and times["deviation"] >= 0


def flat(outcome):
    return " ".join(outcome.stdout.split())


def fill(device, size):
    with open(device.path, "r+b") as file:
        file.write(os.urandom(1 << 20) * (size >> 20))
        os.fsync(file.fileno())


@pytest.mark.parametrize("options", [(READ,), (READ, "--no-trace"), (WRITE, "--no-trace")], ids=" ".join)
def test_file(bench, filesystem, options):
    """Whatever the tests are, and without BPF."""
    outcome = bench(filesystem, "--floor", "--tests", *options)
    same, random, asked, reached = floor(outcome.result)
    assert outcome.done, outcome
    validate(outcome.result)
    assert_sound(same)
    assert_sound(random)
    assert reached >= 0.95 * asked >= 0.95 * (same["reads"] + random["reads"]), "they came to the disk"
    assert SENTENCE in flat(outcome) and no_floor(outcome.result) is None, outcome


def test_every_read_reaches_the_device(bench, device):
    """A device that does nothing else counts what was asked for, to the last read."""
    fill(device, 64 << 20)
    before = device.stat()
    outcome = bench(device, "--floor", "--read-only", "--tests", WRITE)
    after = device.stat()
    _, _, asked, reached = floor(outcome.result)
    sampled = outcome.result["targets"][0]["layout"]["sampled"]
    assert asked - 2 <= reached <= asked, "the one that just ended may not be counted yet"
    # Beside them there are blocks that are looked at, pairs of the same block in a virtual machine, and udev.
    assert after["reads"] - before["reads"] >= asked + sampled
    assert after["writes"] == before["writes"], "nothing is written"


def test_only_when_asked_for(bench, filesystem):
    outcome = bench(filesystem, "--no-trace", "--tests", READ)
    assert floor(outcome.result) is None and no_floor(outcome.result) is None
    assert "Floor" not in outcome.stdout, outcome


def test_blocks_that_were_never_written(bench, device):
    outcome = bench(device, "--floor", "--read-only", "--no-trace", "--tests", READ)
    assert outcome.done and floor(outcome.result) is None, outcome
    assert no_floor(outcome.result) == "no block with anything in it was found"
    assert "Floor: not measured: no block with anything in it was found." in flat(outcome), outcome
    assert "its floor is not measured" in outcome.stderr, outcome
    validate(outcome.result)


def test_large_blocks(bench, machine):
    """A device with logical blocks of 4096 bytes takes no smaller ones."""
    device = machine.loop(64 << 20, "-b", "4096")
    fill(device, 64 << 20)
    outcome = bench(device, "--floor", "--read-only", "--no-trace", "--tests", READ)
    assert_sound(floor(outcome.result)[0])


# --- doctor --probe ---


def probe(bench, target):
    """What doctor found."""
    status, stdout, stderr = bench.plain("doctor", "--probe", "--json", str(target))
    assert status in (0, 1, 3) and not stderr, stderr
    return json.loads(stdout)


def test_doctor_reads_a_device(bench, device):
    fill(device, 64 << 20)
    before = device.stat()
    same, random, asked, reached = floor(probe(bench, device))
    after = device.stat()
    assert_sound(same)
    assert_sound(random)
    assert asked - 2 <= reached <= asked <= after["reads"] - before["reads"]
    assert after["writes"] == before["writes"], "nothing is written"


def test_doctor_reads_the_device_of_a_directory(bench, machine):
    """Which is mounted. What ext4 has not written of it is blank, and is not timed."""
    device = machine.loop(64 << 20)
    target = machine.ext4(device)
    (target / "file").write_bytes(os.urandom(1 << 20) * 32)
    os.sync()
    same, _, asked, _ = floor(probe(bench, target))
    assert_sound(same)
    assert sorted(os.listdir(target)) == ["file", "lost+found"], "nothing is left"
    assert device.stat()["reads"] >= asked


def test_doctor_reads_only_when_asked_to(bench, device):
    fill(device, 64 << 20)
    status, stdout, _ = bench.plain("doctor", "--json", str(device))
    assert status in (0, 1, 3) and floor(json.loads(stdout)) is None and no_floor(json.loads(stdout)) is None


# --- what does not go all the way ---


def assert_stays_here(outcome):
    _, _, asked, reached = floor(outcome.result)
    assert reached < 0.95 * asked
    assert "such reads came to a disk: this machine's own memory answered, and the way remains unknown." \
        in flat(outcome), outcome
    assert "the way there" not in flat(outcome), "it bounds nothing"


def test_page_cache_of_a_loop_device(bench, machine):
    """Over a file on the machine's own disk, whose page cache has all of it."""
    folder = matrices.own_disk()
    if not folder:
        pytest.skip("absent: no file system here has a block device of its own")
    with tempfile.TemporaryDirectory(prefix="iostrata-test-", dir=folder) as scratch:
        device = machine.loop(16 << 20, folder=pathlib.Path(scratch))
        fill(device, 16 << 20)
        outcome = bench(device, "--floor", "--read-only", "--no-trace", "--size", "16M", "--tests", READ)
        machine.close()
    assert_stays_here(outcome)


def test_direct_io_that_is_none(bench, machine):
    """ext4 takes O_DIRECT with data=journal, and reads through the page cache all the same."""
    target = machine.ext4(machine.loop(128 << 20), "-o", "data=journal")
    assert_stays_here(bench(target, "--floor", "--no-trace", "--tests", READ))
