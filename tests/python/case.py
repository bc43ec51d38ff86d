"""What the tests of the package share: where things are, and the command to compare with.

PLUMB_COMMAND and PLUMB_SOURCE_DIR are set by CTest; PYTHONPATH has the package.
"""

import json
import os
import pathlib
import subprocess
import tempfile
import unittest

COMMAND = os.environ["PLUMB_COMMAND"]
SOURCE = pathlib.Path(os.environ["PLUMB_SOURCE_DIR"])
PATIENCE = 120  # seconds for what takes a moment: the machine may be busy


def command_says(path, *options):
    """The lines of `plumb check --json`, as objects; errors as their text."""
    run = subprocess.run([COMMAND, "check", "--json", *options, str(path)], capture_output=True, text=True, check=False)
    return [json.loads(line) for line in run.stdout.splitlines()], run.stderr


# Nothing explains the read, and every set of the additions has a sum of its own: a search without a memo does not end.
ENDLESS = [(process, "add", [1 << process], None, 0, 1000) for process in range(26)]
ENDLESS.append((30, "read", [], (1 << 26) + 5, 500, 1000))


class Case(unittest.TestCase):
    """A test with a folder of its own."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def file(self, name, content):
        path = self.folder / name
        path.write_text(content, encoding="utf-8")
        return path
