"""The clients: threads in several processes, for one process of Python cannot use two cores. Each process has its own keys and
records into its own file: keys do not affect each other, so the files are judged one by one."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import plumb

from .errors import NotDone, Unknown
from .store import Cluster
from .workloads import CLIENTS_PER_KEY, WORKLOADS, Lock

AFTER_AN_ERROR = 0.05  # seconds


@dataclass
class Counts:
    """What came of the operations."""

    done: int = 0
    not_done: int = 0
    unknown: int = 0
    processor_time: float = 0.0  # seconds, of whole processes

    def __add__(self, other: Counts) -> Counts:
        return Counts(self.done + other.done, self.not_done + other.not_done, self.unknown + other.unknown,
                      self.processor_time + other.processor_time)  # fmt: skip

    def __str__(self) -> str:
        return f"{self.done + self.not_done + self.unknown} operations, of which {self.not_done} did not happen and {self.unknown} are of unknown outcome"


class Load:
    """Clients at work."""

    def __init__(self, cluster: Cluster, workload: str, clients: int, processes: int, folder: Path) -> None:
        processes = max(1, min(processes, clients // CLIENTS_PER_KEY))
        shares = _whole_keys(clients, processes)
        self.recordings = [folder / f"clients-{i + 1}.plumb" for i in range(len(shares))]
        self._fork = multiprocessing.get_context("fork")
        self._over = self._fork.Event()
        self._pause = self._fork.Value("i", 0)
        self._counted = self._fork.SimpleQueue()
        self._clients = clients
        self._workload = workload
        self._cluster = cluster
        self._processes = [self._fork.Process(target=self._work, args=(share, path), daemon=True) for share, path in zip(shares, self.recordings)]
        self._begun = 0.0

    def start(self) -> None:
        self._begun = time.monotonic()
        for process in self._processes:
            process.start()

    def stop(self) -> tuple[Counts, float]:
        """What was done, and in how many seconds."""
        self._over.set()
        seconds = time.monotonic() - self._begun
        total = sum((self._counted.get() for _ in self._processes), Counts())
        for process in self._processes:
            process.join()
        return total, seconds

    def pause_a_holder(self) -> None:
        """The next client that gets a lock sleeps longer than its lease, as in a pause of a garbage collector."""
        with self._pause.get_lock():
            self._pause.value = 1

    def _work(self, share: range, recording: Path) -> None:
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        kind = WORKLOADS[self._workload]
        counts = [Counts() for _ in share]
        with plumb.Recorder(kind.model, path=recording) as recorder:
            threads = [threading.Thread(target=self._client, args=(number, recorder, count)) for number, count in zip(share, counts)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
        self._counted.put(sum(counts, Counts(processor_time=time.process_time())))

    def _client(self, number: int, recorder: plumb.Recorder, counts: Counts) -> None:
        store, parent = self._cluster.client(number), os.getppid()
        if self._workload == "lock":
            step: Callable[[], None] = Lock(store, recorder, number, self._clients, self._is_my_pause).step
        else:
            step = WORKLOADS[self._workload](store, recorder, number, self._clients).step
        while not self._over.is_set() and os.getppid() == parent:
            try:
                step()
                counts.done += 1
            except NotDone:
                counts.not_done += 1
                time.sleep(AFTER_AN_ERROR)
            except Unknown:
                counts.unknown += 1
                time.sleep(AFTER_AN_ERROR)

    def _is_my_pause(self) -> bool:
        with self._pause.get_lock():
            mine, self._pause.value = bool(self._pause.value), 0
        return mine


def _whole_keys(clients: int, processes: int) -> list[range]:
    """The clients of each process, so that those who share a key are in the same one."""
    keys = -(-clients // CLIENTS_PER_KEY)
    bounds = [min(clients, keys * i // processes * CLIENTS_PER_KEY) for i in range(processes + 1)]
    return [range(begin, end) for begin, end in zip(bounds, bounds[1:]) if begin < end]
