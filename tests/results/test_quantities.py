"""The table of quantities: what is a row is computed, stored, loaded, exported and plotted, and the documentation says so."""

from __future__ import annotations

import inspect
from dataclasses import replace
from pathlib import Path

import h5py
import numpy as np
import pytest

import redmax as rm
from redmax.run import quantities as table
from redmax.run.quantity import SIZES, Plot, Quantity
from redmax.view.plot_style import new_figure
from redmax.view.plots import drawing
from results import scenes

DOCS = Path(__file__).parents[2] / "docs" / "results.md"


def speeds(run: rm.Trajectory) -> np.ndarray:
    """(time, ..., bodies): how fast the bodies move, and turn."""
    twist = np.asarray(run.quantity("twist"))
    return np.stack([np.linalg.norm(twist[..., 3:], axis=-1), np.linalg.norm(twist[..., :3], axis=-1)], axis=-1)


SPEED = Quantity(
    "speed",
    "how fast the bodies move, and turn",
    ("body", "linear; angular"),
    "{L}/s; rad/s",
    speeds,
    dataset="bodies/speed",
    store="speeds",
    table="speed",
    labels=("speed", "spin"),
    plot=Plot("speeds", "how fast the bodies are"),
)


@pytest.fixture
def with_speed(monkeypatch):
    monkeypatch.setitem(SIZES, "linear; angular", lambda *_: 2)
    monkeypatch.setattr(table, "QUANTITIES", (*table.QUANTITIES, SPEED))


@pytest.mark.parametrize("worlds", [(), (2, 3)])
def test_a_quantity_is_one_row(with_speed, tmp_path, worlds):
    initial = scenes.batch(worlds) if worlds else None
    run = rm.simulate(scenes.arm(), 0.1, 0.02, initial=initial)
    path = tmp_path / "run.h5"
    run.save(path, store=["speeds"])
    with h5py.File(path) as file:
        stored = file["bodies/speed"]
        assert (stored.attrs["unit"], stored.attrs["about"]) == ("m/s; rad/s", SPEED.about)
        assert list(stored.attrs["axes"]) == ["time", *["worlds"] * len(worlds), "body", "linear; angular"]
        np.testing.assert_array_equal(stored[()], speeds(run))
        assert "bodies/twist" not in file
    loaded = rm.load(path)
    assert loaded.found("speed") is not None  # from the file, not from twists that it does not hold
    for source in (run, loaded, loaded[1:4]):
        expected = speeds(run)[1:4] if len(source) == 3 else speeds(run)
        np.testing.assert_array_equal(source.quantity("speed"), expected)
        np.testing.assert_array_equal(source.to_numpy()["speed"], expected)
        frame = source.to_pandas(["speed"])
        assert list(frame.columns) == [f"{body}.{what}" for body in ("upper", "lower", "bob") for what in ("speed", "spin")]
        assert frame.attrs["units"]["bob.speed"] == "m/s"
        np.testing.assert_array_equal(frame.to_numpy(), expected.reshape(len(frame), -1))
    assert "bob.spin (rad/s)" in loaded.to_csv(tmp_path / "run.csv", ["speed"]).read_text().partition("\n")[0]


def test_a_row_with_a_plot_is_drawn(with_speed, tmp_path):
    run = rm.simulate(scenes.arm(), 0.1, 0.02)
    size, draw = drawing(run, "speeds", ["elbow"])
    figure = new_figure(*size)
    draw(figure)
    assert [(a.get_title("left"), a.get_ylabel()) for a in figure.axes] == [("lower", "speed (m/s)"), ("lower", "speed (rad/s)")]
    np.testing.assert_array_equal(np.column_stack([a.lines[0].get_ydata() for a in figure.axes]), speeds(run)[:, 1])
    assert run.plot(tmp_path / "speeds.png", what="speeds", joints=["elbow"]).exists()


def test_what_is_of_all_bodies_has_one_panel_for_each_unit(monkeypatch):
    row = next(row for row in table.QUANTITIES if row.name == "momentum")
    labels = tuple(f"{part}.{axis}" for part in ("angular", "linear") for axis in "xyz")
    drawn = replace(row, labels=labels, table="momentum", plot=Plot("momentum", "of all bodies"))
    monkeypatch.setattr(table, "QUANTITIES", tuple(drawn if r is row else r for r in table.QUANTITIES))
    run = rm.simulate(scenes.arm(), 0.1, 0.02)
    size, draw = drawing(run, "momentum", None)
    figure = new_figure(*size)
    draw(figure)
    assert [len(a.lines) for a in figure.axes] == [3, 3]
    assert list(run.to_pandas(["q", "momentum"]).columns[-6:]) == list(labels)
    with pytest.raises(rm.RedmaxError, match="Momentum is of all bodies together"):
        run.plot(what="momentum", joints=["elbow"])


def test_every_row_has_the_shape_and_the_headings_that_it_says():
    run = rm.simulate(scenes.soft(), 0.02, 0.01)
    for row in table.quantities(run.model):
        values = run.quantity(row.name)
        if values is None:
            assert row.kind == "given"
            continue
        assert values.shape == (len(run), *row.shape(run.model)), row.name
        if row.table:
            assert len(row.headings(run.model)) == np.shape(row.in_tables(run.model, values.reshape(len(run), -1)))[-1], row.name


def test_a_name_that_is_no_quantity():
    with pytest.raises(rm.SceneError, match="Did you mean 'momentum'"):
        rm.simulate(scenes.arm(), 0.02, 0.01).quantity("momentu")


def test_docstrings_name_what_is_valid():
    texts = {rm.simulate: table.store_words(), rm.Trajectory.to_pandas: table.table_words(), rm.Trajectory.plot: table.plots()}
    for function, words in texts.items():
        text = inspect.getdoc(function) + str(inspect.signature(function))
        assert [word for word in words if f'"{word}"' not in text and f"'{word}'" not in text] == []


def documented() -> list[str]:
    """The table in the documentation."""
    lines = ["| name | | own axes | dataset | `store=` | `what=` of tables | plot |", "|---|---|---|---|---|---|---|"]
    for row in table.QUANTITIES:
        dataset, stored = (f"`{row.dataset}`", f'`"{row.store}"`' if row.store else "always") if row.dataset else ("", "")
        name, about = f"`{row.name}`".replace("{k}", "0"), row.about.replace("{of!r}", "a deformable")
        cells = (name, about, ", ".join(row.axes), dataset.replace("{k}", "0"), stored)
        words = (row.table and f'`"{row.table}"`', f'`"{row.plot.name}"`' if row.plot else "")
        lines.append("| " + " | ".join([*cells, *words]) + " |")
    return [line.replace("|  |", "| |").replace("|  |", "| |") for line in lines]


def test_the_documentation_has_the_table():
    assert "\n".join(documented()) in DOCS.read_text(encoding="utf-8")


def test_named_frames_are_in_tables(tmp_path):
    """By the names of the frames, in world axes; of a scene without any there are no columns."""
    scene = scenes.arm()
    frames = [scene.add_frame(name, "bob", place) for name, place in (("tool", (0.1, 0, 0)), ("eye", (0, 0.2, 0)))]
    run = rm.simulate(scene, 0.1, 0.02, initial=scenes.batch((2,)))
    run.save(tmp_path / "run.h5")
    for source in (run, rm.load(tmp_path / "run.h5")):
        found = source.to_pandas(["frames"])
        assert list(found.columns[:7]) == [f"{name}.{axis}" for name in ("tool", "eye") for axis in "xyz"] + ["tool.quaternion.w"]
        assert (found.attrs["units"]["eye.omega.y"], found.attrs["units"]["eye.v.y"]) == ("rad/s", "m/s")
        for frame in frames:
            E, V = run.pose(frame).reshape(-1, 4, 4), run.twist(frame, "hybrid").reshape(-1, 6)
            np.testing.assert_array_equal(found[[f"{frame.name}.{axis}" for axis in "xyz"]], E[:, :3, 3])
            np.testing.assert_array_equal(found[[f"{frame.name}.{part}.{axis}" for part in ("omega", "v") for axis in "xyz"]], V)
    assert rm.simulate(scenes.arm(), 0.04, 0.02).to_pandas(["q", "frames"]).shape[1] == run.model.nq
