# SPDX-License-Identifier: GPL-2.0
"""The files that stay: their names, whose they are not to overwrite, and what is in them when not all is well."""

import csv
import datetime
import io
import json
import os

import machine as m
from program import Bench, fake_fio
from results import runs, states, validate

READ, WRITE = "RND4K-Q1T1-Read", "RND4K-Q1T1-Write"
ONE = ("--tests", READ)


def test_current_directory_is_the_default(bench, device):
    outcome = bench(device, "--size", "32M", "--duration", "1", "--warmup", "0", *ONE, defaults=False,
                    outdir=bench.cwd)
    assert outcome.done, outcome
    assert outcome.csv_files[0].parent == outcome.json_files[0].parent == bench.cwd


def test_odd_characters_of_a_label(bench, device):
    """They become '_' in file names only; quotes are doubled in the CSV."""
    label = 'RAID 0/"fast", ü:\\'
    outcome = bench(device, *ONE, "--config", label)
    assert outcome.done, outcome
    assert outcome.rows[0]["Config"] == label and outcome.result["config"] == label
    assert '"RAID 0/""fast"", ü:\\"' in outcome.csv
    assert "/" not in outcome.csv_files[0].name and " " not in outcome.csv_files[0].name


def test_label_that_climbs_out(bench, device):
    outcome = bench(device, *ONE, "--config", "../../../escape")
    assert outcome.done, outcome
    assert outcome.csv_files[0].parent == bench.outdir
    assert not any("escape" in name for folder in (bench.folder, bench.folder.parent) for name in os.listdir(folder))


def test_existing_files_are_never_overwritten(bench, device):
    """Files with the names of the next seconds lie there already, with somebody's data in them."""
    host = os.uname().nodename
    now = datetime.datetime.now()
    taken = {}
    for second in range(15):
        stamp = (now + datetime.timedelta(seconds=second)).strftime("%Y%m%d_%H%M%S")
        for name in (f"DiskBenchmark_NonRAID_{stamp}.csv", f"iostrata_{host}_NonRAID_{stamp}.json"):
            (bench.outdir / name).write_text(f"precious {name}")
            taken[name] = (bench.outdir / name).stat().st_ino
    outcome = bench(device, *ONE)
    assert outcome.done, outcome
    for name, inode in taken.items():
        assert (bench.outdir / name).read_text() == f"precious {name}" and (bench.outdir / name).stat().st_ino == inode
    assert outcome.csv_files[0].stem.endswith("_2") and outcome.json_files[0].stem.endswith("_2")
    assert len(outcome.rows) == 1
    for path in outcome.csv_files + outcome.json_files:
        assert str(path) in outcome.stdout


def test_symlink_with_the_name_of_an_output_file(bench, device):
    """In a directory that others can write to, it could lead anywhere."""
    victim = bench.folder / "victim"
    victim.write_text("precious")
    now = datetime.datetime.now()
    for second in range(15):
        stamp = (now + datetime.timedelta(seconds=second)).strftime("%Y%m%d_%H%M%S")
        (bench.outdir / f"DiskBenchmark_NonRAID_{stamp}.csv").symlink_to(victim)
    outcome = bench(device, *ONE)
    assert outcome.done, outcome
    assert victim.read_text() == "precious"


def test_two_in_one_second_keep_both(bench, machine, device):
    """Started together into one directory: four files, each whole."""
    other = Bench(machine)
    second = machine.loop(64 << 20)
    with bench.start(device, *ONE) as one, other.start(second, *ONE, outdir=bench.outdir) as two:
        one.process.wait(60)
        two.process.wait(60)
    outcomes = one.outcome(), two.outcome()
    other.close()
    assert all(outcome.done for outcome in outcomes), outcomes
    names = sorted(os.listdir(bench.outdir))
    assert len(names) == 4, names
    drives = {row["Drive"] for name in names if name.endswith(".csv")
              for row in csv.DictReader(io.StringIO((bench.outdir / name).read_text()))}
    assert drives == {str(device), str(second)}
    for name in names:
        if name.endswith(".json"):
            validate(json.loads((bench.outdir / name).read_text()))


def test_result_is_there_after_the_first_run(bench, device):
    """A crash loses at most the run in progress."""
    with bench.start(device, "--tests", f"SEQ1M-Q8T1-Read,{READ}") as running:
        running.fio("randread")
        # The file of the finished run is written while the next one is being prepared.
        partial = m.wait_until(lambda: running.outcome().json_files, 5, "a result after the first run")
        found = json.loads(partial[0].read_text())
        assert states(found)[:1] == ["done"]
        outcome = running.end()
    assert outcome.done and states(outcome.result) == ["done", "done"], outcome


def test_manifest(matrix_ext4):
    """Enough to know later what this was."""
    result = matrix_ext4.result
    machine, release = result["machine"], os.uname()
    assert machine["host"] == release.nodename and machine["kernel"].startswith(release.release)
    assert machine["architecture"] == release.machine and machine["cpus"] == os.cpu_count()
    assert result["engine"]["version"].startswith("fio-3.") and result["tool"]["version"]
    assert "bench" in result["command"][:2] and "--size" in result["command"]
    (target,) = result["targets"]
    assert target["filesystem"] == "ext4" and target["layers"][0]["name"].startswith("loop")
    assert result["options"]["size"] == 64 << 20 and result["options"]["duration"] == 10**9


def test_schema_of_results_that_are_not_all_well(bench, device):
    """Skipped, failed and done runs, each valid."""
    fio = fake_fio(bench.folder, 'case "$*" in *rw=read*) exit 7 ;; esac; exec "$real" "$@"')
    outcome = bench(device, "--tests", f"SEQ1M-Q8T1-Read,{READ},{WRITE}", "--fio-path", fio)
    assert outcome.status == 5 and states(outcome.result) == ["failed", "done", "skipped"], outcome
    validate(outcome.result)
    assert all(run["reason"] for run in runs(outcome.result) if run["state"] != "done")


def test_unknown_is_absent(bench, device):
    """Never null and never a made-up 0."""
    outcome = bench(device, *ONE, "--no-trace")

    def nulls(value, path="result"):
        if value is None:
            yield path
        elif isinstance(value, dict):
            for key, one in value.items():
                yield from nulls(one, f"{path}.{key}")
        elif isinstance(value, list):
            for number, one in enumerate(value):
                yield from nulls(one, f"{path}[{number}]")

    assert not list(nulls(outcome.result))
    assert "trace" not in runs(outcome.result)[0]
