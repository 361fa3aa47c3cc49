"""The page "How to add", followed for an integrator: its file and its lines, put where they belong into a copy of the package."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "adding.md").read_text("utf-8")
STEPS = """
import numpy as np, redmax as rm
scene = rm.Scene()
bar = rm.Cuboid((0.5, 0.05, 0.05), mass=1)
upper = scene.add_body(bar, joint=rm.Revolute("y"), com=(0.25, 0, 0), qdot=0.3)
scene.add_body(bar, parent=upper, joint=rm.Revolute("y"), at=(0.5, 0, 0), com=(0.25, 0, 0), torque=lambda t, q, qdot: [rm.math.sin(9 * t)])
exact = rm.simulate(scene, 0.5, 0.5, rtol=1e-12).q[-1]
errors = [np.abs(rm.simulate(scene, 0.5, dt, integrator="midpoint").q[-1] - exact).max() for dt in (0.01, 0.005, 0.0025)]
print(*np.log2(np.array(errors[:-1]) / errors[1:]), rm.__file__)
"""


def written_files() -> dict[str, str]:
    """Files that the page shows whole: their first line says where they go."""
    blocks = re.findall(r"^```python\n# (src/\S+)\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
    return dict(blocks)


def changes(diff: str) -> list[tuple[str, str]]:
    """(before, after) of each line that comes, with the line before it: one that stays, or one that goes."""
    lines, found = diff.splitlines(), []
    for i, line in enumerate(lines):
        if line.startswith("+"):
            last = next(x for x in reversed(lines[:i]) if not x.startswith("+"))
            found.append((last[1:] + "\n", ("" if last.startswith("-") else last[1:] + "\n") + line[1:] + "\n"))
    return found


def test_the_integrator_of_the_page_runs_and_converges_at_its_order(tmp_path):
    shutil.copytree(ROOT / "src" / "redmax", tmp_path / "src" / "redmax", ignore=shutil.ignore_patterns("__pycache__"))
    path = "src/redmax/integrators/midpoint.py"
    (tmp_path / path).write_text(written_files()[path], "utf-8")
    ((target, diff),) = re.findall(r"^```diff\n--- (\S+)\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
    text = (tmp_path / target).read_text("utf-8")
    for before, after in changes(diff):
        assert text.count(before) == 1, f"{target} has other lines than the page says"
        text = text.replace(before, after)
    (tmp_path / target).write_text(text, "utf-8")
    environment = os.environ | {"PYTHONPATH": str(tmp_path / "src"), "REDMAX_CACHE_DIR": str(tmp_path / "cache")}
    done = subprocess.run([sys.executable, "-c", STEPS], check=False, env=environment, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    *orders, package = done.stdout.split()
    assert package.startswith(str(tmp_path))
    assert all(abs(float(order) - 2) < 0.15 for order in orders), orders
