"""Tables II, III and V of the Round-Up paper for the structures of examples/subjects/quasi, beside the paper's figures."""

import os

from measuring import MISSING, Failure, built, milliseconds, start

PROGRAM = os.environ.get("PLUMB_BENCH_ROUNDUP")

# (table, structure, program, K): histories wrong/all and time in the paper. K is 0 in table II.
PAPER = {
    ("II", "quasi queue", "2x2+4", 0): ("16/16", "2.5 s"),
    ("II", "quasi queue", "3x3+4", 0): ("64/64", "43.7 s"),
    ("II", "quasi queue", "2x3+3", 0): ("24/32", "8.3 s"),
    ("II", "quasi queue", "3x3+2", 0): ("108/118", "1 min 23 s"),
    ("II", "quasi queue", "3x4+1", 0): ("149/198", "5 min 8 s"),
    ("II", "quasi queue", "4x4+0", 0): ("274/476", "37 min 34 s"),
    ("II", "quasi queue b1", "2x2+4", 0): ("91/91", "17.8 s"),
    ("II", "quasi queue b2", "4+2x2", 0): ("91/91", "18.1 s"),
    ("II", "quasi queue b3", "4+2x2", 0): ("141/141", "26.9 s"),
    ("II", "quasi stack b1", "4+2x2", 0): ("9/9", "1.6 s"),
    ("II", "quasi stack b2", "2x2+4", 0): ("16/16", "2.5 s"),
    ("II", "quasi stack", "2x2+4", 0): ("0/16", "2.5 s"),
    ("II", "quasi priority queue", "2x2+4", 0): ("16/16", "4.9 s"),
    ("II", "quasi priority queue b2", "2x2+4", 0): ("125/125", "27.0 s"),
    ("III", "quasi queue", "2x2+4", 2): ("0/16", "2.9 s"),
    ("III", "quasi queue", "3x3+4", 2): ("0/64", "5 min 33 s"),
    ("III", "quasi queue", "2x3+3", 2): ("0/32", "9.6 s"),
    ("III", "quasi queue", "3x3+2", 2): ("0/118", "1 min 34 s"),
    ("III", "quasi queue", "3x4+1", 2): ("0/198", "5 min 40 s"),
    ("III", "quasi queue", "4x4+0", 2): ("0/476", "40 min 56 s"),
    ("III", "quasi queue", "2x3+3", 3): ("0/32", "14.9 s"),
    ("III", "quasi queue", "3x3+2", 3): ("0/118", "2 min 36 s"),
    ("III", "quasi queue", "3x4+1", 3): ("0/198", "10 min 15 s"),
    ("III", "quasi queue", "4x4+0", 3): ("0/476", "69 min 32 s"),
    ("III", "quasi queue b1", "2x2+4", 2): ("41/91", "20.1 s"),
    ("III", "quasi queue b2", "4+2x2", 2): ("91/91", "20.2 s"),
    ("III", "quasi queue b3", "4+2x2", 2): ("73/141", "31.0 s"),
    ("III", "quasi stack b1", "4+2x2", 2): ("9/9", "3.5 s"),
    ("III", "quasi stack b2", "2x2+4", 2): ("6/16", "2.8 s"),
    ("III", "quasi stack", "2x2+4", 2): ("0/16", "2.8 s"),
    ("III", "quasi priority queue", "2x2+4", 2): ("0/16", "4.7 s"),
    ("III", "quasi priority queue b2", "2x2+4", 2): ("54/125", "20.0 s"),
}
SCAL = {  # put and take, put and put, take and take
    "single-threaded queue": (("0/2", "1.61 s"), ("1/2", "1.78 s"), ("4/8", "7.21 s")),
    "Treiber stack": (("0/8", "7.77 s"), ("0/8", "7.78 s"), ("0/8", "7.63 s")),
    "Michael-Scott queue": (("0/3", "2.94 s"), ("0/31", "32.47 s"), ("0/12", "12.33 s")),
    "random-dequeued queue": (("0/5", "5.97 s"), ("0/31", "37.83 s"), ("0/4", "7.31 s")),
    "bounded k-FIFO": (("0/29", "34.45 s"), ("0/41", "50.98 s"), ("0/24", "28.11 s")),
    "unbounded k-FIFO": (("0/21", "35.71 s"), ("0/41", "61.94 s"), ("0/52", "68.21 s")),
    "k-stack with the fault": (("11/69", "1 min 29 s"), ("0/12", "15.13 s"), ("0/8", "9.46 s")),
}
for _name, _rows in SCAL.items():
    for _calls, _figures in zip(("put and take", "put and put", "take and take"), _rows):
        PAPER["V", _name, f"1x1+12, {_calls}", 2] = _figures

TITLES = {"II": "linearizability", "III": "quasi linearizability", "V": "quasi linearizability, the structures of Scal"}
# Ours takes any of the newest three; the paper's was linearizable.
DIFFERENT = {("II", "quasi stack", "2x2+4", 0)}


def program():
    """The path of bench_roundup; built if it is not given."""
    return PROGRAM or built("bench_roundup")[0]


def rows():
    status, output, _ = start([program()])
    if status != 0:
        raise Failure(f"bench_roundup: status {status}\n{output[-1000:]}")
    for line in output.splitlines():
        table, name, calls, k, *figures, check, elapsed, complete = line.split("\t")
        wrong, histories, executions, nodes = map(int, figures)
        key = (table, name, calls, int(k))
        if complete != "1":
            raise Failure(f"{key}: not every interleaving was run")
        paper = PAPER.get(key, (MISSING, MISSING))
        if paper[0] != MISSING and key not in DIFFERENT and (wrong == 0) != paper[0].startswith("0/"):
            raise Failure(f"{key}: {wrong}/{histories} histories are wrong, in the paper {paper[0]}")
        yield table, (f"| {name} | {calls} | {k} | {wrong}/{histories} | {executions:,} | {nodes:,} | {milliseconds(float(check))} "
                      f"| {milliseconds(float(elapsed))} | {paper[0]} | {paper[1]} |")


def section():
    tables = {}
    for table, row in rows():
        tables.setdefault(table, []).append(row)
    lines = ["## Relaxed structures: the tables of the Round-Up paper", "",
             "The structures of `examples/subjects/quasi`, written anew, so the histories are not the paper's own. 2x3+3: a thread "
             "with two calls, one with three, then three calls in a row; 4+2x2: four calls before the threads. Every interleaving is run, "
             "without a bound; each distinct history is judged. *Judging* is the checker alone, for all of them; *time* is "
             "everything. One core. K = 0 is linearizability. Two differences: the paper's quasi stack was linearizable, ours takes any of the "
             "newest three; and the faults \"removed twice\" and \"null although not empty\" need removals that overlap, hence 4+2x2, where "
             "the paper has 2x2+4.", ""]
    for table, title in TITLES.items():
        lines += [f"### Table {table}: {title}", "",
                  "| structure | program | K | wrong/all histories | executions | search nodes | judging | time | paper: histories | paper: time |",
                  "|---|---|--:|--:|--:|--:|--:|--:|--:|--:|", *tables[table], ""]
    return lines[:-1]
