"""A node: a process of the store, started, killed, stopped and continued."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
from pathlib import Path

from .leash import on_a_leash
from .network import Network


class Node:
    """A process with an address and a disk of its own."""

    def __init__(self, number: int, network: Network, folder: Path, role: str = "") -> None:
        self.number = number
        self.name = f"{role}n{number}"
        self.address = network.address(number)
        self.disk = folder / "disks" / self.name
        self.stopped = False
        self._network = network
        self._log = folder / f"{self.name}.log"
        self._process: subprocess.Popen[bytes] | None = None
        self.disk.mkdir(parents=True, exist_ok=True)

    def __str__(self) -> str:
        return self.name

    @property
    def running(self) -> bool:
        return self._process is not None and self._process.poll() is None

    def start(self, command: list[str], environment: dict[str, str] | None = None) -> None:
        """In its network, with a session of its own (a Ctrl-C is not for it); it ends when this program does."""
        with self._log.open("ab") as log:
            self._process = subprocess.Popen(
                on_a_leash([*self._network.inside(self.number), *command]),
                stdin=subprocess.DEVNULL, stdout=log, stderr=log, cwd=self.disk, start_new_session=True,
                env={**os.environ, **(environment or {})},
            )
        self.stopped = False

    def kill(self) -> None:
        """kill -9: what was not written to disk is lost."""
        self._signal(signal.SIGKILL)
        if self._process is not None:
            self._process.wait()
        self.stopped = False

    def stop(self) -> None:
        """SIGSTOP: it does not know that time passes."""
        self._signal(signal.SIGSTOP)
        self.stopped = True

    def go_on(self) -> None:
        self._signal(signal.SIGCONT)
        self.stopped = False

    def lose_disk(self) -> None:
        shutil.rmtree(self.disk)
        self.disk.mkdir()

    def processor_time(self) -> float:
        """The seconds of processor time of the process that runs now."""
        if self._process is None or not self.running:
            return 0.0
        fields = Path(f"/proc/{self._process.pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def last_words(self) -> str:
        """The end of its log."""
        lines = self._log.read_text(encoding="utf-8", errors="replace").splitlines() if self._log.exists() else []
        return "\n".join(lines[-5:])

    def _signal(self, which: signal.Signals) -> None:
        if self._process is not None and self.running:
            self._process.send_signal(which)
