"""Ties and other constraints beside deformables: closed in every method, one motion whatever computes it, forces that balance."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

import redmax as rm
from random_examples import LONG, examples
from redmax.dynamics.soft import solve

BAR = rm.Cuboid((0.4, 0.05, 0.05), mass=1.0)
METHODS = ("forward-euler", "euler", "rk4", "adaptive", "implicit", "bdf1", "bdf2")


def bars(scene: rm.Scene, **second: Any) -> tuple[rm.BodyHandle, rm.BodyHandle]:
    first = scene.add_body(BAR, joint=rm.Revolute("y"), com=(0.2, 0, 0), q=0.2, name="first")
    return first, scene.add_body(BAR, parent=first, joint=rm.Universal(), at=(0.4, 0, 0), com=(0.2, 0, 0), name="second", **second)


def chain(**more: Any) -> rm.SpringChain:
    return rm.SpringChain((0.8, 0, 0), (1.2, 0, 0.1), 4, mass=0.3, stiffness=20, name="chain", **more)


def hanging(scene: rm.Scene) -> rm.SpringChain:
    """A chain that begins at the end of the second bar."""
    model = scene.model()
    end = rm.Dynamics(model, "interpret").observe(model.q0, np.zeros(model.nv)).pose[1] @ [0.2, 0, 0, 1]
    return chain().moved(np.linspace(end[:3], end[:3] + [0.4, 0, 0.1], 4))


def tied(gain: float | None = None, **second: Any) -> rm.Scene:
    """Between the second bar and the world."""
    scene = rm.Scene()
    _, body = bars(scene, **second)
    scene.add_deformable(hanging(scene).tie(body, 0, at=(0.2, 0, 0), gain=gain).tie(None, -1, gain=gain))
    return scene


def looped(how: Callable[[rm.BodyHandle], rm.Constraint]) -> rm.Scene:
    """Bars with a chain on the second, whose end something else holds."""
    scene = rm.Scene()
    _, body = bars(scene)
    scene.add_deformable(hanging(scene).attach(body, 0, at=(0.2, 0, 0)))
    scene.add_constraint(how(body))
    return scene


HOLD = {
    "point": lambda body: rm.PointInPlane(body.point(0.2, 0, 0), (0, 0, -0.8 * np.sin(0.2)), (0, 0, 1), name="held"),
    "rope": lambda body: rm.Rope([body.point(0.2, 0, 0), (0.3, 0, 0.4)], name="held"),
    "soft": lambda body: rm.Distance(body.point(0.2, 0, 0), (0.3, 0, 0.4), compliance=1e-4, name="held"),
}


@pytest.mark.parametrize("integrator", METHODS)
def test_ties_stay_closed_in_every_method(integrator: str) -> None:
    kept = "auto" if integrator.startswith("bdf") else "project"
    run = rm.simulate(tied(), 0.05, 0.005, integrator=integrator, stabilisation=kept)
    assert [c.name for c in run.model.constraints] == ["tie of chain node 0", "tie of chain node 3"]
    for name in ("tie of chain node 0", "tie of chain node 3"):
        assert np.abs(run.constraint(name).gap).max() < 1e-10
    end = (run.pose("second") @ [0.2, 0, 0, 1])[..., :3]
    assert_allclose(run.nodes("chain")[:, 0], end, rtol=0, atol=1e-10)


HELD = [pytest.param(how, marks=pytest.mark.long) if how != "rope" else how for how in HOLD]


@pytest.mark.parametrize("how", ["tied", *HELD])
def test_every_method_leads_to_one_motion(how: str) -> None:
    """Of order one, where it is: halving dt halves what implicit steps and euler are off."""
    model = (tied() if how == "tied" else looped(HOLD[how])).model()
    exact = rm.simulate(model, 0.1, 0.1 / 256, integrator="bdf2").q[-1]
    for integrator in ("implicit", "euler"):
        off = [np.abs(rm.simulate(model, 0.1, 0.1 / n, integrator=integrator).q[-1] - exact).max() for n in (32, 64, 128)]
        assert off[2] < 5e-3
        assert off[1] / off[2] == pytest.approx(2.0, abs=0.5)


def test_forces_of_ties_move_the_chain() -> None:
    """d/dt of its momentum is its weight and what both ties exert, and the bar feels the opposite."""
    run = rm.simulate(tied(), 0.05, 0.0005, integrator="rk4")
    ties = [run.constraint(f"tie of chain node {k}") for k in (0, 3)]
    momentum = 0.3 / 4 * run.qdot[:, 3:].reshape(-1, 4, 3).sum(axis=1)
    pulled = ties[0].multipliers + ties[1].multipliers + [0, 0, -0.3 * 9.81]
    assert_allclose(np.gradient(momentum, run.t, axis=0)[1:-1], pulled[1:-1], rtol=0, atol=1e-4)
    wrenches = ties[0].wrenches
    assert_allclose(wrenches[:, 0, 3:], ties[0].multipliers, atol=1e-12)
    assert_allclose(wrenches[:, 1, 3:], -ties[0].multipliers, atol=1e-12)
    assert_allclose(ties[0].power, 0.0, atol=1e-6)
    assert np.ptp(run.energy.total) < 1e-7


def test_a_tie_is_an_attachment_with_a_force() -> None:
    """The same motion; a driven bar needs the same torque."""
    drive: dict[str, Any] = {"motion": lambda t: [0.3 * (1 - rm.math.cos(4 * t)), t * t]}
    for options in ({}, drive) if LONG else (drive,):
        loose = tied(None, **options)
        attached = rm.Scene()
        _, body = bars(attached, **options)
        attached.add_deformable(hanging(attached).attach(body, 0, at=(0.2, 0, 0)).hold(-1))
        runs = [rm.simulate(scene, 0.05, 0.005, rtol=1e-10, integrator="adaptive") for scene in (loose, attached)]
        assert_allclose(runs[0].nodes("chain"), runs[1].nodes("chain"), rtol=0, atol=1e-8)
        assert_allclose(runs[0].torque[:, :3], runs[1].torque[:, :3], rtol=0, atol=1e-6)
        taken = [run.reaction("second") for run in runs]
        assert_allclose(taken[0], taken[1], rtol=0, atol=1e-6)


@given(data=st.data())
@examples(2, 40)
def test_dynamics_agree_beside_deformables(data: st.DataObject) -> None:
    """recursive == redmax, by any elimination, with all that may hold random chains on bars."""
    rng = np.random.default_rng(data.draw(st.integers(0, 10**6)))
    scene = rm.Scene()
    drive = {"motion": lambda t: [0.3 * rm.math.sin(4 * t), 0.1 * t]} if data.draw(st.booleans()) else {}
    first, second = bars(scene, **drive)
    gain = data.draw(st.sampled_from([None, 3.0]))
    compliance = data.draw(st.sampled_from([0.0, 1e-3]))
    nodes = chain().nodes + 0.1 * rng.normal(size=(4, 3))
    shape = chain(rayleigh=(0.2, 1e-3)).moved(nodes).tie(second, 0, gain=gain, compliance=compliance).tie(first, 2, gain=gain)
    scene.add_deformable(shape if data.draw(st.booleans()) else shape.explicit())
    if data.draw(st.booleans()):
        scene.add_constraint(rm.Rope([first.point(0.1, 0, 0), (0.3, 0, 0.4)]))
    integrator = data.draw(st.sampled_from(["implicit", "euler"]))
    found = [rm.simulate(scene, 0.03, 0.005, integrator=integrator, dynamics=d) for d in ("recursive", "redmax")]
    assert_allclose(found[0].q, found[1].q, rtol=0, atol=1e-10)
    assert_allclose(found[0].multipliers, found[1].multipliers, rtol=0, atol=1e-6 * max(1.0, np.abs(found[1].multipliers).max()))


@pytest.mark.parametrize("how", HELD)
def test_a_library_eliminates_alike(how: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """As large bodies are; conjugate gradients have no factors for rows, so that these are eliminated too."""
    model = looped(HOLD[how]).model()
    exact, asked = (rm.simulate(model, 0.05, 0.005, integrator="implicit", solver=s).q for s in ("direct", "cg"))
    assert np.array_equal(exact, asked)
    monkeypatch.setattr(solve, "LARGEST", 0)
    assert rm.Simulation(model, integrator="implicit", solver="direct").plan.program.hosted
    assert_allclose(rm.simulate(model, 0.05, 0.005, integrator="implicit").q, exact, rtol=0, atol=1e-10)


def test_ties_of_files_are_kept(tmp_path: Path) -> None:
    scene = rm.Scene()
    _, body = bars(scene)
    scene.add_deformable(chain().tie(body, 0, gain=None).tie(body, [1, 2], gain=3.0, compliance=1e-3).tie(None, 3))
    scene.save(tmp_path / "tied.yaml")
    again = rm.Scene.load(tmp_path / "tied.yaml").model()
    ties = [(c.automatic, c.gain, c.compliance) for c in again.constraints]
    assert ties == [(True, 0.0, 0.0), (False, 3.0, 1e-3), (False, 3.0, 1e-3), (False, 5.0, 0.0)]
    for before, after in zip(scene.model().constraints, again.constraints, strict=True):
        assert before.name == after.name
        assert_allclose(before.anchors[1].position, after.anchors[1].position, atol=1e-15)
    with pytest.raises(rm.SceneError, match="gain"):
        chain().tie(body, 0, gain=-1.0)


def test_assembly_moves_nodes_with_what_carries_them() -> None:
    """They keep their places on bodies; the scene that is left needs no assembly."""
    scene = rm.Scene()
    _, body = bars(scene)
    scene.add_deformable(hanging(scene).attach(body, 0).tie(body, 1).tie(body, 2, gain=None))
    scene.add_constraint(rm.PointInPlane(body.point(0.2, 0, 0), (0, 0, -0.3), (0, 0, 1), name="held"))
    before = scene.model()
    found = scene.assemble()
    after = scene.model()
    assert found.gaps["held"] > 0.1
    assert_allclose(after.nodes[0].at, before.nodes[0].at, atol=1e-12)
    for old, new in zip(before.constraints, after.constraints, strict=True):
        assert_allclose(new.anchors[-1].position, old.anchors[-1].position, atol=1e-12)
    gap = rm.Dynamics(after, "interpret").constraint_gap(after.q0)
    assert np.abs(np.delete(gap, np.arange(6)[after.row_slice("tie of chain node 1")])).max() < 1e-12
