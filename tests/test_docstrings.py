"""What a newcomer reads says what it is for: everything in the rooms of the core and of files, and every long function."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1] / "src" / "redmax"
ROOMS = ("program", "trace", "backends", "io")
LONG = 50  # lines
Definition = ast.FunctionDef | ast.ClassDef


def definitions(body: list[ast.stmt], owner: str = "") -> Iterator[tuple[str, Definition]]:
    """Functions, classes and their methods, but those that Python names; functions within functions are nobody's to call."""
    for node in body:
        if isinstance(node, Definition) and not node.name.startswith("__"):
            yield owner + node.name, node
            if isinstance(node, ast.ClassDef):
                yield from definitions(node.body, f"{owner}{node.name}.")


def is_overload(node: Definition) -> bool:
    return any(ast.unparse(d).endswith("overload") for d in node.decorator_list)


def undocumented(tree: ast.Module) -> list[str]:
    own = [] if ast.get_docstring(tree) else ["the module"]
    return own + [name for name, node in definitions(tree.body) if not ast.get_docstring(node) and not is_overload(node)]


@pytest.mark.parametrize("room", ROOMS)
def test_everything_says_what_it_is_for(room):
    files = sorted((ROOT / room).rglob("*.py"))
    assert len(files) > 5
    missing = {str(path.relative_to(ROOT)): found for path in files if (found := undocumented(ast.parse(path.read_text("utf-8"))))}
    assert not missing


def test_long_functions_say_what_they_do():
    found = [
        f"{path.relative_to(ROOT)}:{node.lineno} {node.name}"
        for path in ROOT.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.FunctionDef) and (node.end_lineno or 0) - node.lineno >= LONG and not ast.get_docstring(node)
    ]
    assert not found


def test_a_name_without_words_is_found():
    tree = ast.parse('"""Words."""\nclass A:\n    """Words."""\n    def f(self): ...\n    def _g(self): ...\n    def __len__(self): ...\n')
    assert undocumented(tree) == ["A.f", "A._g"]
    assert undocumented(ast.parse("def f(): ...")) == ["the module", "f"]
