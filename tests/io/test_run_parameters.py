"""What differs from world to world in runs of a file: `parameters` of its section `run`, one value or a list of them."""

from __future__ import annotations

import json

import numpy as np
import pytest
from typer.testing import CliRunner

import redmax as rm
from redmax.cli.app import app
from redmax.io import loads

TEXT = """redmax: 1
parameters: {m: 1.5}
bodies:
  - {name: arm, shape: {Cuboid: {size: [0.4, 0.05, 0.05], mass: m}}, joint: {Revolute: {axis: y}}, com: [0.2, 0, 0], q: 0.3}
forces:
  - SpringDamper: {name: cord, a: [0, 0, 0.5], b: arm, stiffness: 20, rest: 0.3}
run:
  duration: 0.05
  parameters:
    arm.mass: [1.0, 2*m, 2.0]
    cord.stiffness: 25
"""
MASSES = (1.0, 3.0, 2.0)


def alone(mass: float) -> rm.Trajectory:
    text = TEXT[: TEXT.index("run:")].replace("mass: m}", f"mass: {mass}}}").replace("stiffness: 20", "stiffness: 25")
    return rm.simulate(loads(text), 0.05)


def check(run: rm.Trajectory) -> None:
    assert run.q.shape == (6, 3, 1)
    for w, mass in enumerate(MASSES):
        expected = alone(mass)
        assert np.allclose(run.q[:, w], expected.q, rtol=1e-12)
        assert np.allclose(run.energy.total[:, w], expected.energy.total, rtol=1e-12)


def test_a_run_has_the_worlds_of_its_file(tmp_path):
    scene = loads(TEXT)
    check(rm.simulate(scene))
    scene.save(tmp_path / "again.yaml")
    check(rm.simulate(rm.Scene.load(tmp_path / "again.yaml")))
    assert rm.simulate(scene, parameters={}).q.shape == (6, 1)  # who calls decides
    assert rm.simulate(scene, parameters={"arm.mass": [1.0, 2.0]}).q.shape == (6, 2, 1)


def test_the_command_runs_all_worlds_and_shows_the_first(tmp_path):
    (tmp_path / "arm.yaml").write_text(TEXT)
    call = ["run", str(tmp_path / "arm.yaml"), "--out", str(tmp_path / "run.h5"), "--json", str(tmp_path / "end.json")]
    result = CliRunner().invoke(app, call)
    assert result.exit_code == 0, result.output
    assert "3; what follows is of the first" in result.output
    assert np.allclose(json.loads((tmp_path / "end.json").read_text())["q"], alone(1.0).q[-1])
    check(rm.load(tmp_path / "run.h5"))


WRONG = {
    "arm.mas: 1": "text:10: There is no parameter 'arm.mas'. Did you mean 'arm.mass'",
    "arm.mass: [1, -2]": "text:10: Cuboid of body 'arm': mass is -2.0",
    "arm.mass: heavy": "text:10: there is no 'heavy' here",
    "arm.com: [1, 2]": r"text:10: The parameter 'arm.com' must have shape \(..., 3\)",
    "arm.size: [0.1, 0.2, .inf]": "text:10: ",
}


@pytest.mark.parametrize("line", WRONG)
def test_mistakes_have_their_line(line):
    with pytest.raises(rm.SceneError, match=WRONG[line]):
        loads(TEXT.replace("arm.mass: [1.0, 2*m, 2.0]", line))


def test_parameters_are_names_with_values():
    with pytest.raises(rm.SceneError, match=r"text:9: parameters of run is .*expected names with a number"):
        loads(TEXT[: TEXT.index("    arm.mass")].replace("  parameters:\n", "  parameters: 3\n"))
