# SPDX-License-Identifier: GPL-2.0
"""
Delays that are known because we make them: each must appear in its stage, whole, and leave the others alone. They are
long, so that the machine's noise is small beside them. Noise comes on top and only ever makes the share of a known
delay smaller; what is counted in a wrong place would do so each time.
"""

import json
import os
import pathlib
import signal
import statistics
import subprocess
import sys

import pytest

import machine as m
import witness as w
from results import (NOT_SEEN, balanced, between, call_bios, call_of, directions, ends, foreigners, io_of, io_stage,
                     ios, mean, notes, parts, program, queued, rows, slowest, total_of, ways)

HERE = pathlib.Path(__file__).resolve().parent
PYTHON = sys.executable
WAYS = {"libaio": "libaio", "io_uring": "io_uring", "psync": "system call"}

# A limit counts in slices of so many ns.
SLICE = m.Limit.SLICE * 1e9
# I/Os per second, and how many of them pass at once.
RATE = 100
BURST = round(RATE * m.Limit.SLICE)
# So few that each has to wait.
TRICKLE = round(1 / m.Limit.SLICE)
# Seconds, in the middle of the tenth slice: what is held back then passes in the next one.
TEN_SLICES = 9.5 * m.Limit.SLICE


def near(value, truth, share=0.02):
    return abs(value - truth) <= share * truth


def about(count, truth):
    """On a busy machine a burst may take longer than its slice."""
    return abs(count - truth) <= 2


def assert_all_of_it(shares):
    """
    What known delays are of the spans that they are in: 98 % in the best quarter, where the machine added nothing, and
    most of it in half of them.
    """
    shares = sorted(shares)
    assert shares and shares[-max(1, len(shares) // 4)] >= 0.98 and statistics.median(shares) >= 0.8, shares


def median(histogram):
    """The bucket that holds it, by its lowest value."""
    left = (histogram["count"] + 1) // 2
    for lowest, count in histogram["buckets"]:
        left -= count
        if left <= 0:
            return lowest
    return 0


def spent(view, *stages):
    """ns, over all I/Os."""
    return sum(parts(view)[stage] for stage in stages)


def spent_elsewhere(view, *stages):
    return sum(parts(view).values()) - spent(view, *stages)


def assert_whole(view):
    """Every I/O is known from its call to its return, but for completions that no program saw."""
    unseen = ends(view).get(NOT_SEEN, 0)
    assert balanced(view) and ends(view)["joined"] + unseen == view["called"], view["ends"]
    assert unseen <= view["called"] * w.UNSEEN_AT_MOST, view["ends"]
    assert unseen or sum(parts(view).values()) == io_stage(view, "total")["sum"]


def slowest_joined(run, least=0):
    """Those of the slowest that all is known of, and that took so many ns."""
    return [record for record in slowest(run) if record["end"] == "joined" and total_of(record) >= least]


def alone(run, op):
    """What fio did, exactly, and nobody else for it."""
    view, figures = io_of(run, op), directions(run)[op]
    assert_whole(view)
    assert view["called"] == figures["ios"] and view["bytes"] == figures["bytes"]
    assert queued(run, "workload", op) == figures["bytes"]
    assert not [one for one in foreigners(run) if one["kind"] == "kernel thread" or one.get("command") == "fio"]
    return view


def lat(run, op):
    return directions(run)[op]["latency"]["lat"]["mean"]


def engine(name, seconds):
    """Shell code: what this run has, whatever the bench asked for."""
    return f'set -- "$@" --ioengine={name} --runtime={round(1000 * seconds)}ms'


# --- what a limit of RATE does ---


# On a busy machine, a program may not always make use of its slice.
SLOWER = 1.2


def paced(view, depth=1, together=False):
    """
    The mean latency, in ns: an I/O begins when the one that is `depth` before it ends, so all of them add up to the
    moments at which the last ones end, and that is when the slices begin that they pass in.
    """
    ends_at = [number // BURST * SLICE for number in range(view["called"] - depth, view["called"])]
    return (depth * ends_at[-1] if together else sum(ends_at)) / view["called"]


def long_ones(run, view):
    """Those that waited for a slice: how many, and as many of them as were kept whole."""
    count = sum(count for lowest, count, _ in rows(view) if lowest >= SLICE / 2)
    return count, slowest_joined(run, SLICE / 2)


def assert_waited(run, view, start, end, expected):
    """So many waited for a slice, and between these boundaries."""
    count, records = long_ones(run, view)
    assert about(count, expected)
    assert_all_of_it([between(record, start, end) / total_of(record) for record in records])


def assert_paced(run, view, end):
    """One waits in each slice, until the next begins."""
    at = sorted(record["boundaries"][end] for record in long_ones(run, view)[1])
    assert near(statistics.median(b - a for a, b in zip(at, at[1:])), SLICE), at


# --- a cgroup's limit: throttled ---


def held_runs(bench, machine, where):
    """{(engine, limit): (run, op)}. In turn, so that they have the machine's noise in common."""
    device = machine.loop(64 << 20)
    if where == "ext4":
        target, op, options = machine.ext4(device, "-o", "noatime,commit=300"), "write", ("--size", "1M")
    else:
        target, op, options = device, "read", ("--read-only",)
    limit = machine.limit(device)
    seconds = {RATE: TEN_SLICES, None: 0.2, TRICKLE: 4.5 * m.Limit.SLICE}
    turns = [(name, iops) for name in WAYS for iops in seconds]
    before = w.Witness.in_turn(*(f"{limit.words(iops)}\n{engine(name, seconds[iops])}" for name, iops in turns))
    witness = w.Witness(machine, before=f"{limit.join}\n{before}")
    measured = w.measure(bench, witness, target, f"RND4K-Q1T1-{op.title()}", "--iterations", len(turns), *options)
    return {turn: (run, op) for turn, (run, _) in zip(turns, measured)}


def assert_held(run, view):
    """One of each burst waits for its slice, and nothing of that is anywhere else."""
    throttled = io_stage(view, "throttled")
    assert notes(view) == {"throttled": throttled["count"]} and about(throttled["count"], (view["called"] - 1) // BURST)
    assert_waited(run, view, "S", "Q", throttled["count"])
    # What submit has beside it is the program's and the file system's way to the block layer.
    assert near(throttled["sum"], spent(view, "submit"))
    assert_paced(run, view, "Q")


def assert_trickle(run, view):
    """Each waits, but for the first."""
    throttled = io_stage(view, "throttled")
    assert throttled["count"] == notes(view)["throttled"] == view["called"] - 1
    assert_waited(run, view, "S", "Q", throttled["count"])
    # The kernel waits for a tick or two more.
    assert 0.95 * SLICE <= mean(throttled) <= 1.2 * SLICE


def changes(found, stage):
    """By how many ns the stage's median is longer under the limit than without it, for each engine."""
    views = {turn: io_of(run, op) for turn, (run, op) in found.items()}
    return [median(io_stage(views[name, RATE], stage)) - median(io_stage(views[name, None], stage)) for name in WAYS]


@pytest.mark.parametrize("where", ["raw", "ext4"])
def test_throttled(bench, machine, where):
    found = held_runs(bench, machine, where)
    for (name, iops), (run, op) in found.items():
        view = alone(run, op)
        assert ways(view) == {WAYS[name]: view["called"]}
        if iops == RATE:
            assert_held(run, view)
        elif iops == TRICKLE:
            assert_trickle(run, view)
        else:
            assert not notes(view) and not io_stage(view, "throttled")
    pace = [lat(run, op) / paced(io_of(run, op)) for (_, iops), (run, op) in found.items() if iops == RATE]
    assert near(min(pace), 1) and max(pace) <= SLOWER, pace
    for stage in ("queue", "device", "deliver"):
        # A program that sleeps between its I/Os is woken more slowly than one that never does, but not by this much.
        assert statistics.median(changes(found, stage)) <= SLICE / 100, (stage, changes(found, stage))


# --- a program that asks for several: batch ---


TOGETHER = 8


def waits(count):
    """Of so many I/Os: how many are held back, and how many wait for those that are in the same batch."""
    passing, held, waiting = BURST, 0, 0
    for _ in range(count // TOGETHER):
        late = max(0, TOGETHER - passing)
        if late:
            held += late
            waiting += TOGETHER - late
            passing += BURST
        passing -= TOGETHER
    return held, waiting


def test_batch(bench, machine, device):
    """
    Eight at a time, of which ten pass in each slice: of the second eight, six wait for the next slice, and the other
    two for them. If nobody asks for all eight, those two are back at once.
    """
    limit = machine.limit(device)
    together = w.Witness.in_turn(f'set -- "$@" --iodepth_batch_complete_min={TOGETHER}', ":")
    witness = w.Witness(machine, before=f"{limit.words(RATE)}\n{limit.join}\n{together}")
    ((batched, _), (single, _)) = w.measure(bench, witness, device, f"RND4K-Q{TOGETHER}T1-Read", "--iterations", "2",
                                            "--duration", TEN_SLICES, "--read-only")
    for run in (batched, single):
        view = alone(run, "read")
        assert 0.98 <= lat(run, "read") / paced(view, TOGETHER, run is batched) <= SLOWER
        assert near(io_stage(view, "throttled")["sum"], spent(view, "submit"))
    assert_waited(single, view, "S", "Q", notes(view)["throttled"])
    assert_batched(batched)


def assert_batched(run):
    view = io_of(run, "read")
    held, waiting = waits(view["called"])
    count, records = long_ones(run, view)
    assert near(notes(view)["throttled"], held, 0.15) and near(count, held + waiting, 0.15)
    assert_all_of_it([(record["last_complete"] - record["boundaries"]["C"]) / total_of(record) for record in records
                      if between(record, "S", "Q") < SLICE / 2])
    batch = io_stage(view, "batch")["sum"]
    assert near(batch, waiting * SLICE, 0.15) and 0.7 * spent(view, "deliver") <= batch <= spent(view, "deliver")


# --- a slow device, and too few tags: device and queue ---


DEEP, MANY = "RND4K-Q32T1-Read", "RND4K-Q1T32-Read"
TAGS = 4


def test_slow_device_and_few_tags(bench, machine):
    """
    A device that does so many a second. With four tags and always 32 I/Os on their way, 28 wait in the queue: be it
    that each of many threads waits for a tag, or that the scheduler keeps those of one.
    """
    device, lower = w.loop_on_loop(machine, "--direct-io=on")
    limit, queue = machine.limit(lower), pathlib.Path(f"/sys/block/{device.name}/queue")
    if "mq-deadline" not in (queue / "scheduler").read_text():
        pytest.skip("absent: this kernel has no mq-deadline")
    faster = limit.words(2 * RATE)
    before = w.Witness.in_turn(limit.words(RATE),
                               f"{faster}\necho {TAGS} >{queue}/nr_requests\n{engine('psync', TEN_SLICES)}",
                               f"{faster}\necho mq-deadline >{queue}/scheduler")
    witness = w.Witness(machine, before=f"{limit.join}\n{before}")
    with w.queue_setting(device.name, "nr_requests", 128), w.queue_setting(device.name, "scheduler", "none"):
        measured = w.measure(bench, witness, device, f"RND4K-Q1T1-Read,{MANY},{DEEP}", "--duration", TEN_SLICES,
                             "--read-only")
    (slow, many, deep) = (run for run, _ in measured)
    assert_slow(slow)
    assert_few_tags(many)
    assert_few_tags(deep)


def assert_slow(run):
    view = alone(run, "read")
    assert not notes(view)
    assert_waited(run, view, "D", "C", (view["called"] - 1) // BURST)
    assert_paced(run, view, "C")


def assert_few_tags(run):
    view = alone(run, "read")
    waiting = spent(view, "queue") / spent(view, "queue", "device")
    assert 0.82 <= waiting <= 0.92, parts(view)
    # What is left at the end, libaio asks for all at once.
    assert spent_elsewhere(view, "queue", "device") <= 0.1 * io_stage(view, "total")["sum"], parts(view)
    company = [sum(record["company"].values()) for record in slowest_joined(run)]
    assert max(company) == TAGS - 1, company


# --- a slow flush: sync ---


def test_slow_flush(bench, machine):
    """
    The upper device keeps what is written, and its flush writes that to the lower one, which is slow. Where it says
    that it keeps nothing, there is no flush.
    """
    upper, lower = w.loop_on_loop(machine)
    limit, cache = machine.limit(lower, everybody=True), f"/sys/block/{upper.name}/queue/write_cache"
    turns = [(name, "write back") for name in WAYS] + [("libaio", "write through")]
    before = w.Witness.in_turn(*(f"echo {cached} >{cache}\n{engine(name, 0.45)}" for name, cached in turns))
    witness = w.Witness(machine, before=f"{limit.words(20)}\n{before}", after=limit.words(None))
    with w.queue_setting(upper.name, "write_cache", "write back"):
        found = w.measure(bench, witness, upper, "RND4K-Q1T1-Write", "--write-through", "--size", "1M", "--iterations",
                          len(turns))
    for (_, cached), (run, _) in zip(turns, found):
        assert_flushed(run, w.layers(run)[upper.name]["ops"], cached == "write back")


def assert_flushed(run, ops, flushes):
    view = alone(run, "write")
    if not flushes:
        assert notes(view) == {"synchronous": view["called"]} and not io_stage(view, "sync") and "flush" not in ops
        return
    assert notes(view) == {"flushed": view["called"], "synchronous": view["called"]}
    # A synchronous call waits for two, libaio and io_uring for one.
    assert ops["flush"]["stages"]["device"]["count"] >= view["called"]
    assert near(spent(view, "sync"), ops["flush"]["stages"]["device"]["sum"])
    assert spent_elsewhere(view, "sync") <= 0.1 * io_stage(view, "total")["sum"], parts(view)


# --- a competitor: deliver ---


SPIN = """
import time
while True:
    end = time.monotonic() + 0.02
    while time.monotonic() < end:
        pass
    time.sleep(0.005)
"""
# ns: nearly all of it, and more than any of it.
SPUN, STALLED = 15_000_000, 50_000_000


def traced_fio(trace, disk, file, core):
    """A run of fio on one core. psync: it does nothing else between D and R."""
    report = trace.folder / "fio.json"
    outcome = trace("-D", disk, "--", "taskset", "-c", core, "fio", "--name=x", f"--filename={file}", "--rw=randread",
                    "--bs=4k", "--size=4m", "--direct=1", "--ioengine=psync", "--runtime=500ms", "--time_based=1",
                    "--output-format=json", f"--output={report}")
    assert outcome.done, outcome
    run = program(outcome.result)
    view = io_of(run, "read")
    assert_whole(view)
    assert view["called"] == json.loads(report.read_text())["jobs"][0]["read"]["total_ios"]
    for path in outcome.json_files:
        path.unlink()
    return run


def two_runs(*words):
    """Without the competitor and with it, when others didn't stall the machine's disk."""
    core = str(words[-1])
    for _ in range(3):
        free = traced_fio(*words)
        competitor = subprocess.Popen(["chrt", "-f", "50", "taskset", "-c", core, PYTHON, "-c", SPIN])
        try:
            contended = traced_fio(*words)
        finally:
            competitor.kill()
            competitor.wait()
        if all(between(record, "Q", "C") < STALLED for run in (free, contended) for record in slowest_joined(run)):
            return free, contended
    pytest.skip("absent: others keep this machine's disk busy")


def test_competitor(trace):
    """
    Something that goes first has the core for 20 ms of every 25: once in that time, an I/O is complete and its thread
    must wait so long. The disk's own interrupt does not wait.
    """
    for tool in ("taskset", "chrt"):
        m.need(tool)
    with w.own_folder() as folder:
        file = folder / "data"
        file.write_bytes(os.urandom(4 << 20))
        m.command("sync", file)
        free, contended = two_runs(trace, f"/dev/{w.disk_of(folder)}", file, min(os.sched_getaffinity(0)))
    was, now = (slowest_joined(run, SPUN) for run in (free, contended))
    assert len(now) >= max(5, 2 * len(was))
    assert_all_of_it([between(record, "C", "R") / total_of(record) for record in now])
    view = io_of(contended, "read")
    assert near(io_stage(view, "runq")["sum"], spent(view, "deliver"), 0.1)
    assert median(io_stage(view, "device")) <= 4 * median(io_stage(io_of(free, "read"), "device"))


# --- a program that does something else first: unreaped ---


def reader(name, *words):
    return [PYTHON, "-B", HERE / f"{name}.py", *map(str, words)]


def test_unreaped(trace, device):
    """Two at once, five times: what it says of its own time, less what the I/Os took."""
    outcome = trace("-D", device, "--", *reader("aio", device, 2, "rounds=5", "sleep=0.02"))
    assert outcome.done, outcome
    run, spans = program(outcome.result), json.loads(outcome.stdout)
    view = io_of(run, "read")
    assert_whole(view)
    assert view["called"] == io_stage(view, "unreaped")["count"] == 10
    records = sorted(slowest(run), key=lambda record: record["boundaries"]["S"])
    found = [between(record, "C", "P") / (span - between(record, "S", "C"))
             for record, span in zip(records, (span for span in spans for _ in range(2)))]
    assert_all_of_it([min(ratio, 1 / ratio) for ratio in found])
    assert all(between(record, "S", "P") >= 20_000_000 for record in records)
    assert spent(view, "unreaped") >= 0.8 * io_stage(view, "total")["sum"]


# --- somebody else's: none of ours ---


def test_strangers(trace, device):
    stranger = subprocess.Popen(reader("aio", device, 4, "rounds=1000000", "sleep=0.001"))
    try:
        before = device.stat()["reads"]
        m.wait_until(lambda: device.stat()["reads"] > before, 10, "reads of the stranger")
        read = f"dd if={device} of=/dev/null bs=4k count=100 iflag=direct status=none"
        outcome = trace("-D", device, "--", "sh", "-c", f"{read}; sleep 0.2; {read}")
    finally:
        stranger.kill()
        stranger.wait()
    assert outcome.done, outcome
    run = program(outcome.result)
    view = io_of(run, "read")
    assert_whole(view)
    assert view["called"] == 200 and ways(view) == {"system call": 200}
    assert queued(run, "workload", "read") == 200 * 4096 and queued(run, "others", "read") >= 4 * 4096


# --- the page cache: no stage at all ---


@pytest.fixture
def cached(filesystem):
    """A file that is in memory, and the disk that it lies on."""
    file = filesystem / "data"
    file.write_bytes(os.urandom(1 << 20))
    m.command("sync", file)
    return file, f"/dev/{w.disk_of(filesystem)}"


def test_page_cache(trace, cached):
    file, disk = cached
    outcome = trace("-D", disk, "--", "dd", f"if={file}", "of=/dev/null", "bs=4k", "status=none")
    assert outcome.done, outcome
    run = program(outcome.result)
    reads = call_of(run, "read")
    # The last call finds the end of the file.
    assert reads["calls"] == 257 and reads["bytes"] == 1 << 20 and not reads["direct"]
    assert call_bios(reads, "read") == (0, 0) and "read" not in ios(run)


def test_page_cache_by_libaio(trace, cached):
    file, disk = cached
    outcome = trace("-D", disk, "--", *reader("aio", file, 4, "rounds=3", "buffered"))
    assert outcome.done, outcome
    view = io_of(program(outcome.result), "read")
    assert view["called"] == 12 and ends(view) == {"buffered": 12} and balanced(view)
    assert not any(parts(view).values())


# --- linked reads: the second's submit holds the first ---


def traced_uring(trace, limit, device, *words):
    outcome = trace("-D", device, "--", *limit.prefix, *reader("uring", device, *words))
    if outcome.status == 77:
        pytest.skip("absent: io_uring is switched off here")
    return outcome


def test_linked(trace, machine):
    device, lower = w.loop_on_loop(machine, "--direct-io=on")
    limit, pairs = machine.limit(lower), 4
    limit.set(TRICKLE)
    outcome = traced_uring(trace, limit, device, pairs)
    assert outcome.done, outcome
    run = program(outcome.result)
    view = io_of(run, "read")
    assert_whole(view)
    assert view["called"] == 2 * pairs and ways(view) == {"io_uring": 2 * pairs} and not notes(view)
    # The second ones lie behind all of the first.
    records = sorted(slowest(run), key=lambda record: record["sector"])
    shares = []
    for first, second in zip(records[:pairs], records[pairs:]):
        assert first["boundaries"]["S"] == second["boundaries"]["S"]
        assert first["boundaries"]["C"] <= second["boundaries"]["Q"]
        shares.append(between(first, "S", "C") / between(second, "S", "Q"))
    # The very first read doesn't wait for a slice.
    assert_all_of_it(shares[1:])
    assert all(between(record, "S", "Q") >= SLICE / 2 for record in records[pairs + 1:])


# --- what is in flight when the program dies, or the trace ends ---


def test_killed_with_libaio(trace, machine, device):
    """They end with the program, and nobody is left who would be told."""
    limit = machine.limit(device)
    limit.set(TRICKLE)
    outcome = trace("-D", device, "--", *limit.prefix, *reader("aio", device, 5, "die"))
    assert outcome.status == 128 + signal.SIGKILL, outcome
    view = io_of(program(outcome.result), "read")
    assert view["called"] == 5 and balanced(view)
    assert view["in_flight_at_end"] + ends(view).get("never asked for", 0) == 5, ends(view)


def test_killed_with_io_uring(trace, machine, device):
    """The first of a pair is with the device; the second has not begun, and may be called off with the ring."""
    limit = machine.limit(device)
    limit.set(1)
    outcome = traced_uring(trace, limit, device, 1, "die")
    assert outcome.status == 128 + signal.SIGKILL, outcome
    view = io_of(program(outcome.result), "read")
    assert 1 <= view["called"] <= 2 and balanced(view)


def state_of(pid):
    return pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]


def held_reader(limit, device):
    """A process whose first read is done, and whose second is held back."""
    reads = device.stat()["reads"]
    process = subprocess.Popen([*limit.prefix, "dd", f"if={device}", "of=/dev/null", "bs=4k", "count=3", "iflag=direct",
                                "status=none"])
    m.wait_until(lambda: device.stat()["reads"] == reads + 1 and state_of(process.pid) == "D", 10, "a read that waits")
    return process


def watch_held_reader(trace, machine, device, act):
    """What is known of the reader when the trace ends, after `act`."""
    limit = machine.limit(device)
    limit.set(1)
    with trace.watching("-D", device) as running:
        process = held_reader(limit, device)
        try:
            act(process)
            running.signal(signal.SIGINT)
            outcome = running.end()
        finally:
            process.kill()
            process.wait()
    assert outcome.done, outcome
    view = io_of(program(outcome.result), "read")
    assert view["called"] == 2 and balanced(view), (view["ends"], view["ways"], slowest(program(outcome.result))[:3])
    return view


def test_killed_in_a_call(trace, machine, device):
    """The kernel waits for the I/O before it lets the program die: that is its return."""

    def kill(process):
        process.kill()
        process.wait()

    view = watch_held_reader(trace, machine, device, kill)
    assert ends(view) == {"joined": 2} and notes(view)["throttled"] >= 1


def test_in_flight_at_the_end(trace, machine, device):
    view = watch_held_reader(trace, machine, device, lambda process: None)
    assert ends(view) == {"joined": 1} and view["in_flight_at_end"] == 1
