"""Models in Python agree with the built-in ones, and are searched as those are."""

import collections
import dataclasses
import signal
import subprocess
import sys
import pathlib
import threading
import time
import unittest

import plumb
from case import PATIENCE, Case


class Register:
    def __init__(self, value=None):
        self.value = value

    def write(self, value):
        self.value = value

    @plumb.reads
    def read(self):
        return self.value

    def cas(self, old, new):
        if not (self.value == old and type(self.value) is type(old)):
            return False
        self.value = new
        return True


class Queue:
    def __init__(self):
        self.items = collections.deque()

    def enqueue(self, value) -> None:
        self.items.append(value)

    def dequeue(self):
        return self.items.popleft() if self.items else None


class Stack:
    def __init__(self):
        self.items = []

    def push(self, value):
        self.items.append(value)

    def pop(self):
        return self.items.pop() if self.items else None


class Set:
    def __init__(self):
        self.items = set()

    def add(self, value):
        new = value not in self.items
        self.items.add(value)
        return new

    def remove(self, value):
        had = value in self.items
        self.items.discard(value)
        return had

    def contains(self, value):
        return value in self.items


class Map:
    def __init__(self):
        self.items = {}

    def get(self, key):
        return self.items.get(key)

    def put(self, key, value):
        self.items[key] = value

    def remove(self, key):
        return self.items.pop(key, None) is not None

    def put_if_absent(self, key, value):
        return self.items.setdefault(key, value) is value if key not in self.items else False


class Mutex:
    def __init__(self):
        self.holder = None

    def acquire(self, process):
        if self.holder is not None:
            raise plumb.Impossible
        self.holder = process

    def try_acquire(self, process):
        if self.holder is not None:
            return False
        self.holder = process
        return True

    def release(self, *, process):
        if self.holder != process:
            raise plumb.Impossible
        self.holder = None


def register_step(value, call):
    if call.f == "write":
        return None, call.args[0]
    if call.f == "read":
        return value, value
    old, new = call.args
    return (True, new) if (type(old), old) == (type(value), value) else (False, value)


MODELS = {"register": Register, "queue": Queue, "stack": Stack, "set": Set, "map": Map, "mutex": Mutex}


class Agreement(Case):
    def agree(self, history, own, built_in):
        mine = plumb.check(history, own)
        theirs = plumb.check(history, built_in)
        self.assertEqual(mine.outcome, theirs.outcome)
        self.assertNotEqual(mine.outcome, "unknown")
        return mine

    def test_random_histories(self):
        for name, own in MODELS.items():
            for seed in range(12):
                with self.subTest(name, seed=seed):
                    history = plumb.generate(name, 30, seed=seed, spoil=seed % 2 == 1, pending=0.05, distinct=seed % 3 == 0)
                    verdict = self.agree(history, own, name)
                    self.assertTrue(plumb.verify(verdict.certificate(), plumb.history(list(history)), own))
                    self.assertEqual(verdict.model, own.__name__)

    def test_random_histories_of_a_step(self):
        step = plumb.model(register_step)
        for seed in range(12):
            with self.subTest(seed=seed):
                self.agree(plumb.generate("register", 30, seed=seed, spoil=seed % 2 == 1), step, "register")

    def test_partition(self):
        of_keys = plumb.model(Map, partition_by=0)
        for seed in range(8):
            history = plumb.generate("map", 60, seed=seed, spoil=seed % 2 == 1)
            verdict = self.agree(history, of_keys, "map")
            self.assertGreater(verdict.parts, 1)

    def test_family(self):
        claims = plumb.model(Queue, family="queue")
        for seed in range(8):
            verdict = self.agree(plumb.generate("queue", 500, seed=seed, spoil=seed % 2 == 1), claims, "queue")
            self.assertEqual(verdict.engine, "monitor")
            self.assertTrue(verdict.explain())
        with self.assertRaisesRegex(plumb.InputError, "stack"):
            plumb.check(plumb.generate("queue", 10), plumb.model(Queue, family="stack"))
        with self.assertRaisesRegex(plumb.InputError, "there is no family 'quue'"):
            plumb.check([], plumb.model(Queue, family="quue"))

        pending = {"process": 0, "f": "contains", "args": [1], "call": 0, "return": None}
        self.assertTrue(plumb.check([pending], plumb.model(Set, family="set")), "no result that was seen says nothing")

        class Backwards(Queue):
            def dequeue(self):
                return self.items.pop() if self.items else None

        with self.assertRaises(plumb.InputError):
            plumb.check(plumb.generate("queue", 10), plumb.model(Backwards, family="queue"))

    def test_values_that_python_takes_for_equal(self):
        for read, outcome in ((True, "violation"), (1, "linearizable")):
            history = [(0, "write", [True], None, 0, 1), (0, "write", [1], None, 2, 3), (1, "read", [], read, 4, 5)]
            for own in (Register, plumb.model(register_step)):
                with self.subTest(read):
                    self.assertEqual(self.agree(history, own, "register").outcome, outcome)

    def test_relaxation(self):
        history = [(0, "enqueue", [i], None, 2 * i, 2 * i + 1) for i in range(3)]
        history += [(0, "dequeue", [], value, 10 + 2 * i, 11 + 2 * i) for i, value in enumerate([2, 0, 1])]
        self.assertEqual(plumb.check(history, Queue, relax="dequeue=?").relax, {"dequeue": 2})


class Given(Case):
    def test_initial_values(self):
        read = (0, "read", [], 7, 0, 1)
        self.assertFalse(plumb.check([read], Register))
        self.assertTrue(plumb.check([read], Register, initial=7))
        self.assertTrue(plumb.check([read], plumb.model(Register, initial=7)))
        self.assertTrue(plumb.check([read], plumb.model(register_step, initial=7)))
        self.assertTrue(plumb.check([read], plumb.model(register_step, initial=3), initial=7))

    def test_results_nobody_saw(self):
        history = [{"process": 0, "f": "enqueue", "args": [1], "call": 0, "return": 1}]
        self.assertTrue(plumb.check(history, Queue))
        self.assertTrue(plumb.check([{**history[0], "f": "push"}], Stack))
        self.assertTrue(plumb.check([{**history[0], "f": "write"}], plumb.model(register_step)))
        with self.assertRaisesRegex(plumb.InputError, "its result is missing"):
            plumb.check([{**history[0], "f": "dequeue", "args": []}, (0, "dequeue", [], None, 2, 3)], Queue)

    def test_several_results(self):
        def bag(held, call):
            if call.f == "add":
                return None, held | {call.args[0]}
            return [(value, held - {value}) for value in held] or (None, held)

        model = plumb.model(bag, initial=frozenset(), name="bag")
        adds = [(0, "add", [i], None, 2 * i, 2 * i + 1) for i in range(3)]
        for taken in ([2, 0, 1], [0, 1, 2]):
            takes = [(0, "take", [], value, 10 + 2 * i, 11 + 2 * i) for i, value in enumerate(taken)]
            self.assertTrue(plumb.check(adds + takes, model))
        verdict = plumb.check(adds + [(0, "take", [], 5, 10, 11)], model)
        self.assertFalse(verdict)
        self.assertEqual(sorted(verdict.allowed), [0, 1, 2])
        self.assertIn("bag", repr(model))

    def test_shown_and_explained(self):
        class Counter:
            def __init__(self):
                self.total = 0

            def add(self, n):
                self.total += n
                return self.total

            def __repr__(self):
                return f"total {self.total}"

        verdict = plumb.check([(0, "add", [1], 1, 0, 1), (0, "add", [1], 1, 2, 3)], Counter)
        self.assertFalse(verdict)
        self.assertEqual(verdict.allowed, [2])
        self.assertIn("total 1", verdict.explain())
        self.assertIn("total 1", verdict._repr_html_())

    def test_dataclasses_and_slots(self):
        @dataclasses.dataclass
        class Data:
            value: object = None

            def write(self, value):
                self.value = value

            def read(self):
                return self.value

        class Slots:
            __slots__ = ("value",)

            def __init__(self):
                self.value = None

            write, read = Data.write, Data.read

        @dataclasses.dataclass(frozen=True)
        class Frozen:
            value: object

        def frozen(state, call):
            return (None, Frozen(call.args[0])) if call.f == "write" else (state.value, state)

        writes = [(0, "write", [True], None, 0, 1), (0, "write", [1], None, 2, 3)]
        for model in (Data, Slots, plumb.model(frozen, initial=Frozen(None))):
            self.assertTrue(plumb.check([*writes, (0, "read", [], 1, 4, 5)], model))
            self.assertFalse(plumb.check([*writes, (0, "read", [], True, 4, 5)], model))


class Wrong(Case):
    def wrong(self, pattern, history, model, error=plumb.InputError):
        with self.assertRaisesRegex(error, pattern):
            plumb.check(history, model)

    def test_what_models_raise(self):
        class Broken:
            def read(self):
                raise ZeroDivisionError("in the model")

        for _ in range(2):
            self.wrong("in the model", [(0, "read", [], 1, 0, 1)], Broken, ZeroDivisionError)

        class BrokenFromTheBeginning:
            def __init__(self):
                raise ZeroDivisionError("at the beginning")

            def read(self):
                return 1

        self.wrong("at the beginning", [(0, "read", [], 1, 0, 1)], BrokenFromTheBeginning, ZeroDivisionError)

    def test_what_does_not_fit(self):
        read = [(0, "read", [], 1, 0, 1)]
        self.wrong("no operation 'rad'.*did you mean 'read'", [(0, "rad", [], 1, 0, 1)], Register)
        self.wrong("'write' with 2 arguments; expected 1", [(0, "write", [1, 2], None, 0, 1)], Register)
        self.wrong("int is no model", read, 5)
        with self.assertRaisesRegex(plumb.InputError, "no methods"):
            plumb.model(object)
        with self.assertRaisesRegex(plumb.InputError, "int is no model"):
            plumb.model(5)
        self.wrong("no argument 0 to partition by", read, plumb.model(Register, partition_by=0))

        class Liar:
            def __init__(self):
                self.reads = 0

            @plumb.reads
            def read(self):
                self.reads += 1
                return self.reads

        self.wrong("said to read only, and changes", read, Liar)
        self.wrong("expected what JSON can say", read, type("Odd", (), {"read": lambda self: object()}))
        self.wrong("must be hashable", read, plumb.model(lambda state, call: (1, [])))
        self.wrong("tuple of the result", read, plumb.model(lambda state, call: 5))

        class Twice:
            def __init__(self):
                self.one = self.other = []

            def read(self):
                return 1

        self.wrong("same list in two places", read, Twice)

        class Shared:
            items = []

            def push(self, value):
                self.items.append(value)

        self.wrong("'items' of the class Shared is a list that all states would share", [(0, "push", [1], None, 0, 1)], Shared)

    def test_ctrl_c(self):
        program = (
            "import plumb\n"
            "class Slow:\n"
            "  def __init__(self): self.n = 0\n"
            "  def add(self, n): self.n += n\n"
            "  def read(self): return self.n\n"
            "ops = [(p, 'add', [1 << p], None, 0, 1000) for p in range(26)] + [(30, 'read', [], -5, 500, 1000)]\n"
            "try:\n"
            "  print('ready', flush=True)\n"
            "  plumb.check(ops, Slow)\n"
            "except KeyboardInterrupt:\n"
            "  print('interrupted', plumb.check([(0, 'read', [], 0, 0, 1)], Slow).outcome, flush=True)\n"
        )
        with subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True,
                              cwd=pathlib.Path(__file__).parent) as child:
            self.assertEqual(child.stdout.readline(), "ready\n")
            time.sleep(0.3)
            child.send_signal(signal.SIGINT)
            out, _ = child.communicate(timeout=PATIENCE)
        self.assertEqual(out, "interrupted linearizable\n")

    def test_budget(self):
        operations = [(p, "add", [1 << p], None, 0, 1000) for p in range(26)] + [(30, "read", [], -5, 500, 1000)]

        class Counter:
            def __init__(self):
                self.n = 0

            def add(self, n):
                self.n += n

            def read(self):
                return self.n

        self.assertEqual(plumb.check(operations, Counter, timeout=0.1).outcome, "unknown")

    def test_threads(self):
        model = plumb.model(Queue)
        good, bad = plumb.generate("queue", 30, distinct=False), plumb.generate("queue", 30, spoil=True, distinct=False)
        wrong = []

        def check():
            for _ in range(5):
                if not plumb.check(good, model) or plumb.check(bad, model):
                    wrong.append(1)

        threads = [threading.Thread(target=check) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(wrong, [])


if __name__ == "__main__":
    unittest.main()
