# SPDX-License-Identifier: GPL-2.0
"""The one place that knows the keys of the result JSON."""

import collections
import json
import pathlib

TESTS = pathlib.Path(__file__).resolve().parents[1]
SCHEMA = TESTS / "result.schema.json"
DOCTOR_SCHEMA = TESTS / "doctor.schema.json"
SPLIT_SCHEMA = TESTS / "split.schema.json"

NOT_SEEN = "completion not seen"


# Of several checks of one name (one per leaf and op), the one that matters most.
STATES = ["failed", "warning", "unknown", "passed", "not applicable"]


def validate(result, path=SCHEMA):
    import jsonschema
    schema = json.loads(path.read_text())
    jsonschema.Draft202012Validator.check_schema(schema)
    jsonschema.Draft202012Validator(schema).validate(result)


def runs(result):
    """Each with its test's name in place of the index; a traced program's has no test."""
    names = [test["name"] for test in result["tests"]]
    return [{**run, "test": names[run["test"]]} if "test" in run else run for run in result["runs"]]


def states(result):
    return [run["state"] for run in result["runs"]]


def run_of(result, test):
    (run,) = [run for run in runs(result) if run.get("test") == test]
    return run


def program(result):
    """The only run of a traced program: without a test."""
    (run,) = result["runs"]
    assert "test" not in run and not result["tests"]
    return run


def status(run):
    """Of a traced program that ended, as a shell has it; None of what goes on."""
    return run.get("status")


def check(run, name):
    """The state of a check; None where it wasn't made."""
    found = [check["state"] for check in run.get("checks", []) if check["name"] == name]
    return min(found, key=STATES.index) if found else None


# --- whether it can be believed ---

Check = collections.namedtuple("Check", "name state found expected sentence")


def verdict(run):
    """REAL, SUSPECT, NOT REAL; None where too little is known."""
    return run.get("verdict")


def checks(run, *names):
    """Those of these names, or all, in their order."""
    return [Check(*(check.get(key) for key in Check._fields)) for check in run["checks"]
            if not names or check["name"] in names]


def alarms(run, *names):
    """Those of them that are a warning or failed."""
    return [check for check in checks(run, *names) if check.state in ("warning", "failed")]


# --- the floor ---


def floor(result):
    """(same, random, asked, reached) of the only target, each part None where it is absent; None without a floor."""
    (target,) = result["targets"]
    found = target.get("floor")
    return found and tuple(found.get(part) for part in ("same", "random", "asked", "reached"))


def no_floor(result):
    """Why there is none; None where there is one, or it was not asked for."""
    (target,) = result["targets"]
    return target.get("no_floor")


# --- the engine's side ---


def directions(run):
    """{"read": {...}, "write": {...}}, only those with I/O."""
    return {name: one for name, one in run["engine"]["directions"].items() if one["ios"]}


def total(run, key):
    return sum(one[key] for one in directions(run).values())


# --- the kernel's side ---

NOTHING = {"issues": 0, "requeues": 0, "issued_bytes": 0, "requeued_bytes": 0}


def views(run):
    """(leaf, op, view) of every op that was seen on a leaf."""
    return [(leaf["device"], op, view) for leaf in run["trace"]["leaves"] for op, view in leaf["ops"].items()]


def view_of(run, op):
    """What the only leaf saw of an op."""
    found = [view for _, name, view in views(run) if name == op]
    assert len(found) <= 1
    return found[0] if found else NOTHING


def started(view):
    return view["issues"] - view["requeues"]


def started_bytes(view):
    return view["issued_bytes"] - view["requeued_bytes"]


def losses(view):
    """By name, only those that there were."""
    return {name: count for name, count in view["losses"].items() if count}


def histogram(view):
    """The device stage: count, sum, max, and (lower bound, count) pairs."""
    return view["stages"]["device"]


def hops(view):
    """Of a SCSI disk: count, sum, ... by the name of the hop; those that were seen."""
    return view.get("hops", {})


def queued(run, owner, op):
    """Bytes that an owner (workload, others, writeback, journal) queued on the target's disk."""
    return run["trace"]["queued"].get(owner, {}).get(op, {}).get("bytes", 0)


# --- the program's I/Os ---

PARTS = ["submit", "queue", "device", "through", "remote", "sync", "unreaped", "deliver"]


def ios(run):
    """{"read": {...}, "write": {...}, "sync": {...}}, those that were seen; None where I/Os were not followed."""
    return run["trace"].get("ios")


def io_of(run, op):
    """The view of one kind of I/O: called, bytes, requests, ways, ends, notes, stages, ..."""
    return run["trace"]["ios"][op]


def ends(view):
    """How the I/Os of a view ended, by name, only those that there were."""
    return {name: count for name, count in view["ends"].items() if count}


def notes(view):
    """What happened to the I/Os of a view, by name, only what did."""
    return {name: count for name, count in view["notes"].items() if count}


def ways(view):
    """How the I/Os of a view were asked for, by name, only what was."""
    return {name: count for name, count in view["ways"].items() if count}


def balanced(view):
    """Whether every I/O that was called is accounted for."""
    return view["called"] == sum(view["ends"].values()) + view["in_flight_at_end"] + view["table_full"]


def io_stage(view, stage):
    """Count, sum, max and buckets of a stage of the I/Os of a view; None where no I/O had it."""
    return view["stages"].get(stage)


def mean(histogram):
    """ns; 0 of None and of an empty one."""
    return histogram["sum"] / histogram["count"] if histogram and histogram["count"] else 0


def parts(view):
    """{part: ns}, summed over all I/Os; those that none had are 0."""
    return {part: (io_stage(view, part) or {"sum": 0})["sum"] for part in PARTS}


Second = collections.namedtuple("Second", "start end bytes parts")


def io_seconds(view):
    """The I/Os of a view second by second; `parts` is {part: (I/Os, ns)}."""
    return [Second(one["from"], one["to"], one["bytes"],
                   {part: tuple(one[part]) for part in PARTS if part in one}) for one in view.get("seconds", [])]


def rows(view):
    """The table by latency, lowest first: (lowest ns, count, {part: ns})."""
    return [(row["from"], row["count"], row["sums"]) for row in view["rows"]]


def calls(run):
    """System calls by kind (read, write, fsync, ..., page fault), those that were seen."""
    return run["trace"]["calls"]


def call_of(run, kind):
    """calls, failed, direct, bytes and time of one kind; None where there was none."""
    return calls(run).get(kind)


def clocks(call):
    """ns in calls of a kind with I/O of a class in flight at the disk, by class; empty where there were none."""
    return call.get("clocks", {})


def call_bios(call, op):
    """(bios, bytes) that the threads queued in calls of a kind; op is read or write."""
    return call["bios"][op]["bios"], call["bios"][op]["bytes"]


def slowest(run):
    """The slowest I/Os whole, the slowest first."""
    return run["trace"]["slowest"]


def slow(run):
    """Those of --slow, in the order in which they ended."""
    return run["trace"]["slow"]


def slow_dropped(run):
    """How many more of those there were than there was room for."""
    return run["trace"]["slow_dropped"]


def between(record, start, end):
    """ns between two boundaries (S, Q, D, B, C, C', P, W, R) of an I/O; None where it lacks one."""
    boundaries = record["boundaries"]
    return boundaries[end] - boundaries[start] if start in boundaries and end in boundaries else None


def total_of(record):
    """ns from call to return."""
    return between(record, "S", "R")


def pauses(run):
    """Times in which the whole machine stood still, {"at", "length"}, ns since the recording began."""
    return run["conditions"]["heartbeat"]["pauses"]


def foreigners(run):
    """Who else was on the disk, most bytes first: {"command": ..., "kind": ..., "ops": {op: {"bios", "bytes"}}}."""
    return run["trace"]["foreigners"]


def foreigner(run, command):
    """The one of that name; None where there was none."""
    found = [one for one in foreigners(run) if one.get("command") == command]
    return found[0] if found else None


def foreign_bytes(one):
    """All that it moved."""
    return sum(op["bytes"] for op in one["ops"].values())


def hidden(run):
    """Why I/Os of libaio and io_uring can't be joined; None where they can."""
    return run["trace"].get("hidden")


# --- without a block device ---


def round_trips(run):
    """{kind: view} of the requests to a file system's server; those that the kernel sent for pages end with "*"."""
    return {view["kind"] + "*" * view.get("written_back", False): view for view in run["trace"].get("remote", [])}


def buffered(result):
    """Why the tests of each target went through the page cache; None where they did not."""
    return [target.get("buffered") for target in result["targets"]]


# --- of trace ---


def option(result, name):
    """What was asked for: duration, interval and slow_from in ns."""
    return result["options"].get(name)


def watched(result):
    """What -D named, or "all disks"; and the names of the devices that were watched."""
    (target,) = result["targets"]
    assert target["kind"] == "disks"
    return target["given"], [layer["name"] for layer in target["layers"]]


def command_of(run):
    """argv of the traced program; None where none was started."""
    return run.get("command")


def summarized(summary, op):
    """How many I/Os of one kind a summary (--json) tells the latency of."""
    assert summary["summary"] is True
    return summary["runs"][0]["trace"]["ios"][op]["stages"]["total"]["count"]


# --- the durability ledger ---


def sentence(run, name):
    """What the only check of that name says."""
    (found,) = [check["sentence"] for check in run["checks"] if check["name"] == name]
    return found


def synchronous(run):
    """(calls, bytes) of the synchronous writes."""
    writes = call_of(run, "write")
    return writes["synchronous"], writes["synchronous_bytes"]


def flushed(run, kind):
    """Calls of a kind in which a flush ended."""
    return call_of(run, kind).get("flushed", 0)


def asked(layer):
    """(flushes, FUA) that a layer's bios asked for."""
    bios = [view["bios"] for view in layer["ops"].values()]
    return sum(one["asked_flush"] for one in bios), sum(one["asked_fua"] for one in bios)


def reached(layer):
    """Bytes that were written by the time at which the program was told for the last time; None: not known."""
    return layer["ops"]["write"].get("reached_bytes") if "write" in layer["ops"] else 0


# --- what doctor found ---

Diagnosed = collections.namedtuple("Diagnosed", "name value source fitness detail problem cure")


def validate_diagnosis(report):
    """Its machine and targets are those of a result."""
    import jsonschema
    schema, result = (json.loads(path.read_text()) for path in (DOCTOR_SCHEMA, SCHEMA))
    jsonschema.Draft202012Validator.check_schema(schema)
    resolver = jsonschema.RefResolver("doctor.schema.json", schema, store={
        "doctor.schema.json": schema, "result.schema.json": result})
    jsonschema.Draft202012Validator(schema, resolver=resolver).validate(report)


def diagnosed(report, title):
    """What was found in a section, by name; each name is there once."""
    (section,) = [section for section in report["sections"] if section["title"] == title]
    found = [Diagnosed(*(finding.get(key) for key in Diagnosed._fields)) for finding in section["findings"]]
    assert len({one.name for one in found}) == len(found), f"names are not unique in {title}"
    return {one.name: one for one in found}


def sections(report):
    return [section["title"] for section in report["sections"]]


def problems(report):
    """(section, what was found) of everything that is wrong."""
    return [(title, one) for title in sections(report) for one in diagnosed(report, title).values() if one.problem]


def machine_of(report):
    return report["machine"]


def clues(report):
    """(source, value, what it speaks for) of everything that tells which machine it is."""
    return [(clue["source"], clue["value"], clue.get("says")) for clue in machine_of(report)["platform"]["clues"]]


def platform(report):
    """(key, certainty, container); None where it is not known."""
    return tuple(machine_of(report)["platform"].get(key) for key in ("key", "certainty", "container"))


def spreads(report):
    """p5, p50 and p99 of what the machine itself costs, by name."""
    return {name: (one["p5"], one["p50"], one["p99"]) for name, one in report.get("probes", {}).items()
            if name != "clock_step"}


def targets_of(report):
    return report["targets"]


def advice(report):
    return report["advice"]


# --- a guest's device time, divided by its host ---

SPLIT_PARTS = ["transport", "host_kernel", "host_device"]

Row = collections.namedtuple("Row", "test op overlap guest_requests host_ios host_bytes device refused parts")


def split_rows(comparison):
    """`parts` is {part: ns}, empty where the row is refused."""
    return [Row(*(row.get(key) for key in Row._fields[:-1]), {part: row[part] for part in SPLIT_PARTS if part in row})
            for row in comparison["rows"]]


def obstacle(comparison):
    """Why nothing can be compared; None where something can."""
    return comparison.get("obstacle")
