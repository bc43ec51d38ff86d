"""What the clients do, and how each operation is recorded: the model of a workload, and one step of a client."""

from __future__ import annotations

import random
import time
from collections.abc import Callable

import plumb

from .errors import NotDone, Unknown
from .store import Client

CLIENTS_PER_KEY = 4
LEASE = 3  # seconds that a lock is held at most

# A read that fails tells nothing, whatever happened to it: it is left out. A write is left out only if it certainly did not happen.
READ_FAILED = (NotDone, Unknown)
WRITE_FAILED = NotDone


class Registers:
    """Reads and writes. Each value is written once, so that checking takes linear time."""

    model = "register"

    def __init__(self, store: Client, recorder: plumb.Recorder, number: int, clients: int) -> None:
        self.store = store
        self.recorder = recorder
        self.random = random.Random(number)
        self._number = number
        self._clients = clients
        self._written = 0

    def step(self) -> None:
        if self.random.random() < 0.5:
            self.read(self.key())
        else:
            self.write(self.key(), self.fresh())

    def key(self) -> str:
        return f"r{self._number // CLIENTS_PER_KEY}"

    def fresh(self) -> int:
        """A value that nobody has written yet."""
        self._written += 1
        return self._written * self._clients + self._number

    def read(self, key: str) -> int | None:
        with self.recorder.operation("read", object=key, failed=READ_FAILED) as operation:
            operation.result = found = self.store.read(key)
        return found

    def write(self, key: str, value: int) -> None:
        with self.recorder.operation("write", value, object=key, failed=WRITE_FAILED):
            self.store.write(key, value)


class CompareAndSet(Registers):
    """Reads, writes, and compare-and-sets of what was read last. That has to be searched: so keys change every few seconds, and
    what is lost on one of them is no burden to the next."""

    SECONDS = 5.0  # that a key is used

    @classmethod
    def functions(cls, clients: int, seconds: float) -> int:
        """How many functions of objects these clients record in that time; a recording holds 65535."""
        return 3 * -(-clients // CLIENTS_PER_KEY) * int(seconds / cls.SECONDS + 2)

    def __init__(self, store: Client, recorder: plumb.Recorder, number: int, clients: int) -> None:
        super().__init__(store, recorder, number, clients)
        self._seen: dict[str, int | None] = {}

    def step(self) -> None:
        key, way = self.key(), self.random.random()
        if way < 0.4 or key not in self._seen:
            self._seen = {key: self.read(key)}
        elif way < 0.5:
            self.write(key, self.fresh())
        else:
            self._compare_and_set(key, self._seen[key], self.fresh())

    def key(self) -> str:
        return f"{super().key()}.{time.monotonic() // self.SECONDS:.0f}"

    def _compare_and_set(self, key: str, old: int | None, new: int) -> None:
        with self.recorder.operation("cas", old, new, object=key, failed=WRITE_FAILED) as operation:
            operation.result = done = self.store.compare_and_set(key, old, new)
        if done:
            self._seen[key] = new


class Lock:
    """A mutex that is a key with a lease: it is free again when its holder has not been heard of for some seconds.

    What is recorded is what the clients believe. A client holds the lock from the answer that granted it until it begins to give it
    back, whatever comes of that. A refused attempt is left out: who stood in its way may have been nobody, only a lease of
    an attempt whose answer was lost."""

    model = "mutex"

    def __init__(self, store: Client, recorder: plumb.Recorder, number: int, clients: int, pause: Callable[[], bool] = lambda: False) -> None:
        self.store = store
        self.recorder = recorder
        self.lock = f"lock{number // CLIENTS_PER_KEY}"
        self.random = random.Random(number)
        self._owner = f"client {number}"
        self._pause = pause
        self._turn = 0

    def step(self) -> None:
        if self.acquire():
            time.sleep(LEASE + 2 if self._pause() else self.random.uniform(0, 0.01))
            self.release()
        time.sleep(self.random.uniform(0, 0.01))

    def acquire(self) -> bool:
        asked = time.monotonic()
        self._turn += 1
        with self.recorder.operation("acquire", object=self.lock, failed=NotDone) as operation:
            if not self.store.acquire(self.lock, self._name(), LEASE):
                operation.fail()
                return False
            if time.monotonic() - asked > LEASE / 2:  # too late to be sure of it: the client does not believe in it
                operation.lose()
                return False
        return True

    def release(self) -> None:
        with self.recorder.operation("release", object=self.lock):
            self.store.release(self.lock, self._name())

    def _name(self) -> str:
        return f"{self._owner}, {self._turn}"


WORKLOADS = {"register": Registers, "cas": CompareAndSet, "lock": Lock}
