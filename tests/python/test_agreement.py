"""The package says what the command says: of the histories of the examples, and of random ones of every model."""

import json
import unittest

import plumb
from case import SOURCE, Case, command_says

MEMBERS = {"verdict": "outcome", "engine": "engine", "why": "why", "model": "model"}


class Agreement(Case):
    def agree(self, path, model=None, options=(), **arguments):
        said, errors = command_says(path, *(["--model", model] if model else []), *options)
        histories = plumb.read(path)
        self.assertEqual(len(said), len(histories), errors)
        for line, history in zip(said, histories):
            verdict = plumb.check(history, model, **arguments)
            for member, attribute in MEMBERS.items():
                self.assertEqual(line[member], getattr(verdict, attribute), f"{path}: {member}")
            self.assertEqual(line["operations"], len(history))
            self.assertEqual(line["pending"], history.pending)
            self.assertEqual(line["processes"], history.processes)
            violation = line.get("violation")
            self.assertEqual(violation and violation["operations"], verdict.core)
            self.assertEqual(violation and violation["reason"], verdict.reason)
            self.assertEqual(violation and violation["allowed"], verdict.allowed)
            self.assertEqual(line.get("relax", {}), verdict.relax)

    def test_examples(self):
        models = {"failover.edn": "map", "register-jepsen.log": "register"}
        files = sorted((SOURCE / "examples" / "histories").iterdir())
        self.assertTrue(files)
        for path in files:
            model = models.get(path.name)
            if model and plumb.read(path)[0].model:
                model = None
            with self.subTest(path.name):
                self.agree(path, model)

    def test_random_histories_of_every_model(self):
        for model in plumb.models():
            for spoil in (False, True):
                for seed in (1, 2):
                    with self.subTest(model, spoil=spoil, seed=seed):
                        path = self.folder / "history.jsonl"
                        plumb.generate(model, 60, seed=seed, spoil=spoil, pending=0.05).write(path)
                        self.agree(path)
                        verdict = plumb.check(path)
                        self.assertEqual(verdict.outcome, "violation" if spoil else "linearizable")

    def test_engines(self):
        for spoil in (False, True):
            path = self.folder / "history.jsonl"
            plumb.generate("register", 16, seed=3, spoil=spoil).write(path)
            for engine in ("auto", "frontier", "wgl", "brute", "hitting"):
                with self.subTest(engine, spoil=spoil):
                    self.agree(path, options=["--engine", engine], engine=engine)
                    if engine != "frontier":  # which is not for registers
                        self.assertEqual(bool(plumb.check(path, engine=engine)), not spoil)

    def test_hitting_families(self):
        path = self.folder / "history.jsonl"
        plumb.generate("queue", 24, seed=4).write(path)
        for only in (False, True):
            self.agree(path, options=["--engine", "hitting", "--max-depth", "1", *(["--only"] if only else [])], engine="hitting", max_depth=1, only=only)
        said, _ = command_says(path, "--engine", "hitting")
        self.assertEqual(plumb.check(path, engine="hitting").depth, said[0]["depth"])

    def test_relaxation(self):
        path = self.file(
            "history.jsonl",
            "".join(
                json.dumps({"process": 0, "f": f, "args": args, "result": result, "call": 2 * i, "return": 2 * i + 1}) + "\n"
                for i, (f, args, result) in enumerate(
                    [("enqueue", [1], None), ("enqueue", [2], None), ("enqueue", [3], None), ("dequeue", [], 3), ("dequeue", [], 1), ("dequeue", [], 2)]
                )
            ),
        )
        for relax in ("dequeue=0", "dequeue=1", "dequeue=2", "dequeue=?"):
            with self.subTest(relax):
                self.agree(path, "queue", ["--relax", relax], relax=relax)
        self.assertEqual(plumb.check(path, "queue", relax={"dequeue": "?"}).relax, {"dequeue": 2})
        self.assertTrue(plumb.check(path, "queue", relax={"dequeue": 2}))
        self.assertFalse(plumb.check(path, "queue", relax=["dequeue=1"]))

    def test_clock_error(self):
        path = self.file(
            "stale.jsonl",
            '{"process":0,"f":"write","args":[1],"call":0,"return":5000}\n{"process":1,"f":"read","result":null,"call":7000,"return":9000}\n',
        )
        for error, unit in ((0, "us"), (0.9, "us"), (1, "us"), (0.001, "ns"), (1, "ms")):
            with self.subTest(error=error, unit=unit):
                options = ["--clock-error", str(error), "--time-unit", unit]
                self.agree(path, "register", options, clock_error=error, time_unit=unit)
        self.assertFalse(plumb.check(path, "register", clock_error=0.9, time_unit="us"))
        self.assertTrue(plumb.check(path, "register", clock_error=1, time_unit="us"))
        for wrong in ({"clock_error": -1}, {"clock_error": 1, "time_unit": "h"}):
            with self.assertRaises(plumb.InputError):
                plumb.check(path, "register", **wrong)

    def test_a_model_in_cpp(self):
        path = self.file(
            "account.cpp",
            """#include <plumb/object_model.hpp>
               struct Account {
                 long balance = 0;
                 void deposit(long n) { balance += n; }
                 long read() const { return balance; }
                 bool operator==(const Account&) const = default;
                 auto fields() const { return std::tie(balance); }
               };
               PLUMB_MODEL(Account, model) {
                 model.operation("deposit", &Account::deposit);
                 model.operation("read", &Account::read);
               }""",
        )
        account = plumb.spec(path)
        self.assertEqual(account.name, "Account")
        self.assertTrue(plumb.check([(0, "deposit", [5], None, 0, 1), (0, "read", [], 5, 2, 3)], account))
        self.assertFalse(plumb.check([(0, "deposit", [5], None, 0, 1), (0, "read", [], 6, 2, 3)], account))


if __name__ == "__main__":
    unittest.main()
