"""The definite stiffness that implicit steps take by default: it never feeds a step, and is the derivative where nothing is strained."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import redmax as rm
from forces.samples import A, B, C, chosen, definite, random_bodies
from random_examples import examples
from redmax.forces.frames import Frame
from redmax.forces.law import sites_of, to_floats
from redmax.forces.linear import impedance

H = 0.1
FORCES: dict[str, rm.Force] = {
    "spring with damper": rm.SpringDamper(A.point(0.1, 0.2, 0), B.point(0, -0.3, 0.1), stiffness=50, damping=3, rest=1.5),
    "strut to the world": rm.SpringDamper((0.5, -1, 0.3), A.point(0.1, 0.2, 0), stiffness=50, damping=3, rest=9.0),
    "cable": rm.Cable([A.point(0, 0.1, 0.2), (0.3, 0, 0), B, C.point(0.3, 0.1, 0)], stiffness=40, damping=1, rest=0.5),
    "muscle": rm.Muscle([A.point(0, 0.1, 0.2), B.point(0.3, 0.1, 0), C], force=100, optimal_length=2.0, tendon_length=0.1, activation=0.7),
    "points that move and come and go": rm.Cable(
        [
            A.point(0, 0.1, 0.2),
            rm.ConditionalPoint(A.point(0.2, 0, 0.3), joint=A, between=(0.0, 1.0)),
            rm.MovingPoint(B, lambda q: (q, 0.1 * q * q, 0.2), joint=A),
            C.point(0.3, 0.1, 0),
        ],
        stiffness=40,
        damping=1,
        rest=0.5,
    ).replaced(coordinates=[(np.array([0.3]), np.array([0.2]))]),
    "falling tension": rm.force(tension=lambda length, rate: 30.0 - 4.0 * length - rate, path=[A, B.point(0, 0.2, 0)]),
    "point spring": rm.PointSpring(A.point(0.1, 0.2, 0), B.point(0, -0.3, 0.1), stiffness=50, damping=3),
    "bushing": rm.Bushing(A, B.point(0, 0.1, 0), stiffness=definite(6, 0), damping=definite(6, 1), rest=(0.1, 0.2, 0.3)),
    "damping": rm.BodyDamping(A, angular=2.0, linear=3.0),
    "point force": rm.PointForce(A.point(0.1, 0.2, 0.3), (1, 2, 3), strength=5),
    "wrench": rm.AppliedWrench(A, torque=(1, 2, 3), force=(4, 5, 6), frame="world"),
}


def matrices(force: Any, frames: list[Frame], t: float) -> tuple[np.ndarray, np.ndarray]:
    """-K and D of all its bodies, from the blocks h D - h^2 K of two steps."""
    origins = list(np.random.default_rng(4).normal(size=(len(frames), 3)))
    linear = impedance(force, frames, origins, sites_of(force, frames), t)
    n = len(frames)
    once, twice = (np.block([[np.asarray(linear.block(i, j, h), float) for j in range(n)] for i in range(n)]) for h in (H, 2 * H))
    return (twice - 2 * once) / (2 * H * H), (4 * once - twice) / (2 * H)


@examples(2, 25)
@given(seed=st.integers(0, 1000))
@pytest.mark.parametrize("name", FORCES)
def test_stiffness_and_damping_are_never_negative(name, seed):
    force = FORCES[name]
    assert force.stiffness_kind == "definite"
    bodies = chosen(force, random_bodies(seed))
    for matrix in matrices(force, bodies.frames, bodies.t):
        scale = max(np.abs(matrix).max(), 1e-3)
        assert np.abs(matrix - matrix.T).max() < 1e-11 * scale
        assert np.linalg.eigvalsh(matrix).min() > -1e-11 * scale


@pytest.mark.parametrize("name", ["spring with damper", "strut to the world", "bushing", "point spring"])
def test_unstrained_and_at_rest_it_is_the_derivative(name):
    """There nothing pulls, so that nothing turns with the bodies either, and K is symmetric by itself."""
    force = FORCES[name]
    frames = [Frame(f.R, f.x, np.zeros(3), np.zeros(3)) for f in chosen(force, random_bodies(3)).frames]
    sites = [to_floats(s) for s in sites_of(force, frames)]
    if isinstance(force, rm.SpringDamper):
        force = force.replaced(rest=float("nan")).settled(sites)
    elif isinstance(force, rm.Bushing):
        force = force.settled(sites)
        force = rm.Bushing(A, B.point(0, 0.1, 0), stiffness=definite(6, 0), damping=definite(6, 1)).settled(sites)
    else:
        apart = sites[1].x - sites[0].x
        frames[1] = Frame(frames[1].R, frames[1].x - apart, frames[1].omega, frames[1].v)
    found = matrices(force, frames, 0.0)
    for kind in ("symmetrised", "exact"):
        for own, other in zip(found, matrices(force.replaced(stiffness_kind=kind), frames, 0.0), strict=True):
            assert np.abs(own - other).max() < 1e-11 * max(np.abs(own).max(), 1.0)
