#!/usr/bin/env python3
"""What the harness of examples/12-etcd reaches: operations per second of 32 clients, what judging them costs, and what `plumb watch` needs.

usage: benchmarks/etcd.py    (make bench-etcd; PLUMB_ETCD_SECONDS: how long each run is, by default 30)

Writes its own section of benchmarks/RESULTS.md. Needs etcd (on Debian: etcd-server).
"""

import os
import re
import sys
import tempfile
from pathlib import Path

from measuring import ROOT, Failure, machine, replace_part, start

RESULTS = ROOT / "benchmarks" / "RESULTS.md"
RUN = ROOT / "examples" / "12-etcd" / "run"
SECONDS = float(os.environ.get("PLUMB_ETCD_SECONDS", "30"))
ROWS = [("registers, no faults", ["--faults", "none"], "linearizable"),
        ("registers, serializable reads, no faults", ["--faults", "none", "--serializable", "--keep-going"], "violation"),
        ("registers, all faults but SIGSTOP", ["--faults=-stop", "--seed", "1"], "linearizable"),
        ("compare-and-set, no faults", ["--faults", "none", "--workload", "cas"], "linearizable"),
        ("compare-and-set, all faults but SIGSTOP", ["--faults=-stop", "--seed", "1", "--workload", "cas"], "linearizable")]
OUTCOMES = {0: "linearizable", 1: "violation", 3: "unknown"}
NUMBERS = {"rate": r"outcome: (\d+) per second", "clients": r"processor time: ([\d.]+) s of the clients", "nodes": r"([\d.]+) s of the nodes",
           "memory": r"at most (\d+) MB", "checked": r"checked (\d+) operations", "seconds": r"checked \d+ operations in ([\d.]+) s"}


def measured(folder, options):
    """The outcome of a run and its numbers."""
    status, output, _ = start([str(RUN), "--seconds", str(SECONDS), "--output", str(folder), *options], timeout=SECONDS + 600)
    if status not in OUTCOMES:
        raise Failure(f"{RUN.name} {' '.join(options)}: status {status}\n{output}")
    found = {name: re.search(pattern, output) for name, pattern in NUMBERS.items()}
    if missing := [name for name, match in found.items() if match is None]:
        raise Failure(f"no {', '.join(missing)} in\n{output}")
    return OUTCOMES[status], {name: float(match[1]) for name, match in found.items()}


def row(name, options, expected, folder):
    outcome, got = measured(folder, options)
    if outcome != expected:
        raise Failure(f"{name}: {outcome}, expected {expected}")
    each = got["seconds"] / got["checked"]
    hour = got["rate"] * 3600
    used = got["clients"] + got["nodes"]
    per_processor = f"{got['rate'] * SECONDS / used:,.0f}" if "none" in options else "–"
    memory = f"{got['memory']:.0f} MB" if got["memory"] else "–"  # it has ended with the first violation
    return (f"| {name} | {got['rate']:,.0f} | {per_processor} | {got['checked']:,.0f} in {got['seconds']:.2f} s | {hour / 1e6:.1f} million in {hour * each:.1f} s | "
            f"{memory} | {outcome} |")


def main():
    before = os.getloadavg()[0]
    with tempfile.TemporaryDirectory() as folder:
        rows = [row(*each, Path(folder) / "out") for each in ROWS]
    text = "\n".join([
        "## A cluster of etcd", "",
        f"Written by `make bench-etcd`: `examples/12-etcd/run`, three nodes of etcd on one machine with their disks in memory, 32 clients in Python in two processes, {SECONDS:.0f} s "
        f"each, on {machine()}, which had {before:.0f} other processes at work on average when this began. Nodes, clients and `plumb watch` share the cores. Per second of processor time: of nodes and clients "
        "together, which does not depend on who else uses the machine; times the number of cores, it is about what an idle machine would reach. The hour is computed from its row.", "",
        "| workload | operations per second | per second of processor time | checked | an hour of it | memory of `watch` | verdict |",
        "|---|--:|--:|--:|--:|--:|---|", *rows])
    replace_part(RESULTS, "etcd", text)
    print(text)


try:
    main()
except Failure as failure:
    sys.exit(f"bench-etcd: {failure}")
