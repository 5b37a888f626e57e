# SPDX-License-Identifier: GPL-2.0
"""
End-to-end tests of the built program, as root, on loop devices over files in memory.

    IOSTRATA=path         another binary than build/iostrata
    IOSTRATA_FAULT=path   another one than build/variant-fault/iostrata, which `make FAULT=1` builds
    IOSTRATA_NO_SKIP=1    a skipped test is a failure, unless its reason begins with "absent:": what this kind of
                          machine can't have
    IOSTRATA_LONG=20      seconds of the long run
"""

import contextlib
import os
import pathlib
import signal
import tempfile

import pytest

for helper in ("machine", "matrices", "program", "results", "witness"):
    pytest.register_assert_rewrite(helper)

import machine as m
import matrices
import program


def pytest_configure(config):
    # Ctrl-C runs every teardown; let the other ways to ask for an end do the same.
    def interrupt(number, frame):
        raise KeyboardInterrupt

    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        # An ignored signal would stay ignored in the programs that we start.
        signal.signal(number, interrupt)


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item, call):
    report = (yield).get_result()
    if report.skipped and os.environ.get("IOSTRATA_NO_SKIP") == "1":
        reason = report.longrepr[2].removeprefix("Skipped: ")
        if not reason.startswith("absent:"):
            report.outcome = "failed"
            report.longrepr = f"skipped, which IOSTRATA_NO_SKIP=1 forbids: {reason}"


@pytest.fixture(scope="session")
def memory():
    """The folder in memory that everything is made in."""
    if os.geteuid():
        pytest.skip("needs root")
    if not program.BINARY.exists():
        pytest.fail(f"{program.BINARY} isn't built", pytrace=False)
    for tool in ("fio", "losetup", "mkfs.ext4"):
        m.need(tool)
    m.unshare_mounts()
    m.adopt_orphans()
    with m.memory_folder() as folder:
        yield folder


def left_behind(folder):
    """Mounts and loop devices that still use `folder`."""
    mounts = [line.split()[4] for line in pathlib.Path("/proc/self/mountinfo").read_text().splitlines()]
    found = [f"mount {point}" for point in mounts if point.startswith(f"{folder}/")]
    for file in pathlib.Path("/sys/block").glob("loop*/loop/backing_file"):
        with contextlib.suppress(OSError):
            if file.read_text().startswith(f"{folder}/"):
                found.append(f"/dev/{file.parts[3]}")
    return found


@contextlib.contextmanager
def new_machine(memory):
    """A place for devices and file systems; at its end all of them must let go."""
    folder = tempfile.mkdtemp(dir=memory)
    os.chmod(folder, 0o755)
    machine = m.Machine(folder)
    known = set(m.children(os.getpid()))
    try:
        yield machine
    finally:
        machine.close()
        orphans = m.reap_orphans(known)
        m.kill_all(orphans)
        assert not orphans, "processes left behind"
        # A loop device goes away a moment after its last user.
        m.wait_until(lambda: not left_behind(folder), 5, f"end of {left_behind(folder)}")
        m.command("rm", "-rf", folder)


@pytest.fixture
def machine(memory):
    with new_machine(memory) as machine:
        yield machine


@pytest.fixture
def bench(machine):
    bench = program.Bench(machine)
    yield bench
    bench.close()


@pytest.fixture
def trace(machine):
    trace = program.Trace(machine)
    yield trace
    trace.close()


@pytest.fixture
def faulty_bench(machine):
    if not program.FAULTY.exists():
        pytest.skip(f"{program.FAULTY} isn't built (make FAULT=1)")
    bench = program.Bench(machine, program.FAULTY)
    yield bench
    bench.close()


@pytest.fixture
def device(machine):
    """A raw loop device of 64 MiB."""
    return machine.loop(64 << 20)


@pytest.fixture
def filesystem(machine):
    """A mounted ext4 of 128 MiB on a loop device."""
    return machine.ext4(machine.loop(128 << 20))


def cached(name, make):
    """A fixture of the session, made by a whole matrix run whose devices are gone afterwards."""

    @pytest.fixture(scope="session", name=name)
    def fixture(memory):
        with new_machine(memory) as machine:
            outcome = make(machine)
            machine.close()
            yield outcome

    return fixture


matrix_ext4 = cached("matrix_ext4", matrices.on_ext4)
matrix_raw = cached("matrix_raw", matrices.on_raw_loop)
matrix_own = cached("matrix_own", matrices.on_own_disk)
matrix_faulty = cached("matrix_faulty", matrices.with_faults)


@pytest.fixture(params=["ext4", "raw", "own"])
def matrix(request):
    return request.getfixturevalue(f"matrix_{request.param}")
