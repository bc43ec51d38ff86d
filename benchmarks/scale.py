#!/usr/bin/env python3
"""Work shared by processes: two shards and two ranks of MPI beside one process, what a journal costs, and what is to be expected of more cores
than this machine has.

usage: benchmarks/scale.py [--rounds N] [--scenarios N] [--copies N] [--output FILE]      (make bench-scale)

The campaign is that of examples/04-test-a-class; the logs are Jepsen's of etcd (PLUMB_BENCH_ETCD: their folder), that many times over. All
ways are taken in turn. Writes its own section of benchmarks/RESULTS.md.
"""

import argparse
import base64
import json
import os
import shutil
import struct
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

import simulated_ranks
from measuring import MISSING, PLUMB, ROOT, Failure, machine, milliseconds, recordings, replace_part

RESULTS = ROOT / "benchmarks" / "RESULTS.md"
PROGRAM = ROOT / "build" / "examples" / "04-test-a-class" / "repaired_queue_test"
MPIRUN = ["mpirun", "--oversubscribe", "--bind-to", "none"]
GOALS = {"two shards": 1.85, "two ranks": 1.85}


@dataclass
class Took:
    """The time by the clock, and that of processors, in seconds."""

    clock: float
    processor: float


def run(commands):
    """All of these at once, until the last has ended."""
    begun = time.monotonic()
    started = [subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) for command in commands]
    processor = 0.0
    for process, command in zip(started, commands):
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode not in (0, 1):
            raise Failure(f"{' '.join(command)}: status {process.returncode}")
        processor += usage.ru_utime + usage.ru_stime
    return Took(time.monotonic() - begun, processor)


def ways(command, folder):
    """How the work of a command is done, by name; each call does it once, from the beginning."""
    def journals(*names):
        for name in names:
            (folder / name).unlink(missing_ok=True)
        return [["--journal", str(folder / name)] for name in names]

    def one():
        return run([[*command, "--jobs", "1"]])

    def with_journal():
        return run([[*command, "--jobs", "1", *journals("one")[0]]])

    def jobs():
        return run([[*command, "--jobs", "2"]])

    def shards():
        names = journals("0", "1")
        took = run([[*command, "--jobs", "1", "--shard", f"{i}/2", *names[i]] for i in range(2)])
        merged = run([[PLUMB, "merge", *(str(folder / name) for name in ("0", "1"))]])
        return Took(took.clock + merged.clock, took.processor + merged.processor)

    def ranks():
        return run([[*MPIRUN, "-n", "2", *command, "--mpi", *journals("ranks")[0]]])

    return {"one process": one, "one process, with a journal": with_journal, "one run, --jobs 2": jobs,
            "two shards": shards, "two ranks": ranks}


def measure(what, command, rounds, has_mpi):
    with tempfile.TemporaryDirectory() as name:
        all_ways = ways(command, Path(name))
        if not has_mpi:
            del all_ways["two ranks"]
        taken = {way: [] for way in all_ways}
        for _ in range(rounds):
            for way, do in all_ways.items():
                taken[way].append(do())
    clocks = {way: min(each.clock for each in all_runs) for way, all_runs in taken.items()}
    processors = {way: min(each.processor for each in all_runs) for way, all_runs in taken.items()}
    rows = []
    for way in taken:
        speed = clocks["one process"] / clocks[way]
        halves = 1 if way.startswith("one process") else 2
        # What ranks start, mpirun does not wait for in time to count it.
        possible = MISSING if way == "two ranks" else f"{halves * processors['one process'] / processors[way]:.2f}"
        goal = GOALS.get(way)
        rows.append(f"| {what} | {way} | {milliseconds(clocks[way] * 1000)} | {milliseconds(processors[way] * 1000)} | {speed:.2f} "
                    f"| {possible} | {f'≥ {goal}' if goal else '≥ 0.98' if 'journal' in way else ''} |")
    return rows


def took_of(line):
    """How long the scenario took, in seconds: in the bytes of its line a text, which begins with its length, stands before it."""
    data = base64.b64decode(json.loads(line)["data"])
    size, = struct.unpack_from("<Q", data)
    return struct.unpack_from("<d", data, 8 + size)[0]


def as_if_alone(times, processor):
    """Shared among pieces as their times by the clock are, which are longer where others use the machine."""
    return [each * processor / sum(times) for each in times]


def scenario_times(command):
    with tempfile.TemporaryDirectory() as name:
        journal = Path(name) / "journal"
        took = run([[*command, "--jobs", "1", "--journal", str(journal)]])
        return as_if_alone([took_of(line) for line in journal.read_text(encoding="utf-8").splitlines()[1:]], took.processor)


def log_times(command):
    processor = run([[*command, "--jobs", "1"]]).processor  # reading included
    output = subprocess.run([*command, "--jobs", "1", "--json"], text=True, capture_output=True, check=False).stdout
    return as_if_alone([json.loads(line)["elapsed_ms"] / 1000 for line in output.splitlines() if '"elapsed_ms"' in line], processor)


def costs():
    """Of starting a shard, a run on one and on two ranks, by the clock; of a piece beyond its own work, in processor time."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        log = folder / "0.jsonl"
        subprocess.run([PLUMB, "generate", "-m", "register", "-n", "4", "-o", str(log)], check=True)
        shard = min(run([[PLUMB, "check", str(log)]]).clock for _ in range(3))
        start = {n: min(run([[*MPIRUN, "-n", str(n), PLUMB, "check", "--mpi", str(log)]]).clock for _ in range(3)) for n in (1, 2)}
        few, many = 200, 2200
        took = {}
        for count in (few, many):
            logs = folder / str(count)
            logs.mkdir()
            for i in range(count):
                shutil.copy(log, logs / f"{i:05}.jsonl")
            took[count] = min(run([[*MPIRUN, "-n", "2", PLUMB, "check", "--mpi", str(logs)]]).processor for _ in range(3))
    return simulated_ranks.Costs(shard=shard, start=start[1], start_more=max(0.0, start[2] - start[1]), piece=(took[many] - took[few]) / (many - few))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=3, help="how often each way is taken; the best counts (3)")
    parser.add_argument("--scenarios", type=int, default=2000, help="of the campaign (2000)")
    parser.add_argument("--copies", type=int, default=100, help="of the logs (100)")
    parser.add_argument("--output", default=str(RESULTS))
    options = parser.parse_args()
    logs = recordings("PLUMB_BENCH_ETCD", ROOT.parent / "shared" / "histories" / "jepsen-etcd", "*.log",
                      "The etcd logs are those of https://github.com/ahorn/linearizability-checker")
    if not PROGRAM.exists():
        raise Failure("there is no repaired_queue_test; 'make bench-scale' builds it first")
    os.environ.update({"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"})
    has_mpi = shutil.which("mpirun") is not None and (Path(PLUMB).parent / "plumb-mpi").exists()
    load = os.getloadavg()[0]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for copy in range(options.copies):
            (folder / f"{copy:03}").symlink_to(logs.resolve(), target_is_directory=True)
        campaign = [str(PROGRAM), "--samples", str(options.scenarios)]
        check = [PLUMB, "check", "--model", "register", *(str(each) for each in sorted(folder.iterdir()))]
        rows = [*measure(f"{options.scenarios:,} scenarios", campaign, options.rounds, has_mpi),
                *measure(f"etcd's logs, {options.copies} times", check, options.rounds, has_mpi)]
        spread = {f"{options.scenarios:,} scenarios": scenario_times(campaign), f"etcd's logs, {options.copies} times": log_times(check)}
    paid = costs() if has_mpi else simulated_ranks.Costs()
    text = "\n".join([
        "## Scale-out", "",
        f"Written by `make bench-scale`: the best of {options.rounds} rounds, all ways in turn, on {machine()}, which had {load:.1f} other processes at "
        "work on average when this began. Speed: that of one process is 1. Possible: the same by processor time, if every process had a core "
        "for itself; it does not depend on who else uses the machine.", "",
        "| work | way | time | processor time | speed | possible | goal |", "|---|---|--:|--:|--:|--:|--:|", *rows, "",
        *simulated_ranks.report(spread, paid)])
    print(text)
    replace_part(Path(options.output), "scale", text)
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except (Failure, OSError) as error:
        print(f"bench-scale: {error}", file=sys.stderr)
        sys.exit(2)
    except KeyboardInterrupt:
        sys.exit(130)
