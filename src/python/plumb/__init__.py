"""plumb: is it linearizable? Exact verdicts for recorded histories.

>>> import plumb
>>> v = plumb.check([{"process": 0, "f": "enqueue", "args": [1], "result": None, "call": 0, "return": 5},
...                  {"process": 1, "f": "dequeue", "args": [], "result": 1, "call": 2, "return": 9}], model="queue")
>>> v.outcome
'linearizable'
"""

from . import _native
from .errors import InputError
from .histories import History, Operation, columns, generate, history, parse, read, write
from .models import Call, Impossible, Model, model, reads
from .recorder import RecordedOperation, Recorder
from .verdicts import Verdict, Verification, check, models, spec, verify
from .watcher import Alarm, Watcher

__version__: str = _native.version

__all__ = [
    "Alarm",
    "Call",
    "History",
    "Impossible",
    "InputError",
    "Model",
    "Operation",
    "RecordedOperation",
    "Recorder",
    "Verdict",
    "Verification",
    "Watcher",
    "check",
    "columns",
    "generate",
    "history",
    "model",
    "models",
    "parse",
    "read",
    "reads",
    "spec",
    "verify",
    "write",
]
