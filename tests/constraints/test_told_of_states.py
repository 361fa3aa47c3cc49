"""What Dynamics tells of constraints at states of random mechanisms of every joint, against Jacobians of points and a dense system."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

import redmax as rm
from constraints.test_dynamics_agree import closed, rows
from dynamics.agreement import disagreement
from mechanisms import Mechanism, mechanisms
from random_examples import examples

CLOSE = 1e-8


@examples(2, 60)
@given(m=mechanisms(largest=6).filter(lambda m: m.nv > 3 and len(m.links) > 1), seed=st.integers(0, 2**16))
def test_rows_multipliers_and_reactions_of_random_mechanisms(m: Mechanism, seed: int) -> None:
    rng = np.random.default_rng(seed)
    model, s = closed(m, rng, 1, 1 if m.nv > 4 else 0, soft=0.0), m.state(seed)
    dynamics, free = rm.Dynamics(model, "interpret"), rm.Dynamics(m.model, "interpret")
    G, asked = rows(m.model, model, s.q, s.qdot, s.t)
    b = np.repeat([c.gain for c in model.constraints], [c.size for c in model.constraints])
    gap, rate, bias = (function(s) for function in (
        lambda s: dynamics.constraint_gap(s.q, t=s.t),
        lambda s: dynamics.constraint_rate(s.q, s.qdot, t=s.t),
        lambda s: dynamics.constraint_bias(s.q, s.qdot, t=s.t),
    ))  # fmt: skip
    assert disagreement(dynamics.constraint_jacobian(s.q, t=s.t), G) < CLOSE
    scale = max(abs(asked).max(), 1.0)
    assert abs(-bias - 2 * b * rate - b**2 * gap - asked).max() < CLOSE * scale
    qddot, multipliers = dynamics.forward(s.q, s.qdot, s.tau, s.wrench, s.t), dynamics.multipliers(s.q, s.qdot, s.tau, s.wrench, s.t)
    M, a = free.inertia(s.q, s.t), free.forward(s.q, s.qdot, s.tau, s.wrench, s.t)
    A = G @ np.linalg.solve(M, G.T)
    size = 1 / np.sqrt(np.maximum(np.diag(A), 1e-300))
    values = np.linalg.svd(A * size[:, None] * size, compute_uv=False)
    if values[-1] < 1e-6 * values[0]:
        return
    expected = np.linalg.solve(A, asked - G @ a)
    assert disagreement(multipliers, expected) < CLOSE
    assert disagreement(qddot, a + np.linalg.solve(M, G.T @ expected)) < CLOSE
    total = free.inverse(s.q, s.qdot, qddot, s.wrench, s.t)
    found = dynamics.inverse(s.q, s.qdot, qddot, s.wrench, s.t, multipliers=multipliers)
    assert abs(found - (total - G.T @ multipliers)).max() < CLOSE * abs(total).max()
    bodies, _ = dynamics.row_forces(s.q, multipliers, s.t)
    through = free.reactions(s.q, s.qdot, qddot, s.wrench + bodies, s.t)
    assert disagreement(dynamics.reactions(s.q, s.qdot, qddot, s.wrench, s.t, multipliers=multipliers), through) < CLOSE
