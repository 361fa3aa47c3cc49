"""Joints on groups wherever runs are looked at: plots, pictures, pages, the live page and its hand."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import redmax as rm
from dynamics.group_scenes import bare, built, sprung
from redmax.view.joint_axes import axes
from redmax.view.live.hand import grab
from redmax.view.live.selection import facts
from redmax.view.live.source import Finished, Growing
from redmax.view.plot_style import new_figure
from redmax.view.plots import drawing
from view.live.scenes import QUIET


@pytest.fixture(scope="module")
def run() -> rm.Trajectory:
    return rm.simulate(built(bare, "quaternion"), 0.3, 0.01, progress=False)


@pytest.mark.parametrize("what", ["coordinates", "rates", "accelerations", "reactions"])
def test_plots_show_every_number(run: rm.Trajectory, what: str) -> None:
    size, draw = drawing(run, what, None)
    figure = new_figure(*size)
    draw(figure)
    shown = [line.get_ydata() for axes in figure.axes for line in axes.lines]
    if what == "reactions":
        assert np.isfinite(shown).all()
    else:
        expected = {"coordinates": run.q, "rates": run.qdot, "accelerations": run.qddot}[what]
        assert np.array_equal(np.column_stack(shown), expected)


def test_pages_and_pictures(run: rm.Trajectory, tmp_path: Path) -> None:
    assert b"<html" in run.html(tmp_path / "run.html").read_bytes()[:500]
    assert run.picture(tmp_path / "run.png", t=0.1, size=(160, 120)).stat().st_size > 1000


def test_a_selected_body_and_the_axes_of_its_joint(run: rm.Trajectory) -> None:
    rows = facts(Finished.of(run).recording, 1, 10)
    assert rows["joint"] == "Spherical"
    assert np.allclose([float(x) for x in rows["angular (rad/s)"].split()], run.twist("bar1")[10][:3], atol=6e-4)
    assert [axis.kind for axis in axes(run.model.links[1])] == ["ball"]
    assert axes(run.model.links[0]) == []


def test_the_live_page_and_its_hand() -> None:
    """What pulls is torques along the twist, with which the run can be repeated."""
    source = Growing(rm.Simulation(built(sprung, "matrix"), dt=1e-3, integrator="rk4"), 0.2)
    source.reach(0.05, 1e9)
    pose = source.recording.pose[-1, 1]
    source.hold(grab(source.sim, 1, pose[:3, 3], pose[:3, 3] + (0.0, 0.3, 0.2), 1.0))
    source.reach(0.2, 1e9)
    pulled = source.trajectory()
    assert np.any(pulled.controls[60:])
    again = rm.simulate(built(sprung, "matrix"), 0.2, 1e-3, integrator="rk4", controls=pulled.controls[:-1], progress=False)
    assert np.allclose(again.q, pulled.q, atol=1e-12)
    viewer = pulled.view(**QUIET)
    try:
        viewer.show(0.1)
        frame = viewer.stage.bodies.frames[1]
        assert np.allclose(frame.position / viewer.stage.scale, pulled.pose("bar1")[100][:3, 3], atol=1e-12)
    finally:
        viewer.stop()


def test_tables_name_each_number(run: rm.Trajectory, tmp_path: Path) -> None:
    table = run.to_pandas(["q", "qdot"])
    assert [c for c in table.columns if c.startswith("base.q") and "dot" not in c] == [f"base.q{k}" for k in range(7)]
    assert sum(c.startswith("bar1.qdot") for c in table.columns) == 3
    run.to_csv(tmp_path / "run.csv", ["q"])
    head = (tmp_path / "run.csv").read_text("utf-8").splitlines()[0]
    assert "base.q3 (1),base.q4 (m)" in head
    run.save(tmp_path / "run.h5")
    again = rm.load(tmp_path / "run.h5")
    assert np.array_equal(again.q, run.q)
    assert again.model.nq == 11
