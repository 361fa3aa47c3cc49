"""The notebooks in examples/ run from top to bottom, hold no output, and what their last line shows is something to look at."""

from __future__ import annotations

import ast
import json
from pathlib import Path

import pytest

NOTEBOOKS = sorted((Path(__file__).parents[2] / "examples").glob("*.ipynb"))


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_every_cell_runs_and_the_last_shows_something(path, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    cells = json.loads(path.read_text("utf-8"))["cells"]
    assert cells[0]["cell_type"] == "markdown"
    code = ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]
    assert all(cell["outputs"] == [] for cell in cells if cell["cell_type"] == "code")
    namespace: dict[str, object] = {"__name__": path.stem}
    for k, text in enumerate(code[:-1]):
        exec(compile(text, f"{path.name}, cell {k}", "exec"), namespace)
    *before, last = ast.parse(code[-1]).body
    exec(compile(ast.Module(before, []), path.name, "exec"), namespace)
    assert isinstance(last, ast.Expr)
    shown = eval(compile(ast.Expression(last.value), path.name, "eval"), namespace)
    assert "<" in shown._repr_html_()
