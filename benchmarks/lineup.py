#!/usr/bin/env python3
"""The evaluation of the Line-Up paper in C++: writes its own sections of benchmarks/RESULTS.md.

usage: benchmarks/lineup.py [--scenarios N] [--of-libraries N] [--only TEXT] [--seconds S] [--output FILE]

Each scenario is a run of its own, by its seed: three threads with three operations each, at most two preemptions, one core
for each scenario, as in the paper's table 2. The first that fails is made smaller. What is not decided within the seconds counts as
unknown. The programs are those of examples/subjects; SUBJECTS names their folder unless it is
build/examples/subjects.
"""

import argparse
import datetime
import json
import os
import statistics
import sys
import time
from dataclasses import dataclass, field
from multiprocessing.pool import ThreadPool
from pathlib import Path

from measuring import MISSING, ROOT, Failure, milliseconds, replace_part, run_measured

SUBJECTS = Path(os.environ.get("SUBJECTS", ROOT / "build" / "examples" / "subjects"))
PAPER = "Line-Up: the classes of the paper (3x3, at most two preemptions, one core)"
MINIMISED = 3  # of the failing scenarios of a class
LIBRARIES = "Line-Up: libraries as they come (3x3, at most two preemptions, one core)"


@dataclass
class Row:
    program: str
    test: str
    paper: str = ""  # the row of the paper's table 2
    phase1: str = MISSING  # there: seconds on average
    phase2: str = MISSING  # there: minutes, passing and failing
    runs: list = field(default_factory=list)
    smallest: str = MISSING  # failing test


PAPER_ROWS = [
    Row("lazy", "CorrectLazy", "Lazy Initialization", "0.07 s", "9.7"),
    Row("lazy", "MadeTwiceLazy"),
    Row("manual_reset_event", "DoubleReadEvent", "ManualResetEvent (Pre), A", "3.31 s", "12.9, 19.9"),
    Row("manual_reset_event", "CorrectEvent", "ManualResetEvent", "0.07 s", "170.5"),
    Row("semaphore", "CorrectSemaphore", "SemaphoreSlim", "3.91 s", "18.1 (bound 1)"),
    Row("semaphore", "WakesOneSemaphore"),
    Row("countdown_event", "CorrectCountdown", "CountdownEvent", "1.20 s", "6.3"),
    Row("countdown_event", "LostSignalCountdown"),
    Row("dictionary", "CorrectDictionary", "ConcurrentDictionary", "7.02 s", "6.8 (bound 1)"),
    Row("dictionary", "CountsInPartsDictionary"),
    Row("queue", "TimeOutQueue", "ConcurrentQueue (Pre), B", "6.00 s", "33.8, 5.7"),
    Row("queue", "CorrectQueue", "ConcurrentQueue", "6.37 s", "33.7"),
    Row("lock_free_queue", "CorrectLockFreeQueue"),
    Row("lock_free_queue", "LostNodeQueue"),
    Row("linked_list", "LostRemovalList", "ConcurrentLinkedList (Pre), C", "8.54 s", "5.8, 2.0 (bound 1)"),
    Row("linked_list", "CorrectList"),
    Row("stack", "CorrectStack", "ConcurrentStack", "3.49 s", "1.3"),
    Row("stack", "OneByOneStack"),
    Row("blocking_collection", "WakesNobodyCollection", "BlockingCollection (Pre), D", "4.09 s", "109.6, 47.4"),
    Row("blocking_collection", "LateCountCollection", "BlockingCollection, H", "0.07 s", "205.3, 68.7"),
    Row("blocking_collection", "GivesUpCollection", "BlockingCollection, I", "0.07 s", "205.3, 68.7"),
    Row("blocking_collection", "LateCompletionCollection", "BlockingCollection, K", "0.07 s", "205.3, 68.7"),
    Row("blocking_collection", "CorrectCollection"),
    Row("bag", "SkipsBusyBag", "ConcurrentBag (Pre), E", "4.18 s", "1.7, 0.4 (bound 1)"),
    Row("bag", "AnyItemBag", "ConcurrentBag, J", "4.05 s", "0.6, 3.2"),
    Row("bag", "CorrectBag"),
    Row("promise", "SetTwicePromise", "TaskCompletionSource (Pre), F", "7.30 s", "32.9, 9.4"),
    Row("promise", "DoneTooEarlyPromise", "TaskCompletionSource, G", "5.98 s", "53.3, 3.7"),
    Row("promise", "CorrectPromise"),
    Row("cancellation", "CorrectCancellation", "CancellationTokenSource", "4.49 s", "9.6"),
    Row("cancellation", "NeverRunsCancellation"),
    Row("barrier", "Barrier", "Barrier, L", "4.10 s", "7.0, 1.5"),
]
LIBRARY_ROWS = [
    *(Row("std_primitives", test) for test in ("StdSemaphore", "StdLatch", "StdAtomicFlag", "StdPromise", "StdStopSource")),
    *(Row("boost_lockfree", test) for test in ("BoostQueue", "BoostStack", "BoostSpscQueue", "TwoProducersSpsc")),
    *(Row("tbb_containers", f"Tbb{test}") for test in ("Queue", "BoundedQueue", "HashMap", "UnorderedMap", "MapWithSize")),
    Row("moodycamel_queue", "MoodycamelQueue"),
    *(Row("cds_queues", test) for test in ("CdsRwQueue", "CdsVyukovQueue")),
    Row("ck_structures", "CkStack"),
]


def run_scenario(program, test, seed, seconds, *more):
    """What the test says of one scenario. Times become processor time, so that whatever else the machine does counts little."""
    command = [program, "--filter", test, "--json", "--samples", "1", "--jobs", "1", "--seed", str(seed), "--timeout",
               str(seconds), *more]
    begin = time.monotonic()
    status, output, usage = run_measured(command, seconds + 600)
    if status not in (0, 1, 3):
        raise Failure(f"{' '.join(command)}: status {status}\n{output}")
    found = json.loads(output)
    share = min(1, (usage.ru_utime + usage.ru_stime) / (time.monotonic() - begin))
    for phase in ("serial_ms", "concurrent_ms"):
        found[phase] *= share
    return found


def measure(row, options):
    program = SUBJECTS / f"subject_{row.program}"
    if not program.exists():
        print(f"bench: {row.test} is left out: there is no {program}", file=sys.stderr)
        return
    scenarios = options.scenarios if row in PAPER_ROWS else options.of_libraries
    with ThreadPool(os.cpu_count()) as pool:
        row.runs = pool.map(lambda seed: run_scenario(str(program), row.test, seed, options.seconds, "--no-minimise"),
                            range(1, scenarios + 1), chunksize=1)
    row.smallest = smallest([run_scenario(str(program), row.test, seed, options.seconds)
                             for seed in failing_seeds(row)[:MINIMISED]])
    print(f"bench: {row.test}: {passed_and_failed(row)}", file=sys.stderr)


def of(row, verdict):
    return [run for run in row.runs if run["verdict"] == verdict]


def passed_and_failed(row):
    left = len(of(row, "unknown"))
    return f"{len(of(row, 'pass'))}, {len(of(row, 'violation'))}" + (f" (unknown: {left})" if left else "")


def average(runs, key):
    return milliseconds(statistics.mean(run[key] for run in runs)) if runs else MISSING


def failing_seeds(row):
    return [seed for seed, run in enumerate(row.runs, 1) if run["verdict"] == "violation"]


def smallest(runs):
    """Dimension, kind and scenario of the smallest of the failing tests."""
    def size(run):
        return sum(map(len, run["scenario"])), len(run["scenario"])

    failed = [run for run in runs if run.get("scenario")]
    if not failed:
        return MISSING
    run = min(failed, key=size)
    threads = run["scenario"]
    text = " \\| ".join(" ".join(thread) for thread in threads)
    return f"{len(threads)}x{max(map(len, threads))} {run['kind']}: `{text}`"


def line(row):
    serial = [run["serial_histories"] for run in row.runs]
    return [
        row.test, row.smallest, f"{statistics.mean(serial):.0f}, {max(serial)}", average(row.runs, "serial_ms"),
        passed_and_failed(row), average(of(row, "pass"), "concurrent_ms"), average(of(row, "violation"), "concurrent_ms"),
    ]


def table(head, lines):
    return "\n".join("| " + " | ".join(cells) + " |" for cells in [head, ["---"] * len(head), *lines])


def sections(options, load):
    head = ["class", "smallest failing test", "serial histories: average, most", "phase 1", "passed, failed",
            "phase 2, passing", "phase 2, failing"]
    note = (f"{datetime.datetime.now():%Y-%m-%d %H:%M}, load average before the run {load:.1f}: {options.scenarios} scenarios "
            f"a class ({options.of_libraries} of libraries), drawn at random, each at most {options.seconds} s; times are averages over the "
            "scenarios, of the processor.")
    paper = [line(row) + [row.paper or MISSING, row.phase1, row.phase2] for row in PAPER_ROWS if row.runs]
    libraries = [line(row) for row in LIBRARY_ROWS if row.runs]
    return [
        (PAPER, note + "\n\n" + table([*head, "in the paper", "phase 1 there", "phase 2 there: passing, failing [min]"], paper)),
        (LIBRARIES, table(head, libraries)),
    ]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--scenarios", type=int, default=100, help="of each class (100)")
    parser.add_argument("--of-libraries", type=int, default=20, help="the same of the libraries (20)")
    parser.add_argument("--seconds", type=int, default=10, help="for one scenario at most (10)")
    parser.add_argument("--only", default="", help="only tests with this in their name; prints, writes nothing")
    parser.add_argument("--output", default=str(ROOT / "benchmarks" / "RESULTS.md"))
    options = parser.parse_args()
    load = os.getloadavg()[0]
    if not any(SUBJECTS.glob("subject_*")):
        raise Failure(f"there are no programs in {SUBJECTS} (SUBJECTS names another folder); 'make bench-lineup' builds them first")
    for row in [*PAPER_ROWS, *LIBRARY_ROWS]:
        if options.only in row.test:
            measure(row, options)
    text = "\n\n".join(f"## {title}\n\n{body}" for title, body in sections(options, load))
    print(text)
    if not options.only:
        replace_part(Path(options.output), "line-up", text)
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except (Failure, OSError) as error:
        print(f"bench: {error}", file=sys.stderr)
        sys.exit(2)
    except KeyboardInterrupt:
        sys.exit(130)
