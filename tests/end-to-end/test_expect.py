# SPDX-License-Identifier: GPL-2.0
"""What is expected of tests, one pattern over depths, and what the exit status says of both."""

import pytest

import witness
from program import assert_refused, fake_fio
from results import run_of, runs, states

READ, WRITE, DEEP = "RND4K-Q1T1-Read", "RND4K-Q1T1-Write", "RND4K-Q8T2-Read"
SURE = "iops=1,mbps=0.001,lat=100s,p99=100s,p99.9=100s"
NEVER = "iops=1000000000"


@pytest.fixture
def disk(machine):
    """
    A file system on a real disk: what is measured in memory is NOT REAL, and that counts before any expectation. The
    loop device above the disk is ours alone, so it is idle at once.
    """
    folder = machine.stack.enter_context(witness.own_folder())
    return machine.ext4(machine.loop(64 << 20, "--direct-io=on", folder=folder))


def expectations(run):
    """The checks of --expect, in their order."""
    return [check for check in run["checks"] if check["name"] == "expectation"]


# --- what is expected ---


def test_all_is_met(bench, disk):
    outcome = bench(disk, "--tests", f"{READ},{WRITE}", "--expect", SURE)
    assert outcome.status == 0, outcome
    for run in runs(outcome.result):
        assert [check["state"] for check in expectations(run)] == ["passed"] * 5, run["checks"]
        assert all(run["test"] in check["sentence"] for check in expectations(run))


def test_one_is_not_met(bench, disk):
    outcome = bench(disk, "--tests", f"{READ},{WRITE}", "--expect", SURE, "--expect", f"*Write:{NEVER}")
    assert outcome.status == 4, outcome
    assert states(outcome.result) == ["done"] * 2
    assert [check["state"] for check in expectations(run_of(outcome.result, READ))] == ["passed"] * 5
    failed = expectations(run_of(outcome.result, WRITE))[-1]
    (row,) = [row for row in outcome.rows if row["Test"] == WRITE]
    assert failed["state"] == "failed"
    assert failed["found"] == f"{int(row['IOPS']):,} IOPS"
    assert failed["expected"] == "1,000,000,000 IOPS or more"
    assert failed["sentence"] == f"{WRITE} reached {int(row['IOPS']):,} of the 1,000,000,000 IOPS expected."


def test_a_latency_is_not_met(bench, disk):
    outcome = bench(disk, "--tests", READ, "--expect", "p99=1ns", "--no-trace")
    assert outcome.status == 4, outcome
    (check,) = expectations(run_of(outcome.result, READ))
    assert check["state"] == "failed" and check["expected"] == "p99 of lat of 1 ns or less"


def test_the_last_iteration_is_judged_for_all(bench, disk):
    outcome = bench(disk, "--tests", READ, "-i", "3", "--expect", NEVER, "--no-trace")
    assert outcome.status == 4, outcome
    assert [len(expectations(run)) for run in runs(outcome.result)] == [0, 0, 1]
    mean = sum(float(row["IOPS"]) for row in outcome.rows) / 3
    found = int(expectations(runs(outcome.result)[2])[0]["found"].split()[0].replace(",", ""))
    assert abs(found - mean) <= 1


def test_a_failed_run_counts_before_all(bench, disk):
    """What can't be told must not pass for met."""
    fio = fake_fio(bench.folder, 'case " $* " in *" --rw=randwrite "*) exit 9 ;; esac; exec "$real" "$@"')
    outcome = bench(disk, "--fio-path", fio, "--tests", f"{READ},{WRITE}", "--expect", NEVER, "--no-trace")
    assert outcome.status == 5, outcome
    assert states(outcome.result) == ["done", "failed"]
    assert expectations(run_of(outcome.result, READ))[0]["state"] == "failed"


def test_what_is_not_real_counts_before_it(bench, device):
    """The fixture's loop device has its file in tmpfs."""
    outcome = bench(device, "--tests", READ, "--expect", NEVER)
    assert outcome.status == 3, outcome
    assert expectations(run_of(outcome.result, READ))[0]["state"] == "failed"


@pytest.mark.parametrize("expect, words", [
    ("", ["--expect"]),
    ("iops", ["'iops'", "MEASURE=NUMBER"]),
    ("iops=1,iosp=2", ["'iosp=2'", "mbps"]),
    ("iops=0", ["'iops=0'", "above 0"]),
    ("iops=3k", ["'iops=3k'", "number"]),
    ("mbps=1e3", ["'mbps=1e3'", "number"]),
    ("p99=2", ["'p99=2'", "2ms"]),
    ("p99.99=2ms", ["'p99.99=2ms'", "p99.9"]),
    ("iops=1,", ["''"]),
    ("RND8K*:iops=1", ["'RND8K*'", "none of the tests"]),
    (f"{READ}:lat=1ms,{WRITE}:lat=1ms", [f"'{WRITE}'", "none of the tests"]),
])
def test_wrong_words(bench, device, expect, words):
    assert_refused(bench(device, "--tests", READ, "--expect", expect), "--expect", *words)


@pytest.mark.parametrize("options", [[], ["--read-only"]])
def test_what_is_not_run_meets_nothing(bench, device, options):
    """A device that may not be written has no write tests."""
    outcome = bench(device, "--tests", f"{READ},{WRITE}", "--expect", "*Write:iops=1", *options)
    assert_refused(outcome, "'*Write:iops'", "tests that write")


# --- one pattern over depths ---


def test_sweep(bench, disk):
    outcome = bench(disk, "--sweep", "8,1,2", "--expect", "RND4K-Q8T1-*:iops=1")
    assert outcome.status == 0, outcome
    names = [f"RND4K-Q{depth}T1-Read" for depth in (1, 2, 8)]
    assert [test["name"] for test in outcome.result["tests"]] == names
    assert [test["depth"] for test in outcome.result["tests"]] == [1, 2, 8]
    assert [row["Test"] for row in outcome.rows] == names
    assert states(outcome.result) == ["done"] * 3
    assert [len(expectations(run)) for run in runs(outcome.result)] == [0, 0, 1]
    for name, depth in zip(names, (1, 2, 8)):
        assert f"--iodepth={depth}" in run_of(outcome.result, name)["command"]


def test_sweep_of_a_named_pattern(bench, device):
    """In memory: each point of it is NOT REAL."""
    outcome = bench(device, "--sweep", "1,4", "--tests", DEEP)
    assert outcome.status == 3, outcome
    assert [test["name"] for test in outcome.result["tests"]] == ["RND4K-Q1T2-Read", "RND4K-Q4T2-Read"]
    assert states(outcome.result) == ["done"] * 2


@pytest.mark.parametrize("arguments, words", [
    (["--sweep", ""], ["--sweep"]),
    (["--sweep", "8"], ["8 alone", "two depths"]),
    (["--sweep", "1,2,1"], ["depth 1", "twice"]),
    (["--sweep", "1,zwei"], ["'zwei'", READ]),
    (["--sweep", "0,1"], ["'0'"]),
    (["--sweep", "1,65537"], ["'65537'", "65536"]),
    (["--sweep", "1,32769", "--tests", DEEP], ["'32769'", DEEP]),
    (["--sweep", "1,2", "--tests", f"{READ},{DEEP}"], ["--tests names 2 tests"]),
])
def test_no_sweep(bench, device, arguments, words):
    assert_refused(bench(device, *arguments), "--sweep", *words)
