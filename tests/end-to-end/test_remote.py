# SPDX-License-Identifier: GPL-2.0
"""
File systems without a block device. The server here is one of FUSE that counts what it is asked, and takes its time: what
the probes saw must be what it counted, and its time must be where it was spent.
"""

import collections
import contextlib
import pathlib
import subprocess
import sys

import pytest

import machine as m
from program import Bench
from results import (alarms, balanced, buffered, check, checks, directions, ends, io_of, io_stage, mean, parts, program,
                     round_trips, rows, runs, sentence, validate, verdict, ways)

SERVER = pathlib.Path(__file__).resolve().parent / "fuse_server.py"
WAYS = {"libaio": "libaio", "io_uring": "io_uring", "psync": "system call"}
TESTS = "RND4K-Q1T1-Read,RND4K-Q8T4-Mix50,SEQ1M-Q4T1-Write"
MILLISECOND = 1_000_000


def tells_of_fuse():
    with open("/proc/kallsyms", encoding="ascii") as symbols:
        return any("__traceiter_fuse_request_send" in line for line in symbols)


class Served:
    """A mount, and what its server has counted since begin(): {kind: requests}, and their bytes."""

    def __init__(self, machine, *options):
        self.mount, self.log = machine.directory(), machine.directory() / "log"
        self.process = subprocess.Popen([sys.executable, "-B", SERVER, self.mount, self.log, *options])
        machine.stack.callback(self.close)
        m.wait_until(lambda: self.mount.is_mount() or self.process.poll() is not None, 20, "mount")
        assert self.process.poll() is None, "the server has ended"
        self.position = 0

    def close(self):
        m.command("umount", self.mount)
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.process.wait(10)
        self.process.kill()
        self.process.wait()

    def lines(self):
        return [line.split() for line in self.log.read_text().splitlines()] if self.log.exists() else []

    def begin(self):
        self.position = len(self.lines())

    def counted(self):
        counts, sizes = collections.Counter(), collections.Counter()
        for kind, size in self.lines()[self.position:]:
            counts[kind] += 1
            sizes[kind] += int(size)
        return dict(counts), {kind: size for kind, size in sizes.items() if size}


@pytest.fixture
def serve(machine):
    if not pathlib.Path("/dev/fuse").exists():
        pytest.skip("absent: this machine has no FUSE")
    if not tells_of_fuse():
        pytest.skip("absent: this kernel does not tell of FUSE's requests")
    pytest.importorskip("pyfuse3", reason="python3-pyfuse3 isn't installed")
    return lambda *options: Served(machine, *options)


def assert_answered(run):
    for kind, view in round_trips(run).items():
        assert view["sent"] == view["answered"] and not view["lost"] and not view["in_flight_at_end"], kind
        assert view["time"]["count"] == view["answered"], kind


def assert_whole(view, figures):
    """As many as the engine says, each known from call to return; its parts are its total to the nanosecond."""
    assert view["called"] == figures["ios"] and balanced(view)
    assert ends(view) == {"joined": view["called"]}
    assert view["bytes"] == view["remote_bytes"] == figures["bytes"]
    assert sum(parts(view).values()) == io_stage(view, "total")["sum"]
    assert {part for part, spent in parts(view).items() if spent} <= {"submit", "remote", "unreaped", "deliver"}
    assert io_stage(view, "remote")["count"] == view["called"]
    assert sum(count for _, count, _ in rows(view)) == view["called"]


@pytest.mark.parametrize("engine", WAYS)
def test_every_io(bench, serve, engine):
    """Whatever engine made it, and whichever thread sent its request."""
    outcome = bench(serve().mount, "--ioengine", engine, "--tests", TESTS, "--size", "8M")
    assert outcome.done, outcome
    validate(outcome.result)
    for run in runs(outcome.result):
        sent = {"read": "FUSE_READ", "write": "FUSE_WRITE"}
        for op, figures in directions(run).items():
            view, trips = io_of(run, op), round_trips(run)[sent[op]]
            assert_whole(view, figures)
            assert ways(view) == {WAYS[engine]: view["called"]}
            assert trips["bytes"] == figures["bytes"]
            assert trips["sent"] == figures["ios"] or run["test"].startswith("SEQ1M")
        assert_answered(run)
        for name in ("ios", "cache", "coverage", "identity"):
            assert check(run, name) == "passed", checks(run, name)
        assert not verdict(run) or verdict(run) == "SUSPECT", "no medium was seen that could be real"
    assert "what follows as `remote` includes the program that serves it" in " ".join(outcome.stdout.split())


def test_every_request(trace, serve):
    """Of a program that creates, writes through the page cache, syncs, and reads past it and through it."""
    served = serve()
    file = served.mount / "file"
    script = (f"dd if=/dev/zero of={file} bs=64k count=20 conv=fsync\n"
              f"dd if={file} of=/dev/null bs=4k count=50 iflag=direct\n"
              f"dd if={file} of=/dev/null bs=16k\n")
    served.begin()
    outcome = trace("--", "sh", "-c", script)
    assert outcome.status == 0, outcome
    validate(outcome.result)
    run, (counts, sizes) = program(outcome.result), served.counted()
    assert {kind: view["sent"] for kind, view in round_trips(run).items()} == counts
    assert {kind: view["bytes"] for kind, view in round_trips(run).items() if view["bytes"]} == sizes
    assert counts["FUSE_FSYNC"] == 1 and counts["FUSE_READ"] >= 50
    assert_answered(run)
    assert "round trips" in outcome.stderr
    # All of the file was in the page cache, and read there.
    assert any("page cache" in alarm.sentence for alarm in alarms(run, "cache"))
    # The sync was the server's, so a disk beside it that got no flush lacks none.
    assert check(run, "durability") == "unknown" and "server" in sentence(run, "durability")


def test_written_back(trace, serve):
    """What a program stored in a mapping, the kernel sends."""
    served = serve()
    script = ("import mmap, os, sys\n"
              "with open(sys.argv[1], 'w+b') as file:\n"
              "    file.truncate(64 * 4096)\n"
              "    with mmap.mmap(file.fileno(), 0) as memory:\n"
              "        memory[:] = b'y' * len(memory)\n"
              "        memory.flush()\n"
              "os.remove(sys.argv[1])\n")
    served.begin()
    outcome = trace("--", sys.executable, "-c", script, served.mount / "file")
    assert outcome.status == 0, outcome
    run, (counts, sizes) = program(outcome.result), served.counted()
    written = round_trips(run)["FUSE_WRITE*"]
    assert written["sent"] == counts["FUSE_WRITE"] and "FUSE_WRITE" not in round_trips(run)
    assert written["bytes"] == sizes["FUSE_WRITE"] == 64 * 4096


def test_time_of_the_server(bench, serve):
    """It sleeps for 40 ms before each answer: each round trip takes that or longer, and nothing else does."""
    delay = 40 * MILLISECOND
    outcome = bench(serve("--delay", "40").mount, "--ioengine", "libaio", "--tests", "RND4K-Q1T1-Read", "--size", "1M")
    assert outcome.done, outcome
    (run,) = runs(outcome.result)
    view = io_of(run, "read")
    lowest = io_stage(view, "remote")["buckets"][0][0]
    # Buckets are a 64th of a doubling wide.
    assert lowest >= delay * 63 / 64
    assert mean(io_stage(view, "submit")) + mean(io_stage(view, "deliver")) < delay
    assert "the server" in " ".join(outcome.stdout.split())


def test_refused_direct(bench, serve):
    """Without O_DIRECT it goes on through the page cache: that is said everywhere, and no figure is real."""
    outcome = bench(serve("--refuse-direct").mount, "--ioengine", "psync", "--tests",
                    "RND4K-Q1T1-Read,SEQ4K-Q1T1-Read", "--size", "1M")
    assert outcome.done, outcome
    validate(outcome.result)
    said = "fuse refuses O_DIRECT when a file is opened (EINVAL)"
    assert buffered(outcome.result) == [said]
    assert said in outcome.stderr and said in " ".join(outcome.stdout.split())
    for run in runs(outcome.result):
        assert "--direct=0" in run["command"] and "--direct=1" not in run["command"]
        assert check(run, "direct") == "warning" and verdict(run) in ("SUSPECT", "NOT REAL")
        # What was asked of the server for more than the call that asked, or for none, has no stages.
        assert set(ends(io_of(run, "read"))) <= {"joined", "buffered"}
        assert sum(ends(io_of(run, "read")).values()) == directions(run)["read"]["ios"]
        assert_answered(run)
    assert ends(io_of(runs(outcome.result)[1], "read"))["buffered"] > 0


def test_no_direct_refused_where_there_is_a_device(bench, filesystem):
    outcome = bench(filesystem, "--ioengine", "psync", "--tests", "RND4K-Q1T1-Read", "--size", "1M")
    assert outcome.done, outcome
    assert buffered(outcome.result) == [None]
    (run,) = runs(outcome.result)
    assert "--direct=1" in run["command"] and not round_trips(run)


def test_without_tracing(machine, serve):
    """It runs, and says what is missing."""
    bench = Bench(machine)
    try:
        outcome = bench(serve().mount, "--no-trace", "--tests", "RND4K-Q1T1-Read", "--size", "1M")
        assert outcome.done, outcome
        (run,) = runs(outcome.result)
        assert directions(run)["read"]["ios"] > 0 and "trace" not in run
    finally:
        bench.close()
