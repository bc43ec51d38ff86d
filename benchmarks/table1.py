#!/usr/bin/env python3
"""Table 1 of the P-compositionality paper (Horn and Kroening, FORTE 2015) on real recordings: 4 threads x 70,000 operations on 24
keys of each set of examples/subjects/sets and of oneTBB's hash map; and what recording costs.

usage: benchmarks/table1.py [--histories N] [--operations N] [--timeout SECONDS] [--dry]    (make bench-table1)

Replaces its own section of benchmarks/RESULTS.md; with --dry only prints it. Ends with status 1 if two ways to check disagree, or if a
verdict is not what the set is known for.
"""

import argparse
import json
import statistics
import sys
import tempfile
from pathlib import Path

from measuring import (BUILD, PLUMB, ROOT, Failure, built, machine, memory_text, milliseconds, replace_part, run_measured,
                       start)

RESULTS = ROOT / "benchmarks" / "RESULTS.md"
PROGRAM = str(BUILD / "benchmarks" / "bench_structures")
THREADS = 4

# The mnemonic of the paper, and its times for WGL, WGL+LRU and WGL+P in seconds.
SETS = {
    "tbb-hash-map": ("TBB", "oneTBB's `concurrent_hash_map`", (101, 11, 6)),
    "fine-grained-list": ("FGL", "fine-grained lock list", (16, 81, 5)),
    "lazy-list": ("LLL", "lazy list", (23, 94, 6)),
    "optimistic-list": ("OPTIMIST", "optimistic list", (16, 54, 5)),
    "lock-free-list": ("LFLL", "lock-free list", (11, 15, 5)),
    "lazy-skip-list": ("LSL", "lazy skip list", (20, 25, 6)),
    "lock-free-skip-list": ("LFSL", "lock-free skip list", (14, 18, 5)),
    "faulty-skip-list": ("LFSLF", "lock-free skip list, faulty", (1, 1, 1)),
}
WAYS = {
    "WGL": ["--engine", "wgl", "--no-partition"],
    "WGL+LRU": ["--engine", "wgl", "--no-partition", "--lru"],
    "WGL+P": ["--engine", "wgl"],
    "monitor": ["--engine", "monitor"],
}
# Structures whose speed is measured with recording and without.
MEASURED = {"michael-scott-queue": "Michael-Scott queue", "treiber-stack": "Treiber stack", "lock-free-list": "lock-free list, 24 keys",
            "tbb-hash-map": "oneTBB's hash map, 24 keys"}


def record(name, threads, operations, seed, path):
    status, output, _ = start([PROGRAM, "record", name, str(threads), str(operations), str(seed), str(path)])
    if status != 0:
        raise Failure(f"bench_structures record {name}: status {status}\n{output}")


def check(path, options, timeout):
    command = [PLUMB, "check", "--json", "--jobs", "1", "--timeout", str(timeout), *options, str(path)]
    status, output, usage = run_measured(command, timeout + 120)
    if status not in (0, 1, 3):
        raise Failure(f"{' '.join(command)}: status {status}\n{output[-1000:]}")
    return json.loads(output), usage.ru_maxrss


def cell(runs):
    done = [(verdict, memory) for verdict, memory in runs if verdict["verdict"] != "unknown"]
    late = f", {100 * (len(runs) - len(done)) // len(runs)} % late" if len(done) < len(runs) else ""
    if not done:
        return "all late"
    time = statistics.mean(verdict["elapsed_ms"] for verdict, _ in done)
    return f"{milliseconds(time)}, {memory_text(max(memory for _, memory in done))}{late}"


def one_set(name, options, folder):
    """A row of the table: each recording, checked in each way and then gone."""
    runs = {way: [] for way in WAYS}
    overlap = []
    for seed in range(1, options.histories + 1):
        path = folder / f"{name}.plumb"
        record(name, THREADS, options.operations, seed, path)
        verdicts = set()
        for way, flags in WAYS.items():
            verdict, memory = check(path, flags, options.timeout)
            runs[way].append((verdict, memory))
            verdicts.add(verdict["verdict"])
        verdicts.discard("unknown")
        if len(verdicts) > 1:
            raise Failure(f"{name}, seed {seed}: the ways to check disagree: {verdicts}")
        if name != "faulty-skip-list" and "violation" in verdicts:
            raise Failure(f"{name}, seed {seed}: a violation of a set that is right; {path} has it")
        overlap += verdicts
        path.unlink()
    wrong = f"{100 * overlap.count('violation') // max(1, len(overlap))} %"
    mnemonic, title, paper = SETS[name]
    cells = [cell(runs[way]) for way in WAYS]
    print(f"bench-table1: {name}: {cells}", file=sys.stderr)
    return f"| {title} | {mnemonic} | {' | '.join(cells)} | {wrong} | {' / '.join(f'{seconds} s' for seconds in paper)} |"


def costs(options):
    rows = []
    for name, title in MEASURED.items():
        for threads in (1, 2, 4):
            status, output, _ = start([PROGRAM, "throughput", name, str(threads), str(options.measured // threads), "7"])
            if status != 0:
                raise Failure(f"bench_structures throughput {name}: status {status}\n{output}")
            rate = json.loads(output)
            plain, recorded = rate["unrecorded"], rate["recorded"]
            rows.append(f"| {title} | {threads} | {plain / 1e6:.1f} | {recorded / 1e6:.1f} | {100 * recorded / plain:.0f} % | "
                        f"{1e9 / recorded - 1e9 / plain:.0f} ns |")
    return rows


def section(options):
    with tempfile.TemporaryDirectory(prefix="plumb-table1-") as name:
        rows = [one_set(each, options, Path(name)) for each in SETS]
    total = THREADS * options.operations
    return "\n".join([
        "## Table 1 of the first paper: recorded sets", "",
        f"`make bench-table1` on {machine()}: {options.histories} recordings of each set, {THREADS} threads × {options.operations:,} operations "
        f"({total:,}), keys 0 to 23, recorded by `plumb::Recorder`. Time of the check alone, one core, the mean; peak memory of the process, its "
        f"input included; *late*: not decided in {options.timeout:g} s. The last column is the paper's, on 12 cores of 2.4 GHz: WGL / WGL+LRU / "
        "WGL+P. LFSLF: its faulty skip list with a good hash; ours has a fault of its own.", "",
        f"| set | | {' | '.join(WAYS)} | violations | paper |", "|---|---|" + "--:|" * (len(WAYS) + 2), *rows, "",
        "### What recording costs", "",
        "Operations a second (millions) of a program that does nothing else, without recording and with it; the best of seven runs each, in turn. The "
        "last column is the difference for each operation of all threads together.", "",
        "| structure | threads | unrecorded | recorded | kept | more per operation |", "|---|--:|--:|--:|--:|--:|", *costs(options), ""])


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--histories", type=int, default=10, help="of each set")
    parser.add_argument("--operations", type=int, default=70_000, help="of each thread")
    parser.add_argument("--measured", type=int, default=1_000_000, help="operations of a run whose speed is measured")
    parser.add_argument("--timeout", type=float, default=60, help="seconds for one check")
    parser.add_argument("--dry", action="store_true", help="print, do not write")
    options = parser.parse_args()
    try:
        built("bench_structures")
        text = section(options)
    except Failure as failure:
        sys.exit(f"bench-table1: {failure}")
    if not options.dry:
        replace_part(RESULTS, "table1", text)
    print(text)


if __name__ == "__main__":
    main()
