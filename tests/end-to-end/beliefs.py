# SPDX-License-Identifier: GPL-2.0
"""
What can be taken for a disk and is none, or not all of one, and disks that are: measured once each. test_belief.py holds
what is said of them against what they are; tools/believe counts it.
"""

import contextlib
import os
import subprocess

import pytest

import machine as m
import program
import witness as w
from results import alarms, directions, program as only_program, runs

READ, WRITE, DEEP = "RND4K-Q1T1-Read", "RND4K-Q1T1-Write", "RND4K-Q32T4-Read"
SIZE = 32 << 20

# What a healthy disk is measured by: near and deep, small and large, both ways.
TESTS = "RND4K-Q1T1-Read,RND4K-Q1T1-Write,RND4K-Q32T1-Read,SEQ1M-Q8T1-Write"

# I/Os per second of the test that others disturb: so few that both have what they ask for.
PACE = 400


def fill(path, size=SIZE):
    """Every block of it on its disk, and none of zeros."""
    with open(path, "r+b" if path.exists() else "xb") as file:
        for _ in range(size >> 20):
            file.write(os.urandom(1 << 20))
        os.fsync(file.fileno())
    return path


def program_of(machine, kind=program.Bench, *arguments):
    runner = kind(machine, *arguments)
    machine.stack.callback(runner.close)
    return runner


# --- places ---


def own_folder(machine):
    return machine.stack.enter_context(w.own_folder())


def own_loop(machine, *options, filled=True, size=SIZE):
    """A loop device over a file on the machine's own disk, which only we use."""
    image = machine.image(size, own_folder(machine))
    if filled:
        fill(image, size)
    device = m.Loop(image, *options)
    machine.stack.callback(device.close)
    return device


def own_filesystem(machine):
    """An ext4 on a loop device with direct I/O over the machine's own disk."""
    return machine.ext4(own_loop(machine, "--direct-io=on", filled=False, size=4 * SIZE))


# --- measured by bench ---


def bench_of(machine, target, *options, tests=READ):
    return program_of(machine)(target, "--tests", tests, *options)


def sparse_file(machine):
    path = own_filesystem(machine) / "sparse"
    path.touch()
    os.truncate(path, SIZE)
    return bench_of(machine, path, "--read-only")


def reserved_file(machine):
    path = own_filesystem(machine) / "reserved"
    with open(path, "xb") as file:
        os.posix_fallocate(file.fileno(), 0, SIZE)
        os.fsync(file.fileno())
    return bench_of(machine, path, "--read-only")


def written_file(machine):
    return bench_of(machine, fill(own_filesystem(machine) / "written"), "--read-only")


def directory_in_memory(machine):
    return bench_of(machine, machine.tmpfs("128m"))


def zram(machine):
    device = w.zram(machine, 2 * SIZE)
    return bench_of(machine, device, "--destroy-data", device, "--yes")


def loop_over_memory(machine):
    return bench_of(machine, machine.loop(SIZE, "--direct-io=on"), "--read-only")


def loop_with_cache(machine):
    return bench_of(machine, own_loop(machine, "--direct-io=off"), "--read-only")


def loop_without_cache(machine):
    return bench_of(machine, own_loop(machine, "--direct-io=on"), "--read-only")


def blank_device(machine):
    return bench_of(machine, own_loop(machine, "--direct-io=on", filled=False), "--read-only")


def clean_disk(machine, *options):
    """A file in a directory of the machine's own disk."""
    return bench_of(machine, own_folder(machine), *options, tests=TESTS)


def clean_loop(machine, *options):
    """A file system of our own on a loop device with direct I/O over it."""
    return bench_of(machine, own_filesystem(machine), *options, tests=TESTS)


# --- measured by trace ---


def trace_of(machine, *argv):
    return program_of(machine, program.Trace)("--", *argv)


def reader(path, direct):
    """All of the file once."""
    return ["fio", "--name=reader", f"--filename={path}", f"--size={SIZE}", "--rw=randread", "--bs=64k", "--readonly",
            "--ioengine=psync", f"--direct={direct}", "--invalidate=0"]


def cached_reads(machine):
    return trace_of(machine, *reader(fill(own_filesystem(machine) / "data"), 0))


def direct_reads(machine):
    return trace_of(machine, *reader(fill(own_filesystem(machine) / "data"), 1))


def reads_of_a_sparse_file(machine):
    path = own_filesystem(machine) / "sparse"
    path.touch()
    os.truncate(path, SIZE)
    return trace_of(machine, "dd", f"if={path}", "of=/dev/null", "bs=64K", "iflag=direct", "status=none")


# --- with others on the disk ---


@contextlib.contextmanager
def another(device, rate):
    """A second fio that reads from the device all the time, so many blocks a second."""
    process = subprocess.Popen(["fio", "--name=another", f"--filename={device}", "--rw=randread", "--bs=4k",
                                "--readonly", "--direct=1", "--ioengine=libaio", "--iodepth=8", "--time_based=1",
                                "--runtime=120", f"--rate_iops={rate}", "--thread"],
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        m.wait_until(lambda: w.now()[device.name]["read"].ios > 4, 20, "the other fio's reads")
        yield
    finally:
        process.kill()
        process.wait()


def disturbed(machine, rate):
    """The run, and the share in percent of what the kernel counted on the device that wasn't the engine's."""
    device = own_loop(machine, "--direct-io=on")
    # They can't be read in two places that agree: the device isn't at rest.
    witness = w.Witness(machine, arguments=f"--rate_iops={PACE}")
    with another(device, rate):
        ((run, kernel),) = w.measure(program_of(machine), witness, device, READ, "--duration", "2")
    return run, 100 * (1 - directions(run)["read"]["ios"] / kernel[device.name]["read"].ios)


# --- with probes that lose ---


def without_room(machine, sets):
    """By a build that takes tables of any size."""
    if not program.FAULTY.exists():
        pytest.skip(f"{program.FAULTY} isn't built (make FAULT=1)")
    bench = program_of(machine, program.Bench, program.FAULTY)
    return bench(own_loop(machine, "--direct-io=on"), "--read-only", "--tests", DEEP,
                 env={"IOSTRATA_TABLE_SETS": str(sets)})


# --- what must be said of them ---

# These explain a number, or judge it, and leave it as it is (user/result/verdict.h).
HARMLESS = {"depth", "cpu", "splits", "observer", "limit", "expectation"}


def against(run):
    """The alarms that a number can't be real with."""
    return [check for check in alarms(run) if check.name not in HARMLESS]


# What is no disk, or answered by something else: the check that fails, and what its sentence must have.
NOT_REAL = {
    cached_reads: ("cache", "page cache"),
    reads_of_a_sparse_file: ("layout", "holes"),
    sparse_file: ("layout", "sparse"),
    reserved_file: ("layout", "fallocate"),
    zram: ("medium", "zram"),
    loop_over_memory: ("medium", "tmpfs"),
    loop_with_cache: ("cache", "losetup --direct-io=on"),
    blank_device: ("layout", "zeros"),
}

# Their counterparts.
SILENT = [direct_reads, written_file, loop_without_cache]


def runs_of(outcome):
    """Of a bench, or the one of a trace."""
    result = outcome.result
    return runs(result) if result["tests"] else [only_program(result)]
