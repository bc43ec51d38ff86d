#!/usr/bin/env python3
"""Measures what recording costs, records a long run and checks it, and replaces its own section of benchmarks/RESULTS.md.
`make bench-record` runs it.

  PLUMB                     the command; by default build/plumb
  PLUMB_RECORD_OPERATIONS   of the long run; by default 100 million (2.4 GB in TMPDIR, 6.5 GB of memory)
"""

import json
import os
import statistics
import sys
import tempfile
from pathlib import Path

from measuring import BUILD, PLUMB, ROOT, Failure, built, memory_text, replace_part, start

RESULTS = ROOT / "benchmarks" / "RESULTS.md"
REPEATS = 9  # of each stress run, in turn with the others
STRESS = {"unrecorded": ["--unrecorded"], "recorded": ["--ahead", "0"], "checked": []}
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
            f"({made['bytes'] / made['operations']:.1f} bytes per operation; {compact.stat().st_size / made['operations']:.1f} after "
            f"`plumb convert`). `plumb check`: {verdict['verdict']}, {verdict['elapsed_ms'] / 1000:.1f} s for the check alone, "
            f"{memory_text(memory)} at most, the mapped file included.")


def stress_run(program, threads, flags):
    command = [str(BUILD / "examples" / "subjects" / "limo" / program), "--mode", "stress", "--json", "--filter", "MichaelScottQueue",
               "--threads", str(threads), "--operations", str(20_000 // threads), "--samples", "100", "--pauses", "0", *flags]
    status, output, _ = start(command)
    if status != (3 if "--unrecorded" in flags else 0):  # what was not checked is unknown
        raise Failure(f"{' '.join(command)}: status {status}\n{output[-1000:]}")
    return json.loads(output)


def stress_costs():
    """Operations a second of a stress run of the Michael-Scott queue: unrecorded, recorded, and checked meanwhile."""
    rows = []
    for program, title in (("stress_structures", "without hooks"), ("subject_structures", "with hooks, as it explores")):
        for threads in (1, 2, 4):
            runs = {way: [] for way in STRESS}
            for _ in range(REPEATS):
                for way, flags in STRESS.items():
                    runs[way].append(stress_run(program, threads, flags))
            rate = {way: statistics.median(run["operations"] / run["running_ms"] / 1000 for run in all) for way, all in runs.items()}
            whole = statistics.median(run["operations"] / (run["running_ms"] + run["waited_ms"]) / 1000 for run in runs["checked"])
            checking = statistics.median(1e6 * run["checking_ms"] / run["operations"] for run in runs["recorded"])
            lag = max(run["lag_ms"] for run in runs["checked"])
            rows.append(f"| {title} | {threads} | {rate['unrecorded']:.1f} | {rate['recorded']:.1f} | "
                        f"**{100 * rate['recorded'] / rate['unrecorded']:.0f} %** | {rate['checked']:.1f} | "
                        f"{100 * rate['checked'] / rate['unrecorded']:.0f} % | {whole:.1f} | {checking:.0f} ns | {lag:.1f} ms |")
    return "\n".join([
        "| program | threads | unrecorded | recorded | kept | checked meanwhile | kept | with waiting | checking per operation | behind |",
        "|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|", *rows])


def section():
    cost, run_program, *_ = built("bench_record", "bench_record_run", "stress_structures", "subject_structures")
    with tempfile.TemporaryDirectory() as folder:
        return "\n\n".join([
            "## Recording",
            "Written by `make bench-record`. Nanoseconds of processor time, the best of five attempts of 2 million operations with an "
            "argument and a result; new blocks, their zeros and checksums included. The stamps alone are the bare instructions of a call and a "
            "return with their fences.",
            costs(cost, Path(folder)), long_run(run_program, Path(folder)),
            "### Stress runs",
            f"Operations a second (millions) of a stress run of the Michael-Scott queue (`--mode stress --pauses 0`), 100 rounds of 20,000 operations, the "
            f"median of {REPEATS}; on {os.cpu_count()} cores. *Recorded*: while its threads run; each round is checked when it is over (`--ahead 0`). *Checked "
            "meanwhile*: the round before is checked by a thread of its own, which takes its share of the cores; *with waiting*: the same over all "
            "the time, in which the threads also wait until checking is at most two rounds *behind*.",
            stress_costs()])


def main():
    try:
        text = section()
    except Failure as failure:
        sys.exit(f"bench-record: {failure}")
    replace_part(RESULTS, "record", text)
    print(text)


if __name__ == "__main__":
    main()
