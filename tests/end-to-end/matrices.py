# SPDX-License-Identifier: GPL-2.0
"""The runs of the whole matrix that many tests look at."""

import os
import pathlib
import tempfile

import pytest

import program

SIX = ["SEQ1M-Q8T1-Read", "SEQ1M-Q8T1-Write", "RND4K-Q32T16-Read", "RND4K-Q32T16-Write", "RND4K-Q1T1-Read",
       "RND4K-Q1T1-Write"]


def on_ext4(machine):
    bench = program.Bench(machine)
    return bench(machine.ext4(machine.loop(256 << 20)), "--size", "64M", "--duration", "1")


def on_raw_loop(machine):
    bench = program.Bench(machine)
    device = machine.loop(64 << 20)
    return bench(device, "--duration", "1", "--destroy-data", device, "--yes")


def with_faults(machine):
    if not program.FAULTY.exists():
        pytest.skip(f"{program.FAULTY} isn't built (make FAULT=1)")
    bench = program.Bench(machine, program.FAULTY)
    device = machine.loop(64 << 20)
    return bench(device, "--duration", "1", "--destroy-data", device, "--yes", "--tests",
                 "RND4K-Q32T16-Read,RND4K-Q32T16-Write")


def own_disk():
    """A folder on a file system that has a real block device under it; None where there is none."""
    for folder in ("/var/tmp", program.ROOT, "/"):
        number = os.stat(folder).st_dev
        device = pathlib.Path(f"/sys/dev/block/{os.major(number)}:{os.minor(number)}")
        if device.exists() and not (device / "loop").exists():
            return folder
    return None


def on_own_disk(machine):
    folder = own_disk()
    if not folder:
        pytest.skip("absent: no file system here has a block device of its own")
    bench = program.Bench(machine)
    with tempfile.TemporaryDirectory(prefix="iostrata-test-", dir=folder) as target:
        outcome = bench(target, "--duration", "1")
    outcome.own = True
    return outcome
