#!/usr/bin/env python3
"""Tests of classes that are made from templates: every primitive, half of the classes wrong. What is right must pass, what is
wrong must be found.

usage: classes.py PREFIX WORK [--seed N] [--count N] [--rounds N | --minutes N] [--compiler NAME]…

PREFIX is where plumb is installed, WORK a folder for what is built. Each round draws classes by its seed, and for each
compiler one of -O0 to -O3. A disagreement leaves its program in WORK and ends with status 1.
"""
import argparse
import json
import os
import pathlib
import random
import re
import subprocess
import sys
import time

OBJECTS = ["Counter", "Queue", "Stack", "Dictionary", "Distinct", "Text", "Block", "Record"]
GUARDS = ["Mutex", "TimedMutex", "Recursive", "RecursiveTimed", "SharedMutex", "SharedTimed", "TryAgain", "TrySpin", "Flag",
          "FlagThatWaits", "Swapped", "Compared", "Ticket", "TicketThatWaits", "Semaphore", "SemaphoreInTime", "Condition",
          "ConditionAny", "ConditionInTime", "Posix", "PosixSpin", "PosixShared", "PosixSemaphore", "OfC", "ConditionOfC"]
SIGNALS = ["ConditionSignal", "ConditionAnySignal", "PosixSignal", "SignalOfC", "AtomicSignal", "SemaphoreSignal",
           "PosixSemaphoreSignal"]
HELPERS = ["kThread", "kJoiningThread", "kAsync", "kPromise", "kPackagedTask", "kLatch", "kBarrier"]
DEADLOCK = {"stuck", "livelock"}  # a loop that tries again and again never stands still
RACE = {"race", "use-after-free"}  # one frees what the other reads, and neither happens before the other: a vector that grows
WRONG = {"OppositeOrders": DEADLOCK, "UnlockedChange": RACE, "UnlockedLook": RACE, "OtherGuard": RACE,
         "LostUpdate": {"not-linearizable"}, "LateAnswer": {"not-linearizable"}}
# libstdc++'s semaphores can miss a wake-up, with two threads (GCC bug 104928): a class made of one may be stuck, right or wrong.
MISSES_WAKE_UPS = re.compile(r"hunt::Semaphore(Signal)?\b")
LOCK_FREE = {"CopyOnWrite<{object}, {right}>": {"not-linearizable"}, "Sum<{right}>": {"not-linearizable"},
             "Largest<{right}>": {"not-linearizable"}, "SequenceLock<{right}>": {"not-linearizable"},
             "Treiber<{right}>": {"not-linearizable"}, "Lazy<{right}>": {"race"}}


def draw(rng):
    """A class as (its C++ type, the names of its operations, the kinds of violation that are right; none: it passes)."""
    right = rng.random() < 0.5
    kind = rng.choice(["guarded"] * 5 + ["signal"] * 2 + ["lock-free"] * 2 + ["helped"])
    if kind == "guarded":
        discipline = rng.choice(["Locked", "Locked", "LockedTwice"] if right else list(WRONG))
        cpp = f"hunt::{discipline}<hunt::{rng.choice(OBJECTS)}, hunt::{rng.choice(GUARDS)}>"
        return cpp, "change look", set() if right else WRONG[discipline]
    if kind == "signal":
        telling = "kRight" if right else rng.choice(["kNever", "kTooEarly"])
        return f"hunt::Box<hunt::{rng.choice(SIGNALS)}, hunt::Telling::{telling}>", "put take", set() if right else DEADLOCK
    flag = "true" if right else "false"
    if kind == "helped":
        return f"hunt::Helped<hunt::Helper::{rng.choice(HELPERS)}, {flag}>", "change look", set() if right else {"race"}
    template, found = rng.choice(list(LOCK_FREE.items()))
    cpp = "hunt::" + template.format(object="hunt::" + rng.choice(OBJECTS), right=flag)
    return cpp, "change look", set() if right else found


# In these every fault shows; a class gets some more, of the same size, at random.
SCENARIOS = {"change look": ["change(1) look() | change(2) look()", "change(1) change(0) | change(2) change(0)"],
             "put take": ["put(1) | take()", "put(1) take() | put(2) take()"]}


def scenarios(rng, operations):
    calls = [f"{operations.split()[0]}({v})" for v in (1, 2)] + [f"{operations.split()[1]}()"]
    return SCENARIOS[operations] + [" | ".join(" ".join(rng.choices(calls, k=2)) for _ in range(2)) for _ in range(2)]


def in_cpp(scenario):
    """A scenario, "put(1) | take()", as the argument of test.scenario."""
    call = lambda text: re.sub(r"(\w+)\((.*)\)", lambda m: f'plumb::call("{m[1]}"' + (", " + m[2] if m[2] else "") + ")", text)
    return "{" + ", ".join("{" + ", ".join(map(call, thread.split())) + "}" for thread in scenario.split("|")) + "}"


def source(rng, classes):
    lines = ["#include <plumb/plumb.hpp>", ""]
    lines += [f'#include "{header}"' for header in ["disciplines.hpp", "guards.hpp", "lock_free.hpp", "signals.hpp"]]
    for i, (cpp, operations, _) in enumerate(classes):
        first, second = operations.split()
        values = "0, 1, 2" if first == "change" else "1, 2"
        lines += ["", f"struct Class{i} : {cpp} {{}};", f"PLUMB_TEST(Class{i}, test) {{",
                  f'  test.operation("{first}", &Class{i}::{first}, plumb::values({values}));',
                  f'  test.operation("{second}", &Class{i}::{second});']
        lines += [f"  test.scenario({in_cpp(scenario)});" for scenario in scenarios(rng, operations)] + ["}"]
    return "\n".join(lines) + "\n"


def build(folder, prefix, compiler, level):
    """The program of the classes in folder, as a user of the package would build it."""
    here = pathlib.Path(__file__).resolve().parent
    run = lambda *command: subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    run("cmake", "--fresh", "-S", here, "-B", folder / "build", "-G", "Ninja", f"-DCMAKE_PREFIX_PATH={prefix}", "-DCMAKE_BUILD_TYPE=None",
        f"-DCMAKE_CXX_COMPILER={compiler}", f"-DCMAKE_CXX_FLAGS={level}", f"-DPLUMB_HUNT_SOURCE={folder / 'classes.cpp'}")
    run("cmake", "--build", folder / "build")
    return folder / "build" / "classes"


def misses_wake_up(program, result, cpp):
    """The fault of libstdc++, not of plumb: the replayed execution ends with a thread that waits on a semaphore's futex."""
    if result["kind"] != "stuck" or not MISSES_WAKE_UPS.search(cpp):
        return False
    report = subprocess.run([program, "--replay", result["replay"]], text=True, stdout=subprocess.PIPE, check=False).stdout
    return "waits: notification of" in report


def agrees(program, result, cpp, kinds):
    """Whether plumb is right about a class. That the time was too short is said of right classes only: faults are found soon."""
    if result["verdict"] == "violation":
        return result["kind"] in kinds or misses_wake_up(program, result, cpp)
    return not kinds and (result["verdict"] == "pass" or result.get("ended_by") == "timeout")


def judge(program, classes, unfinished):
    """What plumb says of each class and should not have said, as lines; adds those for which the time was too short to unfinished."""
    out = subprocess.run([program, "--samples", "100", "--timeout", "120", "--json", "--quiet"], text=True,
                         stdout=subprocess.PIPE, check=False).stdout
    said = {result["test"]: result for result in map(json.loads, out.splitlines())}
    for i, (cpp, _, kinds) in enumerate(classes):
        result = said.get(f"Class{i}", {"verdict": "nothing"})
        if agrees(program, result, cpp, kinds):
            if result["verdict"] == "unknown":
                unfinished.append(cpp)
        else:
            wanted = f"violation ({' or '.join(sorted(kinds))})" if kinds else "pass"
            got = " ".join(str(result[key]) for key in ("verdict", "kind", "message") if key in result)
            yield f"Class{i}, {cpp}: {wanted} is right, but it says: {got}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("prefix", type=pathlib.Path)
    parser.add_argument("work", type=pathlib.Path)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=24, help="classes a round")
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--minutes", type=float, help="as many rounds as fit")
    parser.add_argument("--compiler", action="append", help="g++ and clang++-14 where they are installed")
    given = parser.parse_args()
    os.environ.setdefault("CCACHE_DISABLE", "1")  # no program is built twice
    compilers = given.compiler or [name for name in ("g++", "clang++-14")
                                   if subprocess.run(["which", name], stdout=subprocess.DEVNULL, check=False).returncode == 0]
    end = time.monotonic() + 60 * given.minutes if given.minutes else None
    tried, rounds, unfinished = 0, 0, []
    while time.monotonic() < end if end else rounds < given.rounds:
        seed = given.seed + rounds
        rng = random.Random(seed)
        classes = [draw(rng) for _ in range(given.count)]
        for compiler in compilers:
            level = f"-O{rng.randrange(4)}"
            folder = given.work.resolve() / compiler
            folder.mkdir(parents=True, exist_ok=True)
            (folder / "classes.cpp").write_text(source(rng, classes), encoding="utf-8")
            wrong = list(judge(build(folder, given.prefix.resolve(), compiler, level), classes, unfinished))
            if wrong:
                print(f"seed {seed}, {compiler} {level}: the program is {folder / 'build' / 'classes'}", *wrong, sep="\n")
                sys.exit(1)
            tried += len(classes)
        rounds += 1
    for cpp in unfinished:
        print(f"  not finished in two minutes: {cpp}")
    print(f"classes: {tried} tried in {rounds} rounds with {' and '.join(compilers)}, {len(unfinished)} not finished, 0 disagreements")
    if unfinished and not given.minutes:  # the classes of a seed that is given are known to finish
        sys.exit(1)


if __name__ == "__main__":
    main()
