"""What pages and pictures show of contact: obstacles, the ground where a plane is, arrows of forces."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

import redmax as rm
from contact.worlds import G, on_ramp, ran
from redmax.view.looks import look_of
from redmax.view.stage import stage_of

ANGLE = 0.3


@cache
def resting() -> rm.Trajectory:
    scene = on_ramp(ANGLE, 0.6)
    scene.add_ground(-0.5, contact=0.6)
    scene.add_obstacle(rm.Cuboid((0.1, 0.4, 0.2)), at=(1, 0, 0), name="wall", color="tomato", opacity=0.5)
    return ran(scene, 0.1)


def test_obstacles_stand_where_they_are():
    run = resting()
    seen = {body.name: body for body in stage_of(run).bodies}
    assert set(seen) == {"body", "ramp", "wall"}
    assert (seen["wall"].colour, seen["wall"].opacity) == (rm.Appearance("tomato").hex, 0.5)
    corners = seen["wall"].vertices + seen["wall"].poses[-1, :3, 3]
    assert [corners.min(axis=0), corners.max(axis=0)] == [pytest.approx((0.95, -0.2, -0.1)), pytest.approx((1.05, 0.2, 0.1))]
    ramp, n = seen["ramp"], rm.rotation_about("y", ANGLE)[:, 2]
    heights = (ramp.vertices @ ramp.poses[0, :3, :3].T + ramp.poses[0, :3, 3]) @ n
    assert heights.max() == pytest.approx(0, abs=1e-12)  # its upper side is the plane
    assert look_of(run.model).ground_height == -0.5
    assert look_of(run.model, {"ground_height": 0.0}).ground_height == 0.0


def test_arrows_are_the_forces():
    run = resting()
    assert stage_of(run).arrows == []
    arrows = stage_of(run, look_of(run.model, {"reactions": True})).arrows
    assert {arrow.name for arrow in arrows} == {"ramp on body"}
    assert sum(arrow.vectors[-1] for arrow in arrows) == pytest.approx(np.array([0, 0, G]), abs=1e-6)


def test_colours_by_name_and_files_of_all_kinds(tmp_path):
    run = resting()
    assert run.html(tmp_path / "run.html", reactions=True, colors={"wall": "gold"}).stat().st_size > 10_000
    assert run.picture(tmp_path / "run.png", size=(64, 40), reactions=True).exists()
    assert run.plot(tmp_path / "contacts.png", what="contacts").exists()
    with pytest.raises(rm.SceneError, match="Did you mean 'wall'"):
        run.picture(tmp_path / "run.png", colors={"wal": "gold"})
