"""Variational steps, of order 2: the discrete Euler-Lagrange equations of a tree of any joints, in O(n) (Lee, Liu, Park, Srinivasa 2016).

    L_d(q_k, q_k+1) = h sum 1/2 V' M V - h/2 (U_k + U_k+1),      V = log(E_k^-1 E_k+1) / h   of each body
    p_k   = sum J(q_k)' dexp^-T_hV M V   - h/2 f(t_k, q_k, v)            -D_1 L_d, solved for q_k+1
    p_k+1 = sum J(q_k+1)' dexp^-T_-hV M V + h/2 f(t_k+1, q_k+1, v)        D_2 L_d

f: what acts on the coordinates, -dU/dq of gravity, springs and all else that has a potential. Forces without one enter by d'Alembert's
principle: torques, which are held within a step, and what depends on velocities, at v = (q_k+1 - q_k) / h, so that a damper acts as by the
trapezoidal rule: p_k+1 / p_k = (m - h d/2) / (m + h d/2), never growing. Rotors add h/2 a v^2. A hidden state of a force, such as an
activation, goes by the same rule. Prescribed joints move as they are told, and p is that of the others.

The step is symplectic without dampers, symmetric, and keeps the momenta of symmetries to rounding; the energy error stays bounded.
A step that turns a body by more than 2.5 rad ends the run: near half a turn other ends, with any energy, solve the equations as well.
Springs act as in the leapfrog method: a mode of frequency w needs h w < 2.

Kept from step to step: q and p. At the start p_0 = M(q_0) qdot_0; samples have qdot_k = M(q_k)^-1 p_k. Newton's method (step.py), which
begins on the parabola through the last three steps, ends when what is left is below 1e-14 of the way of the step, or where roundings let
it come no nearer; what the equation misses there is added to p_k+1. It has 50 iterations.
"""

from __future__ import annotations

from redmax.backends.base import Runner
from redmax.integrators.base import Method
from redmax.model.model import Model


def runner(model: Model, backend: str, halvings: int, dynamics: str) -> Runner:
    from redmax.integrators.variational.runner import VariationalRunner

    return VariationalRunner(model, backend)


VARIATIONAL = Method("variational", 2, False, None, runner, reads_rows=True, only_on="recursive")
