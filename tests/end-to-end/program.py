# SPDX-License-Identifier: GPL-2.0
"""Runs the program as a user would, and looks at what it leaves behind."""

import contextlib
import csv
import fcntl
import io
import json
import os
import pathlib
import pty
import re
import select
import shutil
import signal
import subprocess
import termios
import time

import machine as m

ROOT = pathlib.Path(__file__).resolve().parents[2]
BINARY = pathlib.Path(os.environ.get("IOSTRATA", ROOT / "build/iostrata")).resolve()
FAULTY = pathlib.Path(os.environ.get("IOSTRATA_FAULT", ROOT / "build/variant-fault/iostrata")).resolve()

OUTPUT_NAMES = re.compile(r"DiskBenchmark_[\w.-]+\.csv|iostrata_[\w.-]+\.json")

# Short and small: these tests are about what is counted, never about how fast it is.
DEFAULTS = {"--size": "32M", "--duration": "0.5", "--warmup": "0"}


class Outcome:
    """What a run of the program left: its exit status, its words and its files."""

    own = False  # whether it was on the machine's own disk

    def __init__(self, status, stdout, stderr, outdir, before):
        self.status, self.stdout, self.stderr = status, stdout, stderr
        files = [outdir / name for name in sorted(set(names_in(outdir)) - before)]
        self.csv_files = [path for path in files if path.suffix == ".csv"]
        self.json_files = [path for path in files if path.suffix == ".json"]
        self.strays = [path.name for path in files if not OUTPUT_NAMES.fullmatch(path.name)]

    @property
    def done(self):
        """Every test was run to its end. Most disks of these tests are in memory, so that no number is real: 3."""
        return self.status in (0, 3)

    @property
    def result(self):
        (path,) = self.json_files
        return json.loads(path.read_text())

    @property
    def csv(self):
        (path,) = self.csv_files
        return path.read_text()

    @property
    def rows(self):
        return list(csv.DictReader(io.StringIO(self.csv)))

    def __repr__(self):
        return f"status {self.status}\n--- stdout\n{self.stdout}\n--- stderr\n{self.stderr}\n---"


def names_in(folder):
    try:
        return os.listdir(folder)
    except OSError:
        return []


def assert_refused(outcome, *words, status=2):
    """Nothing was started, and one line on stderr names the thing."""
    assert outcome.status == status, outcome
    assert not outcome.json_files and not outcome.csv_files, outcome
    assert not outcome.stdout, outcome
    lines = outcome.stderr.splitlines()
    assert len(lines) == 1 and re.match(r"iostrata( bench| trace)?: ", lines[0]), outcome
    for word in words:
        assert str(word) in lines[0], f"{word!r} isn't named\n{outcome}"


class Running:
    """A bench that has been started. It and its fio are gone when its `with` block ends."""

    def __init__(self, bench, argv, outdir, popen):
        self.bench, self.argv, self.outdir = bench, argv, outdir
        self.known = set(m.children(os.getpid()))
        self.files_before = set(names_in(outdir))
        self.listings = {folder: sorted(os.listdir(folder)) for folder in self.folders()}
        self.process = popen()

    def folders(self):
        """The directories that targets are in: what is in them must not change."""
        for option, word in zip(self.argv, self.argv[1:]):
            if option in ("--fio-path", "--outdir"):
                continue
            if os.path.isdir(word):
                yield word
            elif "/" in word and not word.startswith("-") and os.path.isdir(os.path.dirname(word)) \
                    and not os.path.dirname(word).startswith("/dev"):
                yield os.path.dirname(word)

    def __enter__(self):
        return self

    def __exit__(self, *error):
        if self.process.poll() is None:
            m.kill_all(m.descendants(self.process.pid) + [self.process.pid])
            self.process.wait()
        m.kill_all(m.reap_orphans(self.known))

    def signal(self, number):
        self.process.send_signal(number)

    def fio(self, kind=None):
        """The main fio process of a run (of `kind`, fio's rw) whose jobs are at work."""

        def find():
            for pid in m.descendants(self.process.pid):
                words = m.arguments(pid)
                if words and os.path.basename(words[0]) == "fio" and m.children(pid) \
                        and (not kind or f"--rw={kind}" in words):
                    return pid
            assert self.process.poll() is None, f"ended before fio ran\n{self.outcome()}"
            return None

        return m.wait_until(find, 60, f"fio at work {kind or ''}")

    def outcome(self):
        self.bench.stdout.flush()
        return Outcome(self.process.returncode, self.bench.text("stdout"), self.bench.text("stderr"), self.outdir,
                       self.files_before)

    def end(self, timeout=90):
        """Waits for the program's end and checks that nothing stays behind it."""
        self.process.wait(timeout)
        outcome = self.outcome()
        m.wait_until(lambda: not m.reap_orphans(self.known), 5,
                     lambda: f"end of {[m.arguments(pid) for pid in m.reap_orphans(self.known)]}\n{outcome}")
        for folder, listing in self.listings.items():
            assert sorted(os.listdir(folder)) == listing, f"left in {folder}\n{outcome}"
        assert not outcome.strays, f"left in the output directory: {outcome.strays}\n{outcome}"
        if self.outdir != self.bench.cwd:
            assert not os.listdir(self.bench.cwd), f"left in the current directory\n{outcome}"
        assert not os.listdir(self.bench.temporary), f"left in TMPDIR\n{outcome}"
        assert "Sanitizer" not in outcome.stderr, outcome
        return outcome


class Bench:
    """`iostrata bench`, in a current directory, an output directory and a TMPDIR of its own."""

    def __init__(self, machine, binary=BINARY):
        self.folder = machine.directory()
        self.binary = binary
        self.cwd, self.outdir, self.temporary = (self.folder / name for name in ("cwd", "out", "tmp"))
        for path in (self.cwd, self.outdir, self.temporary):
            path.mkdir()
        self.stdout = open(self.folder / "stdout", "w+b")
        self.stderr = open(self.folder / "stderr", "w+b")

    def close(self):
        self.stdout.close()
        self.stderr.close()

    def text(self, name):
        return (self.folder / name).read_text(errors="replace")

    def copy_for_everybody(self):
        """The binary where a user without any rights can reach it."""
        copy = self.folder / "iostrata"
        if not copy.exists():
            shutil.copy(self.binary, copy)
        return copy

    def environment(self, more):
        base = {"PATH": os.environ["PATH"], "HOME": "/nonexistent", "LC_ALL": "C.UTF-8", "TMPDIR": str(self.temporary)}
        for name in ("ASAN_OPTIONS", "UBSAN_OPTIONS", "LD_LIBRARY_PATH"):
            if name in os.environ:
                base[name] = os.environ[name]
        base.update(more or {})
        return base

    def arguments(self, argv, defaults=True, outdir=None):
        argv = [str(word) for word in argv]
        given = {word.split("=")[0] for word in argv}
        words = ["bench"]
        if defaults:
            for name, value in DEFAULTS.items():
                if name not in given and "--quick" not in given:
                    words += [name, value]
            if not given & {"-o", "--outdir"}:
                words += ["--outdir", str(outdir or self.outdir)]
        return words + argv

    def start(self, *argv, prefix=(), binary=None, env=None, defaults=True, outdir=None, stdio=None, **options):
        words = self.arguments(argv, defaults, outdir)
        for file in (self.stdout, self.stderr):
            file.truncate(0)
            file.seek(0)
        stdio = stdio or {"stdin": subprocess.DEVNULL, "stdout": self.stdout, "stderr": self.stderr}

        def popen():
            return subprocess.Popen([*prefix, str(binary or self.binary), *words], cwd=self.cwd,
                                    env=self.environment(env), start_new_session=True, **stdio, **options)

        return Running(self, words, pathlib.Path(outdir or self.outdir), popen)

    def __call__(self, *argv, timeout=90, **options):
        """Runs it to its end."""
        with self.start(*argv, **options) as running:
            return running.end(timeout)

    def plain(self, *argv, **options):
        """The program with exactly these words, no `bench` in front."""
        done = subprocess.run([self.binary, *argv], cwd=self.cwd, env=self.environment(None), stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, timeout=30, **options)
        return done.returncode, done.stdout, done.stderr


class Trace(Bench):
    """`iostrata trace` in the same surroundings. Its own words come first, as the program takes the rest."""

    def arguments(self, argv, defaults=True, outdir=None):
        words = ["trace", "--outdir", str(outdir or self.outdir)] if defaults else ["trace"]
        return words + [str(word) for word in argv]

    @contextlib.contextmanager
    def watching(self, *argv, **options):
        """A trace of something that goes on, once its probes are live."""
        with self.start(*argv, **options) as running:
            m.wait_until(lambda: re.search(r"^tracing ", self.text("stderr"), re.M) or running.process.poll() is not None,
                         60, lambda: f"live probes\n{running.outcome()}")
            assert running.process.poll() is None, running.outcome()
            yield running


def control_terminal():
    """In a new process: its standard input becomes the terminal that Ctrl-C and a hang-up come from."""
    fcntl.ioctl(0, termios.TIOCSCTTY, 0)


def on_terminal(bench, *argv, answers=(), timeout=60, env=None, stderr=None, **options):
    """
    Runs a bench whose three streams are a terminal, or all but stderr. `answers` are (pattern, line) pairs: each line
    is typed once its pattern has come up. Returns the outcome, with everything that was written to the terminal as its
    stdout.
    """
    ours, theirs = pty.openpty()
    answers, screen = list(answers), b""
    stdio = {"stdin": theirs, "stdout": theirs, "stderr": stderr or theirs}
    env = {"TERM": "xterm-256color", **(env or {})}

    with bench.start(*argv, stdio=stdio, env=env, preexec_fn=control_terminal, **options) as running:
        os.close(theirs)
        deadline = time.monotonic() + timeout
        try:
            while time.monotonic() < deadline:
                if not select.select([ours], [], [], 0.2)[0]:
                    continue
                try:
                    part = os.read(ours, 65536)
                except OSError:
                    break
                if not part:
                    break
                screen += part
                if answers and re.search(answers[0][0], screen.decode(errors="replace")):
                    os.write(ours, answers.pop(0)[1].encode() + b"\n")
        finally:
            with contextlib.suppress(OSError):
                os.close(ours)
        outcome = running.end(10)
        outcome.stdout = screen.decode(errors="replace")
        assert not answers, f"never asked for {answers}\n{outcome}"
        return outcome


def fake_fio(folder, body, version="fio-3.33"):
    """
    A program called fio. `body` is shell code that runs for anything but --version; there, $output is the file that
    the result belongs into, and $real the path of the real fio.
    """
    path = pathlib.Path(folder) / "fio"
    real = shutil.which("fio")
    path.write_text(f"""#!/bin/sh
real={real}
output=/dev/stdout
for word; do
	case "$word" in
	--version|-v) echo {version}; exit 0 ;;
	--output=*) output="${{word#--output=}}" ;;
	esac
done
{body}
""")
    path.chmod(0o755)
    return path


SIGNALS = {"SIGINT": (signal.SIGINT, 130), "SIGTERM": (signal.SIGTERM, 143), "SIGHUP": (signal.SIGHUP, 129)}
