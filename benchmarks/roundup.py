#!/usr/bin/env python3
"""Quasi linearizability: the smallest K of recorded histories of real relaxed queues, how the search grows, and the tables of
the Round-Up paper on code.

usage: benchmarks/roundup.py    (make bench-roundup)

Writes its own section of benchmarks/RESULTS.md and leaves the others alone. PLUMB_BENCH_LIMO names the folder of histories;
by default ../shared/histories/limo. Ends with status 1 if K = 0 is not exactly where expected.tsv says linearizable, or if
a structure of the tables is not judged as in the paper.
"""

import collections
import json
import sys
import tempfile
from pathlib import Path

import roundup_tables
from measuring import PLUMB, ROOT, Failure, generate, milliseconds, recordings, replace_part, start

LIMO = ROOT.parent / "shared" / "histories" / "limo"
ORIGIN = """They are the histories of LiMo (https://github.com/grahnen/LiMo), a folder a structure (scal-rdq, scal-bkq, …) with files in the
format hist; beside the folder, expected.tsv has their verdicts: file (limo/scal-rdq/….hist), format, model, yes or no, with
tabs between them."""
RESULTS = ROOT / "benchmarks" / "RESULTS.md"
KINDS = {
    "scal-rdq": "random-dequeue queue", "scal-bkq": "bounded k-FIFO queue", "scal-ukq": "unbounded k-FIFO queue",
    "scal-dq": "distributed queue", "scal-sl": "single-list queue", "scal-msq": "Michael-Scott queue",
    "scal-lbq": "lock-based queue", "scal-fcq": "flat-combining queue", "scal-wfq11": "wait-free queue",
    "scal-ts": "time-stamped stack",
}
MOST = 16


def check(files, *options):
    status, output, _ = start([PLUMB, "check", "--json", "--timeout", "60", *options, *map(str, files)])
    if status not in (0, 1, 3):
        raise Failure(f"plumb check {options}: status {status}\n{output[-1000:]}")
    return [json.loads(line) for line in output.splitlines()]


def expected(limo):
    path = limo.parent / "expected.tsv"
    if not path.is_file():
        raise Failure(f"the verdicts of the recordings are missing: no {path}\n{ORIGIN}")
    rows = (line.split("\t") for line in path.read_text().splitlines())
    return {file: verdict == "yes" for file, _, _, verdict in rows if file.startswith("limo/")}


def smallest_k():
    """One row a structure: how many histories have which smallest K."""
    limo = recordings("PLUMB_BENCH_LIMO", LIMO, "*/*.hist", ORIGIN)
    known = expected(limo)
    table = ["| structure | histories | operations | " + " | ".join(f"K = {k}" for k in range(5)) + " | larger | none | time |",
             "|---|--:|--:|" + "--:|" * 8]
    for folder, kind in KINDS.items():
        files = sorted((limo / folder).glob("*.hist"))
        removal = "pop" if folder == "scal-ts" else "dequeue"
        verdicts = check(files, "--relax", f"{removal}=?", "--model", "stack" if folder == "scal-ts" else "queue")
        counts = collections.Counter()
        for file, verdict in zip(files, verdicts):
            if verdict["verdict"] == "unknown":
                raise Failure(f"{file}: {verdict['why']}")
            k = verdict["relax"][removal] if "relax" in verdict else None
            counts[k] += 1
            if (k == 0) != known[f"limo/{folder}/{file.name}"]:
                raise Failure(f"{file}: smallest K is {k}, but expected.tsv says otherwise")
        larger = sum(n for k, n in counts.items() if k is not None and k > 4)
        cells = [str(counts[k] or "–") for k in range(5)] + [str(larger or "–"), str(counts[None] or "–")]
        time = milliseconds(sum(v["elapsed_ms"] for v in verdicts))
        operations = sum(v["operations"] for v in verdicts)
        table.append(f"| {kind} (`{folder}`) | {len(files)} | {operations} | {' | '.join(cells)} | {time} |")
    return table


def growth(folder):
    table = ["| operations | processes | K | K given | one less | smallest K looked for |", "|--:|--:|--:|--:|--:|--:|"]
    for operations, processes, k in ((2000, 4, 2), (2000, 4, 4), (2000, 4, 8), (2000, 8, 4), (20000, 4, 4), (200000, 4, 4)):
        path = generate(folder, f"k-{operations}-{processes}-{k}.jsonl", "--model", f"k-queue:{k}", "--operations", operations,
                        "--processes", processes)
        cells = []
        for asked in (k, k - 1, "?"):
            verdict = check([path], "--model", "queue", "--relax", f"dequeue={asked}")[0]
            found = f", K = {verdict['relax']['dequeue']}" if asked == "?" and "relax" in verdict else ""
            cells.append(f"{milliseconds(verdict['elapsed_ms'])}, {verdict['verdict']}{found}")
        table.append(f"| {operations:,} | {processes} | {k} | {' | '.join(cells)} |")
    return table


def section():
    with tempfile.TemporaryDirectory() as folder:
        lines = ["## Relaxed structures: the smallest K of recorded histories", "",
                 f"`plumb check --relax dequeue=?` (`pop=?` for the stack), up to K = {MOST}. K = 0 is plain linearizability, and is so exactly "
                 "where `expected.tsv` says. *None*: no K is enough, as a value was overtaken and never came out.", "",
                 *smallest_k(), "",
                 "## Relaxed structures: growth", "",
                 "`plumb generate --model k-queue:K` (segments of K + 1), checked with `--relax dequeue=…`: the check alone, one core.", "",
                 *growth(Path(folder)), "",
                 *roundup_tables.section(), ""]
    return "\n".join(lines)


def main():
    try:
        text = section()
    except Failure as failure:
        sys.exit(f"bench-roundup: {failure}")
    replace_part(RESULTS, "roundup", text)
    print(text)


if __name__ == "__main__":
    main()
