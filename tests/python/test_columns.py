"""Histories of columns are those of the same operations, whatever the columns are made of."""

import array
import unittest

import plumb
from case import Case

try:
    import numpy
except ImportError:
    numpy = None

ROWS = [
    (0, "enqueue", [5], None, 0, 3),
    (1, "enqueue", [2**40], None, 1, 4),
    (0, "dequeue", [], 5, 5, 8),
    (1, "dequeue", [], 2**40, 6, None),
]


def lists(rows=ROWS):
    process, f, args, result, call, ret = zip(*rows)
    return {"process": process, "f": f, "args": [[each[0] if each else None for each in args]], "result": result,
            "call": call, "return": ret}


class Columns(Case):
    def same(self, columns, rows=ROWS, model="queue", **arguments):
        expected = plumb.history([row[:3] + (None,) + row[4:] if row[5] is None else row for row in rows], model=model)
        made = plumb.columns(**{"ret" if name == "return" else name: column for name, column in columns.items()}, model=model, **arguments)
        self.assertEqual(made.text(), expected.text())
        self.assertTrue(plumb.check(made))

    def test_lists(self):
        self.same(lists())
        self.same(lists(), arity={"enqueue": 1, "dequeue": 0})
        self.assertTrue(plumb.check(lists(), "queue"))

    def test_tables(self):
        class Table:
            columns = list(lists())

            def __getitem__(self, name):
                return lists()[name]

        self.assertTrue(plumb.check(Table(), "queue"))
        self.assertEqual(len(plumb.history(Table(), model="queue")), 4)

    def test_arrays(self):
        number = lambda code, values: array.array(code, values)
        for code in "bhilqBHILQ":
            rows = [(0, "enqueue", [5], None, 0, 3), (1, "enqueue", [7], None, 1, 4), (0, "dequeue", [], 5, 5, 8)]
            with self.subTest(code):
                columns = {"process": number(code, [0, 1, 0]), "f": number(code, [1, 1, 0]), "args": number(code, [5, 7, 0]),
                           "call": number(code, [0, 1, 5]), "return": memoryview(number(code, [3, 4, 8]))}
                self.same({**columns, "result": [None, None, 5]}, rows, functions=["dequeue", "enqueue"])
        real = {**columns, "result": array.array("d", [float("nan"), float("nan"), 5.0]), "return": array.array("f", [3.0, 4.0, 8.0])}
        self.same(real, rows, functions=["dequeue", "enqueue"])
        every_other = array.array("q", [3, -1, 4, -1, 8, -1])
        self.same({**real, "return": memoryview(every_other)[::2]}, rows, functions=["dequeue", "enqueue"])

    def test_pending(self):
        ret = array.array("q", [3, 4, 8, 0])
        self.same({**lists(), "return": ret, "pending": [False, False, False, True]})
        self.same({**lists(), "return": array.array("d", [3, 4, 8, float("nan")])})
        for pending in ([0, 0, 0, 1], array.array("B", [0, 0, 0, 1]), [None, None, None, True]):
            self.same({**lists(), "return": ret, "pending": pending})
        for pending in (["", "", "", "true"], [0, 0, 0, 2], array.array("d", [0, 0, 0, 0.5])):
            with self.assertRaisesRegex(plumb.InputError, "of the column 'pending' is .*; expected True or False"):
                plumb.check({**lists(), "return": ret, "pending": pending}, "queue")

    def test_objects_and_two_arguments(self):
        history = plumb.columns(process=[0, 0, 0], f=["write", "cas", "read"], args=[[1, 1, None], [None, 2, None]],
                                result=[None, True, 2], call=[0, 2, 4], ret=[1, 3, 5], object=["x", "x", "x"], model="register")
        self.assertEqual([op.args for op in history], [[1], [1, 2], []])
        self.assertEqual(history[0].object, "x")
        self.assertTrue(plumb.check(history))

    def test_models_in_python(self):
        class Queue:
            def __init__(self):
                self.items = []

            def enqueue(self, value):
                self.items.append(value)

            def dequeue(self):
                return self.items.pop(0) if self.items else None

        self.assertTrue(plumb.check(lists(), Queue))

    @unittest.skipIf(numpy is None, "NumPy is not installed")
    def test_numpy(self):
        names = numpy.array([row[1] for row in ROWS[:3]])
        columns = {"process": numpy.array([0, 1, 0], dtype="int32"), "f": names, "args": numpy.array([5, 2**40, 0]),
                   "result": numpy.ma.masked_array([0, 0, 5], [True, True, False]), "call": numpy.array([0, 1, 5]),
                   "return": numpy.array([3, 4, 8], dtype="uint64")}
        self.same(columns, ROWS[:3])
        self.same({**columns, "f": names.astype("S")}, ROWS[:3])
        self.same({**columns, "f": names.astype(object)}, ROWS[:3])
        self.same({**columns, "call": columns["call"].astype(">i8")}, ROWS[:3])
        self.same({**columns, "result": numpy.ma.masked_array([0, 0, 5])}, [row[:3] + (result,) + row[4:] for row, result in zip(ROWS, [0, 0, 5])])
        self.assertTrue(plumb.check([(numpy.int64(0), "enqueue", [numpy.float64(1.5)], None, numpy.int32(0), numpy.int8(1)),
                                     (0, "dequeue", [], numpy.float32(1.5), 2, 3)], "queue"))
        greek = numpy.array(["αβγ", "x"])
        writes = plumb.columns(process=[0, 0], f=["write"] * 2, args=greek, call=[0, 2], ret=[1, 3], model="register")
        self.assertEqual([op.args for op in writes], [["αβγ"], ["x"]])
        written = ["a\0b", "a\0c"]  # zeros at the end are what fills the width, others are not
        for texts in (numpy.array(written), numpy.array([each.encode() for each in written]), written):
            writes = plumb.columns(process=[0, 0], f=["write"] * 2, args=[texts], call=[0, 2], ret=[1, 3], model="register")
            self.assertEqual([op.args for op in writes], [["a\0b"], ["a\0c"]])
        for texts in (numpy.array([b"\xff", b"x"]), numpy.array(["\ud800", "x"])):
            with self.assertRaisesRegex(plumb.InputError, "row 0 of the column 'args.0.' is no Unicode text"):
                plumb.columns(process=[0, 0], f=["write"] * 2, args=[texts], call=[0, 2], ret=[1, 3], model="register")
        for value in (numpy.complex128(1), numpy.datetime64("2020-01-01T00:00", "s"), numpy.array([1, 2]), numpy.ma.masked):
            with self.assertRaisesRegex(plumb.InputError, "a value of type"):
                plumb.check([(0, "enqueue", [value], None, 0, 1)], "queue")
        for wrong in (numpy.zeros((3, 2)), numpy.array(["2020-01-01"] * 3, dtype="datetime64[D]"), numpy.array(5)):
            with self.assertRaises(plumb.InputError):
                plumb.check({**columns, "process": wrong}, "queue")

    def test_wrong_columns(self):
        def wrong(pattern, change, **arguments):
            with self.assertRaisesRegex(plumb.InputError, pattern):
                plumb.check({**lists(), **change}, "queue", **arguments)

        wrong("'call' has 2 rows; expected 4", {"call": [0, 1]})
        wrong("'process' is a int; expected an array", {"process": 5})
        wrong("'f' is a str", {"f": "enqueue"})
        wrong("row 3 of the column 'process' is null; expected a whole number or a string", {"process": [0, 1, 0, None]})
        wrong("row 0 of the column 'process' is 0.5", {"process": array.array("d", [0.5, 1, 0, 1])})
        wrong("row 0 of the column 'f' is 7; expected a string", {"f": [7] * 4})
        wrong("row 1 has no 'call'", {"call": [0, None, 5, 6]})
        wrong("row 0 of the column 'call' is 0.5; expected a whole", {"call": [0.5, 1, 5, 6]})
        wrong("infinite", {"result": array.array("d", [float("inf")] * 4)})
        wrong("more than 63 bits", {"result": array.array("Q", [2**63] * 4)})
        wrong("a value of type object", {"result": [object()] * 4})
        wrong("one operation at a time", {"process": [0] * 4})
        with self.assertRaisesRegex(plumb.InputError, "a table without 'return'"):
            plumb.check({name: column for name, column in lists().items() if name != "return"}, "queue")
        with self.assertRaisesRegex(plumb.InputError, "no position among the 1 functions"):
            plumb.columns(process=[0], f=[1], functions=["read"], call=[0], ret=[1])


if __name__ == "__main__":
    unittest.main()
