# SPDX-License-Identifier: GPL-2.0
"""Disks to test on, made of files in memory, and the way to get rid of all of them whatever happens."""

import contextlib
import ctypes
import os
import pathlib
import shutil
import signal
import subprocess
import tempfile
import time

import pytest

LIBC = ctypes.CDLL(None, use_errno=True)
CLONE_NEWNS = 0x00020000
PR_SET_CHILD_SUBREAPER = 36

NOBODY = 65534


def command(*argv, **options):
    """Runs a tool that must succeed; its standard output."""
    done = subprocess.run(argv, capture_output=True, text=True, **options)
    assert done.returncode == 0, f"{' '.join(map(str, argv))}: {done.stderr.strip()}"
    return done.stdout.strip()


def need(program):
    """Skips a test whose tool isn't installed: `tools/setup check` installs them all."""
    if not shutil.which(program):
        pytest.skip(f"{program} isn't installed")


def wait_until(condition, seconds, what):
    """The condition's first true value. `what` may be a function that says it."""
    deadline = time.monotonic() + seconds
    while True:
        value = condition()
        if value:
            return value
        assert time.monotonic() < deadline, f"{what() if callable(what) else what}: not within {seconds} s"
        time.sleep(0.02)


def unshare_mounts():
    """Mounts that only we see end with us, even after SIGKILL."""
    if LIBC.unshare(CLONE_NEWNS):
        pytest.skip(f"needs root: unshare: {os.strerror(ctypes.get_errno())}")
    command("mount", "--make-rprivate", "/")


def adopt_orphans():
    """Processes that a dead iostrata leaves behind become our children, so that they can't hide."""
    assert LIBC.prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) == 0


def children(pid):
    try:
        return [int(child) for task in pathlib.Path(f"/proc/{pid}/task").iterdir()
                for child in (task / "children").read_text().split()]
    except OSError:
        return []


def descendants(pid):
    found = []
    for child in children(pid):
        found += [child] + descendants(child)
    return found


def arguments(pid):
    """The command line of a process; empty for a zombie or one that is gone."""
    try:
        return pathlib.Path(f"/proc/{pid}/cmdline").read_bytes().decode(errors="replace").split("\0")[:-1]
    except OSError:
        return []


def reap_orphans(known):
    """Our living children that we didn't start; the dead ones are buried."""
    alive = []
    for pid in set(children(os.getpid())) - known:
        with contextlib.suppress(ChildProcessError):
            if os.waitpid(pid, os.WNOHANG) == (0, 0):
                alive.append(pid)
    return alive


class Loop:
    """A loop device over `image`. It is marked to vanish with its last user, and we hold it open until close()."""

    def __init__(self, image, *options):
        self.image = pathlib.Path(image)
        self.path = command("losetup", "-f", "--show", *options, image)
        self.name = pathlib.Path(self.path).name
        self.fd = os.open(self.path, os.O_RDONLY)
        command("losetup", "-d", self.path)
        # The kernel keeps what an earlier user of this number had set; one that is read only has no cache to set.
        with contextlib.suppress(OSError):
            pathlib.Path(f"/sys/block/{self.name}/queue/write_cache").write_text("write back")

    def close(self):
        # What a test has told the kernel of partitions would be the next user's.
        if list(pathlib.Path(f"/sys/block/{self.name}").glob(f"{self.name}p*")):
            subprocess.run(["partx", "--delete", self.path], stderr=subprocess.DEVNULL)
        os.close(self.fd)

    def stat(self):
        """reads, read sectors, writes, written sectors: completed so far."""
        field = [int(word) for word in pathlib.Path(f"/sys/block/{self.name}/stat").read_text().split()]
        return {"reads": field[0], "read_sectors": field[2], "writes": field[4], "written_sectors": field[6]}

    def __str__(self):
        return self.path


def cgroup_mounts(kind):
    """(mount point, its options) of every mounted cgroup hierarchy of a kind: cgroup, or cgroup2."""
    for line in pathlib.Path("/proc/self/mountinfo").read_text().splitlines():
        fields = line.split()
        if fields[fields.index("-") + 1] == kind:
            yield pathlib.Path(fields[4]), fields[-1].split(",")


class Limit:
    """
    A cgroup whose I/O on one device the block layer holds back, before it lets a bio in. With cgroup v1 it may be
    everybody's I/O there. The kernel counts in slices: what one is worth passes at once, and the next waits for the
    next slice.
    """

    SLICE = 0.1

    def __init__(self, device, everybody=False, within=None):
        """`within` is another limit, of another device, whose cgroup this one is set in, too."""
        number = os.stat(str(device)).st_rdev
        self.number = f"{os.major(number)}:{os.minor(number)}"
        self.own = not everybody and not within
        old = [point for point, options in cgroup_mounts("cgroup") if "blkio" in options]
        self.old = bool(old)
        if everybody and not old:
            pytest.skip("absent: without cgroup v1 nothing limits all of a device")
        root = old[0] if old else self.hierarchy_with_io()
        if old and not (root / "blkio.throttle.read_iops_device").exists():
            pytest.skip("absent: this kernel can't limit I/O")
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="iostrata-test-", dir=root)) if self.own else root
        if within:
            self.folder = within.folder

    @staticmethod
    def hierarchy_with_io():
        for point, _ in cgroup_mounts("cgroup2"):
            if "io" in (point / "cgroup.controllers").read_text().split():
                (point / "cgroup.subtree_control").write_text("+io")
                return point
        pytest.skip("absent: no cgroup hierarchy has the controller of I/O")

    def words(self, iops):
        """Shell code that sets the limit; None: there is none."""
        if not self.old:
            rate = iops or "max"
            return f'echo "{self.number} riops={rate} wiops={rate}" >{self.folder}/io.max'
        return "\n".join(f'echo "{self.number} {iops or 0}" >{self.folder}/blkio.throttle.{way}_iops_device'
                         for way in ("read", "write"))

    def set(self, iops):
        command("sh", "-c", self.words(iops))

    @property
    def join(self):
        """Shell code that brings the shell into the cgroup, and with it what it starts from then on."""
        return f"echo $$ >{self.folder}/cgroup.procs" if self.own else ":"

    @property
    def prefix(self):
        """In front of a command: runs it in the cgroup."""
        return "sh", "-c", f'{self.join}; exec "$@"', "sh"

    def close(self):
        self.set(None)
        if self.own:
            wait_until(lambda: not (self.folder / "cgroup.procs").read_text(), 10, f"end of what is in {self.folder}")
            self.folder.rmdir()


class Machine:
    """Makes devices and file systems below one folder in memory, and takes all of them away in reverse order."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        self.stack = contextlib.ExitStack()
        self.number = 0

    def close(self):
        self.stack.close()

    def directory(self, name=None):
        self.number += 1
        path = self.folder / (name or f"{self.number}")
        path.mkdir()
        return path

    def mount(self, *argv):
        """Mounts on a directory of its own; the last argument is the source."""
        point = self.directory()
        command("mount", *argv, point)
        self.stack.callback(command, "umount", point)
        return point

    def tmpfs(self, size):
        return self.mount("-t", "tmpfs", "-o", f"size={size},mode=755", "none")

    def image(self, size, folder=None):
        """A sparse file."""
        self.number += 1
        path = (folder or self.folder) / f"image{self.number}"
        with open(path, "xb") as file:
            file.truncate(size)
        self.stack.callback(path.unlink)
        return path

    def loop(self, size, *options, folder=None):
        device = Loop(self.image(size, folder), *options)
        self.stack.callback(device.close)
        return device

    def limit(self, device, **options):
        limit = Limit(device, **options)
        self.stack.callback(limit.close)
        return limit

    def ext4(self, device, *options):
        """Without the kernel threads that go on formatting after mkfs."""
        command("mkfs.ext4", "-q", "-F", "-E", "lazy_itable_init=0,lazy_journal_init=0,nodiscard", str(device))
        return self.mount(*options, str(device))


@contextlib.contextmanager
def memory_folder():
    """A folder in memory of our own, removed with everything in it. World-readable, for tests as another user."""
    folder = pathlib.Path(tempfile.mkdtemp(prefix="iostrata-test-"))
    folder.chmod(0o755)
    try:
        command("mount", "-t", "tmpfs", "-o", "size=2g,mode=755", "none", folder)
        try:
            yield folder
        finally:
            # Lazily: a program that a failed test left behind must not keep the folder.
            command("umount", "-l", folder)
    finally:
        folder.rmdir()


def kill_all(pids):
    for pid in pids:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
