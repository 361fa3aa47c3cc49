"""Lines and arrows at a sample are what the history of the run says, and what was applied."""

import numpy as np
import pytest

import redmax as rm
from redmax.scenes import find
from redmax.view.applied import applied_arrows
from redmax.view.live.acting import line, paths
from redmax.view.live.look import level_colour, linear
from redmax.view.live.source import Finished
from redmax.view.picture.theme import theme
from view.live.scenes import pendulum


@pytest.mark.parametrize("name", ["arm", "diff-cable", "point-springs"])
def test_lines_are_where_the_history_of_the_force_is(name):
    entry = find(name)
    run = rm.simulate(entry.scene(), 0.4, entry.dt, integrator=entry.integrator, dynamics=entry.dynamics)
    seen = Finished.of(run).recording
    for force in paths(run.model):
        history = run.force(str(force.name))
        for i in (0, 17, len(run) - 1):
            found = line(force, seen, i)
            used = ~np.isnan(history.points[i]).any(axis=1)
            np.testing.assert_allclose(found.points, history.points[i][used], atol=1e-12)
            expected = None if history.activation is None else history.activation[i]
            assert found.level == (None if expected is None else pytest.approx(expected, abs=1e-12))


def test_arrows_are_the_forces_in_world_axes_at_their_points():
    scene = pendulum()
    bar = scene.find("bar")
    scene.add_wrench(bar.point(0.3, 0, 0), force=lambda t: (0, 0, 2 * t), torque=(0, 0, 0))
    scene.add_force(rm.PointForce(bar.point(-0.3, 0, 0), (0, 3.0, 0)))
    scene.add_force(rm.AppliedWrench(bar, torque=(5.0, 0, 0), frame="world"))
    run = rm.simulate(scene, 0.4, 0.01)
    whole = applied_arrows(run.model, run.observed.pose, run.t)
    assert len(whole) == 3
    assert len(applied_arrows(run.model, run.observed.pose[:1], run.t[:1])) == 2  # the one that grows with time is zero, and not shown
    at_30 = applied_arrows(run.model, run.observed.pose[30:31], run.t[30:31])
    np.testing.assert_allclose([a.vectors[0] for a in at_30], [a.vectors[30] for a in whole], atol=1e-12)
    found = {(a.kind, round(float(np.linalg.norm(a.vectors[0])), 9)): a for a in at_30}
    R, p = run.pose("bar")[30][:3, :3], run.pose("bar")[30][:3, 3]
    growing = found["force", 0.6]
    np.testing.assert_allclose(growing.vectors[0], R @ [0, 0, 0.6], atol=1e-12)
    np.testing.assert_allclose(growing.points[0], p + R @ [0.3, 0, 0], atol=1e-12)
    np.testing.assert_allclose(found["force", 3.0].vectors[0], [0, 3, 0])
    np.testing.assert_allclose(found["force", 3.0].points[0], p + R @ [-0.3, 0, 0], atol=1e-12)
    np.testing.assert_allclose(found["torque", 5.0].vectors[0], [5, 0, 0])


def test_colours_are_those_of_the_other_pictures():
    """As light, back on the screen, they are the theme's own; a muscle has the colours that the picture of a run gives it."""
    for level in (0.0, 0.3, 1.0):
        light = linear([level_colour(level)])[0] / 255
        np.testing.assert_allclose(light, theme("light").level(level), atol=0.005)
