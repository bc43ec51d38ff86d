"""The engine that runs real code through its interleavings: speed beside Relacy, bounds, growth, memory; and under the C++ memory model, beside GenMC.

RELACY_BENCH and GENMC_BENCH name programs around Relacy and GenMC (see README.md); without them their columns are left out. The machine is
often shared, so rates are of processor time; the best run counts.
"""

import json
import os

from measuring import BUILD, Failure, start

RELACY = os.environ.get("RELACY_BENCH")
GENMC = os.environ.get("GENMC_BENCH")
PROGRAM = BUILD / "benchmarks" / "bench_explore"
GRAPHS = BUILD / "benchmarks" / "bench_graphs"
QUEUE_NOTE = """\
Depth first, a bound's count holds those of the smaller ones, which are run before it. Each thread has 16 points, its atomic
operations; two threads with n points that never wait have 2 + 2(n−1) + 2(n−1)² schedules within two preemptions, 482 here, and some
more since retries add points. A first trial of the engine counted 1,378, 17,892 and 182,605: some 26 points a thread by that formula.
Its program is not kept; what its ten further points were cannot be told any more."""


def measured(work, runs, program=PROGRAM):
    """The rows of the program, by name; of several runs the one that took the least processor time."""
    best = {}
    for _ in range(runs):
        status, output, _ = start([str(program), work])
        if status != 0:
            raise Failure(f"{program.name} {work}: status {status}\n{output}")
        for line in output.splitlines():
            row = json.loads(line)
            known = best.get(row["name"])
            if known is None or row["processor_seconds"] < known["processor_seconds"]:
                best[row["name"]] = row
    return best


def seconds(value):
    return f"{value:.2f} s" if value >= 1 else f"{value * 1e3:.3g} ms"


def rate(row):
    return f"{(row['executions'] + row['pruned']) / row['processor_seconds'] / 1e3:,.0f} k/s"


def relacy(runs):
    """Executions and processor seconds of its full search over the same stack."""
    results = []
    for _ in range(runs):
        status, output, _ = start([RELACY])
        if status != 0:
            raise Failure(f"{RELACY}: status {status}\n{output}")
        executions, time = output.split()[-2:]
        results.append((float(time), int(executions)))
    return min(results)


def treiber(runs):
    rows = measured("treiber", runs)
    lines = ["| stack, two threads, each push and pop | executions | processor time | rate | beside Relacy's whole search |",
             "| --- | --- | --- | --- | --- |"]
    whole = None
    if RELACY:
        whole, executions = relacy(runs)
        lines.append(f"| two rounds, Relacy, full search | {executions:,} | {seconds(whole)} | {executions / whole / 1e3:,.0f} k/s | 1 |")
    for name, row in rows.items():
        ratio = f"1/{whole / row['processor_seconds']:.1f}" if whole and row["ended_by"] == "exhausted" else ""
        lines.append(f"| {name} | {row['executions']:,} | {seconds(row['processor_seconds'])} | {rate(row)} | {ratio} |")
    return "\n".join(lines)


def queue(runs):
    rows = measured("queue", runs)
    lines = ["| preemptions at most | depth first | time | reduced | given up | time |", "| --- | --- | --- | --- | --- | --- |"]
    for bound in (2, 3, 4):
        all_, few = rows[f"bound {bound}, depth first"], rows[f"bound {bound}, reduced"]
        lines.append(f"| {bound} | {all_['executions']:,} | {seconds(all_['processor_seconds'])} | {few['executions']:,} "
                     f"| {few['pruned']:,} | {seconds(few['processor_seconds'])} |")
    return "\n".join(lines) + "\n\n" + QUEUE_NOTE


def growth(runs):
    rows = measured("growth", runs)
    lines = ["| counters | depth first | reduced | bound 0 | bound 1 | bound 2 | bound 3 |",
             "| --- | --- | --- | --- | --- | --- | --- |"]
    for name in [name.removesuffix(", depth first") for name in rows if name.endswith(", depth first")]:
        cells = [rows[f"{name}, {order}"] for order in
                 ("depth first", "reduced", *(f"reduced, bound {bound}" for bound in range(4)))]
        lines.append(f"| {name} | " + " | ".join(
            f"{row['executions']:,}{'' if row['ended_by'] == 'exhausted' else '+'} in {seconds(row['processor_seconds'])}"
            for row in cells) + " |")
    return "\n".join(lines)


def memory(program=PROGRAM):
    status, output, _ = start([str(program), "memory"])
    if status != 0:
        raise Failure(f"{program.name} memory: status {status}\n{output}")
    lines = ["| executions so far | resident |", "| --- | --- |"]
    total = 0
    for row in map(json.loads, output.splitlines()):
        total += row["executions"]
        lines.append(f"| {total:,} | {row['resident_kb']:,} KB |")
    return "\n".join(lines)


def genmc(row, runs):
    """Executions and processor seconds of GenMC for the same program, every graph one execution."""
    results = []
    for _ in range(runs):
        status, output, _ = start([GENMC, row])
        if status != 0:
            raise Failure(f"{GENMC} {row}: status {status}\n{output}")
        executions, time = output.split()[-2:]
        results.append((float(time), int(executions)))
    return min(results)


def graphs(runs):
    rows = measured("programs", runs, GRAPHS)
    lines = ["| program, rc11 | executions | processor time | rate | GenMC: executions | time | plumb / GenMC |", "| --- | --- | --- | --- | --- | --- | --- |"]
    for name, row in rows.items():
        peer = "| – | – | – |"
        if GENMC:
            time, executions = genmc(name, runs)
            peer = f"| {executions:,} | {seconds(time)} | 1/{time / row['processor_seconds']:.1f} |"
        lines.append(f"| {name} | {row['executions']:,} | {seconds(row['processor_seconds'])} | {rate(row)} {peer}")
    return "\n".join(lines)


def graph_costs():
    lines = ["| program, rc11 | executions | steps each | time per execution | per step |", "| --- | --- | --- | --- | --- |"]
    for work in ("psc", "growth"):
        for name, row in measured(work, 1, GRAPHS).items():
            each = row["processor_seconds"] / row["executions"]
            steps = row["steps"] / row["executions"]
            lines.append(f"| {'sequentially consistent among relaxed, ' if work == 'psc' else ''}{name} | {row['executions']:,} | {steps:.0f} "
                         f"| {each * 1e6:.2f} µs | {each / steps * 1e9:.0f} ns |")
    return "\n".join(lines)


def engine_sections(runs):
    return [("Engine: Treiber stack", treiber(runs)),
            ("Engine: boost::lockfree::queue, two threads, each push and pop", queue(runs)),
            ("Engine: growth", growth(1)),
            ("Engine: memory, with allocations and exceptions in each execution", memory()),
            ("Engine: the C++ memory model", graphs(runs)),
            ("Engine: the C++ memory model, how the cost grows", graph_costs()),
            ("Engine: the C++ memory model, memory", memory(GRAPHS))]
