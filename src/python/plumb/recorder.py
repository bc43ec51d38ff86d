"""Recording what a program in Python does, with threads or asyncio, to check it afterwards or meanwhile."""

from __future__ import annotations

import asyncio
import functools
import inspect
import itertools
import os
import threading
import weakref
from collections.abc import Callable, Mapping
from typing import Any, Optional, TypeVar, Union

from . import _native
from .errors import InputError
from .histories import History, Path, read
from .watcher import Alarm, Watcher

__all__ = ["RecordedOperation", "Recorder"]

Function = TypeVar("Function", bound=Callable[..., Any])
Exceptions = Union[type[BaseException], tuple[type[BaseException], ...]]

_NOT_SAID = object()


class Recorder:
    """Records operations: when each was called and when it returned, with its arguments and its result.

    ::

        with plumb.Recorder("register") as recorder:
            with recorder.operation("write", 3):          # or: async with
                store.write(3)
            with recorder.operation("read") as op:
                op.result = store.read()
        assert plumb.check(recorder)

    Each thread, and each task of asyncio, is a process of the history. An operation that ends with an exception is *pending*: it
    may have taken effect, or may still. One of the types ``failed`` says that it did not happen; one in ``results`` means that
    it returned that value (``{queue.Empty: None}``).

    With ``path`` the recording is a file, readable while it grows: ``plumb watch --follow`` judges it meanwhile. With ``watch`` the
    program does so itself: ``alarm`` is the first violation that is certain, and ``on_alarm`` is called with each one. ``clock`` is
    ``"auto"``, ``"hardware"``, ``"system"`` or ``"counter"`` (exact, one number for all).
    """

    def __init__(
        self,
        model: Optional[str] = None,
        *,
        path: Optional[Path] = None,
        initial: Any = None,
        failed: Exceptions = (),
        results: Optional[Mapping[type[BaseException], Any]] = None,
        watch: bool = False,
        on_alarm: Optional[Callable[[Alarm], None]] = None,
        clock: str = "auto",
    ) -> None:
        self.alarm: Optional[Alarm] = None
        """With ``watch``, the first violation that is certain; else None."""
        if model is None and (watch or on_alarm):
            raise InputError("a recorder that watches needs a model")
        self._watcher = Watcher(model, initial=initial) if watch or on_alarm else None
        self._watching = threading.Lock()
        self._on_alarm = on_alarm
        self._processes = itertools.count()
        if model is not None:
            _native.model_by_name(model)
        self._path = None if path is None else os.fspath(path)
        self._native = _native.Recorder(self._path, model or "", initial, clock)
        self._failed = failed
        self._results = dict(results or {})
        self._functions: dict[tuple[str, str], int] = {}
        self._of_threads: dict[Any, _Seat] = {}
        self._of_tasks: weakref.WeakKeyDictionary[Any, _Seat] = weakref.WeakKeyDictionary()
        self._spare: list[_Seat] = []

    def operation(
        self,
        f: str,
        *args: Any,
        object: Optional[str] = None,
        process: Any = None,
        failed: Optional[Exceptions] = None,
        results: Optional[Mapping[type[BaseException], Any]] = None,
    ) -> RecordedOperation:
        """An operation, as a context manager (``with`` or ``async with``): it is called where the block begins.

        ``object``: which of several objects it is called on. ``process``: who runs it, if it is not this thread or task.
        ``failed`` and ``results`` take the place of the recorder's.
        """
        function = self._function(f, object or "")
        return RecordedOperation(
            self, function, (f, object), args, process, self._failed if failed is None else failed, self._results if results is None else results
        )

    def record(
        self, f: Union[str, Callable[..., Any], None] = None, *, skip: int = 0, object: Optional[str] = None
    ) -> Callable[[Function], Function]:
        """A decorator: each call of the function, or coroutine, is an operation with its arguments and its result.

        ``f``: its name; by default that of the function. ``skip``: how many of the first arguments are none of the
        operation's: 1 for the ``self`` of a method.
        """
        if callable(f):
            return self.record()(f)

        def decorate(function: Function) -> Function:
            name = f or function.__name__

            def arguments(given: tuple, named: dict) -> tuple:
                if named:
                    given = inspect.signature(function).bind(*given, **named).args
                return given[skip:]

            if inspect.iscoroutinefunction(function):

                @functools.wraps(function)
                async def recorded(*given: Any, **named: Any) -> Any:
                    with self.operation(name, *arguments(given, named), object=object) as operation:
                        operation.result = result = await function(*given, **named)
                    return result

            else:

                @functools.wraps(function)
                def recorded(*given: Any, **named: Any) -> Any:
                    with self.operation(name, *arguments(given, named), object=object) as operation:
                        operation.result = result = function(*given, **named)
                    return result

            return recorded  # type: ignore[return-value]

        return decorate

    def history(self) -> History:
        """What has been recorded so far, with what runs now pending."""
        if self._path is not None and self._native.closed:
            return read(self._path)[0]
        return History(self._native.history())

    __plumb_history__ = history

    def close(self) -> None:
        """The end: operations that still run stay pending. Raises :class:`InputError` if not all could be recorded (a full disk)."""
        self._native.close(self._path is not None)

    def __enter__(self) -> Recorder:
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    def _watch(self, event: Callable[[Watcher], Optional[Alarm]]) -> None:
        """Tells the watcher what happens, if there is one: a call before it begins, a return when it has ended."""
        if self._watcher is None:
            return
        with self._watching:
            alarm = event(self._watcher)
            if alarm is not None and self.alarm is None:
                self.alarm = alarm
        if alarm is not None and self._on_alarm is not None:
            self._on_alarm(alarm)

    def _function(self, f: str, object: str) -> int:
        number = self._functions.get((f, object))
        if number is None:
            if not isinstance(f, str) or not isinstance(object, str):
                raise InputError("expected the function's name, and the object's, as a string")
            number = self._functions[f, object] = self._native.function(f, object)
        return number

    def _seat(self, process: Any) -> _Seat:
        """A seat for one operation: that of the thread or task, unless it runs an operation within another."""
        if process is not None:
            seat = self._of_threads.setdefault(("given", process), _Seat())
            if not seat.take():
                raise InputError(f"process {process!r} runs an operation; expected one at a time")
        else:
            seat = self._own_seat()
            if not seat.take():
                seat = self._spare_seat()
                seat.spare = True
                seat.take()
        if seat.log is None:
            seat.log = self._native.log()
        return seat

    def _own_seat(self) -> _Seat:
        task = _current_task()
        if task is None:  # a thread that has ended may have had the same number: its seat is free
            return self._of_threads.setdefault(threading.get_ident(), _Seat())
        seat = self._of_tasks.get(task)
        if seat is None:
            seat = self._of_tasks[task] = self._spare_seat()
            weakref.finalize(task, self._leave, seat).atexit = False
        return seat

    def _spare_seat(self) -> _Seat:
        try:
            return self._spare.pop()
        except IndexError:
            return _Seat()

    def _leave(self, seat: _Seat) -> None:
        seat.spare = False
        if not seat.is_taken():
            self._spare.append(seat)


class _Seat:
    """A process of the history: its log, and whether an operation runs there."""

    __slots__ = ("_taken", "log", "process", "spare")

    def __init__(self) -> None:
        self.log: Optional[_native.Log] = None
        self.process: Optional[int] = None  # for the watcher
        self.spare = False  # it is for one operation only
        self._taken = threading.Lock()

    def take(self) -> bool:
        return self._taken.acquire(blocking=False)

    def is_taken(self) -> bool:
        return self._taken.locked()

    def give_back(self) -> None:
        self._taken.release()


class RecordedOperation:
    """An operation that is being recorded, see :meth:`Recorder.operation`."""

    __slots__ = ("_args", "_failed", "_function", "_named", "_process", "_recorder", "_results", "_seat", "result")

    def __init__(
        self,
        recorder: Recorder,
        function: int,
        named: tuple[str, Optional[str]],
        args: tuple,
        process: Any,
        failed: Exceptions,
        results: Mapping,
    ) -> None:
        self._recorder = recorder
        self._function = function
        self._named = named
        self._args = args
        self._process = process
        self._failed = failed
        self._results = results
        self._seat: Optional[_Seat] = None
        self.result: Any = _NOT_SAID
        """What it returned: set it within the block. Without that it has no result."""

    def fail(self) -> None:
        """It did not happen."""
        self._end(lambda log: log.fail(), lambda watcher, process: watcher.fail(process))

    def lose(self) -> None:
        """It may have happened, or may still (a time-out, a lost connection): it is pending."""
        self._end(lambda log: log.info(), _lose)

    def __enter__(self) -> RecordedOperation:
        if self._seat is not None:
            raise InputError("the operation runs already")
        seat = self._recorder._seat(self._process)
        try:
            seat.log.call(self._function, self._args)
        except BaseException:
            self._give_back(seat)
            raise
        self._seat = seat
        if self._recorder._watcher is not None:
            if seat.process is None:
                seat.process = next(self._recorder._processes)
            f, object = self._named
            try:
                self._recorder._watch(lambda watcher: watcher.call(seat.process, f, *self._args, object=object))
            except BaseException:  # the block does not begin
                seat.process = None
                self.fail()
                raise
        return self

    def __exit__(self, kind: Optional[type[BaseException]], error: Optional[BaseException], _: Any) -> None:
        if self._seat is None:
            return
        if error is None:
            return self._return(self.result)
        for meant, result in self._results.items():
            if isinstance(error, meant):
                return self._return(result)
        if isinstance(error, self._failed):
            self.fail()
        else:
            self.lose()

    async def __aenter__(self) -> RecordedOperation:
        return self.__enter__()

    async def __aexit__(self, kind: Optional[type[BaseException]], error: Optional[BaseException], trace: Any) -> None:
        self.__exit__(kind, error, trace)

    def _return(self, result: Any) -> None:
        if result is _NOT_SAID:
            self._end(lambda log: log.ret_nothing(), lambda watcher, process: watcher.ret(process))
        else:
            self._end(lambda log: log.ret(result), lambda watcher, process: watcher.ret(process, result))

    def _end(self, end: Callable[[_native.Log], None], watched: Callable[[Watcher, int], Optional[Alarm]]) -> None:
        seat, self._seat = self._seat, None
        if seat is None:
            raise InputError("the operation does not run")
        process = seat.process
        try:
            end(seat.log)
            if watched is _lose:
                seat.process = None
        except BaseException:
            watched, seat.process = _lose, None
            raise
        finally:
            try:
                if process is not None:
                    self._recorder._watch(lambda watcher: watched(watcher, process))
            except BaseException:  # the watcher may not know that it has ended
                seat.process = None
                raise
            finally:
                self._give_back(seat)

    def _give_back(self, seat: _Seat) -> None:
        seat.give_back()
        if seat.spare:
            self._recorder._leave(seat)


def _lose(watcher: Watcher, process: int) -> Optional[Alarm]:
    """The process is gone: who goes on there is another one."""
    return watcher.lose(process)


def _current_task() -> Any:
    try:
        return asyncio.current_task()
    except RuntimeError:  # no loop runs in this thread
        return None
