"""Every family of things is seen in the page where the run has it: where they are hidden, the picture changes there.

The pictures must differ at the places of what was hidden, which are found from the run and the camera alone; some of them may lie behind
bodies.
"""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

import redmax as rm
from browser.playing import drawn, has_hue, opened, projected
from browser.watched import picture
from redmax.scenes import find
from redmax.view.stage import Stage, stage_of

SCREEN = {"width": 480, "height": 360}


def shown(name: str, tmp_path: Path, duration: float = 0.3) -> tuple[Stage, Path]:
    entry = find(name)
    run = rm.simulate(entry.scene(), duration, entry.dt, integrator=entry.integrator, dynamics=entry.dynamics)
    return stage_of(run), run.html(tmp_path / "all.html")


def places(stage: Stage, family: str) -> np.ndarray:
    """(n, 3): points of a family in the world, at the end of the run."""
    if family == "paths":  # between the points, where the line is
        ends = [view.points[-1][view.active[-1]] for view in stage.paths]
        return np.concatenate([a + np.outer(np.linspace(0.1, 0.9, 6), b - a) for p in ends for a, b in pairwise(p)])
    if family == "soft":
        return np.concatenate([view.vertices[-1] for view in stage.soft])
    if family == "marks":
        return np.array([(view.poses[-1] @ view.place)[:3, 3] for view in stage.marks])
    found = []
    for view in stage.drawings:
        points = view.at(stage.times[-1:])[0].reshape(-1, 3)[::11]
        found.append(points @ view.poses[-1][:3, :3].T + view.poses[-1][:3, 3])
    return np.concatenate(found)


def differs(page, path: Path, stage: Stage, family: str, points: np.ndarray) -> float:
    """The share of points at which the picture changes, within a pixel, when the family is hidden."""
    opened(page, path, f"paused&t={stage.times[-1]}&theme=light")
    before, at = picture(page).astype(int), np.array([projected(page, p) for p in points])
    if family in ("paths", "soft"):
        page.evaluate("(names) => redmax.hide(names)", [view.name for view in getattr(stage, family)])
    else:
        page.keyboard.press("j")
    drawn(page)
    near = np.pad(np.abs(before - picture(page)).max(axis=-1) > 6, 1)
    columns, rows = at.round().astype(int).T
    return float(np.mean([near[r : r + 3, c : c + 3].any() for r, c in zip(rows, columns, strict=True)]))


@pytest.mark.parametrize(
    ("scene", "family", "least"),
    [
        ("spline-curve", "drawings", 0.7),
        ("spline-surface", "drawings", 0.7),
        pytest.param("planar-plate", "drawings", 0.5, marks=pytest.mark.long),  # the plane that the plate slides in, half of it behind it
        ("strut", "paths", 0.6),
        pytest.param("arm", "paths", 0.5, marks=pytest.mark.long),
        ("mass-springs", "soft", 0.6),
        ("banner", "soft", 0.9),
        pytest.param("soft-gripper", "soft", 0.4, marks=pytest.mark.long),
    ],
)
def test_a_family_is_drawn_where_the_run_has_it(new_context, tmp_path, scene, family, least):
    page = new_context(viewport=SCREEN).new_page()
    stage, path = shown(scene, tmp_path)
    assert differs(page, path, stage, family, places(stage, family)) >= least


def test_muscles_have_the_colour_of_their_activation(new_context, tmp_path):
    page = new_context(viewport=SCREEN).new_page()
    stage, path = shown("arm", tmp_path, 1.0)
    opened(page, path, "paused&t=1&theme=light")
    seen = picture(page)
    low, high = np.array([0x2A, 0x63, 0xD6]), np.array([0xDF, 0x2A, 0x22])  # of the scale in the head of the page
    for view in stage.paths:
        assert view.level is not None
        mixed = low + view.level[-1] * (high - low)
        hue = has_hue(seen, tuple(mixed.round().astype(int)), least=30)
        single = places(Stage(**{**vars(stage), "paths": [view]}), "paths")
        columns, rows = np.array([projected(page, p) for p in single]).round().astype(int).T
        assert np.mean([hue[r - 1 : r + 2, c - 1 : c + 2].any() for r, c in zip(rows, columns, strict=True)]) >= 0.4, view.name
    assert abs(stage.paths[0].level[-1] - stage.paths[1].level[-1]) > 0.2  # and the two muscles differ


def test_hinges_balls_and_rails_are_marked_on_their_axes(new_context, tmp_path):
    page = new_context(viewport=SCREEN).new_page()
    scene = rm.Scene(title="Three joints")
    plate = scene.add_body(rm.Cuboid((0.2, 0.04, 0.04)), joint=rm.Prismatic("x"), qdot=[0.8], name="cart")
    hinge = scene.add_body(rm.Cuboid((0.04, 0.04, 0.3)), parent=plate, joint=rm.Revolute("y"), com=(0, 0, -0.15), name="rod")
    scene.add_body(rm.Cuboid((0.04, 0.04, 0.3)), parent=hinge, joint=rm.Spherical(), at=(0, 0, -0.3), com=(0, 0, -0.15), name="end")
    run = rm.simulate(scene, 0.5, 0.01)
    stage, path = stage_of(run), run.html(tmp_path / "all.html")
    assert [view.kind for view in stage.marks] == ["Prismatic", "Revolute", "Spherical"]
    rail, pin, ball = stage.marks
    along = (rail.poses[-1] @ rail.place)[:3, 2]
    np.testing.assert_allclose(np.abs(along), [1, 0, 0], atol=1e-9)
    np.testing.assert_allclose(np.abs((pin.poses[-1] @ pin.place)[:3, 2]), [0, 1, 0], atol=1e-9)
    joint_at = run.pose("end")[-1] @ [0, 0, 0.15, 1]
    np.testing.assert_allclose((ball.poses[-1] @ ball.place)[:3, 3], joint_at[:3], atol=1e-9)
    ends = [(rail.poses[-1] @ rail.place) @ [0, 0, z, 1] for z in (rail.vertices[:, 2].min() + 1e-3, rail.vertices[:, 2].max() - 1e-3)]
    out = [(pin.poses[-1] @ pin.place) @ [0, 0, z, 1] for z in (pin.vertices[:, 2].min(), pin.vertices[:, 2].max())]
    front = min(out, key=lambda point: point[1])  # the camera looks from -y
    assert differs(page, path, stage, "marks", np.array([front[:3], joint_at[:3], *[e[:3] for e in ends]])) >= 0.75
