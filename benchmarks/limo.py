#!/usr/bin/env python3
"""Figures 9 and 10 of the LiMo paper on our own recordings: stacks and queues, 8, 16 and 32 threads, how the time of a check grows with the
operations, relative to the first size (slowdown) and in milliseconds.

usage: benchmarks/limo.py [--most OPERATIONS] [--histories N] [--dry]    (make bench-limo)

Writes benchmarks/limo-slowdown.svg, limo-slowdown-1000.svg and limo-time.svg and its own section of benchmarks/RESULTS.md; with --dry only
prints. Ends with status 1 if a structure that is right is called wrong.
"""

import argparse
import json
import statistics
import sys
import tempfile
from pathlib import Path

import plot
from measuring import BUILD, PLUMB, ROOT, Failure, built, machine, milliseconds, replace_part, start

RESULTS = ROOT / "benchmarks" / "RESULTS.md"
PROGRAM = str(BUILD / "benchmarks" / "bench_structures")
STRUCTURES = {
    "coarse-stack": "coarse stack", "treiber-stack": "Treiber stack", "time-stamped-stack": "time-stamped stack",
    "buggy-time-stamped-stack": "time-stamped stack, buggy", "coarse-queue": "coarse queue", "michael-scott-queue": "Michael-Scott queue",
}
THREADS = (8, 16, 32)
SIZES = [*range(100, 1000, 100), *range(1000, 10_001, 1000), 20_000, 50_000, 100_000, 200_000, 500_000, 1_000_000]
LARGE = 10_000  # beyond, fewer histories


def times(folder, name, threads, operations, histories):
    """Milliseconds of each check, and how many of the histories are violations."""
    files = []
    for seed in range(1, histories + 1):
        files.append(str(folder / f"{seed}.plumb"))
        status, output, _ = start([PROGRAM, "record", name, str(threads), str(max(1, operations // threads)), str(seed), files[-1]])
        if status != 0:
            raise Failure(f"bench_structures record {name}: status {status}\n{output}")
    # Once more first, so that the times are not those of starting up.
    status, output, _ = start([PLUMB, "check", "--json", "--jobs", "1", "--engine", "monitor", files[0], *files])
    if status not in (0, 1):
        raise Failure(f"plumb check of {name}: status {status}\n{output[-1000:]}")
    verdicts = [json.loads(line) for line in output.splitlines()][1:]
    violations = sum(verdict["verdict"] == "violation" for verdict in verdicts)
    if violations and not name.startswith("buggy"):
        raise Failure(f"{name}, {threads} threads, {operations} operations: a violation of a structure that is right")
    return [verdict["elapsed_ms"] for verdict in verdicts], violations


def measure(options):
    """{threads: {structure: [(operations, mean milliseconds)]}}, and the violations of each structure."""
    measured = {threads: {title: [] for title in STRUCTURES.values()} for threads in THREADS}
    violations = dict.fromkeys(STRUCTURES.values(), 0)
    recorded = dict.fromkeys(STRUCTURES.values(), 0)
    with tempfile.TemporaryDirectory(prefix="plumb-limo-") as folder:
        for name, title in STRUCTURES.items():
            for threads in THREADS:
                for operations in (size for size in SIZES if size <= options.most):
                    count = options.histories if operations <= LARGE else max(1, options.histories // 3)
                    each, wrong = times(Path(folder), name, threads, operations, count)
                    measured[threads][title].append((operations, max(statistics.mean(each), 0.001)))
                    violations[title] += wrong
                    recorded[title] += count
            print(f"bench-limo: {title}", file=sys.stderr)
    return measured, {title: f"{violations[title]} of {recorded[title]}" for title in STRUCTURES.values()}


def slowdown(lines):
    return {title: [(x, y / points[0][1]) for x, y in points] for title, points in lines.items()}


def pictures(measured):
    panels = {f"{threads} threads": lines for threads, lines in measured.items()}
    short = {title: {name: [p for p in points if p[0] <= 1000] for name, points in slowdown(lines).items()} for title, lines in panels.items()}
    slow = {title: slowdown(lines) for title, lines in panels.items()}
    dashed = [title for title in STRUCTURES.values() if "buggy" in title]
    text = "Time of a check by the monitor, by the number of operations"
    return {
        "limo-slowdown.svg": plot.draw(slow, "operations", "times the first", f"{text}, relative to 100 operations", dashed),
        "limo-slowdown-1000.svg": plot.draw(short, "operations", "times the first", f"{text} up to 1000, relative to 100 operations", dashed),
        "limo-time.svg": plot.draw(panels, "operations", "milliseconds", f"{text}, in milliseconds", dashed),
    }


def table(measured, violations):
    shown = [size for size in (100, 1000, 10_000, 100_000, 1_000_000) if size in dict(measured[THREADS[0]][next(iter(STRUCTURES.values()))])]
    lines = ["| structure | threads | " + " | ".join(f"{size:,}" for size in shown) + " | violations |", "|---|--:|" + "--:|" * (len(shown) + 1)]
    for title in STRUCTURES.values():
        for threads in THREADS:
            by_size = dict(measured[threads][title])
            lines.append(f"| {title} | {threads} | {' | '.join(milliseconds(by_size[size]) for size in shown)} | "
                         f"{violations[title] if threads == THREADS[0] else ''} |")
    return lines


def section(measured, violations, options):
    return "\n".join([
        "## LiMo's figures 9 and 10: recorded stacks and queues", "",
        f"`make bench-limo` on {machine()}: {options.histories} recordings of each size up to {LARGE:,} operations and "
        f"{max(1, options.histories // 3)} beyond, values distinct, half of the operations put and half take. The check alone, by the monitor, one core, the mean.", "",
        "Figure 9, the slowdown: how many times as long as with 100 operations.", "", "![slowdown by operations](limo-slowdown.svg)", "",
        "Figure 10, the same up to 1000 operations.", "", "![slowdown up to 1000 operations](limo-slowdown-1000.svg)", "",
        "In milliseconds.", "", "![milliseconds by operations](limo-time.svg)", "", *table(measured, violations), ""])


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--most", type=int, default=SIZES[-1], help="operations of the largest histories")
    parser.add_argument("--histories", type=int, default=10, help="of each size")
    parser.add_argument("--dry", action="store_true", help="print, do not write")
    options = parser.parse_args()
    try:
        built("bench_structures")
        measured, violations = measure(options)
    except Failure as failure:
        sys.exit(f"bench-limo: {failure}")
    text = section(measured, violations, options)
    if not options.dry:
        for name, picture in pictures(measured).items():
            (ROOT / "benchmarks" / name).write_text(picture, encoding="utf-8")
        replace_part(RESULTS, "limo", text)
    print(text)


if __name__ == "__main__":
    main()
