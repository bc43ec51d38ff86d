"""plumb.Recorder: threads, asyncio, exceptions, files that are judged while they grow."""

import asyncio
import queue
import subprocess
import threading
import unittest

import plumb
from case import COMMAND, PATIENCE, Case


class Register:
    def __init__(self):
        self.value = None

    def write(self, value):
        self.value = value

    def read(self):
        return self.value


def told(history):
    return [(op.f, op.args, op.get("result", "none"), op.pending) for op in history]


def in_threads(count, work):
    failures = []

    def run(number):
        try:
            work(number)
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=run, args=(number,)) for number in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if failures:
        raise failures[0]


class Recording(Case):
    def test_what_is_recorded(self):
        with plumb.Recorder("register", initial=0) as recorder:
            with recorder.operation("write", 3):
                pass
            with recorder.operation("read") as op:
                op.result = 3
            for value in ("text", 2**40, -(2**63), 1.5, [1, {"a": None}], None, True):
                with recorder.operation("write", value):
                    pass
        history = recorder.history()
        self.assertEqual(history.model, "register")
        self.assertEqual(history.initial, 0)
        self.assertEqual(told(history)[:2], [("write", [3], "none", False), ("read", [], 3, False)])
        self.assertEqual([op.args[0] for op in history[2:]], ["text", 2**40, -(2**63), 1.5, [1, {"a": None}], None, True])
        self.assertEqual(history.processes, 1)
        self.assertTrue(all(op.call <= op.ret for op in history))
        self.assertTrue(plumb.check(recorder))

    def test_exceptions(self):
        recorder = plumb.Recorder(failed=ConnectionRefusedError, results={queue.Empty: None})

        def run(error, **options):
            with self.assertRaises(error), recorder.operation("dequeue", **options):
                raise error()

        run(ConnectionRefusedError)
        run(queue.Empty)
        run(TimeoutError)
        run(TimeoutError, failed=(TimeoutError, ValueError))
        run(KeyboardInterrupt)
        self.assertEqual(told(recorder.history()), [("dequeue", [], None, False)] + [("dequeue", [], "none", True)] * 2)
        self.assertEqual(recorder.history().processes, 2, "who lost an operation goes on as another process")

    def test_what_the_user_says(self):
        recorder = plumb.Recorder()
        with recorder.operation("a") as op:
            op.fail()
        with recorder.operation("b") as op:
            op.lose()
        with recorder.operation("c") as op:
            op.result = 1
            with self.assertRaises(plumb.InputError):
                op.__enter__()
        with self.assertRaises(plumb.InputError):
            op.fail()
        self.assertEqual(told(recorder.history()), [("b", [], "none", True), ("c", [], 1, False)])

    def test_objects(self):
        recorder = plumb.Recorder("register")
        for name in ("x", "y"):
            with recorder.operation("write", name, object=name):
                pass
            with recorder.operation("read", object=name) as op:
                op.result = name
        self.assertEqual({op.object for op in recorder.history()}, {"x", "y"})
        self.assertTrue(plumb.check(recorder))

    def test_wrong_values(self):
        recorder = plumb.Recorder()
        with self.assertRaisesRegex(plumb.InputError, "an argument is a value of type object"):
            with recorder.operation("write", object()):
                self.fail("the block does not begin")
        with self.assertRaisesRegex(plumb.InputError, "the result is a value of type set"):
            with recorder.operation("read") as op:
                op.result = {1}
        with recorder.operation("read") as op:
            op.result = 5
        self.assertEqual(told(recorder.history()), [("read", [], "none", True), ("read", [], 5, False)])
        with self.assertRaisesRegex(plumb.InputError, "did you mean 'queue'"):
            plumb.Recorder("quue")
        with self.assertRaisesRegex(plumb.InputError, "no clock 'sundial'"):
            plumb.Recorder(clock="sundial")
        with self.assertRaises(plumb.InputError):
            plumb.Recorder(path=self.folder / "no" / "such" / "folder")

    def test_closed(self):
        recorder = plumb.Recorder()
        running = recorder.operation("late")
        running.__enter__()
        recorder.close()
        recorder.close()
        running.__exit__(None, None, None)
        with self.assertRaisesRegex(RuntimeError, "closed"):
            with recorder.operation("late"):
                pass
        self.assertEqual(told(recorder.history()), [("late", [], "none", True)])

    def test_decorator(self):
        recorder = plumb.Recorder("register")

        class Recorded(Register):
            write = recorder.record("write", skip=1)(Register.write)
            read = recorder.record(skip=1)(Register.read)

        register = Recorded()
        register.write(value=4)
        self.assertEqual(register.read(), 4)

        @recorder.record
        def read():
            """Reads."""
            return 4

        self.assertEqual(read(), 4)
        self.assertEqual((read.__name__, read.__doc__), ("read", "Reads."))
        self.assertEqual(told(recorder.history()), [("write", [4], None, False)] + [("read", [], 4, False)] * 2)
        self.assertTrue(plumb.check(recorder))


class Processes(Case):
    def test_threads(self):
        recorder = plumb.Recorder("register")
        register = Register()

        def work(number):
            for i in range(200):
                with recorder.operation("write", [number, i]):
                    register.write([number, i])
                with recorder.operation("read") as op:
                    op.result = register.read()

        in_threads(4, work)
        history = recorder.history()
        self.assertEqual(len(history), 4 * 400)
        self.assertLessEqual(history.processes, 4)
        self.assertTrue(plumb.check(history))

    def test_a_register_that_is_none(self):
        recorder = plumb.Recorder("register")
        register = Register()
        register.read = lambda: 0 if register.value == 17 else register.value

        def work(number):
            for i in range(30):
                with recorder.operation("write", number * 100 + i):
                    register.write(number * 100 + i)

        in_threads(2, work)
        with recorder.operation("write", 17):
            register.write(17)
        with recorder.operation("read") as op:
            op.result = register.read()
        verdict = plumb.check(recorder)
        self.assertEqual(verdict.outcome, "violation")
        self.assertEqual(verdict.allowed, [17])

    def test_who_holds_a_lock_is_the_thread(self):
        recorder = plumb.Recorder("mutex")
        lock = threading.Lock()

        def work(_):
            for _ in range(100):
                with recorder.operation("acquire"):
                    lock.acquire()
                with recorder.operation("release"):
                    lock.release()

        in_threads(3, work)
        self.assertTrue(plumb.check(recorder))

    def test_operations_within_operations(self):
        recorder = plumb.Recorder()
        for _ in range(3):
            with recorder.operation("outer"), recorder.operation("inner"):
                pass
        self.assertEqual(recorder.history().processes, 2)

    def test_processes_that_are_given(self):
        recorder = plumb.Recorder("mutex")
        for client in ("a", "b"):
            with recorder.operation("acquire", process=client):
                with self.assertRaisesRegex(plumb.InputError, "process 'a'|process 'b'"):
                    recorder.operation("release", process=client).__enter__()
            with recorder.operation("release", process=client):
                pass
        self.assertEqual(recorder.history().processes, 2)
        self.assertTrue(plumb.check(recorder))

    def test_asyncio(self):
        recorder = plumb.Recorder("register")
        register = Register()

        @recorder.record
        async def read():
            await asyncio.sleep(0)
            value = register.read()
            await asyncio.sleep(0)
            return value

        async def client(number):
            for i in range(20):
                async with recorder.operation("write", number * 100 + i):
                    await asyncio.sleep(0)
                    register.write(number * 100 + i)
                    await asyncio.sleep(0)
                await read()

        async def lost():
            async with recorder.operation("write", -1):
                await asyncio.sleep(3600)

        async def main():
            timed_out = asyncio.create_task(lost())
            await asyncio.gather(*(client(number) for number in range(5)))
            timed_out.cancel()
            await asyncio.gather(timed_out, return_exceptions=True)
            await asyncio.gather(*(client(10 + number) for number in range(5)))

        asyncio.run(main())
        history = recorder.history()
        self.assertEqual(len(history), 401)
        self.assertEqual(history.pending, 1)
        self.assertGreater(max(len({p.process for p in history if p.call <= op.call and (p.ret or op.call) >= op.call}) for op in history[::50]), 1, "tasks overlap")
        self.assertLessEqual(history.processes, 8, "tasks that have ended leave their place to others")
        self.assertTrue(plumb.check(history))


class Files(Case):
    def test_a_file(self):
        path = self.folder / "run.plumb"
        with plumb.Recorder("queue", path=path) as recorder:
            with recorder.operation("enqueue", 1):
                pass
            self.assertEqual(len(plumb.read(path)[0]), 1, "while it is written")
            with recorder.operation("dequeue") as op:
                op.result = 1
            self.assertEqual(len(recorder.history()), 2)
        (history,) = plumb.read(path)
        self.assertEqual(told(history), told(recorder.history()))
        self.assertEqual(history.model, "queue")
        self.assertTrue(plumb.check(path))
        self.assertTrue(plumb.check(recorder))

    def test_the_command_watches_it(self):
        path = self.folder / "run.plumb"
        with plumb.Recorder("queue", path=path) as recorder:
            with recorder.operation("enqueue", 1):
                pass
            with subprocess.Popen([COMMAND, "watch", "--follow", str(path)], stdout=subprocess.PIPE, text=True) as watch:
                with recorder.operation("dequeue") as op:
                    op.result = 2
                said = watch.stdout.readline()
                self.assertIn("violation", said)
                watch.wait(PATIENCE)
        self.assertEqual(watch.returncode, 1)


class Watched(Case):
    def test_the_program_watches_itself(self):
        alarms = []
        with plumb.Recorder("register", initial=0, on_alarm=alarms.append, failed=ConnectionRefusedError) as recorder:
            for error in (ConnectionRefusedError, TimeoutError):
                with self.assertRaises(error), recorder.operation("write", 1):
                    raise error
            with self.assertRaises(plumb.InputError), recorder.operation("read") as op:
                op.result = object()
            with recorder.operation("read") as op:
                op.result = 1
            self.assertIsNone(recorder.alarm)
            with recorder.operation("read") as op:
                op.result = 2
            self.assertEqual([recorder.alarm], alarms)
            self.assertIn("2", recorder.alarm.reason)
        self.assertFalse(plumb.check(recorder))
        with self.assertRaisesRegex(plumb.InputError, "needs a model"):
            plumb.Recorder(watch=True)

    def test_what_a_watcher_refuses_or_stops(self):
        recorder = plumb.Recorder("register", watch=True)
        with self.assertRaisesRegex(plumb.InputError, "no operation 'fly'"):
            with recorder.operation("fly"):
                self.fail("the block does not begin")
        self.assertEqual(len(recorder.history()), 0)

        def stop(alarm):
            raise ZeroDivisionError(alarm.reason)

        recorder = plumb.Recorder("register", on_alarm=stop)
        with self.assertRaises(ZeroDivisionError), recorder.operation("read") as op:
            op.result = 5
        with self.assertRaisesRegex(plumb.InputError, "result is missing"), recorder.operation("read"):
            pass
        with recorder.operation("write", 5):
            pass
        self.assertEqual(recorder.history().processes, 1, "its place is free again")

    def test_threads(self):
        for value in ("distinct", "the same"):
            recorder = plumb.Recorder("queue", watch=True, results={queue.Empty: None})
            shared = queue.SimpleQueue()

            def work(number):
                for i in range(100):
                    put = f"{number}:{i}" if value == "distinct" else i % 3
                    with recorder.operation("enqueue", put, object="q"):
                        shared.put(put)
                    try:
                        with recorder.operation("dequeue", object="q") as op:
                            op.result = shared.get_nowait()
                    except queue.Empty:
                        pass

            in_threads(4, work)
            self.assertIsNone(recorder.alarm)
            self.assertTrue(plumb.check(recorder))


if __name__ == "__main__":
    unittest.main()
