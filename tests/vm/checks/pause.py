# SPDX-License-Identifier: GPL-2.0
"""
The host does not run the machine for a while, twice in a benchmark: it stops QEMU, whose clock goes on. Both pauses are
found, as long as they were and as far apart, and the I/Os that were on their way are marked. A host that is busy may
make more of them, which are as real.
"""

import contextlib
import json
import os
import signal
import threading
import time

import home
import machine
import results

MACHINE = machine.Machine(seconds=300)
TEST = "RND4K-Q8T1-Read"
# Seconds: until each stop since the one before it, or since fio was at work, and how long it is.
STOPS = ((1.0, 0.2), (1.0, 0.3))
PATIENCE = 240

# ns. The heart beats each 20 ms; a host that is busy delays what is done at a moment, most of all by emulation.
BEAT, LATE, SLOW = 20e6, 60e6, 1e9


# --- the host ---


def stop(pid, seconds):
    """Of the host's clock, when it began and ended, ns."""
    began = time.time_ns()
    os.kill(pid, signal.SIGSTOP)
    time.sleep(seconds)
    os.kill(pid, signal.SIGCONT)
    return began, time.time_ns()


def stop_often(pid, out, gone):
    deadline = time.monotonic() + PATIENCE
    while not (out / "working").exists():
        if gone.wait(0.05) or time.monotonic() > deadline:
            return
    # By the clock of this side, when the guest told the time of its own.
    working, stops = (out / "working").stat().st_mtime_ns, []
    for wait, seconds in STOPS:
        if gone.wait(wait):
            return
        stops.append(stop(pid, seconds))
    (out / "stops").write_text(json.dumps({"working": working, "stops": stops}))


@contextlib.contextmanager
def host(_scratch, out, _iostrata):
    gone, threads = threading.Event(), []

    def started(pid):
        threads.append(threading.Thread(target=stop_often, args=(pid, out, gone)))
        threads[0].start()

    try:
        yield machine.Host(started=started)
    finally:
        gone.set()
        for thread in threads:
            thread.join()


# --- what must hold ---


def matching(pauses, length):
    """Those that are as long as a stop; up to a beat of it comes before the first that is late."""
    return [pause for pause in pauses if length - BEAT - LATE / 6 <= pause["length"] <= length + LATE]


def end(pause):
    return pause["at"] + pause["length"]


def pairs(known, pauses):
    """Pauses that are as long as the two stops, and as far apart."""
    (first, second) = known["stops"]
    return [(one, other) for one in matching(pauses, first[1] - first[0])
            for other in matching(pauses, second[1] - second[0])
            if abs(end(other) - end(one) - (second[1] - first[1])) < LATE]


def moment(known, run, pause):
    """How long after the run's start the stop was: until fio was at work on the guest's clock, then on the host's."""
    since = known["guest"] - run["started"] + known["stops"][0][0] - known["working"]
    return abs(pause["at"] - since) < SLOW, "the first is found at its time", f"{since}, {pause['at']}"


def brief(records):
    return ", ".join(f"{record['boundaries']['S'] / 1e6:.0f} to {record['boundaries']['R'] / 1e6:.0f} ms, "
                     f"paused {record.get('paused', 0) / 1e6:.0f} ms" for record in records)


def marks(run, pause):
    """I/Os were on their way, and each that was for all of the pause says so."""
    inside = [record for record in results.slowest(run)
              if record["boundaries"]["S"] <= pause["at"] and end(pause) <= record["boundaries"]["R"] + BEAT]
    what = f"pause of {pause['length'] / 1e6:.0f} ms at {pause['at'] / 1e6:.0f} ms"
    yield inside, f"{what}: I/Os were on their way", brief(results.slowest(run))
    yield (all(record.get("paused", 0) >= pause["length"] - BEAT for record in inside), f"{what}: they are marked",
           brief(inside))


def judge(out, say):
    folder = out / "paused"
    known = json.loads((out / "stops").read_text()) | {"guest": int((out / "working").read_text())}
    yield home.done(folder), "it ended well", home.words(folder)
    if not home.done(folder):
        return
    run = results.run_of(home.result(folder), TEST)
    pauses = results.pauses(run)
    say(f"stopped for {[(ended - began) / 1e6 for began, ended in known['stops']]} ms, "
        f"paused for {[(pause['at'] / 1e6, pause['length'] / 1e6) for pause in pauses]} ms")
    found = pairs(known, pauses)
    yield len(found) == 1, "both stops are found, as long and as far apart as they were", f"{known}, {pauses}"
    for pair in found:
        yield moment(known, run, pair[0])
        for pause in pair:
            for passed, text, detail in marks(run, pause):
                yield bool(passed), text, detail
    said = results.sentence(run, "clock")
    count = sum("paused" in record for record in results.slowest(run))
    yield (f"{count} of the {len(results.slowest(run))} slowest I/Os were on their way then" in said,
           "the check of the clock says how many", said)
    words = " ".join(home.words(folder).split())
    yield "the machine stood still for " in words, "so does the list of the slowest I/Os", words[-2000:]
