"""Redis: a primary with replicas, Sentinels that make a replica the primary, and a client that waits for replicas (WAIT)."""

from __future__ import annotations

import shutil
import time
from pathlib import Path
from typing import BinaryIO

from .connection import Connection
from .errors import CannotRun, NotDone, Unknown
from .network import Network
from .node import Node

Reply = int | str | list | None
PORT, SENTINEL = 6379, 26379
PATIENCE = 90  # seconds for what takes a moment: the machine may be busy
# What a server answers before it looks at the command: it was not executed.
REFUSED = ("READONLY", "LOADING", "MASTERDOWN", "NOAUTH", "NOREPLICAS")

SET_IF = "if redis.call('GET', KEYS[1]) == (ARGV[1] ~= '' and ARGV[1]) then redis.call('SET', KEYS[1], ARGV[2]) return 1 else return 0 end"
DELETE_IF = "if redis.call('GET', KEYS[1]) == ARGV[1] then redis.call('DEL', KEYS[1]) end return 1"


class Refused(Exception):
    """An error that the server answered."""


class RedisClient:
    """Asks the Sentinel of its node who the primary is, and stays with it until something fails. A write counts as done when a
    majority of the nodes has it, which is what WAIT says."""

    def __init__(self, sentinel: Node, replicas: int, timeout: float) -> None:
        self._sentinel = Connection(sentinel.address, SENTINEL, timeout)
        self._replicas = replicas
        self._timeout = timeout
        self._primary: Connection | None = None

    def read(self, key: str) -> int | None:
        found = self.command("GET", key)
        return None if found is None else int(str(found))

    def write(self, key: str, value: int) -> None:
        self.command("SET", key, str(value))
        self._wait()

    def compare_and_set(self, key: str, old: int | None, new: int) -> bool:
        done = self.command("EVAL", SET_IF, "1", key, "" if old is None else str(old), str(new)) == 1
        if done:
            self._wait()
        return done

    def acquire(self, lock: str, owner: str, seconds: int) -> bool:
        granted = self.command("SET", lock, owner, "NX", "EX", str(seconds)) is not None
        if granted:
            self._wait()
        return granted

    def release(self, lock: str, owner: str) -> None:
        self.command("EVAL", DELETE_IF, "1", lock, owner)
        self._wait()

    def command(self, *words: str) -> Reply:
        """One command to the primary, and its answer."""
        primary = self._found_primary()
        try:
            return primary.exchange(encoded(*words), read_reply)
        except Refused as error:
            self._forget()
            refused = str(error).split(" ", 1)[0] in REFUSED
            raise (NotDone if refused else Unknown)(f"{primary.host}: {error}") from error
        except (NotDone, Unknown):
            self._forget()
            raise

    def primary(self) -> str:
        """The address of the primary, as the Sentinel of this client knows it."""
        try:
            found = self._sentinel.exchange(encoded("SENTINEL", "GET-MASTER-ADDR-BY-NAME", "store"), read_reply)
        except (Refused, Unknown) as error:  # nothing of the operation has been sent
            raise NotDone(str(error)) from error
        if not isinstance(found, list):
            raise NotDone(f"{self._sentinel.host}: no primary is known")
        return str(found[0])

    def _found_primary(self) -> Connection:
        if self._primary is None:
            self._primary = Connection(self.primary(), PORT, self._timeout)
        return self._primary

    def _wait(self) -> None:
        have = self.command("WAIT", str(self._replicas), str(int(self._timeout * 500)))
        if not isinstance(have, int) or have < self._replicas:
            raise Unknown(f"{have} replicas have it, and {self._replicas} were wanted")

    def _forget(self) -> None:
        if self._primary is not None:
            self._primary.close()
        self._primary = None


def encoded(*words: str) -> bytes:
    """A command as Redis wants it."""
    return b"*%d\r\n" % len(words) + b"".join(b"$%d\r\n%s\r\n" % (len(word.encode()), word.encode()) for word in words)


def read_reply(answers: BinaryIO) -> Reply:
    line = answers.readline()
    if not line.endswith(b"\r\n"):
        raise Unknown("the connection ended within an answer")
    kind, rest = line[:1], line[1:-2].decode()
    if kind == b"-":
        raise Refused(rest)
    if kind == b":":
        return int(rest)
    if kind == b"+":
        return rest
    if int(rest) < 0:
        return None
    if kind == b"*":
        return [read_reply(answers) for _ in range(int(rest))]
    text = answers.read(int(rest) + 2)
    if len(text) < int(rest) + 2:
        raise Unknown("the connection ended within an answer")
    return text[:-2].decode()


class RedisCluster:
    """A primary, its replicas, and a Sentinel beside each."""

    def __init__(self, count: int, network: Network, folder: Path) -> None:
        if shutil.which("redis-server") is None:
            raise CannotRun("there is no redis-server (on Debian: apt-get install redis-server)")
        if not network.can_cut:
            raise CannotRun("Redis needs namespaces of the network here: on loopback its Sentinels do not find each other")
        numbers = network.nodes[:count]
        self.nodes = [Node(number, network, folder) for number in numbers]
        self.sentinels = [Node(number, network, folder, role="sentinel-") for number in numbers]
        self._majority = count // 2 + 1

    def start(self) -> None:
        for node in self.nodes:
            self.start_node(node)
        for sentinel in self.sentinels:
            self._start_sentinel(sentinel)
        self._wait_until_served()

    def start_node(self, node: Node) -> None:
        """As a replica of the primary; of the first one, until the Sentinels say otherwise."""
        primary = self.leader() or self.nodes[0]
        command = ["redis-server", "--port", str(PORT), "--bind", node.address, "--protected-mode", "no", "--dir", str(node.disk),
                   "--appendonly", "yes", "--save", ""]  # fmt: skip
        node.start(command if primary is node else [*command, "--replicaof", primary.address, str(PORT)])

    def client(self, number: int, timeout: float = 1.0) -> RedisClient:
        return self.client_of(self.nodes[number % len(self.nodes)], timeout)

    def client_of(self, node: Node, timeout: float = 1.0) -> RedisClient:
        return RedisClient(node, self._majority - 1, timeout)

    def leader(self) -> Node | None:
        """As most of the Sentinels see it."""
        votes = []
        for node in self.nodes:
            try:
                votes.append(self.client_of(node).primary())
            except NotDone:
                continue
        return next((node for node in self.nodes if votes.count(node.address) >= self._majority), None)

    def replace(self, node: Node) -> None:
        node.lose_disk()
        self.start_node(node)

    def _start_sentinel(self, sentinel: Node) -> None:
        settings = sentinel.disk / "sentinel.conf"
        settings.write_text(f"""port {SENTINEL}
bind {sentinel.address}
protected-mode no
dir {sentinel.disk}
sentinel monitor store {self.nodes[0].address} {PORT} {self._majority}
sentinel down-after-milliseconds store 1000
sentinel failover-timeout store 3000
""", encoding="utf-8")  # fmt: skip
        sentinel.start(["redis-server", str(settings), "--sentinel"])

    def _wait_until_served(self) -> None:
        """Until a write reaches all replicas, and every Sentinel knows the others."""
        until = time.monotonic() + PATIENCE
        while True:
            try:
                RedisClient(self.nodes[0], len(self.nodes) - 1, 2.0).write("ready", 1)
                if all(self._knows_all(sentinel) for sentinel in self.sentinels):
                    return
            except (NotDone, Unknown) as error:
                if time.monotonic() > until:
                    raise CannotRun(f"Redis does not serve: {error}\n{self.nodes[0].last_words()}") from error
            if time.monotonic() > until:
                raise CannotRun(f"the Sentinels do not find each other\n{self.sentinels[0].last_words()}")
            time.sleep(0.2)

    def _knows_all(self, sentinel: Node) -> bool:
        asked = Connection(sentinel.address, SENTINEL, 2.0)
        try:
            others = asked.exchange(encoded("SENTINEL", "SENTINELS", "store"), read_reply)
            replicas = asked.exchange(encoded("SENTINEL", "REPLICAS", "store"), read_reply)
        except (Refused, NotDone, Unknown):
            return False
        finally:
            asked.close()
        rest = len(self.nodes) - 1
        return isinstance(others, list) and isinstance(replicas, list) and len(others) == len(replicas) == rest
