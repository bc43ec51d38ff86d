"""Verdicts: `plumb watch` beside the run, and `plumb.check` of what was recorded."""

from __future__ import annotations

import json
import subprocess
import threading
import time
from collections.abc import Callable
from pathlib import Path

import plumb

from .leash import on_a_leash

STATUS = {"linearizable": 0, "violation": 1, "unknown": 3}  # as those of the command
WORSE = ["linearizable", "unknown", "violation"]


class Watch:
    """`plumb watch --follow` on a recording that grows. It ends with the recording."""

    def __init__(self, recording: Path, alarm: Callable[[str], None]) -> None:
        self._recording = recording
        self._alarm = alarm
        self._watcher: subprocess.Popen[str] | None = None
        self._thread = threading.Thread(target=self._follow, daemon=True)
        self._thread.start()

    def join(self, seconds: float) -> bool:
        """Whether it has read everything by then; else it is ended."""
        self._thread.join(seconds)
        if self._thread.is_alive() and self._watcher is not None:
            self._watcher.kill()
            return False
        return True

    def memory(self) -> int:
        """The most memory that it has had, in bytes."""
        if self._watcher is None:
            return 0
        try:
            status = Path(f"/proc/{self._watcher.pid}/status").read_text(encoding="utf-8")
        except OSError:
            return 0
        return next((int(line.split()[1]) * 1024 for line in status.splitlines() if line.startswith("VmHWM:")), 0)

    def _follow(self) -> None:
        while not self._recording.exists() or self._recording.stat().st_size == 0:
            time.sleep(0.01)
        self._watcher = subprocess.Popen(on_a_leash(["plumb", "watch", "--follow", "--json", str(self._recording)]),
                                         stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True, start_new_session=True)  # fmt: skip
        assert self._watcher.stdout is not None
        for line in self._watcher.stdout:
            told = json.loads(line)
            if "violation" in told:
                self._alarm(told["violation"]["reason"])
        self._watcher.wait()


def judge(recordings: list[Path], report: Path) -> int:
    """Checks all recordings and says what came of it, with the smallest proof of the first violation. The exit status."""
    begun = time.monotonic()
    verdicts = [plumb.check(path, timeout=120) for path in recordings]
    seconds = time.monotonic() - begun
    operations = sum(len(verdict.history) for verdict in verdicts)
    print(f"checked {operations} operations in {seconds:.3f} s")
    worst = max(verdicts, key=lambda verdict: WORSE.index(verdict.outcome))
    if worst.outcome == "violation":
        print(worst.explain(), end="")
        worst.report(report)
        print(f"the same as a page to click through: {report}")
    else:
        mark = "✓" if worst else "?"
        print(f"{mark} {worst.outcome}: {', '.join(sorted({verdict.why for verdict in verdicts}))}")
    return STATUS[worst.outcome]
