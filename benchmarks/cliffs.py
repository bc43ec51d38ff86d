#!/usr/bin/env python3
"""Where a check ends `unknown`: a map of all models, and histories with repeated values beside FPTLin.

usage: benchmarks/cliffs.py [MODEL …]    (make bench-cliffs)

Writes its own section of benchmarks/RESULTS.md and leaves the others alone. FPTLIN_BENCH names the program fptlin of Lee and Mathur
(https://github.com/focs-lab/fptlin), whose own time (-t) is taken; without it its columns are empty. The two take turns; of a run that
is long enough to be interrupted, the share of the time is taken in which it had a processor. PLUMB_CLIFFS_SECONDS is
the processor time for each check of the map, by default 10; PLUMB_CLIFFS_LENGTH the longest history in it, by default 1,000,000. After
PLUMB_CLIFFS_MINUTES no further row of the map is begun, and the rows that are missing are named. The whole map takes some two hours of
processor time: PLUMB_CLIFFS_JOURNAL names a file in which each cell is kept, so that a run that was ended goes on where it was; it is
for one build of plumb. With
PLUMB_CLIFFS_QUICK=1 all takes a quarter of an hour at most: 1 second, 10,000 operations, no more than 16 processes, and not the longest
of the histories beside FPTLin. Of models that are named, only the map is shown. Ends with status 1 if the two disagree on a verdict.
"""

import json
import os
import random
import signal
import sys
import tempfile
import time
from pathlib import Path

from measuring import MISSING, PLUMB, ROOT, Failure, generate, milliseconds, replace_part, run_measured, settings

RESULTS = ROOT / "benchmarks" / "RESULTS.md"
FPTLIN = os.environ.get("FPTLIN_BENCH")
QUICK = bool(os.environ.get("PLUMB_CLIFFS_QUICK"))
SECONDS = int(os.environ.get("PLUMB_CLIFFS_SECONDS", "1" if QUICK else "10"))
LONGEST = int(os.environ.get("PLUMB_CLIFFS_LENGTH", "10000" if QUICK else "1000000"))
MINUTES = float(os.environ.get("PLUMB_CLIFFS_MINUTES", "inf"))
JOURNAL = os.environ.get("PLUMB_CLIFFS_JOURNAL")
TRIES = 5
BUSY = os.getloadavg()[0] > os.cpu_count()
LONG = 5  # ms: what takes longer is interrupted where other work runs, and counts as long as it had a processor
PATIENCE = 120  # seconds for one run of FPTLin

COLLECTIONS = ["queue", "stack", "deque", "priority-queue", "multiset", "k-queue:2", "k-stack:2"]
OTHERS = ["register", "counter", "set", "map", "kv-append", "multi-register", "mutex", "semaphore"]
PROCESSES = [2, 4, 8, 16] if QUICK else [2, 4, 8, 16, 32]


class Object:
    """One of FPTLin's objects, run one operation at a time."""

    def __init__(self, kind):
        self.kind = kind
        self.held = [0] if kind == "register" else []
        self.permits = 0

    def call(self, rng, values):
        value = rng.randint(1, values)
        first = rng.random() < 0.5
        if self.kind == "register":
            return "cas", value
        if self.kind == "set":
            return rng.choice(["add", "remove", "contains"]), value
        return {"queue": ("enqueue", "dequeue"), "stack": ("push", "pop"), "priority-queue": ("insert", "extract_min"),
                "semaphore": ("release", "try_acquire")}[self.kind][0 if first else 1], value

    def apply(self, function, value):
        held = self.held
        if function in ("enqueue", "push", "insert"):
            held.append(value)
            return None
        if function in ("dequeue", "pop", "extract_min"):
            at = {"dequeue": 0, "pop": -1}.get(function, held.index(min(held)) if held else 0)
            return held.pop(at) if held else None
        if function == "cas":
            old, held[0] = held[0], value
            return old
        if function == "release":
            self.permits += 1
            return None
        if function == "try_acquire":
            got = self.permits > 0
            self.permits -= got
            return got
        present = value in held
        if function == "add" and not present:
            held.append(value)
        if function == "remove" and present:
            held.remove(value)
        return present if function != "add" else not present


def busy(kind, operations, processes, values, seed, spoiled):
    """A history in which every process always has an operation open; one late result is another in a spoiled one."""
    rng = random.Random(seed)
    thing = Object(kind)
    history, running = [], {}
    time = 0
    while len(history) < operations or running:
        for process in range(processes):
            if process not in running and len(history) < operations:
                function, value = thing.call(rng, values)
                running[process] = {"process": process, "f": function, "value": value, "call": time, "done": False}
                history.append(running[process])
                time += 1
        operation = running[rng.choice(sorted(running))]
        if not operation["done"]:
            operation["result"] = thing.apply(operation["f"], operation["value"])
            operation["done"] = True
        else:
            operation["return"] = time
            time += 1
            del running[operation["process"]]
    if spoiled:
        spoil(history[operations * 3 // 4:], values)
    return history


def spoil(late, values):
    for operation in late:
        result = operation["result"]
        if operation["f"] in ("dequeue", "pop", "extract_min", "cas") and result:
            operation["result"] = result % values + 1
            return
        if isinstance(result, bool):
            operation["result"] = not result
            return


# FPTLin's words. Its priority queue gives the largest value first.
WORDS = {"enqueue": "ENQ", "dequeue": "DEQ", "push": "PUSH", "pop": "POP", "insert": "INSERT", "extract_min": "POLL",
         "cas": "READ_MODIFY_WRITE", "add": "INSERT", "remove": "REMOVE", "contains": "CONTAINS", "release": "INCR",
         "try_acquire": "DECR"}
HEADS = {"priority-queue": "priorityqueue", "register": "rmw"}


def write_native(path, kind, history):
    with open(path, "w", encoding="utf-8") as out:
        initial = {"initial": 0} if kind in ("register", "semaphore") else {}
        out.write(json.dumps({"plumb": 1, "model": kind, **initial}) + "\n")
        for operation in history:
            function, value, result = operation["f"], operation["value"], operation["result"]
            args = {"cas": [result, value], "dequeue": [], "pop": [], "extract_min": [], "release": [],
                    "try_acquire": []}.get(function, [value])
            out.write(json.dumps({"process": operation["process"], "f": function, "args": args,
                                  "result": True if function == "cas" else result, "call": operation["call"],
                                  "return": operation["return"]}) + "\n")


def write_fptlin(path, kind, history, values):
    with open(path, "w", encoding="utf-8") as out:
        out.write(f"# {HEADS.get(kind, kind)}\n")
        for operation in history:
            function, value, result = operation["f"], operation["value"], operation["result"]
            if kind == "priority-queue":
                value, result = values + 1 - value, None if result is None else values + 1 - result
            shown = {"cas": f"{result} {value}", "release": "1"}.get(function)
            if shown is None and kind == "set":
                shown = f"{value} {int(result)}"
            if shown is None and function in ("dequeue", "pop", "extract_min"):
                shown = "-1" if result is None else str(result)
            if shown is None:
                shown = str(int(result)) if function == "try_acquire" else str(value)
            out.write(f"{operation['process']} {operation['call']} {operation['return']} {WORDS[function]} {shown}\n")


def run_timed(command, timeout):
    """Status, output, and what becomes of a time that was measured in it."""
    begun = time.monotonic()
    status, output, usage = run_measured(command, timeout)
    share = min(1.0, (usage.ru_utime + usage.ru_stime) / (time.monotonic() - begun))
    return status, output, lambda measured: measured * share if measured > LONG else measured


def ask_plumb(path, seconds):
    """Verdict, engine and the time of the check alone."""
    status, output, undisturbed = run_timed([PLUMB, "check", "--json", "--timeout", str(seconds), str(path)], 3 * seconds + 60)
    if status not in (0, 1, 3):
        raise Failure(f"plumb check {path}: status {status}\n{output[-1000:]}")
    verdict = json.loads(output.splitlines()[-1])
    verdict["elapsed_ms"] = undisturbed(verdict["elapsed_ms"])
    return verdict


def ask_fptlin(path):
    """Its verdict, and its own time; None if it did not end."""
    status, output, undisturbed = run_timed([FPTLIN, "-t", str(path)], PATIENCE)
    if status != 0:
        return None
    linearizable, seconds = output.split()[:2]
    return linearizable == "1", undisturbed(1000 * float(seconds))


def ask_in_turns(native, other):
    """The best of several answers of either."""
    ours, theirs = [], []
    while len(ours) < TRIES and (not ours or ours[-1]["elapsed_ms"] < 2000):
        ours.append(ask_plumb(native, 60))
        if other is not None and (not theirs or theirs[-1] is not None and theirs[-1][1] < 2000):
            theirs.append(ask_fptlin(other))
    return min(ours, key=lambda verdict: verdict["elapsed_ms"]), min(filter(None, theirs), key=lambda answer: answer[1], default=None)


ROWS = [("queue", n, k) for n, k in ((400, 4), (400, 6), (1600, 4), (1600, 6), (100_000, 4), (1_000_000, 4), (10_000, 8),
                                     (10_000, 12), (10_000, 16))] + [
        ("stack", 400, 4), ("stack", 10_000, 4), ("stack", 100_000, 4), ("priority-queue", 100_000, 4), ("register", 100_000, 4),
        ("set", 100_000, 4), ("semaphore", 100_000, 4)]
if QUICK:
    ROWS = [row for row in ROWS if row[1] <= 100_000 and row[2] <= 8]
ALONE = {("stack", 10_000), ("stack", 100_000), ("queue", 1_000_000), ("queue", 10_000)}  # of plumb alone: too much for FPTLin


def ratio_text(times):
    return f"1/{times:.1f}" if times < 10 else f"1/{times:,.0f}"


def repeated_values(folder):
    """Every process always busy, two values (three in a priority queue)."""
    table = ["| object | operations | processes | history | plumb | engine | FPTLin | ratio |", "|---|--:|--:|---|--:|---|--:|--:|"]
    for kind, operations, processes in ROWS:
        for spoiled in (False, True):
            values = 3 if kind == "priority-queue" else 2
            history = busy(kind, operations, processes, values, 1, spoiled)
            native, other = folder / "history.jsonl", folder / "history.log"
            write_native(native, kind, history)
            asked = FPTLIN and (kind, operations) not in ALONE
            if asked:
                write_fptlin(other, kind, history, values)
            verdict, theirs = ask_in_turns(native, other if asked else None)
            if theirs and verdict["verdict"] != "unknown" and theirs[0] != (verdict["verdict"] == "linearizable"):
                raise Failure(f"{kind}, {operations} operations, {processes} processes, spoiled {spoiled}: FPTLin says {theirs[0]}, "
                              f"plumb {verdict['verdict']}")
            shown = milliseconds(theirs[1]) if theirs else f"more than {PATIENCE} s" if asked else MISSING
            ratio = ratio_text(theirs[1] / verdict["elapsed_ms"]) if theirs else MISSING
            table.append(f"| {kind} | {operations:,} | {processes} | {verdict['verdict']} | {milliseconds(verdict['elapsed_ms'])} "
                         f"| {verdict['engine']} | {shown} | {ratio} |")
            print(table[-1], flush=True)
    return table


def seconds_to_decide(folder, model, operations, processes, kind):
    """Processor time for one history of this kind (are values repeated, is it spoiled, the share of pending operations); None: too much."""
    repeated, spoiled, pending = kind
    options = ["--model", model, "--operations", operations, "--processes", processes, "--overlap", 1, "--pending", pending]
    options += (["--repeat-values"] if repeated else []) + ["--values", 2 if repeated else operations]
    path = folder / "cliff.plumb"
    path.unlink(missing_ok=True)
    generate(folder, path.name, *options, *(["--spoil"] if spoiled else []), "--format", "binary")
    patience = 60 * SECONDS  # by the clock: the machine may be busy with other work
    command = ["prlimit", f"--cpu={SECONDS}:{SECONDS + 5}", PLUMB, "check", "--json", "--timeout", str(patience), "--model", model, str(path)]
    status, output, usage = run_measured(command, 2 * patience)
    if status not in (0, 1, 3, -signal.SIGXCPU):
        raise Failure(f"{' '.join(command)}: status {status}\n{output[-1000:]}")
    return usage.ru_utime + usage.ru_stime if status in (0, 1) else None


def decided_up_to(folder, model, kind, processes, most):
    """The longest history, of 100, 1,000 … `most` operations, that is decided in time; 0: none. From the shortest on, so that one at
    most is tried in vain; and none where ten times what the last one took, which was not cut short by a violation, is too much."""
    decided, operations = 0, 100
    while operations <= most:
        taken = seconds_to_decide(folder, model, operations, processes, kind)
        if taken is None:
            break
        decided, operations = operations, 10 * operations
        if not kind[1] and taken > 1.2 * SECONDS / 10:
            break
    return decided


class Map:
    """What is known of the map, also from earlier runs."""

    def __init__(self):
        self.cells = {}
        if JOURNAL and Path(JOURNAL).exists():
            for line in Path(JOURNAL).read_text(encoding="utf-8").splitlines():
                *cell, decided = json.loads(line)
                self.cells[tuple(cell)] = decided

    def has(self, model, kind):
        return all((model, *kind, processes, SECONDS, LONGEST) in self.cells for processes in PROCESSES)

    def row(self, folder, model, kind):
        """By number of processes. More of them do not make it easier: no longer histories are tried with them."""
        most, row = LONGEST, []
        for processes in PROCESSES:
            cell = (model, *kind, processes, SECONDS, LONGEST)
            if cell not in self.cells:
                self.cells[cell] = decided_up_to(folder, model, kind, processes, most)
                self.keep(cell)
            most = self.cells[cell]
            row.append(most)
        return row

    def keep(self, cell):
        if JOURNAL:
            with open(JOURNAL, "a", encoding="utf-8") as out:
                out.write(json.dumps([*cell, self.cells[cell]]) + "\n")


def kinds_of(model):
    repeats = (False, True) if model in COLLECTIONS + ["register", "map"] else (False,)
    return [(repeated, spoiled, pending) for repeated in repeats for pending in (0, 0.01) for spoiled in (False, True)]


def named(model, kind):
    repeated, spoiled, pending = kind
    return [model, "two" if repeated else "distinct", "1 %" if pending else "none", "spoiled" if spoiled else "good"]


def cliffs(folder, models):
    """A row per model and kind of history, a column per number of processes."""
    table = ["| model | values | pending | history | " + " | ".join(f"{p}" for p in PROCESSES) + " |", "|---|---|---|---|" + "--:|" * len(PROCESSES)]
    known = Map()
    begun = time.monotonic()
    missing = []
    for model, kind in ((model, kind) for model in models for kind in kinds_of(model)):
        if time.monotonic() - begun > 60 * MINUTES and not known.has(model, kind):
            missing.append(" ".join(named(model, kind)))
            continue
        shown = [f"{cell:,}" if cell < LONGEST else "all" for cell in known.row(folder, model, kind)]
        table.append("| " + " | ".join(named(model, kind) + shown) + " |")
        print(table[-1], flush=True)
    return [*table, "", f"Not measured, for want of time: {'; '.join(missing)}."] if missing else table


def main():
    models = sys.argv[1:]
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        if models:  # only these, and nothing is written down
            return cliffs(folder, models)
        beside = repeated_values(folder)
        every = cliffs(folder, COLLECTIONS + OTHERS)
    command = " ".join(["`make bench-cliffs`", *(f"with {s}" for s in settings("FPTLIN_BENCH", "PLUMB_CLIFFS_QUICK", "PLUMB_CLIFFS_MINUTES", "PLUMB_CLIFFS_JOURNAL"))])
    busy_with = f"The machine was busy with other work (load {os.getloadavg()[0]:.0f} on {os.cpu_count()} cores). " if BUSY else ""
    about_beside = ("Every process always has an operation open; two values (three in a priority queue); a spoiled history has one late result "
                    "changed, and may be linearizable all the same. The time is of the check alone, FPTLin's of its own clock; the two take turns, and the best of "
                    f"{TRIES} counts. Of more than {LONG} ms it is the share in which it had a processor.")
    return replace_part(RESULTS, "cliffs", "\n".join([
        "## Repeated values, and where a check does not end", "", f"{command}. {busy_with}{about_beside}", "", *beside, "",
        f"The longest history (100, 1,000, … {LONGEST:,} operations: *all*) of `plumb generate --overlap 1` that is decided within {SECONDS} s of processor time, by the number of "
        "processes that are always busy; 0: not even 100 operations.", "", *every]))


if __name__ == "__main__":
    try:
        main()
    except Failure as failure:
        print(f"cliffs: {failure}", file=sys.stderr)
        sys.exit(1)
