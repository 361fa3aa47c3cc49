"""Plots of coordinates and reactions show the numbers of the run, with units, joint by joint."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import redmax as rm
from redmax.errors import RedmaxError
from redmax.results.tables import headings
from redmax.view.plot_style import new_figure
from redmax.view.plots import checked_quantity, drawing, jumps, panels_of


def chain(count: int = 1, units: str = "m kg s") -> rm.Scene:
    """A cart on a plane, then hinges."""
    scene = rm.Scene(units=units, title="Costs $5 & more_")
    body = scene.add_body(rm.Cuboid((0.2, 0.2, 0.1)), joint=rm.PlanarRotating(), name="cart", qdot=(1, 0, 0.5))
    for k in range(count):
        body = scene.add_body(rm.Sphere(0.1), joint=rm.Revolute("y"), parent=body, com=(0.3, 0, 0), at=(0.3, 0, 0), name=f"link{k + 1}")
    return scene


def drawn(run, what, joints=None):
    size, draw = drawing(run, what, joints)
    figure = new_figure(*size)
    draw(figure)
    return figure


@pytest.mark.parametrize(("what", "per"), [("coordinates", ""), ("rates", "/s"), ("accelerations", "/s²")])
def test_panels_show_the_numbers_of_the_run_by_joint_and_unit(what, per):
    run = rm.simulate(chain(), 0.2)
    values = {"coordinates": run.q, "rates": run.qdot, "accelerations": run.qddot}[what]
    axes = drawn(run, what).axes
    assert [a.get_title("left") for a in axes] == ["cart", "cart", "link1"]
    assert [a.get_ylabel().split("(")[1] for a in axes] == [f"m{per})", f"rad{per})", f"rad{per})"]
    shown = np.column_stack([line.get_ydata() for a in axes for line in a.lines])
    np.testing.assert_array_equal(shown, values)


def test_units_are_those_of_the_scene():
    run = rm.simulate(chain(units="cm g s"), 0.05)
    assert "(cm)" in drawn(run, "coordinates").axes[0].get_ylabel()
    labels = {a.get_ylabel() for a in drawn(run, "reactions").axes}
    assert labels == {"force (dyn)", "torque (dyn cm)"}


def test_reactions_are_components_and_magnitude():
    run = rm.simulate(chain(), 0.2)
    figure = drawn(run, "reactions", ["link1"])
    force, torque = figure.axes
    wrench = run.reaction("link1")
    for axes, part in ((force, wrench[:, 3:]), (torque, wrench[:, :3])):
        size, *components = [line.get_ydata() for line in axes.lines]
        np.testing.assert_array_equal(np.column_stack(components), part)
        np.testing.assert_allclose(size**2, (part**2).sum(axis=1), atol=1e-12)


def test_a_joint_with_six_degrees_of_freedom_holds_nothing():
    scene = rm.Scene()
    scene.add_body(rm.Sphere(0.1), joint=rm.Free())
    with pytest.raises(RedmaxError, match="no joint of the scene holds anything"):
        drawn(rm.simulate(scene, 0.05), "reactions")


def test_many_joints_are_shown_in_part_with_a_note():
    run = rm.simulate(chain(15), 0.05)
    figure = drawn(run, "coordinates")
    assert sum(a.get_visible() for a in figure.axes) == 12
    assert figure.get_supxlabel() == "5 more joints are not shown; choose by name."
    assert len(drawn(run, "rates", ["link15"]).axes) == 1
    assert drawn(run, "reactions").get_supxlabel().startswith("10 more joints")


def test_a_curve_has_a_gap_where_the_joint_changes_its_coordinates():
    """A ball joint that turns on and on must change to other coordinates of the same pose."""
    scene = rm.Scene(gravity=(0, 0, 0))
    scene.add_body(rm.Cuboid((0.1, 0.2, 0.3)), joint=rm.Spherical(), name="ball", qdot=(0, 0, 5))
    run = rm.simulate(scene, 4)
    found = jumps(run, "ball")
    assert len(found) >= 2
    np.testing.assert_array_equal(found, 1 + np.flatnonzero(abs(np.diff(run.q, axis=0)).max(axis=1) > 1))
    line = drawn(run, "coordinates").axes[0].lines[2]
    assert np.isnan(line.get_ydata()).sum() == len(found)
    assert all(not len(p.breaks) for p in panels_of(rm.simulate(chain(), 0.5), "coordinates", None))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"what": "energi"}, "Did you mean 'energy'"),
        ({"what": "rates", "joints": ["lin1"]}, "Did you mean 'link1'"),
        ({"what": "energy", "joints": ["link1"]}, "joints are for coordinates"),
        ({"path": "a.gif", "what": "rates"}, "expected .png, .svg, .pdf"),
    ],
)
def test_wrong_input_is_named(tmp_path, monkeypatch, arguments, message):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(RedmaxError, match=message):
        rm.simulate(chain(), 0.02).plot(**{"path": "a.png", **arguments})
    assert list(tmp_path.iterdir()) == []


def test_what_does_not_move_has_no_coordinates(tmp_path):
    scene = rm.Scene()
    scene.add_body(rm.Sphere(0.1), joint=rm.Revolute("y"), com=(1, 0, 0), name="moving")
    scene.add_body(rm.Sphere(0.1), joint=rm.Fixed(), name="still")
    run = rm.simulate(scene, 0.02)
    with pytest.raises(RedmaxError, match="these joints do not move"):
        run.plot(tmp_path / "a.png", what="rates", joints=["still"])
    assert run.plot(tmp_path / "a.png", what="rates").exists()


def test_plots_and_tables_name_things_alike():
    """By the joint, whose name need not be that of its body, and by units that have names."""
    scene = rm.Scene()
    scene.add_body(rm.Sphere(0.1), joint=rm.Revolute("y"), com=(0.3, 0, 0), name="forearm", joint_name="elbow")
    run = rm.simulate(scene, 0.05)
    columns = headings(run, ("q", "qdot", "reaction"))
    assert [name for name, _ in columns[:3]] == ["elbow.q0", "elbow.qdot0", "elbow.torque.x"]
    assert [unit for _, unit in columns] == ["rad", "rad/s", *["N m"] * 3, *["N"] * 3]
    for what in ("coordinates", "rates", "reactions"):
        assert drawn(run, what).axes[0].get_title("left") == "elbow"
        assert len(drawn(run, what, ["forearm"]).axes) == len(drawn(run, what, ["elbow"]).axes)
    assert [a.get_ylabel() for a in drawn(run, "reactions").axes] == ["force (N)", "torque (N m)"]


WORDS = [("q", "coordinates"), ("qdot", "rates"), ("qddot", "accelerations"), ("reaction", "reactions"), ("energy", "energy")]


@pytest.mark.parametrize(("of_tables", "of_plots"), WORDS)
def test_what_one_of_them_has_a_word_for_the_other_knows_by_it(tmp_path, monkeypatch, of_tables, of_plots):
    monkeypatch.chdir(tmp_path)
    scene = rm.Scene()
    scene.add_body(rm.Sphere(0.1), joint=rm.Revolute("y"), com=(0.3, 0, 0), name="arm")
    run = rm.simulate(scene, 0.05)
    assert headings(run, [of_plots]) == headings(run, [of_tables]) != []
    assert checked_quantity(of_tables, None) == checked_quantity(of_plots, None) == of_plots
    assert run.plot(of_tables) == Path(f"{of_tables}.png")
    assert Path(f"{of_tables}.png").exists()


def test_what_only_tables_have_is_no_plot():
    with pytest.raises(RedmaxError, match="There is no quantity 'quaternion'"):
        checked_quantity("quaternion", None)


def test_the_energy_plot_of_a_method_that_damps_says_so():
    scene = rm.Scene()
    scene.add_body(rm.Sphere(0.1), joint=rm.Revolute("y"), com=(0.3, 0, 0), q=0.5, stiffness=30, rest=0)
    figure = drawn(rm.simulate(scene, 2, 0.02, integrator="implicit"), "energy")
    assert "implicit itself lost" in " ".join(text.get_text() for text in figure.texts)
