# SPDX-License-Identifier: GPL-2.0
"""What must never be written to isn't, and what may be is named by the user first."""

import contextlib
import fcntl
import hashlib
import os
import pathlib
import subprocess

import pytest

import machine as m
from program import assert_refused, on_terminal
from results import runs, states

READ, WRITE = "RND4K-Q1T1-Read", "RND4K-Q1T1-Write"
BOTH = f"{READ},{WRITE}"


def digest(device):
    """Of the device's content, past any cache."""
    with open(device.path, "rb") as file:
        os.fsync(file.fileno())
        os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
        return hashlib.sha256(file.read()).hexdigest()


@pytest.fixture
def precious(machine):
    """A raw device with something on it, which must be the same afterwards."""
    device = machine.loop(64 << 20)
    with open(device.path, "r+b") as file:
        file.write(os.urandom(1 << 20) * 64)
    before = digest(device)
    yield device
    assert digest(device) == before, "written to"


def assert_skipped_writes(outcome, device):
    assert outcome.done, outcome
    assert states(outcome.result) == ["done", "skipped"]
    reason = runs(outcome.result)[1]["reason"]
    assert "--destroy-data" in reason, reason
    assert WRITE in outcome.stdout and "--destroy-data" in outcome.stdout + outcome.stderr, outcome
    assert [row["Test"] for row in outcome.rows] == [READ]


# --- without leave to write ---


def test_device_is_only_read(bench, precious):
    assert_skipped_writes(bench(precious, "--tests", BOTH), precious)


def test_yes_alone_is_no_leave(bench, precious):
    assert_skipped_writes(bench(precious, "--tests", BOTH, "--yes"), precious)


def test_write_tests_alone_are_all_skipped(bench, precious):
    outcome = bench(precious, "--tests", WRITE)
    assert outcome.done and states(outcome.result) == ["skipped"], outcome


def test_read_only_beats_nothing(bench, precious):
    """--read-only needs no device named and says itself why nothing is written."""
    outcome = bench(precious, "--tests", BOTH, "--read-only")
    assert outcome.done and states(outcome.result) == ["done", "skipped"], outcome
    assert "--read-only" in runs(outcome.result)[1]["reason"]


def test_read_only_with_destroy_data(bench, precious):
    """Of two options that contradict each other the harmless one counts."""
    outcome = bench(precious, "--tests", BOTH, "--read-only", "--destroy-data", precious, "--yes")
    assert outcome.status == 2 or states(outcome.result) == ["done", "skipped"], outcome


def test_destroy_data_names_another_device(bench, precious, device):
    assert_refused(bench(precious, "--tests", BOTH, "--destroy-data", device, "--yes"), device)


@pytest.mark.parametrize("name", ["/dev/no-such-disk", "no-such-serial", ""])
def test_destroy_data_names_nothing(bench, precious, name):
    assert_refused(bench(precious, "--tests", BOTH, f"--destroy-data={name}", "--yes"), name or "--destroy-data")


def test_destroy_data_names_a_part_of_the_name(bench, precious):
    """"/dev/loop" is no name of /dev/loop3, nor is "loo"."""
    for name in (precious.path[:-1], precious.name[:-2]):
        assert_refused(bench(precious, "--tests", BOTH, f"--destroy-data={name}", "--yes"), name)


def test_destroy_data_for_one_of_two(bench, precious, device):
    outcome = bench(precious, device, "--tests", BOTH, "--destroy-data", device, "--yes")
    assert outcome.done, outcome
    assert states(outcome.result) == ["done", "skipped", "done", "done"]


# --- with it ---


@pytest.mark.parametrize("named", ["device", "link"])
def test_destroy_data_through_a_symlink(bench, device, machine, named):
    """As in /dev/disk/by-id."""
    link = machine.directory() / "loop-by-another-name"
    link.symlink_to(device.path)
    target, leave = (link, device) if named == "device" else (device, link)
    before = digest(device)
    outcome = bench(target, "--tests", WRITE, "--destroy-data", leave, "--yes")
    assert outcome.done and states(outcome.result) == ["done"], outcome
    assert digest(device) != before


def test_what_is_on_the_device_is_shown(bench, machine):
    """Before anything is written: its name, its size and what libblkid knows of it."""
    device = machine.loop(64 << 20)
    m.command("mkfs.ext4", "-q", "-L", "holiday", device.path)
    outcome = bench(device, "--tests", WRITE, "--destroy-data", device, "--yes")
    assert outcome.done, outcome
    for word in (device.path, "64 MiB", "ext4", "holiday"):
        assert word in outcome.stderr, f"{word!r} isn't shown\n{outcome}"


def test_confirmed_on_a_terminal(bench, device):
    """A loop device has no serial number, so its name is asked for."""
    outcome = on_terminal(bench, device, "--tests", WRITE, "--destroy-data", device,
                          answers=[(r"type the device's name", device.name)])
    assert outcome.done and states(outcome.result) == ["done"], outcome


@pytest.mark.parametrize("answer", ["", "y", "yes", "loop", "\x04"])
def test_wrong_answer_on_a_terminal(bench, precious, answer):
    outcome = on_terminal(bench, precious, "--tests", BOTH, "--destroy-data", precious,
                          answers=[(r"type the device's name", answer)])
    assert outcome.status == 1 and not outcome.json_files and not outcome.csv_files, outcome


def test_ctrl_c_instead_of_an_answer(bench, precious):
    outcome = on_terminal(bench, precious, "--tests", BOTH, "--destroy-data", precious,
                          answers=[(r"type the device's name", "\x03")])
    assert outcome.status == 130 and not outcome.json_files, outcome


def test_asked_though_the_messages_go_to_a_file(bench, precious):
    """Whoever sits at the terminal is asked, wherever the output goes."""
    outcome = on_terminal(bench, precious, "--tests", BOTH, "--destroy-data", precious, stderr=bench.stderr,
                          answers=[(r"type the device's name", "no")])
    assert outcome.status == 1 and not outcome.json_files and not outcome.csv_files, outcome


# --- in use ---


def assert_in_use(bench, device, *words):
    """Neither written nor read, whatever the user says."""
    assert_refused(bench(device, "--tests", BOTH, "--destroy-data", device, "--yes"), device, *words)
    assert_refused(bench(device, "--tests", READ), device, *words)


def test_mounted(bench, machine):
    device = machine.loop(64 << 20)
    point = machine.ext4(device)
    assert_in_use(bench, device, "mounted", point)


def test_mounted_in_another_namespace(bench, machine, memory):
    """Nothing in /proc or /sys shows it, as with a second WSL distribution: only open(O_EXCL) tells."""
    device = machine.loop(64 << 20)
    m.command("mkfs.ext4", "-q", device.path)
    point = machine.directory()
    holder = subprocess.Popen(["unshare", "-m", "--propagation", "private", "sh", "-c",
                               f"mount {device} {point} && echo mounted && exec cat"],
                              stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    try:
        assert holder.stdout.readline() == b"mounted\n"
        assert device.path not in pathlib.Path("/proc/self/mounts").read_text()
        assert_in_use(bench, device, "in use")
    finally:
        holder.communicate()


def test_held_by_device_mapper(bench, machine):
    m.need("dmsetup")
    device = machine.loop(64 << 20)
    name = f"iostrata-test-{os.getpid()}"
    done = subprocess.run(["dmsetup", "create", name, "--noudevsync", "--table", f"0 65536 linear {device} 0"],
                          env={**os.environ, "DM_DISABLE_UDEV": "1"}, capture_output=True, text=True)
    if done.returncode:
        if not pathlib.Path("/sys/class/misc/device-mapper").exists():
            pytest.skip("absent: this kernel has no device mapper")
        pytest.fail(done.stderr)
    try:
        assert_in_use(bench, device, "dm-")
    finally:
        m.command("dmsetup", "remove", "--noudevsync", name, env={**os.environ, "DM_DISABLE_UDEV": "1"})


def test_held_by_a_program(bench, precious):
    fd = os.open(precious.path, os.O_RDONLY | os.O_EXCL)
    try:
        assert_in_use(bench, precious, "in use")
    finally:
        os.close(fd)


def test_locked_by_a_program(bench, precious):
    """flock is the custom of udev, systemd-repart and other tools that rewrite disks."""
    fd = os.open(precious.path, os.O_RDONLY)
    try:
        fcntl.flock(fd, fcntl.LOCK_EX)
        assert_refused(bench(precious, "--tests", BOTH, "--destroy-data", precious, "--yes"), precious, "lock")
    finally:
        os.close(fd)


def test_journal_of_a_mounted_file_system(bench, machine):
    """Its device is in no list of mounts and has no holder."""
    journal, device = machine.loop(64 << 20), machine.loop(64 << 20)
    m.command("mke2fs", "-q", "-b", "4096", "-O", "journal_dev", journal.path)
    m.command("mkfs.ext4", "-q", "-b", "4096", "-J", f"device={journal}", device.path)
    machine.mount(device.path)
    assert_in_use(bench, journal, "in use")


def test_disk_of_a_mounted_partition(bench, machine):
    m.need("addpart")
    device = machine.loop(64 << 20, "-P")
    done = subprocess.run(["addpart", device.path, "1", "2048", "65536"], capture_output=True, text=True)
    part = f"{device}p1"
    if done.returncode or not os.path.exists(part):
        pytest.skip("absent: this kernel makes no partitions on loop devices")
    try:
        machine.ext4(part)
        assert_in_use(bench, device, "mounted")
    finally:
        machine.close()
        with contextlib.suppress(AssertionError):
            m.command("delpart", device.path, "1")


def test_swap(bench, machine):
    device = machine.loop(64 << 20)
    m.command("mkswap", device.path)
    done = subprocess.run(["swapon", device.path], capture_output=True, text=True)
    if done.returncode:
        pytest.skip(f"absent: swapon is refused here: {done.stderr.strip()}")
    try:
        assert_in_use(bench, device, "swap")
    finally:
        m.command("swapoff", device.path)


def test_backing_of_a_loop_device(bench, machine, precious):
    """A disk that another loop device stands on. The kernel doesn't claim it, so it must be looked for."""
    machine.stack.callback(m.Loop(precious.path).close)
    outcome = bench(precious, "--tests", BOTH, "--destroy-data", precious, "--yes")
    assert_refused(outcome, precious)


def test_two_at_a_time(bench, device):
    """The claim holds for the whole run."""
    with bench.start(device, "--tests", READ, "--duration", "1") as running:
        running.fio()
        with pytest.raises(OSError):
            os.close(os.open(device.path, os.O_RDONLY | os.O_EXCL))
        outcome = running.end()
    assert outcome.done, outcome
    os.close(os.open(device.path, os.O_RDONLY | os.O_EXCL))


# --- the test file ---


def test_file_has_no_name_while_it_is_used(bench, filesystem):
    """So that not even SIGKILL can leave it behind."""
    with bench.start(filesystem, "--tests", READ) as running:
        running.fio()
        assert sorted(os.listdir(filesystem)) == ["lost+found"]
        assert running.end().done


def test_every_block_is_written(bench, filesystem):
    """Before the first test: reading holes would be no reading. Looked at through the program's own descriptor."""
    with bench.start(filesystem, "--tests", READ, "--duration", "2") as running:
        running.fio()
        files = [link for link in pathlib.Path(f"/proc/{running.process.pid}/fd").iterdir()
                 if os.readlink(link).startswith(f"{filesystem}/")]
        assert files, "no test file is open"
        with open(files[0], "rb") as file:
            size = os.fstat(file.fileno()).st_size
            zeroes = sum(not any(block) for block in iter(lambda: file.read(4096), b""))
            room = os.fstat(file.fileno()).st_blocks * 512
        assert running.end().done
    assert size == 32 << 20 and room >= size and zeroes == 0
