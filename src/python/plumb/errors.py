"""What goes wrong with what the user gives."""

from __future__ import annotations

from typing import Optional

__all__ = ["InputError"]


class InputError(ValueError):
    """Wrong input: a file that cannot be read, an operation that the model does not know, an option that makes no sense.

    ``file``, ``line`` and ``column`` (both from 1) say where; each is None where that is not known. ``message`` is the
    sentence without them.
    """

    def __init__(
        self, message: str, file: Optional[str] = None, line: Optional[int] = None, column: Optional[int] = None
    ) -> None:
        self.message = message
        self.file = file
        self.line = line
        self.column = column
        place = file or ""
        if line is not None:
            place += (":" if place else "") + f"{line}:{column or 0}"
        super().__init__(f"{place}: {message}" if place else message)

    def __reduce__(self) -> tuple:
        return (InputError, (self.message, self.file, self.line, self.column))
