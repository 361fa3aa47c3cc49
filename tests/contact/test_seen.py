"""What pages and pictures show of contact: obstacles, the ground where a plane is, arrows of forces."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

import redmax as rm
from contact.worlds import G, on_ramp, ran
from redmax.run.contact.records import STATES
from redmax.view.geometry.cones import cones
from redmax.view.live.source import Growing
from redmax.view.looks import look_of
from redmax.view.plot_contacts import draw_contacts, pairs_of
from redmax.view.plot_style import new_figure
from redmax.view.stage import stage_of
from view.live.scenes import until

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


@cache
def sliding() -> rm.Trajectory:
    """A cube that slides down a ramp, with mu = 0.2 between them, and one that hovers over it."""
    scene = on_ramp(ANGLE, 0.2)
    scene.add_body(rm.Cuboid((0.2, 0.2, 0.2), mass=1.0), joint=rm.Free3D(), at=(0, 1, 1), contact=0.5, name="above")
    return ran(scene, 0.1)


def test_a_plot_has_friction_slip_residuals_and_steps():
    run = sliding()
    found = pairs_of(run)
    assert set(found) == {" - ".join(pair) for pair in run.contacts.pairs}
    force = run.contact_force("body", "ramp")
    normal = run.contacts[-1].normal[0]
    (pair,) = found.values()
    assert pair.normal[-1] == pytest.approx(abs(force[-1] @ normal), rel=1e-9)
    assert pair.friction[-1] == pytest.approx(0.2 * pair.normal[-1], rel=1e-6)  # it slides
    assert pair.slip[-1] == pytest.approx(np.linalg.norm(run.twist("body", "hybrid")[-1, 3:]), rel=1e-6)
    figure = new_figure()
    draw_contacts(figure, run, found, title="body")
    labels = [axes.get_ylabel() for axes in figure.axes]
    assert labels == ["normal force (N)", "friction (N)", "slip (m/s)", "points", "residual (m/s)", "steps"]
    shown = figure.axes[5].lines[0].get_ydata()
    assert np.array_equal(shown, run.contacts.newton_steps)
    assert np.array_equal(np.maximum(run.contacts.residual, 1e-17), figure.axes[4].lines[0].get_ydata())


def test_dots_are_where_contacts_are_and_know_their_state():
    run = sliding()
    assert stage_of(run).contacts is None
    view = stage_of(run, look_of(run.model, {"reactions": True})).contacts
    assert view is not None
    assert not view.cones
    for k in (1, 20, 50):
        now, own = run.contacts[k], view.at(k)
        assert view.points[own] == pytest.approx(now.point)
        assert [STATES[state] for state in view.states[own]] == now.state.tolist()
    assert set(run.contacts[50].state) == {"sliding"}
    few = view.kept(np.array([0, 50]))
    assert (few.points[few.at(1)] == view.points[view.at(50)]).all()


def test_forces_that_slide_lie_on_their_cones():
    run = sliding()
    view = stage_of(run, look_of(run.model, {"cones": True})).contacts
    assert view is not None
    assert view.cones
    now, own = run.contacts[50], view.at(50)
    assert now.friction == pytest.approx(0.2)
    skin = cones(view.points[own], view.pushes[own], view.friction[own])
    for c, push in zip(now, view.pushes[own], strict=True):
        assert push == pytest.approx((c.force @ c.normal) * c.normal, abs=1e-9)
        rim = skin.vertices - c.point
        rim = rim[np.linalg.norm(rim, axis=1) < 1.2 * np.linalg.norm(c.force)]  # of this cone
        assert np.linalg.norm(rim - c.force, axis=1).min() < 0.06 * np.linalg.norm(c.force)  # between two of its 24 edges
    corners = skin.vertices[skin.faces]
    flat = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    volume = np.einsum("ij,ij->", corners[:, 0], flat) / 6  # closed, and seen from outside
    exact = sum(np.pi / 3 * c.friction**2 * np.linalg.norm(p) ** 3 for c, p in zip(now, view.pushes[own], strict=True))
    assert volume == pytest.approx(exact, rel=0.02)
    pairs = scene_of_two_laws().contacts[-1]
    assert pairs.friction == pytest.approx(np.where(pairs.second == "own", 0.3, np.sqrt(0.5 * 0.8)))


def scene_of_two_laws() -> rm.Trajectory:
    scene = rm.Scene()
    scene.add_ground(contact=0.5)
    for k, name in enumerate(("own", "usual")):
        scene.add_body(rm.Sphere(0.1, mass=1.0), joint=rm.Free3D(), at=(k, 0, 0.1), contact=0.8, name=name)
    scene.set_contact("own", "ground", 0.3)
    return ran(scene, 0.01)


def test_a_picture_has_dots_in_colours_and_their_words(tmp_path):
    run = sliding()
    plain, dotted = (picture(run, tmp_path, reactions=shown) for shown in (False, True))
    orange = lambda p: int(((p[..., 0] > 200) & (p[..., 1] > 90) & (p[..., 1] < 170) & (p[..., 2] < 90)).sum())  # noqa: E731
    green = lambda p: int(((p[..., 0] < 90) & (p[..., 1] > 130) & (p[..., 2] < 140)).sum())  # noqa: E731
    assert (orange(plain), green(plain)) == (0, 0)
    assert orange(dotted[:260]) > 8  # the dots, which are small, and of which none sticks
    assert green(dotted[:260]) == 0
    assert min(orange(dotted[270:, :130]), green(dotted[270:, :130])) > 3  # the words
    assert (picture(run, tmp_path, cones=True) != picture(run, tmp_path, reactions=True)).any()


def picture(run: rm.Trajectory, folder: Path, **look: object) -> np.ndarray:
    colours = {"body": rm.Appearance("steelblue", opacity=0.5), "above": "white"}
    path = run.picture(folder / "seen.png", t=0.1, size=(480, 300), colors=colours, **look)
    return np.asarray(Image.open(path).convert("RGB"))


def test_the_live_page_shows_contacts_as_they_are_computed():
    sim = rm.Simulation(sliding().model, dt=0.002, integrator="implicit")
    source, run = Growing(sim, 0.1), sliding()
    source.reach(0.05, 1e9)
    source.reach(0.1, 1e9)
    for k in (0, 1, 13, 50):
        assert source.recording.rows_at(k)[:, 3:6] == pytest.approx(run.contacts[k].point)
    viewer = run.view(port=0, open_browser=False, block=False, reactions=True)
    try:
        viewer.pause()
        viewer.show(0.1)
        shown = viewer.stage.touching
        count = len(run.contacts[50])
        assert shown.dots is not None
        assert shown.arrows is not None
        assert shown.dots.batched_positions / viewer.stage.scale == pytest.approx(run.contacts[50].point, abs=1e-6)
        ends = shown.arrows.points / viewer.stage.scale
        assert (ends[:, 1] - ends[:, 0]) / shown.stretch == pytest.approx(run.contacts[50].force, abs=1e-4)
        assert shown.cones is None
        viewer.orders.give(lambda orders: orders.see("cones", True))
        until(lambda: shown.cones is not None)
        assert len(shown.cones.vertices) == count * len(cones(np.zeros((1, 3)), np.eye(3)[:1], np.ones(1)).vertices)
        viewer.orders.give(lambda orders: orders.see("contacts", False))
        until(lambda: not shown.dots.visible and not shown.arrows.visible)
        assert viewer.display.touching["contacts"].value is True
    finally:
        viewer.stop()
