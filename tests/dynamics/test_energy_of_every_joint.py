"""Forests that mix joints of all kinds keep their energy for seconds, or until a joint comes near a singular position."""

from __future__ import annotations

import numpy as np
import pytest

import redmax as rm
from joints.samples import KINDS
from mechanisms import Mechanism, assemble, random_parents
from redmax.joints.motion import traced_motion
from redmax.trace import Graph, evaluate_numeric

SINGULAR = 1e3
SHARES = 6  # of the kinds, so that each forest has four or five joints
OWN_CHARTS = {  # joints that leave a chart, which samples of one motion cannot stand for
    "euler": rm.SphericalEuler("YXZ"),
    "ball on a ball": rm.SurfaceContact(rm.surfaces.Sphere(0.3), rm.surfaces.Ellipsoid((0.2, 0.25, 0.15)), spin=True),
    "point on an ellipsoid": rm.PointOnSurface(rm.surfaces.Ellipsoid((0.5, 0.4, 0.6)), spin=True),
}


def condition(run: rm.Trajectory, link: int) -> np.ndarray:
    """cond(S) of one joint at each sample, with lengths in units of the mechanism's (1 m)."""
    joint = run.model.links[link].joint
    if joint.dof == 0:
        return np.ones(len(run))
    graph = Graph()
    q, v = (np.array([*graph.inputs(n, size)], object) for n, size in (("q", joint.size), ("v", joint.dof)))
    S = traced_motion(joint, q, v).S
    place = run.model.configurations.parts()[link]
    values = evaluate_numeric(list(S.ravel()), lambda base, i: run.configurations[:, place][:, i])
    return np.linalg.cond(np.moveaxis(np.array([np.broadcast_to(x, len(run)) for x in values]), 0, -1).reshape(-1, *S.shape))


def regular_part(run: rm.Trajectory) -> int:
    """How many samples come before a joint is near a singular position."""
    worst = np.max([condition(run, i) for i in range(len(run.model.links))], axis=0)
    near = np.flatnonzero(worst > SINGULAR)
    return int(near[0]) if len(near) else len(run)


def simulate(scene: rm.Scene, q: np.ndarray, qdot: np.ndarray, duration: float = 4.0) -> rm.Trajectory:
    """As long as it should be, or as far as it goes."""
    try:
        return rm.simulate(scene, duration, 0.02, rtol=1e-11, initial=rm.State(0.0, q, qdot))
    except rm.SimulationError as broken:  # at a singular position, or at the end of a spline: what was computed counts
        return broken.trajectory  # type: ignore[return-value]


def forest(seed: int, kinds: list[str]) -> Mechanism:
    """With general placements, and no forces but the weight."""
    rng = np.random.default_rng([seed, 11])
    return assemble(seed, [(kind, "general", parent) for kind, parent in zip(kinds, random_parents(rng, len(kinds)))], forces=False)


@pytest.mark.parametrize(("seed", "duration"), [(0, 2.0), *[pytest.param(seed, 10.0, marks=pytest.mark.long) for seed in range(4)]])
def test_energy_is_kept(seed, duration):
    kinds = [KINDS[i] for i in np.random.default_rng(seed).permutation(len(KINDS))]
    lengths = []
    for share in range(SHARES):
        m = forest(seed * SHARES + share, kinds[share::SHARES])
        s = m.state(seed)
        run = simulate(m.scene(), s.q, 0.5 * s.qdot, duration)
        good = regular_part(run)
        lengths.append(run.t[good - 1])
        energy, kinetic = run.energy.total[:good], run.energy.kinetic[:good]
        assert np.abs(energy - energy[0]).max() < 1e-8 * kinetic.max(), f"{kinds[share::SHARES]}, until t = {lengths[-1]:g}"
    assert max(lengths) == pytest.approx(duration)  # some go all the way
    assert np.median(lengths) > 1.0


def test_energy_is_kept_where_charts_change():
    scene = rm.Scene()
    body = rm.Cuboid((0.3, 0.2, 0.1), mass=1.0)
    first = scene.add_body(body, joint=OWN_CHARTS["euler"], com=(0.1, 0.05, -0.2), q=(0.3, 0.8, 0), qdot=(3, 4, 1))
    second = scene.add_body(
        body, joint=OWN_CHARTS["ball on a ball"], parent=first, at=(0, 0, -0.5), q=(0.1, -1.2, 0.3, 0.8, 0.2), qdot=(1, 2, -1, 1, 2),
        check_joint=False,
    )  # fmt: skip
    scene.add_body(
        body, joint=OWN_CHARTS["point on an ellipsoid"], parent=second, at=(0, 0, -0.2), com=(0, 0, 0.1), q=(0, 0.9, 0), qdot=(1, 2, 1),
        check_joint=False,
    )  # fmt: skip
    state = rm.Simulation(scene).state
    run = simulate(scene, state.q, state.qdot)
    good = regular_part(run)
    changes = np.abs(np.diff(run.charts[:good], axis=0)).sum(axis=0)
    assert run.t[good - 1] > 2.0
    assert (changes > 0).sum() >= 3  # of four choices of a chart
    energy, kinetic = run.energy.total[:good], run.energy.kinetic[:good]
    assert np.abs(energy - energy[0]).max() < 1e-8 * kinetic.max()
