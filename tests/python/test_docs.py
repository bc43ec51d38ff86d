"""The samples of docs/python.md run, one after another, beside the histories of the examples; and that of the package's docstring."""

import contextlib
import doctest
import io
import os
import re
import shutil
import unittest

import plumb
from case import SOURCE, Case


class Samples(Case):
    def test_the_page(self):
        page = (SOURCE / "docs" / "python.md").read_text(encoding="utf-8")
        samples = re.findall(r"^```python\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
        self.assertGreater(len(samples), 4)
        shutil.copytree(SOURCE / "examples" / "histories", self.folder, dirs_exist_ok=True)
        self.addCleanup(os.chdir, os.getcwd())
        os.chdir(self.folder)
        names = {}
        for number, sample in enumerate(samples, 1):
            with self.subTest(sample), contextlib.redirect_stdout(io.StringIO()):
                exec(compile(sample, f"docs/python.md, sample {number}", "exec"), names)

    def test_the_package(self):
        self.assertEqual(doctest.testmod(plumb).failed, 0)
        self.assertEqual(doctest.testmod(plumb).attempted, 3)

    def test_everything_public_is_described(self):
        for name in plumb.__all__:
            self.assertTrue(getattr(plumb, name).__doc__, name)
        page = (SOURCE / "docs" / "python.md").read_text(encoding="utf-8")
        for name in plumb.__all__:
            self.assertTrue(name in page, name)


if __name__ == "__main__":
    unittest.main()
