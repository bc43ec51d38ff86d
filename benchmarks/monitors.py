"""The monitors: beside LiMo, by shape of the history, and how they grow.

LIMO_BENCH names a program around LiMo (see README.md); without it that column is left out. LiMo cannot read a removal
that found nothing: it gets histories that are filled and then drained, which have none.
"""

import json
import os
import statistics
import time

from measuring import BUILD, MISSING, PLUMB, Failure, generate, milliseconds, start

LIMO = os.environ.get("LIMO_BENCH")
MODELS = ("queue", "stack", "priority-queue", "set")
PROFILES = ("balanced", "fill-drain", "bursts")


class Times:
    """Several measurements of the same thing; the best counts."""

    def __init__(self, milliseconds_each):
        self.each = list(milliseconds_each)

    @property
    def best(self):
        return min(self.each)

    def __str__(self):
        median = f" ({milliseconds(statistics.median(self.each))})" if len(self.each) > 1 else ""
        return milliseconds(self.best) + median


def history(folder, model, operations, ending, profile="fill-drain", processes=8, *options):
    name = f"{model}-{operations}-{profile}-{processes}{''.join(options)}.{ending}"
    return generate(folder, name, "--model", model, "--operations", operations, "--processes", processes, "--keys", 24,
                    "--profile", profile, *options)


def check(path, expected="linearizable", options=()):
    """One run of plumb on one core: the milliseconds of the check, of the whole run, and the peak memory in KB."""
    begun = time.monotonic()
    status, output, memory = start([PLUMB, "check", "--json", "--jobs", "1", *options, path])
    whole = 1e3 * (time.monotonic() - begun)
    if status not in (0, 1):
        raise Failure(f"{path}: status {status}\n{output}")
    verdict = json.loads(output)
    if verdict["verdict"] != expected or verdict["engine"] != "monitor":
        raise Failure(f"{path}: {verdict['verdict']} by {verdict['engine']}: {verdict['why']}")
    return verdict["elapsed_ms"], whole, memory


def limo(work, path, runs):
    """LiMo's check and its whole run: Times, or None where it gave up."""
    fields = []
    for _ in range(runs):
        status, output, _ = start([LIMO, work, path])
        if status != 0:
            raise Failure(f"{LIMO} {work} {path}: status {status}\n{output}")
        _, verdict, checked, whole = output.splitlines()[0].rsplit(" ", 3)
        if verdict != "ok":
            return None
        fields.append((float(checked), float(whole)))
    return Times(f[0] for f in fields), Times(f[1] for f in fields)


def table(head, lines):
    return "\n".join("| " + " | ".join(line) + " |" for line in [head, ["---"] * len(head), *lines])


def share(part, whole):
    return f"1/{whole / part:.0f}"


def judged(target, reached):
    return f"{target}: {'reached' if reached else '**missed**'}"


def queue_beside_limo(folder, runs):
    """The whole run, reading included: what a user waits for."""
    lines = []
    for operations in (100_000, 1_000_000):
        whole = {ending: Times(check(history(folder, "queue", operations, ending))[1] for _ in range(runs))
                 for ending in ("jsonl", "plumb")}
        line = [f"{operations:,}", str(whole["jsonl"]), str(whole["plumb"])]
        peer = limo("queue", history(folder, "queue", operations, "hist"), min(runs, 3)) if LIMO else None
        if peer:
            limo_whole = peer[1]
            line += [str(limo_whole), share(whole["jsonl"].best, limo_whole.best), share(whole["plumb"].best, limo_whole.best),
                     judged("≤ 1/10 and ≤ 1/50", whole["jsonl"].best <= limo_whole.best / 10
                            and whole["plumb"].best <= limo_whole.best / 50)]
        else:
            line += [MISSING, MISSING, MISSING, "≤ 1/10 and ≤ 1/50 of LiMo"]
        lines.append(line)
    return table(["operations", "plumb, JSONL", "plumb, binary", "LiMo, its text", "JSONL / LiMo", "binary / LiMo",
                  "must reach"], lines)


def stack_beside_limo(folder, runs):
    lines = []
    for operations in (10_000, 100_000, 1_000_000):
        own = Times(check(history(folder, "stack", operations, "plumb"))[0] for _ in range(runs))
        peer = None
        if LIMO:
            peer = limo("stack", history(folder, "stack", operations, "hist"), 1)
        shown = [str(peer[0]), share(own.best, peer[0].best)] if peer else ["gave up" if LIMO else MISSING, MISSING]
        lines.append([f"{operations:,}", str(own), *shown,
                      judged("≤ 500 ms", own.best <= 500) if operations == 1_000_000 else ""])
    return table(["operations", "plumb", "LiMo", "plumb / LiMo", "must reach"], lines)


def by_shape(folder, runs):
    """A million operations; the spoiled twins must be found out, and take as long."""
    limits = {"stack": 500, "priority-queue": 500}
    lines = []
    for profile in PROFILES:
        for processes in (8, 32):
            line = [f"{profile}, {processes} processes"]
            for model in MODELS:
                good = Times(check(history(folder, model, 1_000_000, "plumb", profile, processes))[0] for _ in range(runs))
                bad = history(folder, model, 1_000_000, "plumb", profile, processes, "--spoil")
                spoiled = Times([check(bad, "violation")[0]])
                limit = limits.get(model)
                mark = "" if limit is None or good.best <= limit else " **missed**"
                line.append(f"{good}; spoiled {spoiled}{mark}")
            lines.append(line)
    return table(["history", *(f"{m} (≤ {limits[m]} ms)" if m in limits else m for m in MODELS)], lines)


def small_set(folder, runs):
    path = generate(folder, "set-280000.plumb", "--model", "set", "--operations", 280_000, "--processes", 4, "--keys", 24,
                    "--overlap", 1)
    own = Times(check(path)[0] for _ in range(runs))
    return f"Set, 280,000 operations on 24 keys, check: {own}; {judged('≤ 15 ms', own.best <= 15)}."


OWN_QUEUE = """#include <plumb/object_model.hpp>
struct Jobs {
  std::deque<long> waiting;
  void push(long job) { waiting.push_back(job); }
  std::optional<long> pop() {
    if (waiting.empty()) return std::nullopt;
    const long first = waiting.front();
    waiting.pop_front();
    return first;
  }
  auto fields() const { return std::tie(waiting); }
};
PLUMB_MODEL(Jobs, model) {
  model.operation("enqueue", &Jobs::push);
  model.operation("dequeue", &Jobs::pop);
  model.behaves_as(plumb::Family::kQueue);
}
"""


def own_class(folder, runs):
    """The same history by the built-in queue, and by a class that says it is one: compiled before, tested in every run."""
    spec = folder / "jobs.cpp"
    spec.write_text(OWN_QUEUE, encoding="utf-8")
    path = history(folder, "queue", 1_000_000, "jsonl", "balanced")
    check(path, options=("--spec", str(spec)))
    built_in = [check(path) for _ in range(runs)]
    own = [check(path, options=("--spec", str(spec))) for _ in range(runs)]
    lines = [[name, str(Times(m[0] for m in measured)), str(Times(m[1] for m in measured))]
             for name, measured in (("the built-in queue", built_in), ("a class of one's own, behaves_as", own))]
    ratio = Times(m[1] for m in own).best / Times(m[1] for m in built_in).best
    return table(["model", "check", "whole run, JSONL"], lines) + f"\n\nThe whole run: {ratio:.2f} × the time."


def growth(folder, runs):
    """From one million to ten, read from binary; beside a single pass over the bytes of the history in memory."""
    lines = []
    for model in ("queue", "set", "stack", "priority-queue"):
        before = None
        for operations in (1_000_000, 10_000_000):
            path = history(folder, model, operations, "plumb", "balanced")
            measured = [check(path) for _ in range(runs)]
            own = Times(m[0] for m in measured)
            status, output, read_memory = start([str(BUILD / "benchmarks" / "bench_read"), path, "1"])
            if status != 0:
                raise Failure(f"bench_read {path}: status {status}\n{output}")
            one_pass = float(output.split()[4])
            beyond = (max(m[2] for m in measured) - read_memory) * 1024 / operations
            rate = operations / own.best / 1e3
            line = [model, f"{operations:,}", str(own), f"{rate:.1f} million/s", f"{own.best / one_pass:.0f}",
                    f"{max(0, beyond):.0f} bytes"]
            if operations == 10_000_000:
                wanted = [("≤ 13 × the time", own.best <= 13 * before), ("≤ 64 bytes", beyond <= 64)]
                if model in ("queue", "set"):
                    wanted.append(("≥ 20 million/s", rate >= 20))
                line += [f"{own.best / before:.1f}", "; ".join(judged(*w) for w in wanted)]
                os.remove(path)
            else:
                line += ["", ""]
            before = own.best
            lines.append(line)
    return table(["model", "operations", "check", "rate", "passes over memory", "memory beyond the history, an operation",
                  "growth", "must reach"], lines)


def monitor_sections(folder, runs):
    return [
        ("Monitors: queue, the whole run, beside LiMo (filled, then drained; 8 processes; one core)",
         queue_beside_limo(folder, runs)),
        ("Monitors: stack, the check, beside LiMo (filled, then drained; 8 processes; one core)",
         stack_beside_limo(folder, runs)),
        ("Monitors: a million operations, by shape, one core", by_shape(folder, min(runs, 3)) + "\n\n" + small_set(folder, runs)),
        ("Monitors: a user's own queue class, a million operations, one core", own_class(folder, runs)),
        ("Monitors: growth, one core, from binary", growth(folder, min(runs, 3))),
    ]
