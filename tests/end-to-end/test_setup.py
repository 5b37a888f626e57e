# SPDX-License-Identifier: GPL-2.0
"""tools/setup against package managers, compilers and distributions that only write down what they are asked for."""

import os
import pty
import shutil
import subprocess

import pytest

import machine as m
import program

DEBIAN = 'ID=debian\nVERSION_ID="12"\n'
UBUNTU = "ID=ubuntu\nID_LIKE=debian\n"
FEDORA = "ID=fedora\n"

# Each writes its name, user and arguments into $LOG; what is in $MISSING is not installed.
TOOLS = {
    "dpkg-query": 'case " $MISSING " in *" $4 "*) exit 1 ;; esac; echo installed',
    "rpm": 'case " $MISSING " in *" $4 "*) exit 1 ;; esac',
    "bpftool": 'case " $MISSING " in *" bpftool "*) exit 2 ;; esac; echo gen object',
    "apt-cache": 'echo "  Candidate: $CANDIDATE"',
    "apt-get": 'echo "apt-get $(id -u) $*" >>"$LOG"',
    "dnf": 'echo "dnf $(id -u) $*" >>"$LOG"',
    "make": 'echo "make $(id -u) $*" >>"$LOG"',
    "pkg-config": "true",
}


class Clone:
    """A clone that belongs to somebody else than root."""

    def __init__(self, folder):
        folder.chmod(0o755)
        self.top, self.log, self.bin = folder / "clone", folder / "log", folder / "bin"
        shutil.copytree(program.ROOT / "tools", self.top / "tools")
        (self.top / "build").mkdir()
        self.write(self.top / "build/iostrata", 'echo "iostrata $(id -u) $PWD $*" >>"$LOG"')
        m.command("chown", "-R", str(m.NOBODY), self.top)
        self.bin.mkdir()
        for name, text in TOOLS.items():
            self.write(self.bin / name, text)
        self.log.touch()
        self.log.chmod(0o666)
        self.release = folder / "os-release"
        self.environment = {"PATH": f"{self.bin}:{os.environ['PATH']}", "LOG": str(self.log), "CANDIDATE": "7.1"}

    @staticmethod
    def write(path, text):
        path.write_text(f"#!/bin/bash\n{text}\n")
        path.chmod(0o755)

    def setup(self, *argv, release=DEBIAN, missing="", user=0, stdin=subprocess.DEVNULL, **environment):
        """Exit status, what was printed, what was called."""
        self.release.write_text(release)
        self.log.write_text("")
        inside = """mount --bind "$0" /etc/os-release || exit 99
            for real in /usr/sbin/bpftool /usr/local/sbin/bpftool; do
                [ ! -e $real ] || mount --bind "$1/bpftool" $real || exit 99
            done
            exec setpriv --reuid "$2" --clear-groups "${@:3}" """
        done = subprocess.run(["unshare", "-m", "bash", "-c", inside, self.release, self.bin, str(user),
                               self.top / "tools/setup", *argv],
                              env={**self.environment, "MISSING": missing, **environment}, stdin=stdin, cwd="/",
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=60)
        return done.returncode, done.stdout, self.log.read_text().splitlines()

    def answer(self, text, **options):
        """The same on a terminal, with `text` typed."""
        ours, theirs = pty.openpty()
        try:
            os.write(ours, text.encode())
            return self.setup("build", stdin=theirs, **options)
        finally:
            os.close(ours)
            os.close(theirs)


@pytest.fixture
def clone(tmp_path):
    if os.geteuid():
        pytest.skip("needs root")
    for folder in list(tmp_path.parents)[:2]:
        folder.chmod(0o755)
    return Clone(tmp_path)


def names(calls):
    return [call.split()[0] for call in calls]


def test_nothing_is_installed_where_nothing_is_missing(clone):
    status, _, calls = clone.setup("build")
    assert status == 0
    assert names(calls) == ["make"]


def test_the_owner_of_the_clone_builds(clone):
    _, _, calls = clone.setup("build")
    assert calls[0].split()[1] == str(m.NOBODY)


def test_without_a_terminal_it_wants_yes(clone):
    status, output, calls = clone.setup("build", missing="clang libbpf-dev")
    assert status == 1
    assert "Missing packages: clang libbpf-dev" in output
    assert "--yes" in output
    assert calls == []


@pytest.mark.parametrize("options", [{"argv": ["--yes", "build"]}, {"argv": ["build", "--yes"]},
                                     {"argv": ["build"], "CI": "true"}])
def test_yes_installs_exactly_what_is_missing(clone, options):
    status, _, calls = clone.setup(*options.pop("argv"), missing="clang libbpf-dev", **options)
    assert status == 0
    assert names(calls) == ["apt-get", "apt-get", "make"]
    assert calls[0].endswith(" update")
    assert calls[1].endswith(" install -y --no-install-recommends clang libbpf-dev")


@pytest.mark.parametrize("typed, status", [("\n", 0), ("y\n", 0), ("n\n", 1), ("\x04", 1)])
def test_it_asks_on_a_terminal(clone, typed, status):
    got, _, calls = clone.answer(typed, missing="gcc")
    assert got == status
    assert ("apt-get" in names(calls)) == (status == 0)


@pytest.mark.parametrize("candidate, package", [("7.5", "bpftool"),
                                                ("(none)", "linux-tools-common linux-tools-generic")])
def test_bpftool_on_ubuntu(clone, candidate, package):
    """The one on PATH is there and refuses to run."""
    _, _, calls = clone.setup("build", "--yes", release=UBUNTU, missing="bpftool", CANDIDATE=candidate)
    assert calls[1].endswith(f" --no-install-recommends {package}")


def test_fedora(clone):
    status, output, calls = clone.setup("build", "--yes", release=FEDORA, missing="libbpf-devel")
    assert status == 0
    assert "untested" in output
    assert names(calls) == ["dnf", "make"]
    assert calls[0].endswith(" libbpf-devel")


def test_unknown_distribution_builds_with_what_is_there(clone):
    status, output, calls = clone.setup("build", release="ID=gentoo\n")
    assert status == 0
    assert "unknown distribution" in output and "libbpf-dev" in output
    assert names(calls) == ["make"]


def test_installing_as_a_user(clone):
    status, output, calls = clone.setup("bench", "--yes", missing="fio", user=m.NOBODY)
    assert status == 1
    assert "sudo tools/setup bench" in output
    assert calls == []


def test_the_tests_as_a_user(clone):
    status, output, calls = clone.setup("check", user=m.NOBODY)
    assert status == 1
    assert "sudo tools/setup check" in output
    assert calls == []


@pytest.mark.parametrize("given, run", [([], "."), (["-i", "3"], ". -i 3"), (["/tmp", "-i", "3"], "/tmp -i 3")])
def test_bench_measures_where_the_user_stands(clone, given, run):
    status, _, calls = clone.setup("bench", *given)
    assert status == 0
    assert calls[-1] == f"iostrata 0 / bench --quick {run}"


def test_a_libbpf_that_is_too_old(clone):
    clone.write(clone.bin / "pkg-config", '[ "$1" = --modversion ] && echo 0.5.0')
    status, output, calls = clone.setup("build")
    assert status == 1
    assert "libbpf 0.5.0 is too old" in output
    assert calls == []


@pytest.mark.parametrize("argv", [[], ["tests"], ["build", "everything"], ["--no"]])
def test_wrong_usage(clone, argv):
    status, output, calls = clone.setup(*argv)
    assert status == 2
    assert output.count("\n") == 1
    assert calls == []
