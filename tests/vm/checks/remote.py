# SPDX-License-Identifier: GPL-2.0
"""
Round trips to a server, which is watched on the host: QEMU for 9p, virtiofsd for virtiofs. The requests that the guest
sent are the reads, writes and syncs that the server did, one by one; and each I/O has its round trip, by each engine.
"""

import re

import home
import machine
import results

MACHINE = machine.Machine(served=("9p", "virtiofs"), seconds=900)
ENGINES = {"libaio": "libaio", "io_uring": "io_uring", "psync": "system call"}
TESTS = 2

# By kind of file system: what a read, a write and a sync are called.
KINDS = {"9p": ("Tread", "Twrite", "Tfsync"), "virtiofs": ("FUSE_READ", "FUSE_WRITE", "FUSE_FSYNC")}
CALLS = ("pread", "pwrite", "f(?:data)?sync")


def server_did(out, kind, file):
    """How many of each of CALLS on that file."""
    lines = (out / f"{kind}.calls").read_text(errors="replace").splitlines()
    counts = []
    for call in CALLS:
        # "1234 preadv(25</srv/traced>, ..."; a call that others came in between goes on in a line of its own.
        pattern = re.compile(rf"^\d+ +{call}\w*\(\d+<[^>]*/{file}(?: \(deleted\))?>")
        counts.append(sum(bool(pattern.match(line)) for line in lines))
    return counts


def of_program(out, kind, say):
    folder = out / f"{kind}-trace"
    say(home.words(folder))
    yield home.status(folder) == 0, "the traced program ended well", home.words(folder)
    run = results.program(home.result(folder))
    trips = results.round_trips(run)
    sent = [trips.get(name, {"sent": 0})["sent"] for name in KINDS[kind]]
    did = server_did(out, kind, "traced")
    yield (sent == did and did[0] >= 100 and did[1] >= 16 and did[2] == 1,
           "reads, writes and syncs are what the server did", f"{sent} sent, {did} done")
    yield from answered(trips)


def answered(trips):
    rest = {kind: view for kind, view in trips.items() if view["sent"] != view["answered"] or view["lost"]}
    yield not rest, "each request is answered", str(rest)


def unseen_of(view, kind):
    """
    FUSE says that a request is finished before its tracepoint does: a thread that looks in between is back before the
    answer was seen. It is a named loss, of a few in thousands, and that of virtiofs alone.
    """
    unseen = results.ends(view).get(results.NOT_SEEN, 0)
    return unseen if kind == "virtiofs" and unseen <= max(3, view["called"] * 0.005) else 0


def of_op(view, figures, way, trips, unseen):
    ios = figures["ios"]
    joined = results.ends(view)["joined"]
    yield (view["called"] == ios > 0 and joined + unseen == sum(results.ends(view).values()) == ios,
           "all I/Os are the engine's, and joined", f"{ios} I/Os, {view['called']} called, ended {view['ends']}")
    yield results.ways(view) == {way: ios}, f"all are asked for by {way}", str(view["ways"])
    yield (figures["bytes"] - view["remote_bytes"] == unseen * figures["bytes"] // ios, "so are their bytes",
           f"{view['remote_bytes']}, {figures['bytes']}")
    yield trips["sent"] == ios, "each is one round trip", f"{trips['sent']} round trips, {ios} I/Os"
    total, parts = results.io_stage(view, "total")["sum"], results.parts(view)
    yield (sum(parts.values()) == total > 0 or (unseen and 0 < sum(parts.values()) < total),
           "the parts are the total to the nanosecond", f"{parts}, {total}")
    yield (results.io_stage(view, "remote")["count"] == joined and not parts["device"] and not parts["queue"],
           "its server is in place of a device", str(parts))


def of_bench(out, kind, engine):
    folder = out / f"{kind}-{engine}"
    yield home.done(folder), "it ended well", home.words(folder)
    if not home.done(folder):
        return
    runs = results.runs(home.result(folder))
    yield len(runs) == TESTS, "all tests were run", str(len(runs))
    for run in runs:
        trips = results.round_trips(run)
        for op, figures in results.directions(run).items():
            name = KINDS[kind][op == "write"]
            view = results.io_of(run, op)
            for passed, text, detail in of_op(view, figures, ENGINES[engine], trips[name], unseen_of(view, kind)):
                yield passed, f"{run['test']}, {op}: {text}", detail
        for passed, text, detail in answered(trips):
            yield passed, f"{run['test']}: {text}", detail
        for name in ("cache", "coverage", "ios", "identity"):
            yield results.check(run, name) == "passed", f"{run['test']}: check {name}", str(run["checks"])


def judge(out, say):
    for kind in KINDS:
        if not (out / f"{kind}-trace").exists():
            say(f"{kind}: not on this kernel")
            continue
        for passed, text, detail in of_program(out, kind, say):
            yield passed, f"{kind}: {text}", detail
        for engine in ENGINES:
            for passed, text, detail in of_bench(out, kind, engine):
                yield passed, f"{kind}, {engine}: {text}", detail
    yield (out / "9p-trace").exists(), "9p was measured", ""
