"""What the stub says of the extension is what the extension has."""

import ast
import pathlib
import unittest

import plumb
from plumb import _native

FOLDER = pathlib.Path(plumb.__file__).parent


def public(names):
    return {name for name in names if not name.startswith("_")}


class Stubs(unittest.TestCase):
    def test_every_name_is_there(self):
        stub = ast.parse((FOLDER / "_native.pyi").read_text(encoding="utf-8"))
        said = {}
        for node in stub.body:
            if isinstance(node, ast.AnnAssign):
                said[node.target.id] = None
            elif isinstance(node, ast.FunctionDef):
                said[node.name] = None
            elif isinstance(node, ast.ClassDef):
                said[node.name] = public(each.target.id if isinstance(each, ast.AnnAssign) else each.name
                                         for each in node.body if not isinstance(each, ast.Expr))
        self.assertEqual(public(said), public(vars(_native)))
        for name, members in said.items():
            if members is not None:
                self.assertEqual(members, public(vars(getattr(_native, name))), name)

    def test_the_package_is_typed(self):
        self.assertTrue((FOLDER / "py.typed").exists())


if __name__ == "__main__":
    unittest.main()
