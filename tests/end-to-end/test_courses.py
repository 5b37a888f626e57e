# SPDX-License-Identifier: GPL-2.0
"""More than one thing at once, devices that go away, what is left out when asked, and long runs."""

import errno
import os
import pathlib
import subprocess
import time

import pytest

import machine as m
import program
import witness as w
from results import NOT_SEEN, PARTS, check, directions, io_seconds, io_stage, ios, losses, queued, started

READ, WRITE = "RND4K-Q8T2-Read", "RND4K-Q8T2-Write"

MIB = 1 << 20


def assert_run(run, kernel, device):
    """Its only layer, which equals the kernel's count."""
    assert list(w.layers(run)) == [device.name]
    layer = w.layers(run)[device.name]
    w.assert_equal(layer, kernel[device.name], run["test"])
    w.assert_closed(run)
    assert check(run, "diskstats") == "passed", run["checks"]
    for op, figures in directions(run).items():
        assert w.requests_started(layer, op).sectors * w.SECTOR == figures["bytes"]
    return layer


# --- several at once ---


def test_two_targets(bench, machine):
    """While one is measured, we read from the other: each run has its own device's I/O and nothing else."""
    first, second = machine.loop(64 * MIB), machine.loop(64 * MIB)
    other = {first.name: second, second.name: first}
    beside = (f"for disk in {first} {second}; do dd if=$disk of=/dev/null bs=64K count=160 skip=640 iflag=direct; done")
    witness = w.Witness(machine, first.name, second.name, beside=beside)
    words = w.words_for(witness, first, READ, second, "--duration", "0.6")
    measured = w.witnessed(witness, bench(*words))
    assert [list(w.layers(run)) for run, _ in measured] == [[first.name], [second.name]]
    for run, kernel in measured:
        ((device, layer),) = w.layers(run).items()
        w.assert_equal(layer, kernel[device])
        w.assert_closed(run)
        assert kernel[other[device].name]["read"] == w.Count(160, 10 * MIB // w.SECTOR)
        assert w.requests_started(layer, "read").sectors * w.SECTOR == directions(run)["read"]["bytes"] + 10 * MIB


def test_side_by_side(machine):
    """Two invocations on two devices, which read and write at the same time."""
    devices = [machine.loop(64 * MIB), machine.loop(64 * MIB)]
    benches = [program.Bench(machine), program.Bench(machine)]
    witnesses = [w.Witness(machine, device.name) for device in devices]
    tests = [READ, WRITE]
    words = [w.words_for(witness, device, test, "--duration", "2")
             for witness, device, test in zip(witnesses, devices, tests)]
    with benches[0].start(*words[0]) as one, benches[1].start(*words[1]) as two:
        one.fio()
        two.fio()
        # It isn't something that the first one left behind.
        one.known |= {two.process.pid}
        outcomes = [one.end(), two.end()]
    for bench, witness, device, outcome in zip(benches, witnesses, devices, outcomes):
        ((run, kernel),) = w.witnessed(witness, outcome)
        assert_run(run, kernel, device)
        bench.close()


def test_busy_before_and_after(bench, machine, device):
    """
    Others read all the time: what began before the recording ends as such, and what is on its way at its end is that.
    """
    load = subprocess.Popen(["fio", "--name=load", f"--filename={device}", "--rw=randread", "--bs=4k", "--direct=1",
                             "--ioengine=libaio", "--iodepth=32", "--readonly", "--time_based=1", "--runtime=60",
                             "--rate_iops=20000", "--thread"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        witness = w.Witness(machine)
        m.wait_until(lambda: w.now()[device.name]["read"].ios > 1000, 10, "load")
        before = w.now()
        ((run, kernel),) = w.measure(bench, witness, device, READ, "--duration", "0.6")
        whole = w.between(before, w.now())
    finally:
        load.kill()
        load.wait()
    layer = w.layers(run)[device.name]
    w.assert_closed(run)
    w.assert_between(layer, kernel[device.name], whole[device.name])
    # Between two of them an edge may be quiet all the same.
    assert check(run, "diskstats") in ("passed", "not applicable")
    assert queued(run, "workload", "read") == directions(run)["read"]["bytes"]
    view = layer["ops"]["read"]
    assert view["unissued"] <= 32 and view["in_flight_at_end"] <= 32


# --- devices that go away ---


def test_detached_loop_device(bench, machine):
    """The device has been told to go, and does so with its last user: everything up to then is counted."""
    device = machine.loop(64 * MIB)

    def detach(_):
        # We were the one who held it.
        device.close()
        device.fd = os.open("/dev/null", os.O_RDONLY)

    witness = w.Witness(machine, device.name)
    ((run, kernel),) = w.measure(bench, witness, device, READ, "--duration", "1", during=detach)
    assert_run(run, kernel, device)
    m.wait_until(lambda: not pathlib.Path(f"/sys/block/{device.name}/loop/backing_file").exists(), 5, "its end")


def test_zram_in_use(bench, machine):
    """A disk that is measured can't be taken away: the kernel refuses it, and the run is whole."""
    device = w.zram(machine, 64 * MIB)

    def take_away(_):
        for path, word in ((f"/sys/block/{device.name}/reset", "1"),
                           ("/sys/class/zram-control/hot_remove", device.number)):
            with pytest.raises(OSError) as refusal:
                pathlib.Path(path).write_text(word)
            assert refusal.value.errno == errno.EBUSY

    witness = w.Witness(machine, device.name)
    ((run, kernel),) = w.measure(bench, witness, device, WRITE, "--duration", "1", during=take_away)
    layer = w.layers(run)[device.name]
    w.assert_equal(layer, kernel[device.name])
    w.assert_closed(run)
    assert check(run, "diskstats") == "passed", run["checks"]
    assert w.bios_queued(layer, "write").sectors * w.SECTOR == directions(run)["write"]["bytes"]


# --- what is asked for ---


def test_device_alone(bench, machine, device):
    """Without the queue stage bios aren't followed, and the requests are counted all the same."""
    witness = w.Witness(machine, device.name, arguments="--iodepth_batch_submit=8 --iodepth_batch_complete_min=8")
    ((run, kernel),) = w.measure(bench, witness, device, "SEQ4K-Q8T1-Mix70", "--stages", "device")
    layer = w.layers(run)[device.name]
    w.assert_equal(layer, kernel[device.name])
    w.assert_closed(run)
    assert check(run, "diskstats") == "passed", run["checks"]
    for op, figures in directions(run).items():
        view = layer["ops"][op]
        assert set(view["stages"]) == {"device"}
        assert view["stages"]["device"]["count"] == view["completions"]
        assert view["issued_bytes"] == figures["bytes"]
        assert started(view) < figures["ios"]
        assert not any(view.get("bios", {}).get(key) for key in ("finished", "requests", "walked"))


# --- a build that drops every 1000th completion ---


def test_faults_on_every_layer(faulty_bench, machine):
    """What was dropped was found as not seen, by requests and by bios, on the loop device and on the one below it."""
    disk = machine.loop(256 * MIB)
    point = machine.ext4(disk, "-o", "noatime,commit=300")
    device = machine.loop(64 * MIB, "--direct-io=on", folder=point)
    witness = w.Witness(machine, device.name, disk.name, after=f"sync {device}; sync -f {point}")
    ((run, kernel),) = w.measure(faulty_bench, witness, device, "RND4K-Q32T4-Mix70", "--duration", "1")
    assert list(w.layers(run)) == [device.name, disk.name]
    w.assert_closed(run)
    for name, layer in w.layers(run).items():
        w.assert_equal(layer, kernel[name])
        for op in ("read", "write"):
            view = layer["ops"][op]
            # One in a thousand, of what each of the CPUs saw.
            assert 0 < view["faults"] <= started(view) // 1000, (name, op)
            assert view["faults_found"] == view["faults"], (name, op)
            assert losses(view)[NOT_SEEN] >= view["faults"], (name, op)
            assert losses(view["bios"])[NOT_SEEN] >= view["faults"], (name, op)
            assert set(losses(view)) == set(losses(view["bios"])) == {NOT_SEEN}


# --- second by second, and for long ---


def assert_course(stage, at_least):
    """Its seconds add up to the histogram, bucket by bucket."""
    total = {}
    for second in stage["course"]:
        assert second["buckets"]
        for bucket, count in second["buckets"]:
            assert count > 0
            total[bucket] = total.get(bucket, 0) + count
    assert sorted(total.items()) == [tuple(pair) for pair in stage["buckets"]]
    moments = [second["at"] for second in stage["course"]]
    assert moments == sorted(set(moments))
    assert len(moments) >= at_least, moments


def courses(run, at_least):
    for layer in w.layers(run).values():
        for view in layer["ops"].values():
            for stage in view["stages"].values():
                assert_course(stage, at_least)


def assert_seconds(run, at_least):
    """Those of the program's I/Os add up, and lie one after the other in the recording."""
    for view in ios(run).values():
        found = io_seconds(view)
        for part in PARTS:
            stage = io_stage(view, part) or {"count": 0, "sum": 0}
            assert sum(second.parts.get(part, (0, 0))[0] for second in found) == stage["count"], part
            assert sum(second.parts.get(part, (0, 0))[1] for second in found) == stage["sum"], part
        assert sum(second.bytes for second in found) == view["bytes"]
        edges = [edge for second in found for edge in (second.start, second.end)]
        assert edges == sorted(edges) and edges[0] >= 0
        assert len(found) >= at_least, edges


@pytest.mark.parametrize("seconds", [int(os.environ.get("IOSTRATA_LONG", "20"))])
def test_long_run(bench, machine, device, seconds):
    """
    As much as the machine can, for long (IOSTRATA_LONG=seconds): nothing is lost but what the kernel didn't show, and
    nothing grows, but by the seconds themselves.
    """
    readings = []

    def watch(running):
        begin = time.monotonic()
        while time.monotonic() - begin < seconds - 1:
            if time.monotonic() - begin > 4:
                readings.append(w.memory_of(running.process.pid))
            time.sleep(1)

    witness = w.Witness(machine, device.name)
    ((run, kernel),) = w.measure(bench, witness, device, "RND4K-Q32T16-Mix70", "--duration", str(seconds),
                                 during=watch)
    layer = assert_run(run, kernel, device)
    courses(run, seconds - 1)
    assert_seconds(run, seconds - 1)
    lost = sum(losses(view).get(NOT_SEEN, 0) for view in layer["ops"].values())
    resident = [reading[0] for reading in readings]
    maps = {reading[1] for reading in readings}
    print(f"{sum(started(view) for view in layer['ops'].values())} requests, {lost} not seen, resident"
          f" {resident[0]} to {resident[-1]} bytes, maps {maps}, misses {run['trace']['program_misses']}")
    assert len(maps) == 1 and maps != {0}
    assert resident[-1] - resident[0] <= 64 * 1024 * len(resident)
