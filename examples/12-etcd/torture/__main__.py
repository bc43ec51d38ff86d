"""The command: `examples/12-etcd/run --help`."""

from __future__ import annotations

import argparse
import random
import shutil
import signal
import sys
import threading
import time
import traceback
from pathlib import Path

import plumb

from .errors import CannotRun, NotDone, Unknown
from .etcd import EtcdCluster
from .judging import Watch, judge
from .load import Load
from .nemesis import ALL_FAULTS, Nemesis, chosen, possible_faults
from .network import Namespaces, Network, disks_in_memory
from .redis import RedisCluster
from .scenarios import SCENARIOS, Scenario, Stage
from .store import Cluster
from .workloads import WORKLOADS, CompareAndSet

SKIPPED = 77
NO_VERDICT = 70  # something went wrong here, which says nothing of the store
MOST_FUNCTIONS = 65_000  # of a recording
MARK = ".plumb-torture"  # in folders that are made by a run, and may be emptied by the next one
DESCRIPTION = """\
Starts a cluster of etcd (or Redis) on this machine, sets clients and a nemesis on it, records what the clients see, and judges
whether that is linearizable: while it happens (plumb watch), and at the end (plumb check).
"""
EPILOG = """\
try:
  run --minutes 1                        registers under kill -9, SIGSTOP, partitions, slow links, lost disks: linearizable
  run --serializable                     the same with reads that do not ask the majority: a stale read, in seconds
  run --workload cas --nodes 5           compare-and-set, five nodes
  run --workload lock --faults pause     a lock that is a lease, and holders that sleep too long: held twice
  run --store redis                      Redis with replicas, Sentinels and WAIT
  run --scenario stale-read              the shortest way to a violation, step by step; also:
                                         lock-held-twice, wait-is-not-enough

faults:
  kill     kill -9 of a minority, or of all; they come back with their disks
  stop     SIGSTOP and SIGCONT of a minority
  replace  kill -9; the disk is lost, and a new member takes the place
  one      a node, often the leader, is cut off from the others
  halves   a majority and a minority are cut from each other
  ring     each node sees its neighbours only
  slow     late and lost packets (netem; where the kernel has none, a narrow link)
  pause    a client that holds a lock sleeps longer than its lease (workload lock)
Partitions and slow links need namespaces: root, or a kernel that lets everybody have them. Clocks are left alone: etcd is
written in Go, which does not ask libc for the time, so libfaketime cannot change it, and Debian's Redis does not start with it.

exit status: 0 linearizable, 1 violation, 2 wrong usage, 3 unknown, 70 no verdict: something went wrong, 77 this cannot be run
here (and why)
"""


def parsed() -> argparse.Namespace:
    parser = argparse.ArgumentParser("run", description=DESCRIPTION, epilog=EPILOG, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=float, default=1.0, help="how long the clients work (default: 1)")
    parser.add_argument("--seconds", type=float, help="the same in seconds")
    parser.add_argument("--store", choices=["etcd", "redis"], default="etcd")
    parser.add_argument("--nodes", type=int, choices=[3, 5], default=3)
    parser.add_argument("--workload", choices=list(WORKLOADS), default="register")
    parser.add_argument("--serializable", action="store_true", help="etcd: reads are answered by the node that is asked, alone")
    parser.add_argument("--clients", type=int, default=32, help="how many (default: 32; at most 256)")
    parser.add_argument("--processes", type=int, default=2, help="of how many processes the clients are threads (default: 2)")
    parser.add_argument("--faults", help="which, separated by commas (default: all that are possible here but pause); --faults=-stop: all but that; none: no faults")
    parser.add_argument("--keep-going", action="store_true", help="do not end at the first violation")
    parser.add_argument("--seed", type=int, help="of the nemesis")
    parser.add_argument("--scenario", choices=list(SCENARIOS), help="play this instead")
    parser.add_argument("--output", type=Path, default=Path("plumb-torture"), help="folder for recordings, logs, the report (default: plumb-torture)")
    parser.add_argument("--own-world", action="store_true", help=argparse.SUPPRESS)  # `run` has made namespaces for this
    options = parser.parse_args()
    options.seconds = options.minutes * 60 if options.seconds is None else options.seconds
    if not 0 < options.seconds <= 24 * 3600 or not 0 < options.clients <= 256 or not 0 < options.processes <= 64:
        parser.error("expected at most a day, 256 clients and 64 processes, and more than none")
    for name in str(options.faults or "none").split(","):
        if name.removeprefix("-") not in [*ALL_FAULTS, "none"]:
            parser.error(f"there is no fault '{name}'; expected some of: {', '.join(ALL_FAULTS)}")
    if options.workload == "cas" and CompareAndSet.functions(-(-options.clients // options.processes), options.seconds) > MOST_FUNCTIONS:
        parser.error("too many keys for a recording; expected fewer clients, more processes or less time")
    if options.store == "redis" and options.serializable:
        parser.error("--serializable is a way to read from etcd; Redis has none")
    if options.output.exists() and any(options.output.iterdir()) and not (options.output / MARK).exists():
        parser.error(f"{options.output} has something else in it; expected a new folder, or that of an earlier run")
    return options


class Run:
    """One run, from the network to the verdict."""

    def __init__(self, options: argparse.Namespace) -> None:
        self.options = options
        self.scenario: Scenario | None = SCENARIOS.get(options.scenario)
        self.folder: Path = options.output
        self._violation = threading.Event()
        self._begun = time.monotonic()

    def __call__(self) -> int:
        network = self._network()
        if self.scenario is not None and self.scenario.cuts and not network.can_cut:
            raise CannotRun("this scenario cuts nodes off, which needs namespaces of the network: root, or a kernel that lets everybody have them")
        cluster = self._cluster(network)
        cluster.start()
        self._introduce(network, cluster)
        self._begun = time.monotonic()
        recordings = self._torture(network, cluster) if self.scenario is None else self._play(self.scenario, network, cluster)
        return judge(recordings, self.folder / "report.html")

    def say(self, text: str) -> None:
        print(f"{time.monotonic() - self._begun:6.1f} s  {text}", flush=True)

    def _network(self) -> Network:
        for old in ("*.plumb", "*.log", "report.html"):
            for path in self.folder.glob(old):
                path.unlink()
        shutil.rmtree(self.folder / "disks", ignore_errors=True)
        self.folder.mkdir(parents=True, exist_ok=True)
        (self.folder / MARK).touch()
        if not self.options.own_world:
            network = Network(self.options.nodes)
            network.expect_nobody()
            return network
        disks_in_memory(self.folder / "disks")
        return Namespaces(self.options.nodes)

    def _cluster(self, network: Network) -> Cluster:
        store = self.options.store if self.scenario is None else self.scenario.store
        if store == "redis":
            return RedisCluster(self.options.nodes, network, self.folder.absolute())
        serializable = self.options.serializable or (self.scenario is not None and self.scenario.serializable)
        return EtcdCluster(self.options.nodes, network, self.folder.absolute(), serializable)

    def _introduce(self, network: Network, cluster: Cluster) -> None:
        where = "each in a network namespace of its own" if network.can_cut else "on loopback: no namespaces here, so no partitions and no slow links"
        slow = {"netem": "", "tbf": "; this kernel has no netem, so slow links are narrow ones (tbf)", "": ""}[network.slowing]
        print(f"{len(cluster.nodes)} nodes, {where}{slow}", flush=True)

    def _torture(self, network: Network, cluster: Cluster) -> list[Path]:
        options = self.options
        load = Load(cluster, options.workload, options.clients, options.processes, self.folder)
        nemesis = self._nemesis(network, cluster, load)
        load.start()
        watches = [Watch(path, self._alarm) for path in load.recordings]
        self.say(f"{options.clients} clients at work")
        try:
            self._strike(nemesis)
        except KeyboardInterrupt:
            self.say("interrupted: what was recorded so far is judged")
        memory = max(watch.memory() for watch in watches)
        counts, seconds = load.stop()
        self.say(f"{counts}: {counts.done / seconds:.0f} per second")
        self.say(f"processor time: {counts.processor_time:.1f} s of the clients, {sum(node.processor_time() for node in cluster.nodes):.1f} s of the nodes")
        behind = not all([watch.join(60) for watch in watches])
        self.say(f"watch {'is behind and was ended' if behind else 'has kept up'}; at most {memory >> 20} MB of memory")
        return load.recordings

    def _nemesis(self, network: Network, cluster: Cluster, load: Load) -> Nemesis | None:
        wanted = chosen(self.options.faults, possible_faults(network))
        if not wanted:
            return None
        seed = random.randrange(10**6) if self.options.seed is None else self.options.seed
        print(f"faults: {', '.join(wanted)} (--seed {seed})", flush=True)
        return Nemesis(cluster, network, wanted, seed, load.pause_a_holder)

    def _strike(self, nemesis: Nemesis | None) -> None:
        """One fault after another until the time is over; then all is healed."""
        until = time.monotonic() + self.options.seconds

        def left() -> float:
            return max(0.0, until - time.monotonic())

        while nemesis is not None and not self._violation.wait(min(2, left())) and left() > 0:
            self.say(nemesis.strike())
            self._violation.wait(min(4, left()))
            try:
                nemesis.relent()
                self.say("healed")
            except (NotDone, Unknown) as error:
                self.say(f"not healed: {error}")
        self._violation.wait(left())

    def _alarm(self, reason: str) -> None:
        self.say(f"watch: violation: {reason}")
        if not self.options.keep_going:
            self._violation.set()

    def _play(self, scenario: Scenario, network: Network, cluster: Cluster) -> list[Path]:
        path = self.folder / "clients-1.plumb"
        with plumb.Recorder(scenario.model, path=path) as recorder:
            scenario.play(Stage(cluster, network, recorder, self.say))
        return [path]


def main() -> int:
    signal.signal(signal.SIGINT, signal.default_int_handler)  # which a shell may have switched off for us
    try:
        return Run(parsed())()
    except CannotRun as error:
        print(f"skipped: {error}")
        return SKIPPED
    except KeyboardInterrupt:
        print("interrupted")
        return 130
    except (NotDone, Unknown) as error:
        print(f"no verdict: the cluster does not answer: {error}")
        return NO_VERDICT
    except Exception:
        traceback.print_exc()
        return NO_VERDICT


sys.exit(main())
