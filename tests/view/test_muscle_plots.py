"""Plots of muscles and moment arms show the numbers of the run, by name, with units; what cannot be plotted is said."""

from __future__ import annotations

import numpy as np
import pytest

import redmax as rm
from muscles.test_histories import elbow
from redmax.view.path_plots import PathChoice
from redmax.view.plot_style import new_figure
from redmax.view.plots import drawing


@pytest.fixture(scope="module")
def run() -> rm.Trajectory:
    return rm.simulate(elbow(), 0.05, 0.005, progress=False)


def drawn(run, what, joints=None, **choice):
    size, draw = drawing(run, what, joints, PathChoice(**choice))
    figure = new_figure(*size)
    draw(figure)
    return figure


def test_muscles_have_a_row_each(run):
    level, force, length, velocity = drawn(run, "muscles").axes
    assert level.get_title("left") == "pull"
    shown = {line.get_label(): line.get_ydata() for axes in (level, force, length, velocity) for line in axes.lines}
    names = {"activation": "activation", "excitation": "excitation", "tendon force": "tendon_force", "passive part": "passive_force"}
    for label, name in (names | {"fibre length / optimal": "normalised_length", "fibre velocity / largest": "normalised_velocity"}).items():
        np.testing.assert_array_equal(shown[label], getattr(run.muscle("pull"), name))
    assert force.get_ylabel() == "force (N)"


def test_moment_arms_have_a_panel_for_each_coordinate(run):
    axes = drawn(run, "moment-arms").axes
    assert [(a.get_title("left"), a.get_ylabel()) for a in axes] == [("about hinge.q0", "moment arm (m)"), ("about lower.q0", "moment arm")]
    for k, name in enumerate(("pull", "stay")):
        np.testing.assert_array_equal(axes[0].lines[k].get_ydata(), run.path(name).moment_arms[:, 0])
    (only,) = drawn(run, "moment-arms", ["lower"], muscles=["stay"]).axes
    np.testing.assert_array_equal(only.lines[0].get_ydata(), run.path("stay").moment_arm("lower")[:, 0])


def test_moment_arms_over_a_coordinate(run):
    arms, lengths = drawn(run, "moment-arms", over="hinge", between=(-0.5, 0.5)).axes
    sweep = run.engine.sweep("hinge", (-0.5, 0.5))
    np.testing.assert_array_equal(arms.lines[1].get_ydata(), sweep.paths["stay"].moment_arm("hinge")[:, 0])
    np.testing.assert_array_equal(lengths.lines[0].get_ydata(), sweep.paths["pull"].length)
    assert lengths.get_xlabel() == "hinge.q0 (rad)"


def test_a_path_has_one_colour_in_all_plots_of_moment_arms(run):
    both, *_ = drawn(run, "moment-arms").axes
    over, _ = drawn(run, "moment-arms", over="hinge").axes
    alone, *_ = drawn(run, "moment-arms", muscles=["stay"]).axes
    pull, stay = (line.get_color() for line in both.lines[:2])
    assert pull != stay
    assert [line.get_color() for line in over.lines[:2]] == [pull, stay]
    assert alone.lines[0].get_color() == stay


@pytest.mark.parametrize(("what", "at", "on"), [
    ("force-length", "normalised_length", "length_factor"), ("force-velocity", "normalised_velocity", "velocity_factor")
])  # fmt: skip
def test_samples_lie_on_the_curves_with_a_colour_bar(run, what, at, on):
    panel, bar = drawn(run, what).axes
    assert bar.get_ylabel() == "activation"
    (points,) = panel.collections
    order = np.argsort(run.muscle("pull").activation, kind="stable")
    np.testing.assert_array_equal(points.get_offsets(), np.column_stack([getattr(run.muscle("pull"), n)[order] for n in (at, on)]))
    np.testing.assert_array_equal(points.get_array(), run.muscle("pull").activation[order])
    curve = panel.lines[1]
    assert np.abs(np.interp(points.get_offsets()[:, 0], curve.get_xdata(), curve.get_ydata()) - points.get_offsets()[:, 1]).max() < 1e-3


def test_a_plot_by_its_name_alone(run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert str(run.plot("force-length")) == "force-length.png"
    assert (tmp_path / "force-length.png").exists()


@pytest.mark.parametrize(
    ("what", "choice", "said"),
    [
        ("muscles", {"muscles": ["pul"]}, "Did you mean 'pull'"),
        ("muscles", {"muscles": ["stay"]}, "'stay'"),
        ("muscles", {"over": "hinge"}, "A coordinate is swept for moment-arms"),
        ("energy", {"muscles": ["pull"]}, "Energy is not of muscles"),
        ("moment-arms", {"between": (0, 1)}, "give over"),
        ("moment-arms", {"over": "hing"}, "Did you mean 'hinge'"),
        ("muscles", {"joints": ["hinge"]}, "Muscles is of muscles"),
    ],
)
def test_what_cannot_be_plotted(run, tmp_path, what, choice, said):
    with pytest.raises(rm.RedmaxError, match=said):
        run.plot(tmp_path / "x.png", what, **choice)


def test_a_scene_without_muscles(tmp_path):
    scene = rm.Scene()
    scene.add_body(rm.Sphere(0.1))
    with pytest.raises(rm.RedmaxError, match="the scene has no muscle"):
        rm.simulate(scene, 0.01, progress=False).plot(tmp_path / "x.png", "muscles")
