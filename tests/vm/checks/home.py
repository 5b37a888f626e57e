# SPDX-License-Identifier: GPL-2.0
"""What the checks' scripts find in their folder, and what `bench` of guest/lib.sh brought home."""

import json
import subprocess

import machine


def build(out, *names):
    """Programs of guest/, for the script."""
    for name in names:
        subprocess.run(["gcc", "-O2", "-Wall", "-Wextra", "-Werror", "-D_GNU_SOURCE", "-o", out / name,
                        machine.GUEST / f"{name}.c"], check=True)


def status(folder):
    return int((folder / "status").read_text())


def done(folder):
    """Every test was run to its end; 3: on a device that is no disk, such as null_blk, no number is real."""
    return status(folder) in (0, 3)


def words(folder):
    return (folder / "words").read_text(errors="replace")


def result(folder):
    (path,) = folder.glob("iostrata_*.json")
    return json.loads(path.read_text())
