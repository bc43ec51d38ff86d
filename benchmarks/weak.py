#!/usr/bin/env python3
"""The C++ memory model: writes its own sections of benchmarks/RESULTS.md.

usage: benchmarks/weak.py [--only TEXT] [--budget S] [--output FILE]

Libraries as they come, under RC11 alone: everything of 2x1, 3x1 and 2x2, in a budget for each; the programs are those of examples/subjects
(SUBJECTS names their folder unless it is build/examples/subjects). Memory orders of ten structures, weakened one at a time. What judging
executions for every client costs beside exploring them.
"""

import argparse
import json
import os
import sys
from pathlib import Path

from measuring import MISSING, ROOT, Failure, built, milliseconds, replace_part, run_measured, start

SUBJECTS = Path(os.environ.get("SUBJECTS", ROOT / "build" / "examples" / "subjects"))
LIBRARIES = [
    ("libcds 2.3.3", "cds_msqueue", ("CdsMsQueue", "CdsMsQueueSeqCst", "CdsMsQueueRepaired")),
    ("libcds 2.3.3", "cds_structures", ("CdsMoirQueue", "CdsOptimisticQueue", "CdsBasketQueue", "CdsTreiberStack")),
    ("libcds 2.3.3", "cds_queues", ("CdsRwQueue", "CdsVyukovQueue")),
    ("oneTBB 2021.8", "tbb_containers", ("TbbQueue", "TbbBoundedQueue", "TbbHashMap", "TbbUnorderedMap")),
    ("Boost 1.74", "boost_lockfree", ("BoostQueue", "BoostStack", "BoostSpscQueue")),
    ("moodycamel 1.0.3", "moodycamel_queue", ("MoodycamelQueue", "MoodycamelQueueOfEachProducer")),
    ("readerwriterqueue 1.0.6", "small_queues", ("ReaderWriterQueue",)),
    ("atomic_queue (2022-05-18)", "small_queues", ("AtomicQueue", "AtomicQueue2", "AtomicQueueOrdered")),
    ("xenium 0.0.2", "xenium", ("XeniumMsQueue", "XeniumRamalheteQueue", "XeniumRamalheteFull", "XeniumVyukovQueue",
                                "XeniumDeque", "XeniumSeqLock", "XeniumLeftRight")),
    ("Concurrency Kit 0.7.1", "ck_structures", ("CkStack", "CkFifo", "CkRing", "CkRingOfMany")),
    ("libstdc++ 12", "std_primitives", ("StdSemaphore", "StdLatch", "StdBarrier", "StdAtomicFlag", "StdPromise",
                                        "StdStopSource", "StdAtomicSharedPtr", "StdMutex")),
]


def table(head, lines):
    return "\n".join("| " + " | ".join(cells) + " |" for cells in [head, ["---"] * len(head), *lines])


def library_line(library, program, test, budget):
    path = SUBJECTS / f"subject_{program}"
    command = [str(path), "--filter", test, "--json", "--quiet", "--memory-model", "rc11", "--threads", "3", "--operations", "2",
               "--budget", str(budget)]
    status, output, usage = run_measured(command, budget + 600)
    found = [json.loads(line) for line in output.splitlines() if line.startswith("{")]
    found = [result for result in found if result["test"] == test]
    if status not in (0, 1, 3) or not found:
        raise Failure(f"{' '.join(command)}: status {status}\n{output}")
    result = found[0]
    scenario = " \\| ".join(" ".join(thread) for thread in result.get("scenario", []))
    small = result.get("campaign", {}).get("small", [])
    explored = (f"{sum(shape['scenarios'] for shape in small)} of {sum(shape['of'] for shape in small)} small scenarios" if small
                else f"{result['finished']} of {result['planned']} scenarios" if "planned" in result else MISSING)
    verdict = result.get("kind", result["verdict"])
    print(f"bench: {test}: {verdict}", file=sys.stderr)
    return [library, test, verdict, f"`{scenario}`" if scenario else explored,
            f"{result['executions']:,}", milliseconds((usage.ru_utime + usage.ru_stime) * 1e3)]


def libraries(budget, only):
    lines = []
    for library, program, tests in LIBRARIES:
        if not (SUBJECTS / f"subject_{program}").exists():
            print(f"bench: {library} is left out: there is no subject_{program}", file=sys.stderr)
            continue
        lines += [library_line(library, program, test, budget) for test in tests if only in test]
    return table(["library", "class", "verdict", "smallest scenario that fails, or what was exhausted", "executions",
                  "processor time"], lines)


def rows(program, what):
    status, output, _ = start([program, what])
    if status != 0:
        raise Failure(f"{program} {what}: status {status}\n{output}")
    return [json.loads(line) for line in output.splitlines()]


def mutants(program):
    return table(["structure", "order, weakened", "found", "executions", "time"],
                 [[row["structure"], row["weakened"], row["found"] or f"harmless: {row['harmless']}",
                   f"{row['executions']:,}", milliseconds(row["processor_seconds"] * 1e3)] for row in rows(program, "mutants")])


def clients(program):
    return table(["scenario", "executions", "judged", "exploring alone", "with judging, serial runs included", "ratio"],
                 [[row["name"], f"{row['executions']:,}", f"{row['judged']:,}",
                   milliseconds(row["exploring_seconds"] * 1e3), milliseconds(row["judging_seconds"] * 1e3),
                   f"{row['judging_seconds'] / row['exploring_seconds']:.1f}"] for row in rows(program, "clients")])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="", help="only classes of libraries with this in their name; prints, writes nothing")
    parser.add_argument("--budget", type=int, default=15, help="seconds for each class of a library (15)")
    parser.add_argument("--output", default=str(ROOT / "benchmarks" / "RESULTS.md"))
    options = parser.parse_args()
    if not any(SUBJECTS.glob("subject_*")):
        raise Failure(f"there are no programs in {SUBJECTS} (SUBJECTS names another folder); 'make bench-weak' builds them first")
    load = os.getloadavg()[0]
    sections = [(f"The C++ memory model: libraries as they come (under RC11, {options.budget} s each)",
                 f"Load average before the run {load:.1f}. What each means stands in [memory.md](../docs/memory.md#libraries-as-they-come).\n\n"
                 + libraries(options.budget, options.only))]
    if not options.only:
        program = built("bench_weak")[0]
        sections.append(("The C++ memory model: orders of ten structures, each weakened by itself", mutants(program)))
        sections.append(("The C++ memory model: judging executions for every client", clients(program)))
    text = "\n\n".join(f"## {title}\n\n{body}" for title, body in sections)
    print(text)
    if not options.only:
        replace_part(Path(options.output), "weak", text)
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except (Failure, OSError) as error:
        print(f"bench: {error}", file=sys.stderr)
        sys.exit(2)
    except KeyboardInterrupt:
        sys.exit(130)
