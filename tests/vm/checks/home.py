# SPDX-License-Identifier: GPL-2.0
"""What `bench` of guest/lib.sh brought home."""

import json


def status(folder):
    return int((folder / "status").read_text())


def words(folder):
    return (folder / "words").read_text(errors="replace")


def result(folder):
    (path,) = folder.glob("iostrata_*.json")
    return json.loads(path.read_text())
