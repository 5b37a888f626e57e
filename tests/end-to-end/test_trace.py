# SPDX-License-Identifier: GPL-2.0
"""
What a program does is its own, traced or not: its streams, its signals, its status. And what is traced is all of what
was named and nothing else. Counts are of direct reads on a device that nobody else uses.
"""

import contextlib
import errno
import json
import os
import pathlib
import re
import select
import signal
import subprocess
import sys
import time

import pytest

import machine as m
from machine import NOBODY
from program import assert_refused, control_terminal, on_terminal
from results import (balanced, command_of, ends, io_of, ios, option, program, slow, slow_dropped, slowest, status,
                     summarized, total_of, validate, watched)

BLOCK = 4096
PYTHON = sys.executable


# --- what is read ---


@pytest.fixture
def file(filesystem):
    """4 MiB in an ext4 of its own; the device is the file's parent's."""
    path = filesystem / "data"
    path.write_bytes(os.urandom(4 << 20))
    os.sync()
    return path


@pytest.fixture
def disk(file):
    """The device that the file lies on."""
    number = os.stat(file).st_dev
    return f"/dev/{os.path.basename(os.readlink(f'/sys/dev/block/{os.major(number)}:{os.minor(number)}'))}"


def dd(file, count, program="dd"):
    """A command of `count` direct reads."""
    return [program, f"if={file}", "of=/dev/null", f"bs={BLOCK}", f"count={count}", "iflag=direct", "status=none"]


def shell_dd(file, count):
    return " ".join(dd(file, count))


def reads(outcome):
    """How many direct reads were traced, each of which must be known from call to return."""
    run = program(outcome.result)
    validate(outcome.result)
    if "read" not in ios(run):
        return 0
    view = io_of(run, "read")
    assert set(ends(view)) <= {"joined", "completion not seen"} and balanced(view), view
    return view["called"]


class Puppet:
    """
    A process that reads the file when it is told to: itself, by a thread and by a child that were there before, or by
    ones that it makes then.
    """

    CODE = """
import mmap, os, subprocess, sys, threading
file, buffer = os.open(sys.argv[1], os.O_RDONLY | os.O_DIRECT), mmap.mmap(-1, 4096)
def read(count):
    for i in range(count):
        assert os.preadv(file, [buffer], i * 4096) == 4096
def obey(words):
    who, count = words.split()
    if who == "itself":
        read(int(count))
    elif who == "thread":
        to_thread.release()
        of_thread.acquire()
    elif who == "child":
        os.write(to_child[1], b".")
        os.read(of_child[0], 1)
    elif who == "new-thread":
        fresh = threading.Thread(target=read, args=(int(count),))
        fresh.start()
        fresh.join()
    elif who == "new-child":
        pid = os.fork()
        if not pid:
            read(int(count))
            os._exit(0)
        os.waitpid(pid, 0)
    elif who == "spawned":
        pid = os.posix_spawnp("dd", ["dd", "if=" + sys.argv[1], "of=/dev/null", "bs=4096", "count=" + count,
                                     "iflag=direct", "status=none"], os.environ)
        os.waitpid(pid, 0)
TEN = 10
def thread():
    while True:
        to_thread.acquire()
        read(TEN)
        of_thread.release()
to_child, of_child = os.pipe(), os.pipe()
if not os.fork():
    os.close(to_child[1])
    while os.read(to_child[0], 1):
        read(TEN)
        os.write(of_child[1], b".")
    os._exit(0)
to_thread, of_thread = threading.Semaphore(0), threading.Semaphore(0)
threading.Thread(target=thread, daemon=True).start()
print("ready", flush=True)
for line in sys.stdin:
    obey(line)
    print("done", flush=True)
"""

    def __init__(self, file, **options):
        self.process = subprocess.Popen([PYTHON, "-c", self.CODE, str(file)], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, text=True, **options)
        self.pid = self.process.pid
        assert self.process.stdout.readline() == "ready\n"

    def __call__(self, who, count=10):
        self.process.stdin.write(f"{who} {count}\n")
        self.process.stdin.flush()
        assert self.process.stdout.readline() == "done\n"

    def threads(self):
        return [int(task) for task in os.listdir(f"/proc/{self.pid}/task")]

    def __enter__(self):
        return self

    def kill(self):
        """With its children, which are ours then: only when they are buried they have let go of the file."""
        children = m.descendants(self.pid)
        m.kill_all(children + [self.pid])
        self.process.wait()
        for pid in children:
            with contextlib.suppress(ChildProcessError):
                os.waitpid(pid, 0)

    def __exit__(self, *error):
        self.kill()
        self.process.stdin.close()
        self.process.stdout.close()


@pytest.fixture
def puppet(file):
    with Puppet(file) as puppet:
        yield puppet


# --- a program: its status ---


@pytest.mark.parametrize("script, expected", [("exit 0", 0), ("exit 7", 7), ("exit 125", 125), ("exit 255", 255),
                                              ("kill -SEGV $$", 139), ("kill -KILL $$", 137)])
def test_status(trace, script, expected):
    outcome = trace("--", "sh", "-c", script)
    assert outcome.status == expected, outcome
    assert status(program(outcome.result)) == expected
    assert not outcome.stdout, outcome


@pytest.mark.parametrize("words, expected, named", [
    (["/nonexistent/program"], 127, "/nonexistent/program"),
    (["no-such-program-anywhere"], 127, "no-such-program-anywhere"),
    ([""], 127, "''"),
    (["/"], 126, "Permission denied"),
    (["/etc/passwd"], 126, "/etc/passwd"),
])
def test_program_that_cannot_be_run(trace, words, expected, named):
    assert_refused(trace("--", *words), named, status=expected)


def test_script_without_its_interpreter(trace):
    script = trace.folder / "script"
    script.write_text("#!/nonexistent/interpreter\n")
    script.chmod(0o755)
    assert_refused(trace("--", script), script, "interpret", status=127)


@pytest.mark.parametrize("words, named", [
    ([], "nothing to trace"),
    (["--frobnicate", "--", "true"], "--frobnicate"),
    (["-d", "soon", "--", "true"], "soon"),
    (["--interval", "0", "--", "true"], "--interval"),
    (["--slow", "10", "--", "true"], "ns, us, ms, s"),
    (["--slow", "10ms,0", "--", "true"], "after the comma"),
    (["-p", "init"], "init"),
    (["-p", "1", "--", "true"], "'true'"),
    (["-p", "1", "-g", "/"], "-p and -g"),
    (["-u", "no such user", "--", "true"], "no such user"),
    (["-u", "nobody", "-p", "1"], "--user"),
    (["--json", "--", "true"], "-o DIR"),
    (["--no-children", "-g", "/"], "--no-children"),
    (["-D", "/nonexistent/device", "--", "true"], "/nonexistent/device"),
    (["-D", "no-such-device", "--", "true"], "no-such-device"),
    (["-D", "/etc/passwd", "--", "true"], "not a block device"),
    (["-g", "/no/such/cgroup"], "cgroup"),
    (["-o", "/nonexistent/folder", "--", "true"], "/nonexistent/folder"),
])
def test_bad_words(trace, words, named):
    assert_refused(trace(*words, defaults=False), named)


def test_help(trace):
    status, stdout, stderr = trace.plain("trace", "-h")
    assert status == 0 and "--no-children" in stdout and not stderr


# --- a program: what it has of us ---


def test_streams_are_its_own(trace):
    """What it prints stands alone on standard output; what we say goes to standard error."""
    reader, writer = os.pipe()
    os.write(writer, b"hello\n")
    os.close(writer)
    stdio = {"stdin": reader, "stdout": trace.stdout, "stderr": trace.stderr}
    with trace.start("--", "sh", "-c", "cat; echo beside >&2", stdio=stdio) as running:
        os.close(reader)
        outcome = running.end()
    assert outcome.status == 0 and outcome.stdout == "hello\n", outcome
    assert outcome.stderr.startswith("beside\n") and "status 0" in outcome.stderr, outcome
    assert str(outcome.json_files[0]) in outcome.stderr, outcome


SURROUNDINGS = """
import os, resource, signal, subprocess
print(sorted(os.environ.items()), os.getcwd(), os.umask(0), os.getuid(), os.getgid(), os.getgroups(), os.nice(0))
print([resource.getrlimit(number) for number in range(16)])
status = open("/proc/self/status").read().splitlines()
print([line for line in status if line.startswith(("Sig", "Cap", "NoNewPrivs", "Seccomp:", "Umask"))])
print(os.getsid(0) == os.getppid() or os.getsid(0), os.getpgrp() == os.getsid(0))
print(sorted(int(fd) for fd in os.listdir("/proc/self/fd"))[:-1])
"""


def test_surroundings_are_as_without_us(trace):
    """Environment, limits, signals, descriptors: nothing of ours is passed on."""

    def look(prefix):
        done = subprocess.run([*prefix, PYTHON, "-c", SURROUNDINGS], cwd=trace.cwd, env=trace.environment(None),
                              stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60,
                              start_new_session=True)
        assert done.returncode == 0, done.stderr
        return re.sub(r"^(True|\d+) True$", "session", done.stdout, flags=re.M)

    assert look([trace.binary, "trace", "--"]) == look([])


def test_terminal_is_its_own(trace):
    """It may ask and be answered, and Ctrl-C would reach it."""
    code = "import os, sys; print(sys.stdin.isatty(), os.tcgetpgrp(0) == os.getpgrp()); print(input('name? ')[::-1])"
    outcome = on_terminal(trace, "--", PYTHON, "-c", code, answers=[(r"name\?", "iostrata")])
    assert outcome.status == 0, outcome
    assert "True True" in outcome.stdout and "atartsoi" in outcome.stdout, outcome
    assert "ended with status 0" in outcome.stdout, outcome


def test_as_another_user(trace):
    code = "import os; print(os.getresuid(), os.getresgid(), os.getgroups(), os.environ['HOME'])"
    outcome = trace("-u", "nobody", "--", PYTHON, "-c", code, env={"SUDO_UID": "12345", "SUDO_GID": "23456"})
    assert outcome.status == 0, outcome
    user = (NOBODY,) * 3
    assert outcome.stdout == f"{user} {user} [{NOBODY}] /nonexistent\n", outcome
    (path,) = outcome.json_files
    assert (path.stat().st_uid, path.stat().st_gid) == (12345, 23456)


@pytest.mark.parametrize("sudo", [{}, {"SUDO_UID": "12345", "SUDO_GID": "23456"}])
def test_runs_as_the_caller(trace, sudo):
    """What sudo gave to us, it was told to give."""
    outcome = trace("--", "id", "-u", env=sudo)
    assert outcome.status == 0 and outcome.stdout == "0\n", outcome


def test_no_other_user_without_the_right(trace):
    """With what BPF needs, and no more."""
    for path in (trace.cwd, trace.outdir, trace.temporary):
        m.command("chown", f"{NOBODY}:{NOBODY}", path)
    prefix = ("setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups", "--inh-caps=+bpf,+perfmon",
              "--ambient-caps=+bpf,+perfmon")
    outcome = trace("-u", "root", "--", "true", prefix=prefix, binary=trace.copy_for_everybody())
    assert_refused(outcome, "-u root", "only root", status=125)


@pytest.mark.parametrize("words", [["-p", os.getpid()], ["-D", None], ["--", "touch", "file"]])
def test_without_the_right_to_trace(trace, device, words):
    """Of a benchmark figures would be left; here there is nothing."""
    dropped = "-sys_admin,-bpf,-perfmon"
    prefix = ("setpriv", f"--bounding-set={dropped}", f"--inh-caps={dropped}")
    outcome = trace(*(device if word is None else word for word in words), prefix=prefix)
    assert_refused(outcome, "CAP_BPF", "CAP_PERFMON", status=125)
    assert not (trace.cwd / "file").exists()


# --- a program: all of what it does, and nothing else ---


def test_counts(trace, file, disk):
    with Puppet(file) as stranger, trace.start("-D", disk, "--", "sh", "-c", f"{shell_dd(file, 100)}; sleep 0.5") \
            as running:
        m.wait_until(lambda: m.descendants(running.process.pid), 60, "the program")
        stranger("itself", 50)
        outcome = running.end()
    assert outcome.status == 0 and reads(outcome) == 100, outcome
    assert command_of(program(outcome.result))[:2] == ["sh", "-c"]


@pytest.mark.parametrize("who", ["itself", "thread", "child", "new-thread", "new-child", "spawned"])
def test_whoever_of_it_reads(trace, file, disk, who):
    words = ["--", PYTHON, "-c", Puppet.CODE, file]
    with trace.start("-D", disk, *words, stdio={"stdin": subprocess.PIPE, "stdout": trace.stdout,
                                                "stderr": trace.stderr}) as running:
        running.process.stdin.write(f"{who} 10\n".encode())
        running.process.stdin.close()
        outcome = running.end()
    assert outcome.status == 0 and reads(outcome) == 10, outcome


@pytest.mark.parametrize("script", [
    "{dd} & {dd} & wait",
    "( ( {dd} ) & wait; {dd} )",
    "setsid -w {dd}; {dd}",
    "exec {dd2}",
])
def test_descendants(trace, file, disk, script):
    script = script.format(dd=shell_dd(file, 32), dd2=shell_dd(file, 64))
    outcome = trace("-D", disk, "--", "sh", "-c", script)
    assert outcome.status == 0 and reads(outcome) == 64, outcome


def test_without_children(trace, file, disk):
    """What it does itself counts, and neither what it starts nor what that starts."""
    code = f"""
import mmap, os, subprocess
fd, buffer = os.open({str(file)!r}, os.O_RDONLY | os.O_DIRECT), mmap.mmap(-1, {BLOCK})
subprocess.check_call({dd(file, 64)!r})
subprocess.check_call(["sh", "-c", {shell_dd(file, 64)!r} + " & wait"])
for i in range(20):
    os.preadv(fd, [buffer], i * {BLOCK})
"""
    outcome = trace("-D", disk, "--no-children", "--", PYTHON, "-c", code)
    assert outcome.status == 0 and reads(outcome) == 20, outcome


def test_setuid_program(trace, machine, file, disk):
    """It may do what we let its user not do, and is traced all the same."""
    point = machine.tmpfs("4m")
    copy = point / "dd"
    m.command("cp", "--dereference", "/bin/dd", copy)
    copy.chmod(0o4755)
    file.chmod(0o600)
    outcome = trace("-D", disk, "-u", "nobody", "--", *dd(file, 10))
    assert outcome.status == 1 and "Permission denied" in outcome.stderr and reads(outcome) == 0, outcome
    with trace.start("-D", disk, "-u", "nobody", "--", *dd(file, 48, copy)) as running:
        outcome = running.end()
    assert outcome.status == 0 and reads(outcome) == 48, outcome


def test_another_user_by_su(trace, file, disk):
    m.need("su")
    outcome = trace("-D", disk, "--", "su", "-s", "/bin/sh", "nobody", "-c", shell_dd(file, 48))
    assert outcome.status == 0 and reads(outcome) == 48, outcome


def test_own_pid_namespace(trace, file, disk):
    """Its numbers mean other processes there."""
    m.need("unshare")
    outcome = trace("-D", disk, "--", "unshare", "--pid", "--fork", "--mount-proc", "sh", "-c",
                    f"echo $$; {shell_dd(file, 24)}; {shell_dd(file, 24)} & wait")
    assert outcome.status == 0 and outcome.stdout == "1\n" and reads(outcome) == 48, outcome


def test_from_within_a_pid_namespace(trace, file, disk):
    """As in a container: what we mark is the process, and not its number."""
    m.need("unshare")
    outcome = trace("-D", disk, "--", *dd(file, 48), prefix=("unshare", "--pid", "--fork", "--mount-proc"))
    assert outcome.status == 0 and reads(outcome) == 48, outcome


def test_program_without_any_io(trace, disk):
    """Not an empty table to wonder at."""
    outcome = trace("-D", disk, "--", "true")
    assert outcome.status == 0 and reads(outcome) == 0, outcome
    assert re.search(r"no I/O", outcome.stderr, re.I), outcome


def test_slow_and_slowest(trace, file, disk):
    """A threshold that every I/O is above."""
    outcome = trace("-D", disk, "--slow", "1ns,30", "--slowest", "5", "--", *dd(file, 100))
    run = program(outcome.result)
    assert reads(outcome) == 100
    assert len(slow(run)) == 30 and slow_dropped(run) == 70
    totals = [total_of(record) for record in slowest(run)]
    assert len(totals) == 5 and totals == sorted(totals, reverse=True) and min(totals) > 0


def test_nothing_is_written_unasked(trace):
    outcome = trace("--", "true", defaults=False)
    assert outcome.status == 0 and not outcome.json_files, outcome
    assert os.listdir(trace.cwd) == [] and "ended with status 0" in outcome.stderr, outcome


def test_report_shows_it_again(trace, file, disk):
    outcome = trace("-D", disk, "--", *dd(file, 100))
    code, stdout, stderr = trace.plain("report", outcome.json_files[0])
    assert code == 0 and not stderr, (stdout, stderr)
    assert stdout.strip() and stdout.strip() in outcome.stderr, (stdout, outcome)
    code, stdout, stderr = trace.plain("report", "--csv", trace.folder / "x.csv", outcome.json_files[0])
    assert code == 1 and "--csv" in stderr and not (trace.folder / "x.csv").exists()


def test_file_that_cannot_be_written(trace, machine):
    """The program's status matters more, but a good one of it would hide ours."""
    point = machine.tmpfs("64k")
    with open(point / "ballast", "wb", buffering=0) as file, pytest.raises(OSError):
        while True:
            file.write(b"x" * 4096)
    assert trace("--", "true", outdir=point).status == 125
    assert trace("--", "sh", "-c", "exit 7", outdir=point).status == 7


# --- a program: its end and ours ---


def of_program(running, name):
    """The pid of the program called so that a trace has started."""

    def find():
        for pid in m.descendants(running.process.pid):
            with contextlib.suppress(OSError):
                if pathlib.Path(f"/proc/{pid}/comm").read_text().strip() == name:
                    return pid
        assert running.process.poll() is None, running.outcome()
        return None

    return m.wait_until(find, 60, lambda: f"start of {name}\n{running.outcome()}")


def says(trace, word):
    m.wait_until(lambda: word in trace.text("stdout"), 60, f"'{word}' of the program")


def test_what_it_leaves_behind_lives_on(trace):
    with trace.start("--", "sh", "-c", "setsid sleep 1000 </dev/null >/dev/null 2>&1 & echo $!") as running:
        running.process.wait(60)
        left = int(trace.text("stdout"))
        os.kill(left, 0)
        assert m.arguments(left) == ["sleep", "1000"]
        m.kill_all([left])
        outcome = running.end()
    assert outcome.status == 0, outcome


def test_it_is_killed(trace):
    with trace.start("--", "sleep", "1000") as running:
        m.kill_all([of_program(running, "sleep")])
        outcome = running.end(15)
    assert outcome.status == 137 and status(program(outcome.result)) == 137, outcome
    assert "SIGKILL" in outcome.stderr, outcome


@pytest.mark.parametrize("name", ["SIGINT", "SIGTERM", "SIGHUP"])
def test_a_signal_to_us_is_passed_on(trace, name):
    with trace.start("--", "sleep", "1000") as running:
        of_program(running, "sleep")
        running.signal(getattr(signal, name))
        outcome = running.end(15)
    assert outcome.status == 128 + getattr(signal, name), outcome
    assert status(program(outcome.result)) == outcome.status, outcome


def test_it_may_take_its_time_to_end(trace):
    script = "trap 'sleep 0.5; echo bye; exit 9' TERM; echo up; while :; do sleep 0.1; done"
    with trace.start("--", "sh", "-c", script) as running:
        says(trace, "up")
        running.signal(signal.SIGTERM)
        outcome = running.end(15)
    assert outcome.status == 9 and outcome.stdout == "up\nbye\n", outcome


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_the_second_signal_ends_it_for_certain(trace, number):
    code = "import os, signal, time\nfor n in (2, 15): signal.signal(n, lambda *_: os.write(1, b'no\\n'))\n" \
           "print('up', flush=True)\nwhile True: time.sleep(0.1)"
    with trace.start("--", PYTHON, "-c", code) as running:
        says(trace, "up")
        running.signal(number)
        says(trace, "no")
        time.sleep(0.5)
        assert running.process.poll() is None
        running.signal(number)
        outcome = running.end(15)
    assert outcome.status == 137 and status(program(outcome.result)) == 137, outcome


def test_two_signals_at_once_are_one_request(trace):
    """As timeout sends them, to us and then to all of our group."""
    code = "import signal, sys, time\ndef end(*_):\n time.sleep(1)\n sys.exit(9)\nsignal.signal(15, end)\n" \
           "print('up', flush=True)\nwhile True: time.sleep(0.1)"
    with trace.start("--", PYTHON, "-c", code) as running:
        says(trace, "up")
        running.signal(signal.SIGTERM)
        os.killpg(running.process.pid, signal.SIGTERM)
        outcome = running.end(15)
    assert outcome.status == 9, outcome


class Terminal:
    """A trace on a terminal of its own, at which one can type."""

    def __init__(self, trace, *argv):
        self.ours, theirs = os.openpty()
        self.screen = b""
        stdio = {"stdin": theirs, "stdout": theirs, "stderr": theirs}
        self.running = trace.start(*argv, stdio=stdio, env={"TERM": "xterm"}, preexec_fn=control_terminal)
        os.close(theirs)

    def type(self, keys):
        os.write(self.ours, keys)

    def shows(self, word, times=1):
        def look():
            if select.select([self.ours], [], [], 0.1)[0]:
                with contextlib.suppress(OSError):
                    self.screen += os.read(self.ours, 65536)
            return self.screen.decode(errors="replace").count(word) >= times
        m.wait_until(look, 60, lambda: f"'{word}' on the terminal\n{self.screen.decode(errors='replace')}")

    def end(self):
        def gone():
            with contextlib.suppress(OSError):
                while select.select([self.ours], [], [], 0.05)[0]:
                    part = os.read(self.ours, 65536)
                    if not part:
                        break
                    self.screen += part
            return self.running.process.poll() is not None
        m.wait_until(gone, 30, lambda: f"the end\n{self.screen.decode(errors='replace')}")
        outcome = self.running.end(15)
        outcome.stdout = self.screen.decode(errors="replace")
        return outcome

    def __enter__(self):
        self.running.__enter__()
        return self

    def __exit__(self, *error):
        self.running.__exit__(*error)
        os.close(self.ours)


CTRL_C, CTRL_BACKSLASH = b"\x03", b"\x1c"


@pytest.mark.parametrize("key, number", [(CTRL_C, signal.SIGINT), (CTRL_BACKSLASH, signal.SIGQUIT)])
def test_keys_end_it_and_not_us(trace, key, number):
    with Terminal(trace, "--", "sh", "-c", "ulimit -c 0; echo up; exec sleep 1000") as terminal:
        terminal.shows("up")
        of_program(terminal.running, "sleep")
        terminal.type(key)
        outcome = terminal.end()
    assert outcome.status == 128 + number, outcome
    assert status(program(outcome.result)) == 128 + number
    assert f"status {128 + number}" in outcome.stdout, outcome


def test_ctrl_c_that_it_handles_is_its_own(trace):
    """As of a shell or a debugger, in which it is typed all day."""
    code = "import os, signal, time\nsignal.signal(2, lambda *_: os.write(1, b'again\\n'))\n" \
           "print('up', flush=True)\nwhile True: time.sleep(0.05)"
    with Terminal(trace, "--", PYTHON, "-c", code) as terminal:
        terminal.shows("up")
        for times in range(1, 5):
            terminal.type(CTRL_C)
            terminal.shows("again", times)
            time.sleep(0.3)
        assert terminal.running.process.poll() is None
        terminal.type(CTRL_BACKSLASH)
        outcome = terminal.end()
    assert outcome.status == 128 + signal.SIGQUIT, outcome


def test_ctrl_c_twice_ends_what_ignores_it(trace):
    with Terminal(trace, "--", "sh", "-c", "trap '' INT; echo up; while :; do sleep 0.1; done") as terminal:
        terminal.shows("up")
        terminal.type(CTRL_C)
        time.sleep(0.6)
        assert terminal.running.process.poll() is None
        terminal.type(CTRL_C)
        outcome = terminal.end()
    assert outcome.status == 137, outcome


def test_ctrl_c_before_it_has_begun(trace):
    """While the probes are loaded: then it never runs."""
    with trace.start("--", "sh", "-c", "echo ran") as running:
        time.sleep(0.1)
        running.signal(signal.SIGINT)
        outcome = running.end(15)
    assert outcome.status in (130, -signal.SIGINT) and not outcome.stdout and not outcome.json_files, outcome


def test_duration_of_a_program(trace, file, disk):
    """It is told what was seen when the time is over, and the program goes on."""
    script = f"{shell_dd(file, 10)}; echo up; read line; {shell_dd(file, 10)}; exit 5"
    with trace.start("-D", disk, "-d", "2", "--", "sh", "-c", script,
                     stdio={"stdin": subprocess.PIPE, "stdout": trace.stdout, "stderr": trace.stderr}) as running:
        says(trace, "up")
        m.wait_until(lambda: ".json" in trace.text("stderr"), 60, "the report")
        assert running.process.poll() is None
        assert not loaded_by(running.process.pid), "the probes go on costing"
        running.process.stdin.close()
        outcome = running.end()
    assert outcome.status == 5 and reads(outcome) == 10, outcome
    assert status(program(outcome.result)) is None


# --- our death ---


def loaded_by(pid):
    """The BPF programs that a process holds."""
    found = set()
    for info in pathlib.Path(f"/proc/{pid}/fdinfo").iterdir():
        with contextlib.suppress(OSError):
            found.update(re.findall(r"^prog_id:\s*(\d+)", info.read_text(), re.M))
    return found


def still_loaded(programs):
    return [number for number in programs
            if subprocess.run(["bpftool", "prog", "show", "id", number], capture_output=True).returncode == 0]


def test_sigkill(trace):
    """Nothing of us stays in the kernel, and the program does not notice."""
    m.need("bpftool")
    with trace.start("--", "sh", "-c", "echo up; read line; echo still here",
                     stdio={"stdin": subprocess.PIPE, "stdout": trace.stdout, "stderr": trace.stderr}) as running:
        says(trace, "up")
        (child,) = m.children(running.process.pid)
        ours = loaded_by(running.process.pid)
        assert len(still_loaded(ours)) == len(ours) > 0
        assert not loaded_by(child), "passed on to the program"
        running.signal(signal.SIGKILL)
        assert running.process.wait(15) == -signal.SIGKILL
        m.wait_until(lambda: not still_loaded(ours), 15, "the end of our programs")
        os.kill(child, 0)
        running.process.stdin.close()
        says(trace, "still here")
        outcome = running.end()
    assert not outcome.json_files


@pytest.mark.parametrize("moment", [0.02, 0.1, 0.3])
def test_sigkill_before_it_has_begun(trace, moment):
    with trace.start("--", "sh", "-c", "echo ran") as running:
        time.sleep(moment)
        early = not trace.text("stdout")
        running.signal(signal.SIGKILL)
        outcome = running.end(15)
    assert early and not outcome.stdout, outcome


# --- processes ---


def stop(running, number=signal.SIGINT):
    running.signal(number)
    outcome = running.end(15)
    assert outcome.status == 0, outcome
    return outcome


@pytest.mark.parametrize("name", ["SIGINT", "SIGTERM", "SIGHUP"])
def test_a_watch_is_ended_by_a_signal(trace, puppet, disk, name):
    """As every tracer is: that is no failure, and the report is the answer."""
    with trace.watching("-p", puppet.pid, "-D", disk) as running:
        puppet("itself")
        outcome = stop(running, getattr(signal, name))
    assert reads(outcome) == 10 and str(outcome.json_files[0]) in outcome.stdout, outcome
    assert str(puppet.pid) in outcome.stderr and status(program(outcome.result)) is None, outcome


@pytest.mark.parametrize("who", ["itself", "thread", "child", "new-thread", "new-child", "spawned"])
def test_whoever_of_a_process_reads(trace, puppet, disk, who):
    with trace.watching("-p", puppet.pid, "-D", disk) as running:
        puppet(who)
        outcome = stop(running)
    assert reads(outcome) == 10, outcome


def test_process_without_children(trace, puppet, disk):
    """Threads are the process itself."""
    with trace.watching("-p", puppet.pid, "--no-children", "-D", disk) as running:
        for who in ("child", "new-child", "spawned"):
            puppet(who)
        for who in ("itself", "thread", "new-thread"):
            puppet(who)
        outcome = stop(running)
    assert reads(outcome) == 30, outcome


def test_several_processes_and_a_stranger(trace, puppet, file, disk):
    with Puppet(file) as second, Puppet(file) as stranger:
        with trace.watching("-p", f"{puppet.pid},{second.pid}", "-D", disk) as running:
            for one in (puppet, second, stranger):
                one("itself")
            outcome = stop(running)
    assert reads(outcome) == 20, outcome


def test_a_child_is_named_alone(trace, puppet, disk):
    (child,) = m.children(puppet.pid)
    with trace.watching("-p", child, "-D", disk) as running:
        puppet("itself")
        puppet("child")
        outcome = stop(running)
    assert reads(outcome) == 10, outcome


def test_our_own_ancestor(trace, file, disk):
    """A shell that traces itself: what we do ourselves is not its I/O."""
    words = ["sh", "-c", f'"$0" trace -D "$1" -o "$2" -d 3 -p $$ & tracer=$!; '
                         f'while ! grep -qs "^tracing" "$3"; do sleep 0.05; done; {shell_dd(file, 40)}; wait $tracer',
             str(trace.binary), disk, str(trace.outdir), str(trace.folder / "stderr")]
    with open(trace.folder / "stderr", "wb") as log:
        done = subprocess.run(words, cwd=trace.cwd, env=trace.environment(None), stdin=subprocess.DEVNULL,
                              stdout=subprocess.DEVNULL, stderr=log, timeout=60)
    assert done.returncode == 0, trace.text("stderr")
    (path,) = trace.outdir.iterdir()
    view = io_of(program(json.loads(path.read_text())), "read")
    assert view["called"] == 40


def test_it_ends_when_all_of_them_have(trace, file, disk):
    with Puppet(file) as first, Puppet(file) as second:
        with trace.watching("-p", f"{first.pid},{second.pid}", "-D", disk) as running:
            first("itself")
            first.kill()
            time.sleep(0.3)
            assert running.process.poll() is None, "one of them is left"
            second("itself")
            second.kill()
            outcome = running.end(15)
    assert outcome.status == 0 and reads(outcome) == 20, outcome


def test_duration(trace, puppet, disk):
    with trace.watching("-p", puppet.pid, "-D", disk, "-d", "1") as running:
        puppet("itself")
        outcome = running.end(15)
    assert outcome.status == 0 and reads(outcome) == 10, outcome
    assert option(outcome.result, "duration") == 10 ** 9


def test_no_such_process(trace):
    done = subprocess.Popen(["true"])
    done.wait()
    assert_refused(trace("-p", done.pid), done.pid, "no such process")


def test_a_thread_is_no_process(trace, puppet):
    thread = max(puppet.threads())
    assert thread != puppet.pid
    assert_refused(trace("-p", thread), thread, "thread", puppet.pid)


def test_a_process_that_is_dead_and_not_buried(trace):
    zombie = subprocess.Popen(["true"])
    m.wait_until(lambda: not m.arguments(zombie.pid), 5, "a zombie")
    assert_refused(trace("-p", zombie.pid), zombie.pid, "has ended")
    zombie.wait()


# --- a cgroup ---


@pytest.fixture
def cgroup():
    """An empty one, with one in it."""
    for line in pathlib.Path("/proc/self/mountinfo").read_text().splitlines():
        fields = line.split()
        if fields[fields.index("-") + 1] == "cgroup2":
            folder = pathlib.Path(fields[4]) / f"iostrata-test-{os.getpid()}"
            break
    else:
        pytest.skip("absent: no cgroup v2 is mounted")
    try:
        (folder / "inner").mkdir(parents=True)
    except OSError as error:
        pytest.skip(f"absent: {error}")
    yield folder
    for path in (folder / "inner", folder):
        if path.exists():
            m.wait_until(lambda: not (path / "cgroup.procs").read_text(), 5, f"end of what is in {path}")
            path.rmdir()


def joining(folder):
    """In a new process: goes into the cgroup."""
    return lambda: (folder / "cgroup.procs").write_text(f"{os.getpid()}\n") and None


@pytest.mark.parametrize("name", ["path", "name", "bare name"])
def test_cgroup(trace, file, disk, cgroup, name):
    given = {"path": cgroup, "name": f"/{cgroup.name}", "bare name": cgroup.name}[name]
    with Puppet(file, preexec_fn=joining(cgroup)) as member, Puppet(file) as stranger:
        with trace.watching("-g", given, "-D", disk) as running:
            for who in ("itself", "thread", "child", "new-child"):
                member(who)
            stranger("itself")
            with Puppet(file, preexec_fn=joining(cgroup / "inner")) as late:
                late("itself")
            outcome = stop(running)
    assert reads(outcome) == 50, outcome


def test_inner_cgroup(trace, file, disk, cgroup):
    """What is in the one above is not in it."""
    with Puppet(file, preexec_fn=joining(cgroup)) as outer, Puppet(file, preexec_fn=joining(cgroup / "inner")) as inner:
        with trace.watching("-g", cgroup / "inner", "-D", disk) as running:
            outer("itself")
            inner("itself")
            outcome = stop(running)
    assert reads(outcome) == 10, outcome


def test_cgroup_that_goes(trace, disk, cgroup):
    """As that of a service that is stopped: nothing can come any more."""
    with trace.watching("-g", f"/{cgroup.name}/inner", "-D", disk) as running:
        (cgroup / "inner").rmdir()
        outcome = running.end(15)
    assert outcome.status == 0, outcome


def test_cgroup_of_the_old_hierarchy(trace, cgroup):
    for line in pathlib.Path("/proc/self/mountinfo").read_text().splitlines():
        fields = line.split()
        if fields[fields.index("-") + 1] == "cgroup":
            assert_refused(trace("-g", fields[4]), fields[4], "v2")
            return
    pytest.skip("absent: no cgroup v1 is mounted")


# --- a device ---


def test_all_of_a_device(trace, machine, file, disk):
    """Whoever reads there, and nobody who reads elsewhere."""
    elsewhere = machine.ext4(machine.loop(64 << 20)) / "data"
    elsewhere.write_bytes(b"x" * (1 << 20))
    os.sync()
    with Puppet(file) as one, Puppet(file) as two, Puppet(elsewhere) as other:
        with trace.watching("-D", disk) as running:
            for who in (one, two, other):
                who("itself")
            outcome = stop(running)
    assert reads(outcome) == 20, outcome
    assert watched(outcome.result) == (disk, [os.path.basename(disk)])


def test_device_by_its_name(trace, file, disk):
    outcome = trace("-D", os.path.basename(disk), "--", *dd(file, 10))
    assert outcome.status == 0 and reads(outcome) == 10, outcome


def test_the_device_itself(trace, device):
    outcome = trace("-D", device, "--", *dd(device, 10))
    assert outcome.status == 0 and reads(outcome) == 10, outcome


def test_two_devices(trace, machine, file, disk, device):
    script = f"{shell_dd(file, 10)}; {shell_dd(device, 20)}"
    outcome = trace("-D", f"{disk},{device}", "--", "sh", "-c", script)
    assert outcome.status == 0 and reads(outcome) == 30, outcome
    outcome = trace("-D", disk, "--", "sh", "-c", script)
    assert reads(outcome) == 10, outcome


def test_all_disks(trace, file, device):
    """Without -D it is seen wherever it is."""
    outcome = trace("--", "sh", "-c", f"{shell_dd(file, 10)}; {shell_dd(device, 20)}")
    run = program(outcome.result)
    assert outcome.status == 0 and io_of(run, "read")["called"] >= 30, outcome
    given, devices = watched(outcome.result)
    assert given == "all disks" and device.name in devices


def test_summary_as_json(trace, puppet, disk):
    with trace.watching("-p", puppet.pid, "-D", disk, "--json") as running:
        puppet("itself")
        outcome = stop(running)
    summary = json.loads(outcome.stdout)
    assert summarized(summary, "read") == 10, outcome
    assert str(outcome.json_files[0]) in outcome.stderr


def test_report_that_cannot_be_printed(trace, puppet, disk):
    with open("/dev/full", "wb") as full:
        stdio = {"stdin": subprocess.DEVNULL, "stdout": full, "stderr": trace.stderr}
        outcome = trace("-p", puppet.pid, "-D", disk, "-d", "0.3", stdio=stdio)
    assert outcome.status == 125 and os.strerror(errno.ENOSPC) in outcome.stderr, outcome
    assert reads(outcome) == 0


# --- intervals ---


def interval_lines(text):
    """(seconds, the rest) of each line that begins with a time."""
    return [(float(found[1]), found[2]) for found in re.finditer(r"^ *(\d+\.\d+) +(\S.*)$", text, re.M)]


def test_intervals(trace, puppet, disk):
    """On standard error while it goes on; the report comes after them."""
    with trace.watching("-p", puppet.pid, "-D", disk, "--interval", "0.5") as running:
        m.wait_until(lambda: len(interval_lines(trace.text("stderr"))) >= 2, 30, "two lines")
        puppet("itself", 100)
        known = len(interval_lines(trace.text("stderr")))
        m.wait_until(lambda: len(interval_lines(trace.text("stderr"))) >= known + 2, 30, "two more")
        outcome = stop(running)
    times = [at for at, _ in interval_lines(outcome.stderr)]
    assert times == sorted(times) and any("read" in rest for _, rest in interval_lines(outcome.stderr)), outcome
    assert reads(outcome) == 100 and not interval_lines(outcome.stdout), outcome
    assert option(outcome.result, "interval") == 500_000_000


def test_intervals_of_a_program_on_a_terminal(trace, file, disk):
    """Whole lines between its own, and nothing that moves the cursor."""
    script = f"for i in 1 2 3; do echo mine; {shell_dd(file, 10)}; sleep 0.5; done"
    outcome = on_terminal(trace, "-D", disk, "--interval", "0.4", "--", "sh", "-c", script, env={"NO_COLOR": "1"})
    assert outcome.status == 0 and outcome.stdout.count("mine\r\n") == 3, outcome
    assert len(interval_lines(outcome.stdout.replace("\r", ""))) >= 3, outcome
    assert "\x1b" not in outcome.stdout, outcome


def test_progress_on_a_terminal(trace, puppet, disk):
    """It says that it goes on and how to end it, and leaves nothing of that on the screen."""
    with Terminal(trace, "-p", puppet.pid, "-D", disk) as terminal:
        terminal.shows("Ctrl-C ends it")
        puppet("itself")
        terminal.type(CTRL_C)
        outcome = terminal.end()
    assert outcome.status == 0 and reads(outcome) == 10, outcome
    assert "Ctrl-C" not in outcome.stdout.split("\x1b[K")[-1], outcome
