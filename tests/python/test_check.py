"""plumb.check: what it takes, what it answers, how it ends."""

import math
import os
import pathlib
import pickle
import signal
import subprocess
import sys
import threading
import time
import unittest

import plumb
from case import ENDLESS, PATIENCE, SOURCE, Case

DICTIONARIES = [
    {"process": 0, "f": "enqueue", "args": [1], "result": None, "call": 0, "return": 5},
    {"process": 1, "f": "dequeue", "args": [], "result": 1, "call": 2, "return": 9},
]
TUPLES = [(0, "enqueue", [1], None, 0, 5), (1, "dequeue", [], 1, 2, 9)]
TWICE = [(0, "enqueue", [1], None, 0, 5), (1, "dequeue", [], 1, 2, 9), (0, "dequeue", [], 1, 10, 12)]
VIOLATION = SOURCE / "examples" / "histories" / "queue-violation.jsonl"


class Given(Case):
    def test_the_contract(self):
        verdict = plumb.check(DICTIONARIES, model="queue")
        self.assertEqual(verdict.outcome, "linearizable")
        self.assertIs(bool(verdict), True)
        self.assertEqual(verdict.linearization, [0, 1])
        self.assertIsNone(verdict.core)
        self.assertIsNone(verdict.reason)

    def test_a_violation(self):
        verdict = plumb.check(TWICE, "queue")
        self.assertEqual(verdict.outcome, "violation")
        self.assertFalse(verdict)
        self.assertIn(2, verdict.core)
        self.assertEqual(verdict.stuck, 2)
        self.assertEqual(verdict.allowed, [None])
        self.assertIn("dequeue", verdict.reason)
        self.assertIn(verdict.reason, repr(verdict))
        self.assertIsNone(verdict.linearization)
        self.assertFalse(plumb.check([TWICE[i] for i in verdict.core], "queue"), "the core alone proves it")

    def test_every_way_to_give_operations(self):
        text = plumb.history(DICTIONARIES).text()
        events = [
            {"process": 0, "type": "invoke", "f": "enqueue", "value": 1},
            {"process": 0, "type": "ok", "f": "enqueue", "value": 1},
        ]
        path = self.file("history.jsonl", text)
        for given in (DICTIONARIES, TUPLES, iter(TUPLES), tuple(TUPLES), [list(each) for each in TUPLES], text,
                      text.encode(), bytearray(text.encode()), path, str(path), plumb.read(path)[0],
                      list(plumb.read(path)[0]), events):
            with self.subTest(type(given).__name__):
                self.assertTrue(plumb.check(given, "queue"))

    def test_every_format(self):
        history = plumb.generate("register", 30, seed=5)
        for name in ("a.jsonl", "a.edn", "a.plumb", "a.jsonl.gz", "a.jsonl.zst"):
            with self.subTest(name):
                history.write(self.folder / name)
                (again,) = plumb.read(self.folder / name)
                self.assertEqual(len(again), len(history))
                self.assertTrue(plumb.check(again, "register"))
                self.assertTrue(plumb.check((self.folder / name).read_bytes(), "register"))

    def test_several_histories_in_a_file(self):
        path = self.folder / "two.jsonl"
        plumb.write([plumb.generate("queue", 10), plumb.generate("stack", 10)], path)
        first, second = plumb.read(path)
        self.assertEqual((first.model, second.model), ("queue", "stack"))
        self.assertTrue(plumb.check(first) and plumb.check(second))
        with self.assertRaisesRegex(plumb.InputError, "2 histories"):
            plumb.check(path)

    def test_nothing(self):
        self.assertTrue(plumb.check([]))
        self.assertEqual(plumb.check([]).model, "any")
        (empty,) = plumb.read(self.file("empty.jsonl", ""))
        self.assertEqual(len(empty), 0)
        self.assertTrue(plumb.check(empty))

    def test_pending_operations(self):
        pending = {"process": 0, "f": "write", "args": [1], "call": 0, "return": None}
        read = {"process": 1, "f": "read", "args": [], "result": 1, "call": 5, "return": 6}
        self.assertTrue(plumb.check([pending, read], "register"))
        self.assertTrue(plumb.check([pending, {**read, "result": None}], "register"))
        self.assertFalse(plumb.check([pending, {**read, "result": 2}], "register"))
        self.assertEqual(plumb.history([pending, read]).pending, 1)
        self.assertTrue(plumb.history([pending])[0].pending)

    def test_initial_value_and_objects(self):
        read = (0, "read", [], 7, 0, 1)
        self.assertFalse(plumb.check([read], "register"))
        self.assertTrue(plumb.check([read], "register", initial=7))
        self.assertTrue(plumb.check(plumb.history([read], model="register", initial=7)))
        of_two = [{"process": 0, "f": "write", "args": [i], "call": i, "return": i, "object": f"x{i}"} for i in range(2)]
        of_two.append({"process": 0, "f": "read", "args": [], "result": 0, "call": 5, "return": 6, "object": "x0"})
        self.assertTrue(plumb.check(of_two, "register"))
        self.assertEqual(plumb.history(of_two)[1].object, "x1")

    def test_values_come_back_as_they_were(self):
        values = [None, True, False, 0, -1, 2**31, -(2**63), 2**63 - 1, 0.5, "", "grün \u0001", [1, [2, None]], {"a": {"b": [True]}}]
        history = plumb.history([(0, "write", [value], None, 2 * i, 2 * i + 1) for i, value in enumerate(values)])
        for operation, value in zip(history, values):
            self.assertEqual(operation.args, [value])
            self.assertIs(type(operation.args[0]), type(value))
        self.assertEqual([dict(each) for each in history], [each.asdict() for each in history])
        self.assertEqual(plumb.parse(history.text())[0].text(), history.text())

    def test_budgets(self):
        verdict = plumb.check(ENDLESS, "counter", engine="brute", timeout=0.05)
        self.assertEqual(verdict.outcome, "unknown")
        self.assertFalse(verdict)
        self.assertIn("time", verdict.why)


class Wrong(Case):
    def wrong(self, pattern, *given, **arguments):
        with self.assertRaisesRegex(plumb.InputError, pattern) as caught:
            plumb.check(*given, **arguments)
        return caught.exception

    def test_files(self):
        path = self.file("bad.jsonl", '{"process":0,"f":"read","args":[],"call":0,"return":1}\n{"process":0,"f":7}\n')
        error = self.wrong("name", path, "register")
        self.assertEqual((error.file, error.line), (str(path), 2))
        self.assertGreater(error.column, 1)
        self.assertTrue(str(error).startswith(f"{path}:2:{error.column}: "))
        self.assertEqual(str(pickle.loads(pickle.dumps(error))), str(error))
        self.assertIsInstance(error, ValueError)
        self.wrong("cannot read", self.folder / "missing.jsonl", "register")
        error = self.wrong("no operation 'push'", self.file("stack.jsonl", '\n{"process":0,"f":"push","args":[1],"call":0,"return":1}\n'), "register")
        self.assertEqual(error.line, 2)

    def test_operations(self):
        good = DICTIONARIES[0]
        for change, pattern in (
            ({"process": None}, "operation 0: .*process"),
            ({"process": 1.5}, "process"),
            ({"f": 3}, "function's name"),
            ({"args": 7}, "arguments"),
            ({"args": [object()]}, "operation 0: an argument is a value of type object"),
            ({"args": [{1: 2}]}, "a key that is no str"),
            ({"args": [math.nan]}, "not finite"),
            ({"args": [2**64]}, "more than 64 bits"),
            ({"args": ["\ud800"]}, "no Unicode"),
            ({"call": "soon"}, '"call" as a whole number'),
            ({"call": 0.5}, '"call" as a whole number'),
            ({"call": True}, '"call" as a whole number'),
            ({"return": 2**63}, "below"),
            ({"return": -1}, "operation 0: .*returns at -1, before its call at 0"),
            ({"return": None, "result": 4}, "has not returned"),
            ({"f": "push_front"}, "no operation 'push_front'"),
        ):
            with self.subTest(change):
                self.wrong(pattern, [{**good, **change}], "queue")
        for member in ("process", "f", "call", "return"):
            with self.subTest(member):
                self.wrong(f'"{member}"', [{name: value for name, value in good.items() if name != member}], "queue")
        self.wrong("operation 1: .*one operation at a time", [TUPLES[0], (0, "dequeue", [], 1, 2, 9)], "queue")
        self.wrong("5 items; expected 6", [TUPLES[0][:5]], "queue")
        self.wrong("operation 1: a int", [TUPLES[0], 5], "queue")
        circle = []
        circle.append(circle)
        self.wrong("nested too deeply", [{**good, "args": circle}], "queue")

    def test_histories(self):
        self.wrong("int is no history", 5, "queue")
        self.wrong("2 histories", [plumb.generate(), plumb.generate()])
        self.wrong("neither", VIOLATION, "queue", initial=3)
        self.wrong("JSON cannot say", [{"type": "invoke", "f": object()}], "queue")

    def test_models_and_options(self):
        self.wrong("did you mean 'queue'", TUPLES, "quue")
        self.wrong("int is no model", TUPLES, 5)
        self.wrong("no model is named; expected model=NAME .*queue", TUPLES)
        self.wrong("none of the built-in ones has all of: fly", [(0, "fly", [], None, 0, 1)])
        self.wrong("there is no engine 'montior'.*did you mean 'monitor'", TUPLES, "queue", engine="montior")
        self.wrong("only=True is for engine", TUPLES, "queue", only=True)
        self.wrong("jump", TUPLES, "queue", relax={"jump": 1})
        for relax in ("dequeue", "dequeue=-1", "dequeue=x", {"dequeue": 1.5}, {"": 1}):
            with self.subTest(relax):
                self.wrong("CLASS=K", TUPLES, "queue", relax=relax)
        for budget in ({"timeout": 0}, {"timeout": -1.0}, {"timeout": math.nan}, {"memory": 0}, {"jobs": -1}, {"max_depth": 0}):
            with self.subTest(budget):
                self.wrong("expected", TUPLES, "queue", **budget)
        self.wrong("initial", plumb.history([(0, "enqueue", [1], None, 0, 1)], initial=3), "queue")
        with self.assertRaises(plumb.InputError):
            plumb.read(VIOLATION, "xml")

    def test_nothing_is_left_behind(self):
        for _ in range(3):
            self.wrong("did you mean", TUPLES, "quue")
            self.assertTrue(plumb.check(TUPLES, "queue"))


class Threads(Case):
    def test_other_threads_run_during_a_check(self):
        stop = threading.Event()
        counted = []

        def count():
            while not stop.is_set():
                counted.append(1)
                time.sleep(0)

        thread = threading.Thread(target=count)
        thread.start()
        try:
            before = len(counted)
            verdict = plumb.check(ENDLESS, "counter", engine="brute", timeout=1)
            after = len(counted)
        finally:
            stop.set()
            thread.join()
        self.assertEqual(verdict.outcome, "unknown")
        self.assertGreater(after, before)

    def test_many_checks_at_once_of_one_history(self):
        good = plumb.generate("register", 200, seed=1)
        bad = plumb.generate("register", 200, seed=1, spoil=True)
        wrong = []

        def check():
            for _ in range(20):
                if not plumb.check(good) or plumb.check(bad):
                    wrong.append(1)

        threads = [threading.Thread(target=check) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(wrong, [])

    def test_ctrl_c(self):
        program = (
            "import plumb, case\n"
            "try:\n"
            "  print('ready', flush=True)\n"
            "  plumb.check(case.ENDLESS, 'counter', engine='brute')\n"
            "except KeyboardInterrupt:\n"
            "  print('interrupted', plumb.check([]).outcome, flush=True)\n"
        )
        with subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True,
                              cwd=pathlib.Path(__file__).parent) as child:
            self.assertEqual(child.stdout.readline(), "ready\n")
            time.sleep(0.3)
            child.send_signal(signal.SIGINT)
            out, _ = child.communicate(timeout=PATIENCE)
        self.assertEqual(out, "interrupted linearizable\n")
        self.assertEqual(child.returncode, 0)


class Shown(Case):
    def test_certificates(self):
        for spoil in (False, True):
            history = plumb.generate("queue", 100, spoil=spoil)
            certificate = plumb.check(history).certificate()
            verification = plumb.verify(certificate, history)
            self.assertTrue(verification, verification.reason)
            self.assertTrue(plumb.verify(certificate, history, "queue"))
            other = plumb.verify(certificate, plumb.generate("queue", 100, seed=9))
            self.assertFalse(other)
            self.assertTrue(other.reason)
        with self.assertRaisesRegex(plumb.InputError, "for the model 'queue'"):
            plumb.verify(certificate, plumb.generate("stack", 10))
        with self.assertRaises(plumb.InputError):
            plumb.verify("no certificate", history)
        self.assertTrue(plumb.verify(plumb.check(TUPLES, "queue").certificate(), TUPLES))

    def test_explanations_and_reports(self):
        verdict = plumb.check(VIOLATION)
        self.assertIn("is impossible", verdict.explain())
        self.assertEqual(str(verdict), verdict.explain())
        for name, begins in (("x.html", "<!doctype html>"), ("x.svg", "<svg"), ("x.txt", "✗"), ("x.json", "{")):
            path = self.folder / name
            verdict.report(path)
            self.assertTrue(path.read_text(encoding="utf-8").lower().startswith(begins), name)
        self.assertFalse([name for name in os.listdir(self.folder) if not name.startswith("x.")])
        with self.assertRaisesRegex(plumb.InputError, "no report is made into"):
            verdict.report(self.folder / "x.pdf")
        self.assertFalse((self.folder / "x.pdf").exists())

    def test_in_a_notebook(self):
        shown = plumb.check(VIOLATION)._repr_html_()
        self.assertTrue(shown.startswith('<iframe srcdoc="&lt;!doctype html&gt;'.lower()) or shown.lower().startswith('<iframe srcdoc="&lt;!doctype'))
        page = shown[len('<iframe srcdoc="') : shown.index('" style=')]
        self.assertNotIn('"', page)
        self.assertNotIn("<", page)

    def test_values_never_become_markup(self):
        verdict = plumb.check([(0, "read", [], '"><script>alert(1)</script>', 0, 1)], "register")
        self.assertNotIn("<script>alert", verdict._repr_html_())
        self.assertNotIn("<script>alert", verdict.render("html"))


if __name__ == "__main__":
    unittest.main()
