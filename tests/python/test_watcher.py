"""plumb.Watcher: an alarm comes exactly where plumb.check finds a violation."""

import unittest

import plumb
from case import Case


def watch(watcher, history):
    """Feeds a whole history, by time, calls before returns at equal times; gives the first alarm."""
    events = [(op.call, 0, op) for op in history] + [(op.ret, 1, op) for op in history if not op.pending]
    for _, is_return, op in sorted(events):
        if not is_return:
            alarm = watcher.call(op.process, op.f, *op.args, object=op.object)
        else:
            alarm = watcher.ret(op.process, *([op["result"]] if "result" in op.keys() else []))
        if alarm:
            return alarm
    return watcher.settle()


class Watching(Case):
    def test_random_histories(self):
        for model in ("queue", "stack", "register", "set", "mutex", "counter", "map"):
            for seed in range(10):
                with self.subTest(model, seed=seed):
                    history = plumb.generate(model, 60, seed=seed, spoil=seed % 2 == 1)
                    watcher = plumb.Watcher(model)
                    alarm = watch(watcher, history)
                    self.assertEqual(alarm is None, bool(plumb.check(history)))
                    self.assertIsNone(watcher.unjudged)
                    if alarm:
                        self.assertTrue(alarm.reason)
                    else:
                        self.assertEqual((watcher.operations, watcher.open), (60, 0))

    def test_the_docstring(self):
        watcher = plumb.Watcher("queue")
        self.assertIsNone(watcher.call(0, "enqueue", 1))
        self.assertIsNone(watcher.ret(0))
        self.assertIsNone(watcher.call(1, "dequeue"))
        self.assertEqual(watcher.open, 1)
        alarm = watcher.ret(1, 2)
        self.assertIn(1, alarm.operations)
        self.assertIn("2", alarm.reason)

    def test_what_is_lost_or_fails(self):
        watcher = plumb.Watcher("register", initial=0)
        watcher.call("a", "write", 1)
        watcher.lose("a")
        watcher.call("b", "write", 2)
        watcher.fail("b")
        watcher.call("b", "read", object=None)
        self.assertIsNone(watcher.ret("b", 1))
        watcher.call("b", "read")
        self.assertIsNotNone(watcher.ret("b", 2))

    def test_objects(self):
        watcher = plumb.Watcher("register")
        watcher.call(0, "read", object="x")
        self.assertEqual(watcher.ret(0, 5).object, "x")

    def test_models_in_python(self):
        class Counter:
            def __init__(self):
                self.total = 0

            def add(self, n):
                if n == 13:
                    raise ZeroDivisionError("thirteen")
                self.total += n
                return self.total

        watcher = plumb.Watcher(Counter)
        self.assertIsNone(watcher.call(0, "add", 1))
        self.assertIsNone(watcher.ret(0, 1))
        watcher.call(0, "add", 1)
        self.assertIsNotNone(watcher.ret(0, 1) or watcher.settle())
        with self.assertRaisesRegex(ZeroDivisionError, "thirteen"):
            watcher.call(1, "add", 13)
            watcher.ret(1, 13)
            watcher.settle()
        with self.assertRaisesRegex(plumb.InputError, "nothing can be judged any more"):
            watcher.call(2, "add", 1)
        with self.assertRaisesRegex(plumb.InputError, "does not say which operations"):
            plumb.Watcher(plumb.model(lambda state, call: None))

    def test_wrong_events(self):
        watcher = plumb.Watcher("queue")
        for event in (lambda: watcher.ret(0, 1), lambda: watcher.call(0, "enq", object()), lambda: watcher.call(0, "fly"),
                      lambda: watcher.ret(0, 1, 2), lambda: plumb.Watcher("quue"), lambda: plumb.Watcher(5),
                      lambda: plumb.Watcher("counter", initial="many")):
            with self.assertRaises(plumb.InputError):
                event()
        self.assertEqual(watcher.operations, 0)


if __name__ == "__main__":
    unittest.main()
