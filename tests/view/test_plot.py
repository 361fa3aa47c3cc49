"""Energy plots are written in each format, without a display, and say what is missing."""

import sys

import numpy as np
import pytest

from redmax.errors import RedmaxError
from redmax.view import plot_energy
from redmax.view.plot import drift

TIMES = np.linspace(0, 2, 201)
KINETIC = 5 * np.sin(3 * TIMES) ** 2
POTENTIAL = 5 * np.cos(3 * TIMES) ** 2 + 1e-9 * TIMES
SIGNATURES = {".png": b"\x89PNG", ".svg": b"<?xml", ".pdf": b"%PDF"}


@pytest.mark.parametrize("suffix", SIGNATURES)
def test_suffix_chooses_the_format(tmp_path, suffix):
    pytest.importorskip("matplotlib")
    path = plot_energy(tmp_path / f"energy{suffix}", TIMES, KINETIC, POTENTIAL, title="Costs $5 & more_")
    content = path.read_bytes()
    assert content.startswith(SIGNATURES[suffix])
    assert len(content) > 5000


@pytest.mark.parametrize("kinetic", [0 * TIMES, KINETIC])
def test_constant_energy_can_be_drawn(tmp_path, kinetic):
    pytest.importorskip("matplotlib")
    assert plot_energy(tmp_path / "a.png", TIMES, kinetic, 1 - kinetic, title="A").stat().st_size > 5000


def test_drift_is_relative_to_the_largest_kinetic_energy():
    np.testing.assert_allclose(drift(np.array([0.0, 4.0, 2.0]), np.array([4.0, 0.0, 3.0])), [0, 0, 0.25])


def test_missing_matplotlib_names_the_extra(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    with pytest.raises(RedmaxError, match=r'pip install "redmax\[plot\]"'):
        plot_energy(tmp_path / "a.png", TIMES, KINETIC, POTENTIAL, title="A")


def test_wrong_input_is_named(tmp_path):
    with pytest.raises(RedmaxError, match=r"got suffix '\.gif'"):
        plot_energy(tmp_path / "a.gif", TIMES, KINETIC, POTENTIAL, title="A")
    with pytest.raises(RedmaxError, match=r"kinetic \(3,\)"):
        plot_energy(tmp_path / "a.png", TIMES, KINETIC[:3], POTENTIAL, title="A")
