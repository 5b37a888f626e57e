# SPDX-License-Identifier: GPL-2.0
"""The main job: six tests on three kinds of target, and the three places where their figures stand."""

import json
import re
from decimal import ROUND_HALF_UP, Decimal

import pytest

from matrices import SIX
from program import on_terminal
from results import (check, directions, ends, io_of, parts, run_of, runs, SCHEMA, states, total, validate, views)

HEADER = ("Timestamp,Config,Drive,Test,Iteration,MBps,IOPS,AvgLat_ms,CPU_Avg_pct,CPU_Max_pct,Mem_Avg_pct,Mem_Max_pct,"
          "Disk_Avg_pct,Disk_Max_pct,IsAdmin,SizeGB,Duration_sec")
READ, WRITE, ANOTHER = "RND4K-Q1T1-Read", "RND4K-Q1T1-Write", "SEQ1M-Q8T1-Read"
ESCAPE = "\x1b"


def half_up(value, places):
    return str(Decimal(value).quantize(Decimal(1).scaleb(-places), ROUND_HALF_UP))


def lines_of(outcome, test):
    """The report's lines of a test, without its name: the program's and the device's."""
    return [line.lstrip()[len(test):] for line in outcome.stdout.splitlines() if line.lstrip().startswith(f"{test} ")]


# --- the six tests ---


def test_all_six_are_done(matrix):
    assert matrix.done, matrix
    assert [run["test"] for run in runs(matrix.result)] == SIX
    assert states(matrix.result) == ["done"] * 6


def test_schema(matrix):
    if not SCHEMA.exists():
        pytest.fail(f"{SCHEMA} is missing")
    pytest.importorskip("jsonschema")
    validate(matrix.result)


def test_no_check_fails(matrix):
    """
    Noise on the machine's own disk may make one unknown or not applicable, never failed. What lies in memory is no disk,
    and is said not to be.
    """
    for run in runs(matrix.result):
        assert run["checks"], run["test"]
        for one in run["checks"]:
            assert one["state"] != "failed" or one["name"] == "medium" and not matrix.own, (run["test"], one)
        for name in ("identity", "percentiles"):
            assert check(run, name) == "passed", (run["test"], name)
        # On the machine's own disk fio's own files may be read, too.
        assert check(run, "balance") in ("passed", "warning" if matrix.own else "passed"), run["test"]


def test_csv_rows(matrix):
    lines = matrix.csv.splitlines()
    assert lines[0] == HEADER and len(lines) == 7
    assert [row["Test"] for row in matrix.rows] == SIX
    for line in lines[1:]:
        assert re.fullmatch(r'"[^"]*"(,"[^"]*"){16}', line), line
    for row in matrix.rows:
        assert re.fullmatch(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d", row["Timestamp"])
        assert re.fullmatch(r"\d+\.\d\d", row["MBps"]) and re.fullmatch(r"\d+", row["IOPS"])
        assert re.fullmatch(r"\d+\.\d{3}", row["AvgLat_ms"])
        for name in ("CPU", "Mem", "Disk"):
            for part in ("Avg", "Max"):
                assert re.fullmatch(r"\d+\.\d", row[f"{name}_{part}_pct"]), row
            assert float(row[f"{name}_Avg_pct"]) <= float(row[f"{name}_Max_pct"]) <= 100
        assert row["Config"] == "NonRAID" and row["Iteration"] == "1" and row["IsAdmin"] == "true"
    assert len({row["Timestamp"] for row in matrix.rows}) == 1
    stamp = re.sub(r"(\d+)-(\d+)-(\d+) (\d+):(\d+):(\d+)", r"\1\2\3_\4\5\6", matrix.rows[0]["Timestamp"])
    assert matrix.csv_files[0].name == f"DiskBenchmark_NonRAID_{stamp}.csv"
    assert matrix.json_files[0].name.endswith(f"_NonRAID_{stamp}.json")


@pytest.mark.parametrize("test", SIX)
def test_csv_is_the_json(matrix, test):
    run = run_of(matrix.result, test)
    (row,) = [row for row in matrix.rows if row["Test"] == test]
    ((_, figures),) = directions(run).items()
    assert row["MBps"] == half_up(Decimal(figures["bytes_per_second"]) / 10**6, 2)
    assert abs(int(row["IOPS"]) - figures["ios_per_second"]) <= 0.5
    assert abs(float(row["AvgLat_ms"]) * 1e6 - figures["latency"]["lat"]["mean"]) <= 500.001


@pytest.mark.parametrize("test", SIX)
def test_report_is_the_csv(matrix, test):
    """One line a test, with the same figures."""
    (row,) = [row for row in matrix.rows if row["Test"] == test]
    line = lines_of(matrix, test)[0]
    rate, ios, mean, unit = re.match(r"\s+([\d.]+)\s+([\d,]+)\s+([\d.]+) (ns|µs|ms|s)\b", line).groups()
    assert rate == row["MBps"] and ios.replace(",", "") == row["IOPS"]
    nanoseconds = float(mean) * {"ns": 1, "µs": 1e3, "ms": 1e6, "s": 1e9}[unit]
    assert nanoseconds == pytest.approx(float(row["AvgLat_ms"]) * 1e6, rel=0.01, abs=500)


@pytest.mark.parametrize("test", SIX)
def test_report_says_how_much_was_joined(matrix, test):
    """The last column of the stages' line: I/Os whose parts are all known, of those that ended."""
    view = io_of(run_of(matrix.result, test), "read" if "Read" in test else "write")
    percent = 100 * ends(view)["joined"] / sum(ends(view).values())
    shown = float(re.search(r"([\d.]+) %$", lines_of(matrix, test)[1])[1])
    assert shown == pytest.approx(percent, abs=0.06) and shown >= 99
    assert shown < 100 or set(ends(view)) == {"joined"} or percent > 99.9


@pytest.mark.parametrize("test", SIX)
def test_report_gives_the_parts(matrix, test):
    """Shares of the mean: the program's, the way down, the device and the way back are all of it."""
    run, op = run_of(matrix.result, test), "read" if "Read" in test else "write"
    view, lat = io_of(run, op), directions(run)[op]["latency"]["lat"]["mean"]
    shares = [float(share) for share in re.findall(r"([\d.]+) %", lines_of(matrix, test)[1])][:4]
    of_joined = {part: spent / ends(view)["joined"] for part, spent in parts(view).items()}
    assert shares[1] == pytest.approx(100 * (of_joined["submit"] + of_joined["queue"]) / lat, abs=1)
    assert shares[2] == pytest.approx(100 * of_joined["device"] / lat, abs=1)
    assert shares[3] == pytest.approx(100 * of_joined["deliver"] / lat, abs=1)
    assert sum(shares) == pytest.approx(100, abs=1)


def test_report_fits_one_screen(matrix):
    lines = matrix.stdout.splitlines()
    assert len(lines) <= 64, matrix
    assert all(len(line) <= 130 for line in lines[:-2]), matrix
    for word in ("device", "mean", "p99", "p99.9", "program", "kernel down", "kernel back"):
        assert word in matrix.stdout.lower(), word


def test_paths_are_the_last_lines(matrix):
    last = matrix.stdout.splitlines()[-2:]
    for path in (matrix.csv_files[0], matrix.json_files[0]):
        assert any(line.strip().endswith(str(path)) for line in last), matrix


def test_plain_lines_without_a_terminal(matrix):
    for text in (matrix.stdout, matrix.stderr):
        assert ESCAPE not in text and "\r" not in text


def test_announcement(matrix):
    """Before the start: how long it takes and how much will be written."""
    assert re.search(r"\d+ (MiB|GiB)", matrix.stderr) and "writ" in matrix.stderr, matrix
    assert re.search(r"\d+ s\b|\d+:\d\d", matrix.stderr), matrix


# --- latencies ---


@pytest.mark.parametrize("test", SIX)
def test_lat_lies_above_clat(matrix, test):
    """fio's lat is slat + clat: no percentile of it can be below clat's, and the means add up."""
    for figures in directions(run_of(matrix.result, test)).values():
        lat, clat, slat = (figures["latency"][kind] for kind in ("lat", "clat", "slat"))
        assert lat["count"] == clat["count"] == figures["ios"]
        for percent, value in lat["percentiles"].items():
            assert value >= clat["percentiles"][percent], percent
        assert set(lat["percentiles"]) == {"p50", "p90", "p95", "p99", "p99.9", "p99.99"}
        assert lat["mean"] >= clat["mean"]
        assert lat["mean"] == pytest.approx(slat["mean"] + clat["mean"], rel=0.05, abs=500)


@pytest.mark.parametrize("test", SIX)
def test_device_lies_below_lat(matrix_raw, test):
    """On a raw device every request is a piece of one I/O: none can take longer than the longest I/O."""
    run = run_of(matrix_raw.result, test)
    for op, figures in directions(run).items():
        (view,) = [view for _, name, view in views(run) if name == op]
        assert 0 < view["stages"]["device"]["max"] <= figures["latency"]["lat"]["max"]


def test_clat_on_request(bench, device):
    """The series' old figure: in the table and the CSV, with the JSON holding both."""
    outcome = bench(device, "--tests", "RND4K-Q32T16-Read", "--latency", "clat")
    assert outcome.done, outcome
    ((_, figures),) = directions(runs(outcome.result)[0]).items()
    shown = float(outcome.rows[0]["AvgLat_ms"]) * 1e6
    assert abs(shown - figures["latency"]["clat"]["mean"]) <= 500.001
    assert figures["latency"]["lat"]["mean"] > figures["latency"]["clat"]["mean"]
    assert "clat" in outcome.stdout, outcome


# --- samples ---


def test_samples_cover_the_measured_part(bench, device):
    """One a second, from its start to its end: what the device moved in them is what fio moved, but for the edges."""
    outcome = bench(device, "--tests", "RND4K-Q1T1-Read", "--duration", "3", "--warmup", "1")
    assert outcome.done, outcome
    (run,) = runs(outcome.result)
    samples = run["samples"]
    assert 3 <= len(samples) <= 4
    moved = sum(sample["disk_bytes"] for sample in samples)
    assert 0.6 * total(run, "bytes") <= moved <= total(run, "bytes") + (1 << 20)
    # fio's start and end take a part of the first and the last.
    assert all(sample["disk_percent"] > 20 for sample in samples[1:-1])


def test_samples_of_a_short_run(matrix):
    for run in runs(matrix.result):
        assert run["samples"] and all(0 <= sample["cpu_percent"] <= 100 for sample in run["samples"])


# --- options ---


def test_targets_iterations_and_averages(bench, machine):
    """Rows go target, test, iteration, and two targets are also shown averaged."""
    one, two = (machine.loop(64 << 20) for _ in range(2))
    outcome = bench("--targets", f"{one},{two}", "--tests", f"{READ},{ANOTHER}", "--iterations", "2",
                    "--config", "Pair", "--size", "16M")
    assert outcome.done, outcome
    assert [(row["Drive"], row["Test"], row["Iteration"]) for row in outcome.rows] == [
        (str(target), test, number) for target in (one, two) for test in (READ, ANOTHER) for number in ("1", "2")]
    assert {row["Config"] for row in outcome.rows} == {"Pair"}
    assert {row["SizeGB"] for row in outcome.rows} == {"0.015625"}
    assert "average" in outcome.stdout.lower(), outcome
    for target in (one, two):
        assert str(target) in outcome.stdout
    validate(outcome.result)


def test_size_in_gb(bench, device):
    outcome = bench(device, "-s", "0.03125", "-d", "0.5", "--warmup", "0", "--tests", READ, "--outdir", bench.outdir,
                    defaults=False)
    assert outcome.done, outcome
    assert outcome.result["options"]["size"] == 32 << 20


def test_quick_is_marked_everywhere(bench, device):
    outcome = bench(device, "--quick", "--size", "32M", "--duration", "0.5", "--tests", READ)
    assert outcome.done, outcome
    assert "QUICK" in outcome.stdout and outcome.result["options"]["quick"] is True, outcome
    assert outcome.result["options"]["warmup"] == 10**9, "what isn't given is --quick's"


def test_warm_up_is_not_counted(bench, device):
    """It is a run of its own: what is counted is the measured second alone."""
    before = device.stat()["read_sectors"]
    outcome = bench(device, "--tests", READ, "--warmup", "0.5")
    assert outcome.done, outcome
    read = (device.stat()["read_sectors"] - before) * 512
    (run,) = runs(outcome.result)
    assert total(run, "bytes") < 0.8 * read
    assert check(run, "balance") == "passed" and check(run, "diskstats") == "passed"


def test_json_summary_is_all_of_stdout(bench, device):
    outcome = bench(device, "--tests", READ, "--json")
    assert outcome.done, outcome
    summary = json.loads(outcome.stdout)
    validate(summary)
    assert states(summary) == ["done"]
    assert outcome.csv_files and outcome.json_files
    assert len(outcome.stdout) < 40000


def test_write_through(bench, filesystem):
    """Asked of fio, and shown beside the figures."""
    outcome = bench(filesystem, "--tests", WRITE, "--write-through")
    assert outcome.done, outcome
    (run,) = runs(outcome.result)
    assert "--sync=dsync" in run["command"] and outcome.result["options"]["write_through"] is True
    assert "write-through" in outcome.stdout, outcome


def test_fio_gets_the_series_parameters(matrix_ext4):
    for run in runs(matrix_ext4.result):
        kind, block, depth, jobs = re.fullmatch(r"(\w{3})(\d+[KM])-Q(\d+)T(\d+)-.*", run["test"]).groups()
        block = {"1M": 1 << 20, "4K": 4096}[block]
        words = run["command"]
        for word in ("--direct=1", "--ioengine=libaio", "--time_based=1", "--group_reporting=1", f"--iodepth={depth}",
                     f"--numjobs={jobs}", f"--bs={block}", "--output-format=json+", "--lat_percentiles=1",
                     "--clat_percentiles=1", "--slat_percentiles=1", "--percentile_list=50:90:95:99:99.9:99.99"):
            assert word in words, (run["test"], word, words)
        rw = {"SEQ": "", "RND": "rand"}[kind] + ("read" if run["test"].endswith("Read") else "write")
        assert f"--rw={rw}" in words


def test_verbose_says_more(bench, device):
    plain = bench(device, "--tests", READ)
    more = bench(device, "--tests", READ, "-v")
    assert plain.done and more.done, more
    assert len(more.stdout + more.stderr) > len(plain.stdout + plain.stderr)


# --- on a terminal ---


def test_progress_on_a_terminal(bench, device):
    """Test, elapsed, time left, current IOPS and MB/s, on a line that is written over."""
    outcome = on_terminal(bench, device, "--tests", f"{READ},{ANOTHER}", "--duration", "1.5")
    assert outcome.done, outcome
    assert "\r" in outcome.stdout.replace("\r\n", "\n"), outcome
    progress = [part for part in re.split(r"[\r\n]", outcome.stdout) if re.search(r"\bleft\b", part)]
    assert progress, outcome
    assert any(READ in part and "IOPS" in part and "MB/s" in part for part in progress), progress
    assert ESCAPE + "[" in outcome.stdout


def test_no_color(bench, device):
    """NO_COLOR takes the colours, not the progress line."""
    outcome = on_terminal(bench, device, "--tests", READ, "--duration", "2", env={"NO_COLOR": "1"})
    assert outcome.done, outcome
    assert not re.search(ESCAPE + r"\[[0-9;]*m", outcome.stdout), outcome
    assert re.search(r"\bleft\b", outcome.stdout)


def test_dumb_terminal(bench, device):
    outcome = on_terminal(bench, device, "--tests", READ, env={"TERM": "dumb"})
    assert outcome.done, outcome
    assert not re.search(ESCAPE + r"\[[0-9;]*m", outcome.stdout), outcome
