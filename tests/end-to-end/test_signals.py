# SPDX-License-Identifier: GPL-2.0
"""Asked to end in the middle of a run: finished runs are kept and reported, nothing else stays."""

import os
import pty
import signal
import subprocess
import time

import pytest

import machine as m
from program import SIGNALS, control_terminal, fake_fio
from results import states, validate

FIRST, SECOND, THIRD = "SEQ1M-Q8T1-Read", "RND4K-Q1T1-Read", "RND4K-Q1T1-Write"
THREE = ("--tests", f"{FIRST},{SECOND},{THIRD}", "--duration", "1.5")


def assert_kept_the_first(outcome, status):
    assert outcome.status == status, outcome
    found = states(outcome.result)
    assert found[:2] == ["done", "interrupted"] and set(found[2:]) <= {"interrupted", "skipped"}, found
    assert [row["Test"] for row in outcome.rows] == [FIRST]
    assert outcome.rows[0]["IOPS"]
    assert FIRST in outcome.stdout, outcome
    validate(outcome.result)
    assert str(outcome.csv_files[0]) in outcome.stdout and str(outcome.json_files[0]) in outcome.stdout, outcome


@pytest.mark.parametrize("name", SIGNALS)
def test_mid_run(bench, device, name):
    number, status = SIGNALS[name]
    with bench.start(device, *THREE) as running:
        running.fio("randread")
        time.sleep(0.3)
        running.signal(number)
        assert_kept_the_first(running.end(15), status)
    os.close(os.open(device.path, os.O_RDWR | os.O_EXCL))


def test_ctrl_c_reaches_fio_too(bench, filesystem):
    """A terminal sends it to the whole group: fio then ends as if all was well, and the run isn't done all the same."""
    with bench.start(filesystem, *THREE) as running:
        running.fio("randread")
        time.sleep(0.3)
        os.killpg(running.process.pid, signal.SIGINT)
        assert_kept_the_first(running.end(15), 130)


def test_terminal_window_closed(bench, device):
    """SIGHUP comes, and nothing can be printed any more; the files are there all the same."""
    ours, theirs = pty.openpty()
    stdio = {"stdin": theirs, "stdout": theirs, "stderr": theirs}
    with bench.start(device, *THREE, stdio=stdio, env={"TERM": "xterm"}, preexec_fn=control_terminal) as running:
        os.close(theirs)
        running.fio("randread")
        os.close(ours)
        outcome = running.end(15)
    assert outcome.status == 129, outcome
    assert states(outcome.result)[:2] == ["done", "interrupted"]


def test_reader_of_stdout_gone(bench, device):
    """As in `iostrata ... | head -1`."""
    ours, theirs = os.pipe()
    os.close(ours)
    stdio = {"stdin": subprocess.DEVNULL, "stdout": theirs, "stderr": bench.stderr}
    with bench.start(device, "--tests", FIRST, stdio=stdio) as running:
        os.close(theirs)
        outcome = running.end()
    assert outcome.status in (0, 1, 3, -signal.SIGPIPE), outcome
    assert states(outcome.result) == ["done"] and len(outcome.rows) == 1


def test_twice(bench, device):
    """Impatience doesn't hurt: everything is cleaned up all the same."""
    with bench.start(device, *THREE) as running:
        running.fio("randread")
        running.signal(signal.SIGINT)
        time.sleep(0.05)
        running.signal(signal.SIGINT)
        assert running.end(15).status == 130


@pytest.mark.parametrize("moment", [0.05, 0.3, 1.0])
def test_before_the_first_test(bench, filesystem, moment):
    """While it checks, lays out, or waits for the device to be idle."""
    with bench.start(filesystem, *THREE) as running:
        time.sleep(moment)
        running.signal(signal.SIGTERM)
        outcome = running.end(15)
    # Within the first milliseconds the program may not have got as far as catching it.
    assert outcome.status == 143 or (moment == 0.05 and outcome.status == -signal.SIGTERM), outcome
    assert not outcome.rows if outcome.csv_files else True


def test_in_the_warm_up(bench, device):
    with bench.start(device, *THREE, "--warmup", "5") as running:
        running.fio("read")
        running.signal(signal.SIGINT)
        outcome = running.end(15)
    assert outcome.status == 130 and "done" not in states(outcome.result), outcome


def test_fio_that_does_not_listen(bench, device):
    """It is killed when it doesn't end by itself."""
    fio = fake_fio(bench.folder, 'trap "" INT TERM HUP; touch "$TMPDIR/../started"; while :; do sleep 0.1; done')
    with bench.start(device, *THREE, "--fio-path", fio) as running:
        m.wait_until((bench.folder / "started").exists, 20, "fio's start")
        running.signal(signal.SIGINT)
        assert running.end(30).status == 130


def test_sigkill(bench, filesystem):
    """No file, no fio, no half-written result: Running.end looks for them. The space is free again, too."""
    free = os.statvfs(filesystem).f_bfree
    with bench.start(filesystem, *THREE) as running:
        running.fio("randread")
        assert os.statvfs(filesystem).f_bfree < free
        running.signal(signal.SIGKILL)
        outcome = running.end(15)
    m.wait_until(lambda: os.statvfs(filesystem).f_bfree == free, 5, "free space as before")
    assert outcome.status == -signal.SIGKILL
    # What was finished is on disk: the result is rewritten after each run.
    assert states(outcome.result)[:1] == ["done"]


def test_sigkill_frees_the_device(bench, device):
    with bench.start(device, *THREE) as running:
        running.fio("randread")
        running.signal(signal.SIGKILL)
        running.end(15)
    os.close(os.open(device.path, os.O_RDWR | os.O_EXCL))
