"""Processes that end when this program does, even by kill -9. In a world of its own the kernel sees to that; this is for loopback."""

from __future__ import annotations

import os

# The signal comes when the parent dies after it was asked for; who is an orphan by then has missed it.
BEGIN = 'test "$PPID" = "$0" && exec "$@"'


def on_a_leash(command: list[str]) -> list[str]:
    """The command, to be started by a thread that lives as long as it should."""
    return ["setpriv", "--pdeathsig", "KILL", "sh", "-c", BEGIN, str(os.getpid()), *command]
