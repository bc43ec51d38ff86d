"""Violations step by step, each certain to show: what a run at random finds sooner or later, in its shortest form."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

import plumb

from .errors import CannotRun, NotDone, Unknown
from .network import Network, pairs
from .node import Node
from .redis import RedisClient
from .store import Client, Cluster
from .workloads import READ_FAILED, WRITE_FAILED

PATIENCE = 90  # seconds for what takes a moment: the machine may be busy


@dataclass
class Stage:
    """What a scenario has at hand."""

    cluster: Cluster
    network: Network
    recorder: plumb.Recorder
    say: Callable[[str], None]

    def isolate(self, node: Node) -> None:
        self.say(f"{node} is cut off from the others")
        for one, other in pairs([node.number], [each.number for each in self.cluster.nodes if each is not node]):
            self.network.cut(one, other)

    def write(self, node: Node, client: Client, value: int) -> bool:
        """Whether it is certain that it was written."""
        try:
            with self.recorder.operation("write", value, object="x", process=node.name, failed=WRITE_FAILED):
                client.write("x", value)
        except (NotDone, Unknown) as error:
            self.say(f"write {value} at {node}: {'not done' if isinstance(error, NotDone) else 'unknown'} ({error})")
            return False
        self.say(f"write {value} at {node}: done")
        return True

    def write_until_done(self, node: Node, client: Client, first: int) -> int:
        """Writes one value after another until one is certain to be there."""
        until = time.monotonic() + PATIENCE
        for value in range(first, first + 1000):
            if self.write(node, client, value):
                return value
            if time.monotonic() > until:
                break
            time.sleep(0.2)
        raise CannotRun(f"nothing could be written at {node}")

    def read(self, node: Node, client: Client) -> int | None:
        until = time.monotonic() + PATIENCE
        while True:
            try:
                with self.recorder.operation("read", object="x", process=node.name, failed=READ_FAILED) as operation:
                    operation.result = found = client.read("x")
                self.say(f"read at {node}: {found}")
                return found
            except (NotDone, Unknown) as error:
                if time.monotonic() > until:
                    raise CannotRun(f"nothing could be read at {node}: {error}") from error
                time.sleep(0.2)


def stale_read(stage: Stage) -> None:
    """etcd, serializable reads: a follower that is cut off answers with what it has."""
    nodes = stage.cluster.nodes
    far = next(node for node in nodes if node is not stage.cluster.leader())
    near = next(node for node in nodes if node is not far)
    at_near, at_far = stage.cluster.client_of(near, 5.0), stage.cluster.client_of(far, 5.0)
    written = stage.write_until_done(near, at_near, 1)
    until = time.monotonic() + PATIENCE
    while stage.read(far, at_far) != written and time.monotonic() < until:  # it is a follower: it will hear of it
        time.sleep(0.1)
    stage.isolate(far)
    stage.write_until_done(near, at_near, written + 1)
    stage.read(far, at_far)


def lock_held_twice(stage: Stage) -> None:
    """A lock with a lease, and a holder that is paused for longer than that: it wakes up and believes that the lock is its own."""
    first, second = (stage.cluster.client(number, 5.0) for number in (0, 1))
    seconds = 2
    with stage.recorder.operation("acquire", object="lock", process="first"):
        if not first.acquire("lock", "first", seconds):
            raise CannotRun("the lock is not free")
    stage.say(f"the first client has the lock, for {seconds} s, and is paused")
    until = time.monotonic() + PATIENCE
    while True:
        with stage.recorder.operation("acquire", object="lock", process="second", failed=(NotDone, Unknown)) as operation:
            if second.acquire("lock", "second", PATIENCE):
                break
            operation.fail()  # a refused attempt is left out: see `Lock`
        if time.monotonic() > until:
            raise CannotRun("the lease does not expire")
        time.sleep(0.2)
    stage.say("the second client has the lock")
    stage.say("the first client goes on, with a lock that it believes to have, and gives it back")
    with stage.recorder.operation("release", object="lock", process="first"):
        first.release("lock", "first")


def wait_is_not_enough(stage: Stage) -> None:
    """Redis: WAIT says that a write did not reach the replicas, but everybody who asks the primary has seen it. Then it is gone."""
    old = stage.cluster.leader()
    if old is None:
        raise CannotRun("the Sentinels know no primary")
    far = next(node for node in stage.cluster.nodes if node is not old)
    at_old, at_far = stage.cluster.client_of(old, 2.0), stage.cluster.client_of(far, 2.0)
    written = stage.write_until_done(old, at_old, 1)
    stage.isolate(old)
    if stage.write(old, at_old, written + 1):
        raise CannotRun("a primary that is cut off has replicas")
    stage.read(old, at_old)
    _wait_for_failover(stage, old, at_far)
    stage.read(far, at_far)


def _wait_for_failover(stage: Stage, old: Node, client: Client) -> None:
    assert isinstance(client, RedisClient)
    until = time.monotonic() + PATIENCE
    while time.monotonic() < until:
        try:
            primary = client.primary()
        except NotDone:
            primary = old.address
        if primary != old.address:
            name = next(node.name for node in stage.cluster.nodes if node.address == primary)
            stage.say(f"the Sentinels make {name} the primary")
            return
        time.sleep(0.2)
    raise CannotRun("the Sentinels do not replace the primary")


@dataclass(frozen=True)
class Scenario:
    """A scenario, and what it needs."""

    play: Callable[[Stage], None]
    store: str
    model: str
    cuts: bool
    serializable: bool = False


SCENARIOS = {
    "stale-read": Scenario(stale_read, "etcd", "register", cuts=True, serializable=True),
    "lock-held-twice": Scenario(lock_held_twice, "etcd", "mutex", cuts=False),
    "wait-is-not-enough": Scenario(wait_is_not_enough, "redis", "register", cuts=True),
}
