"""The layers: a module imports from its own layer and from those above it, never from below."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1] / "src" / "redmax"

# From the foundation up. Names in one row are one layer.
LAYERS: list[tuple[str, ...]] = [
    ("text", "errors", "units", "arguments", "memory", "writing"),
    ("math", "trace", "types"),  # math dispatches on traced scalars, and types name them
    ("lie",),
    ("program",),
    ("backends",),
    ("components",),
    ("bodies", "curves", "surfaces", "joints"),
    ("forces", "muscles", "deformables", "constraints", "contact"),
    ("model",),
    ("solvers",),
    ("dynamics",),
    ("integrators",),
    ("run",),
    ("design",),
    ("io",),
    ("results",),
    ("view",),
    ("scenes",),
    ("bridges",),
    ("cli", "__main__"),
]
RANK = {name: rank for rank, names in enumerate(LAYERS) for name in names}
RANK["redmax"] = RANK["scenes"]  # the package itself, `import redmax as rm`: for those who use it as a user does

# SplineCurve.through, Scene.save, Scene.assemble, run.plot, run.view, simulate("windmill") and their like reach down, but only when called.
LATE_FROM = {"joints/spline_curve.py"} | {f"model/{name}.py" for name in ("named_scene", "scene", "outputs", "constraints")}
LATE_FROM |= {f"run/{name}.py" for name in ("outputs", "plotted", "simulate", "trajectory")}
LATE_TO = {"run", "design", "io", "results", "view", "scenes"}


def layer_of(path: Path, root: Path) -> str:
    """Top-level module or folder under the package: joints/revolute.py -> joints."""
    return path.relative_to(root).parts[0].removesuffix(".py")


def imported_layers(tree: ast.AST, package: tuple[str, ...]) -> Iterator[tuple[str, int, bool]]:
    """(layer, line, late) for each import of redmax; `package` is where the module lies: ("redmax", "joints")."""

    def visit(node: ast.AST, late: bool) -> Iterator[tuple[str, int, bool]]:
        for target in imported_names(node, package):
            parts = target.split(".")
            if parts[0] == "redmax" and (len(parts) <= 2 or parts[1] in RANK):  # others are reported as being in no layer
                layer = parts[1] if len(parts) > 1 and parts[1] in RANK else "redmax"
                yield layer, getattr(node, "lineno", 0), late
        inside = late or isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        for child in ast.iter_child_nodes(node):
            if not is_type_checking(node, child):
                yield from visit(child, inside)

    yield from visit(tree, False)


def imported_names(node: ast.AST, package: tuple[str, ...]) -> list[str]:
    """Absolute dotted names that one import statement brings in: `from . import base` -> redmax.joints.base."""
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    if isinstance(node, ast.ImportFrom):
        base = package[: len(package) - node.level + 1] if node.level else ()
        prefix = ".".join([*base, *([node.module] if node.module else [])])
        return [f"{prefix}.{alias.name}" for alias in node.names]
    return []


def is_type_checking(node: ast.AST, child: ast.AST) -> bool:
    """True for the body of `if TYPE_CHECKING:`, which never runs."""
    if not isinstance(node, ast.If) or child not in node.body:
        return False
    return ast.unparse(node.test) in {"TYPE_CHECKING", "typing.TYPE_CHECKING"}


def violations(root: Path) -> list[str]:
    """One sentence per import that reaches down."""
    found = []
    for path in sorted(root.rglob("*.py")):
        if path == root / "__init__.py":
            continue
        own = layer_of(path, root)
        where = path.relative_to(root)
        if own not in RANK:
            found.append(f"{where}: '{own}' is in no layer; add it to LAYERS where it belongs")
            continue
        package = ("redmax", *where.parent.parts)
        for other, line, late in imported_layers(ast.parse(path.read_text()), package):
            excused = late and str(where) in LATE_FROM and other in LATE_TO
            if RANK[other] > RANK[own] and not excused:
                found.append(f"{where}:{line}: '{own}' may not import '{other}', which is a later layer")
    return found


def test_no_module_imports_from_a_later_layer():
    assert violations(ROOT) == []


@pytest.mark.parametrize(
    ("file", "source", "wrong"),
    [
        ("lie/so3.py", "from redmax.joints import Revolute", True),
        ("lie/so3.py", "from ..joints.revolute import Revolute", True),
        ("lie/so3.py", "from .. import joints", True),
        ("lie/so3.py", "import redmax.joints.revolute", True),
        ("lie/so3.py", "def f():\n    from ..joints import Revolute", True),
        ("lie/so3.py", "class A:\n    from ..joints import Revolute", True),
        ("lie/so3.py", "from ..math import sin\nfrom . import se3\nimport numpy.linalg", False),
        ("lie/so3.py", "if TYPE_CHECKING:\n    from ..joints import Joint", False),
        ("math.py", "from .trace import Scalar", False),
        ("bodies/cuboid.py", "from ..joints import Joint", False),
        ("run/trajectory.py", "from ..view import page", True),
        ("run/trajectory.py", "def plot(self):\n    from ..view import page", False),
        ("model/scene.py", "def save(self):\n    from redmax.io import write", False),
        ("model/scene.py", "def run(self):\n    from ..cli import main", True),
        ("model/model.py", "def save(self):\n    from ..io import write", True),
        ("lie/so3.py", "from redmax import Revolute", True),
        ("lie/so3.py", "import redmax as rm", True),
        ("scenes/pendulum.py", "import redmax as rm", False),
        ("helpers.py", "import math", True),
        ("__init__.py", "from .cli import main", False),
    ],
)
def test_the_walk_sees_every_form_of_import(tmp_path, file, source, wrong):
    target = tmp_path / file
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(source)
    assert bool(violations(tmp_path)) == wrong
