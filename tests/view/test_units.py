"""Units are labels: they reach the animation and the plot, and change no number."""

from __future__ import annotations

import numpy as np
import pytest

import redmax as rm
from redmax.scenes import find
from redmax.units import units_of
from view.samples import embedded_scene


@pytest.mark.parametrize(
    ("units", "energy", "force"),
    [("m kg s", "J", "N"), ("cm g s", "erg", "dyn"), ("mm kg s", "µJ", "mN"), ("mm g s", "nJ", "µN"), ("ft lb s", "lb ft²/s²", "lb ft/s²")],
)
def test_energy_and_force_have_their_own_names_where_there_are_some(units, energy, force):
    assert units_of(units).energy == energy
    assert units_of(units).force == force


@pytest.mark.parametrize("wrong", ["SI", "m kg", "m kg ms", "", None, ("m", "kg", "s")])
def test_wrong_units_say_what_is_valid(wrong):
    with pytest.raises(rm.SceneError, match=r"units must name length, mass and time.*'m kg s' or 'cm g s'.*Got"):
        rm.Scene(units=wrong)


@pytest.mark.parametrize(("name", "length", "energy", "force"), [("redmax:25", "cm", "erg", "dyn"), ("helix", "m", "J", "N")])
def test_pictures_name_the_units_of_the_scene(tmp_path, name, length, energy, force):
    run = rm.simulate(find(name).scene(), 0.05)
    scene = embedded_scene(run.html(tmp_path / "a.html"))
    assert scene["units"] == {"length": length, "energy": energy, "force": force}
    assert f"energy ({energy})" in run.plot(tmp_path / "a.svg").read_text("utf-8")  # matplotlib writes the text beside its outlines


def test_units_change_no_number():
    scene = find("redmax:25").scene()
    end = rm.simulate(scene, 0.1).q[-1]
    scene.units = "m kg s"
    assert np.array_equal(rm.simulate(scene, 0.1).q[-1], end)
