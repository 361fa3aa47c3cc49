"""A newcomer's walk: how many files one call passes, for two hinged cuboids whose scene is built and whose kernels are there."""

from __future__ import annotations

import sys
from pathlib import Path
from types import FrameType

import redmax as rm

PACKAGE = Path(rm.__file__).parent


def hinged() -> rm.Scene:
    scene = rm.Scene()
    upper = scene.add_body(rm.Cuboid((0.3, 0.05, 0.05)), joint=rm.Revolute("y"), com=(0.15, 0, 0))
    scene.add_body(rm.Cuboid((0.3, 0.05, 0.05)), parent=upper, joint=rm.Revolute("y"), at=(0.3, 0, 0), com=(0.15, 0, 0))
    return scene


def walk(scene: rm.Scene) -> list[tuple[str, str]]:
    """(file of the caller, file of the called) for each call between functions of the package."""
    calls: dict[tuple[str, str], None] = {}

    def met(frame: FrameType, event: str, _: object) -> None:
        if event == "call" and frame.f_code.co_name != "<module>" and (here := part(frame)):
            back = frame.f_back
            while back is not None and not part(back):
                back = back.f_back
            calls[part(back) if back else "", here] = None

    before = sys.getprofile()
    sys.setprofile(met)
    try:
        rm.simulate(scene, 0.1, 0.01, integrator="implicit")
    finally:
        sys.setprofile(before)
    return list(calls)


def part(frame: FrameType) -> str:
    path = Path(frame.f_code.co_filename)
    return path.relative_to(PACKAGE).as_posix() if path.is_relative_to(PACKAGE) else ""


def test_an_implicit_run_passes_at_most_35_files():
    rm.simulate(hinged(), 0.1, 0.01, integrator="implicit")  # kernels are compiled, or found
    files = {here for _, here in walk(hinged())}
    assert len(files) <= 35, sorted(files)


def test_programs_call_dynamics_only_through_what_was_handed_down():
    """When all is traced anew: what program/ runs of dynamics/ are the functions of sweeps, which it was given."""
    import ast

    for path in sorted((PACKAGE / "program").rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text())):
            names = (
                [node.module or ""]
                if isinstance(node, ast.ImportFrom)
                else [a.name for a in node.names]
                if isinstance(node, ast.Import)
                else []
            )
            assert not [n for n in names if n.startswith(("redmax.dynamics", "redmax.model", "redmax.run", "redmax.integrators"))], path
    assert not [call for call in walk(hinged()) if call[0].startswith("program/") and call[1].startswith(("dynamics/", "model/"))]
