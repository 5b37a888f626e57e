# SPDX-License-Identifier: GPL-2.0
"""Bios at the head of NVMe multipath are the requests on its hidden paths, and their queue time is known."""

import home
import machine
import results

MACHINE = machine.Machine(disks=("nvme-multipath",))
PACKAGES = ()


def judge(out, _say):
    folder = out / "multipath"
    yield home.done(folder), "it ended well", home.words(folder)
    if home.status(folder):
        return
    for run in results.runs(home.result(folder)):
        op, figures = next(iter(results.directions(run).items()))
        head = run["trace"]["above"][0]["ops"][op]
        paths = [leaf["ops"][op] for leaf in run["trace"]["leaves"] if op in leaf["ops"]]
        ios = figures["ios"]
        for text, count in (("bios at the head", head["bios"]["queued"]), ("bios timed", head["completions"]),
                            ("bios with a queue time", head["stages"]["queue"]["count"]),
                            ("requests on the paths", sum(path["issues"] - path["requeues"] for path in paths)),
                            ("requests timed", sum(path["completions"] for path in paths))):
            yield count == ios > 0, f"{run['test']}: {text} are the engine's I/Os", f"{count}, {ios}"
