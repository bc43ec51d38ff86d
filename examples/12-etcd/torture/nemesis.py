"""The nemesis: what goes wrong, one thing after another, each for a few seconds."""

from __future__ import annotations

import random
from collections.abc import Callable

from .errors import CannotRun
from .network import Network, pairs
from .node import Node
from .store import Cluster

Undo = Callable[[], None]


class Nemesis:
    """Breaks a cluster: `strike` does something and says what; `relent` undoes it."""

    def __init__(self, cluster: Cluster, network: Network, faults: list[str], seed: int, pause: Callable[[], None]) -> None:
        self._cluster = cluster
        self._pause_a_client = pause
        self._network = network
        self._random = random.Random(seed)
        self._faults = [getattr(self, f"_{name}") for name in faults]
        self._undo: Undo | None = None

    def strike(self) -> str:
        told, self._undo = self._random.choice(self._faults)()
        return told

    def relent(self) -> None:
        undo, self._undo = self._undo, None
        if undo is not None:
            undo()

    def _kill(self) -> tuple[str, Undo]:
        """kill -9; the nodes come back with their disks. Now and then that is all of them."""
        nodes = self._cluster.nodes if self._random.random() < 0.2 else self._minority()
        for node in nodes:
            node.kill()
        return f"kill -9 {_names(nodes)}", lambda: self._start(nodes)

    def _stop(self) -> tuple[str, Undo]:
        """SIGSTOP and SIGCONT: the nodes wake up and believe that it is still then."""
        nodes = self._minority()
        for node in nodes:
            node.stop()
        return f"SIGSTOP {_names(nodes)}", lambda: [node.go_on() for node in nodes] and None

    def _replace(self) -> tuple[str, Undo]:
        """A node dies with its disk, and a new one takes its place."""
        node = self._random.choice(self._cluster.nodes)
        node.kill()
        return f"{node} loses its disk", lambda: self._cluster.replace(node)

    def _one(self) -> tuple[str, Undo]:
        """One node is cut from the others; preferably the leader."""
        node = self._cluster.leader() if self._random.random() < 0.5 else None
        node = node or self._random.choice(self._cluster.nodes)
        return self._partition([node])

    def _halves(self) -> tuple[str, Undo]:
        """A majority and a minority, cut from each other."""
        return self._partition(self._minority(as_many_as_possible=True))

    def _ring(self) -> tuple[str, Undo]:
        """Each node sees its neighbours only: with five, a majority each, and each another one. Of three, two do not see each other."""
        numbers = [node.number for node in self._cluster.nodes]
        count = len(numbers)
        far = [(a, b) for a in numbers for b in numbers if a < b and 1 < b - a < (count - 1 if count > 3 else count)]
        for one, other in far:
            self._network.cut(one, other)
        return "cut " + ", ".join(f"n{a} from n{b}" for a, b in far), self._network.heal

    def _slow(self) -> tuple[str, Undo]:
        """What some nodes send is late, and lost in part."""
        nodes = self._random.sample(self._cluster.nodes, self._random.randint(1, len(self._cluster.nodes)))
        for node in nodes:
            self._network.slow(node.number)
        return f"slow {_names(nodes)}", self._network.heal

    def _pause(self) -> tuple[str, Undo]:
        """Not a node, but a client is stopped: the next one that gets a lock, for longer than its lease."""
        self._pause_a_client()
        return "the next holder of a lock sleeps longer than its lease", lambda: None

    def _partition(self, nodes: list[Node]) -> tuple[str, Undo]:
        rest = [node for node in self._cluster.nodes if node not in nodes]
        for one, other in pairs([node.number for node in nodes], [node.number for node in rest]):
            self._network.cut(one, other)
        return f"cut {_names(nodes)} from {_names(rest)}", self._network.heal

    def _minority(self, as_many_as_possible: bool = False) -> list[Node]:
        most = (len(self._cluster.nodes) - 1) // 2
        return self._random.sample(self._cluster.nodes, most if as_many_as_possible else self._random.randint(1, most))

    def _start(self, nodes: list[Node]) -> None:
        for node in nodes:
            self._cluster.start_node(node)


PROCESS_FAULTS = ["kill", "stop", "replace"]
ON_REQUEST = ["pause"]
NETWORK_FAULTS = ["one", "halves", "ring"]


ALL_FAULTS = [*PROCESS_FAULTS, *NETWORK_FAULTS, "slow", *ON_REQUEST]


def possible_faults(network: Network) -> list[str]:
    """What can be done to nodes in this network."""
    return PROCESS_FAULTS + (NETWORK_FAULTS if network.can_cut else []) + (["slow"] if network.slowing else [])


def chosen(faults: str | None, possible: list[str]) -> list[str]:
    """The faults that are wanted, of those that are possible."""
    names = [] if faults in (None, "none") else str(faults).split(",")
    for name in names:
        if name.removeprefix("-") not in [*possible, *ON_REQUEST]:
            raise CannotRun(f"no fault '{name}' here; possible: {', '.join([*possible, *ON_REQUEST])}")
    wanted = [name for name in names if not name.startswith("-")]
    if wanted or faults == "none":
        return wanted
    return [name for name in possible if f"-{name}" not in names]


def _names(nodes: list[Node]) -> str:
    return " ".join(map(str, nodes))
