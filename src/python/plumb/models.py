"""Models of your own, in Python: what an object does, one operation after the other.

The native search calls four methods of a model here: ``initial(value)``, ``step(state, f, args, process)``, ``key(state)`` and
``describe(state)``. States with equal keys are one state, so a key must tell apart what behaves differently: Python takes ``1`` and
``True`` for equal, a key does not.
"""

from __future__ import annotations

import collections
import copy
import dataclasses
import enum
import inspect
from collections.abc import Callable, Iterable
from typing import Any, Optional, Union

from . import _native
from .errors import InputError

__all__ = ["Call", "Impossible", "Model", "model", "reads"]


class Impossible(Exception):
    """Raised by a model: the operation cannot happen in this state, as the acquire of a lock that is held."""


@dataclasses.dataclass(frozen=True)
class Call:
    """An operation as a step sees it: which function, with which arguments, and who called it."""

    f: str
    args: tuple
    process: Union[int, str]


def reads(method: Callable) -> Callable:
    """A decorator for methods of a model: it never changes the state, which makes the search faster. A step that does is an error."""
    method.__plumb_reads__ = True  # type: ignore[attr-defined]
    return method


class Model:
    """What :func:`model` makes: a model for :func:`check`."""

    def __init__(self, subject: Any, name: str, partition_by: Optional[int], family: Optional[str], uses_process: bool):
        self.name = name
        self._subject = subject
        self._partition_by = partition_by
        self._family = family or ""
        self._uses_process = uses_process
        self._made: dict[Any, _native.Model] = {}

    def __repr__(self) -> str:
        return f"<plumb.Model {self.name}>"

    @property
    def arity(self) -> dict[str, int]:
        """How many arguments its operations have at most, as far as that is known without a history."""
        return self._subject.arity()

    def _native_for(self, history: _native.History) -> _native.Model:
        """The model for histories like this one: what operations take and return is known from its class, else from the history."""
        shapes = history.shapes()
        if self._family:  # whose operations return what they do, also where nobody saw it
            shapes = [(name, least, most, False) for name, least, most, _ in shapes]
        operations = tuple(self._subject.operations(shapes))
        made = self._made.get(operations)
        if made is None:
            made = self._made[operations] = _native.make_model(
                self.name, list(operations), self._subject, self._partition_by, self._family, self._uses_process
            )
        return made

    def _native_for_all(self) -> _native.Model:
        """The model for histories that are not there yet."""
        if isinstance(self._subject, _StepSubject):
            raise InputError("a step does not say which operations there are; expected a class with a method for each")
        operations = list(self._subject.operations([]))
        return _native.make_model(
            self.name, operations, self._subject, self._partition_by, self._family, self._uses_process
        )

    def _forget(self) -> None:
        """What was found out about it may have been cut short."""
        self._made.clear()


def model(
    subject: Union[type, Callable[[Any, Call], Any]],
    *,
    initial: Any = None,
    name: Optional[str] = None,
    partition_by: Optional[int] = None,
    family: Optional[str] = None,
) -> Model:
    """A model for :func:`check`, of a class or of a step.

    A class has one method per operation (its public methods), which changes the object and returns the result. Each state is a copy of
    the object; two are equal when their attributes are, or as ``__eq__`` and ``__hash__`` say. A parameter ``process`` receives
    who calls. ``initial``, or the initial value of the history, is the argument of the class.

    A step is a pure function ``step(state, call)`` of a hashable state and a :class:`Call`, which returns the result and the next
    state as a tuple; a list of such tuples where there are several; None where the operation cannot happen. ``initial`` is the
    state in which it begins.

    ``partition_by``: operations with different values of that argument (0: the first) do not affect each other. ``family``: it does
    what all members of a family do (``"queue"``, ``"stack"``, ``"set"`` …), which have fast engines; the claim is tested.
    """
    if partition_by is not None and partition_by < 0:
        raise InputError(f"partition_by={partition_by}; expected the position of an argument, from 0")
    if isinstance(subject, type):
        of_class = _ClassSubject(subject, initial)
        return Model(of_class, name or subject.__name__, partition_by, family, of_class.uses_process)
    if not callable(subject):
        raise InputError(f"a {type(subject).__name__} is no model; expected a class, or a function step(state, call)")
    return Model(_StepSubject(subject, initial), name or getattr(subject, "__name__", "step"), partition_by, family, True)


class _ClassSubject:
    """A class with one method per operation."""

    def __init__(self, subject: type, initial: Any) -> None:
        self._class = subject
        self._initial = initial
        self._methods = {
            name: _Method(name, method)
            for name, method in inspect.getmembers(subject, inspect.isfunction)
            if not name.startswith("_") and not isinstance(inspect.getattr_static(subject, name), staticmethod)
        }
        if not self._methods:
            raise InputError(f"the class {subject.__name__} has no methods; expected one per operation")
        _refuse_shared_state(subject)
        self._has_equality = _has_equality(subject)
        self.uses_process = any(method.uses_process for method in self._methods.values())

    def operations(self, shapes: list[tuple[str, int, int, bool]]) -> Iterable[tuple[str, int, int, bool, bool]]:
        seen = {name: shape for name, *shape in shapes}
        for name, method in self._methods.items():
            _, most, no_result = seen.get(name, (0, 0, False))
            most = max(most, method.least) if method.most is None else method.most
            yield name, method.least, most, no_result or method.returns_nothing, method.reads

    def arity(self) -> dict[str, int]:
        return {name: method.most for name, method in self._methods.items() if method.most is not None}

    def initial(self, given: Any) -> Any:
        value = self._initial if given is None else given
        return self._class() if value is None else self._class(value)

    def step(self, state: Any, f: str, args: tuple, process: Any) -> list[tuple[Any, Any]]:
        after = copy.deepcopy(state)
        method = self._methods[f]
        try:
            result = getattr(after, f)(*args, **({"process": process} if method.uses_process else {}))
        except Impossible:
            return []
        return [(result, after)]

    def key(self, state: Any) -> Any:
        return state if self._has_equality else _key_of_attributes(state, set())

    def describe(self, state: Any) -> str:
        if type(state).__repr__ is not object.__repr__:
            return repr(state)
        return ", ".join(f"{name}={value!r}" for name, value in _attributes(state).items())


class _Method:
    """What the signature of an operation's method says."""

    def __init__(self, name: str, method: Callable) -> None:
        parameters = list(inspect.signature(method).parameters.values())[1:]
        self.uses_process = any(each.name == "process" for each in parameters)
        self.least, self.most = 0, 0
        for each in parameters:
            if each.name == "process" or each.kind is each.VAR_KEYWORD:
                continue
            if each.kind is each.KEYWORD_ONLY and each.default is each.empty:
                raise InputError(f"'{name}' has the parameter '{each.name}', by keyword only; arguments have no names")
            if each.kind is each.VAR_POSITIONAL:
                self.most = None
            elif each.kind is not each.KEYWORD_ONLY:
                self.least += each.default is each.empty
                if self.most is not None:
                    self.most += 1
        self.returns_nothing = inspect.signature(method).return_annotation in (None, "None")
        self.reads = getattr(method, "__plumb_reads__", False)


class _StepSubject:
    """A pure function of a state and a call."""

    def __init__(self, function: Callable[[Any, Call], Any], initial: Any) -> None:
        self._function = function
        self._initial = initial

    def operations(self, shapes: list[tuple[str, int, int, bool]]) -> Iterable[tuple[str, int, int, bool, bool]]:
        for name, least, most, no_result in shapes:
            yield name, min(least, most), most, no_result, False

    def arity(self) -> dict[str, int]:
        return {}

    def initial(self, given: Any) -> Any:
        return self._initial if given is None else _hashable(given)

    def step(self, state: Any, f: str, args: tuple, process: Any) -> list[tuple[Any, Any]]:
        try:
            answer = self._function(state, Call(f, args, process))
        except Impossible:
            return []
        if answer is None:
            return []
        answers = answer if isinstance(answer, list) else [answer]
        for each in answers:
            if not isinstance(each, tuple) or len(each) != 2:
                raise InputError(f"a step of '{f}' returned {each!r}; expected a tuple of the result and the next state")
        return answers

    def key(self, state: Any) -> Any:
        return _key_of(state, None)

    def describe(self, state: Any) -> str:
        return repr(state)


def _refuse_shared_state(subject: type) -> None:
    """What belongs to the class is in no state: a step that changes it would change all states at once."""
    for kind in subject.__mro__:
        for name, value in vars(kind).items():
            if not name.startswith("__") and isinstance(value, (list, dict, set, bytearray, collections.deque)):
                raise InputError(
                    f"'{name}' of the class {kind.__name__} is a {type(value).__name__} that all states would share; "
                    "make it in __init__"
                )


def _has_equality(kind: type) -> bool:
    """Whether a class says itself which of its objects are equal. What a dataclass says is made of its fields, as keys are."""
    if kind.__hash__ is None or kind.__hash__ is object.__hash__ or kind.__eq__ is object.__eq__:
        return False
    made_here = dataclasses.is_dataclass(kind) and "__eq__" in vars(kind) and kind.__dataclass_params__.eq
    return not made_here


def _attributes(state: Any) -> dict[str, Any]:
    found = {}
    for kind in reversed(type(state).__mro__):
        slots = kind.__dict__.get("__slots__", ())
        for name in (slots,) if isinstance(slots, str) else slots:
            if name not in ("__dict__", "__weakref__") and hasattr(state, name):
                found[name] = getattr(state, name)
    found.update(getattr(state, "__dict__", {}))
    return found


def _key_of_attributes(state: Any, met: Optional[set[int]]) -> Any:
    return (type(state), tuple((name, _key_of(value, met)) for name, value in sorted(_attributes(state).items())))


def _key_of(value: Any, met: Optional[set[int]]) -> Any:
    """What tells states apart: the type and the contents. ``met``: the changeable objects that were met in this state, each of
    which may stand there once; None: there may be none."""
    kind = type(value)
    if value is None or kind in (bool, int, str, bytes):
        return (kind, value)
    if kind in (float, complex):  # 0.0 and -0.0 are not the same
        return (kind, repr(value))
    if isinstance(value, type) or inspect.isroutine(value):
        return (kind, value)
    if isinstance(value, enum.Enum):
        return (kind, value.name)
    if isinstance(value, tuple):
        return (kind, tuple(_key_of(item, met) for item in value))
    if isinstance(value, frozenset):
        return (kind, frozenset(_key_of(item, met) for item in value))
    if _has_equality(kind):
        return (kind, value)
    if dataclasses.is_dataclass(value) and kind.__dataclass_params__.frozen:
        return _key_of_attributes(value, met)
    if met is None:
        raise InputError(f"a state with a {kind.__name__}; the states of a step must be hashable: tuples, frozensets, …")
    if id(value) in met:
        raise InputError(f"a state that has the same {kind.__name__} in two places; expected each in one")
    met.add(id(value))
    return _key_of_changeable(value, kind, met)


def _key_of_changeable(value: Any, kind: type, met: set[int]) -> Any:
    if isinstance(value, dict):  # its order is a part of it
        content: Any = tuple((_key_of(name, met), _key_of(item, met)) for name, item in value.items())
    elif isinstance(value, set):
        content = frozenset(_key_of(item, met) for item in value)
    elif isinstance(value, bytearray):
        content = bytes(value)
    elif isinstance(value, (list, collections.deque)):
        content = (getattr(value, "maxlen", None), tuple(_key_of(item, met) for item in value))
    elif kind.__eq__ is object.__eq__ or dataclasses.is_dataclass(value):
        content = None
    else:
        raise InputError(f"a state with a {kind.__name__}, which plumb cannot compare; give it __eq__ and __hash__")
    return (content, _key_of_attributes(value, met))


def _hashable(value: Any) -> Any:
    """A value of a history as the state of a step: lists become tuples, dictionaries tuples of pairs."""
    if isinstance(value, list):
        return tuple(_hashable(item) for item in value)
    if isinstance(value, dict):
        return tuple((name, _hashable(item)) for name, item in value.items())
    return value
