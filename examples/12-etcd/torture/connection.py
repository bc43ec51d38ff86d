"""A TCP connection that tells what was never sent from what may have arrived."""

from __future__ import annotations

import socket
from typing import BinaryIO, Callable, TypeVar

from .errors import NotDone, Unknown

Answer = TypeVar("Answer")


class Connection:
    """One request at a time, kept open between them. Nothing is ever sent twice: only the caller knows whether that is harmless."""

    def __init__(self, host: str, port: int, timeout: float) -> None:
        self.host = host
        self._port = port
        self._timeout = timeout
        self._socket: socket.socket | None = None
        self._answers: BinaryIO | None = None

    def exchange(self, request: bytes, read: Callable[[BinaryIO], Answer]) -> Answer:
        """Sends a request and reads its answer. `NotDone` before the first byte, `Unknown` from then on."""
        self._open()
        assert self._socket is not None and self._answers is not None
        try:
            self._socket.sendall(request)
            return read(self._answers)
        except Unknown:
            self.close()
            raise
        except (OSError, ValueError) as error:
            self.close()
            raise Unknown(f"{self.host}: {error}") from error

    def close(self) -> None:
        """The next request opens it again."""
        for opened in (self._answers, self._socket):
            if opened is not None:
                opened.close()
        self._socket = self._answers = None

    def _open(self) -> None:
        if self._socket is not None:
            return
        try:
            opened = socket.create_connection((self.host, self._port), self._timeout)
        except OSError as error:
            raise NotDone(f"{self.host}: {error}") from error
        opened.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._socket, self._answers = opened, opened.makefile("rb")
