# SPDX-License-Identifier: GPL-2.0
"""The one place that knows the keys of the result JSON."""

import json
import pathlib

SCHEMA = pathlib.Path(__file__).resolve().parents[1] / "result.schema.json"

NOT_SEEN = "completion not seen"


# Of several checks of one name (one per leaf and op), the one that matters most.
STATES = ["failed", "warning", "unknown", "passed", "not applicable"]


def validate(result):
    import jsonschema
    schema = json.loads(SCHEMA.read_text())
    jsonschema.Draft202012Validator.check_schema(schema)
    jsonschema.Draft202012Validator(schema).validate(result)


def runs(result):
    """Each with its test's name in place of the index."""
    return [{**run, "test": result["tests"][run["test"]]["name"]} for run in result["runs"]]


def states(result):
    return [run["state"] for run in result["runs"]]


def run_of(result, test):
    (run,) = [run for run in runs(result) if run["test"] == test]
    return run


def check(run, name):
    """The state of a check; None where it wasn't made."""
    found = [check["state"] for check in run.get("checks", []) if check["name"] == name]
    return min(found, key=STATES.index) if found else None


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


def queued(run, owner, op):
    """Bytes that the workload or others queued on the target's disk."""
    return run["trace"]["queued"].get(owner, {}).get(op, {}).get("bytes", 0)
