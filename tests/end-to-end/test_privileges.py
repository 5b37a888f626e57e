# SPDX-License-Identifier: GPL-2.0
"""Without root or without BPF: it measures all the same, says what is missing and what brings it, and exits 0."""

import pytest

import machine as m
from machine import NOBODY
from program import assert_refused
from results import runs, states

ONE = ("--tests", "RND4K-Q1T1-Read")
TESTS = ("--tests", "RND4K-Q1T1-Read,RND4K-Q1T1-Write")
AS_NOBODY = ("setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups")
BPF_CAPABILITIES = "-sys_admin,-bpf,-perfmon"
WITHOUT_BPF = ("setpriv", f"--bounding-set={BPF_CAPABILITIES}", f"--inh-caps={BPF_CAPABILITIES}")


@pytest.fixture
def public(bench, filesystem):
    """A target and output directories that an ordinary user owns."""
    for path in (filesystem, bench.cwd, bench.outdir, bench.temporary):
        path.chmod(0o755)
        m.command("chown", f"{NOBODY}:{NOBODY}", path)
    return filesystem


def assert_measured_untraced(outcome, count=2):
    assert outcome.done, outcome
    result = outcome.result
    assert states(result) == ["done"] * count
    assert all("trace" not in run for run in runs(result)), "traced without the right to"
    assert [bool(row["IOPS"] and row["AvgLat_ms"]) for row in outcome.rows] == [True] * count
    reason = result["no_trace"]
    assert reason in outcome.stdout + outcome.stderr, outcome
    return reason


def test_ordinary_user(bench, public):
    outcome = bench(public, *TESTS, prefix=AS_NOBODY, binary=bench.copy_for_everybody())
    reason = assert_measured_untraced(outcome)
    assert "sudo" in reason, reason
    assert {row["IsAdmin"] for row in outcome.rows} == {"false"}
    for path in outcome.csv_files + outcome.json_files:
        assert path.stat().st_uid == NOBODY


def test_root_without_the_capabilities(bench, device):
    """As in a container: uid 0, but the bounding set lacks what BPF needs."""
    reason = assert_measured_untraced(bench(device, *ONE, prefix=WITHOUT_BPF), 1)
    assert "CAP_BPF" in reason and "CAP_PERFMON" in reason and "container" in reason, reason


def test_cure_in_kubernetes(bench, device):
    """Each place has words of its own for the same cure."""
    outcome = bench(device, *ONE, prefix=WITHOUT_BPF,
                    env={"KUBERNETES_SERVICE_HOST": "10.0.0.1"})
    reason = assert_measured_untraced(outcome, 1)
    assert "securityContext" in reason and "BPF" in reason, reason


def test_bpf_capabilities_are_enough(bench, public):
    """What counts is the capability, not the uid."""
    caps = "+bpf,+perfmon"
    prefix = (*AS_NOBODY, f"--inh-caps={caps}", f"--ambient-caps={caps}")
    outcome = bench(public, *TESTS, prefix=prefix, binary=bench.copy_for_everybody())
    assert outcome.done and states(outcome.result) == ["done", "done"], outcome
    for run in runs(outcome.result):
        assert "trace" in run, outcome


def test_without_trace_on_request(bench, device):
    outcome = bench(device, *ONE, "--no-trace")
    assert outcome.done and all("trace" not in run for run in runs(outcome.result)), outcome
    assert "sudo" not in outcome.stdout + outcome.stderr, outcome


def test_no_right_to_write_there(bench, filesystem):
    for path in (bench.cwd, bench.outdir, bench.temporary):
        m.command("chown", f"{NOBODY}:{NOBODY}", path)
    outcome = bench(filesystem, *TESTS, prefix=AS_NOBODY, binary=bench.copy_for_everybody())
    assert_refused(outcome, filesystem, "Permission denied")


def test_no_right_to_the_device(bench, device):
    for path in (bench.cwd, bench.outdir, bench.temporary):
        m.command("chown", f"{NOBODY}:{NOBODY}", path)
    outcome = bench(device, *TESTS, prefix=AS_NOBODY, binary=bench.copy_for_everybody())
    assert_refused(outcome, device, "Permission denied")


def test_outdir_not_ours(bench, public):
    m.command("chown", "0:0", bench.outdir)
    outcome = bench(public, *TESTS, prefix=AS_NOBODY, binary=bench.copy_for_everybody())
    assert_refused(outcome, bench.outdir, "Permission denied")


def test_files_belong_to_who_called_sudo(bench, device):
    outcome = bench(device, *ONE, env={"SUDO_UID": "12345", "SUDO_GID": "23456"})
    assert outcome.done, outcome
    for path in outcome.csv_files + outcome.json_files:
        assert (path.stat().st_uid, path.stat().st_gid) == (12345, 23456)


@pytest.mark.parametrize("uid", ["", "-1", "root", "99999999999999999999"])
def test_nonsense_in_sudo_uid(bench, device, uid):
    outcome = bench(device, *ONE, "--no-trace", env={"SUDO_UID": uid, "SUDO_GID": uid})
    assert outcome.done, outcome
    for path in outcome.csv_files + outcome.json_files:
        assert path.stat().st_uid == 0


def test_sudo_uid_means_nothing_to_an_ordinary_user(bench, public):
    outcome = bench(public, *TESTS, prefix=AS_NOBODY, binary=bench.copy_for_everybody(),
                    env={"SUDO_UID": "0", "SUDO_GID": "0"})
    assert outcome.done and "Operation not permitted" not in outcome.stderr, outcome
    assert outcome.csv_files[0].stat().st_uid == NOBODY
