"""Watching while it happens: events in, an alarm as soon as a violation is certain."""

from __future__ import annotations

import dataclasses
import json
from typing import Any, Optional

from . import _native
from .errors import InputError
from .models import Model, model as model_of

__all__ = ["Alarm", "Watcher"]


@dataclasses.dataclass(frozen=True)
class Alarm:
    """A violation that is certain, whatever comes."""

    reason: str
    operations: list[int]
    """The operations concerned: their numbers, counted by call from 0."""
    object: Any = None
    """The object that it is about, where the events name one."""


class Watcher:
    """Judges a run while it happens.

    Feed it what happens, in the order in which it does; each event may return an :class:`Alarm`. One may go on after it. Only what is
    open is kept in memory, with most models. One thread at a time may use it: in a program with threads, hold a lock.

    ::

        watcher = plumb.Watcher("queue")
        watcher.call(0, "enqueue", 1)
        watcher.ret(0)
        watcher.call(1, "dequeue")
        alarm = watcher.ret(1, 2)          # 2 was never enqueued
    """

    def __init__(self, model: Any, *, initial: Any = None) -> None:
        if isinstance(model, (Model, type)):
            native = (model if isinstance(model, Model) else model_of(model))._native_for_all()
        elif isinstance(model, str):
            native = _native.model_by_name(model)
        elif isinstance(model, _native.Model):
            native = model
        else:
            raise InputError(f"a {type(model).__name__} is no model; expected the name of one, or a class")
        self._native = _native.Watcher(native, initial)

    def call(self, process: Any, f: str, *args: Any, object: Any = None) -> Optional[Alarm]:
        """A process calls a function."""
        return _alarm(self._native.call(process, f, args, object))

    def ret(self, process: Any, *result: Any) -> Optional[Alarm]:
        """Its operation returns, with a result or without one."""
        if len(result) > 1:
            raise InputError(f"{len(result)} results; expected at most one")
        return _alarm(self._native.ret(process, bool(result), result[0] if result else None))

    def fail(self, process: Any) -> Optional[Alarm]:
        """Its operation did not happen."""
        return _alarm(self._native.fail(process))

    def lose(self, process: Any) -> Optional[Alarm]:
        """Its operation may have happened, or may still: it is pending, and the process is gone."""
        return _alarm(self._native.info(process))

    def settle(self) -> Optional[Alarm]:
        """Judges what was put off, with what is open pending. The run may go on."""
        return _alarm(self._native.settle())

    @property
    def operations(self) -> int:
        """How many operations were called."""
        return self._native.operations

    @property
    def open(self) -> int:
        """How many run now."""
        return self._native.open

    @property
    def unjudged(self) -> Optional[str]:
        """Why some object cannot be judged any more, and no alarm of it will come; else None."""
        return self._native.unjudged or None


def _alarm(told: Optional[tuple[str, list[int], str]]) -> Optional[Alarm]:
    if told is None:
        return None
    reason, operations, object = told
    return Alarm(reason, operations, json.loads(object) if object else None)
