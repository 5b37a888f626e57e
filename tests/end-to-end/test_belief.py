# SPDX-License-Identifier: GPL-2.0
"""
Did a disk do the work? What is none, or was answered by something nearer, is NOT REAL, for the right reason; of a disk
nothing untrue is said, however noisy the machine is: what others do to it is true.
"""

import os
import re

import pytest

import beliefs
from results import (alarms, balanced, checks, foreign_bytes, foreigner, io_of, losses, run_of, runs, states, verdict,
                     view_of)

# What is about where the I/O went, and about the accounts: no noise excuses any of these.
NEVER = ["medium", "cache", "layout", "link", "cap", "little", "identity", "diskstats", "percentiles"]

TABLE_FULL = "table full"


def named(function):
    return function.__name__


def said(outcome):
    """All words for people, on one line."""
    return " ".join((outcome.stdout + outcome.stderr).split())


# --- where the I/O went ---


@pytest.mark.parametrize("make", beliefs.NOT_REAL, ids=named)
def test_no_disk(machine, make):
    name, words = beliefs.NOT_REAL[make]
    outcome = make(machine)
    (run,) = beliefs.runs_of(outcome)
    failed = [check for check in checks(run, name) if check.state == "failed"]
    assert failed and any(words in check.sentence for check in failed), checks(run)
    assert verdict(run) == "NOT REAL"
    # A traced program's status is its own.
    assert outcome.status == (3 if outcome.result["tests"] else 0), outcome
    assert "NOT REAL" in said(outcome) and words in said(outcome), outcome


@pytest.mark.parametrize("make", beliefs.SILENT, ids=named)
def test_disk(machine, make):
    outcome = make(machine)
    (run,) = beliefs.runs_of(outcome)
    assert not alarms(run, "medium", "cache", "layout"), alarms(run)
    assert {check.state for check in checks(run, "medium", "cache")} == {"passed"}, checks(run, "medium", "cache")
    assert verdict(run) in ("REAL", "SUSPECT"), checks(run)
    assert outcome.status == 0, outcome
    assert "NOT REAL" not in said(outcome), outcome


def test_file_in_memory(machine):
    """What doesn't take direct I/O (tmpfs before 6.6) fails, and says why; what does is no disk."""
    folder = machine.tmpfs("1m")
    try:
        os.close(os.open(folder / "probe", os.O_RDWR | os.O_CREAT | os.O_DIRECT))
        refused = False
    except OSError:
        refused = True
    outcome = beliefs.directory_in_memory(machine)
    run = run_of(outcome.result, beliefs.READ)
    if refused:
        assert outcome.status == 5 and states(outcome.result) == ["failed"], outcome
        assert "direct" in run["reason"].lower() and verdict(run) is None, outcome
        return
    (check,) = checks(run, "medium")
    assert check.state == "failed" and "tmpfs" in check.sentence, check
    assert verdict(run) == "NOT REAL" and outcome.status == 3, outcome


@pytest.mark.parametrize("make", [beliefs.clean_disk, beliefs.clean_loop], ids=named)
def test_clean_runs(machine, make):
    """Of what does happen on a machine that others use (its disk, its CPUs, its clock) nothing is held against us."""
    outcome = make(machine, "--duration", "2")
    assert outcome.status == 0, outcome
    for run in runs(outcome.result):
        assert not alarms(run, *NEVER), (run["test"], alarms(run))
        assert verdict(run) in ("REAL", "SUSPECT"), (run["test"], checks(run))
        assert (verdict(run) == "SUSPECT") == bool(beliefs.against(run)), (run["test"], alarms(run))


# --- who else was there ---


@pytest.mark.parametrize("rate", [8, 100, 400, 1600])
def test_share_of_others(machine, rate):
    """To two points, and by name; a share of 2 % is no matter."""
    run, truth = beliefs.disturbed(machine, rate)
    (check,) = [check for check in checks(run, "foreign") if re.fullmatch(r"[\d.]+ %", check.found)]
    assert abs(float(check.found.split()[0]) - truth) <= 2, (check, truth)
    assert foreign_bytes(foreigner(run, "fio")) > 0
    if truth < 4:
        assert check.state == "passed", check
    if truth > 6:
        assert check.state == "warning" and "fio (process)" in check.sentence, check
        assert verdict(run) == "SUSPECT"


# --- what the probes lost ---


def test_no_room_in_the_tables(machine):
    outcome = beliefs.without_room(machine, 1)
    run = run_of(outcome.result, beliefs.DEEP)
    assert outcome.status == 0 and verdict(run) == "SUSPECT", outcome
    assert {check.state for check in checks(run, "identity")} == {"passed"}
    assert losses(view_of(run, "read"))[TABLE_FULL] > 0
    assert io_of(run, "read")["table_full"] > 0 and balanced(io_of(run, "read"))
    for name in "coverage", "ios":
        assert any(TABLE_FULL in check.sentence for check in alarms(run, name)), checks(run, name)
    assert f"({TABLE_FULL})" in said(outcome)


def test_room_in_the_tables(machine):
    """The same build with tables as they are: its other losses are told, and are no reason to doubt."""
    outcome = beliefs.without_room(machine, 0)
    run = run_of(outcome.result, beliefs.DEEP)
    assert TABLE_FULL not in losses(view_of(run, "read")) and not io_of(run, "read")["table_full"]
    assert not any(TABLE_FULL in check.sentence for check in checks(run))
    assert {check.state for check in checks(run, "coverage")} == {"passed"}


def test_a_real_build_takes_no_small_tables(machine):
    """The variable is for builds with faults alone."""
    bench = beliefs.program_of(machine)
    outcome = bench(beliefs.own_loop(machine, "--direct-io=on"), "--read-only", "--tests", beliefs.DEEP,
                    env={"IOSTRATA_TABLE_SETS": "1"})
    run = run_of(outcome.result, beliefs.DEEP)
    assert TABLE_FULL not in losses(view_of(run, "read")) and not io_of(run, "read")["table_full"]
