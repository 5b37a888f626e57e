# SPDX-License-Identifier: GPL-2.0
"""
The device's time where it is known: null_blk completes by a timer of 5 ms, a SCSI disk of memory by one of 4 ms, and the
clock counts instructions, so that neither the host's load nor its speed is in it. Timer and interrupt add 3 to 5 us.
"""

import home
import machine
import results

MACHINE = machine.Machine(icount=1, cpus=1)
LOW, HIGH = 5_003_000, 5_005_000
TOLERANCE = 0.005
SCSI = 4_000_000


def prepare(out):
    home.build(out, "idler")


def near(value):
    return LOW * (1 - TOLERANCE) <= value <= HIGH * (1 + TOLERANCE)


def median_bucket(histogram):
    """The bucket that holds the median: its lowest value, and the one above."""
    half, seen = (histogram["count"] + 1) // 2, 0
    for low, count in histogram["buckets"]:
        seen += count
        if seen >= half:
            # 64 buckets for every doubling.
            return low, low + (1 << low.bit_length() - 7)
    return 0, 0


def judge_scsi(folder, say):
    """The delay is the driver's: all of it is in the command, and what is around that is short."""
    yield home.done(folder), "SCSI: it ended well", home.words(folder)
    run = results.run_of(home.result(folder), "RND4K-Q1T1-Read")
    found = {name: hop["sum"] / hop["count"] for name, hop in results.hops(results.view_of(run, "read")).items()}
    say(f"SCSI disk: mean ns of its hops {found}")
    yield SCSI <= found["command"] <= SCSI * 1.01, "the command takes 4 ms, and up to 1 % more", str(found)
    yield max(found["dispatch"], found["finish"]) <= SCSI * 0.005, "the hops around it do not", str(found)


def judge(out, say):
    yield from judge_scsi(out / "scsi_debug", say)
    folder = out / "nullb0"
    yield home.done(folder), "it ended well", home.words(folder)
    run = results.run_of(home.result(folder), "RND4K-Q1T1-Read")
    histogram = results.histogram(results.view_of(run, "read"))
    mean = histogram["sum"] / histogram["count"]
    low, above = median_bucket(histogram)
    say(f"device time of {histogram['count']} reads: mean {mean / 1e6:.4f} ms, median in {low / 1e6:.4f} to "
        f"{above / 1e6:.4f} ms, max {histogram['max'] / 1e6:.4f} ms")
    yield histogram["count"] >= 50, "there was I/O", str(histogram["count"])
    yield near(mean), "mean device time is 5.003 to 5.005 ms within 0.5 %", f"{mean} ns"
    yield low <= HIGH and LOW < above, "the median's bucket holds 5.003 to 5.005 ms", f"{low} to {above} ns"
    yield near(histogram["max"]), "so does the largest", f"{histogram['max']} ns"
