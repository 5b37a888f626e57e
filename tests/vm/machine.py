# SPDX-License-Identifier: GPL-2.0
"""One virtual machine under software emulation, from its start to its end."""

import contextlib
import dataclasses
import os
import pathlib
import select
import shlex
import signal
import subprocess
import time
import typing

import initramfs

GUEST = pathlib.Path(__file__).resolve().parent / "guest"
DISK_BYTES = 64 << 20
MEMORY = "1024M"
VIRTIOFSD = pathlib.Path("/usr/lib/qemu/virtiofsd")
BEGIN, END = b"iostrata-vm: begin", b"iostrata-vm: end "

# kind: name in the guest, modules, QEMU's devices. Merging by QEMU would change how many requests there are.
DISKS = {
    "virtio-blk": ("vda", ["virtio_blk"], ["virtio-blk-pci,drive={drive},num-queues=2,request-merging=off"]),
    "virtio-scsi": ("sda", ["virtio_scsi", "sd_mod"], ["virtio-scsi-pci,id=scsi,num_queues=2",
                                                       "scsi-hd,drive={drive},bus=scsi.0"]),
    "nvme": ("nvme0n1", ["nvme"], ["nvme,drive={drive},serial=iostrata,max_ioqpairs=4"]),
    # Two controllers of one subsystem; the paths are hidden disks. Which controller is found first numbers the head.
    "nvme-multipath": ("nvme?n1", ["nvme"], ["nvme-subsys,id=pair,nqn=pair",
                                             "nvme,id=first,serial=pair,subsys=pair,max_ioqpairs=4",
                                             "nvme,id=second,serial=pair,subsys=pair,max_ioqpairs=4",
                                             "nvme-ns,drive={drive},bus=first,nsid=1,shared=on"]),
}


@dataclasses.dataclass
class Machine:
    """What a check asks for."""
    disks: tuple = ()
    cpus: int = 2
    cpu: str = "max"  # QEMU's model of it
    # The clock advances 2^icount ns with each instruction, and with the host's while all CPUs are idle. (With sleep=off
    # it would leap over idle time, by seconds while the guest waits for one of the host's files, and time limits would
    # strike.) None: it follows the host's.
    icount: int = None
    # Folders that a server lends to the guest: "9p" (by QEMU), "virtiofs". Each is a folder of that name in the check's
    # own, its tag is "served-" and the name, and NAME.calls there tells what the server did with the files in it.
    served: tuple = ()
    seconds: int = 300


@dataclasses.dataclass
class Host:
    """What a check does on this side: more of QEMU's arguments, what QEMU is started by, and what follows its start."""
    arguments: tuple = ()
    prefix: tuple = ()
    started: typing.Callable = lambda pid: None


@dataclasses.dataclass
class Outcome:
    """`status` is that of the check's script; None where it did not come to its end, and `reason` says why."""
    status: int = None
    reason: str = ""
    began: bool = False
    boot_seconds: float = 0
    seconds: float = 0
    console: str = ""


def disk_arguments(kinds, folder):
    for kind in kinds:
        image = folder / f"{kind}.raw"
        with open(image, "wb") as file:
            os.posix_fallocate(file.fileno(), 0, DISK_BYTES)
        yield from ("-drive", f"file={image},if=none,id={kind},format=raw,cache=writeback,aio=threads")
        for device in DISKS[kind][2]:
            yield from ("-device", device.format(drive=kind))


# --- servers ---


def watched(calls):
    """In front of a server's command: its reads, writes and syncs, with the files' names, are written to `calls`."""
    return ("strace", "-f", "--seccomp-bpf", "-y", "-qq", "-e", "signal=none", "-e",
            "trace=preadv,pwritev,pread64,pwrite64,preadv2,pwritev2,fsync,fdatasync", "-o", str(calls))


def served_arguments(machine, scratch, out):
    if "9p" in machine.served:
        yield from ("-virtfs", f"local,path={out / '9p'},mount_tag=served-9p,security_model=none")
    if "virtiofs" in machine.served:
        # The server works in the guest's memory.
        yield from ("-object", f"memory-backend-memfd,id=memory,size={MEMORY},share=on", "-numa", "node,memdev=memory")
        yield from ("-chardev", f"socket,id=served,path={scratch / 'virtiofs'}",
                    "-device", "vhost-user-fs-pci,chardev=served,tag=served-virtiofs")


@contextlib.contextmanager
def running(command, **options):
    """A program and all that it starts, which end with the block."""
    with subprocess.Popen(command, stdin=subprocess.DEVNULL, start_new_session=True, **options) as process:
        try:
            yield process
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)


@contextlib.contextmanager
def virtiofsd(machine, scratch, out):
    if "virtiofs" not in machine.served:
        yield
        return
    socket, deadline = scratch / "virtiofs", time.monotonic() + 20
    with running([*watched(out / "virtiofs.calls"), str(VIRTIOFSD), "-f", f"--socket-path={socket}", "-o",
                  f"source={out / 'virtiofs'}", "-o", "cache=none", "-o", "sandbox=chroot"],
                 stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        while not socket.exists() and process.poll() is None and time.monotonic() < deadline:
            time.sleep(0.05)
        yield


# --- the machine ---


def arguments(machine, kernel, whole, scratch, out):
    # 6.1 hangs when it brings up a second CPU under icount.
    cpus = 1 if machine.icount is not None and kernel.series == "6.1" else machine.cpus
    # With a thread for each CPU, 6.12 dies now and then while its code is being patched.
    if "9p" in machine.served:
        yield from watched(out / "9p.calls")
    yield from ("qemu-system-x86_64", "-accel", "tcg,thread=single", "-machine", "q35", "-cpu", machine.cpu)
    yield from ("-smp", str(cpus), "-m", MEMORY, "-nodefaults", "-nographic", "-no-reboot")
    yield from ("-serial", "stdio", "-monitor", "none")
    yield from ("-kernel", str(kernel.vmlinux), "-initrd", str(whole), "-append",
                "console=ttyS0 quiet loglevel=4 panic=-1 oops=panic mitigations=off nokaslr audit=0 "
                "cryptomgr.notests i8042.noaux i8042.nokbd 8250.nr_uarts=1 random.trust_cpu=on "
                "tsc=reliable clocksource=tsc")
    if machine.icount is not None:
        yield from ("-icount", f"shift={machine.icount}")
    yield from ("-virtfs", "local,path=/,mount_tag=root,security_model=none,readonly=on,multidevs=remap")
    yield from ("-virtfs", f"local,path={out},mount_tag=out,security_model=none")
    yield from disk_arguments(machine.disks, scratch)
    yield from served_arguments(machine, scratch, out)


def environment(machine, check, iostrata, packages):
    """`packages` are folders with programs that the host need not have installed."""
    modules = [module for kind in machine.disks for module in DISKS[kind][1]]
    values = {"CHECK": check, "IOSTRATA": iostrata, "GUEST": GUEST, "MODULES": " ".join(modules),
              "DISKS": " ".join(DISKS[kind][0] for kind in machine.disks),
              "PACKAGES": "".join(f":{folder}/{bin}" for folder in packages for bin in ("usr/sbin", "sbin", "usr/bin"))}
    return "".join(f"{name}={shlex.quote(str(value))}\n" for name, value in values.items()).encode()


def watch(process, deadline, outcome, started):
    """Reads the console until the machine has ended; False when its time was up."""
    console = b""
    while time.monotonic() < deadline:
        if not select.select([process.stdout], [], [], 1)[0]:
            continue
        piece = os.read(process.stdout.fileno(), 65536)
        if not piece:
            break
        console += piece
        if not outcome.began and BEGIN in console:
            outcome.began = True
            outcome.boot_seconds = time.monotonic() - started
    outcome.console = console.decode(errors="replace").replace("\r", "")
    if END in console:
        outcome.status = int(console.rpartition(END)[2].split()[0])
    return time.monotonic() < deadline


def boot(machine, kernel, check, iostrata, packages, scratch, out, host):
    """Runs the script `check` in a machine of its own; what it leaves in its $OUT is in `out`."""
    whole = scratch / "initramfs"
    initramfs.write_whole(whole, kernel.archive, (GUEST / "init").read_bytes(),
                          environment(machine, check, iostrata, packages))
    for kind in machine.served:
        (out / kind).mkdir()
    outcome = Outcome()
    started = time.monotonic()
    command = [*host.prefix, *arguments(machine, kernel, whole, scratch, out), *host.arguments]
    with virtiofsd(machine, scratch, out), running(command, stdout=subprocess.PIPE,
                                                   stderr=subprocess.STDOUT) as process:
        host.started(process.pid)
        in_time = watch(process, started + machine.seconds, outcome, started)
    outcome.seconds = time.monotonic() - started
    if outcome.status is None:
        outcome.reason = "it ended by itself" if in_time else f"time limit of {machine.seconds} s"
    return outcome
