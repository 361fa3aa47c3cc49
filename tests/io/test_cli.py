"""`redmax run` takes a scene file."""

from __future__ import annotations

import json

import numpy as np

import redmax as rm
from redmax.cli import main
from redmax.scenes import find


def test_a_file_runs_as_its_scene_does(tmp_path, capsys):
    entry = find("redmax:1")
    scene = entry.scene()
    scene.defaults = {"duration": 0.05, "dt": 0.01, "integrator": "rk4"}
    scene.save(tmp_path / "scene.yaml")
    assert main(["run", str(tmp_path / "scene.yaml"), "--json", "-"]) == 0
    said = json.loads(capsys.readouterr().out)
    run = rm.simulate(entry.scene(), duration=0.05, dt=0.01, integrator="rk4")
    assert np.array(said["q"]).tobytes() == run.q[-1].tobytes()
    assert said["integrator"] == "rk4"


def test_all_mistakes_of_a_file_are_said(tmp_path, capsys):
    (tmp_path / "bad.yaml").write_text("redmax: 1\nbodies:\n  - {shape: {Sphere: {radius: -1}}}\n  - {shape: {Spere: {radius: 1}}}\n")
    assert main(["run", str(tmp_path / "bad.yaml")]) == 2
    said = capsys.readouterr().err
    assert "bad.yaml:3" in said
    assert "bad.yaml:4" in said
    assert "'Sphere'" in said
