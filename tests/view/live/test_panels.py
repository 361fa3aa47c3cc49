"""What stands in the panel is true: numbers of the selected body, energies with the mark at the time shown."""

import numpy as np
import pytest

import redmax as rm
from redmax.view.live.energy import POINTS, curves
from redmax.view.live.selection import facts, table
from redmax.view.live.source import Finished
from view.live.scenes import pendulum


@pytest.fixture(scope="module")
def run():
    return rm.simulate(pendulum(), 1.0, 0.001)


def numbers(text: str) -> list[float]:
    return [float(x) for x in text.split()]


def test_a_selected_body_shows_its_name_pose_and_twist(run):
    seen = Finished.of(run).recording
    rows = facts(seen, 0, 300)
    assert rows["body"] == "bar"
    assert rows["joint"] == "Revolute"
    np.testing.assert_allclose(numbers(rows["position (m)"]), run.pose("bar")[300][:3, 3], atol=6e-4)
    np.testing.assert_allclose(numbers(rows["angular (rad/s)"]), run.twist("bar")[300][:3], atol=6e-4)
    np.testing.assert_allclose(numbers(rows["linear (m/s)"]), run.twist("bar")[300][3:], atol=6e-4)
    angle = run.q[300, 0]
    np.testing.assert_allclose(np.abs(numbers(rows["quaternion wxyz"])), np.abs([np.cos(angle / 2), 0, np.sin(angle / 2), 0]), atol=6e-4)
    assert float(rows["kinetic (J)"]) == pytest.approx(run.energy.kinetic[300], rel=1e-3)


def test_names_from_files_of_others_are_text():
    assert "<script>" not in table({"<b>": "<script>alert(1)</script>"})
    assert "&lt;script&gt;" in table({"body": "<script>"})


def test_energy_curves_are_those_of_the_run_with_a_mark_at_the_time_shown(run):
    seen = Finished.of(run).recording
    t, kinetic, potential, total, mark = curves(seen, 0.4205)
    assert len(t) <= POINTS + 3
    assert (np.diff(t) >= 0).all()
    assert t[mark > 0] == pytest.approx([0.4205])
    np.testing.assert_allclose(kinetic, np.interp(t, run.t, run.energy.kinetic), atol=1e-3)
    np.testing.assert_allclose(total, kinetic + potential)
    for end in (-1.0, 5.0):
        assert (np.diff(curves(seen, end)[0]) >= 0).all()
