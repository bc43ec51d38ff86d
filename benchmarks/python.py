#!/usr/bin/env python3
"""What the package of Python costs: the same history checked by the command and from Python, given as a file, as columns, as operations;
recording; and models written in Python beside the built-in ones.

usage: benchmarks/python.py    (make bench-python)

Writes its own section of benchmarks/RESULTS.md. The best of seven attempts; the history is a queue's, a million operations.
"""

import array
import json
import os
import platform
import sys
import tempfile
import time
from pathlib import Path

from measuring import PLUMB, ROOT, Failure, machine, milliseconds, replace_part, start

sys.path.insert(0, str(ROOT / "build" / "python"))
RESULTS = ROOT / "benchmarks" / "RESULTS.md"
OPERATIONS = 1_000_000
RECORDED = 200_000
SEARCHED = 300
TRIES = 7


def best(work, tries=TRIES):
    """The shortest time of several, in milliseconds, and what came of the last one."""
    shortest = float("inf")
    for _ in range(tries):
        begun = time.perf_counter()
        result = work()
        shortest = min(shortest, (time.perf_counter() - begun) * 1000)
    return shortest, result


def linearizable(verdict):
    if not verdict:
        raise Failure(f"wrong: {verdict!r}")
    return verdict


def columns():
    """Two processes, one ahead of the other: what the first enqueues the second dequeues."""
    rows = range(OPERATIONS)
    whole = lambda values: array.array("q", values)
    return {"process": whole(i % 2 for i in rows), "f": array.array("b", (i % 2 for i in rows)), "functions": ["enqueue", "dequeue"],
            "args": whole(i // 2 for i in rows), "result": whole(i // 2 for i in rows), "call": whole(2 * i for i in rows),
            "ret": whole(2 * i + 3 for i in rows), "model": "queue"}


def by_the_command(path):
    status, output, _ = start([PLUMB, "check", "--json", str(path)])
    if status != 0:
        raise Failure(f"plumb check: status {status}\n{output}")
    return json.loads(output)


def checking(plumb, folder):
    given = columns()
    history = plumb.columns(**given)
    path = folder / "history.plumb"
    history.write(path)
    operations = [(op["process"], op["f"], op["args"], op.get("result"), op["call"], op["return"]) for op in (each.asdict() for each in history)]
    rows = [("`plumb check` of a binary file, whole", best(lambda: by_the_command(path))[0]),
            ("`plumb.check` of the same file", best(lambda: linearizable(plumb.check(path)))[0]),
            ("`plumb.check` of columns (`array`)", best(lambda: linearizable(plumb.check(plumb.columns(**given))))[0]),
            ("`plumb.check` of a list of tuples", best(lambda: linearizable(plumb.check(operations, "queue")))[0]),
            ("the check alone, of a `plumb.History`", best(lambda: linearizable(plumb.check(history)))[0])]
    return ["| a million operations of a queue | time |", "|---|--:|"] + [f"| {name} | {milliseconds(time)} |" for name, time in rows]


def recording(plumb):
    def record(recorder):
        for i in range(RECORDED):
            with recorder.operation("write", i):
                pass

    @(decorated := plumb.Recorder("register")).record
    def write(i):
        pass

    def call():
        for i in range(RECORDED):
            write(i)

    ways = [("`with recorder.operation(…)`, in memory", lambda: record(plumb.Recorder("register"))),
            ("a decorated function, in memory", call),
            ("`with recorder.operation(…)`, `watch=True`", lambda: record(plumb.Recorder("register", watch=True)))]
    rows = [(name, best(work, 3)[0] / RECORDED * 1000) for name, work in ways]
    return ["| recording | per operation |", "|---|--:|"] + [f"| {name} | {time:.1f} µs |" for name, time in rows]


def modelling(plumb):
    class Queue:
        def __init__(self):
            self.items = []

        def enqueue(self, value) -> None:
            self.items.append(value)

        def dequeue(self):
            return self.items.pop(0) if self.items else None

    def step(items, call):
        if call.f == "enqueue":
            return None, (*items, call.args[0])
        return (items[0], items[1:]) if items else (None, ())

    history = plumb.generate("queue", SEARCHED, distinct=False, seed=5)
    models = [("built in", "queue"), ("a class", Queue), ("a step", plumb.model(step, initial=()))]
    rows = [(name, best(lambda: linearizable(plumb.check(history, model, engine="wgl")), 3)[0]) for name, model in models]
    return [f"| {SEARCHED} operations of a queue, searched | time |", "|---|--:|"] + [f"| {name} | {milliseconds(time)} |" for name, time in rows]


def main():
    try:
        import plumb
    except ImportError:
        raise Failure("there is no package: 'make python' builds it") from None
    with tempfile.TemporaryDirectory() as folder:
        text = "\n".join(["## Python", "",
                          f"Written by `make bench-python`: the best of several attempts, Python {platform.python_version()}, on {machine()}, "
                          f"which had {os.getloadavg()[0]:.0f} processes at work on average.", "",
                          *checking(plumb, Path(folder)), "", *recording(plumb), "", *modelling(plumb)])
    replace_part(RESULTS, "python", text)
    print(text)


try:
    main()
except Failure as failure:
    sys.exit(f"bench-python: {failure}")
