"""Histories: of files, of bytes, of operations in Python."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Optional, Union

from . import _native
from .errors import InputError

__all__ = ["History", "Operation", "columns", "generate", "history", "parse", "read", "write"]

Path = Union[str, "os.PathLike[str]"]


class Operation(int):
    """An operation of a history: its number there, from 0, which knows the operation's fields.

    It is an ``int``, so it indexes the list that the history was made of; ``op.f``, ``op.args``, ``op.result``, … or ``op["f"]``
    say what it is.
    """

    _native: _native.History

    def __new__(cls, number: int, native: _native.History) -> "Operation":
        made = super().__new__(cls, number)
        made._native = native
        return made

    def asdict(self) -> dict[str, Any]:
        """The fields of the format jsonl: process, f, args, result (if there is one), call, return (None: it is pending)."""
        return self._native.operation(int(self))

    def __getitem__(self, field: str) -> Any:
        return self.asdict()[field]

    def keys(self) -> Iterable[str]:
        return self.asdict().keys()

    def get(self, field: str, default: Any = None) -> Any:
        return self.asdict().get(field, default)

    @property
    def process(self) -> Any:
        """Who ran it."""
        return self["process"]

    @property
    def f(self) -> str:
        """The name of the function."""
        return self["f"]

    @property
    def args(self) -> list[Any]:
        """Its arguments."""
        return self["args"]

    @property
    def result(self) -> Any:
        """What it returned; None also where it has not."""
        return self.get("result")

    @property
    def object(self) -> Any:
        """The object that it was called on, where the history is of several; else None."""
        return self.get("object")

    @property
    def call(self) -> int:
        """When it was called."""
        return self["call"]

    @property
    def ret(self) -> Optional[int]:
        """When it returned; None: it is pending."""
        return self["return"]

    @property
    def pending(self) -> bool:
        """Whether it has not returned."""
        return self.ret is None

    @property
    def line(self) -> Optional[int]:
        """Its line in the file; None where that is not known."""
        return self._native.line(int(self)) or None

    def __str__(self) -> str:
        return self._native.describe(int(self))

    def __repr__(self) -> str:
        return f"<operation {int(self)}: {self}>"

    def __reduce__(self) -> tuple:
        return (int, (int(self),))


class History(Sequence[Operation]):
    """What a system did: a sequence of operations that never changes. See :func:`read` and :func:`history`."""

    __slots__ = ("_native",)

    def __init__(self, native: _native.History) -> None:
        self._native = native

    def __len__(self) -> int:
        return len(self._native)

    def __getitem__(self, index: Any) -> Any:
        numbers = range(len(self))[index]
        if isinstance(numbers, range):
            return [Operation(number, self._native) for number in numbers]
        return Operation(numbers, self._native)

    def __iter__(self) -> Iterator[Operation]:
        return (Operation(number, self._native) for number in range(len(self)))

    @property
    def model(self) -> Optional[str]:
        """The model that the file names, or None."""
        return self._native.model or None

    @property
    def initial(self) -> Any:
        """The initial value that the file gives, or None."""
        return self._native.initial

    @property
    def name(self) -> Optional[str]:
        """The name that the file gives this history, or None."""
        return self._native.name or None

    @property
    def file(self) -> Optional[str]:
        """The file it was read from, or None."""
        return self._native.file or None

    @property
    def functions(self) -> list[str]:
        """The names of all functions that are called."""
        return self._native.functions

    @property
    def pending(self) -> int:
        """How many operations have not returned."""
        return self._native.pending

    @property
    def processes(self) -> int:
        """How many processes there are."""
        return self._native.processes

    def text(self, format: str = "jsonl") -> str:
        """The history as text of that format."""
        return self._native.text(format)

    def write(self, path: Path, format: str = "auto") -> None:
        """Writes it to a file; the format is that of the name's ending, unless given. ``.gz`` and ``.zst`` compress."""
        write([self], path, format)

    def __repr__(self) -> str:
        of = f" of {self.file}" if self.file else ""
        return f"<plumb.History{of}: {len(self)} operations, {self.pending} pending, {self.processes} processes>"


def read(path: Path, format: str = "auto") -> list[History]:
    """The histories of a file, in any format that the command reads, compressed or not ("-": standard input).

    An empty file is one empty history. Raises :class:`InputError`, with file, line and column.
    """
    return [History(native) for native in _native.read(os.fspath(path), format)]


def parse(data: Union[str, bytes], format: str = "auto", name: str = "") -> list[History]:
    """The same of text or bytes; ``name`` is for messages."""
    if isinstance(data, str):
        data = data.encode()
    return [History(native) for native in _native.parse(bytes(data), format, name)]


def write(histories: Iterable[History], path: Path, format: str = "auto") -> None:
    """Writes histories to one file; the format is that of the name's ending, unless given."""
    _native.write([each._native for each in histories], os.fspath(path), format)


def history(
    source: Any,
    *,
    model: Optional[str] = None,
    initial: Any = None,
    format: str = "auto",
    arity: Optional[Mapping[str, int]] = None,
) -> History:
    """The history that ``source`` is, or says.

    - a :class:`History`, or a :class:`Recorder`: what it has recorded;
    - a path, as ``pathlib.Path`` or a string: a file with one history;
    - bytes, or a string with more than one line or that begins with a bracket: a history as text, in any format;
    - operations: dictionaries with the fields ``process``, ``f``, ``args``, ``result``, ``call``, ``return`` (None: it is pending), or
      tuples of these six; or events: dictionaries with ``process``, ``type``, ``f``, ``value``;
    - a dictionary of columns, or a table of pandas or Arrow: see :func:`columns`.

    ``model`` and ``initial`` are what a header says of operations: the object, and its initial value. ``arity`` is for columns.
    """
    if hasattr(source, "__plumb_history__"):
        source = source.__plumb_history__()
    is_data = isinstance(source, (str, bytes, bytearray, memoryview, os.PathLike))
    if isinstance(source, History) or is_data:
        if model is not None or initial is not None:
            raise InputError("a history that is read says its model and its initial value itself; expected neither here")
        return source if isinstance(source, History) else _only(_read_or_parse(source, format))
    table = _columns_of(source)
    if table is not None:
        return columns(**table, model=model, initial=initial, arity=arity)
    if not isinstance(source, Iterable):
        raise InputError(f"a {type(source).__name__} is no history; expected operations, a History, a file or its text")
    operations = source if isinstance(source, (list, tuple)) else list(source)
    if operations and isinstance(operations[0], History):
        raise InputError(f"{len(operations)} histories; check each of them")
    if operations and isinstance(operations[0], Mapping) and "type" in operations[0]:
        return _only(_events(operations, model, initial))
    return History(_native.from_operations(operations, model or "", initial))


def _read_or_parse(source: Any, format: str) -> list[History]:
    if isinstance(source, str) and ("\n" in source or source.lstrip()[:1] in ("{", "[", "(", "#", ";", "")):
        return parse(source, format)
    if isinstance(source, (bytes, bytearray, memoryview)):
        return parse(bytes(source), format)
    return read(source, format)


def columns(
    *,
    process: Any,
    f: Any,
    call: Any,
    ret: Any,
    args: Any = (),
    result: Any = None,
    object: Any = None,
    pending: Any = None,
    functions: Optional[Sequence[str]] = None,
    arity: Optional[Mapping[str, int]] = None,
    model: Optional[str] = None,
    initial: Any = None,
) -> History:
    """A history of columns, one row per operation: arrays of NumPy, ``array.array``, series of pandas, columns of Arrow, lists.

    Arrays of numbers and of fixed-width text are read where they lie. ``f``: names; or, with ``functions``, positions among these.
    ``args``: a list of columns, of the first arguments, the second ones and so on; one array is a list of one. How many of them an
    operation has is what ``arity`` says of its function, else the ``model`` (by name), else all. A missing value (NaN, or masked)
    is null; an operation without a return time, or marked in ``pending``, is pending.
    """
    given = {"process": process, "f": f, "call": call, "return": ret, "args": args if isinstance(args, (list, tuple)) else [args]}
    given.update({name: column for name, column in (("result", result), ("object", object), ("pending", pending)) if column is not None})
    known = dict(arity) if arity is not None else _native.arities_of(model) if model is not None else {}
    return History(_native.from_columns(given, list(functions or ()), known, model or "", initial))


def _columns_of(source: Any) -> Optional[dict[str, Any]]:
    """The arguments of :func:`columns` that a table has; None: it is no table."""
    names = getattr(source, "column_names", None) or getattr(source, "columns", None)
    if isinstance(source, Mapping):
        names = source.keys()
    elif names is None or not hasattr(source, "__getitem__"):
        return None
    found = {str(name): source[name] for name in names}
    table = {"ret" if name == "return" else name: found[name] for name in ("process", "f", "call", "return", "result", "object", "pending") if name in found}
    for name in ("process", "f", "call", "ret"):
        if name not in table:
            raise InputError(f"a table without '{'return' if name == 'ret' else name}'; expected the columns process, f, args, result, call, return")
    if "args" in found:
        table["args"] = found["args"]
    else:
        table["args"] = [found[name] for name in sorted(found) if name.startswith("arg")]
    return table


def _only(histories: list[History]) -> History:
    if len(histories) == 1:
        return histories[0]
    raise InputError(f"{len(histories)} histories; check each of plumb.read(…)", histories[0].file if histories else None)


def _events(events: Sequence[Any], model: Optional[str], initial: Any) -> list[History]:
    header = {"plumb": 1, **({} if model is None else {"model": model}), **({} if initial is None else {"initial": initial})}
    try:
        lines = [json.dumps(each, allow_nan=False) for each in [header, *events]]
    except (TypeError, ValueError) as error:
        raise InputError(f"events that JSON cannot say: {error}") from None
    return parse("\n".join(lines), "events")


def generate(
    model: str = "queue",
    operations: int = 1000,
    *,
    processes: int = 4,
    seed: int = 1,
    spoil: bool = False,
    pending: float = 0.0,
    distinct: bool = True,
) -> History:
    """A random history, linearizable by construction; or, with ``spoil``, one that is not. The same for a given seed."""
    return History(_native.generate(model, operations, processes, seed, spoil, pending, distinct))
