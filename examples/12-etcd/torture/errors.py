"""What a client may say of an operation that did not return. A verdict is as sound as this distinction."""

from __future__ import annotations


class NotDone(Exception):
    """The operation did not happen and never will: nothing of it left this machine, or the store says that it refused it unseen."""


class Unknown(Exception):
    """The operation may have taken effect, or may still: a time-out, a lost connection, an error of a store that had begun."""


class CannotRun(Exception):
    """The run cannot take place here, and the text says why."""
