"""Constraints as they are seen: ropes over pulleys, rods, closures, and arrows of what they exert; in pages, pictures, files and live."""

from __future__ import annotations

import json
import re
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import redmax as rm
from redmax.view.constraint_view import line_points
from redmax.view.live.pulls import Pulls
from redmax.view.live.recording import Recording
from redmax.view.live.stage import joints_of
from redmax.view.looks import look_of
from redmax.view.stage import stage_of


@cache
def run() -> rm.Trajectory:
    """Two weights on a rope over a fixed wheel, and a parallelogram."""
    scene, bar = rm.Scene(title="seen"), rm.Cuboid((0.4, 0.04, 0.04), mass=1)
    light = scene.add_body(rm.Sphere(0.05, mass=1.0), joint=rm.Translational(), q=(0.8, 0, -0.1), name="light")
    heavy = scene.add_body(rm.Sphere(0.05, mass=1.5), joint=rm.Translational(), q=(1.0, 0, 0.1), name="heavy")
    rope = [light.point(0, 0, 0), rm.Pulley((0.9, 0, 0.4), 0.1, axis="y"), heavy.point(0, 0, 0)]
    scene.add_constraint(rm.Rope(rope, name="rope"))
    crank = scene.add_body(bar, joint=rm.Revolute("y"), com=(0.2, 0, 0), q=-1.2, name="crank")
    scene.add_constraint(rm.Distance(crank.point(0.2, 0, 0), (0.6, 0, 0.8), name="rod"))
    return rm.simulate(scene, 0.02, 0.005, integrator="implicit", backend="interpret")


def test_a_rope_is_drawn_along_its_pulley_as_long_as_it_is() -> None:
    seen, rope = run(), run().model.constraint("rope")
    points = line_points(rope, seen.observed.pose)
    np.testing.assert_allclose(points[:, 0], seen.pose("light")[:, :3, 3], atol=1e-12)
    np.testing.assert_allclose(points[:, -1], seen.pose("heavy")[:, :3, 3], atol=1e-12)
    away = np.linalg.norm(points[:, 1:-1] - [0.9, 0, 0.4], axis=2)
    np.testing.assert_allclose(away, 0.1, atol=1e-12)
    assert (points[:, 2:-2, 2] > 0.4).all()  # above the hub
    drawn = np.linalg.norm(np.diff(points, axis=1), axis=2).sum(axis=1)
    np.testing.assert_allclose(drawn, 0.5 + 0.1 * np.pi + 0.3, rtol=2e-3)


def test_arrows_are_asked_for_and_point_along_the_forces() -> None:
    seen = run()
    assert not stage_of(seen).arrows
    assert [p.name for p in stage_of(seen).paths] == ["rope", "rod"]
    shown = stage_of(seen, look_of(seen.model, {"reactions": True})).arrows
    assert [a.name for a in shown] == ["rope", "rope", "rod"]
    tension = 2 * 1.0 * 1.5 / 2.5 * 9.81
    for arrow in shown[:2]:
        np.testing.assert_allclose(arrow.vectors, np.tile([0, 0, tension], (len(seen), 1)), atol=1e-6)
    (hinge,) = stage_of(seen, look_of(seen.model, {"reactions": ["crank"]})).arrows
    assert hinge.name == "reaction of crank"
    np.testing.assert_allclose(hinge.points, 0, atol=1e-12)


def test_a_look_with_reactions_is_said_in_files_and_seen_in_pages(tmp_path: Path) -> None:
    seen = run()
    scene = seen.model.scene.copy()  # type: ignore[union-attr]
    scene.look = rm.Look(reactions=["rod"], colors={"rope": "tomato"})
    scene.save(tmp_path / "a.yaml")
    assert rm.Scene.load(tmp_path / "a.yaml").look == scene.look
    page = seen.html(tmp_path / "a.html", look=scene.look).read_text()
    data = json.loads(re.search(r'type="application/json"[^>]*>(.*?)</script>', page, re.DOTALL)[1])  # type: ignore[index]
    assert [a["name"] for a in data["arrows"]] == ["rod"]
    assert [(p["name"], p.get("smooth")) for p in data["paths"]] == [("rope", True), ("rod", None)]
    for wrong, said in (("rod", "True or False, or a list of names"), (["rot"], "no constraint or joint 'rot'. Did you mean 'rod'")):
        with pytest.raises(rm.SceneError, match=said):
            seen.html(tmp_path / "b.html", reactions=wrong)


def test_the_live_page_has_the_same_arrows() -> None:
    seen, recording = run(), Recording(run().engine)
    recording.append(seen.t, seen.configurations, seen.qdot)
    look, server = rm.Look(reactions=["rope", "rod", "crank"]), Any
    live = Pulls(server, recording, 1.0, 1.0, look).arrows(3)  # type: ignore[arg-type]
    page = stage_of(seen, look_of(seen.model, {"look": look})).arrows
    assert [a.name for a in live] == [a.name for a in page]
    for one, other in zip(live, page, strict=True):
        np.testing.assert_allclose(one.vectors[0], other.vectors[3], rtol=1e-9, atol=1e-9)
        np.testing.assert_allclose(one.points[0], other.points[3], rtol=1e-9, atol=1e-9)


def test_a_curve_that_holds_a_point_is_drawn_where_the_point_runs() -> None:
    """A helix as far as the bead goes and a little further, on the body that carries it; and the curve of a joint that closes a loop."""
    scene = rm.Scene()
    stand = scene.add_body(rm.Cuboid((0.1, 0.1, 0.1)), joint=rm.Revolute("x"), at=(0, 0, 2), q=0.3, name="stand")
    bead = scene.add_body(rm.Sphere(0.02, mass=0.1), joint=rm.Translational(), q=(0.3, 0, 2), name="bead")
    scene.add_constraint(rm.PointOnCurve(bead, rm.curves.Helix(0.3, 0.1), stand, name="wire"))
    seen = rm.simulate(scene, 0.3, 0.01, integrator="implicit", backend="interpret")
    (wire,) = [view for view in stage_of(seen).drawings if view.name == "wire"]
    assert wire.carrier == 0
    np.testing.assert_array_equal(wire.poses, seen.pose("stand"))
    local = np.linalg.inv(seen.pose("stand")) @ seen.pose("bead")[:, :, 3:]
    points = wire.at(seen.t)[0]
    away = np.linalg.norm(points - local[:, None, :3, 0], axis=2).min(axis=1)
    assert away.max() < 5e-3  # between two points of the line
    np.testing.assert_allclose(np.linalg.norm(points[:, :2], axis=1), 0.3, atol=1e-12)
    assert np.ptp(points[:, 2]) > np.ptp(local[:, 2]) + 0.05
    assert np.ptp(points[:, 2]) < np.ptp(local[:, 2]) + 2.0
    recording = Recording(seen.engine)
    recording.append(seen.t, seen.configurations, seen.qdot)
    assert "wire" in [view.name for view in joints_of(recording, 0.0)[1]]  # and live
