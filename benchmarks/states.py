#!/usr/bin/env python3
"""Searches of states that come to an end: writes its own section of benchmarks/RESULTS.md.

usage: benchmarks/states.py [--only TEXT] [--seconds S] [--output FILE]

Each row is one run of a test program with `--strategy states`, as a user would start it; what is not exhausted within the seconds, when it
is asked to end, counts as missing. The machine is often shared, so processor time stands beside the time by the clock. The programs are those of
examples/subjects (SUBJECTS names their folder unless it is build/examples/subjects) and build/benchmarks/bench_states.
"""

import argparse
import datetime
import json
import os
import sys
import time
from dataclasses import dataclass
from pathlib import Path

from measuring import MISSING, ROOT, Failure, memory_text, replace_part, run_measured

SUBJECTS = Path(os.environ.get("SUBJECTS", ROOT / "build" / "examples" / "subjects"))
TITLE = "States: searches that end (two processes)"


@dataclass
class Row:
    what: str
    program: Path
    test: str
    options: tuple
    before: str  # by schedules, the first measurement of the task
    goal: str


def rows():
    own = ROOT / "build" / "benchmarks" / "bench_states"
    bound, every = ("--samples", "100"), ("--samples", "100", "--preemptions", "-1")
    small = ("--samples", "100", "--operations", "3", "--threads", "2", "--preemptions", "-1")
    libraries = (("boost_lockfree", "BoostQueue"), ("boost_lockfree", "BoostStack"), ("tbb_containers", "TbbQueue"),
                 ("cds_queues", "CdsVyukovQueue"), ("ck_structures", "CkStack"))
    return [
        Row("Treiber, 100 of 3x3, bound 2", own, "TreiberStack", bound, "204 s", "12 s"),
        Row("Michael-Scott, 100 of 3x3, bound 2", own, "MichaelScottQueue", bound, "2,285 s", "30 s"),
        Row("Treiber, 100 of 2x3, no bound", own, "TreiberStack", small, MISSING, "2 s"),
        Row("Michael-Scott, 100 of 2x3, no bound", own, "MichaelScottQueue", small, MISSING, "2 s"),
        Row("BoostQueue, 100 of 2x3, no bound", SUBJECTS / "subject_boost_lockfree", "BoostQueue", small, MISSING, "2 s"),
        Row("Treiber, 100 of 3x3, no bound", own, "TreiberStack", every, "never", "120 s"),
        *(Row(f"{test}, 20 of 3x3, bound 2", SUBJECTS / f"subject_{program}", test, ("--samples", "20"), "never", "20 s")
          for program, test in libraries),
    ]


def measure(row, seconds):
    """The cells of a row; None: there is no such program."""
    if not row.program.exists():
        print(f"bench: {row.what} is left out: there is no {row.program}", file=sys.stderr)
        return None
    # Without a time-out of its own: with one, a scenario that needs more than its share is given up and begun anew.
    command = ["timeout", "--preserve-status", str(seconds), str(row.program), "--filter", row.test, "--strategy", "states", "--json", "-q",
               "--jobs", "2", *row.options]
    begin = time.monotonic()
    status, output, usage = run_measured(command, seconds + 60)
    elapsed = time.monotonic() - begin
    if status not in (0, 3):
        raise Failure(f"{' '.join(command)}: status {status}\n{output}")
    found = json.loads(output.splitlines()[-1])
    done = f"{found['finished']} of {found['planned']}"
    if found.get("by_schedules"):
        done += f" ({found['by_schedules']} by schedules)"
    print(f"bench: {row.what}: {done} in {elapsed:.1f} s", file=sys.stderr)
    return [row.what, done, f"{elapsed:.1f} s", f"{usage.ru_utime + usage.ru_stime:.1f} s", memory_text(usage.ru_maxrss), row.before,
            row.goal]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=int, default=300, help="for one row at most (300)")
    parser.add_argument("--only", default="", help="only rows with this in their name; prints, writes nothing")
    parser.add_argument("--output", default=str(ROOT / "benchmarks" / "RESULTS.md"))
    options = parser.parse_args()
    load = os.getloadavg()[0]
    lines = [cells for row in rows() if options.only in row.what and (cells := measure(row, options.seconds))]
    head = ["search", "exhausted", "time", "processor", "peak memory of a process", "by schedules, before", "goal, quiet machine"]
    text = (f"## {TITLE}\n\n{datetime.datetime.now():%Y-%m-%d %H:%M}, load average before the run {load:.1f}; races included where the "
            f"test asks for them; at most {options.seconds} s each.\n\n")
    text += "\n".join("| " + " | ".join(cells) + " |" for cells in [head, ["---"] * len(head), *lines])
    print(text)
    if not options.only:
        replace_part(Path(options.output), "states", text)
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except (Failure, OSError) as error:
        print(f"bench: {error}", file=sys.stderr)
        sys.exit(2)
    except KeyboardInterrupt:
        sys.exit(130)
