# SPDX-License-Identifier: GPL-2.0
"""Debian's kernels, without installing them: the ELF vmlinux and an initramfs for it, kept in a cache folder."""

import dataclasses
import hashlib
import lzma
import os
import pathlib
import re
import shutil
import struct
import subprocess
import tempfile

import initramfs

# The package whose dependency is today's kernel of a series.
METAPACKAGES = {"6.1": "linux-image-amd64", "6.12": "linux-image-6.12-amd64"}


class Missing(Exception):
    """What is needed and isn't there, as a sentence."""


@dataclasses.dataclass
class Kernel:
    series: str
    release: str
    vmlinux: pathlib.Path
    archive: pathlib.Path


def cache_folder():
    named = os.environ.get("IOSTRATA_VM_CACHE")
    return pathlib.Path(named) if named else pathlib.Path.home() / ".cache/iostrata-vm"


def command(*words, **options):
    done = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False, **options)
    if done.returncode:
        raise Missing(f"{' '.join(map(str, words))}: {done.stderr.decode(errors='replace').strip()}")
    return done.stdout


def need(program, package):
    if not shutil.which(program, path=os.environ["PATH"] + ":/usr/sbin:/sbin"):
        raise Missing(f"{program} was not found: install the package {package}")


def current_package(series):
    """Names change with each security update; the metapackage follows them."""
    answer = command("apt-cache", "depends", METAPACKAGES[series]).decode()
    found = re.search(r"Depends: (linux-image-\S+)", answer)
    if not found:
        raise Missing(f"apt knows no {METAPACKAGES[series]}: apt-get update, or a Debian without it")
    return found[1]


def unpack(package, folder):
    """Its files, under `folder`; nothing is installed."""
    with tempfile.TemporaryDirectory(dir=folder.parent) as scratch:
        command("apt-get", "-q", "-o", "APT::Sandbox::User=root", "download", package, cwd=scratch)
        (deb,) = pathlib.Path(scratch).glob("*.deb")
        command("dpkg", "-x", deb, folder)


def extract_vmlinux(image):
    """
    The ELF inside a bzImage. QEMU starts it directly (PVH), while unpacking it in an emulated machine takes 5 s for xz.
    The boot protocol (2.08 and later, Documentation/arch/x86/boot.rst) says where the payload is; its last 4 bytes are
    its length when unpacked.
    """
    if image[0x202:0x206] != b"HdrS":
        raise Missing("the kernel's image has no boot header")
    offset, length = struct.unpack_from("<II", image, 0x248)
    start = ((image[0x1f1] or 4) + 1) * 512 + offset
    payload = image[start:start + length]
    if payload.startswith(b"\xfd7zXZ\0"):
        elf = lzma.LZMADecompressor().decompress(payload)
    elif payload.startswith(b"\x28\xb5\x2f\xfd"):
        need("zstd", "zstd")
        elf = command("zstd", "-dc", input=payload[:-4])
    else:
        raise Missing(f"the kernel's image is packed in an unknown way: {payload[:6].hex()}")
    if not elf.startswith(b"\x7fELF") or len(elf) != struct.unpack("<I", payload[-4:])[0]:
        raise Missing("the kernel's image did not unpack")
    return elf


def build(package, folder):
    release = package.removeprefix("linux-image-")
    tree = folder / "tree"
    unpack(package, tree)
    command("depmod", "-b", tree, release)
    (folder / "vmlinux").write_bytes(extract_vmlinux((tree / f"boot/vmlinuz-{release}").read_bytes()))
    initramfs.write_base(folder / "base.cpio", tree, release)
    shutil.rmtree(tree)


def provide(series, say):
    """From the cache, or else made; what it replaces there is removed."""
    for program, package in (("modprobe", "kmod"), ("qemu-system-x86_64", "qemu-system-x86")):
        need(program, package)
    package = current_package(series)
    # What the initramfs holds is decided by our own code.
    recipe = hashlib.sha256(pathlib.Path(initramfs.__file__).read_bytes()).hexdigest()[:12]
    shelf = cache_folder() / series
    folder = shelf / f"{package}-{recipe}"
    if not folder.exists():
        say(f"fetching and unpacking {package} into {shelf}")
        shutil.rmtree(shelf, ignore_errors=True)
        shelf.mkdir(parents=True)
        with tempfile.TemporaryDirectory(dir=shelf) as scratch:
            half = pathlib.Path(scratch) / "half"
            half.mkdir()
            build(package, half)
            # Only what is whole gets the name.
            half.rename(folder)
    return Kernel(series, package.removeprefix("linux-image-"), folder / "vmlinux", folder / "base.cpio")


def unpacked(package, say):
    """The folder with the files of another package that a check wants in the guest."""
    folder = cache_folder() / "packages" / package
    if not folder.exists():
        say(f"fetching {package}")
        folder.parent.mkdir(parents=True, exist_ok=True)
        half = folder.with_suffix(".half")
        shutil.rmtree(half, ignore_errors=True)
        unpack(package, half)
        half.rename(folder)
    return folder
