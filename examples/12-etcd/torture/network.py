"""The network between the nodes: one namespace each on a common bridge, or loopback where that is not allowed."""

from __future__ import annotations

import os
import socket
import subprocess
from collections.abc import Iterable
from pathlib import Path

from .errors import CannotRun

NOBODY = "02:00:00:00:00:ff"  # an address that no card has: what is sent to it is lost in silence, as in a cut cable


def run(*command: str) -> None:
    """Runs a command to its end; its words are the error if it fails."""
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    if done.returncode != 0:
        raise RuntimeError(f"{' '.join(command)}: {(done.stderr or done.stdout).strip()}")


class Network:
    """Loopback: nodes have addresses, and nothing can be cut."""

    can_cut = False
    slowing = ""

    def __init__(self, nodes: int) -> None:
        self.nodes = range(1, nodes + 1)
        self._net = os.getpid() % 10_000  # of this run: another one has its own

    def address(self, node: int) -> str:
        return f"127.{100 + self._net // 250}.{self._net % 250}.{node}"

    def expect_nobody(self) -> None:
        """Nobody else's nodes are at the addresses: what they answered would be taken for an answer of ours."""
        for node in self.nodes:
            for port in (2379, 2380, 6379, 26379):
                try:
                    socket.create_server((self.address(node), port)).close()
                except OSError as error:
                    raise CannotRun(f"{self.address(node)}:{port} is in use: {error}") from error

    def inside(self, node: int) -> list[str]:
        """What a command begins with to run as part of that node."""
        return []

    def cut(self, one: int, other: int) -> None:
        """Nothing passes between the two any more, in either direction."""
        raise NotImplementedError("loopback cannot be cut")

    def slow(self, node: int) -> None:
        raise NotImplementedError("loopback cannot be slowed")

    def heal(self) -> None:
        """All is as it was."""


class Namespaces(Network):
    """One network namespace per node, each with a cable (veth) to one bridge. `run` has made the world in which they are, and
    the kernel takes them away with it."""

    can_cut = True

    def __init__(self, nodes: int) -> None:
        super().__init__(nodes)
        run("mount", "-t", "tmpfs", "namespaces", "/run")  # where `ip netns` keeps names; only this run sees it
        run("ip", "link", "set", "lo", "up")
        run("ip", "link", "add", "bridge", "type", "bridge")
        run("ip", "address", "add", "10.90.0.254/24", "dev", "bridge")
        run("ip", "link", "set", "bridge", "up")
        for node in self.nodes:
            self._plug_in(node)
        self.slowing = self._way_to_slow()
        self._cut: set[tuple[int, int]] = set()
        self._slow: set[int] = set()

    def address(self, node: int) -> str:
        return f"10.90.0.{node}"

    def inside(self, node: int) -> list[str]:
        return ["nsenter", f"--net=/run/netns/n{node}"]

    def cut(self, one: int, other: int) -> None:
        for here, there in ((one, other), (other, one)):
            self._in(here, "ip", "neighbour", "replace", self.address(there), "lladdr", NOBODY, "nud", "permanent", "dev", "eth0")
            self._cut.add((here, there))

    def slow(self, node: int) -> None:
        """What the node sends is late and partly lost; by a narrow cable where the kernel has no `netem`."""
        how = ["netem", "delay", "80ms", "40ms", "loss", "10%"] if self.slowing == "netem" else ["tbf", "rate", "64kbit", "burst", "4kb", "latency", "300ms"]
        self._in(node, "tc", "qdisc", "replace", "dev", "eth0", "root", *how)
        self._slow.add(node)

    def heal(self) -> None:
        for here, there in self._cut:
            self._in(here, "ip", "neighbour", "delete", self.address(there), "dev", "eth0")
        for node in self._slow:
            self._in(node, "tc", "qdisc", "delete", "dev", "eth0", "root")
        self._cut.clear()
        self._slow.clear()

    def _plug_in(self, node: int) -> None:
        run("ip", "netns", "add", f"n{node}")
        run("ip", "link", "add", f"cable{node}", "type", "veth", "peer", "name", "eth0", "netns", f"n{node}")
        run("ip", "link", "set", f"cable{node}", "master", "bridge", "up")
        self._in(node, "ip", "link", "set", "lo", "up")
        self._in(node, "ip", "address", "add", f"{self.address(node)}/24", "dev", "eth0")
        self._in(node, "ip", "link", "set", "eth0", "up")

    def _in(self, node: int, *command: str) -> None:
        run(*self.inside(node), *command)

    def _way_to_slow(self) -> str:
        for way, options in (("netem", ["delay", "1ms"]), ("tbf", ["rate", "1mbit", "burst", "4kb", "latency", "1ms"])):
            try:
                run("tc", "qdisc", "add", "dev", "lo", "root", way, *options)
                run("tc", "qdisc", "delete", "dev", "lo", "root")
                return way
            except (RuntimeError, OSError):
                continue
        return ""


def pairs(one_side: Iterable[int], other_side: Iterable[int]) -> list[tuple[int, int]]:
    """Who must be cut from whom to separate the two sides."""
    there = list(other_side)
    return [(a, b) for a in one_side for b in there]


def disks_in_memory(folder: Path) -> None:
    """Disks of the nodes in memory, gone with the run: kill -9 takes what a process had not written, not what the kernel has."""
    folder.mkdir(parents=True, exist_ok=True)
    run("mount", "-t", "tmpfs", "-o", "size=2g", "disks", str(folder))
