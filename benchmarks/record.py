#!/usr/bin/env python3
"""Measures what recording costs, records a long run and checks it, and replaces its own section of benchmarks/RESULTS.md.
`make bench-record` runs it.

  PLUMB                     the command; unless given, build/plumb
  PLUMB_RECORD_OPERATIONS   of the long run; unless given, 100 million (2.4 GB in TMPDIR, 6.5 GB of memory)
"""

import json
import os
import sys
import tempfile
from pathlib import Path

from measuring import PLUMB, ROOT, Failure, built, memory_text, replace_part, start

RESULTS = ROOT / "benchmarks" / "RESULTS.md"
OPERATIONS = int(os.environ.get("PLUMB_RECORD_OPERATIONS", "100000000"))


def run(*command):
    status, output, memory = start(list(command), timeout=3600)
    if status != 0:
        raise Failure(f"{' '.join(command)}: status {status}\n{output[-2000:]}")
    return [json.loads(line) for line in output.splitlines() if line.startswith("{")], memory


def costs(program, folder):
    measured, _ = run(program, str(folder / "cost.plumb"))
    rows = [f"| {m['clock']} | {m['threads']} | {m['into']} | {m['stamps_ns']:.0f} ns | {m['recorded_ns']:.0f} ns | "
            f"{m['recorded_ns'] - m['stamps_ns']:.0f} ns |" for m in measured]
    return "\n".join(["| clock | threads | into | two stamps alone | an operation recorded | beside the stamps |",
                      "| --- | --- | --- | --- | --- | --- |", *rows])


def long_run(program, folder):
    path, compact = folder / "run.plumb", folder / "small.plumb"
    [made], _ = run(program, str(path), str(OPERATIONS), "2")
    [verdict], memory = run(PLUMB, "check", "--json", str(path))
    run(PLUMB, "convert", str(path), str(compact))
    return (f"{made['operations']:,} operations of two threads on `tbb::concurrent_queue`, which enqueue and dequeue in turn: "
            f"{made['bare_s']:.0f} s unrecorded, {made['recorded_s']:.0f} s recorded into a file of {made['bytes'] / 1e9:.2f} GB "
            f"({made['bytes'] / made['operations']:.1f} bytes an operation; {compact.stat().st_size / made['operations']:.1f} after "
            f"`plumb convert`). `plumb check`: {verdict['verdict']}, {verdict['elapsed_ms'] / 1000:.1f} s for the check alone, "
            f"{memory_text(memory)} at most, the mapped file included.")


def section():
    cost, run_program = built("bench_record", "bench_record_run")
    with tempfile.TemporaryDirectory() as folder:
        return "\n\n".join([
            "## Recording",
            "Written by `make bench-record`. Nanoseconds of processor time, the best of five attempts of 2 million operations with an "
            "argument and a result; new blocks, their zeros and checksums included. The stamps alone are the bare instructions of a call and a "
            "return with their fences.",
            costs(cost, Path(folder)), long_run(run_program, Path(folder))])


def main():
    try:
        text = section()
    except Failure as failure:
        sys.exit(f"bench-record: {failure}")
    replace_part(RESULTS, "record", text)
    print(text)


if __name__ == "__main__":
    main()
