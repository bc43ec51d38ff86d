#!/usr/bin/env python3
"""How long it takes to find a fault: by the default campaign, and by each strategy alone. What some strategy finds in ten seconds the
default is to find in twenty.

usage: benchmarks/portfolio.py BUILD [--seeds N] [--only TEXT] [--write RESULTS.md]

A row is a faulty class of examples/subjects; a cell has the median of the times to the fault over all seeds, and the slowest. The
time ends when the fault is known: neither does the scenario become smaller, nor is the interleaving made simpler.
"""
import argparse
import json
import pathlib
import statistics
import subprocess
import sys

ALONE, TOGETHER = 10, 20  # seconds
STRATEGIES = ["reduced", "random", "pct", "pos", "surw"]
FAULTY = {
    "bag": ["SkipsBusyBag", "AnyItemBag"],
    "barrier": ["Barrier"],
    "blocking_collection": ["WakesNobodyCollection", "LateCountCollection", "GivesUpCollection", "LateCompletionCollection"],
    "cancellation": ["NeverRunsCancellation"],
    "countdown_event": ["LostSignalCountdown"],
    "dictionary": ["CountsInPartsDictionary"],
    "gives_up": ["GivesUpQueue", "GivesUpStack"],
    "lazy": ["MadeTwiceLazy"],
    "linked_list": ["LostRemovalList"],
    "lock_free_queue": ["LostNodeQueue"],
    "manual_reset_event": ["DoubleReadEvent"],
    "mutants": [structure + mutation for structure in ("Queue", "Stack")
                for mutation in ("DroppedRetry", "EarlyExit", "SwappedLines", "LostExchange", "DroppedReread")],
    "promise": ["SetTwicePromise", "DoneTooEarlyPromise"],
    "queue": ["TimeOutQueue"],
    "semaphore": ["WakesOneSemaphore"],
    "stack": ["OneByOneStack"],
}
BEGIN, END = "<!-- benchmarks/portfolio.py -->", "<!-- end of benchmarks/portfolio.py -->"


def time_to_fault(program, test, seed, options):
    """In seconds; None: it was not found."""
    run = subprocess.run([program, "--filter", test, "--json", "--no-minimise", "--seed", str(seed), *options],
                         capture_output=True, text=True, check=False)
    found = json.loads(run.stdout.splitlines()[0])
    return found["found_ms"] / 1000 if found["verdict"] == "violation" else None


def cell(times):
    if None in times:
        return f"{sum(time is not None for time in times)} of {len(times)} found"
    return f"{statistics.median(times):.2f} ({max(times):.2f})"


def measure(build, seeds, only):
    rows, broken = [], []
    for subject, tests in FAULTY.items():
        for test in tests:
            if only not in test:
                continue
            program = build / "examples" / "subjects" / f"subject_{subject}"
            columns = [["--budget", str(TOGETHER)]]
            columns += [["--strategy", strategy, "--timeout", str(ALONE)] for strategy in STRATEGIES]
            times = [[time_to_fault(program, test, seed, options) for seed in range(1, seeds + 1)] for options in columns]
            rows.append([test] + [cell(each) for each in times])
            print(" | ".join(rows[-1]), flush=True)
            # A seed with which some strategy finds it, and the default does not.
            broken += [f"{test}, seed {seed + 1}" for seed in range(seeds)
                       if times[0][seed] is None and any(each[seed] is not None for each in times[1:])]
    return rows, broken


def table(rows, seeds):
    lines = ["| class | default | " + " | ".join(STRATEGIES) + " |", "|---|--:|" + "--:|" * len(STRATEGIES)]
    lines += ["| " + " | ".join(row) + " |" for row in rows]
    return (f"Seconds to the fault, the median of {seeds} seeds and in brackets the slowest; a strategy alone has {ALONE} s "
            f"(scenarios of 3x3), the default {TOGETHER} s.\n\n" + "\n".join(lines) + "\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--only", default="", help="classes whose names contain this")
    parser.add_argument("--write", type=pathlib.Path, help="put the table there")
    options = parser.parse_args()
    rows, broken = measure(options.build, options.seeds, options.only)
    text = table(rows, options.seeds)
    print(text)
    if options.write:
        page = options.write.read_text(encoding="utf-8")
        head, rest = page.split(BEGIN)
        options.write.write_text(f"{head}{BEGIN}\n{text}{END}{rest.split(END)[1]}", encoding="utf-8")
    for each in broken:
        print(f"found by a strategy alone, and not by the default: {each}", file=sys.stderr)
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
