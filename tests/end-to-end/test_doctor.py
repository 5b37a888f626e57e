# SPDX-License-Identifier: GPL-2.0
"""iostrata doctor: every value is what its source says, what is wrong comes with its cure, and nothing is touched."""

import json
import os
import pathlib
import re
import shutil
import subprocess
import time

import pytest

import machine as m
from machine import NOBODY
from program import BINARY, fake_fio
from results import (advice, clues, diagnosed, machine_of, platform, problems, sections, spreads, targets_of,
                     validate_diagnosis, verdict)

AS_NOBODY = ("setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups")
WITHOUT_BPF = ("setpriv", "--bounding-set=-sys_admin,-bpf,-perfmon", "--inh-caps=-sys_admin,-bpf,-perfmon")
STATUS = {"fit": 0, "limited": 3, "unfit": 1}

# Loading the probes and measuring the clock takes a second or two of an idle machine; the tests may share theirs.
LIMIT = 10


def read(path):
    return pathlib.Path(path).read_text().strip()


def number(path):
    return int(read(path))


class Doctor:
    """Runs `iostrata doctor` where a bench would run."""

    def __init__(self, bench):
        self.bench = bench

    def run(self, *words, prefix=(), env=None, everybody=False):
        binary = self.bench.copy_for_everybody() if everybody else self.bench.binary
        return subprocess.run([*prefix, str(binary), "doctor", *map(str, words)], cwd=self.bench.cwd,
                              env=self.bench.environment(env), stdin=subprocess.DEVNULL, capture_output=True,
                              text=True, timeout=90)

    def __call__(self, *words, **options):
        """What it found, once the schema and the exit status agree with it."""
        done = self.run("--json", *words, **options)
        assert done.returncode in STATUS.values() and not done.stderr, done
        report = json.loads(done.stdout)
        validate_diagnosis(report)
        assert done.returncode == STATUS[verdict(report)], done
        worst = {one.fitness for _, one in problems(report)}
        assert verdict(report) == ("unfit" if "unfit" in worst else "limited" if worst else "fit"), worst
        return report


@pytest.fixture
def doctor(bench):
    return Doctor(bench)


@pytest.mark.parametrize("words", [(), ("--json",)], ids=["report", "json"])
def test_what_cannot_be_printed(words):
    """Whether it is more than the buffer holds, as the JSON is, or less."""
    with open("/dev/full", "wb") as full:
        done = subprocess.run([BINARY, "doctor", *words], stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert done.returncode == 1, done
    assert re.fullmatch("iostrata: standard output cannot be written: "
                        "(No space left on device|a part of what was printed is missing)\n", done.stderr), done


def test_a_reader_that_had_enough():
    with subprocess.Popen([BINARY, "doctor", "--json"], stdout=subprocess.PIPE, stderr=subprocess.PIPE) as running:
        running.stdout.close()
        assert running.stderr.read() == b""
    assert running.returncode in (0, 1, 3)


# --- the kernel ---


@pytest.fixture
def kernel(doctor):
    return diagnosed(doctor(), "kernel")


def test_kernel_is_this_one(kernel):
    assert kernel["release"].value == read(kernel["release"].source) == os.uname().release
    size = os.stat(kernel["BTF"].source).st_size
    shown, unit = re.match(r"([\d.]+) (KiB|MiB) of types", kernel["BTF"].value).groups()
    assert abs(float(shown) * {"KiB": 1 << 10, "MiB": 1 << 20}[unit] - size) < size / 100
    filter_of = re.search(r"^Seccomp:\t(\d)", read("/proc/self/status"), re.M)
    assert kernel["seccomp"].value == ["none", "strict", "a filter"][int(filter_of[1])]
    locked = re.search(r"^Max locked memory +(\d+|unlimited)", read("/proc/self/limits"), re.M)[1]
    if locked == "unlimited":
        assert kernel["locked memory"].value == locked
    elif int(locked) % (1 << 20) == 0:
        assert kernel["locked memory"].value == f"{int(locked) >> 20} MiB"
    mounted = [point for point, _ in m.cgroup_mounts("cgroup2")]
    if mounted:
        assert kernel["cgroup v2"].value == str(mounted[0])


def test_switches(kernel):
    modes = ["allowed to everybody", "forbidden until the next boot", "forbidden"]
    assert kernel["unprivileged BPF"].value == modes[number("/proc/sys/kernel/unprivileged_bpf_disabled")]
    if os.path.exists("/proc/sys/kernel/io_uring_disabled"):
        modes = ["allowed to everybody", "allowed to the privileged alone", "forbidden"]
        assert kernel["io_uring"].value == modes[number("/proc/sys/kernel/io_uring_disabled")]
    else:
        assert kernel["io_uring"].value == "unknown"
    room = number("/proc/sys/fs/aio-max-nr")
    assert re.fullmatch(rf"\d+ of at most {room} are taken", kernel["libaio's I/Os"].value)


def test_tracepoints_are_those_of_the_probes(kernel):
    """Each is one that the kernel's types describe, as bpftool shows them, with as many arguments."""
    m.need("bpftool")
    lines = m.command("bpftool", "btf", "dump", "file", "/sys/kernel/btf/vmlinux", "format", "c").splitlines()
    prototype = dict(re.match(r"typedef void \(\*btf_trace_(\w+)\)\(void \*(.*)\);", line).groups()
                     for line in lines if line.startswith("typedef void (*btf_trace_"))
    found = {name: one for name, one in kernel.items()
             if re.match(r"understood|there|other arguments|missing", one.value)}
    assert {"block_rq_issue", "block_rq_complete", "block_bio_queue", "sys_enter", "sys_exit"} <= set(found)
    for name, one in found.items():
        if not one.source and one.value != "missing":
            arguments = re.search(r"\((.*)\)$", one.value)[1]
            assert len(arguments.split(", ") if arguments else []) == prototype[name].count(","), (one, prototype[name])
    there = len([one for one in found.values() if one.value != "missing"])
    assert kernel["tracepoints"].value.startswith(f"{there} of {there} there")


def test_probes_load_here(kernel):
    """As every other test of tracing needs."""
    assert kernel["probes"].fitness == "fine" and kernel["probes"].value.startswith("load and attach"), kernel["probes"]
    assert kernel["capabilities"].value == "CAP_BPF, CAP_PERFMON, CAP_SYS_ADMIN"


def test_fio_is_the_one_on_path(kernel):
    assert kernel["fio"].value == m.command("fio", "--version")
    assert kernel["fio"].source == shutil.which("fio")
    engines = m.command("fio", "--enghelp").split()
    assert kernel["fio's engines"].value == ", ".join(name for name in ("libaio", "io_uring") if name in engines)


def test_no_fio(doctor):
    report = doctor(env={"PATH": "/nonexistent"})
    fio = diagnosed(report, "kernel")["fio"]
    assert fio.value == "none" and fio.fitness == "limited" and "install fio" in fio.cure
    report = doctor(prefix=("/usr/bin/setpriv", *WITHOUT_BPF[1:]), env={"PATH": "/nonexistent"})
    assert verdict(report) == "unfit" and diagnosed(report, "kernel")["fio"].fitness == "unfit"


@pytest.mark.parametrize("version,blamed", [("fio-3.10", True), ("fio-3.20", False), ("something else", True)])
def test_another_fio(doctor, bench, version, blamed):
    folder = fake_fio(bench.folder, "exit 1", version).parent
    fio = diagnosed(doctor(env={"PATH": f"{folder}:{os.environ['PATH']}"}), "kernel")["fio"]
    assert version in fio.value and bool(fio.problem) == blamed, fio
    assert ("--write-through" in fio.value) == (version == "fio-3.20")


# --- the machine ---


@pytest.fixture
def report(doctor):
    return doctor()


CLOCK = "/sys/devices/system/clocksource/clocksource0"


def test_machine_is_this_one(report):
    machine, found = machine_of(report), diagnosed(report, "machine")
    assert (machine["kernel"], machine["host"]) == (os.uname().release, os.uname().nodename)
    assert machine["cpus"] == os.cpu_count() and found["CPUs"].value.split(",")[0] == str(os.cpu_count())
    kilobytes = int(re.search(r"^MemTotal: +(\d+)", read("/proc/meminfo"), re.M)[1])
    assert machine["memory"] == kilobytes * 1024
    assert abs(float(found["memory"].value.split()[0]) * (1 << 20) - kilobytes) < kilobytes / 100 \
        or "GiB" not in found["memory"].value
    assert machine["clocksource"] == found["clock source"].value == read(f"{CLOCK}/current_clocksource")
    assert found["clock sources"].value == read(f"{CLOCK}/available_clocksource")


def test_values_of_files_are_theirs(report):
    """Those that are shown as they stand there."""
    found = diagnosed(report, "machine")
    for name in ("clock source", "clock sources"):
        assert found[name].value == read(found[name].source), found[name]
    assert (found["swap"].value == "none") == (len(read("/proc/swaps").splitlines()) == 1), found["swap"]
    governors = {read(path) for path in pathlib.Path("/sys/devices/system/cpu/cpufreq").glob("policy*/scaling_governor")}
    shown = found["frequency governor"].value
    assert all(governor in shown for governor in governors) if governors else shown.startswith("unknown"), shown
    driver = pathlib.Path("/sys/devices/system/cpu/cpuidle/current_driver")
    if driver.exists() and read(driver) != "none":
        assert read(driver) in found["idle CPUs"].value, found["idle CPUs"]


def test_costs_are_measured(report):
    measured = spreads(report)
    assert {"clock", "timer_late", "wake_same_cpu"} <= set(measured), measured
    for name, (p5, median, p99) in measured.items():
        assert 0 <= p5 <= median <= p99, name
    assert ("wake_across_cpus" in measured) == (len(os.sched_getaffinity(0)) > 1)


def test_clues_are_what_the_files_say(report):
    """Each file that a clue is from holds what the clue says."""
    files = [(source, value) for source, value, _ in clues(report)
             if source.startswith(("/proc/sys/", "/proc/version", "/sys/class/dmi/", "/sys/devices/system/clocksource"))]
    assert files
    for source, value in files:
        assert value in read(source), (source, value)
    for source, value, _ in clues(report):
        if value == "present":
            assert os.path.lexists(source), source
    flags = set(re.search(r"^flags\s*: (.*)", read("/proc/cpuinfo") + "\nflags : ", re.M)[1].split())
    if flags:
        assert machine_of(report)["hypervisor"] == ("hypervisor" in flags)


def test_platform_is_one_of_the_clues(report):
    key, certainty, container = platform(report)
    speaking = {says for _, _, says in clues(report) if says}
    assert key is None or key in speaking, (key, speaking)
    assert container is None or container in speaking, (container, speaking)
    assert key is None or certainty in ("certain", "likely", "a guess")


# --- what is missing ---


def test_without_the_capabilities(doctor):
    report = doctor(prefix=WITHOUT_BPF)
    kernel = diagnosed(report, "kernel")
    assert verdict(report) == "limited"
    assert "CAP_BPF and CAP_PERFMON are missing" in kernel["capabilities"].problem
    assert "container" in kernel["capabilities"].cure
    assert kernel["probes"].value.startswith("not tried")


def test_ordinary_user(doctor):
    done = doctor.run(prefix=AS_NOBODY, everybody=True)
    assert done.returncode == 3 and not done.stderr, done
    assert re.search(r"^! capabilities +none of CAP_BPF", done.stdout, re.M), done.stdout
    assert "What to fix" in done.stdout and "→ run sudo iostrata" in done.stdout.replace("\xa0", " "), done.stdout
    assert re.search(r"^usable with limits: \d+$", done.stdout.splitlines()[-1]), done.stdout
    # What it may not see follows from that: it is said once.
    kernel = [one for title, one in problems(doctor(prefix=AS_NOBODY, everybody=True)) if title == "kernel"]
    assert [one.name for one in kernel] == ["capabilities"], kernel


# --- targets ---


def test_target_is_found_as_bench_finds_it(doctor, filesystem, device):
    report = doctor(filesystem, device)
    assert sections(report)[-2:] == [str(filesystem), str(device)]
    directory, raw = targets_of(report)
    assert directory["filesystem"] == "ext4" and directory["mount_point"] == str(filesystem)
    assert raw["path"] == str(device) and raw["layers"][0]["name"] == device.name
    assert diagnosed(report, str(filesystem))["bench here"].fitness == "fine"
    assert diagnosed(report, str(device))["bench here"].fitness == "fine"


QUEUE_FILES = {"scheduler": "scheduler", "depth": "nr_requests", "request size": "max_sectors_kb",
               "rotational": "rotational", "cache": "write_cache", "FUA": "fua", "blocks": "physical_block_size"}


def queue_says(name, value):
    """What a file in queue/ has, as a part of the words for it."""
    if name == "scheduler":
        chosen = re.search(r"\[(.*?)\]", value)
        return chosen[1] if chosen else value
    if name in ("rotational", "FUA"):
        return "yes" if value == "1" else "no"
    return f"{value} requests" if name == "depth" else f"up to {value} KiB" if name == "request size" else value


def test_settings_of_a_disk_are_those_of_sysfs(doctor, device):
    """Each is what its file in queue/ says, before and after it is changed."""
    queue = pathlib.Path(f"/sys/block/{device.name}/queue")
    before = {name: read(queue / name) for name in ("nr_requests", "write_cache", "max_sectors_kb")}
    try:
        for change in ({}, {"write_cache": "write through", "max_sectors_kb": "64"}):
            for name, value in change.items():
                (queue / name).write_text(value)
            found = diagnosed(doctor(device), str(device))
            for what, file in QUEUE_FILES.items():
                one = found[f"{device.name} {what}"]
                assert one.source == f"/sys/class/block/{device.name}/queue/{file}", one
                assert queue_says(what, read(one.source)) in one.value, (one, read(one.source))
    finally:
        for name, value in before.items():
            if read(queue / name) != value:
                (queue / name).write_text(value)


def test_file_system_is_the_mounted_one(doctor, machine):
    point = machine.ext4(machine.loop(64 << 20), "-o", "noatime,sync")
    found = diagnosed(doctor(point), str(point))
    line = next(line.split() for line in read("/proc/self/mountinfo").splitlines() if f" {point} " in line)
    shown = found["file system"].value
    assert shown.startswith(f"ext4 at {point}, ") and "noatime" in shown and set(line[5].split(",")) <= set(
        re.split(r"[ ,]+", shown))
    assert found["file system"].fitness == "limited" and "sync" in found["file system"].problem
    assert found["file system"].cure == f"sudo mount -o remount,async {point}"
    m.command(*found["file system"].cure.split()[1:])
    assert diagnosed(doctor(point), str(point))["file system"].fitness == "fine"


def test_full_file_system(doctor, machine):
    point = machine.ext4(machine.loop(64 << 20))
    assert diagnosed(doctor(point), str(point))["full"].fitness == "fine"
    room = os.statvfs(point)
    with open(point / "filler", "wb") as file:
        os.posix_fallocate(file.fileno(), 0, int(room.f_bavail * 0.97) * room.f_frsize)
    full = diagnosed(doctor(point), str(point))["full"]
    assert full.fitness == "limited", full
    room = os.statvfs(point)
    used = room.f_blocks - room.f_bfree
    assert abs(int(full.value.split()[0]) - 100 * used / (used + room.f_bavail)) < 1.5, full


def test_device_in_use(doctor, machine):
    device = machine.loop(64 << 20)
    point = machine.ext4(device)
    report = doctor(device)
    here = diagnosed(report, str(device))["bench here"]
    assert here.fitness == "limited" and str(point) in here.value, here


def test_read_only_file_system(doctor, machine):
    point = machine.ext4(machine.loop(64 << 20), "-o", "ro")
    here = diagnosed(doctor(point), str(point))["bench here"]
    assert here.fitness == "limited" and "read only" in here.problem, here


def test_someone_elses_directory(doctor, filesystem):
    report = doctor(filesystem, prefix=AS_NOBODY, everybody=True)
    here = diagnosed(report, str(filesystem))["bench here"]
    assert here.fitness == "limited" and "sudo" in here.cure, here


def test_nothing_is_touched(doctor, filesystem, device):
    (filesystem / "file").write_bytes(b"x" * (1 << 20))
    paths = [filesystem, filesystem / "file", doctor.bench.cwd, doctor.bench.outdir, doctor.bench.temporary]
    before = [(os.stat(path).st_mtime_ns, sorted(os.listdir(path)) if path.is_dir() else None) for path in paths]
    written = device.stat()["written_sectors"]
    report = doctor(filesystem, filesystem / "file", device)
    assert diagnosed(report, str(filesystem / "file"))["bench here"].value == "reads it, with --read-only"
    assert [(os.stat(path).st_mtime_ns, sorted(os.listdir(path)) if path.is_dir() else None)
            for path in paths] == before
    assert device.stat()["written_sectors"] == written


@pytest.mark.parametrize("words,named", [
    (["/nonexistent/place"], "/nonexistent/place"),
    (["/dev/no-such-disk"], "/dev/no-such-disk"),
    (["/dev/null"], "/dev/null"),
    (["/tmp", "/tmp/."], "given twice"),
    (["--jsom"], "--jsom"),
    (["--probe"], "--probe"),
    (["--json=yes"], "--json"),
])
def test_what_is_wrong_with_the_command(doctor, words, named):
    done = doctor.run(*words)
    assert done.returncode == 2 and not done.stdout, done
    assert named in done.stderr and len(done.stderr.splitlines()) == 1, done


def test_all_targets_are_looked_at_first(doctor, filesystem):
    done = doctor.run("/nonexistent/one", filesystem, "/nonexistent/two")
    assert done.returncode == 2 and not done.stdout, done
    assert [line.count("/nonexistent/") for line in done.stderr.splitlines()] == [1, 1], done


# --- saved results ---


def test_saved_result(doctor, bench, filesystem):
    """What the file has of the machine that measured, and nothing of this one; one that is no result is refused."""
    outcome = bench(filesystem, "--tests", "RND4K-Q1T1-Read", "--no-trace")
    (path,) = outcome.json_files
    path.write_text(path.read_text().replace(os.uname().release, "4.5.6-elsewhere"))
    done = doctor.run("--json", path)
    report = json.loads(done.stdout)
    validate_diagnosis(report)
    assert done.returncode == 0 and verdict(report) is None, done
    assert machine_of(report)["kernel"] == "4.5.6-elsewhere"
    assert sections(report) == ["machine", str(filesystem)]
    assert diagnosed(report, "machine")["kernel"].value == "4.5.6-elsewhere"
    assert diagnosed(report, str(filesystem))["stands on"].value.startswith("ext4 on loop")
    assert doctor.run(path, filesystem).returncode == 2
    path.write_text("{}")
    done = doctor.run(path)
    assert done.returncode == 1 and str(path) in done.stderr and not done.stdout, done


# --- what people see ---


def test_screen_shows_what_json_has(doctor, filesystem):
    report, plain, verbose = doctor(filesystem), doctor.run(filesystem), doctor.run("-v", filesystem)
    assert all(len(line) <= 80 or " " not in line.strip() for line in plain.stdout.splitlines()), plain.stdout
    for title in sections(report):
        for one in diagnosed(report, title).values():
            shown = re.compile(rf"^[ !x] {re.escape(one.name)} ", re.M)
            assert shown.search(verbose.stdout), (one, verbose.stdout)
            assert bool(shown.search(plain.stdout)) == (not one.detail or bool(one.problem)), (one, plain.stdout)
    assert advice(report) == [] or "WSL" in advice(report)[0]


def test_ends_soon(doctor):
    begin = time.monotonic()
    done = doctor.run()
    assert time.monotonic() - begin < LIMIT, "without a target it is a matter of two seconds"
    assert done.returncode in STATUS.values()
