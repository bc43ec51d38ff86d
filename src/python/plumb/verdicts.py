"""Verdicts: is a history linearizable, and why not."""

from __future__ import annotations

import contextlib
import html
import json
import os
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Optional, Union

from . import _native
from .errors import InputError
from .histories import History, Operation, Path, history as history_of
from .models import Model, model as model_of

__all__ = ["Verdict", "Verification", "check", "models", "spec", "verify"]

Relax = Union[str, Iterable[str], Mapping[str, Union[int, str, None]]]

_PAGE_HEIGHT = 640  # of a report in a notebook, in pixels


class Verdict:
    """What :func:`check` found out. True exactly for linearizable."""

    __slots__ = ("_native",)

    def __init__(self, native: _native.Verdict) -> None:
        self._native = native

    def __bool__(self) -> bool:
        return self.outcome == "linearizable"

    @property
    def outcome(self) -> str:
        """``"linearizable"``, ``"violation"`` or ``"unknown"``: a budget was spent."""
        return self._native.outcome

    @property
    def engine(self) -> str:
        """Which engines decided: ``"monitor"``, ``"wgl"``, ``"monitor+wgl"`` …"""
        return self._native.engine

    @property
    def why(self) -> str:
        """Why these; of ``unknown``, which budget was spent."""
        return self._native.why

    @property
    def model(self) -> str:
        """The name of the model."""
        return self._native.model

    @property
    def history(self) -> History:
        """The history that was checked."""
        return History(self._native.history)

    @property
    def reason(self) -> Optional[str]:
        """Of a violation, a sentence that says what is wrong; else None."""
        return self._native.reason

    @property
    def core(self) -> Optional[list[Operation]]:
        """Of a violation, the operations that by themselves prove it; else None."""
        return self._operations(self._native.core)

    @property
    def stuck(self) -> Optional[Operation]:
        """Of a violation, the operation whose return cannot be explained; else None."""
        numbers = self._native.stuck
        return None if numbers is None else Operation(numbers, self._native.history)

    @property
    def allowed(self) -> Optional[list[Any]]:
        """Of a violation, the results that ``stuck`` could have had (those that are listed); else None."""
        values = self._native.allowed
        return None if values is None else [json.loads(value) for value in values]

    @property
    def prefix(self) -> Optional[list[Operation]]:
        """Of a violation, the longest linearization of what happened before it; else None."""
        return self._operations(self._native.prefix)

    @property
    def states(self) -> Optional[list[str]]:
        """Of a violation, states in which ``stuck`` was tried, as the model writes them; else None."""
        return self._native.states

    @property
    def linearization(self) -> Optional[list[Operation]]:
        """Of a linearizable history, its operations in the order in which they took effect; else None.

        Pending operations that took effect are among them.
        """
        return self._operations(self._native.linearization) if self else None

    @property
    def legal(self) -> Optional[list[Operation]]:
        """With ``relax``, the legal history, place by place beside ``linearization``; else None."""
        return self._operations(self._native.legal) if self and self._native.legal else None

    @property
    def relax(self) -> dict[str, Optional[int]]:
        """For how much relaxation the verdict holds: what was given, or the smallest K that was looked for."""
        return dict(self._native.relax or self._native.tried_relax or [])

    @property
    def depth(self) -> Optional[int]:
        """Of the engine ``hitting``: the depth of the first family with a witness."""
        return self._native.depth

    @property
    def elapsed(self) -> float:
        """How long the check took, in seconds."""
        return self._native.elapsed

    @property
    def parts(self) -> int:
        """Into how many independent histories it was split."""
        return self._native.parts

    @property
    def configurations(self) -> int:
        """How many configurations a search met."""
        return self._native.configurations

    def _operations(self, numbers: Optional[list[int]]) -> Optional[list[Operation]]:
        native = self._native.history
        return None if numbers is None else [Operation(number, native) for number in numbers]

    def explain(self, *, width: int = 80, color: bool = False) -> str:
        """What ``plumb explain`` prints: the smallest core, which result is impossible, and which were allowed."""
        return self._native.report(".txt", width, color)

    def render(self, format: str = "html") -> str:
        """The report as text: as a page, or in any other format that ``plumb report`` makes: ``"svg"``, say."""
        return self._native.report("." + format, 80, False)

    def report(self, path: Path) -> None:
        """Writes the report; the ending of the name says what: ``x.html`` is one self-contained page; others as ``plumb report`` has them."""
        text = self._native.report(os.fspath(path), 80, False)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)

    def certificate(self) -> str:
        """The verdict with its proof, for :func:`verify` and ``plumb verify``."""
        return self._native.certificate()

    def _repr_html_(self) -> str:
        page = html.escape(self.render("html"), quote=True)
        return f'<iframe srcdoc="{page}" style="width: 100%; height: {_PAGE_HEIGHT}px; border: 0"></iframe>'

    def __str__(self) -> str:
        return self.explain()

    def __repr__(self) -> str:
        said = self.reason if self.outcome == "violation" else self.why
        return f"<plumb.Verdict: {self.outcome}: {said}>"


_TIME_UNITS = ("ns", "us", "ms", "s")


def check(
    history: Any,
    model: Any = None,
    *,
    engine: str = "auto",
    relax: Optional[Relax] = None,
    max_k: int = 16,
    max_depth: int = 5,
    only: bool = False,
    timeout: Optional[float] = None,
    memory: Optional[int] = None,
    jobs: int = 0,
    clock_error: Optional[float] = None,
    time_unit: str = "ns",
    initial: Any = None,
    format: str = "auto",
) -> Verdict:
    """Decides whether a history is linearizable.

    ``history``: whatever :func:`history` takes. ``model``: the name of a built-in model (:func:`models`), a class with one
    method per operation, or what :func:`model` or :func:`spec` gives; without it, the model that the history names.

    ``engine``: ``"auto"``, ``"monitor"``, ``"frontier"``, ``"wgl"``, ``"hitting"`` (families up to ``max_depth``; with ``only``, what
    they do not prove is unknown) or ``"brute"``.
    ``relax``: quasi linearizability: ``{"dequeue": 2}``, or ``{"dequeue": "?"}`` for the smallest K up to ``max_k``; also as the command's
    text, ``"dequeue=2"``.
    ``timeout`` in seconds and ``memory`` in bytes are budgets: a spent one makes the outcome ``"unknown"``. ``jobs``: threads; 0: one per core.

    ``clock_error``: every time may be off by so many milliseconds, as clocks of several machines are; the times of the history are in
    ``time_unit``: ``"ns"``, ``"us"``, ``"ms"`` or ``"s"``.

    Other threads of Python run meanwhile; Ctrl-C ends it. Raises :class:`InputError`.
    """
    if clock_error is not None and not 0 <= clock_error <= 1e12:
        raise InputError(f"a clock error of {clock_error}; expected milliseconds, 0 or more")
    if time_unit not in _TIME_UNITS:
        raise InputError(f"a time unit {time_unit!r}; expected one of {', '.join(_TIME_UNITS)}")
    if timeout is not None and not timeout > 0:
        raise InputError(f"a timeout of {timeout}; expected seconds, more than 0")
    if memory is not None and memory <= 0:
        raise InputError(f"{memory} bytes of memory; expected more than 0")
    if only and engine != "hitting":
        raise InputError('only=True is for engine="hitting"')
    if not 1 <= max_depth <= 64 or not 0 <= max_k <= 1_000_000_000 or jobs < 0:
        raise InputError("expected max_depth from 1 to 64, max_k from 0 to 1000000000, and jobs of 0 or more")
    checked = history_of(history, initial=initial, format=format, arity=_arity(model))._native
    with _using(model, checked) as native:
        return Verdict(
            _native.check(
                checked,
                native,
                engine,
                _relaxations(relax),
                max_k,
                max_depth,
                only,
                timeout,
                memory,
                jobs,
                clock_error,
                _TIME_UNITS.index(time_unit),
            )
        )


class Verification:
    """What :func:`verify` says: true when the certificate proves its verdict; ``reason`` says why it does not."""

    __slots__ = ("proved", "reason")

    def __init__(self, proved: bool, reason: str) -> None:
        self.proved = proved
        self.reason = reason

    def __bool__(self) -> bool:
        return self.proved

    def __repr__(self) -> str:
        return "<plumb.Verification: proved>" if self.proved else f"<plumb.Verification: not proved: {self.reason}>"


def verify(certificate: str, history: Any, model: Any = None) -> Verification:
    """Whether a certificate proves its verdict for this history, by a checker that uses no engine.

    ``certificate`` is its text. Without ``model`` it is the one that the history names, or else the certificate.
    """
    verified = history_of(history, arity=_arity(model))._native
    if model is None:
        return Verification(*_native.verify(verified, None, certificate))
    with _using(model, verified) as native:
        return Verification(*_native.verify(verified, native, certificate))


def models() -> list[str]:
    """The names of the built-in models; ``plumb models`` describes them."""
    return _native.model_names()


def spec(path: Path) -> _native.Model:
    """A model of a C++ file, as ``--spec`` of the command: it is compiled, which takes a moment the first time."""
    return _native.model_of_file(os.fspath(path))


def _arity(model: Any) -> Optional[Mapping[str, int]]:
    """How many arguments operations have, for histories that do not say it: those of columns."""
    if isinstance(model, str):
        return _native.arities_of(model)
    if isinstance(model, (Model, type)):
        return (model if isinstance(model, Model) else model_of(model)).arity
    return None


@contextlib.contextmanager
def _using(model: Any, history: _native.History) -> Iterator[_native.Model]:
    """The model for a history: by its name, given, or the one that the history names."""
    if model is None:
        yield _native.model_of(history)
    elif isinstance(model, _native.Model):
        yield model
    elif isinstance(model, str):
        yield _native.model_by_name(model)
    elif isinstance(model, (Model, type)):
        in_python = model if isinstance(model, Model) else model_of(model)
        try:
            yield in_python._native_for(history)
        except BaseException:
            in_python._forget()
            raise
    else:
        raise InputError(
            f"a {type(model).__name__} is no model; expected the name of one, a class, plumb.model(…) or plumb.spec(…)"
        )


def _relaxations(relax: Optional[Relax]) -> list[tuple[str, Optional[int]]]:
    if relax is None:
        return []
    if isinstance(relax, Mapping):
        items = list(relax.items())
    else:
        texts = relax.split(",") if isinstance(relax, str) else list(relax)
        items = [(name, places) for name, _, places in (str(text).partition("=") for text in texts)]
    return [(name, _places(name, places)) for name, places in items]


def _places(name: str, places: Union[int, str, None]) -> Optional[int]:
    if places == "?" or places is None:
        return None
    try:
        number = int(places)
    except ValueError:
        number = -1
    if not name or isinstance(places, (bool, float)) or not 0 <= number <= 1_000_000_000:
        raise InputError(f"'{name}={places}'; expected CLASS=K with a whole number from 0 to 1000000000, or CLASS=?")
    return number
