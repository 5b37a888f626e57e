# SPDX-License-Identifier: GPL-2.0
"""compare --host, as far as one machine goes; tests/vm/checks/split.py has a guest and its host."""

import json
import subprocess

import pytest

from program import BINARY
from results import SPLIT_SCHEMA, histogram, obstacle, split_rows, validate, view_of
from results import program as run_of_program


@pytest.fixture
def compare(trace):
    """Runs it; the status and both streams."""

    def run(*words):
        return subprocess.run([BINARY, "compare", *map(str, words)], capture_output=True, text=True, check=False)

    return run


@pytest.fixture
def two(trace, machine, device):
    """
    Recordings of the same reads, one by an iostrata that follows another with its program, the other by that one: where
    the one has a host and the other a guest, both have the same requests here.
    """
    inner = machine.directory()
    reads = f"exec dd if={device} of=/dev/null bs=4k count=200 iflag=direct status=none"
    outcome = trace("-D", device, "--", BINARY, "trace", "--outdir", inner, "-D", device, "--", "sh", "-c", reads)
    assert outcome.status == 0, outcome
    (guest,) = inner.glob("iostrata_*.json")
    (host,) = outcome.json_files
    yield host, guest
    guest.unlink()


def test_the_same_requests(compare, two):
    """The host's begin with the call and end with the device, so they can't lie within the device's time of the guest."""
    host, guest = two
    done = compare("--host", host, guest, "--json")
    assert done.returncode == 0, done
    comparison = json.loads(done.stdout)
    validate(comparison, SPLIT_SCHEMA)
    (row,) = split_rows(comparison)
    seen = histogram(view_of(run_of_program(json.loads(guest.read_text())), "read"))
    assert row.guest_requests == row.host_ios == seen["count"] == 200 and row.host_bytes == 200 * 4096
    assert row.device == pytest.approx(seen["sum"] / seen["count"]) and row.overlap == 1
    assert "take longer than the guest's requests" in row.refused and not row.parts


def test_as_a_report(compare, two):
    done = compare("--host", *two)
    assert done.returncode == 0 and "200 requests is not divided" in done.stdout and not done.stderr, done


def test_a_bench_is_no_host(compare, bench, two, device):
    """Nothing can be divided: that is a failure, and says what is missing."""
    (result,) = bench("--tests", "RND4K-Q1T1-Read", "--read-only", device).json_files
    done = compare("--host", result, two[1], "--json")
    comparison = json.loads(done.stdout)
    validate(comparison, SPLIT_SCHEMA)
    assert done.returncode == 1 and "iostrata trace -p" in obstacle(comparison), done


@pytest.mark.parametrize("words, status, named", [
    ([], 2, "--host is missing"),
    (["a.json", "b.json"], 2, "--host HOST.json GUEST.json"),
    (["--host", "a.json"], 2, "0 are given"),
    (["--host", "/nonexistent/a", "/nonexistent/b"], 1, "/nonexistent/a: cannot be read"),
])
def test_what_cannot_be_done(compare, words, status, named):
    done = compare(*words)
    lines = done.stderr.splitlines()
    assert done.returncode == status and not done.stdout and len(lines) == 1 and named in lines[0], done
