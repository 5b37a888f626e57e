# SPDX-License-Identifier: GPL-2.0
"""Wrong words, wrong targets, a wrong fio: one clear line each, the right exit status, nothing left behind."""

import errno
import os
import re

import pytest

import machine as m
from program import assert_refused, fake_fio
from results import runs, states

READ, WRITE, ANOTHER = "RND4K-Q1T1-Read", "RND4K-Q1T1-Write", "SEQ1M-Q8T1-Read"


# --- words ---


@pytest.mark.parametrize("arguments, named", [
    (["--frobnicate"], "--frobnicate"),
    (["-Z"], "-Z"),
    (["--size", "12parsecs"], "12parsecs"),
    (["--size", ""], "--size"),
    (["--size", "0"], "--size"),
    (["--size", "-1G"], "-1G"),
    (["--size", "99999999999999999999G"], "--size"),
    (["--size-gb", "many"], "many"),
    (["--size"], "--size"),
    (["--duration", "0"], "--duration"),
    (["--duration", "soon"], "soon"),
    (["--duration", "-5"], "-5"),
    (["--warmup", "later"], "later"),
    (["--iterations", "0"], "--iterations"),
    (["--iterations", "1.5"], "1.5"),
    (["--tests", "RND4K-Q1T1-Append"], "RND4K-Q1T1-Append"),
    (["--tests", f"{READ},SEQ1M-Q0T1-Read"], "SEQ1M-Q0T1-Read"),
    (["--tests", "RND4K-Q1T1-Mix170"], "RND4K-Q1T1-Mix170"),
    (["--tests", ""], "--tests"),
    (["--latency", "slat"], "slat"),
    (["--engine", "dd"], "dd"),
    (["--json=yes"], "--json"),
])
def test_bad_option(bench, filesystem, arguments, named):
    given = arguments[0]
    # The defaults of the other options, then the wrong one at the end.
    defaults = [word for pair in {"--size": "32M", "--duration": "1", "--warmup": "0"}.items() if pair[0] != given
                for word in pair]
    assert_refused(bench("--outdir", bench.outdir, filesystem, *defaults, *arguments, defaults=False), named)


def test_no_target(bench):
    assert_refused(bench(), "target")


@pytest.mark.parametrize("words, named", [([], "command"), (["frobnicate"], "frobnicate"), (["--frobnicate"],
                                                                                            "--frobnicate")])
def test_unknown_command(bench, words, named):
    status, stdout, stderr = bench.plain(*words)
    assert status == 2 and not stdout and named in stderr, (status, stdout, stderr)


@pytest.mark.parametrize("words", [["-h"], ["--help"], ["bench", "-h"], ["bench", "--help"]])
def test_help_goes_to_stdout(bench, words):
    status, stdout, stderr = bench.plain(*words)
    assert status == 0 and not stderr and "bench" in stdout
    assert all(len(line) <= 120 for line in stdout.splitlines())


def test_bench_help_names_every_option(bench):
    _, stdout, _ = bench.plain("bench", "--help")
    for option in ("--targets --config --size-gb --size --duration --warmup --iterations --tests --quick --engine "
                   "--ioengine --fio-path --thread --latency --write-through --no-trace --read-only --destroy-data "
                   "--yes --outdir --json --help").split():
        assert option in stdout, option


def test_version(bench):
    status, stdout, stderr = bench.plain("--version")
    assert status == 0 and re.fullmatch(r"iostrata \S+\n", stdout) and not stderr


# --- targets ---


def test_missing_directory(bench, filesystem):
    assert_refused(bench(filesystem / "no" / "such" / "file"), filesystem / "no" / "such", "no such directory")


def test_missing_device(bench):
    """A slip of the pen in a device's name must not make a test file in /dev, which is memory."""
    assert_refused(bench("/dev/no-such-disk", "--tests", READ), "/dev/no-such-disk")


def test_character_device(bench):
    assert_refused(bench("/dev/null"), "/dev/null")


def test_same_device_twice(bench, device):
    assert_refused(bench(device, device), device)


def test_read_only_file_system(bench, machine):
    device = machine.loop(64 << 20)
    point = machine.ext4(device, "-o", "ro")
    assert_refused(bench(point), point, os.strerror(errno.EROFS))


def largest_size(message, refused):
    """The size that a message offers: the last one in it that isn't what was asked for."""
    sizes = re.findall(r"\d+(?:\.\d+)? ?[KMGT]i?B?\b", message.replace(refused, ""))
    assert sizes, f"no size in {message!r}"
    return sizes[-1].replace(" ", "")


def test_full_file_system(bench, machine):
    """The size that the message offers does fit."""
    point = machine.ext4(machine.loop(64 << 20))
    outcome = bench(point, "--size", "64M")
    assert_refused(outcome, point)
    offered = largest_size(outcome.stderr, "64 MiB")
    outcome = bench(point, "--size", offered, "--tests", READ)
    assert outcome.done, outcome


def test_full_to_the_last_byte(bench, filesystem):
    room = os.statvfs(filesystem)
    with open(filesystem / "ballast", "wb") as file:
        os.posix_fallocate(file.fileno(), 0, room.f_bavail * room.f_frsize - (64 << 10))
    assert_refused(bench(filesystem), filesystem)


def test_file_exists(bench, filesystem):
    file = filesystem / "precious"
    file.write_text("precious")
    assert_refused(bench(file), file, "exist")
    assert file.read_text() == "precious"


def test_own_name_exists(bench, filesystem):
    file = filesystem / "iostrata.test"
    file.write_text("precious")
    assert_refused(bench(filesystem), filesystem, "iostrata.test", "exist")
    assert file.read_text() == "precious"


def test_symlink_as_target(bench, filesystem, machine):
    """Where the link leads to must stay as it is."""
    file = machine.directory() / "precious"
    file.write_text("precious")
    (filesystem / "link").symlink_to(file)
    assert_refused(bench(filesystem / "link"), filesystem / "link")
    assert file.read_text() == "precious"


@pytest.mark.parametrize("name", ["link", "iostrata.test"])
def test_dangling_symlink_in_the_way(bench, filesystem, machine, name):
    """It isn't followed: no file comes into being where it leads to."""
    elsewhere = machine.directory() / "elsewhere"
    (filesystem / name).symlink_to(elsewhere)
    assert_refused(bench(filesystem / "link" if name == "link" else filesystem), filesystem, name)
    assert not elsewhere.exists() and (filesystem / name).is_symlink()


def test_symlink_to_a_directory_is_a_directory(bench, filesystem, machine):
    link = machine.directory() / "link"
    link.symlink_to(filesystem)
    outcome = bench(link, "--tests", READ)
    assert outcome.done and states(outcome.result) == ["done"], outcome


def test_file_system_without_block_device(bench, machine):
    """tmpfs has no device to trace and no direct I/O before 6.6: it is measured or refused, but never half done."""
    point = machine.tmpfs("128m")
    outcome = bench(point, "--tests", READ)
    if outcome.status == 2:
        assert_refused(outcome, point)
    else:
        assert outcome.done and states(outcome.result) == ["done"], outcome


def kernel_knows(filesystem):
    known = open("/proc/filesystems").read().split()
    return filesystem in known or any(os.path.exists(f"/lib/modules/{os.uname().release}/kernel/fs/fat/vfat.ko{suffix}")
                                      for suffix in ("", ".xz", ".zst", ".gz"))


def test_fat_has_no_files_of_4_gib(bench, machine):
    if not kernel_knows("vfat"):
        pytest.skip("absent: this kernel has no vfat")
    m.need("mkfs.vfat")
    device = machine.loop(5 << 30)
    m.command("mkfs.vfat", "-F", "32", device.path)
    point = machine.mount("-t", "vfat", device.path)
    outcome = bench(point, "--size", "4G")
    assert_refused(outcome, point, "4")
    assert "FAT" in outcome.stderr or "vfat" in outcome.stderr, outcome


def test_sparse_image_without_room_behind_it(bench, machine):
    """The file system on the image has the room, its host hasn't, and the host's free space is named."""
    host = machine.tmpfs("32m")
    point = machine.ext4(machine.loop(256 << 20, folder=host))
    outcome = bench(point, "--size", "128M")
    assert_refused(outcome, point)
    room = os.statvfs(host)
    free = room.f_bavail * room.f_frsize >> 20
    offered = largest_size(outcome.stderr, "128 MiB")
    assert re.fullmatch(r"[\d.]+M", offered) and free - max(3, free * 0.15) <= float(offered[:-1]) <= free, \
        f"{free} MiB are free\n{outcome}"


def test_one_bad_target_among_two(bench, filesystem):
    """All targets are checked before anything starts: the good one sees no write."""
    before = os.statvfs(filesystem)
    assert_refused(bench(filesystem, "/no/such/place/at/all"), "/no/such/place/at/all")
    assert os.statvfs(filesystem).f_bfree == before.f_bfree


def test_sparse_device_without_room_behind_it(bench, machine):
    """The same of a raw device: it can't take what the host can't hold."""
    host = machine.tmpfs("32m")
    device = machine.loop(256 << 20, folder=host)
    outcome = bench(device, "--size", "128M", "--tests", WRITE, "--destroy-data", device, "--yes")
    assert_refused(outcome, device)
    assert os.statvfs(host).f_bfree


def test_two_that_share_too_little_room(bench, machine):
    """Each fits alone. The second is refused, or fails with a reason, and the first is kept."""
    host = machine.tmpfs("64m")
    one, two = (machine.ext4(machine.loop(64 << 20, folder=host)) for _ in range(2))
    room = os.statvfs(host)
    size = (room.f_bavail * room.f_frsize >> 20) * 2 // 3
    outcome = bench(one, two, "--size", f"{size}M", "--tests", READ)
    assert outcome.status in (2, 5), outcome
    if outcome.status == 5:
        assert states(outcome.result) == ["done", "failed"], outcome
        assert runs(outcome.result)[1]["reason"] in outcome.stdout + outcome.stderr, outcome


def test_limit_on_file_sizes(bench, filesystem):
    """As ulimit -f sets: the test file can't be written, and isn't left behind half."""
    m.need("prlimit")
    outcome = bench(filesystem, "--tests", READ, prefix=("prlimit", f"--fsize={8 << 20}"))
    assert outcome.status in (1, 2, 5), outcome
    assert os.strerror(errno.EFBIG) in outcome.stderr, outcome


@pytest.mark.parametrize("kind", ["directory", "file"])
def test_target_with_odd_characters(bench, filesystem, kind):
    """fio would split such a name at the colon, and the comma is also what --targets is split at."""
    odd = filesystem / "a:b\\c,d e"
    if kind == "directory":
        odd.mkdir()
    outcome = bench(odd, "--tests", WRITE)
    assert outcome.done and states(outcome.result) == ["done"], outcome
    assert [row["Drive"] for row in outcome.rows] == [str(odd)]


def test_name_that_commands_the_terminal(bench, filesystem):
    """It is shown, but not obeyed."""
    evil = filesystem / "evil\x1b[31m\rname"
    evil.mkdir()
    outcome = bench(evil, "--tests", READ)
    assert outcome.done, outcome
    assert "\x1b" not in outcome.stdout + outcome.stderr and "\r" not in outcome.stdout + outcome.stderr
    assert_refused(bench(evil / "a" / "b"), "evil")


@pytest.mark.parametrize("name", [".", "testfile"])
def test_relative_name(bench, machine, name):
    point = machine.ext4(machine.loop(64 << 20))
    os.rmdir(point / "lost+found")
    m.command("mount", "--bind", point, bench.cwd)
    machine.stack.callback(m.command, "umount", bench.cwd)
    outcome = bench(name, "--tests", READ)
    assert outcome.done and outcome.rows[0]["Drive"] == name, outcome
    assert outcome.result["targets"][0]["path"].startswith(f"{bench.cwd}")


# --- the output directory ---


def fill(folder):
    """To the last byte."""
    with open(folder / "ballast", "wb", buffering=0) as file, pytest.raises(OSError):
        while True:
            file.write(b"x" * 4096)


def test_outdir_missing(bench, filesystem):
    missing = bench.folder / "missing"
    assert_refused(bench(filesystem, outdir=missing), missing, "No such file or directory")
    assert not missing.exists()


def test_outdir_is_a_file(bench, filesystem):
    file = bench.folder / "file"
    file.write_text("precious")
    assert_refused(bench(filesystem, outdir=file), file, "Not a directory")
    assert file.read_text() == "precious"


def test_outdir_read_only(bench, filesystem, machine):
    point = machine.tmpfs("1m")
    m.command("mount", "-o", "remount,ro", point)
    assert_refused(bench(filesystem, outdir=point), point, os.strerror(errno.EROFS))


def test_outdir_full(bench, device, machine):
    """What was measured is still on the screen."""
    point = machine.tmpfs("64k")
    fill(point)
    outcome = bench(device, "--tests", READ, outdir=point)
    assert outcome.status == 1, outcome
    assert os.strerror(errno.ENOSPC) in outcome.stderr and str(point) in outcome.stderr, outcome
    assert os.listdir(point) == ["ballast"]
    assert READ in outcome.stdout or not outcome.stdout, outcome


# --- fio ---


def test_fio_missing(bench, filesystem):
    assert_refused(bench(filesystem, "--fio-path", "/nonexistent/fio"), "/nonexistent/fio", status=1)


def test_fio_not_in_path(bench, filesystem):
    outcome = bench(filesystem, env={"PATH": "/nonexistent"})
    assert_refused(outcome, "fio", status=1)
    assert "install" in outcome.stderr, outcome


def test_fio_path_is_a_directory(bench, filesystem):
    assert_refused(bench(filesystem, "--fio-path", bench.cwd), bench.cwd, status=1)


def test_fio_too_old(bench, filesystem):
    fio = fake_fio(bench.folder, "exit 99", version="fio-3.1")
    assert_refused(bench(filesystem, "--fio-path", fio), "3.1", status=1)


def test_fio_too_old_for_an_option(bench, device):
    """sync=dsync came with 3.24; without --write-through the same fio will do."""
    fio = fake_fio(bench.folder, 'exec "$real" "$@"', version="fio-3.23")
    outcome = bench(device, "--fio-path", fio, "--write-through")
    assert_refused(outcome, "3.23", "3.24", status=1)
    assert "--write-through" in outcome.stderr, outcome
    outcome = bench(device, "--fio-path", fio, "--tests", READ)
    assert outcome.done, outcome


def test_not_fio_at_all(bench, filesystem):
    assert_refused(bench(filesystem, "--fio-path", "/bin/true"), "/bin/true", status=1)


@pytest.mark.parametrize("body, said", [
    ('echo "bananas" > "$output"', None),
    ('printf \'{ "fio version": "fio-3.33", "jobs": [ {\' > "$output"', None),
    ("echo '{}' > \"$output\"", None),
    (": > \"$output\"", None),
    ('echo "disk on fire" >&2; exit 3', "disk on fire"),
    ("kill -SEGV $$", "SEGV"),
], ids=["garbage", "truncated", "empty object", "nothing", "exit 3", "SEGV"])
def test_fio_fails(bench, device, body, said):
    """Every test gets a record with the reason, and a row without figures."""
    outcome = bench(device, "--fio-path", fake_fio(bench.folder, body), "--tests", f"{READ},{ANOTHER}")
    assert outcome.status == 5, outcome
    assert states(outcome.result) == ["failed", "failed"]
    for run in runs(outcome.result):
        assert run["reason"] and "\n" not in run["reason"]
        assert not said or said in run["reason"], run["reason"]
        assert run["reason"] in outcome.stdout + outcome.stderr, outcome
    assert [(row["Test"], row["MBps"], row["IOPS"], row["AvgLat_ms"]) for row in outcome.rows] == \
        [(READ, "", "", ""), (ANOTHER, "", "", "")]


def test_fio_fails_with_a_result(bench, device):
    """A complete JSON doesn't make a failed fio a good one."""
    fio = fake_fio(bench.folder, '"$real" "$@"; exit 1')
    outcome = bench(device, "--fio-path", fio, "--tests", READ)
    assert outcome.status == 5 and states(outcome.result) == ["failed"], outcome


def test_fio_talks_before_its_json(bench, device):
    """The series' script broke on this."""
    fio = fake_fio(bench.folder, '''
"$real" "$@" || exit
json=$(cat "$output")
{ echo "fio: this is a note"; printf "%s\\n" "$json"; } > "$output"''')
    outcome = bench(device, "--fio-path", fio, "--tests", READ)
    assert outcome.done and states(outcome.result) == ["done"], outcome


def test_fio_option_refused(bench, device):
    """fio's own words reach the user."""
    outcome = bench(device, "--ioengine", "nonesuch", "--tests", READ)
    assert outcome.status in (1, 2, 5), outcome
    assert "nonesuch" in outcome.stdout + outcome.stderr, outcome


def test_fio_killed(bench, device):
    """The test it was at fails and names the signal; the next ones run, without a job of its in the background."""
    with bench.start(device, "--tests", f"RND4K-Q32T16-Read,{ANOTHER}", "--duration", "1") as running:
        m.kill_all([running.fio("randread")])
        outcome = running.end()
    assert outcome.status == 5, outcome
    assert states(outcome.result) == ["failed", "done"]
    assert re.search(r"SIGKILL|signal 9|Killed", runs(outcome.result)[0]["reason"]), outcome
    assert [row["IOPS"] != "" for row in outcome.rows] == [False, True]


def test_fio_job_killed(bench, device):
    """One of its processes: fio says so in its result, and the run can't be good."""
    with bench.start(device, "--tests", "RND4K-Q32T16-Read", "--duration", "2") as running:
        m.kill_all(m.children(running.fio())[:1])
        outcome = running.end()
    assert outcome.status == 5 and states(outcome.result) == ["failed"], outcome
