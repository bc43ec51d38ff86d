"""What a workload asks of a store, and what a run asks of a cluster. `etcd` and `redis` are two of each."""

from __future__ import annotations

from typing import Protocol

from .node import Node


class Client(Protocol):
    """One client of the store, for one thread. Each method either returns, or raises `NotDone` or `Unknown`."""

    def read(self, key: str) -> int | None: ...

    def write(self, key: str, value: int) -> None: ...

    def compare_and_set(self, key: str, old: int | None, new: int) -> bool: ...

    def acquire(self, lock: str, owner: str, seconds: int) -> bool:
        """Takes the lock for so many seconds at most: a lease. False: somebody has it."""
        ...

    def release(self, lock: str, owner: str) -> None: ...


class Cluster(Protocol):
    """The nodes of a store."""

    nodes: list[Node]

    def start(self) -> None:
        """Starts all nodes, and returns when they serve."""
        ...

    def start_node(self, node: Node) -> None:
        """Starts it again, with the disk that it has."""
        ...

    def client(self, number: int, timeout: float = 1.0) -> Client:
        """A client that talks to one node, the next one for each number."""
        ...

    def client_of(self, node: Node, timeout: float = 1.0) -> Client: ...

    def leader(self) -> Node | None:
        """The node that leads, as far as the others know."""
        ...

    def replace(self, node: Node) -> None:
        """The node has lost its disk: a new one takes its place."""
        ...
