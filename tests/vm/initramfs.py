# SPDX-License-Identifier: GPL-2.0
"""The guest's first file system: busybox and modules. Not compressed: unpacking takes the guest longer than reading."""

import lzma
import os
import pathlib
import shutil
import stat
import subprocess
import tempfile

BUSYBOX = "/bin/busybox"

MODULES = """
    virtio_pci virtio_blk virtio_scsi sd_mod nvme scsi_debug null_blk loop zram
    dm-mod dm-delay dm-flakey md-mod raid0 raid1 9p 9pnet_virtio ext4 crc32c_generic
""".split()

# Where modprobe learns what is built in.
KEPT = ("modules.builtin", "modules.builtin.modinfo", "modules.order")


def record(name, mode, data=b"", number=0):
    """One file of a cpio archive as the kernel wants it ("newc", Documentation/driver-api/early-userspace)."""
    encoded = name.encode() + b"\0"
    fields = (number, mode, 0, 0, 1, 0, len(data), 0, 0, 0, 0, len(encoded), 0)
    head = b"070701" + b"".join(b"%08X" % field for field in fields) + encoded
    return head + bytes(-len(head) % 4) + data + bytes(-len(data) % 4)


def archive(records):
    whole = b"".join(records) + record("TRAILER!!!", 0)
    # Several archives may follow each other, each from a new block on.
    return whole + bytes(-len(whole) % 512)


def tree_records(folder):
    for number, path in enumerate(sorted(folder.rglob("*")), 1):
        name = str(path.relative_to(folder))
        mode = path.lstat().st_mode
        if stat.S_ISLNK(mode):
            yield record(name, mode, os.readlink(path).encode(), number)
        elif stat.S_ISDIR(mode):
            yield record(name, mode, b"", number)
        else:
            yield record(name, mode, path.read_bytes(), number)


def copy_modules(source, release, target):
    """MODULES and what they depend on, unpacked."""
    for name in MODULES:
        shown = subprocess.run(["modprobe", "-d", source, "-S", release, "--show-depends", name], text=True,
                               stdout=subprocess.PIPE, check=True).stdout
        for line in shown.splitlines():
            word, path = line.split()[:2]
            if word == "insmod":
                copy_module(pathlib.Path(path), source, target)
    for name in KEPT:
        shutil.copy(source / "lib/modules" / release / name, target / "lib/modules" / release / name)
    subprocess.run(["depmod", "-b", target, release], check=True)


def copy_module(path, source, target):
    copy = target / path.relative_to(source)
    copy.parent.mkdir(parents=True, exist_ok=True)
    if copy.suffix == ".xz":
        copy.with_suffix("").write_bytes(lzma.decompress(path.read_bytes()))
    else:
        shutil.copy(path, copy)


def write_base(path, source, release):
    """What does not change between runs."""
    with tempfile.TemporaryDirectory(dir=path.parent) as scratch:
        root = pathlib.Path(scratch)
        for name in ("bin", "dev", "proc", "sys", "sbin", "host", f"lib/modules/{release}"):
            (root / name).mkdir(parents=True)
        shutil.copy(BUSYBOX, root / "bin/busybox")
        # The kernel's own requests for modules go to /sbin/modprobe.
        (root / "sbin/modprobe").symlink_to(BUSYBOX)
        copy_modules(source, release, root)
        path.write_bytes(archive(tree_records(root)))


def write_whole(path, base, init, environment):
    """The base and what belongs to one boot: /init, and /environment for it to read."""
    own = [record("init", stat.S_IFREG | 0o755, init, 900001),
           record("environment", stat.S_IFREG | 0o644, environment, 900002)]
    with open(path, "wb") as file, open(base, "rb") as source:
        shutil.copyfileobj(source, file)
        file.write(archive(own))
