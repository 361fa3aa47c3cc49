"""How runs and scenes show themselves in a notebook: what is in the HTML, how large it gets, and what a real kernel makes of it."""

from __future__ import annotations

import base64
import html
import io
import re
import xml.etree.ElementTree as ET
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

import redmax as rm
from redmax.view.energy_svg import energy_svg, ticks
from redmax.view.notebook import MOST_FRAMES, thinned

CELL = """
import redmax as rm
scene = rm.Scene(title="Pendulum")
scene.add_body(rm.Cuboid((0.3, 0.05, 0.05)), joint=rm.Revolute("y"), com=(0.15, 0, 0), name="bar")
"""


def pendulum(title: str = "Pendulum") -> rm.Scene:
    scene = rm.Scene(title=title)
    scene.add_body(rm.Cuboid((0.3, 0.05, 0.05)), joint=rm.Revolute("y"), com=(0.15, 0, 0), name="bar")
    return scene


@pytest.fixture(scope="module")
def run() -> rm.Trajectory:
    return rm.simulate(pendulum(), duration=1, dt=0.02)


def data_of(text: str, kind: str) -> bytes:
    match = re.search(rf'src="data:{re.escape(kind)};base64,([^"]+)"', text)
    assert match
    return base64.b64decode(match[1])


def page_of(text: str) -> str:
    match = re.search(r'srcdoc="([^"]*)"', text)
    assert match
    return html.unescape(match[1])


def test_a_run_shows_its_energy_and_the_player(run, tmp_path):
    shown = run._repr_html_()
    drawing = ET.fromstring(data_of(shown, "image/svg+xml"))
    assert len(drawing.findall(".//{*}path[@fill='none']")) == 3
    assert page_of(shown) == run.html(tmp_path / "a.html").read_text("utf-8")
    assert 'sandbox="allow-scripts"' in shown  # may draw, but may not reach the notebook around it
    assert f"0 to 1 s, {run.steps} steps, adaptive, recursive" in shown


def test_curves_of_the_energy_are_where_their_values_are(run):
    drawing = ET.fromstring(energy_svg(run.t, {"kinetic": run.energy.kinetic, "potential": run.energy.potential}, "J"))
    kinetic, potential, total = (
        np.array([[float(x) for x in point.split()] for point in re.split("[ML]", path.attrib["d"])[1:]])
        for path in drawing.findall(".//{*}path[@fill='none']")
    )
    for curve, values in ((kinetic, run.energy.kinetic), (potential, run.energy.potential), (total, run.energy.total)):
        assert len(curve) == len(run.t)
        np.testing.assert_allclose(np.diff(curve[:, 0]), np.diff(curve[:, 0])[0], atol=0.15)
        slope = np.ptp(kinetic[:, 1]) / np.ptp(run.energy.kinetic)  # one scale for all
        np.testing.assert_allclose(curve[:, 1] - curve[0, 1], -slope * (values - values[0]), atol=0.4)


def test_energies_that_are_flat_or_broken_are_drawn_too():
    t = np.linspace(0, 1, 5)
    ET.fromstring(energy_svg(t, {"kinetic": np.zeros(5), "potential": np.zeros(5)}, "J"))
    broken = energy_svg(t, {"kinetic": np.array([1, 2, np.nan, 3, 4.0]), "potential": np.full(5, np.inf)}, "<J>")
    paths = [p.attrib["d"] for p in ET.fromstring(broken).findall(".//{*}path[@fill='none']")]
    assert paths[0].count("M") == 2
    ET.fromstring(energy_svg(np.zeros(1), {"kinetic": np.ones(1), "potential": np.ones(1)}, "J"))
    np.testing.assert_allclose(ticks(0.0, 10.0, 5), [0, 2, 4, 6, 8, 10])


def test_long_runs_are_shown_by_some_of_their_samples(run):
    many = 40_000
    t = np.linspace(0, 100, many)
    long = replace(run, t=t, q=np.sin(t)[:, None], qdot=np.cos(t)[:, None], charts=np.zeros((many, 0), int))
    few = thinned(long)
    assert len(few) <= MOST_FRAMES
    assert few.t[0] == 0
    assert few.t[-1] == 100
    assert thinned(run) is run
    assert len(long._repr_html_()) < 1_000_000


def test_a_batch_is_a_table():
    state = rm.State(0.0, np.linspace(0, 1, 20)[:, None], np.zeros((20, 1)))
    batch = rm.simulate(pendulum(), duration=0.1, dt=0.02, initial=state)
    shown = batch._repr_html_()
    assert shown.count("<tr>") == 1 + 8
    assert "20 worlds" in shown
    assert "and 12 more worlds" in shown
    assert "iframe" not in shown
    last = batch.world(3)
    assert f"{last.energy.total[-1]:.6g}" in shown


def test_a_scene_shows_its_picture_and_its_bodies():
    shown = pendulum()._repr_html_()
    assert Image.open(io.BytesIO(data_of(shown, "image/png"))).size == (640, 400)
    for text in ("bar", "Cuboid", "Revolute", "world"):
        assert f">{text}</td>" in shown
    assert "<details>" in shown


def test_a_scene_of_many_bodies_is_cut_short():
    scene, parent = rm.Scene(), None
    for _ in range(30):
        parent = scene.add_body(rm.Cuboid((0.1, 0.1, 0.1)), joint=rm.Revolute("y"), parent=parent, at=(0.1, 0, 0), com=(0.05, 0, 0))
    assert "and 6 more bodies" in scene._repr_html_()


def test_a_scene_that_is_not_finished_says_so():
    assert "0 bodies" in rm.Scene()._repr_html_()
    scene = rm.Scene()
    scene.add_body(rm.Cuboid((0.1, 0.1, 0.1)), joint=rm.Revolute("y"), name="loose")
    scene.set_map(np.ones((5, 1)))  # of other coordinates than the scene has
    shown = scene._repr_html_()
    assert "<em>" in shown
    assert "loose" in shown


def test_titles_are_text_and_nothing_else():
    title = "</style><script>alert('\"&')</script>"
    scene = pendulum(title)
    for shown in (scene._repr_html_(), rm.simulate(scene, duration=0.1, dt=0.1)._repr_html_()):
        outside = re.sub(r'srcdoc="[^"]*"', "", shown)
        assert "<script" not in outside
        assert html.escape(title) in outside


def test_a_real_notebook_shows_them(tmp_path, monkeypatch):
    nbformat, nbclient = pytest.importorskip("nbformat"), pytest.importorskip("nbclient")
    monkeypatch.setenv("PYTHONPATH", str(Path(rm.__file__).parents[1]))
    cells = [nbformat.v4.new_code_cell(CELL + "scene"), nbformat.v4.new_code_cell("rm.simulate(scene, duration=0.2, dt=0.02)")]
    notebook = nbformat.v4.new_notebook(cells=cells)
    nbclient.NotebookClient(notebook, timeout=60, kernel_name="python3", resources={"metadata": {"path": str(tmp_path)}}).execute()
    scene, run = (cell.outputs[-1].data for cell in notebook.cells)
    assert "Cuboid" in scene["text/html"]
    assert page_of(run["text/html"]).lower().startswith("<!doctype html>")
    assert run["text/plain"].startswith("Trajectory('Pendulum'")
