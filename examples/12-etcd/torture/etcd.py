"""etcd: its nodes, and a client of its JSON interface (the gRPC gateway, /v3/…)."""

from __future__ import annotations

import base64
import json
import os
import shutil
import time
from pathlib import Path
from typing import Any, BinaryIO

from .connection import Connection
from .errors import CannotRun, NotDone, Unknown
from .network import Network
from .node import Node

# Errors that etcd returns before it proposes the request to anybody. All others may come after that: "request timed out", "leader
# changed", "no leader" leave a proposal behind that may be committed later.
REFUSED = ("etcdserver: too many requests",)
PATIENCE = 90  # seconds for what takes a moment: the machine may be busy


class EtcdClient:
    """Registers are keys, written with put; a compare-and-set is a transaction; a lock is a key with a lease."""

    def __init__(self, node: Node, timeout: float, serializable: bool) -> None:
        self.node = node
        self._connection = Connection(node.address, 2379, timeout)
        self._serializable = serializable

    def read(self, key: str) -> int | None:
        request: dict[str, Any] = {"key": _text(key)}
        if self._serializable:
            request["serializable"] = True
        found = self.post("/v3/kv/range", request).get("kvs")
        return int(base64.b64decode(found[0]["value"])) if found else None

    def write(self, key: str, value: int) -> None:
        self.post("/v3/kv/put", {"key": _text(key), "value": _text(value)})

    def compare_and_set(self, key: str, old: int | None, new: int) -> bool:
        if old is None:
            unchanged = {"key": _text(key), "target": "CREATE", "create_revision": "0"}
        else:
            unchanged = {"key": _text(key), "target": "VALUE", "value": _text(old)}
        return self._transaction(unchanged, {"request_put": {"key": _text(key), "value": _text(new)}})

    def acquire(self, lock: str, owner: str, seconds: int) -> bool:
        lease = self.post("/v3/lease/grant", {"TTL": str(seconds)})["ID"]
        free = {"key": _text(lock), "target": "CREATE", "create_revision": "0"}
        return self._transaction(free, {"request_put": {"key": _text(lock), "value": _text(owner), "lease": lease}})

    def release(self, lock: str, owner: str) -> None:
        mine = {"key": _text(lock), "target": "VALUE", "value": _text(owner)}
        self._transaction(mine, {"request_delete_range": {"key": _text(lock)}})

    def post(self, path: str, request: dict[str, Any]) -> dict[str, Any]:
        """One request of the interface and its answer."""
        body = json.dumps(request).encode()
        head = f"POST {path} HTTP/1.1\r\nHost: {self._connection.host}\r\nContent-Length: {len(body)}\r\n\r\n"
        ok, answer = self._connection.exchange(head.encode() + body, _read_answer)
        if not ok:
            self._connection.close()
            said = str(answer.get("error", answer))
            raise (NotDone if said in REFUSED else Unknown)(f"{self.node}: {said}")
        return answer

    def _transaction(self, condition: dict[str, str], then: dict[str, Any]) -> bool:
        return bool(self.post("/v3/kv/txn", {"compare": [condition], "success": [then]}).get("succeeded", False))


def _text(value: object) -> str:
    return base64.b64encode(str(value).encode()).decode()


def _read_answer(answers: BinaryIO) -> tuple[bool, dict[str, Any]]:
    """Whether the status is 200, and the object. Answers of a single request are short, and come in one piece."""
    status, length = answers.readline().split(None, 2), None
    while (line := answers.readline()) not in (b"\r\n", b""):
        name, _, value = line.partition(b":")
        if name.lower() == b"content-length":
            length = int(value)
    if len(status) < 2 or length is None:
        raise Unknown("the connection ended within an answer")
    body = answers.read(length)
    if len(body) < length:
        raise Unknown("the connection ended within an answer")
    return status[1] == b"200", json.loads(body)


class EtcdCluster:
    """Three or five nodes of Debian's etcd-server."""

    def __init__(self, count: int, network: Network, folder: Path, serializable: bool = False) -> None:
        if shutil.which("etcd") is None:
            raise CannotRun("there is no etcd (on Debian: apt-get install etcd-server)")
        self.nodes = [Node(number, network, folder) for number in network.nodes[:count]]
        self._serializable = serializable

    def start(self) -> None:
        for node in self.nodes:
            self.start_node(node)
        self._wait_until_served()

    def start_node(self, node: Node, is_new: bool = False) -> None:
        """With no more threads of Go than its share of the cores: they would spin for work that other nodes have."""
        here = f"http://{node.address}"
        node.start([
            "etcd", "--name", node.name, "--data-dir", str(node.disk / "data"),
            "--listen-client-urls", f"{here}:2379", "--advertise-client-urls", f"{here}:2379",
            "--listen-peer-urls", f"{here}:2380", "--initial-advertise-peer-urls", f"{here}:2380",
            "--initial-cluster", ",".join(f"{each}=http://{each.address}:2380" for each in self.nodes),
            "--initial-cluster-state", "existing" if is_new else "new", "--logger", "zap",
        ], {"GOMAXPROCS": str(max(1, (os.cpu_count() or 1) // len(self.nodes)))})  # fmt: skip

    def client(self, number: int, timeout: float = 1.0) -> EtcdClient:
        return self.client_of(self.nodes[number % len(self.nodes)], timeout)

    def client_of(self, node: Node, timeout: float = 1.0) -> EtcdClient:
        return EtcdClient(node, timeout, self._serializable)

    def leader(self) -> Node | None:
        names = {self._member_id(node): node for node in self.nodes}
        for node in self.nodes:
            try:
                leader = self.client_of(node).post("/v3/maintenance/status", {}).get("leader")
            except (NotDone, Unknown):
                continue
            if leader in names:
                return names[leader]
        return None

    def replace(self, node: Node) -> None:
        """As the manual says: the dead member is removed, a new one is added, and starts with an empty disk."""
        others = [each for each in self.nodes if each is not node and each.running and not each.stopped]
        ask = self.client_of(others[0], 5.0)
        until = time.monotonic() + PATIENCE
        peer = f"http://{node.address}:2380"
        while True:  # etcd refuses while it does not know that the others are well
            try:
                members = ask.post("/v3/cluster/member/list", {})["members"]
                old = [each["ID"] for each in members if peer in each["peerURLs"] and each.get("name")]
                if old:
                    ask.post("/v3/cluster/member/remove", {"ID": old[0]})
                if old or not any(peer in each["peerURLs"] for each in members):
                    ask.post("/v3/cluster/member/add", {"peerURLs": [peer]})
                break
            except (NotDone, Unknown):
                if time.monotonic() > until:
                    raise
                time.sleep(0.5)
        node.lose_disk()
        self.start_node(node, is_new=True)

    def _member_id(self, node: Node) -> str | None:
        try:
            return self.client_of(node).post("/v3/maintenance/status", {})["header"]["member_id"]
        except (NotDone, Unknown):
            return None

    def _wait_until_served(self) -> None:
        until = time.monotonic() + PATIENCE
        for node in self.nodes:
            while True:
                try:
                    EtcdClient(node, 5.0, serializable=False).read("ready")
                    break
                except (NotDone, Unknown) as error:
                    if not node.running or time.monotonic() > until:
                        raise CannotRun(f"{node} does not serve: {error}\n{node.last_words()}") from error
                    time.sleep(0.1)
