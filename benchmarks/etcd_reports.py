#!/usr/bin/env python3
"""How long the reports of etcd's robustness tests take, by the number of clients. etcd lowered that from 12 to 8 because Porcupine did not end in
time (etcd f194f4723).

usage: benchmarks/etcd_reports.py [REPORT …]    (make bench-reports)

Reports are drawn: a store with etcd's revisions, clients with the mix of requests of etcd's own traffic (tests/robustness/traffic/etcd.go), calls
that time out, one by one and, while a node is down, all at once. REPORT: folders with client-N/operations.json that etcd has written;
they are measured too. Writes its own section of benchmarks/RESULTS.md.
"""

import heapq
import json
import random
import re
import sys
import tempfile
from pathlib import Path

from measuring import PLUMB, ROOT, Failure, machine, replace_part, run_measured

RESULTS = ROOT / "benchmarks" / "RESULTS.md"
CLIENTS = (8, 12, 16, 24, 32)
SEEDS = 3
PATIENCE = 20
OPERATIONS = 10_000
KEYS = 10
MIX = {"get": 15, "stale get": 10, "list": 15, "stale list": 10, "put": 25, "delete": 5, "several": 5, "put with lease": 5, "revoke": 5, "compare": 5}
TIMES_OUT = 0.01  # of all calls
DOWN = 3  # times that a node is away: every call then fails with this probability
FAILS_WHILE_DOWN = 0.5
FOUND = re.compile(r"(linearizable|violation|unknown).*\[etcd, (\d+) operations(?: \((\d+) pending\))?")


class Store:
    """Keys with revisions; every revision is kept."""

    def __init__(self):
        self.past = [{}]
        self.leases = set()

    @property
    def revision(self):
        return len(self.past)

    def run(self, request):
        """The answer; None where there is an error, as for a lease that is no more."""
        kind = request["Type"]
        if kind == "range":
            return {"Range": self.found(request["Range"], request["Range"]["Revision"] or self.revision)}
        if kind == "leaseGrant":
            self.leases.add(request["LeaseGrant"]["LeaseID"])
            return {"LeaseGrant": {}}
        if kind == "leaseRevoke":
            lease = request["LeaseRevoke"]["LeaseID"]
            self.leases.discard(lease)
            self.advance({key: entry for key, entry in self.past[-1].items() if entry[3] != lease})
            return {"LeaseRevoke": {}}
        txn, now = request["Txn"], dict(self.past[-1])
        holds = all(now.get(each["Key"], (0, 0))[1] == each["ExpectedRevision"] for each in txn["Conditions"])
        steps = txn["OperationsOnSuccess" if holds else "OperationsOnFailure"]
        if any(each.get("Put", {}).get("LeaseID") and each["Put"]["LeaseID"] not in self.leases for each in steps):
            return None
        results = [self.step(each, now) for each in steps]
        self.advance(now)
        return {"Txn": {"Failure": not holds, "Results": results}}

    def advance(self, now):
        if now != self.past[-1]:
            self.past.append(now)

    def step(self, operation, now):
        result = {"KVs": None, "Count": 0, "Deleted": 0}
        if operation["Type"] == "range-operation":
            result |= self.found(operation["Range"], None, now)
        elif operation["Type"] == "delete-operation":
            result["Deleted"] = int(now.pop(operation["Delete"]["Key"], None) is not None)
        else:
            put, key = operation["Put"], operation["Put"]["Key"]
            now[key] = (put["Value"]["Value"], self.revision + 1, now[key][2] + 1 if key in now else 1, put["LeaseID"])
        return result

    def found(self, asked, revision, now=None):
        now = self.past[revision - 1] if now is None else now
        keys = sorted(key for key in now if (asked["Start"] <= key < asked["End"] if asked["End"] else key == asked["Start"]))
        limit = asked["Limit"] or len(keys)
        kvs = [{"Key": key, "Value": {"Value": now[key][0]}, "ModRevision": now[key][1], "Version": now[key][2]} for key in keys[:limit]]
        return {"KVs": kvs, "Count": len(keys)}


class Clients:
    """Requests of many clients at a time, and when each is called, takes effect and returns."""

    def __init__(self, count, seed):
        self.random = random.Random(seed)
        self.store = Store()
        self.count = count
        self.values = 0
        self.leases = []
        self.stream = count

    def report(self, folder):
        """Runs them, and writes what they have recorded."""
        recorded = [[] for _ in range(self.count)]
        streams = list(range(self.count))
        seen = [{} for _ in range(self.count)]
        down = [(at, at + 100 * self.count) for at in (OPERATIONS * (i + 1) // (DOWN + 1) * 1000 // self.count for i in range(DOWN))]
        events, number = [(self.random.randrange(1000), i, "call", i, None) for i in range(self.count)], self.count
        heapq.heapify(events)
        calls = 0
        while events:
            now, _, what, client, call = heapq.heappop(events)
            number += 1
            if what == "call" and calls < OPERATIONS:
                calls += 1
                request = self.request(seen[client])
                is_down = any(begin <= now < end for begin, end in down)
                fails = self.random.random() < (FAILS_WHILE_DOWN if is_down else TIMES_OUT)
                ret = now + self.random.randrange(200, 2000)
                call = {"ClientId": streams[client], "Input": request, "Call": now, "Output": {"Error": "context deadline exceeded"}, "Return": ret}
                recorded[client].append(call)
                if not fails or self.random.random() < 0.5:
                    heapq.heappush(events, (self.random.randrange(now + 1, ret * (10 if fails else 1)), number, "effect", client, (call, fails)))
                if fails and request["Type"] != "range":
                    self.stream += 1
                    streams[client] = self.stream
                heapq.heappush(events, (ret + self.random.randrange(1, 50), number + (1 << 40), "call", client, None))
            elif what == "effect":
                call, fails = call
                answer = self.store.run(call["Input"])
                if not fails and answer is not None:
                    call["Output"] = {**answer, "Revision": self.store.revision}
                    self.learn(call, seen[client])
        for client, operations in enumerate(recorded):
            path = folder / f"client-{client + 1}" / "operations.json"
            path.parent.mkdir(parents=True)
            path.write_text("".join(json.dumps(each) + "\n" for each in operations))

    def learn(self, call, seen):
        for each in (call["Output"].get("Range") or {}).get("KVs", []):
            seen[each["Key"]] = each["ModRevision"]
        seen["revision"] = call["Output"]["Revision"]
        if call["Input"]["Type"] == "leaseGrant":
            self.leases.append(call["Input"]["LeaseGrant"]["LeaseID"])

    def request(self, seen):
        what = self.random.choices(list(MIX), MIX.values())[0]
        key = f"key{self.random.randrange(KEYS)}"
        if what in ("get", "stale get", "list", "stale list"):
            revision = seen.get("revision", 0) if "stale" in what else 0
            return self.of("range", "Range", {"Start": "key" if "list" in what else key, "End": "kez" if "list" in what else "", "Limit": 0, "Revision": revision})
        if what in ("put with lease", "revoke") and not self.leases:
            self.values += 1
            return self.of("leaseGrant", "LeaseGrant", {"LeaseID": self.values})
        if what == "revoke":
            lease = self.leases.pop(self.random.randrange(len(self.leases)))
            return self.of("leaseRevoke", "LeaseRevoke", {"LeaseID": lease})
        condition, otherwise = [], []
        if what == "compare":
            condition, otherwise = [{"Key": key, "ExpectedRevision": seen.get(key, 0)}], [self.read(key)]
        steps = [self.erase(key)] if what == "delete" else [self.put(key, self.random.choice(self.leases) if what == "put with lease" else 0)]
        if what == "several":
            others = self.random.sample([f"key{i}" for i in range(KEYS) if f"key{i}" != key], 2)
            steps += [self.read(others[0]), self.erase(others[1])]
        return self.of("txn", "Txn", {"Conditions": condition, "OperationsOnSuccess": steps, "OperationsOnFailure": otherwise})

    @staticmethod
    def of(kind, name, content):
        return {"Type": kind, "LeaseGrant": None, "LeaseRevoke": None, "Range": None, "Txn": None, "Defragment": None, "Compact": None, name: content}

    def put(self, key, lease):
        self.values += 1
        return {"Type": "put-operation", "Put": {"Key": key, "Value": {"Value": str(self.values)}, "LeaseID": lease}}

    @staticmethod
    def read(key):
        return {"Type": "range-operation", "Range": {"Start": key, "End": "", "Limit": 0}}

    @staticmethod
    def erase(key):
        return {"Type": "delete-operation", "Delete": {"Key": key}}


def spoil(report, seed):
    """One answer of a range, late in the report, tells of a revision before its own."""
    rng = random.Random(seed)
    path = rng.choice(sorted(report.glob("client-*/operations.json")))
    operations = [json.loads(line) for line in path.read_text().splitlines()]
    late = [each for each in operations[len(operations) // 2 :] if each["Output"].get("Range")]
    rng.choice(late)["Output"]["Revision"] -= 3
    path.write_text("".join(json.dumps(each) + "\n" for each in operations))


def measured(report):
    """The outcome, operations, pending ones, and seconds of processor time: the machine may be busy."""
    status, output, used = run_measured([PLUMB, "check", "--timeout", str(PATIENCE), str(report)], timeout=20 * PATIENCE)
    found = FOUND.search(output)
    if found is None:
        raise Failure(f"{report}: status {status}\n{output}")
    return found[1], int(found[2]), int(found[3] or 0), used.ru_utime + used.ru_stime


def told(runs):
    """Several runs as cells: the outcomes, and the times of those that are decided."""
    outcomes = [run[0] for run in runs]
    times = sorted(run[3] for run in runs if run[0] != "unknown")
    shown = ", ".join(f"{outcomes.count(each)} {each}" for each in ("linearizable", "violation", "unknown") if each in outcomes)
    return f"{shown} | {times[len(times) // 2]:.2f} s, worst {times[-1]:.2f} s" if times else f"{shown} | –"


def drawn(folder, clients):
    right, wrong = [], []
    for seed in range(SEEDS):
        report = Path(folder) / f"{clients}-{seed}"
        Clients(clients, seed).report(report)
        right.append(measured(report))
        spoil(report, seed)
        wrong.append(measured(report))
    pending = max(run[2] for run in right)
    return f"| {clients} clients, drawn | {right[0][1]:,} | {pending} | {told(right)} | {told(wrong)} |"


def main():
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for report in sys.argv[1:]:
            run = measured(Path(report))
            rows.append(f"| {Path(report).name}, written by etcd | {run[1]:,} | {run[2]} | {told([run])} | – | – |")
        rows += [drawn(folder, clients) for clients in CLIENTS]
    text = "\n".join([
        "## Reports of etcd's robustness tests", "",
        f"Written by `make bench-reports`, on {machine()}. Drawn reports: {SEEDS} for each number of clients, with the mix of requests of etcd's own traffic on {KEYS} keys, "
        f"{TIMES_OUT:.0%} of calls that time out, and {DOWN} times in which half of them do; spoiled ones have one answer with a revision before its own. Seconds of processor time, the "
        f"one in the middle and the worst; unknown after {PATIENCE} s on the clock. etcd gave its tests 8 clients instead of 12 because Porcupine did not end in time "
        "(etcd f194f4723); Porcupine itself was not measured.", "",
        "| report | operations | at most pending | verdicts | time | spoiled: verdicts | time |", "|---|--:|--:|---|--:|---|--:|", *rows])
    replace_part(RESULTS, "reports", text)
    print(text)


if __name__ == "__main__":
    try:
        main()
    except Failure as failure:
        sys.exit(f"bench-reports: {failure}")
