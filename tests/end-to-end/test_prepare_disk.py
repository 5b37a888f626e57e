# SPDX-License-Identifier: GPL-2.0
"""tools/prepare-disk on loop devices, some of which sysfs is made to show as disks with a serial number."""

import contextlib
import hashlib
import os
import pathlib
import pty
import re
import shlex
import shutil
import signal
import struct
import subprocess
import uuid
import zlib

import pytest

import machine as m
import program

TOOL = program.ROOT / "tools/prepare-disk"
SECTOR = 512
SIZE = 96 << 20


def environment(path=None, more=None):
    return {"PATH": f"{path}:{os.environ['PATH']}" if path else os.environ["PATH"], "LC_ALL": "C.UTF-8", **(more or {})}


class Outcome:
    def __init__(self, status, stdout, stderr):
        self.status, self.stdout, self.stderr = status, stdout, stderr

    def __repr__(self):
        return f"status {self.status}\n--- stdout\n{self.stdout}\n--- stderr\n{self.stderr}\n---"


def tool(*argv, path=None, env=None, stdin=subprocess.DEVNULL, prefix=()):
    done = subprocess.run([*prefix, TOOL, *map(str, argv)], env=environment(path, env), stdin=stdin, cwd="/",
                          capture_output=True, timeout=60)
    return Outcome(done.returncode, done.stdout.decode(errors="replace"), done.stderr.decode(errors="replace"))


def typed(text, *argv, **options):
    """The same on a terminal, with `text` typed."""
    ours, theirs = pty.openpty()
    try:
        os.write(ours, text.encode())
        return tool(*argv, stdin=theirs, **options)
    finally:
        os.close(ours)
        os.close(theirs)


class Disk:
    """A loop device, and a place for its mount point."""

    def __init__(self, machine, size=SIZE):
        self.machine = machine
        self.loop = machine.loop(size)
        self.path, self.name, self.image = self.loop.path, self.loop.name, self.loop.image
        self.point = machine.folder / f"point-{self.name}"
        machine.stack.callback(self.forget)

    def forget(self):
        for point in self.mounts():
            m.command("umount", point)

    def mounts(self):
        number = pathlib.Path(f"/sys/block/{self.name}/dev").read_text().strip()
        fields = [line.split() for line in pathlib.Path("/proc/self/mountinfo").read_text().splitlines()]
        return [field[4] for field in fields if field[2] == number]

    def digest(self):
        os.sync()
        return hashlib.sha256(self.image.read_bytes()).hexdigest()

    def prepare(self, *argv, disk=None, yes=None, **options):
        return tool("--mount-point", self.point, "--yes", yes or self.name, *argv, disk or self.path, **options)

    def dress(self, holder=None, **attributes):
        """What sysfs is to show of it beside what it does: `serial`, `wwid`, or somebody who holds it."""
        real = pathlib.Path(f"/sys/devices/virtual/block/{self.name}")
        fake = self.machine.directory()
        for folder, folders, files in os.walk(real):
            inside = fake / pathlib.Path(folder).relative_to(real)
            inside.mkdir(exist_ok=True)
            for name in files:
                with contextlib.suppress(OSError):
                    (inside / name).write_bytes(pathlib.Path(folder, name).read_bytes())
            for name in folders:
                if os.path.islink(os.path.join(folder, name)):
                    (inside / name).symlink_to(os.readlink(os.path.join(folder, name)))
        for name, content in attributes.items():
            (fake / name).write_text(content)
        if holder:
            (fake / "holders" / holder).symlink_to("..")
        m.command("mount", "--bind", fake, real)
        self.machine.stack.callback(m.command, "umount", real)


@pytest.fixture
def disk(machine):
    for name in ("wipefs", "blkid", "dumpe2fs", "mkfs.vfat", "mkswap"):
        m.need(name)
    return Disk(machine)


def assert_refused(outcome, *words, status=1):
    assert outcome.status == status, outcome
    for word in words:
        assert word in outcome.stderr, outcome


@pytest.fixture
def untouched(disk):
    """That nothing was written to the disk, and that it is not mounted, at the end."""
    disk.loop_content = os.urandom(4096)
    with open(disk.path, "r+b") as file:
        file.write(disk.loop_content)
    before = disk.digest()
    yield disk
    assert disk.digest() == before
    assert not disk.point.exists()


def fake(folder, name, body):
    """A program to find first; `real` is where the real one is."""
    folder.mkdir(exist_ok=True)
    (folder / name).write_text(f"#!/bin/bash\nreal={shutil.which(name)}\n{body}\n")
    (folder / name).chmod(0o755)
    return folder


# --- what it is for ---

def test_a_disk_is_prepared_and_released(disk):
    outcome = disk.prepare(env={"SUDO_UID": "65534", "SUDO_GID": "65533"})
    assert outcome.status == 0, outcome
    assert disk.mounts() == [str(disk.point)]
    assert (disk.point.stat().st_uid, disk.point.stat().st_gid) == (65534, 65533)
    assert m.command("blkid", "-p", "-s", "LABEL", "-o", "value", disk.path) == "iostrata"
    assert m.command("blkid", "-p", "-s", "TYPE", "-o", "value", disk.path) == "ext4"
    (disk.point / "measured").write_text("all of it")

    outcome = tool("--release", disk.name)
    assert outcome.status == 0, outcome
    assert disk.mounts() == []
    assert not disk.point.exists()
    assert (disk.machine.mount(disk.path) / "measured").read_text() == "all of it"


def test_nothing_is_left_to_format(disk):
    assert disk.prepare().status == 0
    groups = re.findall(r"^Group \d+: .*", m.command("dumpe2fs", disk.path), re.M)
    assert groups and all("ITABLE_ZEROED" in group for group in groups)


def test_the_default_mount_point(disk):
    disk.dress(serial="S6 PT/07\n")
    point = pathlib.Path("/mnt/iostrata-S6_PT_07")
    assert not point.exists()
    assert tool("--yes", "S6 PT/07", disk.path).status == 0
    assert disk.mounts() == [str(point)]
    assert tool("--release", point).status == 0
    assert not point.exists()


def test_a_mount_point_that_was_there_stays(disk):
    disk.point.mkdir()
    assert disk.prepare().status == 0
    assert tool("--release", disk.path).status == 0
    assert list(disk.point.iterdir()) == []


def test_the_commands_that_follow_can_be_pasted(disk, tmp_path):
    disk.dress(serial="S6 PT(0)\n")
    disk.point = tmp_path / "a;$b(c)&'d"
    refused = tool("--mount-point", disk.point, disk.path)
    assert shlex.split(re.search(r"add (--yes .*) if it is", refused.stderr)[1]) == ["--yes", "S6 PT(0)"]
    outcome = disk.prepare(yes="S6 PT(0)")
    assert outcome.status == 0, outcome
    bench, release = (shlex.split(line) for line in outcome.stdout.splitlines() if line.startswith("    sudo"))
    assert bench[-2:] == ["bench", str(disk.point)] and release[-2:] == ["--release", "S6 PT(0)"]


def test_again(disk):
    """On what was prepared before, whose mount point a crash has left."""
    assert disk.prepare().status == 0
    m.command("umount", disk.point)
    assert [path.name for path in disk.point.iterdir()] == [".made-by-prepare-disk"]
    outcome = disk.prepare()
    assert outcome.status == 0, outcome
    assert 'ext4, label "iostrata", about' in outcome.stdout
    assert tool("--release", disk.path).status == 0
    assert not disk.point.exists()


def test_list(disk, machine):
    busy = Disk(machine)
    disk.dress(serial="SERIAL0815\n")
    machine.ext4(busy.loop)
    outcome = tool("--list")
    assert outcome.status == 0, outcome
    (free,) = [line for line in outcome.stdout.splitlines() if line.split()[0] == disk.name]
    (used,) = [line for line in outcome.stdout.splitlines() if line.split()[0] == busy.name]
    assert "96 MiB" in free and "SERIAL0815" in free and "yes; on it: nothing that blkid knows" in free
    assert f"no: {busy.name} is mounted at" in used


# --- which disk ---

@pytest.mark.parametrize("word", ["S6PTNM0T", "0x5002538E40A1B2C3", "wwn-0x5002538e40a1b2c3", "naa.5002538e40a1b2c3",
                                  "NAME", "PATH", "IMAGE"])
def test_it_may_be_called(disk, word):
    disk.dress(serial="  S6PTNM0T \n", wwid="naa.5002538e40a1b2c3\n")
    word = {"NAME": disk.name, "PATH": disk.path, "IMAGE": str(disk.image)}.get(word, word)
    outcome = disk.prepare(disk=word, yes="S6PTNM0T")
    assert outcome.status == 0, outcome
    assert "serial S6PTNM0T, 96 MiB" in outcome.stdout


def test_two_with_the_same_serial_number(untouched, machine):
    other = Disk(machine)
    untouched.dress(serial="TWIN\n")
    other.dress(serial="TWIN\n")
    outcome = untouched.prepare(disk="TWIN", yes="TWIN")
    assert_refused(outcome, "may mean 2 disks", untouched.path, other.path, status=2)


@pytest.mark.parametrize("word", ["S6PT", "loop", "/dev/null", "/nonexistent"])
def test_no_such_disk(untouched, word):
    untouched.dress(serial="S6PTNM0T\n")
    outcome = tool("--yes", "S6PTNM0T", word)
    assert_refused(outcome, "no disk is called", "S6PTNM0T", untouched.path, status=2)


# --- whose disk ---

def mounted(disk):
    return f"is mounted at {disk.machine.ext4(disk.loop, '-r')}"


def mounted_elsewhere(disk):
    m.command("mkfs.ext4", "-q", "-F", disk.path)
    point = disk.machine.directory()
    process = subprocess.Popen(["unshare", "-m", "sh", "-c", f"mount -r {disk.path} {point} && echo there && read end"],
                               stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    disk.machine.stack.callback(process.communicate)
    assert process.stdout.readline() == b"there\n"
    return f"is mounted at {point} in another namespace, that of process "


def swap(disk):
    m.command("mkswap", disk.path)
    done = subprocess.run(["swapon", disk.path], capture_output=True)
    if done.returncode:
        pytest.skip("absent: no swap on a loop device")
    disk.machine.stack.callback(m.command, "swapoff", disk.path)
    return f"is swap: swapoff {disk.path}"


def held(disk):
    disk.dress(holder="dm-7")
    return "is held by dm-7"


def behind_a_loop(disk):
    above = m.Loop(disk.path)
    disk.machine.stack.callback(above.close)
    return f"is behind {above.name}"


def claimed(disk):
    disk.machine.stack.callback(os.close, os.open(disk.path, os.O_RDONLY | os.O_EXCL))
    return "is claimed by something that doesn't show here"


def written(disk):
    disk.machine.stack.callback(os.close, os.open(disk.path, os.O_WRONLY))
    return f"is open for writing in {pathlib.Path('/proc/self/comm').read_text().strip()} (process {os.getpid()})"


def read_only(disk):
    m.command("blockdev", "--setro", disk.path)
    disk.machine.stack.callback(m.command, "blockdev", "--setrw", disk.path)
    return "is read only"


@pytest.mark.parametrize("use", [mounted, mounted_elsewhere, swap, held, behind_a_loop, claimed, written, read_only])
def test_a_disk_in_use_is_refused(disk, use):
    words = use(disk)
    mounts, before = disk.mounts(), disk.digest()
    outcome = disk.prepare()
    assert_refused(outcome, f"{disk.name} {words}", "nothing was written")
    assert outcome.stdout == "", outcome
    assert disk.digest() == before
    assert disk.mounts() == mounts
    assert not disk.point.exists()


def test_the_disk_of_this_system(machine, tmp_path):
    """Asked with the right word; what would erase it only writes down that it was called."""
    number = os.stat("/").st_dev
    link = pathlib.Path(f"/sys/dev/block/{os.major(number)}:{os.minor(number)}")
    if not link.exists():
        pytest.skip("absent: / is not on a disk")
    real = link.resolve()
    name = real.parent.name if (real / "partition").exists() else real.name
    log = tmp_path / "log"
    for program_name in ("wipefs", "mkfs.ext4", "mount", "blockdev"):
        fake(tmp_path / "bin", program_name, f'echo {program_name} "$@" >>{log}')
    serial = [pathlib.Path(f"/sys/block/{name}/{file}") for file in ("serial", "device/serial")]
    serial = [path.read_text().strip() for path in serial if path.exists()]
    outcome = tool("--mount-point", tmp_path / "point", "--yes", (serial or [name])[0] or name, name,
                   path=tmp_path / "bin")
    assert_refused(outcome, " is mounted at /", "nothing was written")
    assert not log.exists()


# --- what is on it ---

def gpt(sectors, *partitions):
    """The first and the last sectors of a disk with these (first, last) sectors as partitions."""
    entries = b"".join(struct.pack("<16s16sQQQ72s", uuid.uuid4().bytes, uuid.uuid4().bytes, first, last, 0, b"")
                       for first, last in partitions).ljust(128 * 128, b"\0")

    def header(own, other, table):
        fields = [b"EFI PART", 0x10000, 92, 0, 0, own, other, 34, sectors - 34, uuid.uuid4().bytes, table, 128, 128,
                  zlib.crc32(entries)]
        raw = struct.pack("<8sIIIIQQQQ16sQIII", *fields)
        fields[3] = zlib.crc32(raw)
        return struct.pack("<8sIIIIQQQQ16sQIII", *fields).ljust(SECTOR, b"\0")

    protective = struct.pack("<BBBBBBBBII", 0, 0, 2, 0, 0xee, 255, 255, 255, 1, sectors - 1)
    mbr = bytes(446) + protective + bytes(48) + b"\x55\xaa"
    return mbr + header(1, sectors - 1, 2) + entries, entries + header(sectors - 1, 1, sectors - 33)


class Partitioned(Disk):
    """With two partitions that the kernel knows: an ext4 with 8 MiB in it, and a FAT."""

    def __init__(self, machine):
        super().__init__(machine)
        self.write_table()
        self.parts = [f"{self.path}p1", f"{self.path}p2"]
        m.command("mkfs.ext4", "-q", "-F", "-L", "\x1b[31mred\x1b]0;x\x07", self.parts[0])
        m.command("mkfs.vfat", "-n", "WINDATA", self.parts[1])
        point = machine.directory()
        m.command("mount", self.parts[0], point)
        (point / "data").write_bytes(os.urandom(8 << 20))
        m.command("umount", point)

    def write_table(self):
        sectors = SIZE // SECTOR
        first, last = gpt(sectors, (2048, 100000), (102400, sectors - 2048))
        with open(self.path, "r+b") as file:
            file.write(first)
            file.seek(SIZE - len(last))
            file.write(last)
        # Not all kernels read such tables by themselves.
        m.command("partx", "--update", self.path)
        m.wait_until(lambda: os.path.exists(f"{self.path}p2"), 5, "the partitions' nodes")


@pytest.fixture
def partitioned(disk, machine):
    return Partitioned(machine)


def test_partitions_are_shown_and_erased(partitioned, tmp_path):
    """On a disk that can't be discarded, or all of it would be zeros."""
    path = fake(tmp_path / "bin", "mkfs.ext4", 'exec "$real" "${@/lazy_itable/nodiscard,lazy_itable}"')
    outcome = partitioned.prepare(path=path)
    assert outcome.status == 0, outcome
    assert "GPT partition table" in outcome.stdout
    assert f'{partitioned.name}p1, 47.8 MiB: ext4, label "?[31mred?]0;x?", about' in outcome.stdout
    assert f'{partitioned.name}p2, 45 MiB: vfat, label "WINDATA"' in outcome.stdout
    assert "\x1b" not in outcome.stdout + outcome.stderr
    assert not list(pathlib.Path(f"/sys/block/{partitioned.name}").glob("*/partition"))

    # The same table again brings nothing back.
    assert tool("--release", partitioned.path).status == 0
    partitioned.write_table()
    for part in partitioned.parts:
        assert "TYPE=" not in m.command("blkid", "-p", part).replace("PART_ENTRY_TYPE=", "")


def test_what_is_used_of_a_file_system(partitioned):
    shown = typed("no\n", partitioned.path).stdout
    blocks = {line.split(":")[0]: line.split(":")[1].strip() for line in
              m.command("dumpe2fs", "-h", partitioned.parts[0]).splitlines() if ":" in line}
    used = (int(blocks["Block count"]) - int(blocks["Free blocks"])) * int(blocks["Block size"])
    assert used > 8 << 20
    assert f"about {used / (1 << 20):.0f}" in shown or f"about {int(used * 10 / (1 << 20)) / 10}" in shown


def test_a_partition_is_no_whole_disk(partitioned):
    outcome = tool("--yes", f"{partitioned.name}p1", partitioned.parts[0])
    assert_refused(outcome, f"is a partition", f"its disk is {partitioned.name}", status=2)


def test_a_mounted_partition(partitioned):
    point = partitioned.machine.mount(partitioned.parts[0])
    before = partitioned.digest()
    assert_refused(partitioned.prepare(), f"{partitioned.name}p1 is mounted at {point}", "nothing was written")
    assert partitioned.digest() == before


# --- the user's word ---

def test_it_asks_on_a_terminal(disk):
    outcome = typed(f"{disk.name}\n", "--mount-point", disk.point, disk.path)
    assert outcome.status == 0, outcome
    assert f"type its name ({disk.name}): " in outcome.stdout
    assert disk.mounts() == [str(disk.point)]


@pytest.mark.parametrize("answer, status", [("S6PTNM0T\n", 0), ("s6ptnm0t\n", 1), ("y\n", 1), ("\n", 1), ("\x04", 1)])
def test_the_serial_number_is_the_word(disk, answer, status):
    disk.dress(serial="S6PTNM0T\n")
    before = disk.digest()
    outcome = typed(answer, "--mount-point", disk.point, disk.path)
    assert outcome.status == status, outcome
    assert "type its serial number or its name" in outcome.stdout
    assert bool(disk.mounts()) == (status == 0)
    assert (disk.digest() == before) == (status != 0)


def test_without_a_terminal_it_wants_yes(untouched):
    outcome = tool("--mount-point", untouched.point, untouched.path)
    assert_refused(outcome, f"--yes {untouched.name}", "nothing was written")


@pytest.mark.parametrize("word", ["NAME", "S6PTNM0", "y"])
def test_yes_must_be_its_serial_number(untouched, word):
    untouched.dress(serial="S6PTNM0T\n")
    outcome = untouched.prepare(yes=word.replace("NAME", untouched.name))
    assert_refused(outcome, "is not the serial number S6PTNM0T", "nothing was written")


# --- what may go wrong ---

def test_it_is_too_small(machine, disk):
    small = Disk(machine, 64 << 10)
    outcome = small.prepare()
    assert_refused(outcome, f"mkfs.ext4 failed on {small.name}", f"{small.name} holds no file system", "run the same")
    assert small.mounts() == []
    assert not small.point.exists()


def test_it_can_not_be_mounted(disk, tmp_path):
    outcome = disk.prepare(path=fake(tmp_path / "bin", "mount", 'echo "mount: \x1b[1mno" >&2; exit 32'))
    assert_refused(outcome, "mount: ?[1mno", "could not be mounted", "holds an empty ext4, which is not mounted")
    assert disk.mounts() == []
    assert not disk.point.exists()


def test_its_owner_can_not_be_set(disk):
    outcome = disk.prepare(env={"SUDO_UID": "no such user"})
    assert_refused(outcome, "could not be given", "holds an empty ext4, which is not mounted")
    assert disk.mounts() == []
    assert not disk.point.exists()


SIGNALS = [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129)]


class Asked:
    """Runs it on a terminal until `until` is on its screen, or is there."""

    def __init__(self, disk, until, text="", path=None):
        self.log = disk.machine.directory() / "log"
        ours, theirs = pty.openpty()
        disk.machine.stack.callback(os.close, ours)
        os.write(ours, text.encode())
        with open(self.log, "wb") as log:
            self.process = subprocess.Popen([TOOL, "--mount-point", disk.point, disk.path], stdin=theirs, stdout=log,
                                            stderr=log, env=environment(path), cwd="/", start_new_session=True)
        os.close(theirs)
        disk.machine.stack.callback(self.process.kill)
        m.wait_until(until or (lambda: "To erase it" in self.screen), 20, lambda: f"question\n{self.screen}")

    @property
    def screen(self):
        return self.log.read_text()

    def interrupt(self, number):
        self.process.send_signal(number)
        return self.process.wait(20)


@pytest.mark.parametrize("number, status", SIGNALS)
def test_interrupted_at_the_question(untouched, number, status):
    asked = Asked(untouched, None)
    assert asked.interrupt(number) == status, asked.screen
    assert "interrupted" in asked.screen and "holds" not in asked.screen


@pytest.mark.parametrize("number, status", SIGNALS)
def test_interrupted_while_it_formats(disk, number, status, tmp_path):
    started = tmp_path / "started"
    path = fake(tmp_path / "bin", "mkfs.ext4", f'''"$real" "$@"
        echo $$ >{started}.new
        mv {started}.new {started}
        exec sleep 600''')
    asked = Asked(disk, started.exists, f"{disk.name}\n", path)
    assert asked.interrupt(number) == status, asked.screen
    assert "interrupted" in asked.screen and f"{disk.name} holds no file system" in asked.screen
    assert not os.path.exists(f"/proc/{int(started.read_text())}")
    assert disk.mounts() == []
    assert not disk.point.exists()
    assert disk.prepare().status == 0


def test_interrupted_while_it_mounts(disk, tmp_path):
    started = tmp_path / "started"
    path = fake(tmp_path / "bin", "mount", f'"$real" "$@"; touch {started}; exec sleep 600')
    asked = Asked(disk, started.exists, f"{disk.name}\n", path)
    assert asked.interrupt(signal.SIGINT) == 130, asked.screen
    assert "holds an empty ext4, which is not mounted" in asked.screen
    assert disk.mounts() == []
    assert not disk.point.exists()


# --- the mount point ---

def test_a_mount_point_that_can_not_be_used(untouched, tmp_path):
    full, file, link = tmp_path / "full", tmp_path / "file", tmp_path / "link"
    full.mkdir()
    (full / "something").touch()
    file.touch()
    link.symlink_to(full)
    for point, words in [(full, "is not empty"), (file, "is not a directory"), (link, "is a symbolic link"),
                         (untouched.machine.tmpfs("1m"), "something is mounted at"),
                         (tmp_path / "none/point", "no directory to make")]:
        assert_refused(untouched.prepare("--mount-point", point), words, str(point), status=2)
    assert sorted(os.listdir(full)) == ["something"]


# --- giving it back ---

def test_release_leaves_what_is_not_ours(disk):
    m.command("mkfs.ext4", "-q", "-F", "-L", "mine", disk.path)
    point = disk.machine.mount(disk.path)
    assert_refused(tool("--release", disk.path), "was not prepared by this tool", "Nothing was changed")
    assert disk.mounts() == [str(point)]


def test_release_of_what_is_in_use(disk):
    assert disk.prepare().status == 0
    with open(disk.point / "open", "w"):
        assert_refused(tool("--release", disk.path), f"{disk.point} is in use and stays mounted")
        assert disk.mounts() == [str(disk.point)]
    assert tool("--release", disk.path).status == 0
    assert disk.mounts() == []


def test_release_of_what_is_not_mounted(disk):
    assert disk.prepare().status == 0
    for words in (f"{disk.name} is no longer mounted at {disk.point}.", f"{disk.name} isn't mounted."):
        outcome = tool("--release", disk.path)
        assert outcome.status == 0, outcome
        assert words in outcome.stdout


@pytest.mark.parametrize("ours", [True, False])
def test_release_with_a_mount_in_another_namespace(disk, ours):
    """A copy of ours, as a container has it. The kernel takes that away with a directory that goes."""
    if not ours:
        disk.point.mkdir()
    assert disk.prepare().status == 0
    process = subprocess.Popen(["unshare", "-m", "sh", "-c", "echo there && read end"], stdin=subprocess.PIPE,
                               stdout=subprocess.PIPE)
    assert process.stdout.readline() == b"there\n"
    try:
        outcome = tool("--release", disk.path)
        if ours:
            assert outcome.status == 0, outcome
        else:
            assert_refused(outcome, "is still in use", f"is mounted at {disk.point} in another namespace")
    finally:
        process.communicate()
    assert tool("--release", disk.path).status == 0


def test_every_mount_of_it_is_released(disk):
    disk.point = disk.point.with_name("with a blank")
    assert disk.prepare().status == 0
    second = disk.machine.directory()
    m.command("mount", "--bind", disk.point, second)
    outcome = tool("--release", disk.path)
    assert outcome.status == 0, outcome
    assert disk.mounts() == []
    assert not disk.point.exists() and second.exists()


@pytest.mark.parametrize("release, windows", [("5.15.167.4-microsoft-standard-WSL2", True), ("6.1.0-28-amd64", False)])
def test_how_windows_gets_it_back(disk, tmp_path, release, windows):
    assert disk.prepare().status == 0
    (tmp_path / "osrelease").write_text(f"{release}\n")
    m.command("mount", "--bind", tmp_path / "osrelease", "/proc/sys/kernel/osrelease")
    try:
        outcome = tool("--release", disk.path)
    finally:
        m.command("umount", "/proc/sys/kernel/osrelease")
    assert outcome.status == 0, outcome
    for words in (r"wsl --unmount \\.\PHYSICALDRIVEN", "Set-Disk -Number N -IsOffline $false"):
        assert (words in outcome.stdout) == windows, outcome


# --- the command line ---

@pytest.mark.parametrize("argv", [[], ["a", "b"], ["--no"], ["--yes"], ["--yes="], ["--mount-point"], ["--release"],
                                  ["--list", "a"], ["--list", "--yes", "a"], ["--release", "--yes", "a", "b"],
                                  ["--mount-point=", "a"], [""]])
def test_wrong_usage(argv):
    outcome = tool(*argv)
    assert outcome.status == 2, outcome
    assert outcome.stdout == "" and outcome.stderr.count("\n") == 1, outcome


def test_help_is_for_everybody():
    outcome = tool("-h", prefix=("setpriv", "--reuid", str(m.NOBODY), "--clear-groups"))
    assert outcome.status == 0, outcome
    assert outcome.stdout.startswith("Usage: tools/prepare-disk") and outcome.stderr == ""


def test_as_a_user(untouched):
    outcome = untouched.prepare(prefix=("setpriv", "--reuid", str(m.NOBODY), "--clear-groups"))
    assert_refused(outcome, "sudo tools/prepare-disk")
