"""plumb: is it linearizable? Exact verdicts for recorded histories.

>>> import plumb
>>> v = plumb.check([{"process": 0, "f": "enqueue", "args": [1], "result": None, "call": 0, "return": 5},
...                  {"process": 1, "f": "dequeue", "args": [], "result": 1, "call": 2, "return": 9}], model="queue")
>>> v.outcome
'linearizable'
"""

from . import _native
from .errors import InputError
from .histories import History, Operation, generate, history, parse, read, write
from .recorder import RecordedOperation, Recorder
from .verdicts import Verdict, Verification, check, models, spec, verify

__version__: str = _native.version

__all__ = [
    "History",
    "InputError",
    "Operation",
    "RecordedOperation",
    "Recorder",
    "Verdict",
    "Verification",
    "check",
    "generate",
    "history",
    "models",
    "parse",
    "read",
    "spec",
    "verify",
    "write",
]
