"""What was there before is there still: the public API, scene files and result files of an earlier version."""

from __future__ import annotations

import inspect
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import redmax as rm

BEFORE = Path(__file__).parents[1] / "written_before"
API = [line for line in (BEFORE / "public.txt").read_text().splitlines() if line]


def tokens(inside: str) -> list[str]:
    """Parameters with their defaults: commas within brackets or quotes part nothing."""
    return [part.strip() for part in re.split(r",\s*(?![^()\[\]]*[)\]])", inside) if part.strip()]


def parameters(function: Any) -> list[str]:
    """As the earlier version was written down: `name`, `name=default`, with what is no simple value as `...`."""
    found: list[str] = []
    for p in inspect.signature(function).parameters.values():
        if p.name in ("self", "cls"):
            continue
        name = {p.VAR_POSITIONAL: "*" + p.name, p.VAR_KEYWORD: "**" + p.name}.get(p.kind, p.name)
        simple = isinstance(p.default, int | float | str | tuple | bool | None.__class__)
        found.append(name if p.default is p.empty else f"{name}={p.default!r}" if simple else f"{name}=...")
    return found


@pytest.mark.parametrize("line", API)
def test_the_public_api_is_as_it_was(line):
    """Names, parameters and defaults; more of them may have come."""
    name, _, rest = line.partition("(")
    thing: Any = rm
    for part in name.split("."):
        if inspect.isclass(thing):
            thing = inspect.getattr_static(thing, part)
            thing = getattr(thing, "__func__", thing)
        else:
            thing = getattr(thing, part)
    if not rest:
        return
    known = parameters(thing.__init__ if inspect.isclass(thing) else thing)
    missing = [token for token in tokens(rest.removesuffix(")")) if token != "*" and token not in known]
    assert not missing, f"{name} has {known}"


@pytest.mark.parametrize("path", sorted(BEFORE.glob("*.yaml")), ids=lambda path: path.stem)
def test_scene_files_written_before_load_and_are_written_the_same(path, tmp_path):
    scene = rm.Scene.load(path)
    scene.save(tmp_path / "again.yaml")
    assert (tmp_path / "again.yaml").read_text() == path.read_text()
    assert np.isfinite(rm.simulate(scene, 0.01, 0.001, integrator="implicit").q).all()


@pytest.mark.parametrize("path", sorted(BEFORE.glob("*.h5")), ids=lambda path: path.stem)
def test_result_files_written_before_load_and_are_the_runs_of_today(path):
    run = rm.load(path)
    options = {name: run.settings[name] for name in ("duration", "solver", "stabilisation", "halvings", "rtol")}
    again = rm.simulate(run.model.scene, dt=run.dt, integrator=run.integrator, dynamics=run.dynamics, **options)
    for name in ("q", "qdot", "qddot", "reactions"):
        was, now = np.asarray(getattr(run, name)), np.asarray(getattr(again, name))
        assert np.abs(was - now).max() <= 1e-12 * np.abs(was).max(), name
    np.testing.assert_allclose(run.energy.total, again.energy.total, rtol=1e-12, atol=1e-12 * run.energy.kinetic.max())
